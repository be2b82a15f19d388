// See bus.h: reading streams in order, and taking jobs, over NATS.
//
// A reader is an ephemeral push consumer without acknowledgements that starts at a given sequence. The server numbers what it
// pushes; a number that is missing, a new connection, or silence although the stream has more, each end the consumer, and
// another one begins behind the last message that was handed out. A sequence that is left out is asked for by its number,
// since a server that has just come back may push later ones only. So nothing is missed and nothing comes twice.
#include "base/clock.h"
#include "base/log.h"
#include "dist/bus_inner.h"
#include "dist/timed_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET 3.0 // seconds without a message, after which the reader asks whether there should have been one

struct bus_reader {
    bus *b;
    char stream[BUS_TEXT], subject[BUS_TEXT];
    natsSubscription *sub; // NULL: to be made
    uint64_t next;         // sequence to begin with when it is made
    uint64_t pushed;       // the consumer's own numbers
    uint64_t reconnects;   // of the bus when it was made
    double heard;
    bool whole;
    natsMsg *held; // came too early: those from `next` to before `held_at` are fetched first
    uint64_t held_at;
};

err bus_reader_open(bus_reader **out, bus *b, const char *stream, const char *subject, bool whole, uint64_t from)
{
    bus_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return err_set(ERR_MEMORY, "no memory to read a stream");
    r->b = b;
    r->whole = whole;
    r->next = from > 0 ? from : 1;
    snprintf(r->stream, sizeof r->stream, "%s", stream);
    snprintf(r->subject, sizeof r->subject, "%s", subject);
    *out = r;
    return ERR_OK;
}

static void drop(bus_reader *r)
{
    natsSubscription_Destroy(r->sub); // takes the consumer along
    natsMsg_Destroy(r->held);
    r->sub = NULL;
    r->held = NULL;
}

static void end(void *arg)
{
    drop(arg);
    free(arg);
}

void bus_reader_close(bus_reader *r)
{
    if (r != NULL && !timed_call_run(end, r, BUS_CLOSE))
        log_warn("a NATS subscription did not end in time; going on without");
}

void bus_reader_seek(bus_reader *r, uint64_t from)
{
    drop(r);
    r->next = from > 0 ? from : 1;
}

static natsStatus subscribe(bus_reader *r)
{
    jsSubOptions o;
    jsErrCode code = 0;
    jsSubOptions_Init(&o);
    o.Stream = r->stream;
    o.Config.DeliverPolicy = js_DeliverByStartSequence;
    o.Config.OptStartSeq = r->next;
    o.Config.AckPolicy = js_AckNone;
    o.Config.FlowControl = true; // at most some tens of megabytes wait here
    o.Config.Heartbeat = (int64_t)5e9;
    o.Config.MaxDeliver = 1;
    natsStatus s = js_SubscribeSync(&r->sub, r->b->js, r->subject, NULL, &o, &code);
    if (s != NATS_OK) return s;
    (void)natsSubscription_SetPendingLimits(r->sub, -1, -1);
    r->pushed = 0;
    r->reconnects = bus_reconnects(r->b);
    r->heard = clock_seconds();
    return NATS_OK;
}

// Nothing came for a while: is there something that should have?
static void doubt(bus_reader *r)
{
    bus_stream_state st;
    double now = clock_seconds();
    if (now - r->heard < QUIET) return;
    r->heard = now;
    if (bus_stream_look(r->b, r->stream, &st) == ERR_OK && st.last >= r->next) drop(r);
}

// True: the message is the next one. Otherwise it is dropped, and the consumer too where something is missing.
static bool follows(bus_reader *r, natsMsg *msg, uint64_t *sequence)
{
    jsMsgMetaData *meta = NULL;
    if (natsMsg_GetMetaData(&meta, msg) != NATS_OK) return false;
    uint64_t number = meta->Sequence.Consumer;
    *sequence = meta->Sequence.Stream;
    jsMsgMetaData_Destroy(meta);
    if (number != r->pushed + 1) {
        drop(r);
        return false;
    }
    r->pushed = number;
    return *sequence >= r->next;
}

