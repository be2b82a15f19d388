// Runs in a SQLite file: one row per game, readable by anybody.
//
// Write-ahead log, full synchronisation, one transaction for each batch: what store_add() has returned is on the disk, and
// kill -9 at any moment leaves whole batches. A second writer is kept out by a lock on the file that ends with its process;
// readers are welcome at any time. A game's number and its run are one integer key, so that rows are appended in order.
// The view `games` shows everything about a game in words.
#include "arena/store_sqlite.h"

#ifdef KEIKO_SQLITE

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// "keik". Format 1 (0.1.0) has no CPU times and does not say how a run is rated: it is read as it is, and brought up to
// date when it is opened to write.
enum { APPLICATION = 0x6b65696b, FORMAT = 2 };

static const char schema[] =
    "CREATE TABLE run (id INTEGER PRIMARY KEY, game TEXT NOT NULL, settings TEXT NOT NULL, schedule TEXT NOT NULL,"
    " games INTEGER NOT NULL, seed INTEGER NOT NULL, openings TEXT NOT NULL, max_plies INTEGER NOT NULL,"
    " adjudicate INTEGER NOT NULL, resign REAL NOT NULL, resign_moves INTEGER NOT NULL, has_sprt INTEGER NOT NULL,"
    " elo0 REAL NOT NULL, elo1 REAL NOT NULL, alpha REAL NOT NULL, beta REAL NOT NULL, scale INTEGER NOT NULL,"
    " build TEXT NOT NULL, started REAL NOT NULL, ended REAL NOT NULL DEFAULT 0, stop INTEGER NOT NULL DEFAULT 0,"
    " model TEXT, errors TEXT, anchor TEXT, prior REAL, level REAL);"
    "CREATE TABLE player (run INTEGER NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL, spec TEXT NOT NULL,"
    " config TEXT NOT NULL, PRIMARY KEY (run, seat)) WITHOUT ROWID;"
    "CREATE TABLE opening (run INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, moves BLOB NOT NULL,"
    " PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE TABLE game (key INTEGER PRIMARY KEY, first INTEGER NOT NULL, second INTEGER NOT NULL,"
    " opening INTEGER NOT NULL, pair INTEGER NOT NULL, halves INTEGER NOT NULL, reason INTEGER NOT NULL,"
    " failed INTEGER NOT NULL, plies INTEGER NOT NULL, opening_plies INTEGER NOT NULL,"
    " choices0 INTEGER NOT NULL, choices1 INTEGER NOT NULL, nodes0 INTEGER NOT NULL, nodes1 INTEGER NOT NULL,"
    " seconds0 REAL NOT NULL, seconds1 REAL NOT NULL, moves BLOB NOT NULL, detail TEXT,"
    " cpu0 REAL NOT NULL DEFAULT 0, cpu1 REAL NOT NULL DEFAULT 0);"
    "CREATE TABLE reason (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE VIEW games AS SELECT g.key >> 32 AS run, (g.key & 4294967295) + 1 AS id, a.name AS first, b.name AS second,"
    " CASE g.halves WHEN 2 THEN a.name WHEN 0 THEN b.name ELSE 'draw' END AS winner, e.name AS reason, g.plies,"
    " r.seed, g.opening, g.pair, g.nodes0 AS first_nodes, g.nodes1 AS second_nodes, g.seconds0 AS first_seconds,"
    " g.seconds1 AS second_seconds, a.config AS first_config, b.config AS second_config, r.build, g.detail"
    " FROM game g JOIN run r ON r.id = g.key >> 32 JOIN player a ON a.run = r.id AND a.seat = g.first"
    " JOIN player b ON b.run = r.id AND b.seat = g.second LEFT JOIN reason e ON e.id = g.reason;";

bool store_has_files(void)
{
    return true;
}

