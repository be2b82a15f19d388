// Othello's rules through the core and the table: passes, ends, symmetries, planes, texts, and conformance.
#include "games/conformance.h"
#include "games/othello/oth_look.h"
#include "games/othello/othello.h"
#include "test.h"

static const game *g;

static int setup(void **state)
{
    (void)state;
    return game_find("othello", &g) == ERR_OK ? 0 : -1;
}

static oth_state start(void)
{
    oth_state s;
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    return s;
}

static void play_text(oth_state *s, const char *moves)
{
    for (char text[8]; sscanf(moves, "%7s", text) == 1; moves += strspn(moves, " ") + strlen(text)) {
        move_t m;
        assert_ok(g->move_parse(s, text, &m));
        g->play(s, m, NULL);
    }
}

// Any disjoint words: half of the cases dense, half sparse.
static oth_board random_board(rng *r)
{
    uint64_t a = rng_u64(r), b = rng_u64(r), c = rng_u64(r);
    if (rng_below(r, 2) == 0) return (oth_board){a & b, c & ~(a & b)};
    return (oth_board){a & b, a & ~b & c};
}

// Published by many programs (a pass is a ply); depth 10 and 11 are checked by test_othello_loops.
static void perft_counts(void **state)
{
    (void)state;
    static const uint64_t known[10] = {1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288};
    oth_state s = start();
    for (int d = 0; d < 10; d++) assert_int_equal(game_perft(g, &s, d), known[d]);
}

static void the_start(void **state)
{
    (void)state;
    oth_state s = start();
    char text[GAME_TEXT];
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "---------------------------OX------XO--------------------------- X");
    move_t moves[OTH_MAX_MOVES];
    assert_int_equal(g->legal(&s, moves), 4);
    static const char *const names[4] = {"d3", "c4", "f5", "e6"};
    for (int i = 0; i < 4; i++) {
        g->move_print(&s, moves[i], text, sizeof text);
        assert_string_equal(text, names[i]);
    }
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_string_equal(text, "  a b c d e f g h\n"
                              "1 . . . . . . . .\n"
                              "2 . . . . . . . .\n"
                              "3 . . . * . . . .\n"
                              "4 . . * O X . . .\n"
                              "5 . . . X O * . .\n"
                              "6 . . . . * . . .\n"
                              "7 . . . . . . . .\n"
                              "8 . . . . . . . .\n"
                              "X 2  O 2  X to move\n");
    step_event ev;
    g->play(&s, moves[0], &ev);
    assert_int_equal(ev.seat, 0);
    assert_int_equal(g->seat(&s), 1);
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "-------------------X-------XX------XO--------------------------- O");
    char tiny[5]; // as snprintf: cut, with a NUL
    assert_int_equal(g->state_print(&s, tiny, sizeof tiny), 66);
    assert_string_equal(tiny, "----");
    assert_err(g->init(&s, "size=6", (game_key){0, 0}), "no options");
}

static void expect_result(const oth_state *s, float black)
{
    outcome o = g->result(s);
    move_t moves[OTH_MAX_MOVES];
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_DISCS);
    assert_true(o.score[0] == black && o.score[1] == 1 - black);
    assert_int_equal(g->legal(s, moves), 0);
    assert_int_equal(g->seat(s), 0);
    assert_int_equal(game_perft(g, s, 5), 1);
}

// The shortest game: nine moves, and white has no disc left.
static void wipe_out(void **state)
{
    (void)state;
    oth_state s = start();
    play_text(&s, "e6 f4 e3 f6 g5 d6 e7 f5 c5");
    assert_int_equal(s.side, OTH_WHITE);
    assert_int_equal(s.b.own, 0);
    assert_int_equal(oth_count(s.b.opp), 13);
    assert_int_equal(oth_score(s.b), -64);
    expect_result(&s, 1);
    move_t m;
    assert_err(g->move_parse(&s, "a1", &m), "over");
    assert_err(g->move_parse(&s, "pass", &m), "over");
    char text[GAME_TEXT];
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_non_null(strstr(text, "X 13  O 0  game over"));
}

