// See guard.h.
#define _DEFAULT_SOURCE // getentropy
#include "serve/guard.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool guard_is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strcmp(address, "localhost") == 0;
}

// "name:port" into its parts; "[::1]:80" has a name with colons. False: neither.
static bool split_host(const char *host, char *name, size_t n, int *port)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : host + strcspn(host, ":");
    if (end == NULL) return false;
    if (host[0] == '[') end++;
    size_t len = (size_t)(end - host);
    if (len == 0 || len >= n) return false;
    memcpy(name, host, len);
    name[len] = 0;
    *port = 80;
    if (*end == 0) return true;
    if (*end != ':' || strlen(end + 1) > 5 || end[1] == 0) return false;
    *port = 0;
    for (const char *p = end + 1; *p != 0; p++) {
        if (!isdigit((unsigned char)*p)) return false;
        *port = 10 * *port + (*p - '0');
    }
    return true;
}

// Digits and dots, or in brackets: an address cannot be made to point elsewhere, as a name can.
static bool is_address(const char *name)
{
    return name[0] == '[' || strspn(name, "0123456789.") == strlen(name);
}

static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; *p != 0;) {
        size_t k = strcspn(p, ",");
        if (k == n && strncasecmp(p, name, n) == 0) return true;
        p += k + (p[k] == ',');
    }
    return false;
}

bool guard_host(const guard *g, const char *host)
{
    char name[256], bracketed[70];
    int port;
    if (host == NULL || !split_host(host, name, sizeof name, &port)) return false;
    if (is_listed(g->hosts, name) || is_listed(g->hosts, host)) return true; // behind a proxy the port is another
    if (port != g->port) return false;
    snprintf(bracketed, sizeof bracketed, "[%s]", g->bound);
    if (strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 || strcmp(name, "[::1]") == 0 ||
        strcasecmp(name, g->bound) == 0 || strcmp(name, bracketed) == 0)
        return true;
    return !g->loopback && is_address(name); // bound to all addresses: any of them
}

bool guard_origin(const char *origin, const char *host)
{
    if (origin == NULL) return true;
    if (host == NULL) return false;
    if (strncmp(origin, "http://", 7) == 0) return strcasecmp(origin + 7, host) == 0;
    return strncmp(origin, "https://", 8) == 0 && strcasecmp(origin + 8, host) == 0;
}

// Takes as long wherever they differ.
static bool same(const char *token, const char *given, size_t n)
{
    size_t want = strlen(token);
    unsigned differs = want != n;
    for (size_t i = 0; i < want; i++) differs |= (unsigned char)token[i] ^ (unsigned char)(i < n ? given[i] : 0);
    return differs == 0;
}

static void cookie_name(const guard *g, char *out, size_t n)
{
    snprintf(out, n, "keiko-%d", g->port); // browsers share cookies between the ports of a host
}

bool guard_token(const guard *g, const char *authorization, const char *cookie, const char *query)
{
    char name[32];
    if (g->token[0] == 0) return true;
    if (query != NULL && same(g->token, query, strlen(query))) return true;
    if (authorization != NULL && strncasecmp(authorization, "Bearer ", 7) == 0 &&
        same(g->token, authorization + 7, strlen(authorization + 7)))
        return true;
    cookie_name(g, name, sizeof name);
    size_t n = strlen(name);
    for (const char *p = cookie; p != NULL && *p != 0;) {
        p += strspn(p, " ;");
        size_t k = strcspn(p, ";");
        if (k > n && strncmp(p, name, n) == 0 && p[n] == '=' && same(g->token, p + n + 1, k - n - 1)) return true;
        p += k;
    }
    return false;
}

void guard_cookie(const guard *g, char *out, size_t n)
{
    char name[32];
    cookie_name(g, name, sizeof name);
    snprintf(out, n, "%s=%s; Path=/; HttpOnly; SameSite=Strict", name, g->token);
}

err guard_random(char *out, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[GUARD_TOKEN];
    if (n - 1 > sizeof bytes || getentropy(bytes, n - 1) != 0)
        return err_set(ERR_IO, "the system gives no random numbers");
    for (size_t i = 0; i + 1 < n; i++) out[i] = letters[bytes[i] & 63];
    out[n - 1] = 0;
    return ERR_OK;
}
