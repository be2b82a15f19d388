// Runs in a SQLite file: one row a game, readable by anybody.
//
// Write-ahead log, full synchronisation, one transaction for each batch: what store_add() has returned is on the disk, and
// kill -9 at any moment leaves whole batches. A second writer is kept out by a lock on the file that ends with its process;
// readers are welcome at any time. A game's number and its run are one integer key, so that rows are appended in order.
// The view `games` shows everything about a game in words.
#include "arena/store.h"

#ifdef KEIKO_SQLITE

#include "arena/stored.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
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

bool store_has_files(void)
{
    return true;
}

// What SQLite said, and what a person can do about it.
static err refuse(sqlite_store *q, const char *doing)
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

static err execute(sqlite_store *q, const char *sql, const char *doing)
{
    return sqlite3_exec(q->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : refuse(q, doing);
}

static err prepare(sqlite_store *q, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(q->db, sql, -1, out, NULL) == SQLITE_OK ? ERR_OK : refuse(q, "read");
}

// The first number of the first row.
static err ask(sqlite_store *q, const char *sql, int64_t *out)
{
    sqlite3_stmt *s = NULL;
    err e = prepare(q, sql, &s);
    if (e != ERR_OK) return e;
    if (sqlite3_step(s) == SQLITE_ROW)
        *out = sqlite3_column_int64(s, 0);
    else
        e = refuse(q, "read");
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

// --- opening

static err take_lock(sqlite_store *q)
{
    q->lock = open(q->base.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (q->lock < 0)
        return err_set(ERR_IO, "cannot open %s: %s%s", q->base.path, strerror(errno),
                       errno == ENOSPC ? "; free some space" : "; check who may write there");
    if (flock(q->lock, LOCK_EX | LOCK_NB) == 0) return ERR_OK;
    return err_set(ERR_IO, "another keiko is writing to %s; wait for it, or give another --output", q->base.path);
}

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
    err e = execute(q, "BEGIN IMMEDIATE", "write");
    if (e == ERR_OK) e = execute(q, schema, "write");
    for (int i = 0; e == ERR_OK && i <= MATCH_FAILED; i++) {
        if (i == REASON_COUNT) i = MATCH_CAP;
        snprintf(sql, sizeof sql, "INSERT INTO reason VALUES (%d, '%s')", i, match_reason_name(i));
        e = execute(q, sql, "write");
    }
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION, FORMAT);
    return e == ERR_OK ? execute(q, sql, "write") : e;
}

static err check_file(sqlite_store *q, bool write)
{
    int64_t application = 0, format = 0, tables = 0;
    err e = ask(q, "PRAGMA application_id", &application);
    if (e == ERR_OK) e = ask(q, "PRAGMA user_version", &format);
    if (e == ERR_OK) e = ask(q, "SELECT count(*) FROM sqlite_master", &tables);
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
    // A torn file must be noticed before games are added to it, not when the report is wanted.
    sqlite3_stmt *s = NULL;
    e = write ? prepare(q, "PRAGMA quick_check(1)", &s) : ERR_OK;
    if (e == ERR_OK && s != NULL) {
        if (sqlite3_step(s) != SQLITE_ROW)
            e = refuse(q, "read");
        else if (strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0)
            e = err_set(ERR_PARSE,
                        "%s is damaged (%s); move it away and start anew, or try to save its rows with `sqlite3 %s "
                        ".recover`",
                        q->base.path, (const char *)sqlite3_column_text(s, 0), q->base.path);
    }
    sqlite3_finalize(s);
    if (e == ERR_OK && write && format == 1)
        e = execute(q,
                    "BEGIN IMMEDIATE; ALTER TABLE game ADD COLUMN cpu0 REAL NOT NULL DEFAULT 0;"
                    "ALTER TABLE game ADD COLUMN cpu1 REAL NOT NULL DEFAULT 0; ALTER TABLE run ADD COLUMN model TEXT;"
                    "ALTER TABLE run ADD COLUMN errors TEXT; ALTER TABLE run ADD COLUMN anchor TEXT;"
                    "ALTER TABLE run ADD COLUMN prior REAL; ALTER TABLE run ADD COLUMN level REAL;"
                    "PRAGMA user_version = 2; COMMIT",
                    "write");
    return e;
}

static int runs(store *s);
static err begin(store *s, const tour_setup *r, double now, int *run);
static err load(store *s, int run, tour_setup *setup, tour_state *state);
static err add(store *s, int run, const match_record *r, int n);
static err finish(store *s, int run, uint64_t stop, double now);
static err rating(store *s, int run, const tour_rating *how);
static err games(store *s, int run, store_visit *fn, void *ctx);

static const store_kind kind = {close_file, runs, begin, load, add, finish, rating, games};

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
    if (e == ERR_OK && write) e = take_lock(q);
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (e == ERR_OK && sqlite3_open_v2(path, &q->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        e = refuse(q, "open");
    if (e == ERR_OK) sqlite3_busy_timeout(q->db, 5000);
    if (e == ERR_OK) e = check_file(q, write);
    q->ours = e == ERR_OK && write;
    if (e == ERR_OK && write)
        e = execute(q, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000",
                    "open");
    if (e != ERR_OK)
        close_file(&q->base);
    else
        *out = &q->base;
    return e;
}

// --- runs

static int runs(store *s)
{
    int64_t n = 0;
    return ask((sqlite_store *)s, "SELECT coalesce(max(id), 0) FROM run", &n) == ERR_OK ? (int)n : 0;
}

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static err step_once(sqlite_store *q, sqlite3_stmt *s)
{
    err e = sqlite3_step(s) == SQLITE_DONE ? ERR_OK : refuse(q, "write");
    sqlite3_reset(s);
    return e;
}

static err write_run(sqlite_store *q, const tour_setup *r, double now, int run)
{
    sqlite3_stmt *s = NULL;
    err e =
        prepare(q,
                "INSERT INTO run (id, game, settings, schedule, games, seed, openings, max_plies, adjudicate, resign,"
                " resign_moves, has_sprt, elo0, elo1, alpha, beta, scale, build, started)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                &s);
    if (e != ERR_OK) return e;
    sqlite3_bind_int(s, 1, run);
    bind_text(s, 2, r->g->name);
    bind_text(s, 3, r->settings);
    bind_text(s, 4, schedule_names[r->schedule]);
    sqlite3_bind_int64(s, 5, (int64_t)r->games);
    sqlite3_bind_int64(s, 6, (int64_t)r->seed);
    bind_text(s, 7, r->openings);
    sqlite3_bind_int(s, 8, r->rules.max_plies);
    sqlite3_bind_int(s, 9, r->rules.adjudicate);
    sqlite3_bind_double(s, 10, r->rules.resign);
    sqlite3_bind_int(s, 11, r->rules.resign_moves);
    sqlite3_bind_int(s, 12, r->has_sprt);
    sqlite3_bind_double(s, 13, r->sprt.elo0);
    sqlite3_bind_double(s, 14, r->sprt.elo1);
    sqlite3_bind_double(s, 15, r->sprt.alpha);
    sqlite3_bind_double(s, 16, r->sprt.beta);
    sqlite3_bind_int(s, 17, (int)r->sprt.scale);
    bind_text(s, 18, r->build);
    sqlite3_bind_double(s, 19, now);
    e = step_once(q, s);
    sqlite3_finalize(s);
    return e;
}

static err write_players(sqlite_store *q, const tour_setup *r, int run)
{
    sqlite3_stmt *s = NULL;
    err e = prepare(q, "INSERT INTO player VALUES (?,?,?,?,?)", &s);
    for (int i = 0; e == ERR_OK && i < r->n_players; i++) {
        sqlite3_bind_int(s, 1, run);
        sqlite3_bind_int(s, 2, i);
        bind_text(s, 3, r->player[i].name);
        bind_text(s, 4, r->player[i].spec);
        bind_text(s, 5, r->player[i].config);
        e = step_once(q, s);
    }
    sqlite3_finalize(s);
    return e;
}

static err write_openings(sqlite_store *q, const tour_setup *r, int run)
{
    sqlite3_stmt *s = NULL;
    err e = prepare(q, "INSERT INTO opening VALUES (?,?,?,?)", &s);
    for (uint32_t i = 0; e == ERR_OK && i < r->set.n; i++) {
        const opening *o = &r->set.line[i];
        unsigned char bytes[2 * OPENING_PLIES];
        for (int k = 0; k < o->plies; k++) {
            bytes[2 * k] = (unsigned char)(o->moves[k] & 255);
            bytes[2 * k + 1] = (unsigned char)(o->moves[k] >> 8);
        }
        sqlite3_bind_int(s, 1, run);
        sqlite3_bind_int64(s, 2, i);
        bind_text(s, 3, o->name);
        sqlite3_bind_blob(s, 4, bytes, 2 * o->plies, SQLITE_STATIC);
        e = step_once(q, s);
    }
    sqlite3_finalize(s);
    return e;
}

// COMMIT, or ROLLBACK after an error, whose sentence is kept.
static err end_transaction(sqlite_store *q, err e)
{
    if (e == ERR_OK) e = execute(q, "COMMIT", "write");
    if (e != ERR_OK && !sqlite3_get_autocommit(q->db)) sqlite3_exec(q->db, "ROLLBACK", NULL, NULL, NULL);
    return e;
}

static err begin(store *s, const tour_setup *r, double now, int *run)
{
    sqlite_store *q = (sqlite_store *)s;
    int id = runs(s) + 1;
    err e = execute(q, "BEGIN IMMEDIATE", "write");
    if (e == ERR_OK) {
        e = write_run(q, r, now, id);
        if (e == ERR_OK) e = write_players(q, r, id);
        if (e == ERR_OK) e = write_openings(q, r, id);
        if (e == ERR_OK) e = rating(s, id, &r->rating);
        e = end_transaction(q, e);
    }
    if (e == ERR_OK) *run = id;
    return e;
}

// --- reading a run back

static void get_text(sqlite3_stmt *s, int at, char *to, size_t n)
{
    const unsigned char *text = sqlite3_column_text(s, at);
    snprintf(to, n, "%s", text == NULL ? "" : (const char *)text);
}

static err damaged(const sqlite_store *q, const char *what)
{
    return err_set(ERR_PARSE, "%s is damaged: %s", q->base.path, what);
}

static err read_run(sqlite_store *q, int run, tour_setup *r, tour_state *state)
{
    sqlite3_stmt *s = NULL;
    char name[64], order[32];
    err e =
        prepare(q,
                "SELECT game, settings, schedule, games, seed, openings, max_plies, adjudicate, resign, resign_moves,"
                " has_sprt, elo0, elo1, alpha, beta, scale, build, started, ended, stop FROM run WHERE id = ?",
                &s);
    if (e != ERR_OK) return e;
    sqlite3_bind_int(s, 1, run);
    if (sqlite3_step(s) != SQLITE_ROW) {
        e = damaged(q, "a run is missing");
    } else {
        get_text(s, 0, name, sizeof name);
        e = err_prefix(game_find(name, &r->g), "%s", q->base.path);
        get_text(s, 1, r->settings, sizeof r->settings);
        get_text(s, 2, order, sizeof order);
        for (int i = 0; i < SCHEDULE_KINDS; i++)
            if (strcmp(schedule_names[i], order) == 0) r->schedule = (schedule_kind)i;
        r->games = (uint64_t)sqlite3_column_int64(s, 3);
        r->seed = (uint64_t)sqlite3_column_int64(s, 4);
        get_text(s, 5, r->openings, sizeof r->openings);
        r->rules = (match_rules){.max_plies = sqlite3_column_int(s, 6),
                                 .adjudicate = sqlite3_column_int(s, 7),
                                 .resign = sqlite3_column_double(s, 8),
                                 .resign_moves = sqlite3_column_int(s, 9)};
        r->has_sprt = sqlite3_column_int(s, 10) != 0;
        r->sprt = (sprt_test){.elo0 = sqlite3_column_double(s, 11),
                              .elo1 = sqlite3_column_double(s, 12),
                              .alpha = sqlite3_column_double(s, 13),
                              .beta = sqlite3_column_double(s, 14),
                              .scale = sqlite3_column_int(s, 15) == 1 ? SPRT_NORMALISED : SPRT_LOGISTIC};
        get_text(s, 16, r->build, sizeof r->build);
        *state = (tour_state){.run = run,
                              .started = sqlite3_column_double(s, 17),
                              .ended = sqlite3_column_double(s, 18),
                              .stop = (uint64_t)sqlite3_column_int64(s, 19)};
    }
    sqlite3_finalize(s);
    return e;
}

static err read_rating(sqlite_store *q, int run, tour_rating *r)
{
    sqlite3_stmt *s = NULL;
    *r = tour_rating_default;
    if (q->old) return ERR_OK;
    err e = prepare(q, "SELECT model, errors, anchor, prior, level FROM run WHERE id = ?", &s);
    if (e != ERR_OK) return e;
    sqlite3_bind_int(s, 1, run);
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL) {
        get_text(s, 0, r->model, sizeof r->model);
        get_text(s, 1, r->errors, sizeof r->errors);
        get_text(s, 2, r->anchor, sizeof r->anchor);
        r->prior = sqlite3_column_double(s, 3);
        r->level = sqlite3_column_double(s, 4);
    }
    sqlite3_finalize(s);
    if (!(r->prior >= 0 && r->prior <= 1000) || !(r->level == 0 || (r->level >= 0.5 && r->level < 1)))
        return damaged(q, "a run is rated in an impossible way");
    return ERR_OK;
}

static err read_players(sqlite_store *q, int run, tour_setup *r)
{
    sqlite3_stmt *s = NULL;
    err e = prepare(q, "SELECT name, spec, config FROM player WHERE run = ? ORDER BY seat", &s);
    if (e != ERR_OK) return e;
    int code = SQLITE_DONE;
    sqlite3_bind_int(s, 1, run);
    while (e == ERR_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        char name[STATS_MAX_NAME + 1], spec[TOUR_TEXT];
        get_text(s, 0, name, sizeof name);
        get_text(s, 1, spec, sizeof spec);
        e = tour_add_player(r, name, spec);
        if (e == ERR_OK) get_text(s, 2, r->player[r->n_players - 1].config, TOUR_CONFIG);
    }
    if (e == ERR_OK && code != SQLITE_DONE) e = refuse(q, "read");
    sqlite3_finalize(s);
    if (e == ERR_OK && r->n_players < 2) e = damaged(q, "a run without players");
    return e;
}

// What is legal may hang on chance, and each game has its own: then only the referee can tell.
static err check_opening(const sqlite_store *q, const tour_setup *r, const opening *o)
{
    if (r->g->flags & G_CHANCE) return ERR_OK;
    return stored_replay(&(stored_line){.setup = r,
                                        .path = q->base.path,
                                        .what = "opening",
                                        .number = r->set.n,
                                        .moves = o->moves,
                                        .plies = o->plies},
                         NULL, NULL);
}

static err read_openings(sqlite_store *q, int run, tour_setup *r)
{
    sqlite3_stmt *s = NULL;
    err e = prepare(q, "SELECT name, moves FROM opening WHERE run = ? ORDER BY number", &s);
    if (e != ERR_OK) return e;
    int code = SQLITE_DONE;
    sqlite3_bind_int(s, 1, run);
    while (e == ERR_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        opening o = {0};
        get_text(s, 0, o.name, sizeof o.name);
        const unsigned char *bytes = sqlite3_column_blob(s, 1);
        int n = sqlite3_column_bytes(s, 1) / 2;
        if (n > OPENING_PLIES) e = damaged(q, "an opening is too long");
        for (int k = 0; e == ERR_OK && k < n; k++) o.moves[k] = (move_t)(bytes[2 * k] | bytes[2 * k + 1] << 8);
        o.plies = (uint16_t)n;
        if (e == ERR_OK) e = check_opening(q, r, &o);
        if (e == ERR_OK) e = openings_add(&r->set, &o);
    }
    if (e == ERR_OK && code != SQLITE_DONE) e = refuse(q, "read");
    sqlite3_finalize(s);
    return e;
}

static err load(store *s, int run, tour_setup *setup, tour_state *state)
{
    sqlite_store *q = (sqlite_store *)s;
    tour_setup r = {0};
    int64_t played = 0;
    char sql[160];
    err e = read_run(q, run, &r, state);
    if (e == ERR_OK) e = read_rating(q, run, &r.rating);
    if (e == ERR_OK) e = read_players(q, run, &r);
    if (e == ERR_OK) e = read_openings(q, run, &r);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM game WHERE key >= %lld AND key < %lld", (long long)run << 32,
             (long long)(run + 1) << 32);
    if (e == ERR_OK) e = ask(q, sql, &played);
    state->played = (uint64_t)played;
    if (e != ERR_OK)
        tour_setup_free(&r);
    else
        *setup = r;
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
    if (size != n && size != 2 * n) return damaged(q, "a game's moves do not fit its length");
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
        bind_text(s, 18, r->detail);
    else
        sqlite3_bind_null(s, 18);
    sqlite3_bind_double(s, 19, r->side[0].cpu);
    sqlite3_bind_double(s, 20, r->side[1].cpu);
    return step_once(q, s);
}

static err add(store *s, int run, const match_record *r, int n)
{
    sqlite_store *q = (sqlite_store *)s;
    err e = ERR_OK;
    if (q->insert == NULL)
        e = prepare(q, "INSERT INTO game VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q->insert);
    if (e == ERR_OK) e = execute(q, "BEGIN IMMEDIATE", "write");
    if (e != ERR_OK) return e;
    for (int i = 0; e == ERR_OK && i < n; i++) e = add_one(q, run, &r[i]);
    return end_transaction(q, e);
}

static err finish(store *s, int run, uint64_t stop, double now)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    err e = prepare(q, "UPDATE run SET stop = ?, ended = ? WHERE id = ?", &t);
    if (e != ERR_OK) return e;
    sqlite3_bind_int64(t, 1, (int64_t)stop);
    sqlite3_bind_double(t, 2, now);
    sqlite3_bind_int(t, 3, run);
    e = step_once(q, t);
    sqlite3_finalize(t);
    return e;
}

static err rating(store *s, int run, const tour_rating *how)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    err e = prepare(q, "UPDATE run SET model = ?, errors = ?, anchor = ?, prior = ?, level = ? WHERE id = ?", &t);
    if (e != ERR_OK) return e;
    bind_text(t, 1, how->model);
    bind_text(t, 2, how->errors);
    bind_text(t, 3, how->anchor);
    sqlite3_bind_double(t, 4, how->prior);
    sqlite3_bind_double(t, 5, how->level);
    sqlite3_bind_int(t, 6, run);
    e = step_once(q, t);
    sqlite3_finalize(t);
    return e;
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
        return damaged(q, "a game has impossible players or points");
    return unpack_moves(q, s, 16, r);
}

static err games(store *s, int run, store_visit *fn, void *ctx)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    int64_t players = 0;
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM player WHERE run = %d", run);
    err e = ask(q, sql, &players);
    if (e == ERR_OK) e = prepare(q, "SELECT * FROM game WHERE key >= ? AND key < ? ORDER BY key", &t);
    if (e != ERR_OK) return e;
    int code = SQLITE_DONE;
    sqlite3_bind_int64(t, 1, (int64_t)run << 32);
    sqlite3_bind_int64(t, 2, (int64_t)(run + 1) << 32);
    while (e == ERR_OK && (code = sqlite3_step(t)) == SQLITE_ROW) {
        match_record r;
        e = get_game(q, t, (int)players, &r);
        if (e == ERR_OK) e = fn(ctx, &r);
    }
    if (e == ERR_OK && code != SQLITE_DONE) e = refuse(q, "read");
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