// A win that the other's last disc does not prevent: after f6 neither side can move.
static void nobody_can_move(void **state)
{
    (void)state;
    oth_state s;
    move_t moves[OTH_MAX_MOVES], m;
    assert_ok(g->state_parse("-----------O----O-OO-----OOOOO---OOOOX----OXX------OO------O---- X", &s));
    assert_int_equal(g->win(&s, moves, g->legal(&s, moves)), MOVE_NONE);
    play_text(&s, "f8");
    assert_ok(g->move_parse(&s, "f6", &m));
    assert_int_equal(g->win(&s, moves, g->legal(&s, moves)), m);
    g->play(&s, m, NULL);
    assert_true(oth_over(s.b));
    expect_result(&s, 0);
}

static void passes(void **state)
{
    (void)state;
    // Black cannot turn the corner; white answers the pass on c1 and owns all.
    oth_state s;
    char text[GAME_TEXT] = "OX-------------------------------------------------------------- X";
    assert_ok(g->state_parse(text, &s));
    assert_int_equal(oth_moves(s.b), 0);
    assert_false(oth_over(s.b));
    move_t moves[OTH_MAX_MOVES], m;
    assert_int_equal(g->legal(&s, moves), 1);
    assert_int_equal(moves[0], OTH_PASS);
    for (int d = 1; d < 5; d++) {
        assert_int_equal(game_perft(g, &s, d), 1);
        assert_int_equal(oth_perft(s.b, d), 1);
    }
    assert_err(g->move_parse(&s, "c1", &m), "only a pass");
    assert_err(g->move_parse(&s, "a1", &m), "taken");
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_non_null(strstr(text, "X to pass"));
    static const char *const words[] = {"pass", "PASS", "PA", "pa", "ps", "--"};
    for (int i = 0; i < 6; i++) {
        assert_ok(g->move_parse(&s, words[i], &m));
        assert_int_equal(m, OTH_PASS);
    }
    g->move_print(&s, m, text, sizeof text);
    assert_string_equal(text, "pass");
    oth_state before = s;
    g->play(&s, m, NULL);
    assert_int_equal(s.side, OTH_WHITE);
    assert_true(s.b.own == before.b.opp && s.b.opp == before.b.own);
    assert_false(g->result(&s).over);
    play_text(&s, "c1");
    expect_result(&s, 0);
    assert_int_equal(oth_score(s.b), -64); // black is to move, without a disc

    oth_state t = start();
    assert_err(g->move_parse(&t, "pass", &m), "pass is not legal");
}

static void full_boards(void **state)
{
    (void)state;
    char text[OTH_STATE_TEXT];
    memset(text, 'X', 64);
    memcpy(text + 64, " O", 3);
    oth_state s;
    assert_ok(g->state_parse(text, &s));
    expect_result(&s, 1);
    assert_int_equal(oth_score(s.b), -64);
    memset(text, 'O', 32);
    assert_ok(g->state_parse(text, &s));
    expect_result(&s, 0.5f);
    assert_int_equal(oth_score(s.b), 0);
    text[40] = 'O';
    assert_ok(g->state_parse(text, &s));
    expect_result(&s, 0);
    assert_int_equal(oth_score(s.b), 2);
    memset(text, '-', 64); // nothing at all is a draw, not a crash
    assert_ok(g->state_parse(text, &s));
    expect_result(&s, 0.5f);
    // Blocked with empty squares left: they go to the winner in oth_score, not in the count of discs.
    text[0] = 'X';
    assert_ok(g->state_parse(text, &s));
    expect_result(&s, 1);
    assert_int_equal(oth_score(s.b), -64);
}

