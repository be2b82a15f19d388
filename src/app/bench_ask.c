// What is asked of a bench: option rows and a configuration in JSON with the same meaning. See bench.h.
#include "app/bench.h"
#include "app/plugin.h"

#include <string.h>

#define AT(member) offsetof(bench_ask, member)
static const opt rows[] = {BENCH_WHO_ROWS(AT), BENCH_OPENING_ROWS(AT), BENCH_TEST_ROWS(AT), BENCH_FORMAT_ROWS(AT)};

static int row_of(const char *name)
{
    for (int i = 0; i < ROWS(rows); i++)
        if (strcmp(rows[i].name, name) == 0) return i;
    return -1;
}

bool bench_said(const bench_ask *a, const char *row)
{
    int i = row_of(row);
    return i >= 0 && (a->said >> i & 1) != 0;
}

err bench_ask_defaults(bench_ask *a)
{
    *a = (bench_ask){0};
    return opt_defaults(rows, ROWS(rows), a);
}

void bench_ask_said(bench_ask *a, const opt_values *given)
{
    for (int i = 0; i < ROWS(rows); i++)
        if (opt_given(given, rows[i].name)) a->said |= (uint64_t)1 << i;
}

void bench_ask_game(bench_ask *a, const char *name)
{
    a->game = name;
    a->said |= (uint64_t)1 << row_of("game");
}

const char *bench_said_any(const bench_ask *a)
{
    for (int i = 0; i < ROWS(rows); i++) {
        const char *name = rows[i].name;
        bool decides = strcmp(name, "seed") != 0 && strcmp(name, "format") != 0 && strcmp(name, "resign") != 0 &&
                       strcmp(name, "opening-count") != 0;
        if (decides && (a->said >> i & 1) != 0) return name;
    }
    return NULL;
}

// Keys of the configuration and the options they stand for. The seed's names; ours are written in the same way.
static const struct {
    const char *key, *row;
} keys[] = {
    {"gamesPerPair", "games"},
    {"outputFormat", "format"},
    {"game", "game"},
    {"options", "options"},
    {"seed", "seed"},
    {"openings", "openings"},
    {"schedule", "schedule"},
    {"openingCount", "opening-count"},
    {"maxPlies", "max-plies"},
    {"sprt", "sprt"},
    {"adjudicate", "adjudicate"},
    {"resignMoves", "resign-moves"},
    {"resign", "resign"},
};

// One value: checked in any case, taken unless the same thing was said already.
static err take_value(bench_ask *a, const json_val *v, const char *key, int row)
{
    bench_ask aside = *a, *to = (a->said >> row & 1) != 0 ? &aside : a;
    const opt *o = &rows[row];
    char *at = (char *)to + o->at;
    err e;
    if (o->kind == OPT_INT) {
        // 0 is "the default" on the command line; a file that names the number means one.
        bool games = strcmp(key, "gamesPerPair") == 0;
        e = json_get_int(v, games ? 1 : (int64_t)o->low, (int64_t)o->high, (int64_t *)(void *)at);
    } else if (o->kind == OPT_NUMBER) {
        e = json_get_number(v, o->low, o->high, (double *)(void *)at);
    } else {
        const char *text = NULL;
        e = json_get_text(v, &text);
        if (e == ERR_OK && o->kind == OPT_CHOICE && opt_set(o, 1, &aside, o->name, text, "") != ERR_OK)
            e = json_refuse(v, "must be one of %s", o->choices);
        if (e == ERR_OK) *(const char **)(void *)at = text;
    }
    if (e == ERR_OK) a->said |= (uint64_t)1 << row;
    return e;
}

static err take_all(bench_ask *a)
{
    const char *known[ROWS(keys) + 2], *key, *library = NULL;
    json_val root = json_root(a->doc), v;
    for (int i = 0; i < ROWS(keys); i++) known[i] = keys[i].key;
    known[ROWS(keys)] = "players";
    known[ROWS(keys) + 1] = "gameLib";
    err e = json_get_object(&root);
    if (e == ERR_OK) e = json_only(&root, known, ROWS(known));
    if (e == ERR_OK) e = json_maybe_text(&root, "gameLib", &library);
    if (e == ERR_OK && library != NULL) e = plugin_load_all(library);
    for (void *it = NULL; e == ERR_OK && json_each(&root, &it, &key, &v);) {
        if (json_kind_of(&v) == JK_NULL) continue;
        for (int i = 0; e == ERR_OK && i < ROWS(keys); i++)
            if (strcmp(keys[i].key, key) == 0) e = take_value(a, &v, key, row_of(keys[i].row));
    }
    return e;
}

err bench_ask_json(bench_ask *a, const char *text, size_t size, const char *name)
{
    err e = json_read(&a->doc, text, size, name);
    return e == ERR_OK ? take_all(a) : e;
}

err bench_ask_config(bench_ask *a)
{
    if (a->config == NULL || a->doc != NULL) return ERR_OK;
    err e = json_read_file(&a->doc, a->config, 16 << 20);
    return e == ERR_OK ? take_all(a) : e;
}

void bench_ask_free(bench_ask *a)
{
    json_free(a->doc);
    a->doc = NULL;
}
