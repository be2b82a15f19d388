// HTTP by libmicrohttpd: takes requests apart, keeps strangers and slow clients out, and brings answers back.
#ifndef KEIKO_SERVE_HTTP_H
#define KEIKO_SERVE_HTTP_H

#include "serve/api.h"
#include "serve/guard.h"
#include "serve/site.h"

typedef struct http http;

enum { HTTP_CONNECTIONS = 1000, HTTP_RECEIVE_SECONDS = 30, HTTP_SEND_SECONDS = 120 };

typedef struct http_options {
    api *a;
    const site *page; // NULL = none
    guard *guard;     // its port is filled here
    const char *bind;
    int port;            // 0 = a free one
    int receive_seconds; // a request must be complete after this many; 0 = HTTP_RECEIVE_SECONDS
} http_options;

err http_start(http **out, const http_options *o); // caller frees with http_stop
void http_quit(http *h);                           // no new connections; those there end soon
void http_stop(http *h);                           // when no connection waits for a worker or a stream any more
void http_tick(http *h, double now);               // cuts slow clients off

#endif
