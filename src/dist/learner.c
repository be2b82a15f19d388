// See learner.h.
#include "dist/learner.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/stop.h"
#include "dist/entry.h"
#include "dist/ledger.h"
#include "dist/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field)   offsetof(dist_learner_options, field)
#define NATS(field) offsetof(dist_learner_options, nats.field)
// clang-format off
const opt dist_learner_opts[] = {
    ROW_HEADING("Workers elsewhere (keiko worker)"),
    ROW_TEXT("nats", NATS(url), "URL", NULL, "Learn from workers connected to this NATS server (nats://HOST:4222, or @FILE that holds the URL); see docs/DISTRIBUTED.md"),
    ROW_TEXT("nats-run", AT(name), "NAME", NULL, "Name of this run on the server; default: the folder's name"),
    ROW_FLAG("nats-play", AT(play), NULL, "With --nats: this process plays games, too"),
    ROW_INT("max-stale", AT(max_stale), "N", "100", 1, 1e9, "With --nats: drop games whose weights are more than N generations old"),
    ROW_NUMBER("weights-every", AT(every), "SECONDS", "5", 0.05, 86400, "With --nats: least time between two generations of weights"),
    ROW_INT("backlog", AT(backlog), "N", "20000", 10, 1e9, "With --nats: games that may wait at the server; when there are more, workers wait"),
    ROW_INT("backlog-mib", AT(backlog_mib), "MIB", "1024", 1, 1e7, "With --nats: the same by size"),
    ROW_INT("replicas", AT(replicas), "N", "1", 1, 5, "With --nats: copies that a cluster of servers keeps of each game"),
    BUS_SECURITY_ROWS(NATS),
};
// clang-format on
const int dist_learner_n_opts = ROWS(dist_learner_opts);

enum { KEPT_GENERATIONS = 3 };
#define SAY_EVERY 10.0 // seconds between two complaints of a kind
#define SETTLE    30.0 // seconds that a server may take from answering to working

struct dist_learner {
    const dist_learner_options *o;
    bus *b;
    bus_reader *in;
    run_entry entry;
    const samples_shape *sh;
    dist_codec *codec;
    ledger l;
    uint64_t saved;      // sequence of the last checkpoint
    uint64_t read_bytes; // since then
    uint64_t reconnects; // when the stream was last looked at
    double begun, said_at, lost_at, idle_at, told_at;
    uint64_t told_games, told_positions; // at the last status
    bool waiting;                        // for the first game
};

// --- opening

static err number_of_run(const char *dir, uint64_t *number)
{
    char path[FILE_PATH], text[64], *old = NULL;
    err e = file_join(path, sizeof path, dir, "remote.txt");
    if (e != ERR_OK) return e;
    e = file_read(path, 4096, &old, NULL);
    if (e == ERR_OK && sscanf(old, "number = %" SCNx64, number) == 1) {
        free(old);
        return ERR_OK;
    }
    free(old);
    if (e == ERR_OK) return err_set(ERR_PARSE, "%s is damaged: it should hold the run's number", path);
    if (e != ERR_MISSING) return e;
    e = dist_draw(number);
    snprintf(text, sizeof text, "number = %016" PRIx64 "\n", *number);
    return e == ERR_OK ? file_write_atomic(path, text, strlen(text)) : e;
}

static err make_streams(dist_learner *d)
{
    char name[DIST_SUBJECT], subjects[DIST_SUBJECT];
    err e = bus_table_make(d->b, (int)d->o->replicas);
    if (e != ERR_OK) return e;
    dist_stream_name(name, STREAM_GAMES, d->entry.run);
    dist_stream_subjects(subjects, STREAM_GAMES, d->entry.run);
    e = bus_stream_make(d->b, &(bus_stream){.name = name,
                                            .subject = subjects,
                                            .max_bytes = d->o->backlog_mib << 20,
                                            .max_messages = d->o->backlog,
                                            .replicas = (int)d->o->replicas});
    if (e != ERR_OK) return e;
    dist_stream_name(name, STREAM_WEIGHTS, d->entry.run);
    dist_stream_subjects(subjects, STREAM_WEIGHTS, d->entry.run);
    return bus_stream_make(
        d->b, &(bus_stream){.name = name, .subject = subjects, .replicas = (int)d->o->replicas, .direct = true});
}

// Another run may have the name already: its games must not be mixed with ours.
static err check_entry(dist_learner *d)
{
    run_entry was = {0};
    bool found;
    err e = run_entry_get(&was, d->b, d->entry.run, &found);
    if (e == ERR_OK && found && was.number != d->entry.number)
        e = err_set(
            ERR_USAGE,
            "the server has another run named %s (%s); give this one a name with --nats-run, or remove that one: "
            "keiko workers --nats URL --remove %s",
            d->entry.run, was.game, d->entry.run);
    if (e == ERR_OK && found) d->entry.generation = was.generation;
    run_entry_free(&was);
    return e;
}

