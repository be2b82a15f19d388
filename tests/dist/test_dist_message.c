// Games as messages, and the ledger that counts them once.
#include "../learn/random_samples.h"
#include "dist/ledger.h"

static finished_game some_game(const samples_shape *sh, uint64_t seed)
{
    finished_game g = {.id = seed, .weights = 40, .plies = 200, .halves = 1, .sims = 1234};
    fill(&g.s, sh, 9, seed, 0);
    return g;
}

static const dist_head head = {.run = 77, .incarnation = 0xfeed, .counter = 3, .generation = 5, .worker = "box-1"};

static void comes_back_the_same(void **unused)
{
    (void)unused;
    dist_codec *c;
    assert_ok(dist_codec_new(&c));
    for (size_t k = 0; k < 4; k++) {
        samples_shape sh;
        text_buf t = {0}, u = {0};
        finished_game back;
        dist_head h;
        char id[DIST_ID];
        shape_of(&sh, board_games[k]);
        finished_game g = some_game(&sh, k + 1);
        assert_ok(dist_game_write(c, &head, &g, &sh, &t));
        assert_ok(dist_game_read(c, &h, &back, &sh, 77, t.data, t.len));
        assert_memory_equal(&h, &head, sizeof h);
        assert_int_equal(back.sims, 1234);
        assert_int_equal(back.s.n, g.s.n);
        assert_ok(dist_game_write(c, &h, &back, &sh, &u));
        assert_int_equal(t.len, u.len);
        assert_memory_equal(t.data, u.data, t.len);
        assert_string_equal(dist_game_id(&h, id), "box-1-000000000000feed-3");
        finished_game_free(&g);
        finished_game_free(&back);
        text_free(&t);
        text_free(&u);
        samples_shape_free(&sh);
    }
    dist_codec_free(c);
}

// Every cut and every flipped bit is noticed; other formats, runs and games are refused with a sentence.
static void refuses_what_is_not_ours(void **unused)
{
    (void)unused;
    dist_codec *c;
    samples_shape sh, other;
    text_buf t = {0};
    finished_game back;
    dist_head h;
    assert_ok(dist_codec_new(&c));
    shape_of(&sh, "tictactoe");
    shape_of(&other, "contrast");
    finished_game g = some_game(&sh, 1);
    assert_ok(dist_game_write(c, &head, &g, &sh, &t));
    for (size_t n = 0; n < t.len; n++) assert_int_not_equal(dist_game_read(c, &h, &back, &sh, 77, t.data, n), ERR_OK);
    for (size_t i = 0; i < t.len; i++) {
        t.data[i] ^= 4;
        assert_int_not_equal(dist_game_read(c, &h, &back, &sh, 77, t.data, t.len), ERR_OK);
        t.data[i] ^= 4;
    }
    assert_err(dist_game_read(c, &h, &back, &sh, 78, t.data, t.len), "another run");
    assert_err(dist_game_read(c, &h, &back, &other, 77, t.data, t.len), "another encoding");
    assert_err(dist_game_read(c, &h, &back, &sh, 77, "hello", 5), "no game of keiko");
    t.data[20]++;
    assert_err(dist_game_read(c, &h, &back, &sh, 77, t.data, t.len), "damaged");
    t.data[20]--;
    t.data[7]++;
    assert_err(dist_game_read(c, &h, &back, &sh, 77, t.data, t.len), "same version everywhere");
    finished_game_free(&g);
    text_free(&t);
    samples_shape_free(&sh);
    samples_shape_free(&other);
    dist_codec_free(c);
}

static void names_are_parts_of_subjects(void **unused)
{
    (void)unused;
    char name[DIST_NAME];
    assert_ok(dist_name_check("run", "c1_x-2"));
    assert_err(dist_name_check("run", "a.b"), "'a.b' cannot name a run");
    assert_err(dist_name_check("run", ""), "letters");
    assert_err(dist_name_check("run", "0123456789012345678901234567890123"), "at most 31");
    dist_name_make(name, "box.example.org with a very long name");
    assert_ok(dist_name_check("worker", name));
    assert_string_equal(name, "box-example-org-with-a-very-lon");
}

static bool count(ledger *l, uint64_t incarnation, uint64_t counter)
{
    bool fresh;
    dist_head h = head;
    h.incarnation = incarnation;
    h.counter = counter;
    assert_ok(ledger_count(l, &h, 9, false, &fresh));
    return fresh;
}

static void every_game_counts_once(void **unused)
{
    (void)unused;
    ledger l = {0};
    for (uint64_t w = 1; w <= 500; w++)
        for (uint64_t k = 1; k <= 4; k++) {
            assert_true(count(&l, w, k));
            assert_false(count(&l, w, k));
            if (k > 1) assert_false(count(&l, w, k - 1));
        }
    assert_int_equal(l.n, 500);
    assert_int_equal(l.repeated, 500 * 7);
    ledger_row s = ledger_sum(&l);
    assert_int_equal(s.counted, 2000);
    assert_int_equal(s.highest, 2000);
    assert_int_equal(s.positions, 18000);
    assert_true(count(&l, 7, 6)); // a gap shows
    assert_int_equal(ledger_find(&l, 7)->highest, 6);
    assert_int_equal(ledger_find(&l, 7)->counted, 5);
    ledger_free(&l);
}

static void ledger_as_text(void **unused)
{
    (void)unused;
    ledger l = {.sequence = 12345, .created = -5, .refused = 2}, back = {0};
    text_buf t = {0}, u = {0};
    for (uint64_t w = 1; w <= 100; w++) count(&l, w * w, 1);
    assert_ok(ledger_write(&l, &t));
    assert_ok(ledger_read(&back, t.data, t.len));
    assert_ok(ledger_write(&back, &u));
    assert_string_equal(text_str(&t), text_str(&u));
    assert_false(count(&back, 49, 1));
    assert_true(count(&back, 49, 2));
    assert_err(ledger_read(&back, t.data, t.len - 1), "damaged in line 101");
    assert_err(ledger_read(&back, "", 0), "damaged in line 1");
    assert_err(ledger_read(&back, "ledger 1 sequence 1 created 1 repeated 0 refused 0\n1 a 3 4 0 0\n", 64), "damaged");
    assert_int_equal(back.n, 100); // left alone
    ledger_free(&l);
    ledger_free(&back);
    text_free(&t);
    text_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_the_same),
        cmocka_unit_test(refuses_what_is_not_ours),
        cmocka_unit_test(names_are_parts_of_subjects),
        cmocka_unit_test(every_game_counts_once),
        cmocka_unit_test(ledger_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
