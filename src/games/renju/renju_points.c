// Points as text: a file letter and a rank number, rank 1 at the bottom. The letter i is used, as renju players do.
#include "games/renju/renju.h"

#include <stdio.h>

int rj_point_print(int size, int p, char *buf, size_t n)
{
    return snprintf(buf, n, "%c%d", 'a' + p % size, size - p / size);
}

int rj_point_read(int size, const char *text, int *p)
{
    int x = (text[0] | 32) - 'a', used = 1, rank = 0;
    if (x < 0 || x >= size) return 0;
    for (; used < 3 && text[used] >= '0' && text[used] <= '9'; used++) rank = rank * 10 + text[used] - '0';
    if (rank < 1 || rank > size || text[1] == '0') return 0;
    *p = (size - rank) * size + x;
    return used;
}
