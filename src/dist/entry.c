// See entry.h.
#include "dist/entry.h"

#include "base/opt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT "---\n"

void run_entry_free(run_entry *e)
{
    free(e->config);
    *e = (run_entry){0};
}

err run_entry_write(const run_entry *e, text_buf *out)
{
    text_printf(out,
                "format = %" PRId64 "\nnumber = %016" PRIx64 "\nversion = %s\ngame = %s\ngeneration = %" PRIu64
                "\nstep = %" PRIu64 "\nsize = %" PRIu64 "\nchunk = %" PRIu64 "\ncrc32c = %08" PRIx32 "\n" SPLIT "%s",
                e->format, e->number, e->version, e->game, e->generation, e->step, e->size, e->chunk, e->crc,
                e->config);
    return text_check(out);
}

static bool number(const char *value, int base, uint64_t *out)
{
    char *end;
    *out = strtoull(value, &end, base);
    return *value != 0 && *end == 0;
}

typedef struct seen {
    run_entry *e;
    int known, wrong;
} seen;

static void see(void *ctx, const char *key, const char *value)
{
    seen *s = ctx;
    run_entry *e = s->e;
    uint64_t n = 0;
    bool ok = true;
    s->known++;
    if (strcmp(key, "format") == 0) {
        ok = number(value, 10, &n) && n < 1000;
        e->format = (int64_t)n;
    } else if (strcmp(key, "number") == 0) {
        ok = number(value, 16, &e->number);
    } else if (strcmp(key, "version") == 0) {
        snprintf(e->version, sizeof e->version, "%s", value);
    } else if (strcmp(key, "game") == 0) {
        snprintf(e->game, sizeof e->game, "%s", value);
    } else if (strcmp(key, "generation") == 0) {
        ok = number(value, 10, &e->generation);
    } else if (strcmp(key, "step") == 0) {
        ok = number(value, 10, &e->step);
    } else if (strcmp(key, "size") == 0) {
        ok = number(value, 10, &e->size);
    } else if (strcmp(key, "chunk") == 0) {
        ok = number(value, 10, &e->chunk);
    } else if (strcmp(key, "crc32c") == 0) {
        ok = number(value, 16, &n) && n <= UINT32_MAX;
        e->crc = (uint32_t)n;
    } else {
        s->known--; // of a later version: the format decides
    }
    s->wrong += !ok;
}

err run_entry_read(run_entry *e, const char *run, const char *text, size_t size)
{
    *e = (run_entry){0};
    char *copy = malloc(size + 1);
    if (copy == NULL) return err_set(ERR_MEMORY, "no memory for a run's entry");
    memcpy(copy, text, size);
    copy[size] = 0;
    char *split = strstr(copy, SPLIT);
    seen s = {.e = e};
    err r = split != NULL ? opt_config_each(run, copy, (size_t)(split - copy), see, &s)
                          : err_set(ERR_PARSE, "%s: the entry of this run is cut off", run);
    if (r == ERR_OK && (s.wrong > 0 || s.known < 9))
        r = err_set(ERR_PARSE, "%s: the entry of this run is damaged, or of another version of keiko", run);
    if (r == ERR_OK && (e->config = strdup(split + strlen(SPLIT))) == NULL)
        r = err_set(ERR_MEMORY, "no memory for a run's entry");
    snprintf(e->run, sizeof e->run, "%s", run);
    free(copy);
    if (r != ERR_OK) run_entry_free(e);
    return r;
}

err run_entry_get(run_entry *e, bus *b, const char *run, bool *found)
{
    char key[DIST_SUBJECT];
    text_buf t = {0};
    snprintf(key, sizeof key, "run.%s", run);
    err r = bus_table_get(b, key, &t, found);
    if (r == ERR_OK && *found) r = run_entry_read(e, run, text_str(&t), t.len);
    text_free(&t);
    return r;
}

err run_entry_fits(const run_entry *e, const char *version)
{
    if (e->format != DIST_FORMAT)
        return err_set(ERR_USAGE,
                       "run %s uses message format %" PRId64 ", this keiko format %d: install the same version as the "
                       "learner's (%s)",
                       e->run, e->format, DIST_FORMAT, e->version);
    if (strcmp(e->version, version) != 0)
        return err_set(ERR_USAGE,
                       "run %s is trained by keiko %s, and this is keiko %s: games of another version could differ; "
                       "install the same version",
                       e->run, e->version, version);
    return ERR_OK;
}

// --- names

void dist_stream_name(char out[DIST_SUBJECT], dist_stream s, const char *run)
{
    snprintf(out, DIST_SUBJECT, "keiko-%s-%s", run, s == STREAM_GAMES ? "games" : "weights");
}

void dist_stream_subjects(char out[DIST_SUBJECT], dist_stream s, const char *run)
{
    snprintf(out, DIST_SUBJECT, s == STREAM_GAMES ? "keiko.%s.games.*" : "keiko.%s.weights.*.*", run);
}

void dist_games_subject(char out[DIST_SUBJECT], const char *run, const char *worker)
{
    snprintf(out, DIST_SUBJECT, "keiko.%s.games.%s", run, worker);
}
