// Server-sent events: clients that listen to a topic, and what is waiting for each of them.
//
// Topics are texts: "sessions/ID", "runs/NAME", "benches/NAME". Whoever has news publishes it; each stream has a buffer of its
// own that its connection empties. A client that does not read loses its stream when the buffer is full. Any thread.
#ifndef KEIKO_SERVE_EVENTS_H
#define KEIKO_SERVE_EVENTS_H

#include "base/text.h"

#include <stdint.h>

typedef struct hub hub;
typedef struct stream stream;

enum { EVENTS_STREAMS = 256, EVENTS_TOPIC = 160, EVENTS_BUFFER = 1 << 20 };

// What the streams of runs and benches have seen; used by tail.c alone.
typedef struct stream_place {
    int64_t offset, rows, skip; // in the log: bytes and rows read; rows that the client has already
    char *last[2];              // what was sent last; owned
    double next;                // when to look again
} stream_place;

err hub_new(hub **out); // caller frees with hub_free, when all streams are closed
void hub_free(hub *h);

// ERR_STOPPED: too many listen, or the hub has ended. `skip`: rows of a log that the client has already.
err hub_listen(hub *h, const char *topic, stream **out, int64_t skip);
void stream_close(stream *s); // by its connection

// The connection's side. `wake` is called when there is something to read after stream_read() returned 0; under the hub's
// lock, so it must not call back.
void stream_on_news(stream *s, void (*wake)(void *ctx), void *ctx);
// Bytes copied; 0 = nothing now, `wait` was called under the lock; -1 = the end.
long stream_read(stream *s, char *buf, size_t n, void (*wait)(void *ctx), void *ctx);

bool hub_has(hub *h, const char *topic);
int hub_count(hub *h);
// `id` < 0: none. `json` is one line.
void hub_publish(hub *h, const char *topic, const char *event, int64_t id, const char *json);
void hub_end_topic(hub *h, const char *topic); // its streams end when they are read to the end
void hub_breathe(hub *h);                      // a comment to everybody, so that dead connections are found
void hub_end(hub *h);                          // all streams end; nobody can listen any more

// Every stream in turn, for tail.c: `see` may call stream_send and stream_end of this one. Under the lock.
void hub_each(hub *h, void (*see)(void *ctx, stream *s, const char *topic, stream_place *place), void *ctx);
void stream_send(stream *s, const char *event, int64_t id, const char *json);
void stream_end(stream *s);

#endif
