// Any bytes as a checkpoint's manifest, as a TensorBoard file and as a run's config: refused with a sentence, or whole.
#include "run/run_inner.h"
#include "run/tfevents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_run_files: %s (%s)\n", what, err_text());
    abort();
}

static void see(void *ctx, double when, int64_t step, const char *tag, size_t n, float v)
{
    (void)when;
    (void)step;
    (void)v;
    for (size_t i = 0; i < n; i++) *(unsigned *)ctx += (unsigned char)tag[i]; // every byte must be readable
}

static void see_pair(void *ctx, const char *key, const char *value)
{
    *(unsigned *)ctx += (unsigned)(strlen(key) + strlen(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    run_manifest m;
    unsigned sum = 0;
    if (run_manifest_parse(&m, text, size) == ERR_OK) {
        text_buf t = {0};
        run_manifest back;
        run_manifest_print(&m, &t);
        check(run_manifest_parse(&back, t.data, t.len) == ERR_OK, "what was written does not read");
        check(back.step == m.step && back.seconds == m.seconds && back.n_files == m.n_files, "it differs");
        run_manifest_free(&back);
        run_manifest_free(&m);
        text_free(&t);
    } else {
        check(strstr(err_text(), "manifest.txt: line") != NULL, "the sentence has no place");
    }
    if (tf_read(text, size, see, &sum) != ERR_OK) check(strncmp(err_text(), "byte ", 5) == 0, "no place");
    if (opt_config_each("run.txt", text, size, see_pair, &sum) != ERR_OK)
        check(strncmp(err_text(), "run.txt:", 8) == 0, "no line");
    return 0;
}
