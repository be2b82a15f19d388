// keiko over HTTP: the page's files, and a JSON API over app/ (docs/API.md).
//
// A server has a data folder: games in progress (games.db), training runs (runs/), benches (benches/). It makes that folder
// the current one, so that paths in requests and answers, in agents' names and in the processes that it starts all mean the
// same. Requests are answered by a few threads of libmicrohttpd; searches run on workers of their own; training and benches
// are other processes. Nothing here prints.
#ifndef KEIKO_SERVE_SERVE_H
#define KEIKO_SERVE_SERVE_H

#include "base/err.h"
#include "dist/bus.h"

#include <stdbool.h>

typedef struct server server;

typedef struct serve_options {
    const char *data;  // the folder; made when missing
    const char *site;  // the page's files; NULL or "" = none
    const char *bind;  // an address; NULL = 127.0.0.1
    int port;          // 0 = a free one
    const char *token; // what clients must know; NULL: none, unless the address is not a loopback one: then one is made
    const char *hosts; // further names of this server, as clients write them, separated by commas; NULL = none
    const char *program;     // that trains and plays benches; NULL: neither can be started
    const char *build;       // of the program; NULL = unknown
    int workers;             // searches at the same time; 0 = one per core
    int jobs;                // training runs and benches at the same time
    double think;            // seconds that one search may take
    const bus_options *nats; // of the workers that are shown; NULL = none
    int receive_seconds;     // a request must be complete after this many; 0 = 30
} serve_options;

err serve_start(server **out, const serve_options *o); // caller frees with serve_stop
void serve_stop(server *s); // ends searches and streams, stops its processes and waits for them; NULL is fine

int serve_port(const server *s);
const char *serve_token(const server *s); // "" = none is needed
const char *serve_data(const server *s);  // the whole path
const char *serve_site(const server *s);  // "" = it has no page

#endif