static void texts_are_checked(void **state)
{
    (void)state;
    oth_state s, t;
    move_t m;
    // Every accepted spelling of one position.
    assert_ok(g->state_parse("---------------------------OX------XO--------------------------- X", &s));
    assert_ok(g->state_parse("...........................oX......xO........................... b", &t));
    assert_memory_equal(&s, &t, sizeof s);
    assert_ok(g->state_parse("___________________________w*______Bo___________________________*", &t));
    assert_memory_equal(&s, &t, sizeof s);
    assert_ok(
        g->state_parse(" --------\n--------\n--------\n---OX---\r\n---XO---\n--------\n--------\n--------\nX\n", &t));
    assert_memory_equal(&s, &t, sizeof s);
    assert_ok(g->state_parse("---------------------------OX------XO--------------------------- W", &t));
    assert_int_equal(t.side, OTH_WHITE);
    assert_true(t.b.own == s.b.opp && t.b.opp == s.b.own);

    assert_err(g->state_parse("", &t), "a1, square 1 of 64");
    assert_err(g->state_parse("---------?", &t), "column 10, at \"?\": expected X, O or - for b2");
    assert_err(g->state_parse("--------------------------------------------------------------- X", &t),
               "the side to move");
    assert_err(g->state_parse("---------------------------OX------XO--------------------------- -", &t),
               "side to move");
    assert_err(g->state_parse("---------------------------OX------XO--------------------------- XX", &t), "the end");

    assert_err(g->move_parse(&s, "", &m), "a square a1 to h8");
    assert_err(g->move_parse(&s, "i1", &m), "column 1");
    assert_err(g->move_parse(&s, "a9", &m), "column 2");
    assert_err(g->move_parse(&s, "a", &m), "rank");
    assert_err(g->move_parse(&s, "f55", &m), "column 3");
    assert_err(g->move_parse(&s, "a1", &m), "a1 turns no disc");
    assert_err(g->move_parse(&s, "d4", &m), "d4 is taken");
    assert_ok(g->move_parse(&s, "F5", &m));
    assert_int_equal(m, 4 * 8 + 5);
}

static void planes(void **state)
{
    (void)state;
    oth_state s = start(), w = start();
    play_text(&w, "d3");
    const void *obs[2] = {&s, &w};
    const encoding *mask, *side;
    assert_ok(game_encoding(g, "", &mask));
    assert_string_equal(mask->name, "mask");
    assert_ok(game_encoding(g, "side", &side));
    uint64_t bits[6];
    mask->encode(obs, 2, bits, NULL);
    assert_int_equal(bits[0], 1ull << 28 | 1ull << 35);
    assert_int_equal(bits[1], 1ull << 27 | 1ull << 36);
    assert_int_equal(bits[2], 1ull << 19 | 1ull << 26 | 1ull << 37 | 1ull << 44);
    assert_int_equal(bits[3], 1ull << 36); // white's view
    assert_int_equal(bits[4], 1ull << 19 | 1ull << 27 | 1ull << 28 | 1ull << 35);
    assert_int_equal(bits[5], 1ull << 18 | 1ull << 20 | 1ull << 34);
    side->encode(obs, 2, bits, NULL);
    assert_int_equal(bits[2], ~0ull);
    assert_int_equal(bits[3], 1ull << 36);
    assert_int_equal(bits[5], 0);
    // More than the encoder takes at a time.
    enum { MANY = 150 };
    const void *many[MANY];
    static uint64_t lots[MANY * 3];
    for (int i = 0; i < MANY; i++) many[i] = obs[i % 2];
    mask->encode(many, MANY, lots, NULL);
    mask->encode(obs, 2, bits, NULL);
    for (int i = 0; i < MANY; i++) assert_memory_equal(lots + 3 * i, bits + 3 * (i % 2), 3 * sizeof *bits);
}

// A small position by hand: black a1 b1, white c1 and b2, black to move.
static void look_by_hand(void **state)
{
    (void)state;
    enum { A1, B1, C1, D1, B2 = 9, C3 = 18, B3 = 17 };
    oth_board b = {1ull << A1 | 1ull << B1, 1ull << C1 | 1ull << B2};
    uint64_t p[OTH_LOOK], moves = 1ull << D1 | 1ull << C3 | 1ull << B3;
    oth_look(b, p);
    assert_int_equal(p[2], moves);
    assert_int_equal(p[3], 0); // white has none: a1 and b1 end at the border
    assert_int_equal(p[4], ~(b.own | b.opp));
    assert_int_equal(p[5], 0);     // 60 empties in one region
    assert_int_equal(p[6], b.own); // a1 is a corner, b1 leans on it
    assert_int_equal(p[7], 0);
    assert_int_equal(p[8], 0);
    assert_int_equal(p[9], b.opp);
    for (int k = 10; k < 14; k++) assert_int_equal(p[k], 0);          // every move turns one disc
    for (int k = 26; k < 28; k++) assert_int_equal(p[k], 1ull << D1); // it wins two safe discs, c1 and itself
    assert_int_equal(p[28], 0);
    assert_int_equal(p[30], 0);
    assert_int_equal(p[31], 1ull << D1);
}

