// See jobs.h: setups, jobs and results as bytes.
#include "dist/bytes.h"
#include "dist/jobs.h"

#include <stdlib.h>

enum { GAMES_MOST = 4096 };

// --- setups

err job_setup_write(const match_options *o, const char *version, text_buf *out)
{
    size_t at = record_begin(out, "KJS1");
    put_text(out, version);
    put_text(out, o->g->name);
    put_text(out, o->settings != NULL ? o->settings : "");
    put_u64(out, o->seed);
    put_u32(out, (uint32_t)o->rules.max_plies);
    put_u32(out, (uint32_t)o->rules.adjudicate);
    put_double(out, o->rules.resign);
    put_u32(out, (uint32_t)o->rules.resign_moves);
    put_u32(out, o->no_clock);
    put_u32(out, (uint32_t)o->n_players);
    for (int i = 0; i < o->n_players; i++) {
        put_text(out, o->players[i].name);
        put_text(out, o->players[i].spec);
    }
    put_u32(out, o->set != NULL ? o->set->n : 0);
    for (uint32_t i = 0; o->set != NULL && i < o->set->n; i++) {
        put_u32(out, (uint32_t)o->set->line[i].plies);
        for (int k = 0; k < o->set->line[i].plies; k++) put_u32(out, o->set->line[i].moves[k]);
    }
    return record_end(out, at);
}

static err read_players(job_setup *s, byte_reader *r)
{
    uint32_t n = get_u32(r);
    if (r->failed || n < 2 || n > STATS_MAX_PLAYERS) return err_set(ERR_PARSE, "the setup of a bench has no players");
    s->player = calloc(n, sizeof *s->player);
    if (s->player == NULL) return err_set(ERR_MEMORY, "no memory for the players");
    s->n_players = (int)n;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) get_text(r, s->player[i][k], sizeof s->player[i][k]);
    return ERR_OK;
}

static err read_openings(job_setup *s, byte_reader *r)
{
    uint32_t n = get_u32(r);
    err e = n <= OPENINGS_MOST ? ERR_OK : err_set(ERR_PARSE, "the setup of a bench has too many openings");
    for (uint32_t i = 0; i < n && e == ERR_OK && !r->failed; i++) {
        opening line = {0};
        uint32_t plies = get_u32(r);
        if (plies > sizeof line.moves / sizeof *line.moves)
            return err_set(ERR_PARSE, "an opening in the setup of a bench is too long");
        for (uint32_t k = 0; k < plies; k++) {
            uint32_t m = get_u32(r);
            if (m >= (uint32_t)s->g->n_moves)
                return err_set(ERR_PARSE, "an opening has a move that %s has not", s->g->name);
            line.moves[k] = (move_t)m;
        }
        line.plies = (uint8_t)plies;
        e = openings_add(&s->set, &line);
    }
    return e;
}

err job_setup_read(job_setup *s, const char *data, size_t size)
{
    byte_reader r;
    char name[32];
    *s = (job_setup){0};
    err e = record_open(&r, "KJS1", "setup of a bench", data, size);
    if (e != ERR_OK) return e;
    get_text(&r, s->version, sizeof s->version);
    get_text(&r, name, sizeof name);
    get_text(&r, s->settings, sizeof s->settings);
    s->seed = get_u64(&r);
    s->rules.max_plies = (int)(get_u32(&r) & INT32_MAX);
    s->rules.adjudicate = (int)(get_u32(&r) & INT32_MAX);
    s->rules.resign = get_double(&r);
    s->rules.resign_moves = (int)(get_u32(&r) & INT32_MAX);
    s->no_clock = get_u32(&r) != 0;
    if (r.failed) return record_close(&r, "setup of a bench");
    e = game_find(name, &s->g);
    if (e == ERR_OK) e = read_players(s, &r);
    if (e == ERR_OK) e = read_openings(s, &r);
    if (e == ERR_OK) e = record_close(&r, "setup of a bench");
    if (e != ERR_OK) job_setup_free(s);
    return e;
}

void job_setup_free(job_setup *s)
{
    free(s->player);
    openings_free(&s->set);
    *s = (job_setup){0};
}

// --- jobs

static void put_head(text_buf *out, const job_head *h)
{
    put_text(out, h->bench);
    put_u64(out, h->number);
    put_u32(out, h->games);
}

static err get_head(byte_reader *r, job_head *h)
{
    get_text(r, h->bench, sizeof h->bench);
    h->number = get_u64(r);
    h->games = get_u32(r);
    if (r->failed || h->number == 0 || h->games > GAMES_MOST || dist_name_check("bench", h->bench) != ERR_OK)
        return err_set(ERR_PARSE, "the head of a job contradicts itself");
    return ERR_OK;
}

static void put_game(text_buf *out, const match_game *g)
{
    put_u64(out, g->id);
    put_u32(out, g->player[0] | (uint32_t)g->player[1] << 16);
    put_u32(out, g->opening);
    put_u32(out, g->pair);
}