static void hand_out(bus_reader *r, natsMsg *msg, uint64_t sequence, bus_message *m)
{
    r->next = sequence + 1;
    r->heard = clock_seconds();
    bus_message_of(m, msg, sequence);
}

// A message came too early: true where those before it may still be in the stream.
static bool leaves_out(bus_reader *r, uint64_t sequence)
{
    bus_stream_state st;
    if (!r->whole || sequence == r->next) return false;
    if (bus_stream_look(r->b, r->stream, &st) == ERR_OK && st.first > r->next) {
        log_warn("messages %llu to %llu of %s were deleted before they were read", (unsigned long long)r->next,
                 (unsigned long long)st.first - 1, r->stream);
        r->next = st.first < sequence ? st.first : sequence;
    }
    return r->next < sequence;
}

// The next of those that were left out, or the held one behind them. *got false: the server does not answer; begin anew.
static void fill(bus_reader *r, bus_message *m, bool *got)
{
    while (r->held != NULL && !*got) {
        natsMsg *msg = NULL;
        jsErrCode code = 0;
        if (r->next >= r->held_at) {
            hand_out(r, r->held, r->held_at, m);
            r->held = NULL;
            *got = true;
            return;
        }
        natsStatus s = js_GetMsg(&msg, r->b->js, r->stream, r->next, NULL, &code);
        if (s == NATS_OK) {
            hand_out(r, msg, r->next, m);
            *got = true;
        } else if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr) {
            r->next++; // it was deleted
        } else {
            drop(r);
        }
    }
}

err bus_reader_next(bus_reader *r, double wait, bus_message *m, bool *got)
{
    double until = clock_seconds() + wait;
    *got = false;
    do {
        natsMsg *msg = NULL;
        uint64_t sequence = 0;
        if (r->sub != NULL && r->reconnects != bus_reconnects(r->b)) drop(r);
        if (natsConnection_Status(r->b->nc) == NATS_CONN_STATUS_CLOSED)
            return err_set(ERR_IO, "the connection to %s was closed", r->b->url);
        fill(r, m, got);
        if (*got) return ERR_OK;
        double left = until - clock_seconds();
        if (r->sub == NULL && (!bus_connected(r->b) || subscribe(r) != NATS_OK)) {
            clock_sleep(left < 0.1 ? (left > 0 ? left : 0) : 0.1); // the server is away, or still starting
            continue;
        }
        natsStatus s = natsSubscription_NextMsg(&msg, r->sub, left > 0.001 ? (int64_t)(left * 1000) : 1);
        if (s == NATS_OK && follows(r, msg, &sequence)) {
            if (leaves_out(r, sequence)) {
                r->held = msg;
                r->held_at = sequence;
                continue;
            }
            hand_out(r, msg, sequence, m);
            *got = true;
            return ERR_OK;
        }
        natsMsg_Destroy(msg);
        if (s == NATS_TIMEOUT)
            doubt(r);
        else if (s != NATS_OK)
            drop(r); // missed heartbeats, an invalid subscription: begin anew
    } while (clock_seconds() < until);
    return ERR_OK;
}

// --- jobs

struct bus_jobs {
    bus *b;
    char stream[BUS_TEXT], subject[BUS_TEXT];
    int64_t at_work; // ns
    natsSubscription *sub;
};

struct bus_job {
    natsMsg *msg;
};

#define CONSUMER "workers"

