// labels: threads
// Labelled games: the file gives back what was labelled, whatever the threads and interruptions, and refuses what is damaged.
#include "base/file.h"
#include "base/temp_dir.h"
#include "learn/distil/label_puyo.h"
#include "search/puyo/puyo_beam.h"
#include "test.h"

static char dir[64];

static label_options small(const char *path)
{
    return (label_options){.path = path,
                           .game = "puyo-solo",
                           .rules = "pairs=uniform,moves=6",
                           .teacher = "beam",
                           .width = 4,
                           .depth = 3,
                           .samples = 1,
                           .noise = 0.1,
                           .seed = 3,
                           .positions = 1,
                           .threads = 1};
}

static char *path_of(char out[128], const char *name)
{
    snprintf(out, 128, "%s/%s", dir, name);
    return out;
}

static void values_become_shortfalls(void **state)
{
    (void)state;
    double value[PY_MOVES];
    label_turn t = {0};
    for (int i = 0; i < PY_MOVES; i++) value[i] = -1;
    value[0] = 8000;
    value[1] = 10000;
    value[4] = 9990;
    value[5] = 9000;
    value[9] = 10000; // equal: the better field decided
    label_from_beam(value, 10000, 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5 | 1u << 8 | 1u << 9, 1, &t);
    assert_int_equal(t.n, 6);
    assert_int_equal(t.value, 625);
    const uint8_t want[] = {200, 0, 1, 100, LABEL_WORST, 1};
    assert_memory_equal(t.shortfall, want, sizeof want);
    label_from_choice(1u << 2 | 1u << 7, 7, &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.shortfall[0], LABEL_WORST);
    assert_int_equal(t.shortfall[1], 0);
}

static void file_gives_back_positions(void **state)
{
    (void)state;
    char path[128];
    label_options o = small(path_of(path, "a"));
    label_report r;
    label_set s = {0};
    label_head h;
    assert_ok(label_puyo(&o, &r));
    assert_ok(labels_read(&s, path, 0, &h));
    assert_int_equal(s.n, r.end.positions);
    assert_int_equal(r.added, r.end.positions);
    assert_true(r.asked > 0 && r.same <= r.asked);
    assert_string_equal(h.game, "puyo-solo");
    assert_non_null(strstr(h.how, "beam:width=4,depth=3"));
    for (size_t i = 0; i < s.n; i++) {
        const label_sample *x = &s.sample[i];
        after_state a[PY_MAX_LEGAL];
        int zeros = 0;
        assert_true(after_position_ok(&x->at));
        assert_int_equal(after_states(&x->at, a), x->n);
        for (int k = 0; k < x->n; k++) {
            zeros += x->shortfall[k] == 0;
            if (a[k].lost) assert_int_equal(x->shortfall[k], LABEL_WORST);
        }
        assert_int_equal(zeros, 1);
    }
    // The labels are the beam's: asked again with the same stream it says the same.
    puyo_beam *b = NULL;
    puyo_beam_settings set = {.width = 4,
                              .depth = 3,
                              .samples = 1,
                              .prune = 5000,
                              .patience = 95,
                              .full = 56,
                              .grip = 5,
                              .colours = 4,
                              .reach = true,
                              .weights = puyo_weights_default};
    puyo_beam_result got;
    assert_non_null(b = puyo_beam_new(&set, NULL));
    for (int i = 0; i < 5; i++) { // the first game's first turns
        const label_sample *x = &s.sample[i];
        after_state a[PY_MAX_LEGAL];
        rng q = rng_at(rng_mix(3 + 0x7ea1), 0, (uint32_t)i);
        puyo_beam_search(b, &x->at.field, x->at.pair, PY_SHOWN, 6 - i < 3 ? 6 - i : 3, &q, &got);
        int n = after_states(&x->at, a), best = 0;
        for (int k = 0; k < n; k++)
            if (x->shortfall[k] == 0) best = k;
        assert_int_equal(a[best].move, got.move);
    }
    puyo_beam_free(b);
    label_set_free(&s);
}

