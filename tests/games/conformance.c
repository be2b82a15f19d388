// See conformance.h. Plain asserts of cmocka, so a failure names the game and the position text.
#include "games/conformance.h"

#include "test.h"

enum { MAX_MOVES = 4096, MAX_WORDS = 2048, MAX_SCALARS = 256 };

typedef struct bench {
    const game *g;
    bool exact;
    void *s, *t, *obs;
    move_t moves[MAX_MOVES], again[MAX_MOVES];
    char text[GAME_TEXT], text2[GAME_TEXT];
} bench;

static void check_legal(bench *b, int n)
{
    const game *g = b->g;
    assert_true(n <= g->max_legal);
    for (int i = 0; i < n; i++) {
        assert_true(b->moves[i] < g->n_moves);
        if (i > 0) assert_true(b->moves[i] > b->moves[i - 1]);
    }
    assert_int_equal(g->result(b->s).over, n == 0);
    int seat = g->seat(b->s);
    assert_true(seat >= 0 && seat < g->n_seats);
}

// A move that is said to win at once does, for the seat that plays it.
static void check_win(bench *b, int n)
{
    const game *g = b->g;
    if (g->win == NULL || n == 0) return;
    move_t m = g->win(b->s, b->moves, n);
    if (m == MOVE_NONE) return;
    bool legal = false;
    for (int i = 0; i < n; i++) legal = legal || b->moves[i] == m;
    assert_true(legal);
    int seat = g->seat(b->s);
    memcpy(b->t, b->s, g->state_size);
    g->play(b->t, m, NULL);
    outcome o = g->result(b->t);
    assert_true(o.over && o.score[seat] == 1);
}

static void check_state_text(bench *b, int n)
{
    const game *g = b->g;
    int len = g->state_print(b->s, b->text, sizeof b->text);
    assert_true(len > 0 && len < GAME_TEXT && (size_t)len == strlen(b->text));
    memset(b->t, 0xa5, g->state_size);
    if (g->state_parse(b->text, b->t) != ERR_OK)
        fail_msg("%s: '%s' does not parse back: %s", g->name, b->text, err_text());
    g->state_print(b->t, b->text2, sizeof b->text2);
    assert_string_equal(b->text, b->text2);
    if (g->hash(b->s) != g->hash(b->t)) fail_msg("%s: hash differs after text '%s'", g->name, b->text);
    assert_int_equal(g->legal(b->t, b->again), n);
    assert_memory_equal(b->moves, b->again, (size_t)n * sizeof(move_t));
    if (b->exact && memcmp(b->s, b->t, g->state_size) != 0)
        fail_msg("%s: bytes differ after text '%s'", g->name, b->text);
}

static void check_move_text(bench *b, int n, rng *r)
{
    const game *g = b->g;
    game_observe(g, b->s, g->seat(b->s), b->obs);
    int checks = n < 8 ? n : 8; // all moves of a position are covered over many visits
    for (int k = 0; k < checks; k++) {
        move_t m = b->moves[n < 8 ? (uint32_t)k : rng_below(r, (uint32_t)n)], back = MOVE_NONE;
        int len = g->move_print(b->obs, m, b->text2, sizeof b->text2);
        assert_true(len > 0 && (size_t)len == strlen(b->text2));
        if (g->move_parse(b->obs, b->text2, &back) != ERR_OK || back != m)
            fail_msg("%s: move '%s' does not parse back at '%s': %s", g->name, b->text2, b->text, err_text());
    }
}

// Any text either parses (and then prints and parses back) or gives a sentence; nothing crashes.
static void check_mutations(bench *b, rng *r)
{
    const game *g = b->g;
    size_t len = strlen(b->text);
    for (int k = 0; k < 4; k++) {
        memcpy(b->text2, b->text, len + 1);
        size_t at = rng_below(r, (uint32_t)len);
        if (k == 0)
            b->text2[at] = 0;
        else
            b->text2[at] = (char)(rng_below(r, 8) == 0 ? rng_below(r, 255) + 1 : 32 + rng_below(r, 95));
        memset(b->t, 0xa5, g->state_size);
        err_set(ERR_OK, "%s", "");
        if (g->state_parse(b->text2, b->t) == ERR_OK) {
            char third[GAME_TEXT];
            g->state_print(b->t, third, sizeof third);
            assert_ok(g->state_parse(third, b->t));
            assert_true(g->legal(b->t, b->again) <= g->max_legal);
        } else {
            assert_true(strlen(err_text()) > 0);
            for (uint32_t i = 0; i < g->state_size; i++) assert_int_equal(((unsigned char *)b->t)[i], 0xa5);
        }
        move_t m;
        (void)g->move_parse(b->obs, b->text2, &m);
    }
}

