// Every game, every ply of fixed random games: all that its table says, as one number per kind of answer (tests/games/digests.txt).
// A number that changes names what has changed: moves, texts, pictures, inputs of networks, symmetries, results.
#include "base/json.h"
#include "base/listed.h"
#include "base/memory.h"
#include "games/game.h"
#include "games/renju/renju.h"

#include <inttypes.h>

enum { MOVES, RESULT, HASH, STATE, MOVE_TEXT, DRAWN, SAMPLE, PLANES, HEADS, SYMMETRY, VIEW, EVENTS, KINDS };
static const char *const kinds[KINDS] = {"moves",  "result", "hash",  "state",    "move-text", "drawn",
                                         "sample", "planes", "heads", "symmetry", "view",      "events"};

typedef struct digest {
    uint64_t v[KINDS];
} digest;

static void mix(digest *d, int kind, const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t h = d->v[kind];
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    d->v[kind] = rng_mix(h + n);
}

static void mix_text(digest *d, int kind, const char *text)
{
    mix(d, kind, text, strlen(text));
}

static void mix_number(digest *d, int kind, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", x == 0 ? 0.0 : x);
    mix_text(d, kind, text);
}

typedef struct scratch {
    move_t *moves;
    char *state, *obs;
    uint64_t *bits, *turned;
    float scalars[256];
    uint16_t *index;
} scratch;

static void look_inputs(digest *d, const game *g, scratch *k, int n)
{
    const void *obs = k->obs;
    for (int e = 0; e < g->n_encodings; e++) {
        const encoding *enc = &g->encodings[e];
        size_t words = (size_t)enc->planes * (size_t)game_plane_words(g);
        enc->encode(&obs, 1, k->bits, k->scalars);
        mix(d, PLANES, k->bits, words * sizeof *k->bits);
        for (int i = 0; i < enc->scalars; i++) mix_number(d, PLANES, (double)k->scalars[i]);
        for (int s = 0; s < g->n_syms; s++) {
            g->sym_planes(s, enc, k->bits, k->turned);
            mix(d, SYMMETRY, k->turned, words * sizeof *k->turned);
        }
    }
    if (n == 0) return;
    g->heads(k->obs, k->moves, n, k->index);
    mix(d, HEADS, k->index, (size_t)n * (size_t)g->n_heads * sizeof *k->index);
    for (int s = 0; s < g->n_syms; s++) {
        move_t to = g->sym_move(s, k->moves[n / 2]);
        mix(d, SYMMETRY, &to, sizeof to);
    }
}

static void look(digest *d, const game *g, const void *s, scratch *k, move_t last)
{
    char text[GAME_TEXT];
    int n = g->legal(s, k->moves), seat = g->seat(s);
    outcome o = g->result(s);
    uint64_t hash = g->hash(s);
    mix(d, MOVES, k->moves, (size_t)n * sizeof *k->moves);
    mix(d, MOVES, &seat, sizeof seat);
    mix(d, HASH, &hash, sizeof hash);
    mix_number(d, RESULT, o.over ? 1 + (double)o.score[0] * 10 + (double)o.score[1] * 100 : 0);
    g->state_print(s, text, sizeof text);
    mix_text(d, STATE, text);
    if (g->state_parse(text, k->state) == ERR_OK) {
        g->state_print(k->state, text, sizeof text);
        mix_text(d, STATE, text);
    }
    for (int who = 0; who < g->n_seats; who++) {
        game_observe(g, s, who, k->obs);
        for (int colour = 0; colour < 2; colour++) {
            g->draw(k->obs, last, colour == 1, text, sizeof text);
            mix_text(d, DRAWN, text);
        }
        if (g->margin != NULL) mix_number(d, RESULT, (double)g->margin(s, who));
    }
    game_observe(g, s, seat, k->obs);
    rng r = rng_at(7, hash, 0);
    if (g->sample != NULL) {
        g->sample(k->obs, &r, k->state);
        g->state_print(k->state, text, sizeof text);
        mix_text(d, SAMPLE, text);
    }
    for (int i = 0; i < n; i += 1 + n / 8) {
        move_t back = MOVE_NONE;
        g->move_print(k->obs, k->moves[i], text, sizeof text);
        mix_text(d, MOVE_TEXT, text);
        if (g->move_parse(k->obs, text, &back) == ERR_OK) mix(d, MOVE_TEXT, &back, sizeof back);
    }
    static const char *const wrong[] = {"", "a0", "z9", "h8x", "99", "pass", "a1,a1"};
    for (int i = 0; i < 7; i++) {
        move_t m;
        mix_text(d, MOVE_TEXT, g->move_parse(k->obs, wrong[i], &m) == ERR_OK ? "good" : err_text());
    }
    if (g->view != NULL) {
        text_buf t = {0};
        json_writer w = json_begin(&t, false);
        json_open_array(&w);
        json_open_object(&w);
        g->view(k->obs, &w);
        json_close(&w);
        if (n > 0 && g->view_move != NULL) {
            json_open_object(&w);
            g->view_move(k->obs, k->moves[n - 1], &w);
            json_close(&w);
        }
        json_close(&w);
        (void)json_finish(&w);
        mix_text(d, VIEW, text_str(&t));
        text_free(&t);
    }
    look_inputs(d, g, k, n);
}

