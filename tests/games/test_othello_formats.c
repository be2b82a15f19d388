// OBF problems and GGF records: the reference files, hand-written samples, broken ones, and random games there and
// back.
#include "games/game.h"
#include "games/othello/oth_ggf.h"
#include "games/othello/oth_obf.h"
#include "test.h"

static const char board[] = "---------------------------OX------XO---------------------------";

// --- OBF

static char *slurp(FILE *f)
{
    static char text[1 << 16];
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    assert_true(n > 0 && n < sizeof text - 1);
    text[n] = 0;
    return text;
}

// Every line of a reference file comes back byte for byte, and its scores are in order, best first.
static void check_file(const char *name, int problems, const char *first, int score)
{
    const char *text = slurp(open_data_or_skip(name)), *line = text;
    oth_problem *list = NULL;
    int n = 0;
    assert_ok(oth_obf_read(text, &list, &n));
    assert_int_equal(n, problems);
    for (int i = 0; i < n; i++) {
        char back[OTH_OBF_TEXT], sq[5];
        int len = oth_obf_print(&list[i], back, sizeof back);
        assert_int_equal(len, strlen(back));
        assert_true(strncmp(line, back, (size_t)len) == 0 && line[len] == '\n');
        line += len + 1;
        assert_true(list[i].n > 0 && list[i].n <= oth_count(oth_moves(list[i].s.b)));
        for (int k = 1; k < list[i].n; k++) assert_true(list[i].moves[k - 1].score >= list[i].moves[k].score);
        if (i == 0) {
            assert_string_equal(oth_square_name(list[0].moves[0].sq, sq), first);
            assert_int_equal(list[0].moves[0].score, score);
        }
    }
    assert_int_equal(*line, 0);
    free(list);
}

static void obf_ffo_1(void **state)
{
    (void)state;
    check_file("othello/fforum-1-19.obf", 19, "g8", 18);
}

static void obf_ffo_20(void **state)
{
    (void)state;
    check_file("othello/fforum-20-39.obf", 20, "h5", 6);
}

static void obf_ffo_40(void **state)
{
    (void)state;
    check_file("othello/ffo-40-49.obf", 10, "a2", 38);
}

static void obf_lines(void **state)
{
    (void)state;
    oth_problem p;
    char text[OTH_OBF_TEXT], back[OTH_OBF_TEXT];
    snprintf(text, sizeof text, "  %s  X ;; f5 : +0;D3:-12 ; %% tied", board);
    assert_ok(oth_obf_parse(text, &p));
    assert_int_equal(p.n, 2);
    assert_int_equal(p.moves[1].sq, 19);
    assert_int_equal(p.moves[1].score, -12);
    oth_obf_print(&p, back, sizeof back);
    snprintf(text, sizeof text, "%s X; F5:+0; D3:-12;", board);
    assert_string_equal(back, text);
    snprintf(text, sizeof text, "%s X", board); // a position alone
    assert_ok(oth_obf_parse(text, &p));
    assert_int_equal(p.n, 0);
    oth_obf_print(&p, back, sizeof back);
    strcat(text, ";");
    assert_string_equal(back, text);
    assert_ok(oth_obf_parse("OX-------------------------------------------------------------- X; PS:-64;", &p));
    assert_int_equal(p.moves[0].sq, OTH_PASS);
    assert_int_equal(p.moves[0].score, -64);
    oth_obf_print(&p, back, sizeof back);
    assert_string_equal(back, "OX-------------------------------------------------------------- X; pass:-64;");
}

static void obf_errors(void **state)
{
    (void)state;
    static const struct {
        const char *tail, *says;
    } bad[] = {
        {"", "side to move"},
        {" X f5:1", "column 68, at \"f5:1\": expected ';'"},
        {" X; f5", "expected ':'"},
        {" X; f5:", "expected a score"},
        {" X; f5:+", "expected a score"},
        {" X; f5:65", "-64 to +64"},
        {" X; f5:-99999999999999999999", "-64 to +64"},
        {" X; f5:1.5", "expected ';'"},
        {" X; f5:1; f5:2", "column 75, at \"f5:2\": f5 is listed twice"},
        {" X; a1:0", "a1 is not legal"},
        {" X; pass:0", "pass is not legal"},
        {" X; z9:0", "a square a1 to h8"},
        {" X; f5:0\nX", "one line only"},
    };
    char text[OTH_OBF_TEXT];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        oth_problem p;
        memset(&p, 0xa5, sizeof p);
        snprintf(text, sizeof text, "%s%s", board, bad[i].tail);
        assert_err(oth_obf_parse(text, &p), bad[i].says);
        for (size_t k = 0; k < sizeof p; k++) assert_int_equal(((unsigned char *)&p)[k], 0xa5);
    }
    oth_problem *list = NULL;
    int n = -1;
    char file[2048];
    snprintf(file, sizeof file, "%% problems\n\n%s X; f5:+0;\r\n# more\n%s O; f5:+0;", board, board);
    assert_err(oth_obf_read(file, &list, &n), "line 5, column 69");
    assert_null(list);
    snprintf(file, sizeof file, "%s X;\n%.40s\n", board, board); // a line cut short does not run on into the next
    assert_err(oth_obf_read(file, &list, &n), "line 2, column 41, at the end: expected X, O or - for a6");
    assert_ok(oth_obf_read("% nothing\n\n", &list, &n));
    assert_int_equal(n, 0);
    free(list);
}