static void same_stream(dist_learner *d);

// A server that is not there yet, or in the middle of a restart, is waited for.
static bool patient(void *ctx, const char *why, double seconds)
{
    dist_learner *d = ctx;
    double now = clock_seconds();
    if (stop_requested()) return false;
    if (seconds > 1 && now - d->said_at > SAY_EVERY) {
        d->said_at = now;
        log_warn("%s; trying again", why);
    }
    if (d->in != NULL && d->reconnects != bus_reconnects(d->b) && bus_connected(d->b)) same_stream(d);
    return true;
}

// A server that has just started answers before it can do everything.
static err settle(dist_learner *d)
{
    double begun = clock_seconds();
    for (;;) {
        err e = check_entry(d);
        if (e == ERR_OK) e = make_streams(d);
        bool passes = e == ERR_IO || e == ERR_STOPPED || e == ERR_MISSING;
        double seconds = clock_seconds() - begun;
        if (!passes || seconds > SETTLE || !patient(d, err_text(), seconds)) return e;
        clock_sleep(0.3);
    }
}

static bool a_moment(void *ctx, const char *why, double seconds)
{
    (void)ctx, (void)why;
    return seconds < 5 && !stop_requested();
}

err dist_learner_check(const dist_learner_options *o)
{
    bus *b = NULL;
    err e = o->name != NULL && *o->name != 0 ? dist_name_check("run", o->name) : ERR_OK;
    if (e == ERR_OK) e = bus_open(&b, &o->nats, "keiko learner", &(bus_patience){a_moment, NULL});
    bus_close(b);
    // It may be there and not answer yet, as a cluster that elects its leader: dist_learner_open waits for it.
    return e == ERR_STOPPED ? ERR_OK : e;
}

err dist_learner_open(dist_learner **out, const dist_learner_options *o, const char *dir, const char *of)
{
    dist_learner *d = calloc(1, sizeof *d);
    if (d == NULL) return err_set(ERR_MEMORY, "no memory for a learner");
    d->o = o;
    d->begun = d->told_at = clock_seconds();
    d->entry.format = DIST_FORMAT;
    snprintf(d->entry.version, sizeof d->entry.version, "%s", o->version != NULL ? o->version : "");
    snprintf(d->entry.game, sizeof d->entry.game, "%s", of);
    err e = ERR_OK;
    char client[DIST_NAME + 16];
    if (o->name != NULL && *o->name != 0) {
        e = dist_name_check("run", o->name);
        snprintf(d->entry.run, sizeof d->entry.run, "%.31s", o->name);
    } else {
        char path[FILE_PATH];
        snprintf(path, sizeof path, "%s", dir);
        for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';) path[--n] = 0;
        dist_name_make(d->entry.run, file_name(path));
    }
    snprintf(client, sizeof client, "keiko learner %s", d->entry.run);
    if (e == ERR_OK) e = number_of_run(dir, &d->entry.number);
    if (e == ERR_OK) e = dist_codec_new(&d->codec);
    if (e == ERR_OK) e = bus_open(&d->b, &o->nats, client, &(bus_patience){patient, d});
    if (e == ERR_OK) e = settle(d);
    return HAND_OVER(e, out, d, dist_learner_close);
}

void dist_learner_close(dist_learner *d)
{
    if (d == NULL) return;
    bus_reader_close(d->in);
    bus_close(d->b);
    dist_codec_free(d->codec);
    ledger_free(&d->l);
    run_entry_free(&d->entry);
    free(d);
}

err dist_run_remove(bus *b, const char *run)
{
    char name[DIST_SUBJECT];
    snprintf(name, sizeof name, "run.%s", run);
    err e = bus_table_remove(b, name);
    dist_stream_name(name, STREAM_GAMES, run);
    if (e == ERR_OK) e = bus_stream_remove(b, name);
    dist_stream_name(name, STREAM_WEIGHTS, run);
    return e == ERR_OK ? bus_stream_remove(b, name) : e;
}

// --- reading

// A server that lost its disk, or was replaced, numbers from 1 again: so do we. The ledger still knows what was counted.
static void same_stream(dist_learner *d)
{
    char name[DIST_SUBJECT];
    bus_stream_state st;
    uint64_t seen = bus_reconnects(d->b);
    dist_stream_name(name, STREAM_GAMES, d->entry.run);
    err e = bus_stream_look(d->b, name, &st);
    if (e == ERR_MISSING) {
        log_warn("the server has lost the run's streams; making them again");
        e = make_streams(d);
        if (e == ERR_OK) e = bus_stream_look(d->b, name, &st);
    }
    if (e != ERR_OK) return; // next time
    d->reconnects = seen;
    if (d->l.created == st.created && d->l.sequence <= st.last) return;
    if (d->l.created != 0) log_warn("the server's stream of games is a new one; reading it from its beginning");
    d->l.created = st.created;
    d->l.sequence = d->saved = 0;
    bus_reader_seek(d->in, 1);
}

