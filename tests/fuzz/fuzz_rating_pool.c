// Any bytes as a rating table: refused with a line, or read; what was read prints to a text that reads the same, and
// can be rated by every model without a number that is not finite.
#include "stats/rating.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "failed: %s\n", what);
    abort();
}

static void rate(const tally *t)
{
    static const char *const models[] = {"bt", "bt-adv", "rao-kupper", "davidson"};
    for (int k = 0; k < 4; k++) {
        rating_options o = {0};
        rating_fit f;
        check(rating_model_parse(models[k], &o) == ERR_OK, "model name");
        if (rating_fit_tally(&f, t, &o) != ERR_OK) {
            check(t->who.n == 0, "a table with players can be rated");
            continue;
        }
        check(isfinite(f.advantage) && isfinite(f.draw) && isfinite(f.loglik), "finite parameters");
        for (int i = 0; i < f.n; i++)
            check(isfinite(f.rating[i]) && isfinite(rating_se(&f, ERRORS_BEST, i)) &&
                      isfinite(rating_se(&f, ERRORS_GAMES, i)),
                  "finite ratings and errors");
        rating_free(&f);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    tally t = {0}, again = {0};
    if (tally_parse(&t, (const char *)data, size) != ERR_OK) {
        check(err_text()[0] != 0, "an error has a sentence");
        return 0;
    }
    size_t n = tally_print(&t, NULL, 0);
    char *text = malloc(n + 1);
    check(text != NULL && tally_print(&t, text, n + 1) == n && strlen(text) == n, "printed length");
    check(tally_parse(&again, text, n) == ERR_OK, "what was printed can be read");
    check(again.n == t.n && again.who.n == t.who.n, "the same size");
    for (int i = 0; i < t.n; i++) {
        const tally_cell *a = &t.cell[i], *b = &again.cell[i];
        check(strcmp(t.who.name[a->first], again.who.name[b->first]) == 0, "the same first player");
        check(strcmp(t.who.name[a->second], again.who.name[b->second]) == 0, "the same second player");
        check(a->wins == b->wins && a->draws == b->draws && a->losses == b->losses, "the same counts");
    }
    if (t.who.n <= 12) rate(&t);
    free(text);
    tally_free(&t);
    tally_free(&again);
    return 0;
}
