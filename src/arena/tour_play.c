// Batches of games into a store. See tour_play.h.
//
// Two locks, so that nobody waits for the disk without need: `lock` guards the batch that fills up and is held for a copy
// only; `disk` is held by the one worker that writes a batch, while the others go on playing into the next one.
#include "arena/tour_play.h"

#include "arena/repeats.h"
#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, BATCH_MOST = 8 * BATCH, UNPLAYED = 255 };
enum { REPEATS_ENOUGH = 50 }; // pairs in a row that repeat, so that it is no accident in short games
#define WRITING_SHARE 0.05    // of the time may go into small batches
#define WATCH_EVERY   0.2     // seconds

typedef struct batch {
    match_record *record; // moves and detail are offsets until it is written
    size_t n, room;
    move_t *moves;
    size_t n_moves, room_moves;
    char *text;
    size_t n_text, room_text;
} batch;

typedef struct ahead {
    uint8_t halves; // of seat 0; UNPLAYED = not yet
    repeat_print print;
} ahead;

typedef struct recorder {
    store *st;
    int run;
    const tour_setup *setup;
    schedule plan;
    tour_play_options o;
    // Games that the store had at the beginning; a worker asks before it plays one. Nothing is kept for games to come.
    uint64_t whole;   // games 0 … whole-1 are there,
    uint32_t *beyond; // and these, ascending
    size_t n_beyond, room_beyond;
    uint64_t fresh;

    pthread_mutex_t lock;
    batch filling;

    pthread_mutex_t disk; // guards what follows
    batch writing;
    double wrote_at, wrote_for; // when the last batch was written, and how long it took
    double watched_at;
    tour_live live;
    tour_cell *cell;
    uint64_t prefix; // with a test: games 0 … prefix-1 are all played and seen by it
    ahead *ahead;    // games prefix, prefix + 1, …
    size_t n_ahead, room_ahead;
    repeats seen;
    double held[5]; // pairs that repeat, until the players are seen to vary
    uint64_t stop;  // the test was decided with this many games; 0 = not yet
    err_first failed;
} recorder;

static err grow(void **data, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return ERR_OK;
    size_t more = 2 * need + 1024;
    void *grown = realloc(*data, more * size);
    if (grown == NULL) return err_set(ERR_MEMORY, "no memory for games that wait to be written");
    *data = grown;
    *room = more;
    return ERR_OK;
}

static err batch_add(batch *b, const match_record *r)
{
    size_t len = strlen(r->detail) + 1;
    err e = grow((void **)&b->record, &b->room, b->n + 1, sizeof *b->record);
    if (e == ERR_OK) e = grow((void **)&b->moves, &b->room_moves, b->n_moves + r->plies, sizeof *b->moves);
    if (e == ERR_OK) e = grow((void **)&b->text, &b->room_text, b->n_text + len, 1);
    if (e != ERR_OK) return e;
    b->record[b->n++] = *r;
    if (r->plies > 0) memcpy(b->moves + b->n_moves, r->moves, r->plies * sizeof *r->moves);
    memcpy(b->text + b->n_text, r->detail, len);
    b->n_moves += r->plies;
    b->n_text += len;
    return ERR_OK;
}

// The copies stand in the order of the records.
static void batch_point(batch *b)
{
    const move_t *moves = b->moves;
    const char *text = b->text;
    for (size_t i = 0; i < b->n; i++) {
        b->record[i].moves = moves;
        b->record[i].detail = text;
        moves += b->record[i].plies;
        text += strlen(text) + 1;
    }
}

static void batch_free(batch *b)
{
    FREE_ALL(b->record, b->moves, b->text);
}

// --- what is played

static err count_game(recorder *d, const match_record *r)
{
    uint64_t id = r->what.id;
    int halves = r->halves;
    if (d->setup->has_sprt && id >= d->prefix) {
        size_t at = (size_t)(id - d->prefix);
        err e = grow((void **)&d->ahead, &d->room_ahead, at + 1, sizeof *d->ahead);
        if (e != ERR_OK) return e;
        while (d->n_ahead <= at) d->ahead[d->n_ahead++] = (ahead){.halves = UNPLAYED};
        d->ahead[at] = (ahead){(uint8_t)halves, repeat_print_of(d->setup->g, r)};
    }
    match_game g = schedule_game(&d->plan, id);
    int pairing = schedule_pairing(&d->plan, id);
    tour_cell *c = &d->cell[pairing];
    bool swapped = g.player[0] != d->plan.pairing[pairing][0];
    if (halves == 1)
        c->draws++;
    else
        c->wins[(halves == 2) == swapped]++;
    d->live.played++;
    return ERR_OK;
}

