// See protocol.h.
#include "agents/protocol.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// One square a move, on a board where GTP's letters differ from ours?
static bool squares(const game *g)
{
    return g->n_moves == g->rows * g->cols && g->cols > 8;
}

int gtp_print(const game *g, const void *obs, move_t m, char *buf, size_t n)
{
    if (!squares(g)) return g->move_print(obs, m, buf, n);
    int x = m % g->cols, y = m / g->cols;
    return snprintf(buf, n, "%c%d", 'A' + x + (x >= 8), g->rows - y);
}

err gtp_parse(const game *g, const void *obs, const char *text, move_t *m)
{
    char word[64];
    if (strlen(text) >= sizeof word) return err_parse(text, 0, "expected a move");
    strcpy(word, text);
    for (char *p = word; *p; p++) *p = (char)tolower((unsigned char)*p);
    if (!squares(g) || !isalpha((unsigned char)word[0])) return g->move_parse(obs, word, m);
    if (word[0] == 'i') return err_parse(text, 0, "GTP has no column I");
    if (word[0] > 'i') word[0]--; // our own letters leave nothing out
    err e = g->move_parse(obs, word, m);
    // The sentence would name a point that was not typed.
    if (e == ERR_PARSE) return err_parse(text, 0, "expected a point A1 to %c%d", 'A' + g->cols, g->rows);
    return e == ERR_OK ? e : err_set(e, "%s cannot be played", text);
}