// What SQLite said, and what a person can do about it.
err sql_refuse(sqlite_store *q, const char *doing)
{
    const char *path = q->base.path, *said = q->db != NULL ? sqlite3_errmsg(q->db) : "no memory";
    int code = q->db != NULL ? sqlite3_errcode(q->db) : SQLITE_NOMEM;
    switch (code & 0xff) {
    case SQLITE_FULL:
        return err_set(ERR_IO,
                       "cannot %s %s: the disk is full. Games kept so far are safe; free some space and continue "
                       "with --resume",
                       doing, path);
    case SQLITE_IOERR:
        return err_set(ERR_IO,
                       "cannot %s %s: %s (a full or failing disk?). Games kept so far are safe; continue with "
                       "--resume",
                       doing, path, said);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(ERR_PARSE,
                       "%s is damaged or no keiko store (%s); move it away and start anew, or try to save its "
                       "rows with `sqlite3 %s .recover`",
                       path, said, path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_set(ERR_IO, "cannot %s %s: another program is writing to it", doing, path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
        return err_set(ERR_IO, "cannot %s %s: %s; check who may write there", doing, path, said);
    default:
        return err_set(ERR_IO, "cannot %s %s: %s", doing, path, said);
    }
}

err sql_execute(sqlite_store *q, const char *sql, const char *doing)
{
    return sqlite3_exec(q->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : sql_refuse(q, doing);
}

err sql_prepare(sqlite_store *q, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(q->db, sql, -1, out, NULL) == SQLITE_OK ? ERR_OK : sql_refuse(q, "read");
}

err sql_damaged(const sqlite_store *q, const char *what)
{
    return err_set(ERR_PARSE, "%s is damaged: %s", q->base.path, what);
}

// The first number of the first row.
err sql_ask(sqlite_store *q, const char *sql, int64_t *out)
{
    sqlite3_stmt *s = NULL;
    err e = sql_prepare(q, sql, &s);
    if (e != ERR_OK) return e;
    if (sqlite3_step(s) == SQLITE_ROW)
        *out = sqlite3_column_int64(s, 0);
    else
        e = sql_refuse(q, "read");
    sqlite3_finalize(s);
    return e;
}

static void close_file(store *s)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_finalize(q->insert);
    // At rest the store is one plain file, which can be copied and read anywhere; not when somebody is reading it just now.
    if (q->ours) sqlite3_exec(q->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(q->db);
    if (q->lock >= 0) close(q->lock); // after SQLite: closing any descriptor of a file ends POSIX locks on it
    free(q->moves);
    free(q->bytes);
    free(q);
}

void sql_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

err sql_step(sqlite_store *q, sqlite3_stmt *s)
{
    err e = sqlite3_step(s) == SQLITE_DONE ? ERR_OK : sql_refuse(q, "write");
    sqlite3_reset(s);
    return e;
}

// COMMIT, or ROLLBACK after an error, whose sentence is kept.
err sql_end(sqlite_store *q, err e)
{
    if (e == ERR_OK) e = sql_execute(q, "COMMIT", "write");
    if (e != ERR_OK && !sqlite3_get_autocommit(q->db)) sqlite3_exec(q->db, "ROLLBACK", NULL, NULL, NULL);
    return e;
}

// --- opening

bool store_is_written(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return taken;
}

static err make_tables(sqlite_store *q)
{
    char sql[200];
    err e = sql_execute(q, "BEGIN IMMEDIATE", "write");
    if (e == ERR_OK) e = sql_execute(q, schema, "write");
    for (int i = 0; e == ERR_OK && i <= MATCH_FAILED; i++) {
        if (i == REASON_COUNT) i = MATCH_CAP;
        snprintf(sql, sizeof sql, "INSERT INTO reason VALUES (%d, '%s')", i, match_reason_name(i));
        e = sql_execute(q, sql, "write");
    }
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION, FORMAT);
    return e == ERR_OK ? sql_execute(q, sql, "write") : e;
}

static err check_file(sqlite_store *q, bool write)
{
    int64_t application = 0, format = 0, tables = 0, ours = 0;
    err e = sql_ask(q, "PRAGMA application_id", &application);
    if (e == ERR_OK) e = sql_ask(q, "PRAGMA user_version", &format);
    if (e == ERR_OK) e = sql_ask(q, "SELECT count(*) FROM sqlite_master", &tables);
    if (e == ERR_OK)
        e = sql_ask(
            q,
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('run', 'player', 'opening', 'game')",
            &ours);
    if (e != ERR_OK) return e;
    if (tables == 0 && application == 0) {
        if (!write) return err_set(ERR_MISSING, "%s holds no run yet", q->base.path);
        return make_tables(q);
    }
    if (application != APPLICATION) return err_set(ERR_PARSE, "%s is a database of another program", q->base.path);
    q->old = format == 1 && !write;
    if (format < 1 || format > FORMAT)
        return err_set(ERR_PARSE, "%s was written by another version of keiko (format %d, here %d)", q->base.path,
                       (int)format, FORMAT);
    // Somebody else's view of that name could run for ever.
    if (ours != 4) return sql_damaged(q, "a table is missing");
    // A torn file must be noticed before games are added to it, not when the report is wanted.
    sqlite3_stmt *s = NULL;
    e = write ? sql_prepare(q, "PRAGMA quick_check(1)", &s) : ERR_OK;
    if (e == ERR_OK && s != NULL) {
        if (sqlite3_step(s) != SQLITE_ROW)
            e = sql_refuse(q, "read");
        else if (strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0)
            e = err_set(ERR_PARSE,
                        "%s is damaged (%s); move it away and start anew, or try to save its rows with `sqlite3 %s "
                        ".recover`",
                        q->base.path, (const char *)sqlite3_column_text(s, 0), q->base.path);
    }
    sqlite3_finalize(s);
    if (e == ERR_OK && write && format == 1)
        e = sql_execute(
            q,
            "BEGIN IMMEDIATE; ALTER TABLE game ADD COLUMN cpu0 REAL NOT NULL DEFAULT 0;"
            "ALTER TABLE game ADD COLUMN cpu1 REAL NOT NULL DEFAULT 0; ALTER TABLE run ADD COLUMN model TEXT;"
            "ALTER TABLE run ADD COLUMN errors TEXT; ALTER TABLE run ADD COLUMN anchor TEXT;"
            "ALTER TABLE run ADD COLUMN prior REAL; ALTER TABLE run ADD COLUMN level REAL;"
            "PRAGMA user_version = 2; COMMIT",
            "write");
    return e;
}

static err add(store *s, int run, const match_record *r, int n);
static err games(store *s, int run, store_visit *fn, void *ctx);

static const store_kind kind = {close_file, sql_runs, sql_begin, sql_load, add, sql_finish, sql_rating, games};

err store_open_file(store **out, const char *path, bool write)
{
    if (!write && !file_exists(path)) return err_set(ERR_MISSING, "there is no %s", path);
    sqlite_store *q = calloc(1, sizeof *q);
    if (q == NULL) return err_set(ERR_MEMORY, "no memory for the store");
    q->base.kind = &kind;
    q->lock = -1;
    err e = ERR_OK;
    if (strlen(path) >= sizeof q->base.path) e = err_set(ERR_LIMIT, "the path of the store is too long");
    if (e == ERR_OK) strcpy(q->base.path, path);
    if (e == ERR_OK && write) e = file_make_parent(path);
    if (e == ERR_OK && write) e = file_lock(&q->lock, path, "give another --output");
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (e == ERR_OK && sqlite3_open_v2(path, &q->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        e = sql_refuse(q, "open");
    if (e == ERR_OK) sqlite3_busy_timeout(q->db, 5000);
    if (e == ERR_OK) e = sql_execute(q, "PRAGMA trusted_schema = OFF", "open"); // anybody may have written the file
    if (e == ERR_OK) e = check_file(q, write);
    q->ours = e == ERR_OK && write;
    if (e == ERR_OK && write)
        e = sql_execute(q, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000",
                        "open");
    if (e != ERR_OK)
        close_file(&q->base);
    else
        *out = &q->base;
    return e;
}

// --- games. Moves are bytes where the game has at most 256 of them, else two bytes each, low first.

static err pack_moves(sqlite_store *q, const match_record *r, int *size)
{
    bool wide = false;
    if (2 * (size_t)r->plies > q->room_bytes) {
        free(q->bytes);
        q->room_bytes = 4 * (size_t)r->plies + 256;
        q->bytes = malloc(q->room_bytes);
        if (q->bytes == NULL) q->room_bytes = 0;
        if (q->bytes == NULL) return err_set(ERR_MEMORY, "no memory for the moves of a game");
    }
    for (int i = 0; i < r->plies; i++) wide = wide || r->moves[i] > 255;
    for (int i = 0; i < r->plies; i++) {
        if (wide) {
            q->bytes[2 * i] = (unsigned char)(r->moves[i] & 255);
            q->bytes[2 * i + 1] = (unsigned char)(r->moves[i] >> 8);
        } else {
            q->bytes[i] = (unsigned char)r->moves[i];
        }
    }
    *size = wide ? 2 * r->plies : r->plies;
    return ERR_OK;
}

static err unpack_moves(sqlite_store *q, sqlite3_stmt *s, int at, match_record *r)
{
    const unsigned char *bytes = sqlite3_column_blob(s, at);
    int size = sqlite3_column_bytes(s, at), n = r->plies;
    if (size != n && size != 2 * n) return sql_damaged(q, "a game's moves do not fit its length");
    if ((size_t)n > q->room_moves) {
        free(q->moves);
        q->room_moves = 2 * (size_t)n + 256;
        q->moves = malloc(q->room_moves * sizeof *q->moves);
        if (q->moves == NULL) q->room_moves = 0;
        if (q->moves == NULL) return err_set(ERR_MEMORY, "no memory for the moves of a game");
    }
    for (int i = 0; i < n; i++) q->moves[i] = (move_t)(size == n ? bytes[i] : bytes[2 * i] | bytes[2 * i + 1] << 8);
    r->moves = q->moves;
    return ERR_OK;
}

static err add_one(sqlite_store *q, int run, const match_record *r)
{
    sqlite3_stmt *s = q->insert;
    int size = 0;
    err e = pack_moves(q, r, &size);
    if (e != ERR_OK) return e;
    sqlite3_bind_int64(s, 1, (int64_t)run << 32 | (int64_t)r->what.id);
    sqlite3_bind_int(s, 2, r->what.player[0]);
    sqlite3_bind_int(s, 3, r->what.player[1]);
    sqlite3_bind_int64(s, 4, r->what.opening);
    sqlite3_bind_int64(s, 5, r->what.pair);
    sqlite3_bind_int(s, 6, r->halves);
    sqlite3_bind_int(s, 7, r->reason);
    sqlite3_bind_int(s, 8, r->failed);
    sqlite3_bind_int(s, 9, r->plies);
    sqlite3_bind_int(s, 10, r->opening_plies);
    sqlite3_bind_int64(s, 11, r->side[0].choices);
    sqlite3_bind_int64(s, 12, r->side[1].choices);
    sqlite3_bind_int64(s, 13, (int64_t)r->side[0].nodes);
    sqlite3_bind_int64(s, 14, (int64_t)r->side[1].nodes);
    sqlite3_bind_double(s, 15, r->side[0].seconds);
    sqlite3_bind_double(s, 16, r->side[1].seconds);
    sqlite3_bind_blob(s, 17, q->bytes, size, SQLITE_STATIC);
    if (size == 0) sqlite3_bind_zeroblob(s, 17, 0);
    if (r->detail[0])
        sql_bind_text(s, 18, r->detail);
    else
        sqlite3_bind_null(s, 18);
    sqlite3_bind_double(s, 19, r->side[0].cpu);
    sqlite3_bind_double(s, 20, r->side[1].cpu);
    return sql_step(q, s);
}

static err add(store *s, int run, const match_record *r, int n)
{
    sqlite_store *q = (sqlite_store *)s;
    err e = ERR_OK;
    // SQLite would go on writing to a file without a name, and nobody would find these games again.
    if (!file_is_at(q->lock, q->base.path))
        return err_set(
            ERR_IO,
            "%s was moved or removed while games were written to it; where it was moved to, the games kept so "
            "far are safe: continue there with --resume",
            q->base.path);
    if (q->insert == NULL)
        e = sql_prepare(q, "INSERT INTO game VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q->insert);
    if (e == ERR_OK) e = sql_execute(q, "BEGIN IMMEDIATE", "write");
    if (e != ERR_OK) return e;
    for (int i = 0; e == ERR_OK && i < n; i++) e = add_one(q, run, &r[i]);
    return sql_end(q, e);
}

static err get_game(sqlite_store *q, sqlite3_stmt *s, int players, match_record *r)
{
    const unsigned char *detail = sqlite3_column_text(s, 17);
    *r = (match_record){
        .what = {.id = (uint64_t)sqlite3_column_int64(s, 0) & UINT32_MAX,
                 .player = {(uint16_t)sqlite3_column_int(s, 1), (uint16_t)sqlite3_column_int(s, 2)},
                 .opening = (uint32_t)sqlite3_column_int64(s, 3),
                 .pair = (uint32_t)sqlite3_column_int64(s, 4)},
        .halves = (uint8_t)sqlite3_column_int(s, 5),
        .reason = (uint8_t)sqlite3_column_int(s, 6),
        .failed = (uint8_t)sqlite3_column_int(s, 7),
        .plies = (uint16_t)sqlite3_column_int(s, 8),
        .opening_plies = (uint16_t)sqlite3_column_int(s, 9),
        .side = {{(uint32_t)sqlite3_column_int64(s, 10), (uint64_t)sqlite3_column_int64(s, 12),
                  sqlite3_column_double(s, 14), q->old ? 0 : sqlite3_column_double(s, 18)},
                 {(uint32_t)sqlite3_column_int64(s, 11), (uint64_t)sqlite3_column_int64(s, 13),
                  sqlite3_column_double(s, 15), q->old ? 0 : sqlite3_column_double(s, 19)}},
        .detail = detail == NULL ? "" : (const char *)detail,
    };
    if (r->what.player[0] >= players || r->what.player[1] >= players || r->what.player[0] == r->what.player[1] ||
        r->halves > 2)
        return sql_damaged(q, "a game has impossible players or points");
    for (int i = 0; i < 2; i++)
        if (!(r->side[i].seconds >= 0 && r->side[i].seconds < 1e12 && r->side[i].cpu >= 0 && r->side[i].cpu < 1e12))
            return sql_damaged(q, "a game has impossible times");
    return unpack_moves(q, s, 16, r);
}

static err games(store *s, int run, store_visit *fn, void *ctx)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    int64_t players = 0;
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM player WHERE run = %d", run);
    err e = sql_ask(q, sql, &players);
    if (e == ERR_OK) e = sql_prepare(q, "SELECT * FROM game WHERE key >= ? AND key < ? ORDER BY key", &t);
    if (e != ERR_OK) return e;
    int code = SQLITE_DONE;
    sqlite3_bind_int64(t, 1, (int64_t)run << 32);
    sqlite3_bind_int64(t, 2, (int64_t)(run + 1) << 32);
    while (e == ERR_OK && (code = sqlite3_step(t)) == SQLITE_ROW) {
        match_record r;
        e = get_game(q, t, (int)players, &r);
        if (e == ERR_OK) e = fn(ctx, &r);
    }
    if (e == ERR_OK && code != SQLITE_DONE) e = sql_refuse(q, "read");
    sqlite3_finalize(t);
    return e;
}

#else

bool store_has_files(void)
{
    return false;
}

bool store_is_written(const char *path)
{
    (void)path;
    return false;
}

err store_open_file(store **out, const char *path, bool write)
{
    (void)out;
    (void)write;
    return err_set(ERR_MISSING,
                   "cannot open %s: this keiko was built without SQLite (install libsqlite3-dev and build again)",
                   path);
}

#endif
