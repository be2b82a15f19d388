// labels: threads
// The pattern tables are built by whoever comes first, while others already wait for them.
#include "games/game.h"
#include "games/renju/renju.h"
#include "test.h"

#include <pthread.h>

enum { THREADS = 4 };

static void *play_and_map(void *sum)
{
    const game *g = NULL;
    rj_any_state s;
    rng r = rng_at(1, 2, 3);
    if (game_find("renju", &g) != ERR_OK || g->init(&s, "", (game_key){0, 0}) != ERR_OK) return NULL;
    game_random_playout(g, &s, &r, 225);
    *(uint64_t *)sum = g->hash(&s) ^ rj_speed_forbidden(300, 5) ^ rj_speed_play_undo(3000, 5);
    return sum;
}

static void tables_are_built_once(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    uint64_t sum[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, play_and_map, &sum[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *done = NULL;
        pthread_join(thread[i], &done);
        assert_non_null(done);
        assert_int_equal(sum[i], sum[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_built_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