static void play_one(digest *d, const game *g, const char *options, uint32_t number)
{
    enum { PLIES = 90 };
    scratch k = {.moves = calloc((size_t)g->max_legal, sizeof(move_t)),
                 .state = calloc(1, g->state_size),
                 .obs = calloc(1, g->obs_size),
                 .bits = calloc(4096, sizeof(uint64_t)),
                 .turned = calloc(4096, sizeof(uint64_t)),
                 .index = calloc((size_t)g->max_legal * GAME_MAX_HEADS, sizeof(uint16_t))};
    void *s = calloc(1, g->state_size);
    rng r = rng_at(11, number, 0);
    move_t last = MOVE_NONE;
    assert_ok(g->init(s, options, (game_key){3, number}));
    for (int ply = 0; ply < PLIES; ply++) {
        look(d, g, s, &k, last);
        int n = g->legal(s, k.moves);
        if (n == 0) break;
        step_event ev = {0};
        last = k.moves[rng_below(&r, (uint32_t)n)];
        g->play(s, last, &ev);
        mix_number(d, EVENTS, ev.points);
        mix_number(d, EVENTS, ev.chain);
    }
    free(s);
    FREE_ALL(k.moves, k.state, k.obs, k.bits, k.turned, k.index);
}

static void every_game(void **state)
{
    (void)state;
    static const char *const more[][2] = {{"puyo", "timing=turns,pairs=blocks"},
                                          {"puyo", "pairs=uniform,colours=5,reach=0,lose=seed,margin=0,drop=0"},
                                          {"puyo-solo", "pairs=uniform"}};
    text_buf t = {0};
    for (int i = 0; i < game_count() + 3; i++) {
        const game *g = i < game_count() ? game_at(i) : NULL;
        const char *options = i < game_count() ? "" : more[i - game_count()][1];
        if (g == NULL) assert_ok(game_find(more[i - game_count()][0], &g));
        digest d = {0};
        for (uint32_t number = 0; number < 5; number++) play_one(&d, g, options, number);
        text_printf(&t, "%s %s\n", g->name, options);
        for (int k = 0; k < KINDS; k++) text_printf(&t, "  %s %016" PRIx64 "\n", kinds[k], d.v[k]);
        text_printf(&t, "  %s; %s; planes", g->title, g->options);
        for (int e = 0; e < g->n_encodings; e++) {
            char name[100];
            for (int c = 0; c < g->encodings[e].planes + g->encodings[e].scalars; c++) {
                game_plane_name(&g->encodings[e], c, name, sizeof name);
                mix_text(&d, PLANES, name);
            }
        }
        text_printf(&t, " %016" PRIx64 "\n", d.v[PLANES]);
    }
    assert_listed(&t, "games/digests.txt");
}

// What a stone would make at every empty point of random boards, by rule: how often each pattern and class comes, and all of it as
// one number (tests/games/patterns.txt).
static void patterns(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int rule = 0; rule < 3; rule++) {
        uint64_t many[RJ_P_COUNT] = {0}, classes[16] = {0}, sum = 0;
        for (uint32_t k = 0; k < 120; k++) {
            static rj_board b;
            rng r = rng_at(15, k, (uint32_t)rule);
            uint64_t stones[2][4] = {{0}};
            for (int i = 0, n = (int)(k % 60); i < n; i++) {
                uint32_t at = rng_below(&r, 225);
                if (((stones[0][at / 64] | stones[1][at / 64]) >> at % 64 & 1) == 0)
                    stones[rng_below(&r, 2)][at / 64] |= 1ull << at % 64;
            }
            rj_board_init(&b, (rj_rule)rule, 15);
            rj_board_set(&b, stones[0], stones[1], (int)(k % 2));
            for (int p = 0; p < 225; p++) {
                if ((stones[0][p / 64] | stones[1][p / 64]) >> p % 64 & 1) continue;
                for (int c = 0; c < 2; c++) {
                    for (int d = 0; d < 4; d++) {
                        many[rj_pattern_at(&b, c, d, p)]++;
                        sum = rng_mix(sum ^ (uint64_t)rj_pattern_at(&b, c, d, p));
                    }
                    classes[rj_class_at(&b, c, p) & 15]++;
                    sum = rng_mix(sum ^ (uint64_t)rj_class_at(&b, c, p) << 8);
                }
            }
        }
        text_printf(&t, "rule %d: %016" PRIx64 ", patterns", rule, sum);
        for (int i = 0; i < RJ_P_COUNT; i++) text_printf(&t, " %" PRIu64, many[i]);
        text_append(&t, ", classes");
        for (int i = 0; i < 16; i++) text_printf(&t, " %" PRIu64, classes[i]);
        text_char(&t, '\n');
    }
    assert_listed(&t, "games/patterns.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_game), cmocka_unit_test(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