// --- GGF

// A record as the servers write them, with line breaks and tags we do not keep; the passes are in it.
static void ggf_reads(void **state)
{
    (void)state;
    static const char text[] =
        "some mail header\n"
        "(;GM[Othello]PC[GGS/os]DT[2026.11.15_12:30:00.UTC]PB[ann]PW[ben the\nsecond]RB[2197.01]RW[2199.72]\n"
        "TI[05:00//02:00]TY[8]RE[+64.000:r]CO[no (;brackets;) here]\n"
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\n"
        "B[E6/1.25/0.5]W[f4//12.345] B[e3]\nW[F6/-0.5]B[g5 / +3 / 1 ]W[d6//]B[e7/]W[f5]B[c5/64.0004/0.001] ; \n )\n"
        "(;GM[Othello]RE[?]BO[8 OX-------------------------------------------------------------- *]B[pa]W[c1];)";
    oth_record r;
    bool found;
    size_t at = 0;
    assert_ok(oth_ggf_next(text, &at, &r, &found));
    assert_true(found);
    assert_string_equal(r.place, "GGS/os");
    assert_string_equal(r.black, "ann");
    assert_string_equal(r.white, "ben the second");
    assert_string_equal(r.black_rating, "2197.01");
    assert_string_equal(r.clock, "05:00//02:00");
    assert_string_equal(r.type, "8");
    assert_true(r.has_result && r.result == 64000 && r.ended == 'r');
    assert_int_equal(r.n, 9);
    assert_true(r.start.b.own == oth_start().own && r.start.b.opp == oth_start().opp && r.start.side == OTH_BLACK);
    assert_true(r.moves[0].has_eval && r.moves[0].eval == 1250 && r.moves[0].has_time && r.moves[0].time == 500);
    assert_true(!r.moves[1].has_eval && r.moves[1].time == 12345);
    assert_true(!r.moves[2].has_eval && !r.moves[2].has_time);
    assert_true(r.moves[3].eval == -500 && !r.moves[3].has_time);
    assert_true(r.moves[4].eval == 3000 && r.moves[4].time == 1000);
    assert_true(!r.moves[5].has_eval && !r.moves[6].has_eval);
    assert_true(r.moves[8].eval == 64000 && r.moves[8].time == 1);
    oth_state end = oth_record_at(&r, r.n);
    assert_true(end.side == OTH_WHITE && end.b.own == 0 && oth_count(end.b.opp) == 13);
    char back[OTH_GGF_TEXT];
    oth_ggf_print(&r, back, sizeof back);
    assert_string_equal(back, "(;GM[Othello]PC[GGS/os]DT[2026.11.15_12:30:00.UTC]PB[ann]PW[ben the second]RB[2197.01]"
                              "RW[2199.72]TI[05:00//02:00]TY[8]RE[+64.000:r]"
                              "BO[8 ---------------------------O*------*O--------------------------- *]"
                              "B[e6/+1.25/0.50]W[f4//12.345]B[e3]W[f6/-0.50]B[g5/+3.00/1.00]W[d6]B[e7]W[f5]"
                              "B[c5/+64.00/0.001];)");
    assert_ok(oth_ggf_next(text, &at, &r, &found));
    assert_true(found && r.n == 2 && r.moves[0].sq == OTH_PASS && !r.has_result);
    assert_ok(oth_ggf_next(text, &at, &r, &found));
    assert_true(!found && text[at] == 0);
}

// Where the colours show that a pass was left out, it is put in.
static void ggf_missing_pass(void **state)
{
    (void)state;
    oth_record r;
    bool found;
    size_t at = 0;
    assert_ok(
        oth_ggf_next("(;GM[Othello]BO[8 OX-------------------------------------------------------------- *]W[c1];)",
                     &at, &r, &found));
    assert_true(found && r.n == 2 && r.moves[0].sq == OTH_PASS && r.moves[1].sq == 2);
}

