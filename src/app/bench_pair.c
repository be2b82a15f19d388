// Two players from random openings, without a store. See bench.h.
#include "app/bench.h"
#include "stats/dist.h"

err bench_pair(bench_score *out, const game *g, const char *first, const char *second, int pairs, uint64_t seed,
               int threads)
{
    openings set = {0};
    results games = {0};
    match_counts c;
    match_player players[2] = {{.name = "first", .spec = first}, {.name = "second", .spec = second}};
    match_options o = {.g = g, .players = players, .n_players = 2, .set = &set, .seed = seed, .threads = threads};
    if (pairs < 1 || pairs > 1000000) return err_set(ERR_USAGE, "pairs must be 1 to 1000000");
    err e = openings_random(&set, g, (uint32_t)pairs, seed);
    if (e == ERR_OK) e = match_pairs(&games, &o, pairs);
    if (e == ERR_OK) e = results_match(&c, &games, 0, 1);
    if (e == ERR_OK) {
        double points = c.n3[2] + 0.5 * c.n3[1], n = c.n3[0] + c.n3[1] + c.n3[2];
        *out = (bench_score){.games = (uint64_t)n,
                             .wins = (uint64_t)c.n3[2],
                             .draws = (uint64_t)c.n3[1],
                             .losses = (uint64_t)c.n3[0],
                             .score = points / n,
                             .in = rate_wilson(points, n, 0.95)};
    }
    openings_free(&set);
    results_free(&games);
    return e;
}