static double sum5(const double n[5])
{
    return n[0] + n[1] + n[2] + n[3] + n[4];
}

static err take_pair(recorder *d, const ahead *a, const ahead *b) // games of the first player, of the second
{
    tour_live *l = &d->live;
    bool same[2];
    err e = repeats_add(&d->seen, &a->print, &same[0]);
    if (e == ERR_OK) e = repeats_add(&d->seen, &b->print, &same[1]);
    if (e != ERR_OK) return e;
    int points = a->halves + (2 - b->halves);
    if (repeats_vary(&d->seen, a->print.pairing))
        for (int i = 0; i < 5; i++) {
            l->n5[i] += d->held[i];
            d->held[i] = 0;
        }
    else if (same[0] && same[1]) {
        d->held[points]++;
        return ERR_OK;
    }
    l->n5[points]++;
    l->test = sprt_state(&d->setup->sprt, l->n5, 5);
    return ERR_OK;
}

// Pairs in order of their numbers, until one is missing or the test is decided.
static err run_test(recorder *d)
{
    size_t seen = 0;
    err e = ERR_OK;
    while (e == ERR_OK && d->setup->has_sprt && d->stop == 0 && seen + 2 <= d->n_ahead) {
        const ahead *a = &d->ahead[seen], *b = a + 1;
        if (a->halves == UNPLAYED || b->halves == UNPLAYED) break;
        e = take_pair(d, a, b);
        seen += 2;
        double held = sum5(d->held);
        if (d->live.test.verdict != SPRT_OPEN || (held >= REPEATS_ENOUGH && held >= sum5(d->live.n5)))
            d->stop = d->prefix + seen;
    }
    d->prefix += seen;
    d->n_ahead -= seen;
    if (seen > 0) memmove(d->ahead, d->ahead + seen, d->n_ahead * sizeof *d->ahead);
    return e;
}

static void watch(recorder *d, double now, bool last)
{
    if (d->o.watch == NULL || (!last && now - d->watched_at < WATCH_EVERY)) return;
    d->watched_at = now;
    d->o.watch(d->o.ctx, &d->live);
}

// Writes what waits. The caller holds `disk`.
static void write_batch(recorder *d)
{
    pthread_mutex_lock(&d->lock);
    batch t = d->writing;
    d->writing = d->filling;
    d->filling = t;
    d->filling.n = d->filling.n_moves = d->filling.n_text = 0;
    pthread_mutex_unlock(&d->lock);
    batch *b = &d->writing;
    if (b->n == 0 || d->failed.code != ERR_OK) return;
    double begun = clock_seconds();
    batch_point(b);
    err e = store_add(d->st, d->run, b->record, (int)b->n);
    for (size_t i = 0; i < b->n && e == ERR_OK; i++) e = count_game(d, &b->record[i]);
    if (e == ERR_OK) d->fresh += b->n;
    if (e == ERR_OK) e = run_test(d);
    err_keep(&d->failed, e);
    if (e != ERR_OK) return;
    d->wrote_at = clock_seconds();
    d->wrote_for = d->wrote_at - begun;
    watch(d, d->wrote_at, false);
}

static bool was_played(const recorder *d, uint64_t id)
{
    size_t low = 0, high = d->n_beyond;
    if (id < d->whole) return true;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (d->beyond[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < d->n_beyond && d->beyond[low] == id;
}

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    recorder *d = ctx;
    if (was_played(d, i)) return false;
    *out = schedule_game(&d->plan, i);
    return true;
}

static bool done(void *ctx, const match_record *r, int n)
{
    recorder *d = ctx;
    err e = ERR_OK;
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < n && e == ERR_OK; i++) e = batch_add(&d->filling, &r[i]);
    size_t waiting = d->filling.n;
    pthread_mutex_unlock(&d->lock);
    bool go_on = true;
    if (waiting > BATCH_MOST) // the disk cannot follow: wait for it
        pthread_mutex_lock(&d->disk);
    else if (pthread_mutex_trylock(&d->disk) != 0)
        return true;
    err_keep(&d->failed, e);
    double since = clock_seconds() - d->wrote_at;
    if (waiting >= BATCH || since * WRITING_SHARE >= d->wrote_for) write_batch(d);
    go_on = d->failed.code == ERR_OK && d->stop == 0;
    pthread_mutex_unlock(&d->disk);
    return go_on;
}

