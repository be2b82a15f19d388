// See runs.h.
#include "app/runs.h"

#include "app/bench.h"
#include "base/file.h"
#include "base/log.h"
#include "eval/eval.h"
#include "learn/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

err runs_list(const char *dir, runs_entry **out, int *n)
{
    char **names = NULL, path[FILE_PATH];
    int all = 0;
    *out = NULL;
    *n = 0;
    err e = file_list(dir, NULL, &names, &all);
    if (e != ERR_OK) return e;
    runs_entry *list = calloc((size_t)all + 1, sizeof *list);
    if (list == NULL) e = err_set(ERR_MEMORY, "no memory for a list of %d runs", all);
    for (int i = 0; i < all && e == ERR_OK; i++) {
        run_info info;
        if (file_join(path, sizeof path, dir, names[i]) != ERR_OK || run_info_read(&info, path) != ERR_OK) continue;
        if (run_state_read(&list[*n].s, path) == ERR_OK)
            snprintf(list[(*n)++].name, sizeof list->name, "%s", names[i]);
        else
            log_warn("%s is left out: %s", path, err_text());
    }
    file_list_free(names, all);
    if (e == ERR_OK) *out = list;
    return e;
}

void runs_json(const runs_entry *r, int n, json_writer *w)
{
    json_open_array(w);
    for (int i = 0; i < n; i++) {
        json_open_object(w);
        json_pair_text(w, "name", r[i].name);
        json_key(w, "state");
        run_state_json(&r[i].s, w);
        json_close(w);
    }
    json_close(w);
}

// --- what a run holds

void runs_row_json(const run_record *r, json_writer *w)
{
    json_open_object(w);
    json_pair_text(w, "kind", r->kind);
    json_pair_int(w, "step", r->step);
    json_pair_number(w, "seconds", r->seconds);
    for (int i = 0; i < r->n; i++) {
        const run_value *v = &r->values[i];
        if (v->text != NULL)
            json_pair_text(w, v->name, v->text);
        else
            json_pair_number(w, v->name, v->v);
    }
    json_close(w);
}

static void see_option(void *ctx, const char *key, const char *value)
{
    json_pair_text(ctx, key, value);
}

err runs_options_json(const char *dir, json_writer *w)
{
    char path[FILE_PATH], *text = NULL;
    size_t size = 0;
    err e = file_join(path, sizeof path, dir, "config.txt");
    if (e == ERR_OK && file_exists(path)) e = file_read(path, 1 << 20, &text, &size);
    json_open_object(w);
    if (e == ERR_OK && text != NULL) e = opt_config_each(path, text, size, see_option, w);
    json_close(w);
    free(text);
    return e;
}

enum { HEADER_MOST = 1 << 20 };

typedef struct network {
    char file[256]; // below the run's folder
    int64_t step;   // -1 = not known
    double elo;     // NaN = not known
    const char *label;
    struct stat st;
} network;

// The training step in a weights file's note, from its header alone; -1 = not known.
static int64_t step_in_file(const char *path)
{
    unsigned char size[8];
    char value[32] = "", *text = NULL;
    const char *note = NULL;
    json_doc *doc = NULL;
    uint64_t n = 0;
    FILE *f = fopen(path, "rb");
    if (f == NULL) return -1;
    if (fread(size, 1, 8, f) == 8)
        for (int i = 7; i >= 0; i--) n = n << 8 | size[i];
    if (n > 0 && n <= HEADER_MOST && (text = malloc((size_t)n)) != NULL && fread(text, 1, (size_t)n, f) == n &&
        json_read(&doc, text, (size_t)n, path) == ERR_OK) {
        json_val root = json_root(doc), meta = json_member(&root, "__metadata__");
        if (json_maybe_text(&meta, "keiko.note", &note) == ERR_OK && note != NULL)
            eval_note(note, "step", value, sizeof value);
    }
    fclose(f);
    json_free(doc);
    free(text);
    return value[0] >= '0' && value[0] <= '9' ? strtoll(value, NULL, 10) : -1;
}

static void add_network(network *list, int *n, int most, const char *dir, const char *file, const char *label)
{
    char path[FILE_PATH];
    network one = {.step = -1, .elo = NAN, .label = label};
    long long step;
    double elo;
    if (*n >= most || file_join(path, sizeof path, dir, file) != ERR_OK || stat(path, &one.st) != 0) return;
    snprintf(one.file, sizeof one.file, "%s", file);
    if (sscanf(file, "model_step_%lld_elo_%lf", &step, &elo) == 2) {
        one.step = step;
        one.elo = elo;
    } else if (sscanf(file, "checkpoints/%*d-step-%lld", &step) == 1) {
        one.step = step;
    } else {
        one.step = step_in_file(path);
    }
    list[(*n)++] = one;
}

