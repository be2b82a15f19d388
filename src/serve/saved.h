// Games that outlive the server: a text per id, in a SQLite file, or in memory where there is no SQLite.
//
// A put is in the file when it returns: what was answered is there after a kill. Safe from any thread.
#ifndef KEIKO_SERVE_SAVED_H
#define KEIKO_SERVE_SAVED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct saved saved;

enum {
    SAVED_ID = 32,
    SAVED_MOST = 20000
}; // MOST: games kept; those not used for the longest time are removed beyond that

err saved_open(saved **out, const char *path, int most); // path NULL, or a build without SQLite: in memory
void saved_close(saved *s);
void saved_tidy(saved *s); // now and then, by one thread: moves what was written to its place, while others go on
bool saved_on_disk(const saved *s);

err saved_put(saved *s, const char *id, const char *text, size_t size);
err saved_get(saved *s, const char *id, char **text, size_t *size); // ERR_MISSING; caller frees
err saved_delete(saved *s, const char *id);                         // a missing one is fine
int saved_count(saved *s);

typedef struct saved_row {
    char id[SAVED_ID];
    double used; // Unix time
    char *text;
    size_t size;
} saved_row;
// Those used last first, from the `from`th on. Caller frees with saved_list_free.
err saved_list(saved *s, int64_t from, int64_t limit, saved_row **out, int *n);
void saved_list_free(saved_row *row, int n);

#endif
