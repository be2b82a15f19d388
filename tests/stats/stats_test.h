// What the statistics tests share: comparison of doubles, a file of reference data as text, the reference pool.
#ifndef KEIKO_TESTS_STATS_TEST_H
#define KEIKO_TESTS_STATS_TEST_H

#include "stats/results.h"
#include "test.h"

#include <math.h>

#define near(a, b, within)                                                                                             \
    do {                                                                                                               \
        double a_ = (a), b_ = (b);                                                                                     \
        if (!(fabs(a_ - b_) <= (within))) fail_msg("%s = %.10g, expected %.10g", #a, a_, b_);                          \
    } while (0)

// Reference data as one text with NUL, caller frees; skips the test when there is none.
static inline char *read_data_or_skip(const char *name, size_t *length)
{
    FILE *f = open_data_or_skip(name);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    *length = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

// Five levels, 400 games: wins, draws, losses of the row's player moving first against the column's.
static const char *const pool_names[5] = {"beginner", "easy", "medium", "hard", "zero"};
static const int pool_counts[5][5][3] = {
    {{0, 0, 0}, {7, 3, 10}, {3, 3, 14}, {2, 1, 17}, {1, 2, 17}},
    {{11, 5, 4}, {0, 0, 0}, {8, 2, 10}, {3, 3, 14}, {3, 1, 16}},
    {{17, 0, 3}, {14, 1, 5}, {0, 0, 0}, {5, 1, 14}, {3, 4, 13}},
    {{17, 2, 1}, {15, 2, 3}, {10, 5, 5}, {0, 0, 0}, {7, 3, 10}},
    {{19, 1, 0}, {16, 3, 1}, {14, 3, 3}, {10, 2, 8}, {0, 0, 0}},
};

static inline tally reference_pool(void)
{
    tally t = {0};
    for (int i = 0, at; i < 5; i++) assert_ok(roster_add(&t.who, pool_names[i], &at));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            const int *c = pool_counts[i][j];
            if (i != j) assert_ok(tally_add(&t, i, j, c[0], c[1], c[2]));
        }
    return t;
}

// A table of n players p0, p1, … without games.
static inline tally empty_pool(int n)
{
    tally t = {0};
    for (int i = 0, at; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        assert_ok(roster_add(&t.who, name, &at));
    }
    return t;
}

#endif
