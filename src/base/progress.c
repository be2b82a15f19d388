// The progress bar. See progress.h.
#include "base/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/term.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRA = 200, LINE = 1024 };

#define REDRAW 0.1  // seconds
#define MEMORY 15.0 // seconds over which the rate is averaged

struct progress {
    _Atomic uint64_t done, total, next; // next: microseconds since `born` at which to draw again
    double born;
    bool terminal, lines, colour, drawn; // lines: print one now and then; drawn: the bar stands on the screen
    double interval;
    FILE *screen;
    char label[64], unit[24];
    // under the screen's lock:
    char extra[EXTRA];
    double seen_at, rate;
    uint64_t seen, start;
};

// --- the line

// Appends s if it fits, with two blanks before it.
static void add(text_buf *t, int *room, const char *s)
{
    int n = text_columns(s, strlen(s)), gap = t->len > 0 ? 2 : 0;
    if (n == 0 || n + gap > *room) return;
    text_repeat(t, ' ', gap);
    text_append(t, s);
    *room -= n + gap;
}

size_t progress_line(char *buf, size_t n, int width, const char *label, const char *unit, uint64_t done, uint64_t total,
                     double rate, const char *extra)
{
    enum { BAR_MOST = 30, BAR_LEAST = 8 };
    char count[96], speed[32] = "", left[CLOCK_TEXT + 16] = "", number[TEXT_SHORT];
    if (total > 0)
        snprintf(count, sizeof count, "%3.0f%% %llu/%llu%s%s", fmin(100.0, floor(100.0 * (double)done / (double)total)),
                 (unsigned long long)done, (unsigned long long)total, unit[0] ? " " : "", unit);
    else
        snprintf(count, sizeof count, "%llu%s%s", (unsigned long long)done, unit[0] ? " " : "", unit);
    bool seconds = strcmp(unit, "s") == 0; // these pass by themselves: no speed, and what is left needs none
    if (rate > 0.0 && !seconds) {
        text_short(rate, number);
        snprintf(speed, sizeof speed, "%s/s", number);
    }
    if (total > done && (rate > 0.0 || seconds)) {
        char time[CLOCK_TEXT];
        double rest = (double)(total - done);
        snprintf(left, sizeof left, "%s left", clock_duration(seconds ? rest : rest / rate, time));
    }
    // What matters most gets its room first; the bar takes what remains.
    text_buf head = {0}, tail = {0};
    int room = width;
    add(&head, &room, label);
    room -= room < width ? 2 : 0;
    add(&tail, &room, count);
    add(&tail, &room, left);
    add(&tail, &room, speed);
    for (const char *p = extra; *p;) { // pieces parted by two blanks, as many as fit
        const char *gap = strstr(p, "  ");
        size_t n_piece = gap == NULL ? strlen(p) : (size_t)(gap - p);
        char piece[EXTRA + 1];
        snprintf(piece, sizeof piece, "%.*s", (int)n_piece, p);
        add(&tail, &room, piece);
        p += n_piece + strspn(p + n_piece, " ");
    }
    if (total > 0 && room >= BAR_LEAST + 4) {
        int cells = room - 4 < BAR_MOST ? room - 4 : BAR_MOST;
        int full = (int)fmin(cells, floor((double)cells * (double)done / (double)total));
        if (head.len) text_append(&head, "  ");
        text_char(&head, '[');
        text_repeat(&head, '=', full < cells ? full : cells);
        if (full < cells) text_char(&head, '>');
        text_repeat(&head, ' ', cells - full - 1);
        text_char(&head, ']');
    }
    if (head.len && tail.len) text_append(&head, "  ");
    text_append(&head, text_str(&tail));
    snprintf(buf, n, "%s", text_str(&head));
    text_free(&head);
    text_free(&tail);
    return strlen(buf);
}

// A line end or a tab inside a text would break the one line.
static void one_line(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 32) *s = ' ';
}

// --- drawing, always with the screen's lock held

static void wipe(void *ctx)
{
    progress *p = ctx;
    if (!p->drawn) return;
    fputs("\r\x1b[K", p->screen);
    p->drawn = false;
}