// The planes about moves, counted anew; and discs called safe are never turned in any continuation of many.
static void look_holds(void **state)
{
    (void)state;
    rng r = rng_at(8, 0, 0);
    static const struct {
        int first, steps[6];
    } turned = {10, {2, 3, 5, 8}}, replies = {14, {1, 2, 3, 4, 6, 8}};
    for (int round = 0; round < 300; round++) {
        oth_board b = oth_start();
        uint64_t own = 0, opp = 0, was; // safe so far
        while (!oth_over(b)) {
            uint64_t moves = oth_moves(b), p[OTH_LOOK];
            assert_int_equal(own & ~b.own, 0);
            assert_int_equal(opp & ~b.opp, 0);
            oth_look(b, p);
            assert_int_equal(own & ~p[6], 0); // what was safe stays so
            own = p[6], opp = p[7];
            assert_int_equal(own, oth_safe(b.own, b.opp));
            for (int sq = 0; sq < 64; sq++) {
                bool legal = moves >> sq & 1;
                oth_board after = legal ? oth_play(b, sq) : b;
                for (int i = 0; i < 4; i++)
                    assert_int_equal(p[turned.first + i] >> sq & 1,
                                     legal && oth_count(oth_flips(b, sq)) >= turned.steps[i]);
                for (int i = 0; i < 6; i++)
                    assert_int_equal(p[replies.first + i] >> sq & 1,
                                     legal && oth_count(oth_moves(after)) >= replies.steps[i]);
                assert_int_equal(p[31] >> sq & 1, legal && (oth_safe(after.opp, after.own) >> sq & 1));
            }
            if (moves == 0) {
                b = oth_pass(b);
            } else {
                for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
                b = oth_play(b, __builtin_ctzll(moves));
            }
            was = own, own = opp, opp = was;
        }
    }
}

// The second look, counted anew: the first one, the other's moves, replies, regions, and numbers on all squares.
static void look2_holds(void **state)
{
    (void)state;
    rng r = rng_at(9, 0, 0);
    static const int left_steps[] = {1, 2, 3, 5}, empty_steps[] = {4, 6, 8, 10, 11, 12, 13, 14};
    enum { OTHERS = OTH_LOOK, REPLIES = OTHERS + 22, ALL = REPLIES + 12, REGIONS = ALL + 23 };
    for (int i = 0; i < 3000; i++) {
        oth_board b = random_board(&r);
        uint64_t p[OTH_LOOK2], one[OTH_LOOK], moves = oth_moves(b), empty = oth_empty(b);
        oth_look2(b, p);
        oth_look(b, one);
        assert_memory_equal(p, one, sizeof one);
        oth_look(oth_pass(b), one);
        assert_memory_equal(p + OTHERS, one + 10, 22 * sizeof *p);
        for (int sq = 0; sq < 64; sq++) {
            int fewest = 64, turned = 0;
            if (!(moves >> sq & 1)) {
                for (int k = 0; k < 12; k++) assert_int_equal(p[REPLIES + k] >> sq & 1, 0);
                continue;
            }
            oth_board after = oth_play(b, sq);
            for (int reply = 0; reply < 64; reply++) {
                int n = (oth_empty(after) >> reply & 1) != 0 ? oth_count(oth_flips(after, reply)) : 0;
                if (n == 0) continue;
                int left = oth_count(oth_moves(oth_play(after, reply)));
                fewest = left < fewest ? left : fewest;
                turned = n > turned ? n : turned;
            }
            for (int k = 0; k < 4; k++) assert_int_equal(p[REPLIES + k] >> sq & 1, fewest >= left_steps[k]);
            assert_int_equal(p[REPLIES + 7] >> sq & 1, turned >= 4);
            assert_int_equal(p[REPLIES + 8] >> sq & 1, turned >= 8);
        }
        for (int k = 0; k < 8; k++) assert_true(p[ALL + k] == (oth_count(empty) >= empty_steps[k] ? ~0ull : 0));
        assert_true(p[ALL + 8] == (oth_count(empty) % 2 == 1 ? ~0ull : 0));
        assert_int_equal(p[REGIONS] & ~empty, 0);
        for (int sq = 0; sq < 64; sq++) { // in a region of two or more: it has an empty neighbour
            uint64_t bit = 1ull << sq, side = (bit & ~0x8080808080808080u) << 1 | (bit & ~0x0101010101010101u) >> 1;
            bool more = (empty & bit) != 0 && (empty & (side | bit << 8 | bit >> 8)) != 0;
            assert_int_equal(p[REGIONS] >> sq & 1, more);
        }
        assert_int_equal(p[OTH_LOOK2 - 1], empty & ~moves & ~oth_moves(oth_pass(b)));
    }
}

