// A growing list of printed sentences.
#include "stats/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

err notes_add(notes *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int length = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char **line = realloc(n->line, ((size_t)n->n + 1) * sizeof *line);
    if (line == NULL) return err_set(ERR_MEMORY, "out of memory for a note");
    n->line = line;
    line[n->n] = malloc((size_t)length + 1);
    if (line[n->n] == NULL) return err_set(ERR_MEMORY, "out of memory for a note");
    va_start(ap, fmt);
    vsnprintf(line[n->n], (size_t)length + 1, fmt, ap);
    va_end(ap);
    n->n++;
    return ERR_OK;
}

void notes_free(notes *n)
{
    for (int i = 0; i < n->n; i++) free(n->line[i]);
    free(n->line);
    *n = (notes){0};
}
