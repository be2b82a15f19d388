// See saved.h.
#include "serve/saved.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef KEIKO_SQLITE
#include <sqlite3.h>
#endif

enum { BUCKETS = 4096, APPLICATION = 0x6b67616d, FORMAT = 1 }; // "kgam"

typedef struct entry {
    struct entry *next;
    double used;
    size_t size;
    char *text;
    char id[];
} entry;

struct saved {
    pthread_mutex_t lock;
    int n, most;
    entry **bucket; // in memory; NULL: in a file
#ifdef KEIKO_SQLITE
    sqlite3 *db, *tidy; // tidy: another connection, for saved_tidy alone
    sqlite3_stmt *put, *get, *remove, *trim, *list;
#endif
};

// --- in memory

static entry **find(saved *s, const char *id)
{
    uint32_t h = 2166136261u;
    for (const char *p = id; *p != 0; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    entry **e = &s->bucket[h % BUCKETS];
    while (*e != NULL && strcmp((*e)->id, id) != 0) e = &(*e)->next;
    return e;
}

static void memory_remove(saved *s, entry **at)
{
    entry *e = *at;
    *at = e->next;
    free(e->text);
    free(e);
    s->n--;
}

static void memory_trim(saved *s)
{
    entry **oldest = NULL;
    for (int i = 0; i < BUCKETS; i++)
        for (entry **e = &s->bucket[i]; *e != NULL; e = &(*e)->next)
            if (oldest == NULL || (*e)->used < (*oldest)->used) oldest = e;
    if (oldest != NULL) memory_remove(s, oldest);
}

static err memory_put(saved *s, const char *id, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL) return err_set(ERR_MEMORY, "no memory to keep a game");
    memcpy(copy, text, size);
    copy[size] = 0;
    entry **at = find(s, id);
    if (*at == NULL) {
        entry *e = calloc(1, sizeof *e + strlen(id) + 1);
        if (e == NULL) {
            free(copy);
            return err_set(ERR_MEMORY, "no memory to keep a game");
        }
        strcpy(e->id, id);
        *at = e;
        s->n++;
    }
    free((*at)->text);
    (*at)->text = copy;
    (*at)->size = size;
    (*at)->used = clock_unix();
    if (s->n > s->most) memory_trim(s);
    return ERR_OK;
}

static err copy_out(const char *text, size_t size, char **out, size_t *n)
{
    *out = malloc(size + 1);
    if (*out == NULL) return err_set(ERR_MEMORY, "no memory for a game");
    memcpy(*out, text, size);
    (*out)[size] = 0;
    *n = size;
    return ERR_OK;
}

static err missing(void)
{
    return err_set(ERR_MISSING, "there is no session of that id");
}

static int newest_first(const void *a, const void *b)
{
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    return x->used != y->used ? (x->used < y->used ? 1 : -1) : strcmp(x->id, y->id);
}

static err memory_list_rows(saved *s, int64_t from, int64_t limit, saved_row *row, int *n)
{
    entry **all = calloc((size_t)s->n + 1, sizeof(entry *));
    err e = all != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for a list of games");
    int k = 0;
    for (int i = 0; e == ERR_OK && i < BUCKETS; i++)
        for (entry *x = s->bucket[i]; x != NULL; x = x->next) all[k++] = x;
    if (k > 1) qsort(all, (size_t)k, sizeof *all, newest_first);
    for (int64_t i = from; e == ERR_OK && i < k && *n < limit; i++) {
        saved_row *r = &row[*n];
        snprintf(r->id, sizeof r->id, "%s", all[i]->id);
        r->used = all[i]->used;
        e = copy_out(all[i]->text, all[i]->size, &r->text, &r->size);
        if (e == ERR_OK) ++*n;
    }
    free(all);
    return e;
}

static err open_memory(saved *s)
{
    s->bucket = calloc(BUCKETS, sizeof(entry *));
    return s->bucket != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for games");
}

// --- in a file

#ifdef KEIKO_SQLITE
static err sql_failed(const saved *s, const char *doing)
{
    return err_set(ERR_IO, "cannot %s the games: %s", doing, sqlite3_errmsg(s->db));
}

static err number_of(saved *s, const char *sql, int *out)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) return sql_failed(s, "read");
    err e = sqlite3_step(q) == SQLITE_ROW ? ERR_OK : sql_failed(s, "read");
    if (e == ERR_OK) *out = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return e;
}