static int by_age(const void *a, const void *b)
{
    const network *x = a, *y = b;
    if (x->st.st_mtime != y->st.st_mtime) return x->st.st_mtime < y->st.st_mtime ? 1 : -1;
    return x->step < y->step ? 1 : x->step > y->step ? -1 : strcmp(x->file, y->file);
}

// The network that the newest whole checkpoint plays with.
static void add_checkpoint(network *list, int *n, int most, const char *dir)
{
    static const char *const nets[] = {"net.safetensors", "model.safetensors"};
    char folder[FILE_PATH], file[300], path[FILE_PATH], **names = NULL;
    int all = 0, before = *n;
    if (file_join(folder, sizeof folder, dir, "checkpoints") != ERR_OK || !file_is_dir(folder) ||
        file_list(folder, NULL, &names, &all) != ERR_OK)
        return;
    for (int i = all - 1; i >= 0 && *n == before; i--) {
        snprintf(file, sizeof file, "checkpoints/%.200s/manifest.txt", names[i]);
        if (file_join(path, sizeof path, dir, file) != ERR_OK || !file_exists(path)) continue;
        for (int k = 0; k < 2 && *n == before; k++) {
            snprintf(file, sizeof file, "checkpoints/%.200s/%s", names[i], nets[k]);
            add_network(list, n, most, dir, file, "checkpoint");
        }
    }
    file_list_free(names, all);
}

static const char *agent_of(const char *algo)
{
    for (int i = 0; i < trainer_count(); i++)
        if (strcmp(trainer_at(i)->name, algo) == 0) return trainer_at(i)->agent;
    return "zero";
}

err runs_networks_json(const char *dir, double now, json_writer *w)
{
    run_info info;
    char **names = NULL, spec[FILE_PATH + 300];
    int all = 0, n = 0;
    err e = run_info_read(&info, dir);
    if (e == ERR_OK) e = file_list(dir, ".safetensors", &names, &all);
    network *list = e == ERR_OK ? calloc((size_t)all + 1, sizeof *list) : NULL;
    if (e == ERR_OK && list == NULL) e = err_set(ERR_MEMORY, "no memory for a list of networks");
    if (e != ERR_OK) {
        file_list_free(names, all);
        return e;
    }
    for (int i = 0; i < all; i++) {
        bool rated = strncmp(names[i], "model_", 6) == 0;
        add_network(list, &n, all + 1, dir, names[i],
                    rated                                ? "rated"
                    : strncmp(names[i], "best.", 5) == 0 ? "best"
                                                         : "final");
    }
    add_checkpoint(list, &n, all + 1, dir);
    qsort(list, (size_t)n, sizeof *list, by_age);
    json_open_array(w);
    for (int i = 0; i < n; i++) {
        json_open_object(w);
        json_pair_text(w, "file", list[i].file);
        snprintf(spec, sizeof spec, "%s:model=%s/%s", agent_of(info.algo), dir, list[i].file);
        json_pair_text(w, "agent", spec);
        json_pair_uint(w, "bytes", (uint64_t)list[i].st.st_size);
        json_pair_number(w, "age", fmax(0, round(now - (double)list[i].st.st_mtime)));
        if (list[i].step >= 0) json_pair_int(w, "step", list[i].step);
        if (!isnan(list[i].elo)) json_pair_number(w, "elo", list[i].elo);
        json_pair_text(w, "label", list[i].label);
        json_close(w);
    }
    json_close(w);
    free(list);
    file_list_free(names, all);
    return ERR_OK;
}

err runs_games_json(const char *dir, int64_t from, int64_t limit, json_writer *w)
{
    char path[FILE_PATH];
    run_info info;
    store *s = NULL;
    err e = run_info_read(&info, dir);
    if (e == ERR_OK) e = file_join(path, sizeof path, dir, "ratings.db");
    bool any = e == ERR_OK && store_has_files() && file_exists(path);
    if (any) e = store_open_file(&s, path, false);
    if (e == ERR_OK) e = bench_recent_json(any ? s : NULL, from, limit, w);
    store_close(s);
    return e;
}
