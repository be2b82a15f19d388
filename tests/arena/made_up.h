// Runs with made-up games: setups of all kinds, and games of random moves with a made-up end, the same on every machine.
#ifndef KEIKO_TESTS_ARENA_MADE_UP_H
#define KEIKO_TESTS_ARENA_MADE_UP_H

#include "arena/schedule.h"
#include "arena/tour.h"
#include "base/rng.h"
#include "test.h"

enum { MADE_UP_PLIES = 70 + OPENING_PLIES, MOST_PLIES = 70 };

static inline void make_setup(tour_setup *s, uint32_t k, rng *r)
{
    static const char *const games[] = {"othello", "tictactoe", "freestyle", "renju", "contrast", "puyo", "gomoku"};
    static const char *const kinds[] = {"start", "balanced", "auto"};
    static const char *const models[] = {"bt-adv", "bt", "rao-kupper", "davidson"};
    static const char *const errors[] = {"best", "information", "sandwich", "pairs", "bootstrap"};
    static const char *const anchors[] = {"", "a=1000", "a=1200;b, \"c\"=1500.5", "a#2=-3"};
    *s = (tour_setup){.schedule = (schedule_kind)(k % 3)};
    s->games = 1 + rng_below(r, 9);
    s->seed = rng_u64(r) >> 12;
    assert_ok(game_find(games[k % 7], &s->g));
    snprintf(s->openings, sizeof s->openings, "%s", kinds[rng_below(r, 3)]);
    if (k == 5) strcpy(s->openings, "start"); // Puyo begins with chance
    strcpy(s->build, "b <1>");
    static const char *const names[] = {"a", "b, \"c\"", "a", "d|e", "\xe6\xa3\x8b"};
    for (uint32_t i = 0, n = 2 + rng_below(r, 4); i < n; i++)
        assert_ok(tour_add_player(s, names[i], i % 2 ? "greedy" : "random"));
    assert_ok(openings_make(&s->set, s->g, "", s->openings, 1 + rng_below(r, 3), 3));
    if (k % 4 == 1) s->rules = (match_rules){.max_plies = 40, .resign = 0.05, .resign_moves = 3};
    if (k % 7 == 0) s->rules.adjudicate = 8;
    s->has_sprt = k % 3 == 2;
    if (s->has_sprt) s->sprt = (sprt_test){-5, 12.5, 0.05, 0.1, k % 2 ? SPRT_LOGISTIC : SPRT_NORMALISED};
    s->rating = (tour_rating){.prior = k % 5 == 0 ? 1.5 : 0, .level = k % 2 ? 0.95 : 0.9};
    strcpy(s->rating.model, models[rng_below(r, 4)]);
    strcpy(s->rating.errors, errors[k % 5]);
    strcpy(s->rating.anchor, anchors[s->n_players > 2 ? k % 4 : k % 2]);
}

// A game of random moves, as the referee would have played it, with a made-up end.
static inline void make_game(const tour_setup *s, const schedule *plan, uint64_t i, rng *r, match_record *out,
                             move_t *moves)
{
    static const char *const details[] = {"", "it said \"no\", twice", "<b> & more"};
    *out = (match_record){.what = schedule_game(plan, i), .moves = moves, .detail = ""};
    void *state = calloc(1, s->g->state_size);
    move_t legal[4096];
    assert_ok(s->g->init(state, s->settings, (game_key){s->seed, out->what.opening}));
    const opening *line = openings_at(&s->set, out->what.opening);
    int most = i % 5 == 4 ? line->plies : (int)rng_below(r, MOST_PLIES);
    for (int ply = 0; ply < line->plies || ply < most; ply++) {
        int n = s->g->legal(state, legal);
        if (n == 0) break;
        move_t m = ply < line->plies ? line->moves[ply] : legal[rng_below(r, (uint32_t)n)];
        out->side[s->g->seat(state)].choices += ply >= line->plies;
        s->g->play(state, m, NULL);
        moves[out->plies++] = m;
        if (ply < line->plies) out->opening_plies++;
    }
    outcome end = s->g->result(state);
    out->halves = end.over ? (uint8_t)(2 * end.score[0]) : (uint8_t)rng_below(r, 3);
    out->reason = end.over ? end.reason : (uint8_t)(MATCH_CAP + rng_below(r, 4));
    if (out->reason == MATCH_FAILED) {
        out->failed = (uint8_t)rng_below(r, 2);
        out->halves = out->failed == 0 ? 0 : 2;
        out->detail = details[rng_below(r, 3)];
    }
    for (int k = 0; k < 2; k++) {
        uint64_t nodes = rng_u64(r);
        out->side[k].nodes = nodes >> (20 + rng_below(r, 40));
        out->side[k].seconds = rng_below(r, 6400) / 64.0;
        out->side[k].cpu = rng_below(r, 6400) / 64.0;
    }
    free(state);
}

#endif