static void ggf_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"(;", "expected a tag"},
        {"(;GM[Othello]", "expected a tag"},
        {"(;GM[Othello];", "expected ')'"},
        {"(;GM[Othello", "expected ']' at the end of GM"},
        {"(;GM[Go];)", "GM: column 6, at \"Go];)\": a game of Go"},
        {"(;gm[Othello];)", "expected a tag in capitals"},
        {"(;ABCD[1];)", "three letters"},
        {"(;GM Othello;)", "expected '['"},
        {"(;BO[10 *];)", "size 8"},
        {"(;BO[x];)", "board size: column 6"},
        {"(;BO[8 --];)", "square 3 of 64"},
        {"(;B[f5]BO[8 ---------------------------O*------*O--------------------------- *];)", "after the first move"},
        {"(;B[f5]W[f5];)", "f5 is not legal as move 2"},
        {"(;B[f5]B[f6];)", "white is to move"},
        {"(;B[pass];)", "pass is not legal as move 1"},
        {"(;B[f5/x];)", "expected a number"},
        {"(;B[f5/1/2/3];)", "expected ']'"},
        {"(;B[f5/1000000];)", "below 1000000"},
        {"(;B[f5/99999999999999999999];)", "below 1000000"},
        {"(;B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5]W[a1];)", "after the end of the game"},
        {"(;RE[win];)", "expected a number"},
        {"(;RE[+2:];)", "how the game ended"},
        {"(;PB[0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789];)",
         "more than 95 bytes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n(;B[f5];)", bad[i].text);
        oth_record r;
        memset(&r, 0xa5, sizeof r);
        bool found = true;
        size_t at = 0;
        assert_err(oth_ggf_next(bad[i].text, &at, &r, &found), bad[i].says);
        assert_false(found);
        assert_int_equal(at, strlen(bad[i].text));
        for (size_t k = 0; k < sizeof r; k++) assert_int_equal(((unsigned char *)&r)[k], 0xa5);
        if (strstr(bad[i].text, ";)") == NULL) continue; // an open end swallows what follows
        at = 0;
        assert_err(oth_ggf_next(text, &at, &r, &found), bad[i].says);
        assert_ok(oth_ggf_next(text, &at, &r, &found));
        assert_true(found && r.n == 1);
    }
}

static void same_record(const oth_record *a, const oth_record *b)
{
#define TEXT(tag, member) assert_string_equal(a->member, b->member);
    OTH_RECORD_TEXTS(TEXT)
#undef TEXT
    assert_memory_equal(&a->start, &b->start, sizeof a->start);
    assert_true(a->has_result == b->has_result && a->result == b->result && a->ended == b->ended);
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++) {
        const oth_record_move *x = &a->moves[i], *y = &b->moves[i];
        assert_true(x->sq == y->sq && x->has_eval == y->has_eval && x->has_time == y->has_time);
        assert_true(x->eval == y->eval && x->time == y->time);
    }
}

// Random games with random numbers, written and read back; half of them begin at a late position.
static void ggf_round_trip(void **state)
{
    (void)state;
    const game *g;
    assert_ok(game_find("othello", &g));
    size_t longest = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        rng rn = rng_at(6, i, 0);
        oth_state s;
        assert_ok(g->init(&s, "", (game_key){0, 0}));
        if (i % 2 == 1) game_random_playout(g, &s, &rn, (int)rng_below(&rn, 58));
        oth_record r, back;
        oth_record_init(&r, &s);
        strcpy(r.black, "Ann");
        strcpy(r.white, "稽古 [7");
        move_t moves[OTH_MAX_MOVES];
        for (int n; (n = g->legal(&s, moves)) > 0;) {
            oth_record_move m = {.sq = (uint8_t)moves[rng_below(&rn, (uint32_t)n)]};
            if (rng_below(&rn, 2) == 0) {
                m.has_eval = true;
                m.eval = (int32_t)rng_below(&rn, 1999999999) - 999999999;
            }
            if (rng_below(&rn, 2) == 0) {
                m.has_time = true;
                m.time = (int32_t)rng_below(&rn, 1000000000);
            }
            oth_record_push(&r, &s, m);
        }
        r.has_result = true;
        r.result = 1000 * (s.side == OTH_BLACK ? oth_score(s.b) : -oth_score(s.b));
        char text[OTH_GGF_TEXT];
        int len = oth_ggf_print(&r, text, sizeof text);
        assert_true(len > 0 && len < OTH_GGF_TEXT && (size_t)len == strlen(text));
        if ((size_t)len > longest) longest = (size_t)len;
        size_t at = 0;
        bool found;
        assert_ok(oth_ggf_next(text, &at, &back, &found));
        assert_true(found && at == (size_t)len);
        same_record(&r, &back);
        oth_state end = oth_record_at(&back, back.n);
        assert_memory_equal(&end, &s, sizeof s);
    }
    assert_true(longest < OTH_GGF_TEXT / 2);
    // What GGF cannot hold is replaced, not written.
    oth_record r;
    char text[OTH_GGF_TEXT], tiny[6];
    oth_record_init(&r, NULL);
    strcpy(r.black, "a]b\nc");
    oth_ggf_print(&r, text, sizeof text);
    assert_non_null(strstr(text, "PB[a)b c]"));
    assert_int_equal(oth_ggf_print(&r, tiny, sizeof tiny), strlen(text));
    assert_string_equal(tiny, "(;GM[");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obf_ffo_1),  cmocka_unit_test(obf_ffo_20),       cmocka_unit_test(obf_ffo_40),
        cmocka_unit_test(obf_lines),  cmocka_unit_test(obf_errors),       cmocka_unit_test(ggf_reads),
        cmocka_unit_test(ggf_errors), cmocka_unit_test(ggf_missing_pass), cmocka_unit_test(ggf_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
