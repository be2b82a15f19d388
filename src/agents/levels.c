// See levels.h. The rows are in level_rows.h.
#include "agents/levels.h"

#include <stdio.h>
#include <string.h>

#define NOT_MEASURED 0, 0, ""

static const level_row rows[] = {
#define LEVEL(game_, number_, name_, spec_, ...) {game_, number_, name_, spec_, __VA_ARGS__},
#include "agents/level_rows.h"
#undef LEVEL
};

enum { N_ROWS = sizeof rows / sizeof *rows };

// The digits of each number, so that a level without a name has a word of static life.
static const char *const digits[LEVELS + 1] = {"", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};

const level_row *level_at(const game *g, int i)
{
    for (int k = 0; k < N_ROWS; k++)
        if (rows[k].number == i + 1 && strcmp(rows[k].game, g->name) == 0) return &rows[k];
    return NULL;
}

int level_count(const game *g)
{
    return level_at(g, 0) == NULL ? 0 : LEVELS;
}

const level_row *level_find(const game *g, const char *word)
{
    for (int i = 0; i < level_count(g); i++) {
        const level_row *l = level_at(g, i);
        if (strcmp(word, digits[l->number]) == 0 || (l->name[0] != 0 && strcmp(word, l->name) == 0)) return l;
    }
    return NULL;
}

const char *level_word(const level_row *l)
{
    return l->name[0] != 0 ? l->name : digits[l->number];
}

err level_expand(const game *g, const char *spec, char *out, size_t n)
{
    char word[16];
    size_t len = strcspn(spec, ":");
    const level_row *l = NULL;
    if (len < sizeof word) {
        memcpy(word, spec, len);
        word[len] = 0;
        l = level_find(g, word);
    }
    const char *base = l == NULL ? spec : l->spec, *more = l == NULL || spec[len] == 0 ? "" : spec + len + 1;
    const char *between = more[0] == 0 ? "" : strchr(base, ':') == NULL ? ":" : ",";
    int used = snprintf(out, n, "%s%s%s", base, between, more);
    return used >= 0 && (size_t)used < n ? ERR_OK
                                         : err_set(ERR_LIMIT, "an agent is written with at most %zu characters", n - 1);
}
