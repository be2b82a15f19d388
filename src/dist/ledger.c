// See ledger.h.
#include "dist/ledger.h"

#include "base/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ledger_free(ledger *l)
{
    free(l->row);
    *l = (ledger){0};
}

// The row of an incarnation, or the empty one where it belongs. Needs an empty row somewhere.
static ledger_row *place(const ledger *l, uint64_t incarnation)
{
    size_t i = (size_t)rng_mix(incarnation) & (l->room - 1);
    while (l->row[i].highest != 0 && l->row[i].incarnation != incarnation) i = (i + 1) & (l->room - 1);
    return &l->row[i];
}

static err grow(ledger *l)
{
    ledger more = *l;
    more.room = l->room == 0 ? 64 : 2 * l->room;
    more.row = calloc(more.room, sizeof *more.row);
    if (more.row == NULL) return err_set(ERR_MEMORY, "no memory for the games of %zu workers", l->n + 1);
    for (size_t i = 0; i < l->room; i++)
        if (l->row[i].highest != 0) *place(&more, l->row[i].incarnation) = l->row[i];
    free(l->row);
    *l = more;
    return ERR_OK;
}

static err open_row(ledger *l, uint64_t incarnation, const char *worker, ledger_row **out)
{
    if (2 * (l->n + 1) > l->room) {
        err e = grow(l);
        if (e != ERR_OK) return e;
    }
    ledger_row *r = place(l, incarnation);
    if (r->highest == 0) {
        r->incarnation = incarnation;
        snprintf(r->worker, sizeof r->worker, "%s", worker);
        l->n++;
    }
    *out = r;
    return ERR_OK;
}

const ledger_row *ledger_find(const ledger *l, uint64_t incarnation)
{
    const ledger_row *r = l->room > 0 ? place(l, incarnation) : NULL;
    return r != NULL && r->highest != 0 ? r : NULL;
}

err ledger_count(ledger *l, const dist_head *h, uint64_t positions, bool stale, bool *fresh)
{
    const ledger_row *seen = ledger_find(l, h->incarnation);
    *fresh = seen == NULL || h->counter > seen->highest;
    if (!*fresh) {
        l->repeated++;
        return ERR_OK;
    }
    ledger_row *r = NULL;
    err e = open_row(l, h->incarnation, h->worker, &r);
    if (e != ERR_OK) return e;
    r->highest = h->counter;
    r->counted++;
    r->stale += stale;
    if (!stale) r->positions += positions;
    return ERR_OK;
}

ledger_row ledger_sum(const ledger *l)
{
    ledger_row s = {0};
    for (size_t i = 0; i < l->room; i++) {
        s.highest += l->row[i].highest;
        s.counted += l->row[i].counted;
        s.stale += l->row[i].stale;
        s.positions += l->row[i].positions;
    }
    return s;
}

// --- text

#define HEAD_LINE "ledger 1 sequence %" PRIu64 " created %" PRId64 " repeated %" PRIu64 " refused %" PRIu64 "\n"

err ledger_write(const ledger *l, text_buf *out)
{
    text_printf(out, HEAD_LINE, l->sequence, l->created, l->repeated, l->refused);
    for (size_t i = 0; i < l->room; i++) {
        const ledger_row *r = &l->row[i];
        if (r->highest != 0)
            text_printf(out, "%016" PRIx64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->incarnation,
                        r->worker, r->highest, r->counted, r->stale, r->positions);
    }
    return text_check(out);
}

static err damaged(int line)
{
    return err_set(ERR_PARSE, "the list of counted games is damaged in line %d", line);
}

static err read_row(ledger *l, const char *at, int line)
{
    ledger_row r = {0}, *to = NULL;
    if (sscanf(at, "%" SCNx64 " %31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &r.incarnation, r.worker,
               &r.highest, &r.counted, &r.stale, &r.positions) != 6)
        return damaged(line);
    if (r.highest == 0 || r.counted > r.highest || r.stale > r.counted || ledger_find(l, r.incarnation) != NULL ||
        dist_name_check("worker", r.worker) != ERR_OK)
        return damaged(line);
    err e = open_row(l, r.incarnation, r.worker, &to);
    if (e == ERR_OK) *to = r;
    return e;
}

err ledger_read(ledger *l, const char *text, size_t size)
{
    ledger got = {0};
    char line[256];
    const char *at = text, *end = text + size;
    err e = ERR_OK;
    for (int n = 1; at < end && e == ERR_OK; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = stop != NULL ? (size_t)(stop - at) : (size_t)(end - at);
        if (stop == NULL || len >= sizeof line || memchr(at, 0, len) != NULL) { // cut off, or not ours
            e = damaged(n);
            break;
        }
        memcpy(line, at, len);
        line[len] = 0;
        if (n > 1)
            e = read_row(&got, line, n);
        else if (sscanf(line, "ledger 1 sequence %" SCNu64 " created %" SCNd64 " repeated %" SCNu64 " refused %" SCNu64,
                        &got.sequence, &got.created, &got.repeated, &got.refused) != 4)
            e = damaged(n);
        at = stop + 1;
    }
    if (e == ERR_OK && size == 0) e = damaged(1);
    if (e != ERR_OK) {
        ledger_free(&got);
        return e;
    }
    ledger_free(l);
    *l = got;
    return ERR_OK;
}
