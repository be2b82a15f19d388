// Points as text: a file letter and a rank number, rank 1 at the bottom. The letter i is used, as renju players do.
// Written out by hand: records and searches print moves by the million.
#include "games/renju/renju.h"

int rj_point_print(int size, int p, char *buf, size_t n)
{
    char text[4];
    int rank = size - p / size, len = 0;
    text[len++] = (char)('a' + p % size);
    if (rank >= 10) text[len++] = (char)('0' + rank / 10);
    text[len++] = (char)('0' + rank % 10);
    for (int i = 0; i <= len && (size_t)i < n; i++) buf[i] = i < len && (size_t)i < n - 1 ? text[i] : 0;
    return len;
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