static void same(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    assert_ok(file_read(a, 1 << 24, &x, &n));
    assert_ok(file_read(b, 1 << 24, &y, &m));
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

// Two threads, and in two goes with a torn end between them: the same bytes.
static void continues_exactly(void **state)
{
    (void)state;
    char whole[128], parts[128];
    label_options o = small(path_of(whole, "whole"));
    label_report r;
    o.positions = 700;
    assert_ok(label_puyo(&o, &r));
    assert_int_equal(r.end.games, 128);
    o.path = path_of(parts, "parts");
    o.threads = 2;
    o.positions = 1;
    assert_ok(label_puyo(&o, &r));
    assert_int_equal(r.end.games, 64);
    assert_ok(file_append(parts, "torn", 4));
    o.positions = 700;
    assert_ok(label_puyo(&o, &r));
    assert_int_equal(r.games, 64);
    same(whole, parts);
    o.noise = 0.5;
    assert_err(label_puyo(&o, &r), "other settings");
}

// Two at once would each append to what the other wrote, and all but the first block would be lost.
static void one_at_a_time(void **state)
{
    (void)state;
    char path[128];
    int fd;
    label_options o = small(path_of(path, "two"));
    label_report r;
    o.positions = 1;
    assert_ok(file_lock(&fd, path, "?"));
    assert_err(label_puyo(&o, &r), "another keiko is writing to");
    file_unlock(fd);
    assert_ok(label_puyo(&o, &r));
    assert_ok(label_puyo(&o, &r)); // it is given back
}

// Killed while the file was made: nothing but a part of its head, which is made again.
static void a_torn_head_is_made_again(void **state)
{
    (void)state;
    char path[128], whole[128], *data;
    size_t size;
    label_options o = small(path_of(whole, "head-whole"));
    label_report r;
    o.positions = 1;
    assert_ok(label_puyo(&o, &r));
    assert_ok(file_read(whole, 1 << 24, &data, &size));
    o.path = path_of(path, "head");
    for (size_t n = 0; n < 60; n += 7) {
        assert_ok(file_write_atomic(path, data, n));
        assert_ok(label_puyo(&o, &r));
        same(whole, path);
    }
    assert_ok(file_write_atomic(path, "something else", 14));
    assert_err(label_puyo(&o, &r), "other settings");
    free(data);
}

// Time is up in the middle of a block: the games that were played are kept, and the same command goes on behind them.
static void time_ends_a_block_early(void **state)
{
    (void)state;
    char whole[128], parts[128];
    label_options o = small(path_of(whole, "slow"));
    label_report r;
    label_set a = {0}, b = {0};
    o.rules = "pairs=uniform,moves=10";
    o.width = 60, o.depth = 6;
    assert_ok(label_puyo(&o, &r));
    o.path = path_of(parts, "short");
    o.positions = 1000000;
    o.minutes = 1e-4; // 6 ms
    assert_ok(label_puyo(&o, &r));
    assert_in_range(r.end.games, 1, 63);
    uint64_t before = r.end.games;
    assert_ok(label_puyo(&o, &r));
    assert_true(r.end.games > before);
    assert_ok(labels_read(&a, whole, r.end.positions, NULL));
    assert_ok(labels_read(&b, parts, 0, NULL));
    assert_int_equal(b.n, r.end.positions);
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        assert_int_equal(a.sample[i].game, b.sample[i].game);
        assert_memory_equal(a.sample[i].shortfall, b.sample[i].shortfall, sizeof a.sample[i].shortfall);
    }
    label_set_free(&a);
    label_set_free(&b);
}

static void damage_is_found(void **state)
{
    (void)state;
    char path[128], *data;
    size_t size, used;
    label_options o = small(path_of(path, "d"));
    label_report r;
    label_set s = {0};
    assert_ok(label_puyo(&o, &r));
    assert_ok(file_read(path, 1 << 24, &data, &size));
    assert_ok(labels_parse(&s, data, size, 0, NULL, &used));
    size_t all = s.n;
    assert_int_equal(used, size);
    // A flipped byte in the block leaves it out; one in the head is an error. Nothing crashes on any cut.
    for (size_t at = 0; at < size; at += at < 200 ? 1 : 37) {
        s.n = 0;
        data[at] ^= 0x10;
        err e = labels_parse(&s, data, size, 0, NULL, &used);
        assert_true(e != ERR_OK || (s.n == 0 && used < size));
        data[at] ^= 0x10;
        s.n = 0;
        e = labels_parse(&s, data, at, 0, NULL, &used);
        assert_true(e != ERR_OK || s.n == 0);
    }
    s.n = 0;
    assert_ok(labels_parse(&s, data, size, 10, NULL, &used));
    assert_int_equal(s.n, 10);
    assert_true(all > 10);
    free(data);
    label_set_free(&s);
}