// The settings of a consumer that exists are not touched: it is made where it is missing, and then only used.
static err bind_consumer(bus_jobs *j)
{
    jsErrCode code = 0;
    jsConsumerInfo *is = NULL;
    natsStatus s = js_GetConsumerInfo(&is, j->b->js, j->stream, CONSUMER, NULL, &code);
    jsConsumerInfo_Destroy(is);
    if (code == JSConsumerNotFoundErr || s == NATS_NOT_FOUND) {
        jsConsumerConfig c;
        jsConsumerConfig_Init(&c);
        c.Durable = CONSUMER;
        c.AckPolicy = js_AckExplicit;
        c.AckWait = j->at_work;
        c.MaxAckPending = 100000;
        c.FilterSubject = j->subject;
        s = js_AddConsumer(NULL, j->b->js, j->stream, &c, NULL, &code);
        if (s != NATS_OK)
            s = js_GetConsumerInfo(&is, j->b->js, j->stream, CONSUMER, NULL, &code); // somebody was faster
    }
    if (s == NATS_OK) {
        jsSubOptions o;
        jsSubOptions_Init(&o);
        o.Stream = j->stream;
        o.Consumer = CONSUMER;
        s = js_PullSubscribe(&j->sub, j->b->js, j->subject, CONSUMER, NULL, &o, &code);
    }
    return s == NATS_OK ? ERR_OK : bus_fail(j->b, s, code, "cannot ask for jobs");
}

err bus_jobs_open(bus_jobs **out, bus *b, const char *stream, const char *subject, double at_work)
{
    bus_jobs *j = calloc(1, sizeof *j);
    if (j == NULL) return err_set(ERR_MEMORY, "no memory for jobs");
    j->b = b;
    j->at_work = (int64_t)(at_work * 1e9);
    snprintf(j->stream, sizeof j->stream, "%s", stream);
    snprintf(j->subject, sizeof j->subject, "%s", subject);
    *out = j;
    return ERR_OK;
}

void bus_jobs_close(bus_jobs *j)
{
    if (j == NULL) return;
    natsSubscription_Destroy(j->sub);
    free(j);
}

err bus_job_take(bus_jobs *j, double wait, bus_job **out)
{
    natsMsgList list = {0};
    *out = NULL;
    if (!bus_connected(j->b)) return ERR_OK;
    err e = j->sub == NULL ? bind_consumer(j) : ERR_OK;
    if (e != ERR_OK) return e;
    // One at a time: larger batches of libnats 3.4 can overrun after a reconnect.
    natsStatus s = natsSubscription_Fetch(&list, j->sub, 1, wait > 0.01 ? (int64_t)(wait * 1000) : 10, NULL);
    if (s == NATS_OK && list.Count == 1) {
        bus_job *job = calloc(1, sizeof *job);
        if (job != NULL) {
            job->msg = list.Msgs[0];
            list.Msgs[0] = NULL;
        }
        *out = job;
        e = job != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for a job");
    } else if (s != NATS_OK && s != NATS_TIMEOUT && s != NATS_NOT_FOUND) { // the consumer may be gone: make it again
        natsSubscription_Destroy(j->sub);
        j->sub = NULL;
    }
    natsMsgList_Destroy(&list);
    return e;
}

const char *bus_job_data(const bus_job *j, size_t *size)
{
    *size = (size_t)natsMsg_GetDataLength(j->msg);
    return natsMsg_GetData(j->msg);
}

static void job_free(bus_job *j)
{
    natsMsg_Destroy(j->msg);
    free(j);
}

void bus_job_at_work(bus_job *j)
{
    (void)natsMsg_InProgress(j->msg, NULL);
}

err bus_job_done(bus_job *j)
{
    jsErrCode code = 0;
    natsStatus s = natsMsg_AckSync(j->msg, NULL, &code);
    job_free(j);
    // Without the answer the job may come again: its result then comes twice, and is counted once.
    return s == NATS_OK ? ERR_OK : err_set(ERR_IO, "the server did not confirm the end of a job");
}

void bus_job_later(bus_job *j, double wait)
{
    (void)natsMsg_NakWithDelay(j->msg, (int64_t)(wait * 1000), NULL);
    job_free(j);
}

void bus_job_drop(bus_job *j)
{
    (void)natsMsg_Term(j->msg, NULL);
    job_free(j);
}
