// Sentences for people that come along with a result: a list, because a page and a JSON file show them one by one.
#ifndef KEIKO_STATS_NOTES_H
#define KEIKO_STATS_NOTES_H

#include "base/err.h"

typedef struct notes { // zero is empty
    char **line;       // each a full sentence or two, without a newline
    int n;
} notes;

err notes_add(notes *n, const char *fmt, ...) KEIKO_PRINTF(2, 3);
void notes_free(notes *n); // leaves it empty

#endif
