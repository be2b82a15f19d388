// Any bytes as log.jsonl: lines are records or are counted as bad, and what was read, written out and read again is the same.
#include "run/run_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_run_log: %s (%s)\n", what, err_text());
    abort();
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || (isinf(a) && isnan(b)); // JSON has no infinity
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_book *a = NULL, *b = NULL;
    text_buf t = {0};
    char why[160];
    check(run_book_text(&a, (const char *)data, size) == ERR_OK, "refused");
    int bad = run_book_bad(a, why);
    check((bad > 0) == (why[0] != 0), "a bad line without a reason");
    for (int i = 0; i < run_book_count(a); i++) {
        const run_record *r = run_book_at(a, i);
        run_log_line(&t, r->kind, r->step, 0.0, r->values, r->n);
        (void)run_record_get(r, "loss");
        (void)run_record_text(r, "opponent");
    }
    (void)run_book_last_value(a, "learn", "loss");
    check(run_book_text(&b, text_str(&t), t.len) == ERR_OK, "what was written");
    check(run_book_bad(b, why) == 0 && run_book_count(b) == run_book_count(a), "lines are lost");
    for (int i = 0; i < run_book_count(a); i++) {
        const run_record *x = run_book_at(a, i), *y = run_book_at(b, i);
        check(x->step == y->step && x->n <= y->n + 3, "a record differs");
        for (int k = 0; k < y->n && x->n == y->n; k++)
            check((x->values[k].text == NULL) == (y->values[k].text == NULL) && same(x->values[k].v, y->values[k].v),
                  "a value");
    }
    run_book_free(a);
    run_book_free(b);
    text_free(&t);
    return 0;
}