static void check_heads(bench *b, int n)
{
    const game *g = b->g;
    static uint16_t index[MAX_MOVES * GAME_MAX_HEADS];
    g->heads(b->obs, b->moves, n, index);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < g->n_heads; h++) assert_true(index[i * g->n_heads + h] < g->head_dim[h]);
    // Distinct moves need distinct index tuples, or the network could not tell them apart.
    for (int i = 1; i < n && i < 64; i++)
        assert_true(memcmp(index, index + i * g->n_heads, sizeof *index * (size_t)g->n_heads) != 0);
}

static void check_draw(bench *b)
{
    for (int colour = 0; colour < 2; colour++) {
        int len = b->g->draw(b->obs, MOVE_NONE, colour != 0, b->text2, sizeof b->text2);
        assert_true(len > 0 && len < GAME_TEXT);
        assert_int_equal(b->text2[len - 1], '\n');
        if (!colour) assert_null(strchr(b->text2, '\x1b'));
    }
}

static void encode_one(const game *g, const encoding *e, const void *obs, uint64_t *bits, float *scalars)
{
    assert_true(e->planes * game_plane_words(g) <= MAX_WORDS && e->scalars <= MAX_SCALARS);
    e->encode(&obs, 1, bits, scalars);
}

// A game and its mirror image, played in step, stay mirror images.
static void check_symmetries(const game *g, const char *options, uint64_t seed)
{
    char *a = calloc(1, g->state_size), *m = calloc(1, g->state_size);
    static uint64_t bits[MAX_WORDS], turned[MAX_WORDS], mirror[MAX_WORDS];
    static float sa[MAX_SCALARS], sm[MAX_SCALARS];
    static move_t moves[MAX_MOVES], other[MAX_MOVES];
    size_t words = (size_t)game_plane_words(g);
    for (int sym = 0; sym < g->n_syms; sym++) {
        rng r = rng_at(seed, (uint64_t)sym, 0);
        assert_ok(g->init(a, options, (game_key){seed, 1}));
        assert_ok(g->init(m, options, (game_key){seed, 1}));
        for (int i = 0; i < g->n_moves; i++) { // a permutation of the moves
            assert_true(g->sym_move(sym, (move_t)i) < g->n_moves);
            if (sym == 0) assert_int_equal(g->sym_move(sym, (move_t)i), i);
        }
        for (int ply = 0;; ply++) {
            bool same = true;
            for (int k = 0; k < g->n_encodings; k++) {
                const encoding *e = &g->encodings[k];
                size_t bytes = (size_t)e->planes * words * sizeof *bits;
                encode_one(g, e, a, bits, sa);
                encode_one(g, e, m, mirror, sm);
                g->sym_planes(sym, e, bits, turned);
                same =
                    same && memcmp(turned, mirror, bytes) == 0 && memcmp(sa, sm, (size_t)e->scalars * sizeof *sa) == 0;
            }
            if (ply == 0 && !same) break; // this symmetry does not keep the start (half of Othello's): nothing to play
            assert_true(same);
            int n = g->legal(a, moves), k = g->legal(m, other);
            assert_int_equal(n, k);
            if (n == 0) break;
            move_t pick = moves[rng_below(&r, (uint32_t)n)], image = g->sym_move(sym, pick);
            bool found = false;
            for (int i = 0; i < k; i++) found = found || other[i] == image;
            assert_true(found);
            g->play(a, pick, NULL);
            g->play(m, image, NULL);
        }
    }
    free(a);
    free(m);
}

void conform(const game *g, const char *options, uint64_t positions, bool exact_bytes)
{
    bench *b = calloc(1, sizeof *b);
    assert_true(g->max_legal <= MAX_MOVES);
    *b = (bench){.g = g, .exact = exact_bytes};
    b->s = calloc(1, g->state_size);
    b->t = calloc(1, g->state_size);
    b->obs = calloc(1, g->obs_size);
    uint64_t seen = 0;
    if (soak_or(1, 0)) positions /= 10;
    for (uint64_t i = 0; seen < positions; i++) {
        rng r = rng_at(20261115, i, 0);
        assert_ok(g->init(b->s, options, (game_key){7, i}));
        for (;;) {
            int n = g->legal(b->s, b->moves);
            check_legal(b, n);
            check_win(b, n);
            check_state_text(b, n);
            check_move_text(b, n, &r);
            if (seen % 16 == 0) {
                check_mutations(b, &r);
                check_heads(b, n);
                check_draw(b);
            }
            seen++;
            if (n == 0) break;
            move_t m = b->moves[rng_below(&r, (uint32_t)n)];
            step_event ev;
            memcpy(b->t, b->s, g->state_size); // plain bytes: a copy plays on alike
            g->play(b->s, m, &ev);
            g->play(b->t, m, NULL);
            assert_int_equal(g->hash(b->s), g->hash(b->t));
        }
    }
    if (g->n_syms > 1)
        for (uint64_t k = 0; k < 20; k++) check_symmetries(g, options, k);
    free(b->s);
    free(b->t);
    free(b->obs);
    free(b);
}
