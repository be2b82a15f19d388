// labels: threads
// The same seed gives the same games with 1, 2 and 7 threads: for every game, agents included.
#include "agents/agent.h"
#include "base/pool.h"
#include "test.h"

enum { GAMES = 24 };

typedef struct job {
    const game *g;
    uint64_t hash[GAMES]; // of the final position and of the way there
} job;

static void play_one(void *ctx, int task, int worker)
{
    job *j = ctx;
    const game *g = j->g;
    game_key key = {77, (uint64_t)task};
    agent *players[2] = {NULL, NULL};
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    uint64_t way = 0;
    (void)worker;
    if (g->init(s, "", key) != ERR_OK) abort();
    for (int i = 0; i < g->n_seats; i++) {
        if (agent_open(&players[i], g, (task + i) % 2 ? "random" : "greedy") != ERR_OK) abort();
        agent_begin(players[i], key, i);
    }
    for (int ply = 0; !g->result(s).over && ply < 120; ply++) {
        agent_choice c;
        game_observe(g, s, g->seat(s), obs);
        if (agent_choose(players[g->seat(s)], obs, &c) != ERR_OK) abort();
        way = rng_mix(way ^ c.move);
        g->play(s, c.move, NULL);
    }
    j->hash[task] = g->hash(s) ^ way;
    for (int i = 0; i < 2; i++) agent_close(players[i]);
    free(obs);
    free(s);
}

static void games_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 7};
    for (int i = 0; i < game_count(); i++) {
        job jobs[3];
        for (int k = 0; k < 3; k++) {
            jobs[k] = (job){.g = game_at(i)};
            pool *p = pool_new(threads[k]);
            assert_non_null(p);
            assert_true(pool_run(p, GAMES, play_one, &jobs[k]));
            pool_free(p);
        }
        assert_memory_equal(jobs[0].hash, jobs[1].hash, sizeof jobs[0].hash);
        assert_memory_equal(jobs[0].hash, jobs[2].hash, sizeof jobs[0].hash);
        assert_true(jobs[0].hash[0] != jobs[0].hash[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