static err open_file(saved *s, const char *path)
{
    // Checkpoints, which wait for the disk, are saved_tidy's; the writer makes one only if that has long been left behind.
    static const char schema[] =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; PRAGMA journal_size_limit = "
        "16777216; CREATE TABLE IF NOT EXISTS game (id TEXT PRIMARY KEY, used REAL NOT NULL, text BLOB NOT NULL) WITHOUT ROWID; "
        "CREATE INDEX IF NOT EXISTS game_used ON game (used)";
    char sql[100];
    int application = 0, format = 0, tables = 0;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return err_set(ERR_IO, "cannot open %s: %s", path, s->db != NULL ? sqlite3_errmsg(s->db) : "no memory");
    sqlite3_busy_timeout(s->db, 5000);
    err e = number_of(s, "PRAGMA application_id", &application);
    if (e == ERR_OK) e = number_of(s, "PRAGMA user_version", &format);
    if (e == ERR_OK) e = number_of(s, "SELECT count(*) FROM sqlite_master", &tables);
    if (e == ERR_OK && tables > 0 && (application != APPLICATION || format != FORMAT))
        e = err_set(ERR_USAGE, "%s is another program's file, or another version's; move it away", path);
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, FORMAT);
    if (e == ERR_OK && (sqlite3_exec(s->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
                        sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK))
        e = sql_failed(s, "write");
    const struct {
        sqlite3_stmt **q;
        const char *sql;
    } rows[] = {{&s->put, "INSERT INTO game (id, used, text) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET used = "
                          "?2, text = ?3"},
                {&s->get, "SELECT text FROM game WHERE id = ?1"},
                {&s->remove, "DELETE FROM game WHERE id = ?1"},
                {&s->trim, "DELETE FROM game WHERE id IN (SELECT id FROM game ORDER BY used LIMIT ?1)"},
                {&s->list, "SELECT id, used, text FROM game ORDER BY used DESC, id LIMIT ?1 OFFSET ?2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && e == ERR_OK; i++)
        if (sqlite3_prepare_v3(s->db, rows[i].sql, -1, SQLITE_PREPARE_PERSISTENT, rows[i].q, NULL) != SQLITE_OK)
            e = sql_failed(s, "read");
    if (e == ERR_OK) e = number_of(s, "SELECT count(*) FROM game", &s->n);
    if (e == ERR_OK && sqlite3_open_v2(path, &s->tidy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        e = err_set(ERR_IO, "cannot open %s a second time", path);
    return e;
}

static err run(saved *s, sqlite3_stmt *q)
{
    err e = sqlite3_step(q) == SQLITE_DONE ? ERR_OK : sql_failed(s, "write");
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
    return e;
}

static err file_put(saved *s, const char *id, const char *text, size_t size)
{
    sqlite3_bind_text(s->put, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_double(s->put, 2, clock_unix());
    sqlite3_bind_blob64(s->put, 3, text, size, SQLITE_STATIC);
    err e = run(s, s->put);
    if (e != ERR_OK || ++s->n <= s->most + s->most / 10) return e; // updates count, too: it is counted again below
    e = number_of(s, "SELECT count(*) FROM game", &s->n);
    if (e != ERR_OK || s->n <= s->most) return e;
    sqlite3_bind_int(s->trim, 1, s->n - s->most);
    s->n = s->most;
    return run(s, s->trim);
}

static err file_get(saved *s, const char *id, char **text, size_t *size)
{
    sqlite3_bind_text(s->get, 1, id, -1, SQLITE_STATIC);
    int found = sqlite3_step(s->get);
    err e = found == SQLITE_ROW
                ? copy_out(sqlite3_column_blob(s->get, 0), (size_t)sqlite3_column_bytes(s->get, 0), text, size)
            : found == SQLITE_DONE ? missing()
                                   : sql_failed(s, "read");
    sqlite3_reset(s->get);
    sqlite3_clear_bindings(s->get);
    return e;
}

static err file_list_rows(saved *s, int64_t from, int64_t limit, saved_row *row, int *n)
{
    int step;
    err e = ERR_OK;
    sqlite3_bind_int64(s->list, 1, limit);
    sqlite3_bind_int64(s->list, 2, from);
    while (e == ERR_OK && (step = sqlite3_step(s->list)) != SQLITE_DONE) {
        if (step != SQLITE_ROW) {
            e = sql_failed(s, "read");
            break;
        }
        saved_row *r = &row[*n];
        snprintf(r->id, sizeof r->id, "%s", (const char *)sqlite3_column_text(s->list, 0));
        r->used = sqlite3_column_double(s->list, 1);
        e = copy_out(sqlite3_column_blob(s->list, 2), (size_t)sqlite3_column_bytes(s->list, 2), &r->text, &r->size);
        if (e == ERR_OK) ++*n;
    }
    sqlite3_reset(s->list);
    sqlite3_clear_bindings(s->list);
    return e;
}
#endif

// --- either

err saved_open(saved **out, const char *path, int most)
{
    saved *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for games");
    pthread_mutex_init(&s->lock, NULL);
    s->most = most;
    err e;
#ifdef KEIKO_SQLITE
    e = path != NULL ? open_file(s, path) : open_memory(s);
#else
    (void)path;
    e = open_memory(s);
#endif
    return HAND_OVER(e, out, s, saved_close);
}

void saved_close(saved *s)
{
    if (s == NULL) return;
    for (int i = 0; s->bucket != NULL && i < BUCKETS; i++)
        while (s->bucket[i] != NULL) memory_remove(s, &s->bucket[i]);
    free(s->bucket);
#ifdef KEIKO_SQLITE
    sqlite3_finalize(s->put);
    sqlite3_finalize(s->get);
    sqlite3_finalize(s->remove);
    sqlite3_finalize(s->trim);
    sqlite3_finalize(s->list);
    sqlite3_close(s->tidy);
    sqlite3_close(s->db);
#endif
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void saved_tidy(saved *s)
{
#ifdef KEIKO_SQLITE
    if (s->tidy != NULL) sqlite3_wal_checkpoint_v2(s->tidy, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
#else
    (void)s;
#endif
}

bool saved_on_disk(const saved *s)
{
    return s->bucket == NULL;
}

err saved_put(saved *s, const char *id, const char *text, size_t size)
{
    pthread_mutex_lock(&s->lock);
#ifdef KEIKO_SQLITE
    err e = s->bucket != NULL ? memory_put(s, id, text, size) : file_put(s, id, text, size);
#else
    err e = memory_put(s, id, text, size);
#endif
    pthread_mutex_unlock(&s->lock);
    return e;
}

static err memory_get(saved *s, const char *id, char **text, size_t *size)
{
    entry *found = *find(s, id);
    return found != NULL ? copy_out(found->text, found->size, text, size) : missing();
}

err saved_get(saved *s, const char *id, char **text, size_t *size)
{
    pthread_mutex_lock(&s->lock);
#ifdef KEIKO_SQLITE
    err e = s->bucket != NULL ? memory_get(s, id, text, size) : file_get(s, id, text, size);
#else
    err e = memory_get(s, id, text, size);
#endif
    pthread_mutex_unlock(&s->lock);
    return e;
}

err saved_delete(saved *s, const char *id)
{
    err e = ERR_OK;
    pthread_mutex_lock(&s->lock);
    if (s->bucket != NULL) {
        entry **at = find(s, id);
        if (*at != NULL) memory_remove(s, at);
    }
#ifdef KEIKO_SQLITE
    else {
        sqlite3_bind_text(s->remove, 1, id, -1, SQLITE_STATIC);
        e = run(s, s->remove);
    }
#endif
    pthread_mutex_unlock(&s->lock);
    return e;
}

int saved_count(saved *s)
{
    int n;
    pthread_mutex_lock(&s->lock);
    n = s->n;
#ifdef KEIKO_SQLITE
    if (s->bucket == NULL && number_of(s, "SELECT count(*) FROM game", &n) != ERR_OK) n = 0;
#endif
    pthread_mutex_unlock(&s->lock);
    return n;
}

err saved_list(saved *s, int64_t from, int64_t limit, saved_row **out, int *n)
{
    saved_row *row = calloc((size_t)limit, sizeof *row);
    *n = 0;
    if (row == NULL) return err_set(ERR_MEMORY, "no memory for a list of games");
    pthread_mutex_lock(&s->lock);
#ifdef KEIKO_SQLITE
    err e = s->bucket != NULL ? memory_list_rows(s, from, limit, row, n) : file_list_rows(s, from, limit, row, n);
#else
    err e = memory_list_rows(s, from, limit, row, n);
#endif
    pthread_mutex_unlock(&s->lock);
    if (e == ERR_OK) {
        *out = row;
    } else {
        saved_list_free(row, *n);
        *n = 0;
    }
    return e;
}

void saved_list_free(saved_row *row, int n)
{
    for (int i = 0; i < n; i++) free(row[i].text);
    free(row);
}
