// The server between learners and workers, as the rest of dist/ sees it: streams that keep messages, a table of small values,
// plain messages, and a queue of jobs. Over NATS JetStream (bus_nats*.c); bus_none.c where libnats was missing at build time.
//
// Glossary:
//   stream   messages on the server's disk, numbered 1, 2, 3, … (their sequence)
//   reader   reads a stream in order, from any sequence on, across lost connections and server restarts
//   table    one value per key; the newest counts
//   plain    messages that only those who listen just now receive
//   queue    a stream whose messages are handed to one worker each, again if it does not say in time that it is at work
// A bus may be used from several threads. It reconnects by itself, for ever; calls wait or fail with a sentence meanwhile.
#ifndef KEIKO_DIST_BUS_H
#define KEIKO_DIST_BUS_H

#include "base/opt_rows.h"
#include "base/text.h"

typedef struct bus bus;

typedef struct bus_options {
    const char *url; // "nats://host:4222", several separated by ','; "@FILE": the file's first line
    const char *creds, *nkey, *ca, *cert, *key; // files; NULL or "" = none
} bus_options;
// `AT(member)` is the place of bus_options.member in the caller's struct.
// clang-format off
#define BUS_SECURITY_ROWS(AT) \
    ROW_FILE("nats-creds", AT(creds), NULL, "NATS: credentials file (JWT and seed)"), \
    ROW_FILE("nats-nkey", AT(nkey), NULL, "NATS: NKey file: the seed, and the public key in a line of its own or a comment"), \
    ROW_FILE("nats-ca", AT(ca), NULL, "NATS: certificates of the authorities to trust; turns TLS on, as does a URL tls://…"), \
    ROW_FILE("nats-cert", AT(cert), NULL, "NATS: this client's certificate, with --nats-key"), \
    ROW_FILE("nats-key", AT(key), NULL, "NATS: key of this client's certificate")
// clang-format on

bool bus_built(void); // was libnats there at build time?

// Whoever may have to wait says here how long: called about once per second with the reason, a sentence. False gives up. With
// `wait` NULL, or without a bus_patience, the first failure is final.
typedef struct bus_patience {
    bool (*wait)(void *ctx, const char *why, double seconds);
    void *ctx;
} bus_patience;

// `name` is shown in the server's list of connections. A server that does not answer is waited for; wrong credentials are not.
err bus_open(bus **out, const bus_options *o, const char *name, const bus_patience *p); // free with bus_close
void bus_close(bus *b);                                                                 // NULL is fine
bool bus_connected(bus *b);
uint64_t bus_reconnects(bus *b); // how often the connection came back

// --- streams

typedef struct bus_stream {
    const char *name, *subject; // the subject may end in ".*" and ".>"
    int64_t max_bytes;          // 0 = no limit; a full stream refuses messages
    int64_t max_messages;       // the same
    int replicas;               // 0 = 1
    double max_age;             // seconds; 0 = for ever
    bool queue;                 // each message goes away once its receiver is done with it
    bool direct;                // bus_last may be asked
} bus_stream;

typedef struct bus_stream_state {
    uint64_t first, last, messages, bytes, max_bytes; // sequences, numbers
    int64_t created;                                  // ns since 1970
} bus_stream_state;

err bus_stream_make(bus *b, const bus_stream *s); // one that exists already stays; its limits are brought up to date
err bus_stream_look(bus *b, const char *name, bus_stream_state *out);
err bus_stream_remove(bus *b, const char *name);                                     // a missing one is fine
err bus_stream_purge(bus *b, const char *name, const char *subject, uint64_t below); // sequences below; 0 = all
// The same up to a sequence, message by message and without waiting: what was not deleted is the next time.
err bus_stream_trim(bus *b, const char *name, uint64_t last);
err bus_last(bus *b, const char *stream, const char *subject, text_buf *out, bool *found); // the last on this subject

// Stored on the server's disk when it returns ERR_OK. Attempts are repeated as long as `p` allows; the server drops what
// it has under the same `id` already.
err bus_put(bus *b, const char *subject, const char *id, const void *data, size_t size, const bus_patience *p);

typedef struct bus_message { // free with bus_message_free
    const char *subject, *data;
    size_t size;
    uint64_t sequence; // in its stream; 0 for a plain one
    void *inner;
} bus_message;
void bus_message_free(bus_message *m);

// `whole`: the subject is that of the whole stream, so a sequence that is missing is looked for. (Servers of a cluster that
// have just come back were seen to leave thousands out.)
typedef struct bus_reader bus_reader;
err bus_reader_open(bus_reader **out, bus *b, const char *stream, const char *subject, bool whole, uint64_t from);
void bus_reader_close(bus_reader *r);
// *got false: nothing came within `wait` seconds. Sequences only grow; those that were deleted are left out.
err bus_reader_next(bus_reader *r, double wait, bus_message *m, bool *got);
// Begin elsewhere: where the stream was made anew.
void bus_reader_seek(bus_reader *r, uint64_t from);

// --- the table

// bus_open does it; again for more replicas than it has, or a server that has lost its disk.
err bus_table_make(bus *b, int replicas);
err bus_table_put(bus *b, const char *key, const char *value, size_t size, const bus_patience *p);
err bus_table_get(bus *b, const char *key, text_buf *out, bool *found);
err bus_table_keys(bus *b, const char *prefix, char ***keys, int *n); // free with bus_table_keys_free
void bus_table_keys_free(char **keys, int n);
err bus_table_remove(bus *b, const char *key);

// --- plain messages

err bus_say(bus *b, const char *subject, const char *text);
typedef struct bus_ear bus_ear;
err bus_listen(bus_ear **out, bus *b, const char *subject);
err bus_hear(bus_ear *l, double wait, bus_message *m, bool *got);
void bus_ear_close(bus_ear *l); // NULL is fine

// --- jobs

typedef struct bus_jobs bus_jobs;
typedef struct bus_job bus_job;
err bus_jobs_open(bus_jobs **out, bus *b, const char *stream, const char *subject, double at_work); // seconds
void bus_jobs_close(bus_jobs *j);                                                                   // NULL is fine
err bus_job_take(bus_jobs *j, double wait,
                 bus_job **out); // *out NULL: there is none; else end it with one of the last three
const char *bus_job_data(const bus_job *j, size_t *size);
void bus_job_at_work(bus_job *j);            // from any thread, more often than `at_work`
err bus_job_done(bus_job *j);                // it is gone
void bus_job_later(bus_job *j, double wait); // somebody else, or later
void bus_job_drop(bus_job *j);               // nobody ever

#endif
