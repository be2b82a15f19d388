// Good texts, each changed in one place in every way: cut off, one character left out, doubled, or replaced by another. What a
// parser makes of thousands of such texts, its sentences included, is one number of a list: a parser that is wrong anywhere
// changes it. With KEIKO_SHOW_EDITS set, every text and its answer are printed, to compare before and after.
#ifndef KEIKO_TESTS_EDITS_H
#define KEIKO_TESTS_EDITS_H

#include "base/listed.h"
#include "base/rng.h"

#include <inttypes.h>

typedef struct edits {
    const char *name;
    int texts, good;
    uint64_t digest;
} edits;

// What one text gave: `said` is what was read, printed again, or the sentence.
static inline void edits_saw(edits *e, bool good, const char *text, const char *said)
{
    uint64_t h = e->digest + good;
    for (const char *p = said; *p; p++) h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    e->digest = rng_mix(h);
    e->texts++;
    e->good += good;
    if (getenv("KEIKO_SHOW_EDITS") != NULL) printf("%s '%s': %s %s\n", e->name, text, good ? "good" : "bad", said);
}

// Calls `each` with the text itself and with all its changes; `with` are the characters that are put in.
static inline void edits_of(const char *text, const char *with, void (*each)(void *ctx, const char *text), void *ctx)
{
    size_t n = strlen(text);
    char *copy = malloc(n + 2);
    assert_non_null(copy);
    each(ctx, text);
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, text, i);
        copy[i] = 0;
        each(ctx, copy); // cut off
        memcpy(copy + i, text + i + 1, n - i);
        each(ctx, copy); // left out
        memcpy(copy, text, n + 1);
        memmove(copy + i + 1, copy + i, n + 1 - i);
        each(ctx, copy); // doubled
        for (const char *c = with; *c; c++) {
            memcpy(copy, text, n + 1);
            copy[i] = *c;
            if (*c != text[i]) each(ctx, copy);
        }
    }
    free(copy);
}

static inline void edits_list(const edits *e, text_buf *t)
{
    text_printf(t, "%s: %d texts, %d good, %016" PRIx64 "\n", e->name, e->texts, e->good, e->digest);
}

#endif