static err begin(void *ctx, const samples_shape *sh, const char *config, const char *state, size_t size)
{
    dist_learner *d = ctx;
    char name[DIST_SUBJECT], subjects[DIST_SUBJECT];
    d->sh = sh;
    d->entry.config = strdup(config);
    if (d->entry.config == NULL) return err_set(ERR_MEMORY, "no memory for a learner");
    err e = state != NULL ? ledger_read(&d->l, state, size) : ERR_OK;
    d->saved = d->l.sequence;
    dist_stream_name(name, STREAM_GAMES, d->entry.run);
    dist_stream_subjects(subjects, STREAM_GAMES, d->entry.run);
    if (e == ERR_OK) e = bus_reader_open(&d->in, d->b, name, subjects, true, d->l.sequence + 1);
    if (e != ERR_OK) return e;
    same_stream(d);
    d->waiting = d->l.n == 0;
    log_info("run %s on the server, from message %" PRIu64 " on", d->entry.run, d->l.sequence + 1);
    return ERR_OK;
}

static void say_refused(dist_learner *d, const bus_message *m)
{
    d->l.refused++;
    if (clock_seconds() - d->said_at < SAY_EVERY) return;
    d->said_at = clock_seconds();
    log_warn("message %" PRIu64 " on %s is left out: %s (%" PRIu64 " so far)", m->sequence, m->subject, err_text(),
             d->l.refused);
}

// A worker numbers only games that the server has confirmed, so what is between the last one and this one is not there any more.
static void say_lost(dist_learner *d, const dist_head *h, uint64_t last)
{
    char what[80];
    ledger_row sum = ledger_sum(&d->l);
    if (h->counter == last + 2)
        snprintf(what, sizeof what, "game %" PRIu64, last + 1);
    else
        snprintf(what, sizeof what, "games %" PRIu64 " to %" PRIu64, last + 1, h->counter - 1);
    if (clock_seconds() - d->lost_at < SAY_EVERY) return;
    d->lost_at = clock_seconds();
    log_warn("%s of worker %s did not come, though the server had confirmed that it has them (%" PRIu64 " so far)",
             what, h->worker, sum.highest - sum.counted);
}

// One message: counted, or left out. *got: it is a game to learn from.
static err judge(dist_learner *d, const bus_message *m, finished_game *g, bool *got)
{
    dist_head h;
    bool fresh;
    *got = false;
    d->l.sequence = m->sequence;
    d->read_bytes += m->size;
    err e = dist_game_read(d->codec, &h, g, d->sh, d->entry.number, m->data, m->size);
    if (e == ERR_MEMORY || e == ERR_MISSING) return e;
    if (e != ERR_OK) {
        say_refused(d, m);
        return ERR_OK;
    }
    bool stale = h.generation + (uint64_t)d->o->max_stale < d->entry.generation;
    const ledger_row *row = ledger_find(&d->l, h.incarnation);
    uint64_t last = row != NULL ? row->highest : 0;
    e = ledger_count(&d->l, &h, g->s.n, stale, &fresh);
    if (e == ERR_OK && fresh && h.counter > last + 1) say_lost(d, &h, last);
    *got = e == ERR_OK && fresh && !stale;
    if (!*got) finished_game_free(g);
    return e;
}

static void tell(dist_learner *d)
{
    double now = clock_seconds(), seconds = now - d->told_at;
    bus_stream_state st = {0};
    char name[DIST_SUBJECT], host[DIST_HOST];
    text_buf t = {0};
    if (seconds < DIST_STATUS_EVERY || !bus_connected(d->b)) return;
    ledger_row sum = ledger_sum(&d->l);
    dist_stream_name(name, STREAM_GAMES, d->entry.run);
    if (bus_stream_look(d->b, name, &st) != ERR_OK) st.last = d->l.sequence;
    dist_status s = {.kind = "learner",
                     .name = d->entry.run,
                     .host = dist_host(host),
                     .version = d->entry.version,
                     .run = d->entry.run,
                     .backend = "",
                     .state = d->idle_at > 0 ? "waits for games" : "learns",
                     .process = getpid(),
                     .generation = (int64_t)d->entry.generation,
                     .step = (int64_t)d->entry.step,
                     .games = (int64_t)sum.counted,
                     .positions = (int64_t)sum.positions,
                     .games_s = (double)(sum.counted - d->told_games) / seconds,
                     .positions_s = (double)(sum.positions - d->told_positions) / seconds,
                     .lag = (int64_t)(st.last > d->l.sequence ? st.last - d->l.sequence : 0),
                     .stale = (int64_t)sum.stale,
                     .repeated = (int64_t)d->l.repeated,
                     .refused = (int64_t)d->l.refused,
                     .workers = (int64_t)d->l.n,
                     .uptime = now - d->begun};
    snprintf(name, sizeof name, DIST_STATUS "learner-%s", d->entry.run);
    if (dist_status_write(&s, &t) == ERR_OK) (void)bus_say(d->b, name, text_str(&t));
    text_free(&t);
    d->told_at = now;
    d->told_games = sum.counted;
    d->told_positions = sum.positions;
}

