// Who may ask: the Host and Origin of a request, and its token. Pure functions over header texts.
//
// A page of another site can send requests to this address from its visitor's browser. It cannot choose the Host header (a
// name of its own that points here is refused), and a browser names it in Origin.
#ifndef KEIKO_SERVE_GUARD_H
#define KEIKO_SERVE_GUARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { GUARD_TOKEN = 128 };

typedef struct guard {
    int port;
    bool loopback;           // bound to a loopback address
    char bound[64];          // the address
    char hosts[512];         // further names, separated by commas
    char token[GUARD_TOKEN]; // "" = none is needed
} guard;

bool guard_is_loopback(const char *address);
bool guard_host(const guard *g, const char *host);       // NULL = the header is missing
bool guard_origin(const char *origin, const char *host); // NULL = missing: no browser, or a plain link
// Each may be NULL. `cookie` is the whole header.
bool guard_token(const guard *g, const char *authorization, const char *cookie, const char *query);
void guard_cookie(const guard *g, char *out, size_t n); // for Set-Cookie

err guard_random(char *out, size_t n); // n - 1 characters of base64url with 6 random bits each

#endif