static match_game get_game(byte_reader *r)
{
    match_game g = {.id = get_u64(r)};
    uint32_t both = get_u32(r);
    g.player[0] = (uint16_t)(both & 0xffff);
    g.player[1] = (uint16_t)(both >> 16);
    g.opening = get_u32(r);
    g.pair = get_u32(r);
    return g;
}

err job_write(const job_head *h, const match_game *games, text_buf *out)
{
    size_t at = record_begin(out, "KJB1");
    put_head(out, h);
    for (uint32_t i = 0; i < h->games; i++) put_game(out, &games[i]);
    return record_end(out, at);
}

err job_read(job_head *h, match_game **games, const char *data, size_t size)
{
    byte_reader r;
    *games = NULL;
    err e = record_open(&r, "KJB1", "job", data, size);
    if (e == ERR_OK) e = get_head(&r, h);
    if (e != ERR_OK) return e;
    match_game *g = calloc((size_t)h->games + 1, sizeof *g);
    if (g == NULL) return err_set(ERR_MEMORY, "no memory for a job");
    for (uint32_t i = 0; i < h->games; i++) g[i] = get_game(&r);
    e = record_close(&r, "job");
    return HAND_OVER(e, games, g, free);
}

// --- results

static void put_record(text_buf *out, const match_record *r)
{
    put_game(out, &r->what);
    put_u32(out, r->halves | (uint32_t)r->reason << 8 | (uint32_t)r->failed << 16);
    put_u32(out, r->plies | (uint32_t)r->opening_plies << 16);
    for (int i = 0; i < 2; i++) {
        put_u32(out, r->side[i].choices);
        put_u64(out, r->side[i].nodes);
        put_double(out, r->side[i].seconds);
        put_double(out, r->side[i].cpu);
    }
    put_bytes(out, r->moves, r->plies * sizeof *r->moves);
    put_text(out, r->detail);
}

static err get_record(byte_reader *r, match_record *to, move_t *moves, char *detail, size_t room, const game *g,
                      int n_players)
{
    *to = (match_record){.what = get_game(r), .moves = moves, .detail = detail};
    uint32_t end = get_u32(r), plies = get_u32(r);
    to->halves = (uint8_t)end;
    to->reason = (uint8_t)(end >> 8);
    to->failed = (uint8_t)(end >> 16);
    to->plies = (uint16_t)plies;
    to->opening_plies = (uint16_t)(plies >> 16);
    for (int i = 0; i < 2; i++) {
        to->side[i].choices = get_u32(r);
        to->side[i].nodes = get_u64(r);
        to->side[i].seconds = get_double(r);
        to->side[i].cpu = get_double(r);
    }
    get_bytes(r, moves, to->plies * sizeof *moves);
    get_text(r, detail, room);
    bool ok = !r->failed && to->halves <= 2 && to->failed <= 1 && to->opening_plies <= to->plies &&
              to->what.player[0] < n_players && to->what.player[1] < n_players &&
              (to->reason < REASON_COUNT || (to->reason >= MATCH_CAP && to->reason <= MATCH_FAILED));
    for (int i = 0; i < 2; i++) ok = ok && to->side[i].seconds >= 0 && to->side[i].cpu >= 0;
    for (int k = 0; k < to->plies; k++) ok = ok && moves[k] < g->n_moves;
    return ok ? ERR_OK : err_set(ERR_PARSE, "a game in the result of a job contradicts itself");
}

err job_result_write(const job_head *h, const char *worker, const match_record *r, text_buf *out)
{
    size_t at = record_begin(out, "KJR1");
    put_head(out, h);
    put_text(out, worker);
    for (uint32_t i = 0; i < h->games; i++) put_record(out, &r[i]);
    return record_end(out, at);
}

err job_result_read(job_head *h, char worker[DIST_NAME], const game *g, int n_players, const char *data, size_t size,
                    job_result_see *fn, void *ctx)
{
    byte_reader r;
    char detail[512];
    err e = record_open(&r, "KJR1", "result of a job", data, size);
    if (e == ERR_OK) e = get_head(&r, h);
    if (e == ERR_OK) get_text(&r, worker, DIST_NAME);
    if (e != ERR_OK) return e;
    move_t *moves = malloc(((size_t)UINT16_MAX + 1) * sizeof *moves);
    if (moves == NULL) return err_set(ERR_MEMORY, "no memory for the result of a job");
    byte_reader all = r; // looked through once before anything is believed
    match_record one;
    for (uint32_t i = 0; i < h->games && e == ERR_OK; i++)
        e = get_record(&all, &one, moves, detail, sizeof detail, g, n_players);
    if (e == ERR_OK) e = record_close(&all, "result of a job");
    for (uint32_t i = 0; i < h->games && e == ERR_OK && fn != NULL; i++) {
        e = get_record(&r, &one, moves, detail, sizeof detail, g, n_players);
        if (e == ERR_OK) e = fn(ctx, &one);
    }
    free(moves);
    return e;
}