static err take(void *ctx, double wait, finished_game *g, bool *got)
{
    dist_learner *d = ctx;
    double until = clock_seconds() + wait;
    bool come = false;
    err e = ERR_OK;
    *got = false;
    tell(d);
    if (d->reconnects != bus_reconnects(d->b) && bus_connected(d->b)) same_stream(d);
    do {
        bus_message m;
        double left = until - clock_seconds();
        e = bus_reader_next(d->in, left > 0 ? left : 0, &m, &come);
        if (e != ERR_OK || !come) break;
        e = judge(d, &m, g, got);
        bus_message_free(&m);
    } while (e == ERR_OK && !*got && !stop_requested());
    double now = clock_seconds();
    if (come)
        d->idle_at = 0, d->waiting = false;
    else if (wait > 0 && d->idle_at == 0)
        d->idle_at = now;
    else if (wait > 0 && d->waiting && now - d->idle_at > SAY_EVERY) {
        d->waiting = false;
        log_warn("no games yet: start workers with keiko worker --nats URL (see keiko workers --nats URL)");
    }
    return e;
}

// --- weights

static err weights(void *ctx, const nn_net *net, uint64_t step)
{
    dist_learner *d = ctx;
    text_buf bytes = {0}, t = {0};
    char key[DIST_SUBJECT], name[DIST_SUBJECT];
    bus_patience p = {patient, d};
    bus_stream_state before = {0};
    bool first = d->entry.size == 0;
    dist_stream_name(name, STREAM_WEIGHTS, d->entry.run);
    err e = nn_net_to_bytes(net, &bytes);
    if (e == ERR_OK && first) (void)bus_stream_look(d->b, name, &before);
    d->entry.generation++;
    d->entry.step = step;
    if (e == ERR_OK) e = weights_put(d->b, &d->entry, bytes.data, bytes.len, &p);
    if (e == ERR_OK) e = run_entry_write(&d->entry, &t);
    snprintf(key, sizeof key, "run.%s", d->entry.run);
    if (e == ERR_OK) e = bus_table_put(d->b, key, text_str(&t), t.len, &p);
    // What follows may fail: workers look by themselves now and then, and old weights only take room.
    if (e == ERR_OK) (void)bus_say(d->b, DIST_NEWS, d->entry.run);
    if (e == ERR_OK && first && before.last > 0) (void)bus_stream_purge(d->b, name, NULL, before.last + 1);
    if (e == ERR_OK && d->entry.generation > KEPT_GENERATIONS)
        (void)weights_forget(d->b, d->entry.run, d->entry.generation - KEPT_GENERATIONS);
    text_free(&bytes);
    text_free(&t);
    if (e != ERR_OK && stop_requested()) return ERR_OK; // the checkpoint matters more now
    return e;
}

// --- checkpoints

static err save(void *ctx, text_buf *out)
{
    dist_learner *d = ctx;
    return ledger_write(&d->l, out);
}

// What was read stays in the stream until it is in a checkpoint, and takes the room of games to come.
static bool due(void *ctx)
{
    const dist_learner *d = ctx;
    return d->l.sequence - d->saved > (uint64_t)d->o->backlog / 2 || d->read_bytes > (uint64_t)d->o->backlog_mib << 19;
}

static err saved(void *ctx)
{
    dist_learner *d = ctx;
    char name[DIST_SUBJECT];
    d->saved = d->l.sequence;
    d->read_bytes = 0;
    dist_stream_name(name, STREAM_GAMES, d->entry.run);
    // A failure costs room at the server only, until the next time.
    if (d->saved == 0 || !bus_connected(d->b)) return ERR_OK;
    // In a cluster of servers 2.9.10 that were restarted, a purge was seen to delete games nobody had read: one by one there.
    err e =
        d->o->replicas > 1 ? bus_stream_trim(d->b, name, d->saved) : bus_stream_purge(d->b, name, NULL, d->saved + 1);
    if (e != ERR_OK) log_info("%s", err_text());
    return ERR_OK;
}

train_remote dist_learner_remote(dist_learner *d)
{
    return (train_remote){.ctx = d,
                          .play = d->o->play,
                          .every = d->o->every,
                          .begin = begin,
                          .take = take,
                          .weights = weights,
                          .save = save,
                          .due = due,
                          .saved = saved};
}
