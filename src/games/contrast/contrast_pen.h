// Contrast's text is written into a buffer that any text fits, then out as snprintf would. Only contrast_*.c include this.
#ifndef KEIKO_GAMES_CONTRAST_CONTRAST_PEN_H
#define KEIKO_GAMES_CONTRAST_CONTRAST_PEN_H

#include "games/contrast/contrast.h"

#include <string.h>

typedef struct pen {
    char text[GAME_TEXT];
    size_t at;
} pen;

static inline void pen_put(pen *p, char c)
{
    if (p->at + 1 < sizeof p->text) p->text[p->at++] = c;
}

static inline void pen_text(pen *p, const char *t)
{
    while (*t) pen_put(p, *t++);
}

static inline void pen_number(pen *p, int v) // 0 … 999
{
    if (v >= 100) pen_put(p, (char)('0' + v / 100));
    if (v >= 10) pen_put(p, (char)('0' + v / 10 % 10));
    pen_put(p, (char)('0' + v % 10));
}

static inline void pen_square(pen *p, int sq)
{
    pen_put(p, (char)('a' + sq % CTR_SIZE));
    pen_put(p, (char)('5' - sq / CTR_SIZE));
}

static inline void pen_move(pen *p, move_t m, const char *comma, const char *space)
{
    int tile = ctr_tile(m);
    pen_square(p, ctr_from(m));
    pen_text(p, comma);
    pen_square(p, ctr_to(m));
    if (tile == 0) return;
    pen_text(p, space);
    pen_square(p, ctr_tile_square(tile));
    pen_put(p, ctr_tile_colour(tile) == CTR_BLACK ? 'b' : 'g');
}

static inline int pen_print(pen *p, char *buf, size_t n)
{
    p->text[p->at] = 0;
    if (n > 0) {
        size_t k = p->at < n ? p->at : n - 1;
        memcpy(buf, p->text, k);
        buf[k] = 0;
    }
    return (int)p->at;
}

#endif