// All eight, also those that do not keep the start: on any board the moves and flips of the image are the images.
static void symmetries(void **state)
{
    (void)state;
    rng r = rng_at(4, 0, 0);
    for (int sym = 0; sym < OTH_SYMS; sym++) {
        uint64_t seen = 0;
        for (int sq = 0; sq < 64; sq++) {
            int x = sq % 8, y = sq / 8;
            if (sym & 1) x = 7 - x;
            if (sym & 2) y = 7 - y;
            int image = sym & 4 ? x * 8 + y : y * 8 + x;
            assert_int_equal(oth_sym_square(sym, sq), image);
            assert_int_equal(g->sym_move(sym, (move_t)sq), image);
            assert_int_equal(oth_sym(sym, 1ull << sq), 1ull << image);
            seen |= 1ull << image;
        }
        assert_int_equal(seen, ~0ull);
        assert_int_equal(g->sym_move(sym, OTH_PASS), OTH_PASS);
        // The inverse is among the eight, too.
        int inverse = 0;
        while (oth_sym_square(inverse, oth_sym_square(sym, 1)) != 1 ||
               oth_sym_square(inverse, oth_sym_square(sym, 8)) != 8)
            assert_true(++inverse < OTH_SYMS);
        for (int i = 0; i < 20000; i++) {
            oth_board b = random_board(&r), image = oth_sym_board(sym, b);
            assert_true(oth_sym(inverse, image.own) == b.own && oth_sym(inverse, image.opp) == b.opp);
            assert_int_equal(oth_moves(image), oth_sym(sym, oth_moves(b)));
            int sq = (int)rng_below(&r, 64);
            if ((oth_empty(b) >> sq & 1) != 0)
                assert_int_equal(oth_flips(image, oth_sym_square(sym, sq)), oth_sym(sym, oth_flips(b, sq)));
            oth_state s = {b, rng_below(&r, 2)}, t = {image, s.side};
            if (i >= 1000) continue;
            const void *obs[2] = {&s, &t};
            for (int k = 0; k < g->n_encodings; k++) {
                uint64_t bits[2 * OTH_LOOK2], turned[OTH_LOOK2];
                size_t planes = (size_t)g->encodings[k].planes;
                g->encodings[k].encode(obs, 2, bits, NULL);
                g->sym_planes(sym, &g->encodings[k], bits, turned);
                assert_memory_equal(turned, bits + planes, planes * sizeof *bits);
            }
        }
    }
    // The start and its mirror image, white to move there: the same numbers.
    for (int sym = 0; sym < OTH_SYMS; sym++) assert_int_equal(oth_perft(oth_sym_board(sym, oth_start()), 7), 55092);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Different positions have different hashes: among 2^18 distinct ones a collision has a chance of 2^-29.
static void hashes(void **state)
{
    (void)state;
    enum { N = 1 << 18 };
    uint64_t *h = malloc(N * sizeof *h);
    assert_non_null(h);
    int n = 0;
    for (uint64_t i = 0; n < N / 2;
         i++) { // distinct by construction: a game never repeats a position, beyond the opening
        oth_state s = start();
        rng r = rng_at(9, i, 0);
        move_t moves[OTH_MAX_MOVES];
        for (int ply = 0, k; n < N / 2 && (k = g->legal(&s, moves)) > 0; ply++) {
            g->play(&s, moves[rng_below(&r, (uint32_t)k)], NULL);
            if (ply < 24 || ply > 50) continue;
            oth_state other = {s.b, !s.side};
            assert_int_not_equal(g->hash(&s), g->hash(&other));
            h[n++] = g->hash(&s);
        }
    }
    for (; n < N; n++) h[n] = oth_hash((oth_board){(uint64_t)n, (uint64_t)(n & 1) << 40}); // near each other
    qsort(h, N, sizeof *h, by_value);
    for (int i = 1; i < N; i++) assert_true(h[i] != h[i - 1]);
    // Every bit is set in about half of them.
    for (int bit = 0; bit < 64; bit++) {
        int ones = 0;
        for (int i = 0; i < N; i++) ones += (int)(h[i] >> bit & 1);
        assert_in_range(ones, N / 2 - 2048, N / 2 + 2048); // eight standard deviations
    }
    free(h);
}

static void conforms(void **state)
{
    (void)state;
    conform(g, "", 1000000, true);
}

// Lines of R. Gatliff's published list, which begins games with c4, and two as Japanese books write them.
static void openings_have_names(void **state)
{
    (void)state;
    static const struct {
        const char *line, *en, *ja;
    } known[] = {
        {"c4c3", "Diagonal", "斜め取り"},
        {"c4c5", "Parallel", "鼠定石"},
        {"c4e3", "Perpendicular", "縦取り"},
        {"c4e3f6e6f5", "Tiger", "虎定石"},
        {"c4e3f6e6f5c5c3c6", "Comp'Oth", "コンポス"},
        {"c4e3f6e6f5c5c3c6d3d2e2b3c1c2b4a3a5b5a6a4a2", "F.A.T. Draw", "F.A.T.ドロー"},
        {"c4e3f4c5d6f3e6c3d3e2", "Rose", "ローズ"},
        {"c4e3f5e6f4", "Cat", "猫定石"},
        {"c4c3d3c5b4", "Heath (Tobidashi)", "飛び出し牛"},
        {"c4c3d3e3c2", "Snake", "蛇定石"}, // by the other fourth move: the same position in a mirror
        {"c4c3d3c5f6", "Buffalo", "バッファロー定石"},
        {"f5f6e6d6c5", "Cow", "牛定石"},
        {"f5d6c5", "Rabbit", "兎定石"},
        {"f5d6c5b4", "Rabbit", "兎定石"}, // what has no name keeps the last one
    };
    move_t m[32];
    opening_name found;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int n = (int)strlen(known[i].line) / 2;
        for (int sym = 0; sym < OTH_SYMS; sym++) {
            for (int k = 0; k < n; k++)
                m[k] = g->sym_move(sym, (move_t)((known[i].line[2 * k + 1] - '1') * 8 + known[i].line[2 * k] - 'a'));
            if (oth_flips(oth_start(), m[0]) == 0) continue; // half of them swap the colours of the start
            assert_true(g->openings->name(m, n, &found));
            assert_string_equal(found.en, known[i].en);
            assert_string_equal(found.ja, known[i].ja);
        }
    }
    assert_false(g->openings->name(m, 0, &found));
    assert_false(g->openings->name(m, 1, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft_counts),
        cmocka_unit_test(the_start),
        cmocka_unit_test(wipe_out),
        cmocka_unit_test(nobody_can_move),
        cmocka_unit_test(passes),
        cmocka_unit_test(full_boards),
        cmocka_unit_test(texts_are_checked),
        cmocka_unit_test(planes),
        cmocka_unit_test(look_by_hand),
        cmocka_unit_test(look_holds),
        cmocka_unit_test(look2_holds),
        cmocka_unit_test(symmetries),
        cmocka_unit_test(hashes),
        cmocka_unit_test(conforms),
        cmocka_unit_test(openings_have_names),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
