// Private to bus_nats*.c.
#ifndef KEIKO_DIST_BUS_INNER_H
#define KEIKO_DIST_BUS_INNER_H

#include "dist/bus.h"

#include <nats/nats.h>
#include <stdatomic.h>

enum { BUS_TEXT = 128, BUS_WAIT_MS = 5000 };
#define BUS_TABLE "keiko" // the bucket
#define BUS_CLOSE 10.0    // seconds to close a connection or to end a subscription

struct bus {
    natsConnection *nc;
    jsCtx *js;
    kvStore *kv;
    _Atomic uint64_t reconnects;
    char url[BUS_TEXT]; // without secrets, for sentences
};

err bus_fail(const bus *b, natsStatus s, jsErrCode code, const char *fmt, ...) KEIKO_PRINTF(4, 5);
void bus_message_of(bus_message *m, natsMsg *msg, uint64_t sequence);

#endif
