// Addresses of puyop.com: boards and moves typed by hand, every settled field and random steps there and back, and wrong ones.
#include "games/puyo/puyo_url.h"
#include "test.h"

static void known_boards(void **state)
{
    (void)state;
    static const struct {
        const char *address, *field;
    } known[] = {
        {"http://www.puyop.com/s/b00900r00", "RB..../RR..../BB...."}, // 8 * 1 + 3, 8 * 1 + 1, 8 * 3 + 3
        {"http://www.puyop.com/s/420Aa9r9hj", ".....Y/.G..YY/RGRRBB/RRGRGB"},
        {"http://www.puyop.com/s/", "......"},
        {"https://puyop.com/s/6", ".....O"},
        {"http://www.puyop.com/s/=12", "....RG"},
        {"https://ishikawapuyo.net/simu/ps.html?b00900r00", "RB..../RR..../BB...."},
        {"K00", "PO...."}, // without the address: 8 * 5 + 6
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        py_url u;
        char field[PY_FIELD_TEXT], text[PY_URL_TEXT];
        if (py_url_parse(known[i].address, &u) != ERR_OK) fail_msg("%s: %s", known[i].address, err_text());
        py_field_print(&u.field, field, sizeof field);
        assert_string_equal(field, known[i].field);
        int n = py_url_print(&u, text, sizeof text);
        assert_int_equal(n, strlen(text));
        if (i < 3) assert_string_equal(text, known[i].address);
    }
}

static void known_moves(void **state)
{
    (void)state;
    py_url u;
    // RG in column 1 with the sub above: 1 + 512 = 33 + 64 * ... ; two rows of nuisance and one in columns 1 and 6.
    assert_ok(py_url_parse("http://www.puyop.com/s/_18xWoA4c00", &u));
    assert_int_equal(u.n, 5);
    assert_int_equal(u.step[0].pair, py_pair(PY_RED, PY_GREEN));
    assert_int_equal(u.step[0].move, 0);
    assert_int_equal(u.step[1].pair, 0);
    assert_int_equal(u.step[1].rows, 2);
    assert_int_equal(u.step[1].columns, 33);
    assert_int_equal(u.step[2].pair, py_pair(PY_PURPLE, PY_PURPLE));
    assert_int_equal(u.step[2].move, 3 * 4 + 2);
    assert_int_equal(u.step[3].pair, py_pair(PY_RED, PY_PURPLE));
    assert_int_equal(u.step[3].move, 2);
    assert_int_equal(u.step[4].move, PY_NOT_PLACED);
}

static void there_and_back(void **state)
{
    (void)state;
    rng r = rng_at(4, 0, 0);
    for (int n = 0; n < 20000; n++) {
        py_url u, back;
        char text[PY_URL_TEXT];
        memset(&u, 0, sizeof u);
        for (int c = 0; c < PY_COLS; c++) {
            int h = (int)rng_below(&r, PY_GHOST + 1);
            for (int row = 1; row <= h; row++) py_set(&u.field, c, row, 1 + (int)rng_below(&r, 6));
        }
        u.n = (int)rng_below(&r, 5) == 0 ? PY_URL_STEPS : (int)rng_below(&r, 6);
        for (int i = 0; i < u.n; i++) {
            py_url_step *s = &u.step[i];
            if (rng_below(&r, 8) == 0) {
                *s = (py_url_step){.rows = (uint8_t)rng_below(&r, 6), .columns = (uint8_t)rng_below(&r, 64)};
                continue;
            }
            s->pair = (uint8_t)((2 + rng_below(&r, 5)) | (2 + rng_below(&r, 5)) << 4);
            do s->move = (uint8_t)rng_below(&r, PY_MOVES);
            while (s->move == 3 || s->move == 21);
            if (rng_below(&r, 10) == 0) s->move = PY_NOT_PLACED;
        }
        assert_true(py_url_print(&u, text, sizeof text) < PY_URL_TEXT);
        assert_ok(py_url_parse(text, &back));
        assert_memory_equal(&u, &back, sizeof u);
    }
}

static void wrong_ones(void **state)
{
    (void)state;
    py_url u;
    assert_err(py_url_parse("http://www.puyop.com/", &u), "no field");
    assert_err(py_url_parse("http://www.puyop.com/s/b0!", &u), "two cells");
    assert_err(py_url_parse("7", &u), "hard puyos");
    assert_err(py_url_parse("0000000000000000000000000000000000000000", &u), "at most 39");
    assert_err(py_url_parse("_1", &u), "two characters");
    assert_err(py_url_parse("_pp", &u), "column");
    assert_err(py_url_parse("_p0", &u), "no pair");
    assert_err(py_url_parse("_0]", &u), "five rows");
    assert_err(py_url_parse("_0e", &u), "outside"); // column 1, sub to the left
    assert_err(py_url_parse("http://ips.karou.jp/simu/ps.html?1_00", &u), "puyop.com only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_boards), cmocka_unit_test(known_moves),
                                       cmocka_unit_test(there_and_back), cmocka_unit_test(wrong_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
