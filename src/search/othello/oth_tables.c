// The tables of the Othello search. See oth_tables.h.
#include "search/othello/oth_tables.h"

#include <pthread.h>

oth_lines oth_line[OTH_SQUARES];
uint64_t oth_near[OTH_SQUARES];
uint8_t oth_last_count[8][256];
uint8_t oth_edge_stable[256][256];

#define NW 0x000000000f0f0f0fu
#define NE 0x00000000f0f0f0f0u
#define SW 0x0f0f0f0f00000000u
#define SE 0xf0f0f0f000000000u
const uint64_t oth_quadrant_squares[16] = {
    0,  NW,      NE,      NE | NW,      SW,      SW | NW,      SW | NE,      SW | NE | NW,
    SE, SE | NW, SE | NE, SE | NE | NW, SE | SW, SE | SW | NW, SE | SW | NE, ~(uint64_t)0,
};

static void init_lines(void)
{
    for (int sq = 0; sq < OTH_SQUARES; sq++) {
        int r = sq / 8, c = sq % 8;
        oth_lines *l = &oth_line[sq];
        for (int other = 0; other < OTH_SQUARES; other++) {
            int dr = other / 8 - r, dc = other % 8 - c;
            uint64_t bit = (uint64_t)1 << other;
            if (dc == 0) l->column |= bit;
            if (dr == -dc) l->slash |= bit;
            if (dr == dc) l->backslash |= bit;
            if (other != sq && dr >= -1 && dr <= 1 && dc >= -1 && dc <= 1) oth_near[sq] |= bit;
        }
        l->at_row = (uint8_t)c;
        l->at_column = (uint8_t)r;
        l->at_slash = (uint8_t)(r < 7 - c ? r : 7 - c);
        l->at_backslash = (uint8_t)(r < c ? r : c);
        l->quadrant = (uint8_t)(1 << ((r >= 4) * 2 + (c >= 4)));
    }
}

// Squares that do not exist on a short line read as empty of own discs beyond its end, so nothing is turned there.
static void init_last(void)
{
    for (int at = 0; at < 8; at++)
        for (int own = 0; own < 256; own++) {
            int n = 0;
            for (int step = -1; step <= 1; step += 2) {
                int end = at + step;
                while (end >= 0 && end < 8 && !(own >> end & 1)) end += step;
                if (end >= 0 && end < 8) n += (end - at) * step - 1;
            }
            oth_last_count[at][own] = (uint8_t)n;
        }
}

// The discs of `opp` turned along the edge by a disc of `own` at x.
static int edge_flips(int own, int opp, int x)
{
    int all = 0;
    for (int step = -1; step <= 1; step += 2) {
        int run = 0, end = x + step;
        for (; end >= 0 && end < 8 && (opp >> end & 1); end += step) run |= 1 << end;
        if (end >= 0 && end < 8 && (own >> end & 1)) all |= run;
    }
    return all;
}

// A disc is stable when it survives every sequence of moves on the edge, by whomever, even those that turn nothing there.
static int edge_stable(int own, int opp, uint8_t done[256][256])
{
    if (done[own][opp]) return oth_edge_stable[own][opp];
    int stable = own;
    for (int x = 0; x < 8 && stable != 0; x++) {
        if ((own | opp) >> x & 1) continue;
        int mine = edge_flips(own, opp, x), theirs = edge_flips(opp, own, x);
        stable &= edge_stable(own | mine | 1 << x, opp & ~mine, done);
        stable &= edge_stable(own & ~theirs, opp | theirs | 1 << x, done);
    }
    done[own][opp] = 1;
    return oth_edge_stable[own][opp] = (uint8_t)stable;
}

static void init(void)
{
    static uint8_t done[256][256];
    init_lines();
    init_last();
    for (int own = 0; own < 256; own++)
        for (int opp = 0; opp < 256; opp++)
            if ((own & opp) == 0) edge_stable(own, opp, done);
}

void oth_tables_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}