// --- the whole

static err remember(void *ctx, const match_record *r)
{
    recorder *d = ctx;
    bool planned = r->what.id < d->plan.n;
    if (planned) {
        match_game g = schedule_game(&d->plan, r->what.id);
        planned = g.player[0] == r->what.player[0] && g.player[1] == r->what.player[1];
    }
    if (!planned)
        return err_set(ERR_PARSE, "%s: game %llu does not belong to the schedule of its run", store_path(d->st),
                       (unsigned long long)r->what.id + 1);
    if (r->what.id == d->whole) { // games come in order of their numbers
        d->whole++;
    } else {
        err e = grow((void **)&d->beyond, &d->room_beyond, d->n_beyond + 1, sizeof *d->beyond);
        if (e != ERR_OK) return e;
        d->beyond[d->n_beyond++] = (uint32_t)r->what.id;
    }
    return count_game(d, r);
}

static err set_up(recorder *d)
{
    err e = schedule_make(&d->plan, d->setup->schedule, d->setup->n_players, d->setup->games);
    if (e != ERR_OK) return e;
    if (d->setup->has_sprt && d->plan.n_pairings != 1)
        return err_set(ERR_USAGE, "a sequential test is for two players, not for %d", d->setup->n_players);
    d->cell = calloc((size_t)d->plan.n_pairings, sizeof *d->cell);
    if (d->cell == NULL) return err_set(ERR_MEMORY, "no memory for %d pairings", d->plan.n_pairings);
    d->live = (tour_live){.setup = d->setup, .plan = &d->plan, .total = d->plan.n, .cell = d->cell};
    if (d->setup->has_sprt) d->live.test = sprt_state(&d->setup->sprt, d->live.n5, 5);
    e = store_games(d->st, d->run, remember, d);
    return e == ERR_OK ? run_test(d) : e;
}

static err play_all(recorder *d)
{
    const tour_setup *s = d->setup;
    match_player *players = calloc((size_t)s->n_players, sizeof *players);
    if (players == NULL) return err_set(ERR_MEMORY, "no memory for the players");
    for (int i = 0; i < s->n_players; i++)
        players[i] = (match_player){.name = s->player[i].name, .spec = s->player[i].spec};
    match_options o = {.g = s->g,
                       .settings = s->settings,
                       .players = players,
                       .n_players = s->n_players,
                       .set = &s->set,
                       .seed = s->seed,
                       .threads = d->o.threads,
                       .rules = s->rules,
                       .no_clock = d->o.no_clock,
                       .grain = s->has_sprt ? 2 : 0};
    err e = d->o.run != NULL ? d->o.run(d->o.run_ctx, &o, d->plan.n, plan, done, d)
                             : match_run(&o, d->plan.n, plan, done, d);
    err_first ended = {0};
    err_keep(&ended, e);
    write_batch(d); // also after an error: finished games are never thrown away
    if (d->failed.code != ERR_OK)
        e = err_repeat(&d->failed);
    else if (d->stop > 0)
        e = ERR_OK; // the match was stopped because its question is answered, or more games would not answer it
    else
        e = err_repeat(&ended);
    free(players);
    return e;
}

err tour_play(store *st, int run, const tour_setup *setup, const tour_play_options *o, tour_end *end)
{
    recorder d = {.st = st, .run = run, .setup = setup, .o = *o};
    pthread_mutex_init(&d.lock, NULL);
    pthread_mutex_init(&d.disk, NULL);
    double begun = clock_seconds();
    err e = set_up(&d);
    if (e == ERR_OK && d.stop == 0 && d.live.played < d.plan.n) e = play_all(&d);
    *end = (tour_end){.played = d.live.played, .total = d.plan.n, .fresh = d.fresh, .stop = d.stop};
    if (e == ERR_OK) e = store_finish(st, run, d.stop, clock_unix());
    end->seconds = clock_seconds() - begun;
    end->complete = e == ERR_OK;
    if (d.cell != NULL) watch(&d, clock_seconds(), true);
    batch_free(&d.filling);
    batch_free(&d.writing);
    repeats_free(&d.seen);
    FREE_ALL(d.beyond, d.ahead, d.cell);
    schedule_free(&d.plan);
    pthread_mutex_destroy(&d.lock);
    pthread_mutex_destroy(&d.disk);
    return e;
}
