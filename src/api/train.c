// Training and matches through the public API. See include/keiko.h.
#include "api/api.h"
#include "app/train.h"
#include "arena/match.h"
#include "base/clock.h"
#include "base/json.h"
#include "stats/dist.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct caller {
    const keiko_training *t;
    double begun;
} caller;

static keiko_progress progress_of(const train_state *s, double seconds)
{
    return (keiko_progress){.step = s->step,
                            .games = s->games,
                            .positions = s->positions,
                            .simulations = s->sims,
                            .seconds = seconds,
                            .loss = s->loss,
                            .rated = s->rated,
                            .elo = s->elo,
                            .elo_low = s->elo_low,
                            .elo_high = s->elo_high};
}

static bool each_round(void *ctx, const train_state *s)
{
    const caller *c = ctx;
    keiko_progress p = progress_of(s, clock_seconds() - c->begun);
    return c->t->each(c->t->ctx, &p) == 0;
}

// The struct's own members as a layer of options. A seed belongs to a new run.
static err options_text(const keiko_training *t, text_buf *to)
{
    char number[JSON_NUMBER_TEXT];
    if (t->minutes > 0) json_number_text(t->minutes, number), text_printf(to, "minutes = %s\n", number);
    if (t->steps > 0) text_printf(to, "steps = %" PRIu64 "\n", t->steps);
    if (t->games > 0) text_printf(to, "games = %" PRIu64 "\n", t->games);
    if (t->threads > 0) text_printf(to, "threads = %d\n", t->threads);
    if (t->backend != NULL) text_printf(to, "backend = \"%s\"\n", t->backend);
    if (!t->resume) text_printf(to, "seed = %" PRIu64 "\n", t->seed % 9000000000000000u);
    return text_check(to);
}

int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end)
{
    caller c = {t, clock_seconds()};
    text_buf own = {0};
    train_result r;
    if (t->size != sizeof *t)
        return (int)err_set(
            ERR_USAGE, "keiko_training has %zu bytes here and %zu in your program: compile it against this library",
            sizeof *t, t->size);
    err e = options_text(t, &own);
    const config_layer layers[] = {{"config", t->config}, {"options", text_str(&own)}};
    if (e == ERR_OK)
        e = train_run(&(train_request){.g = api_game(g),
                                       .preset = t->preset,
                                       .layers = layers,
                                       .n_layers = 2,
                                       .run = t->run,
                                       .resume = t->resume != 0,
                                       .version = keiko_version(),
                                       .model = t->model,
                                       .each = t->each == NULL ? NULL : each_round,
                                       .ctx = &c},
                      &r);
    if (e == ERR_OK && end != NULL) *end = progress_of(&r.s, clock_seconds() - c.begun);
    text_free(&own);
    return (int)e;
}

// --- matches

// Lines of two to four random moves: enough that players without chance do not repeat one game, few enough to be fair, and
// each is played from both sides.
static err random_openings(openings *set, const game *g, int n, uint64_t seed)
{
    enum { PLIES = 4 };
    err e = ERR_OK;
    void *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    if (state == NULL || moves == NULL) e = err_set(ERR_MEMORY, "no memory for openings");
    for (int i = 0; e == ERR_OK && i < n; i++) {
        opening line = {0};
        rng r = rng_at(seed, (uint64_t)i, 0x6f70);
        int want = 2 + (int)rng_below(&r, PLIES - 1);
        e = g->init(state, "", (game_key){seed, (uint64_t)i});
        while (e == ERR_OK && line.plies < want) {
            int k = g->legal(state, moves);
            if (k == 0) break;
            move_t m = moves[rng_below(&r, (uint32_t)k)];
            g->play(state, m, NULL);
            if (g->result(state).over) break; // a game that is over before it began tells nothing
            line.moves[line.plies++] = m;
        }
        if (e == ERR_OK) e = openings_add(set, &line);
    }
    free(state);
    free(moves);
    return e;
}

int keiko_match(const keiko_game *g, const char *first, const char *second, int pairs, uint64_t seed, int threads,
                keiko_score *out)
{
    openings set = {0};
    results games = {0};
    match_player players[2] = {{.name = "first", .spec = first}, {.name = "second", .spec = second}};
    match_options o = {
        .g = api_game(g), .players = players, .n_players = 2, .set = &set, .seed = seed, .threads = threads};
    if (pairs < 1 || pairs > 1000000) return (int)err_set(ERR_USAGE, "pairs must be 1 to 1000000");
    err e = random_openings(&set, o.g, pairs, seed);
    if (e == ERR_OK) e = match_pairs(&games, &o, pairs);
    if (e == ERR_OK) {
        keiko_score s = {.games = games.n};
        int a = roster_find(&games.who, "first");
        for (size_t i = 0; i < games.n; i++) {
            int halves = games.game[i].first == a ? games.game[i].halves : 2 - games.game[i].halves;
            s.wins += halves == 2;
            s.draws += halves == 1;
            s.losses += halves == 0;
        }
        double points = (double)s.wins + 0.5 * (double)s.draws;
        interval i = rate_wilson(points, (double)s.games, 0.95);
        s.score = s.games > 0 ? points / (double)s.games : 0.0;
        s.low = i.low;
        s.high = i.high;
        *out = s;
    }
    openings_free(&set);
    results_free(&games);
    return (int)e;
}
