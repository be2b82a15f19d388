// Any bytes as a config file: refused with a sentence that names the line, or written out and read back to the same values.
#include "../base/opt_demo.h"
#include "base/text.h"

#include <stdlib.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_config: %s (%s)\n", what, err_text());
    abort();
}

static void put(text_buf *t, const char *key, const char *value)
{
    if (value == NULL) return;
    // A value with both quotes can only have come bare, so it goes out bare.
    const char *quote = strchr(value, '"') == NULL ? "\"" : strchr(value, '\'') == NULL ? "'" : "";
    text_printf(t, "%s = %s%s%s # a comment\n", key, quote, value, quote);
}

static int same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const opt *rows = demo_train_opts;
    int n = demo_train_command.n_opts;
    demo_train a = {0}, b = {0};
    opt_values *keep = opt_keep();
    if (keep == NULL || opt_defaults(rows, n, &a) != ERR_OK || opt_defaults(rows, n, &b) != ERR_OK) abort();
    if (opt_config_text(rows, n, &a, "fuzz", (const char *)data, size, keep) != ERR_OK) {
        check(strncmp(err_text(), "fuzz:", 5) == 0, "the sentence has no place");
        opt_free(keep);
        return 0;
    }
    text_buf t = {0};
    text_printf(&t, "threads = %lld\nsteps=%lld\n  learning_rate = %.17g\r\nresume = %s\n", (long long)a.threads,
                (long long)a.steps, a.rate, a.resume ? "on" : "off");
    put(&t, "run", a.run);
    put(&t, "config", a.config);
    put(&t, "note", a.note);
    put(&t, "backend", a.backend);
    put(&t, "player1", a.first);
    check(text_check(&t) == ERR_OK, "memory");
    check(opt_config_text(rows, n, &b, "again", text_str(&t), t.len, keep) == ERR_OK, "what was written does not read");
    check(a.threads == b.threads && a.steps == b.steps && a.rate == b.rate && a.resume == b.resume, "numbers");
    check(same_text(a.run, b.run) && same_text(a.config, b.config) && same_text(a.note, b.note), "texts");
    check(same_text(a.backend, b.backend) && same_text(a.first, b.first), "more texts");
    text_free(&t);
    opt_free(keep);
    return 0;
}
