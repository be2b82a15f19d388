// See opt_table.h.
#include "base/opt_table.h"

#include "base/opt_inner.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { TABLES = 64, KEPT = 2048 }; // all tables of the program that hold others; raise them when the assertion says so

static struct {
    const opt *of, *rows;
    int n;
} known[TABLES];
static opt kept[KEPT];
static int n_known, n_kept;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const char *default_of(const opt_default *list, const opt *o)
{
    for (; list != NULL && list->name != NULL; list++)
        if (strcmp(list->name, o->name) == 0) return list->preset;
    return o->preset;
}

// Appends the rows, moved by `at`. An outer table's defaults win over an inner one's.
static void append(const opt *rows, int n, size_t at, const opt_default *outer)
{
    for (int i = 0; i < n; i++) {
        if (rows[i].kind == OPT_TABLE) {
            int from = n_kept;
            append(rows[i].table, *rows[i].n_table, at + rows[i].at, rows[i].defaults);
            for (int k = from; k < n_kept; k++)
                if (kept[k].name != NULL) kept[k].preset = default_of(outer, &kept[k]);
            continue;
        }
        assert(n_kept < KEPT);
        opt *o = &kept[n_kept++];
        *o = rows[i];
        o->at += at;
        if (o->name != NULL) o->preset = default_of(outer, o);
    }
}

const opt *opt_flat(const opt *rows, int n, int *n_flat)
{
    int i = 0;
    *n_flat = n;
    while (i < n && rows[i].kind != OPT_TABLE) i++;
    if (i == n) return rows;
    pthread_mutex_lock(&mutex);
    for (i = 0; i < n_known && known[i].of != rows; i++)
        ;
    if (i == n_known) {
        assert(n_known < TABLES);
        int from = n_kept;
        append(rows, n, 0, NULL);
        known[n_known].of = rows;
        known[n_known].rows = kept + from;
        known[n_known++].n = n_kept - from;
    }
    *n_flat = known[i].n;
    const opt *flat = known[i].rows;
    pthread_mutex_unlock(&mutex);
    return flat;
}

const opt *opt_find(const opt *rows, int n, const char *key)
{
    const opt *flat = opt_flat(rows, n, &n);
    for (int i = 0; i < n; i++)
        if (opt_is(&flat[i], key, strlen(key))) return &flat[i];
    return NULL;
}
