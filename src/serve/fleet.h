// Who works on a NATS server just now, for the page: what `keiko workers` shows, followed by a thread of its own.
#ifndef KEIKO_SERVE_FLEET_H
#define KEIKO_SERVE_FLEET_H

#include "base/json.h"
#include "dist/bus.h"
#include "serve/events.h"

#define FLEET_TOPIC "workers"

typedef struct fleet fleet;

// Notes where the server is and which files hold the credentials: before the current folder changes. Free with fleet_close.
err fleet_new(fleet **out, const bus_options *o);
err fleet_start(fleet *c, hub *events); // connects, waits for a server that is not there yet, listens
void fleet_end(fleet *c);               // shall end; returns at once
void fleet_close(fleet *c);             // NULL is fine

void fleet_json(fleet *c, json_writer *w); // members of an object that is open: connected, message, items

#endif
