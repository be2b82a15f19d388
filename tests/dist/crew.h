// A learner and workers as processes, and the books that must agree at the end.
#ifndef KEIKO_TESTS_DIST_CREW_H
#define KEIKO_TESTS_DIST_CREW_H

#include "broker.h"
#include "dist/ledger.h"

#include <inttypes.h>

enum { CREW = 12 };

typedef struct crew {
    broker k;
    char url[128];    // where learner and workers connect
    char prefix[160]; // words before the program: "faketime -1d"
    pid_t learner, worker[CREW];
    int started; // workers so far: each has a name and a book of its own
} crew;

// So small that a process under a sanitizer keeps up.
#define SMALL                                                                                                          \
    "--net 'c=8 b=1' --in-flight 16 --sims 8 --round 60 --batch 32 --fill 200 --samples 1 --lr 0.003 "                 \
    "--buffer-min 2000 --eval-every 0 --threads 1 --openings 4"

static inline pid_t shell(const char *log, const char *fmt, ...)
{
    char line[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = snprintf(line, sizeof line, "exec ");
    vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    char *argv[] = {"/bin/sh", "-c", line, NULL};
    return spawn(log, argv);
}

static inline void crew_start(crew *c, const char *more)
{
    *c = (crew){0};
    broker_start(&c->k, more);
    snprintf(c->url, sizeof c->url, "%s", c->k.url);
}

static inline void crew_log(const crew *c, const char *who, char path[200])
{
    snprintf(path, 200, "%s/%s.log", c->k.dir, who);
}

// The learner of run "r"; `options` go behind the usual ones. It begins, or goes on.
static inline void crew_learn(crew *c, const char *options)
{
    char log[200], config[200];
    crew_log(c, "learner", log);
    snprintf(config, sizeof config, "%s/r/config.txt", c->k.dir);
    if (file_exists(config))
        c->learner = shell(log, "%s train tictactoe --run %s/r --resume --nats %s --weights-every 0.3 -v %s",
                           KEIKO_PROGRAM, c->k.dir, c->url, options);
    else
        c->learner =
            shell(log, "%s train tictactoe --run %s/r --nats %s --weights-every 0.3 -v " SMALL " --checkpoint 1 %s",
                  KEIKO_PROGRAM, c->k.dir, c->url, options);
}

static inline int crew_work(crew *c, int i, const char *options)
{
    char log[200], who[20];
    int number = ++c->started;
    snprintf(who, sizeof who, "w%d", number);
    crew_log(c, who, log);
    c->worker[i] = shell(log, "%s %s worker --nats %s --threads 1 --name w%d --ledger %s/w%d.book %s", c->prefix,
                         KEIKO_PROGRAM, c->url, number, c->k.dir, number, options);
    return number;
}

static inline bool log_says(const crew *c, const char *who, const char *part)
{
    char path[200], *text = NULL;
    crew_log(c, who, path);
    bool found = file_read(path, 1 << 24, &text, NULL) == ERR_OK && strstr(text, part) != NULL;
    free(text);
    return found;
}

static inline void wait_for_log(const crew *c, const char *who, const char *part, double seconds)
{
    for (double until = clock_seconds() + seconds; clock_seconds() < until; clock_sleep(0.05))
        if (log_says(c, who, part)) return;
    char path[200], *text = NULL;
    crew_log(c, who, path);
    if (file_read(path, 1 << 24, &text, NULL) != ERR_OK) text = strdup("(no log)");
    fail_msg("%s did not say \"%s\" within %.0f s, but: %s", who, part, seconds, text);
}

// The ledger of the run's newest checkpoint; false: there is none yet.
static inline bool crew_ledger(const crew *c, ledger *out)
{
    char dir[200], path[FILE_PATH];
    char **names;
    int n;
    bool any = false;
    snprintf(dir, sizeof dir, "%s/r/checkpoints", c->k.dir);
    if (file_list(dir, "", &names, &n) != ERR_OK) return false;
    for (int i = 0; i < n; i++) {
        ledger l = {0};
        char *text = NULL;
        size_t size;
        snprintf(path, sizeof path, "%s/%s/remote.txt", dir, names[i]);
        if (strstr(names[i], "step") != NULL && file_read(path, 1 << 24, &text, &size) == ERR_OK &&
            ledger_read(&l, text, size) == ERR_OK && (!any || l.sequence >= out->sequence)) {
            ledger_free(out);
            *out = l;
            any = true;
        } else {
            ledger_free(&l);
        }
        free(text);
    }
    file_list_free(names, n);
    return any;
}

static inline uint64_t crew_counted(const crew *c)
{
    ledger l = {0};
    uint64_t n = crew_ledger(c, &l) ? ledger_sum(&l).counted : 0;
    ledger_free(&l);
    return n;
}

static inline void wait_counted(const crew *c, uint64_t games, double seconds)
{
    for (double until = clock_seconds() + seconds; clock_seconds() < until; clock_sleep(0.1))
        if (crew_counted(c) >= games) return;
    fail_msg("only %" PRIu64 " of %" PRIu64 " games are counted after %.0f s; see %s", crew_counted(c), games, seconds,
             c->k.dir);
}

// Ends the workers in good order, waits until the learner has read everything, and ends it.
static inline void crew_stop(crew *c, double seconds)
{
    for (int i = 0; i < CREW; i++)
        if (c->worker[i] > 0) kill(c->worker[i], SIGTERM);
    for (int i = 0; i < CREW; i++)
        if (c->worker[i] > 0) {
            int how = reap(c->worker[i], 60);
            assert_true(how == 0 || how == -SIGTERM); // one that has only just been started knows no signals yet
            c->worker[i] = 0;
        }
    bus *b;
    bus_stream_state st = {0};
    ledger l = {0};
    assert_ok(bus_open(&b, &(bus_options){.url = c->k.url}, "test", NULL));
    double until = clock_seconds() + seconds;
    do {
        clock_sleep(0.2);
        assert_ok(bus_stream_look(b, "keiko-r-games", &st));
    } while ((!crew_ledger(c, &l) || l.sequence < st.last) && clock_seconds() < until);
    if (l.sequence != st.last)
        fail_msg("the learner has read %" PRIu64 " of %" PRIu64 " messages; see %s", l.sequence, st.last, c->k.dir);
    ledger_free(&l);
    bus_close(b);
    kill(c->learner, SIGTERM);
    assert_int_equal(reap(c->learner, 60), 0);
    c->learner = 0;
}

typedef struct books {
    uint64_t acknowledged, counted, unconfirmed, repeated, refused, stale, incarnations;
} books;

// Every game that a worker was told is stored was counted exactly once. At most one more per incarnation: stored, but its worker died
// before it could write that down.
static inline books crew_audit(const crew *c)
{
    ledger l = {0};
    books b = {0};
    assert_true(crew_ledger(c, &l));
    b.repeated = l.repeated;
    b.refused = l.refused;
    b.incarnations = l.n;
    for (size_t i = 0; i < l.room; i++) {
        const ledger_row *r = &l.row[i];
        if (r->highest != r->counted)
            fail_msg("%s: %" PRIu64 " games counted up to number %" PRIu64, r->worker, r->counted, r->highest);
        b.counted += r->counted;
        b.stale += r->stale;
    }
    for (int w = 1; w <= c->started; w++) {
        char path[200], line[100];
        uint64_t incarnation, counter, last = 0, of = 0;
        snprintf(path, sizeof path, "%s/w%d.book", c->k.dir, w);
        FILE *f = fopen(path, "r");
        while (f != NULL && fgets(line, sizeof line, f) != NULL) {
            if (sscanf(line, "%" SCNx64 " %" SCNu64, &incarnation, &counter) != 2) continue; // cut off by a kill
            if (strchr(line, '\n') == NULL) continue;
            if (incarnation == of && counter != last + 1)
                fail_msg("w%d: game %" PRIu64 " follows %" PRIu64, w, counter, last);
            of = incarnation;
            last = counter;
            b.acknowledged++;
        }
        if (f != NULL) fclose(f);
        if (last == 0) continue;
        const ledger_row *r = ledger_find(&l, of);
        if (r == NULL) fail_msg("w%d: %" PRIu64 " games were acknowledged, none counted", w, last);
        if (r->highest < last || r->highest > last + 1)
            fail_msg("w%d: acknowledged up to %" PRIu64 ", counted up to %" PRIu64, w, last, r->highest);
        b.unconfirmed += r->highest - last;
    }
    ledger_free(&l);
    printf("%" PRIu64 " games acknowledged, %" PRIu64 " counted (%" PRIu64 " without confirmation), %" PRIu64
           " stale, %" PRIu64 " repeated, %" PRIu64 " refused, %" PRIu64 " incarnations\n",
           b.acknowledged, b.counted, b.unconfirmed, b.stale, b.repeated, b.refused, b.incarnations);
    assert_int_equal(b.counted, b.acknowledged + b.unconfirmed);
    assert_true(b.counted > 0);
    return b;
}

static inline void crew_end(crew *c)
{
    kill_9(&c->learner);
    for (int i = 0; i < CREW; i++) kill_9(&c->worker[i]);
    broker_end(&c->k);
}

#endif
