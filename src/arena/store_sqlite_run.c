// Runs in a SQLite store: setups, players, openings, how it is rated. Games are in store_sqlite.c.
#include "arena/store_sqlite.h"

#ifdef KEIKO_SQLITE

#include "arena/stored.h"

#include <stdio.h>
#include <string.h>

int sql_runs(store *s)
{
    int64_t n = 0;
    err e = sql_ask((sqlite_store *)s, "SELECT coalesce(max(id), 0) FROM run", &n);
    return e == ERR_OK && n > 0 && n < 1000000000 ? (int)n : 0; // more is no number that we gave
}

static err write_run(sqlite_store *q, const tour_setup *r, double now, int run)
{
    sqlite3_stmt *s = NULL;
    err e = sql_prepare(
        q,
        "INSERT INTO run (id, game, settings, schedule, games, seed, openings, max_plies, adjudicate, resign,"
        " resign_moves, has_sprt, elo0, elo1, alpha, beta, scale, build, started)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        &s);
    if (e != ERR_OK) return e;
    sqlite3_bind_int(s, 1, run);
    sql_bind_text(s, 2, r->g->name);
    sql_bind_text(s, 3, r->settings);
    sql_bind_text(s, 4, schedule_names[r->schedule]);
    sqlite3_bind_int64(s, 5, (int64_t)r->games);
    sqlite3_bind_int64(s, 6, (int64_t)r->seed);
    sql_bind_text(s, 7, r->openings);
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
    sql_bind_text(s, 18, r->build);
    sqlite3_bind_double(s, 19, now);
    e = sql_step(q, s);
    sqlite3_finalize(s);
    return e;
}

static err write_players(sqlite_store *q, const tour_setup *r, int run)
{
    sqlite3_stmt *s = NULL;
    err e = sql_prepare(q, "INSERT INTO player VALUES (?,?,?,?,?)", &s);
    for (int i = 0; e == ERR_OK && i < r->n_players; i++) {
        sqlite3_bind_int(s, 1, run);
        sqlite3_bind_int(s, 2, i);
        sql_bind_text(s, 3, r->player[i].name);
        sql_bind_text(s, 4, r->player[i].spec);
        sql_bind_text(s, 5, r->player[i].config);
        e = sql_step(q, s);
    }
    sqlite3_finalize(s);
    return e;
}

static err write_openings(sqlite_store *q, const tour_setup *r, int run)
{
    sqlite3_stmt *s = NULL;
    err e = sql_prepare(q, "INSERT INTO opening VALUES (?,?,?,?)", &s);
    for (uint32_t i = 0; e == ERR_OK && i < r->set.n; i++) {
        const opening *o = &r->set.line[i];
        unsigned char bytes[2 * OPENING_PLIES];
        for (int k = 0; k < o->plies; k++) {
            bytes[2 * k] = (unsigned char)(o->moves[k] & 255);
            bytes[2 * k + 1] = (unsigned char)(o->moves[k] >> 8);
        }
        sqlite3_bind_int(s, 1, run);
        sqlite3_bind_int64(s, 2, i);
        sql_bind_text(s, 3, o->name);
        sqlite3_bind_blob(s, 4, bytes, 2 * o->plies, SQLITE_STATIC);
        e = sql_step(q, s);
    }
    sqlite3_finalize(s);
    return e;
}

err sql_begin(store *s, const tour_setup *r, double now, int *run)
{
    sqlite_store *q = (sqlite_store *)s;
    int id = sql_runs(s) + 1;
    err e = sql_execute(q, "BEGIN IMMEDIATE", "write");
    if (e == ERR_OK) {
        e = write_run(q, r, now, id);
        if (e == ERR_OK) e = write_players(q, r, id);
        if (e == ERR_OK) e = write_openings(q, r, id);
        if (e == ERR_OK) e = sql_rating(s, id, &r->rating);
        e = sql_end(q, e);
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

static err read_run(sqlite_store *q, int run, tour_setup *r, tour_state *state)
{
    sqlite3_stmt *s = NULL;
    char name[64], order[32];
    err e = sql_prepare(
        q,
        "SELECT game, settings, schedule, games, seed, openings, max_plies, adjudicate, resign, resign_moves,"
        " has_sprt, elo0, elo1, alpha, beta, scale, build, started, ended, stop FROM run WHERE id = ?",
        &s);
    if (e != ERR_OK) return e;
    sqlite3_bind_int(s, 1, run);
    if (sqlite3_step(s) != SQLITE_ROW) {
        e = sql_damaged(q, "a run is missing");
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
        if (e == ERR_OK && r->has_sprt && sprt_check(&r->sprt) != ERR_OK) e = sql_damaged(q, "an impossible test");
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
    err e = sql_prepare(q, "SELECT model, errors, anchor, prior, level FROM run WHERE id = ?", &s);
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
        return sql_damaged(q, "a run is rated in an impossible way");
    return ERR_OK;
}

static err read_players(sqlite_store *q, int run, tour_setup *r)
{
    sqlite3_stmt *s = NULL;
    err e = sql_prepare(q, "SELECT name, spec, config FROM player WHERE run = ? ORDER BY seat", &s);
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
    if (e == ERR_OK && code != SQLITE_DONE) e = sql_refuse(q, "read");
    sqlite3_finalize(s);
    if (e == ERR_OK && r->n_players < 2) e = sql_damaged(q, "a run without players");
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
    err e = sql_prepare(q, "SELECT name, moves FROM opening WHERE run = ? ORDER BY number", &s);
    if (e != ERR_OK) return e;
    int code = SQLITE_DONE;
    sqlite3_bind_int(s, 1, run);
    while (e == ERR_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        opening o = {0};
        get_text(s, 0, o.name, sizeof o.name);
        const unsigned char *bytes = sqlite3_column_blob(s, 1);
        int n = sqlite3_column_bytes(s, 1) / 2;
        if (n > OPENING_PLIES) e = sql_damaged(q, "an opening is too long");
        for (int k = 0; e == ERR_OK && k < n; k++) o.moves[k] = (move_t)(bytes[2 * k] | bytes[2 * k + 1] << 8);
        o.plies = (uint16_t)n;
        if (e == ERR_OK) e = check_opening(q, r, &o);
        if (e == ERR_OK) e = openings_add(&r->set, &o);
    }
    if (e == ERR_OK && code != SQLITE_DONE) e = sql_refuse(q, "read");
    sqlite3_finalize(s);
    return e;
}

err sql_load(store *s, int run, tour_setup *setup, tour_state *state)
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
    if (e == ERR_OK) e = sql_ask(q, sql, &played);
    state->played = (uint64_t)played;
    if (e != ERR_OK)
        tour_setup_free(&r);
    else
        *setup = r;
    return e;
}

err sql_finish(store *s, int run, uint64_t stop, double now)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    err e = sql_prepare(q, "UPDATE run SET stop = ?, ended = ? WHERE id = ?", &t);
    if (e != ERR_OK) return e;
    sqlite3_bind_int64(t, 1, (int64_t)stop);
    sqlite3_bind_double(t, 2, now);
    sqlite3_bind_int(t, 3, run);
    e = sql_step(q, t);
    sqlite3_finalize(t);
    return e;
}

err sql_rating(store *s, int run, const tour_rating *how)
{
    sqlite_store *q = (sqlite_store *)s;
    sqlite3_stmt *t = NULL;
    err e = sql_prepare(q, "UPDATE run SET model = ?, errors = ?, anchor = ?, prior = ?, level = ? WHERE id = ?", &t);
    if (e != ERR_OK) return e;
    sql_bind_text(t, 1, how->model);
    sql_bind_text(t, 2, how->errors);
    sql_bind_text(t, 3, how->anchor);
    sqlite3_bind_double(t, 4, how->prior);
    sqlite3_bind_double(t, 5, how->level);
    sqlite3_bind_int(t, 6, run);
    e = sql_step(q, t);
    sqlite3_finalize(t);
    return e;
}

#endif