// A sound checksum over games that break the rules.
static void moves_are_checked(void **state)
{
    (void)state;
    char path[128];
    label_head h = {.game = "puyo-solo", .options = "moves=3", .seed = 1, .how = "teacher = none\n"};
    label_end end;
    label_set s = {0};
    label_block b = {0};
    label_turn t[5] = {{.move = 0}, {.move = 0}, {.move = 0}, {.move = 0}, {.move = 0}};
    assert_ok(labels_open(path_of(path, "m"), &h, &end));
    label_block_add(&b, t, 3);
    assert_ok(labels_append(path, &b, &end));
    assert_ok(labels_read(&s, path, 0, NULL));
    text_clear(&b.raw);
    label_block_add(&b, t, 5); // two more than the game has
    b.games = 1;
    assert_ok(labels_open(path_of(path, "n"), &h, &end));
    assert_ok(labels_append(path, &b, &end));
    assert_err(labels_read(&s, path, 0, NULL), "cannot be played");
    t[0].move = 77;
    text_clear(&b.raw);
    label_block_add(&b, t, 1);
    b.games = 1;
    assert_ok(labels_open(path_of(path, "o"), &h, &end));
    assert_ok(labels_append(path, &b, &end));
    assert_err(labels_read(&s, path, 0, NULL), "cannot be played");
    text_free(&b.raw);
    label_set_free(&s);
}

// A player that meets another one sits on either side in turn: the first puyos of greedy are where greedy puts them.
static void opponents_change_sides(void **state)
{
    (void)state;
    char path[128];
    label_options o = small(path_of(path, "opponent"));
    label_report r;
    label_set s = {0};
    label_head h;
    o.opponent = "random";
    assert_err(label_puyo(&o, &r), "a match");
    o.game = "puyo";
    o.rules = "pairs=uniform,plies=12";
    o.teacher = "greedy";
    o.noise = 0;
    assert_err(label_puyo(&o, &r), "needs a player");
    o.player = "greedy";
    assert_ok(label_puyo(&o, &r));
    assert_ok(labels_read(&s, path, 0, &h));
    assert_non_null(strstr(h.how, "opponent = random"));
    int as_taught[2] = {0, 0}, turns[2] = {0, 0}; // of the player and of its opponent
    for (size_t i = 0; i + 2 < s.n; i++) {
        // A pair of equal clocks: the first two positions of a game are those of seats 0 and 1, the next ones show what they did.
        if (i > 0 && s.sample[i - 1].game == s.sample[i].game) continue;
        for (int seat = 0; seat < 2; seat++) {
            const label_sample *x = &s.sample[i + (size_t)seat];
            after_state a[PY_MAX_LEGAL];
            int n = after_states(&x->at, a), choice = 0, who = seat ^ (int)(x->game & 1), same_field = 0;
            while (choice < n && x->shortfall[choice] != 0) choice++;
            for (size_t k = i + 2; k < i + 4 && k < s.n; k++)
                same_field |= memcmp(&s.sample[k].at.field, &a[choice].field, sizeof a[choice].field) == 0;
            as_taught[who] += same_field;
            turns[who]++;
        }
    }
    assert_int_equal(turns[0], 64);
    assert_true(as_taught[0] > 60 && as_taught[1] < 40);
    label_set_free(&s);
}

// Other players and matches.
static void players_differ_from_the_teacher(void **state)
{
    (void)state;
    char path[128];
    label_options o = small(path_of(path, "p"));
    label_report r;
    label_set s = {0};
    o.player = "random";
    assert_ok(label_puyo(&o, &r));
    o = small(path_of(path, "v"));
    o.game = "puyo";
    o.rules = "pairs=uniform,plies=12";
    o.teacher = "greedy";
    assert_ok(label_puyo(&o, &r));
    assert_ok(labels_read(&s, path, 0, NULL));
    assert_true(s.n > 0 && s.sample[0].at.versus == 1);
    label_set_free(&s);
    o.teacher = "nobody";
    assert_err(label_puyo(&o, &r), "nobody");
    o = small(path_of(path, "g"));
    o.game = "othello";
    assert_err(label_puyo(&o, &r), "puyo");
}

static int setup(void **state)
{
    (void)state;
    return temp_dir_make(dir) == NULL;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_shortfalls),
        cmocka_unit_test(file_gives_back_positions),
        cmocka_unit_test(continues_exactly),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(a_torn_head_is_made_again),
        cmocka_unit_test(time_ends_a_block_early),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(moves_are_checked),
        cmocka_unit_test(players_differ_from_the_teacher),
        cmocka_unit_test(opponents_change_sides),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
