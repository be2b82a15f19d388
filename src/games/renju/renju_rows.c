// See renju_rows.h.
#include "games/renju/renju_rows.h"

#include <string.h>

err rj_row_fail(const rj_cursor *c, const char *what)
{
    return err_set(ERR_PARSE, "line %d, column %d: %s", c->number, (int)(c->at - c->line) + 1, what);
}

void rj_row_skip(rj_cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r') c->at++;
}

bool rj_row_ends(const rj_cursor *c)
{
    return *c->at == 0 || *c->at == '\n';
}

err rj_row_bar(rj_cursor *c)
{
    rj_row_skip(c);
    if (*c->at != '|')
        return err_set(ERR_PARSE, "line %d, column %d: expected | and more fields: %s", c->number,
                       (int)(c->at - c->line) + 1, c->fields);
    c->at++;
    return ERR_OK;
}

err rj_row_field(rj_cursor *c, char *out, size_t n)
{
    rj_row_skip(c);
    const char *from = c->at;
    while (!rj_row_ends(c) && *c->at != '|') c->at++;
    const char *to = c->at;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    size_t len = (size_t)(to - from) < n ? (size_t)(to - from) : n - 1;
    memcpy(out, from, len);
    out[len] = 0;
    return rj_row_bar(c);
}
