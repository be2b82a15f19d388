// Inside the SQLite store: what its two files share. Only store_sqlite*.c include this.
#ifndef KEIKO_ARENA_STORE_SQLITE_H
#define KEIKO_ARENA_STORE_SQLITE_H

#include "arena/store.h"

#ifdef KEIKO_SQLITE
#include <sqlite3.h>

typedef struct sqlite_store {
    store base;
    sqlite3 *db;
    sqlite3_stmt *insert;
    int lock;  // file descriptor that holds the writer's lock, -1 = reader
    bool ours; // opened to write and found to be a store: nothing is done to another program's file
    bool old;  // format 1
    move_t *moves;
    size_t room_moves;
    unsigned char *bytes;
    size_t room_bytes;
} sqlite_store;

// What SQLite said, and what a person can do about it. `doing`: "read", "write", "open".
err sql_refuse(sqlite_store *q, const char *doing);
err sql_damaged(const sqlite_store *q, const char *what);
err sql_execute(sqlite_store *q, const char *sql, const char *doing);
err sql_prepare(sqlite_store *q, const char *sql, sqlite3_stmt **out);
err sql_ask(sqlite_store *q, const char *sql, int64_t *out);
void sql_bind_text(sqlite3_stmt *s, int at, const char *text); // borrowed until the statement is stepped
err sql_step(sqlite_store *q, sqlite3_stmt *s);                // a statement without rows
err sql_end(sqlite_store *q, err e);                           // COMMIT, or ROLLBACK after an error

// store_sqlite_run.c: as store_kind wants them
int sql_runs(store *s);
err sql_begin(store *s, const tour_setup *r, double now, int *run);
err sql_load(store *s, int run, tour_setup *setup, tour_state *state);
err sql_finish(store *s, int run, uint64_t stop, double now);
err sql_rating(store *s, int run, const tour_rating *how);
#endif

#endif
