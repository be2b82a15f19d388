// A game library with one trick, chosen by the variable TRICK, for tests/cli/test_plugin.c: what happens when a plugin crashes or
// hangs, or gives a move the name of a command.
#include <keiko_rules.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap {
    int32_t left, turn;
} heap;

static int trick(const char *name)
{
    const char *wanted = getenv("TRICK");
    return wanted != NULL && strcmp(wanted, name) == 0;
}

static void init(void *s)
{
    *(heap *)s = (heap){5, 0};
}

static int seat(const void *s)
{
    return ((const heap *)s)->turn;
}

static int legal(const void *s, uint16_t *moves)
{
    int n = ((const heap *)s)->left;
    if (n == 3 && trick("crash")) abort();
    if (n == 3 && trick("hang")) raise(SIGINT); // what Ctrl-C does, at a moment that is known
    for (volatile int spin = 1; n == 3 && spin && trick("hang");) continue;
    for (int i = 0; i < 2 && i < n; i++) moves[i] = (uint16_t)i;
    return n < 2 ? n : 2;
}

static void play(void *s, uint16_t m)
{
    heap *h = s;
    h->left -= m + 1;
    h->turn = !h->turn;
}

static int over(const void *s, double score[2])
{
    const heap *h = s;
    if (h->left > 0) return 0;
    score[!h->turn] = 1.0;
    score[h->turn] = 0.0;
    return 1;
}

static void encode(const void *s, uint64_t *planes, float *scalars)
{
    (void)scalars;
    planes[0] = (1ull << ((const heap *)s)->left) - 1;
}

static int move_print(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    return snprintf(buf, n, "%s", m == 0 ? "quit" : "two");
}

static const keiko_rules rules = {.size = sizeof rules,
                                  .name = "tricky",
                                  .title = "A tricky heap",
                                  .state_size = sizeof(heap),
                                  .moves = 2,
                                  .max_legal = 2,
                                  .rows = 1,
                                  .cols = 5,
                                  .planes = 1,
                                  .init = init,
                                  .seat = seat,
                                  .legal = legal,
                                  .play = play,
                                  .over = over,
                                  .encode = encode,
                                  .move_print = move_print};

const keiko_rules *keiko_plugin(int i, int api_version)
{
    return i == 0 && api_version >= 3 ? &rules : NULL;
}