static void measure(progress *p, double now)
{
    uint64_t done = atomic_load(&p->done);
    double dt = now - p->seen_at;
    if (dt <= 0.0) return;
    double fresh = (double)(done > p->seen ? done - p->seen : 0) / dt;
    // An average that forgets; while young, nearly the plain average since the start.
    double age = now - p->born, keep = exp(-dt / fmin(MEMORY, fmax(age, 1e-9)));
    p->rate = p->seen_at == p->born ? fresh : keep * p->rate + (1.0 - keep) * fresh;
    p->seen = done;
    p->seen_at = now;
}

static void draw(progress *p, bool last)
{
    double now = clock_seconds();
    char line[LINE];
    measure(p, now);
    uint64_t done = atomic_load(&p->done), total = atomic_load(&p->total);
    double rate = p->rate;
    if (last && now > p->born) rate = (double)(done > p->start ? done - p->start : 0) / (now - p->born);
    // one column is left free: some terminals wrap when the last one is used
    int width = p->terminal ? term_width(p->screen) - 1 : 200;
    progress_line(line, sizeof line, width, p->label, p->unit, done, total, rate, p->extra);
    if (p->terminal) {
        if (p->colour)
            fprintf(p->screen, "\r\x1b[36m%s\x1b[0m\x1b[K", line);
        else
            fprintf(p->screen, "\r%s\x1b[K", line);
        if (last) fputc('\n', p->screen);
        p->drawn = !last;
    } else {
        fprintf(p->screen, "%s\n", line);
    }
    fflush(p->screen);
}

progress *progress_new(const progress_options *o)
{
    progress *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->screen = o->screen == NULL ? stderr : o->screen;
    p->terminal = !o->quiet && term_is(p->screen);
    p->lines = !o->quiet && !p->terminal && o->verbose;
    p->colour = term_colour(p->screen, o->color);
    p->interval = p->terminal ? REDRAW : o->interval > 0.0 ? o->interval : 10.0;
    snprintf(p->label, sizeof p->label, "%s", o->label == NULL ? "" : o->label);
    snprintf(p->unit, sizeof p->unit, "%s", o->unit == NULL ? "" : o->unit);
    one_line(p->label);
    p->born = p->seen_at = clock_seconds();
    p->start = p->seen = o->start;
    atomic_store(&p->done, o->start);
    atomic_store(&p->total, o->total);
    atomic_store(&p->next, p->terminal ? 0 : (uint64_t)(p->interval * 1e6));
    if (p->terminal) {
        log_screen_lock();
        log_screen_wipe(wipe, p);
        log_screen_unlock();
    }
    return p;
}

// One thread wins the right to draw by moving `next`; the others go on working.
static void maybe_draw(progress *p)
{
    if (!p->terminal && !p->lines) return;
    uint64_t now = (uint64_t)((clock_seconds() - p->born) * 1e6), next = atomic_load(&p->next);
    if (now < next || !atomic_compare_exchange_strong(&p->next, &next, now + (uint64_t)(p->interval * 1e6))) return;
    log_screen_lock();
    draw(p, false);
    log_screen_unlock();
}

void progress_tick(progress *p, uint64_t n)
{
    if (p == NULL) return;
    atomic_fetch_add(&p->done, n);
    maybe_draw(p);
}

void progress_set(progress *p, uint64_t done)
{
    if (p == NULL) return;
    atomic_store(&p->done, done);
    maybe_draw(p);
}

void progress_total(progress *p, uint64_t total)
{
    if (p != NULL) atomic_store(&p->total, total);
}

void progress_extra(progress *p, const char *fmt, ...)
{
    if (p == NULL || (!p->terminal && !p->lines)) return;
    va_list ap;
    va_start(ap, fmt);
    log_screen_lock();
    vsnprintf(p->extra, sizeof p->extra, fmt, ap);
    one_line(p->extra);
    log_screen_unlock();
    va_end(ap);
}

void progress_finish(progress *p)
{
    if (p == NULL) return;
    log_screen_lock();
    if (p->terminal || p->lines) draw(p, true);
    if (p->terminal) log_screen_wipe(NULL, NULL);
    log_screen_unlock();
    free(p);
}
