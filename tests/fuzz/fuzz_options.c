// Any bytes as a command line (words parted by zero bytes or line ends) and as "key=value,…": refused with a sentence, or
// the values written out as options again parse to the same values.
#include "../base/opt_demo.h"

#include <stdlib.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_options: %s (%s)\n", what, err_text());
    abort();
}

static int same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void same(const demo_train *a, const demo_train *b)
{
    check(a->threads == b->threads && a->steps == b->steps && a->rate == b->rate && a->resume == b->resume, "numbers");
    check(a->common.quiet == b->common.quiet && a->common.progress == b->common.progress, "flags");
    check(same_text(a->game, b->game) && same_text(a->run, b->run) && same_text(a->backend, b->backend), "texts");
    check(same_text(a->config, b->config) && same_text(a->note, b->note) && same_text(a->first, b->first),
          "more texts");
    check(same_text(a->common.color, b->common.color), "common text");
}

static char *joined(const char *name, const char *value)
{
    size_t n = strlen(name) + strlen(value) + 1;
    char *s = malloc(n);
    snprintf(s, n, "%s%s", name, value);
    return s;
}

static void again(const demo_train *t)
{
    char number[4][64], *argv[24], *mine[8];
    int n = 0, k = 0;
    argv[n++] = "demo";
    argv[n++] = "train";
    snprintf(number[0], 64, "--threads=%lld", (long long)t->threads);
    snprintf(number[1], 64, "--steps=%lld", (long long)t->steps);
    snprintf(number[2], 64, "--learning-rate=%.17g", t->rate);
    for (int i = 0; i < 3; i++) argv[n++] = number[i];
    argv[n++] = t->resume ? "--resume" : "--no-resume";
    argv[n++] = t->common.quiet ? "-q" : "--quiet=no";
    argv[n++] = t->common.progress ? "--progress" : "--no-progress";
    argv[n++] = mine[k++] = joined("--color=", t->common.color);
    argv[n++] = mine[k++] = joined("--backend=", t->backend);
    argv[n++] = mine[k++] = joined("--run=", t->run);
    if (t->config != NULL) argv[n++] = mine[k++] = joined("--config=", t->config);
    if (t->note != NULL) argv[n++] = mine[k++] = joined("--note=", t->note);
    if (t->first != NULL) argv[n++] = mine[k++] = joined("--first=", t->first);
    argv[n++] = "--";
    argv[n++] = mine[k++] = joined("", t->game);
    const command *cmd;
    opt_values *values;
    check(opt_parse(&demo_program, n, argv, &cmd, &values) == ERR_OK, "the written options do not parse");
    same(t, opt_struct(values));
    opt_free(values);
    for (int i = 0; i < k; i++) free(mine[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 32 };
    char *copy = malloc(size + 1), *argv[MOST];
    int argc = 0;
    if (copy == NULL) return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    argv[argc++] = "demo";
    for (size_t i = 0; i < size && argc < MOST; i++) {
        if (i == 0 || copy[i - 1] == 0) argv[argc++] = copy + i;
        if (copy[i] == '\n') copy[i] = 0;
    }
    const command *cmd = NULL;
    opt_values *values = NULL;
    if (opt_parse(&demo_program, argc, argv, &cmd, &values) != ERR_OK) {
        check(err_text()[0] != 0 && values == NULL, "no sentence");
    } else {
        check(opt_wants_help(values) || opt_wants_version(values) || cmd != NULL, "neither a command nor help");
        if (cmd == &demo_train_command && !opt_wants_help(values) && !opt_wants_version(values))
            again(opt_struct(values));
    }
    opt_free(values);

    demo_train t = {0};
    opt_values *keep = opt_keep();
    if (keep != NULL && opt_defaults(demo_train_opts, demo_train_command.n_opts, &t) == ERR_OK &&
        opt_pairs(demo_train_opts, demo_train_command.n_opts, &t, copy, "fuzz", keep) == ERR_OK)
        check(t.threads >= 1 && t.threads <= 64 && t.steps >= 0 && t.rate >= 0.0 && t.rate <= 1.0, "out of bounds");
    opt_free(keep);
    free(copy);
    return 0;
}
