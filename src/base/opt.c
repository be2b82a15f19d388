// The command line: which command, which options, which arguments. See opt.h; single values are read in opt_value.c.
#include "base/memory.h"
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct opt_values {
    const program *p;
    const command *cmd;
    bool help, version;
    const char *group; // what help is wanted about, where no command is meant
    int n_rows;
    unsigned char *given; // a row: GIVEN_HERE | GIVEN_FILE
    char **kept;          // strings that live as long as this
    int n_kept, cap_kept;
    const char **items; // of the list positional
    alignas(max_align_t) unsigned char data[];
};

enum { GIVEN_HERE = 1, GIVEN_FILE = 2 };

// The command's own rows.
static const opt *rows_of(const command *c, int *n)
{
    *n = 0;
    return c == NULL ? NULL : opt_flat(c->opts, c->n_opts, n);
}

int opt_row_count(const program *p, const command *c)
{
    int own;
    rows_of(c, &own);
    return own + p->n_common + 2;
}

const opt *opt_row(const program *p, const command *c, int i)
{
    int own;
    const opt *rows = rows_of(c, &own);
    if (i < own) return &rows[i];
    if (i < own + p->n_common) return &p->common[i - own];
    return &opt_builtin[i - own - p->n_common];
}

static size_t kind_size(opt_kind k)
{
    switch (k) {
    case OPT_FLAG:
        return sizeof(bool);
    case OPT_INT:
        return sizeof(int64_t);
    case OPT_NUMBER:
        return sizeof(double);
    case OPT_LIST:
        return sizeof(opt_list);
    default:
        return sizeof(char *);
    }
}

static opt_values *values_new(const program *p, const command *c)
{
    size_t size = c == NULL ? 0 : c->size;
    for (int i = 0; i < p->n_common; i++) { // without a command the common struct stands alone
        size_t end = p->common[i].at + kind_size(p->common[i].kind);
        assert(c == NULL || c->size == 0 || p->common[i].name == NULL || end <= c->size);
        if (end > size) size = end;
    }
    opt_values *v = calloc(1, sizeof *v + size);
    if (v == NULL) return NULL;
    v->p = p;
    v->cmd = c;
    v->n_rows = opt_row_count(p, c) + (c == NULL ? 0 : c->n_args);
    v->given = calloc((size_t)v->n_rows, 1);
    if (v->given == NULL) {
        free(v);
        return NULL;
    }
    return v;
}

opt_values *opt_keep(void)
{
    return calloc(1, sizeof(opt_values));
}

void opt_free(opt_values *v)
{
    if (v == NULL) return;
    for (int i = 0; i < v->n_kept; i++) free(v->kept[i]);
    FREE_ALL(v->kept, v->given, v->items, v);
}

char *opt_keep_text(opt_values *v, const char *s, size_t n)
{
    if (!GROW(v->kept, v->n_kept, v->cap_kept)) return NULL;
    char *copy = malloc(n + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, s, n);
    copy[n] = 0;
    v->kept[v->n_kept++] = copy;
    return copy;
}

const void *opt_struct(const opt_values *v)
{
    return v->data;
}

const opt_values *opt_values_of(const void *options)
{
    return (const opt_values *)((const char *)options - offsetof(opt_values, data));
}

bool opt_wants_help(const opt_values *v)
{
    return v->help;
}

const char *opt_help_group(const opt_values *v)
{
    return v->group;
}

bool opt_wants_version(const opt_values *v)
{
    return v->version;
}

bool opt_given(const opt_values *v, const char *name)
{
    if (v->p == NULL) return false;
    int rows = opt_row_count(v->p, v->cmd);
    for (int i = 0; i < v->n_rows; i++) {
        const opt *o = i < rows ? opt_row(v->p, v->cmd, i) : &v->cmd->args[i - rows];
        if (v->given[i] && opt_is(o, name, strlen(name))) return true;
    }
    return false;
}

static int row_index(const opt_values *v, const opt *o)
{
    for (int i = 0, n = v->p == NULL ? 0 : opt_row_count(v->p, v->cmd); i < n; i++)
        if (opt_row(v->p, v->cmd, i) == o) return i;
    return -1;
}

int opt_values_rows(const opt_values *v)
{
    return v->p == NULL ? 0 : opt_row_count(v->p, v->cmd) - 2; // without the built-in ones
}

const opt *opt_values_row(const opt_values *v, int i)
{
    return opt_row(v->p, v->cmd, i);
}

void *opt_values_struct(opt_values *v)
{
    return v->data;
}

bool opt_on_command_line(const opt_values *v, const opt *o)
{
    int i = row_index(v, o);
    return i >= 0 && (v->given[i] & GIVEN_HERE) != 0;
}

err opt_typed_text(const void *options, size_t at, size_t size, text_buf *to)
{
    const opt_values *v = opt_values_of(options);
    for (int i = 0; i < opt_values_rows(v); i++) {
        const opt *o = opt_row(v->p, v->cmd, i);
        if ((v->given[i] & GIVEN_HERE) == 0 || o->at < at || o->at >= at + size) continue;
        err e = opt_config_print(o, 1, v->data, NULL, to);
        if (e != ERR_OK) return e;
    }
    return text_check(to);
}

void opt_mark_filed(opt_values *v, const opt *o)
{
    int i = row_index(v, o);
    if (i >= 0) v->given[i] |= GIVEN_FILE;
}

// --- one pass over the words

typedef struct reader {
    opt_values *v;
    int argc, i; // i: the word being read
    char **argv;
    int skip, n_skip;   // the command's own words, argv[skip … skip+n_skip)
    const char **words; // positionals found so far
    int n_words;
} reader;

static err take(reader *r, const opt *o, bool no, const char *text, const char *label)
{
    opt_values *v = r->v;
    if (o == &opt_builtin[OPT_HELP] || o == &opt_builtin[OPT_VERSION]) {
        bool on = !no && (text == NULL || strcmp(text, "no") != 0);
        *(o == &opt_builtin[OPT_HELP] ? &v->help : &v->version) = on;
        return ERR_OK;
    }
    if (no && text != NULL) return err_set(ERR_USAGE, "%s takes no value", label);
    if (o->kind != OPT_FLAG && text == NULL) {
        int k = r->i + 1;
        const char *next = k < r->argc && (k < r->skip || k >= r->skip + r->n_skip) ? r->argv[k] : NULL;
        const char *what = o->value == NULL ? "VALUE" : o->value;
        if (next == NULL || opt_is_known(v->p, v->cmd, next) || strcmp(next, "--") == 0)
            return err_set(ERR_USAGE, "%s needs a value: %s %s (%s)", label, label, what,
                           o->help == NULL ? "" : o->help);
        text = next;
        r->i++;
    }
    err e = opt_store(o, v->data, no ? "no" : text, label);
    if (e == ERR_OK) v->given[row_index(v, o)] |= GIVEN_HERE;
    return e;
}

static err read_long(reader *r, const char *word)
{
    size_t n = strcspn(word + 2, "=");
    opt_found f = {0};
    err e = opt_find_long(r->v->p, r->v->cmd, word + 2, n, &f);
    if (e != ERR_OK) return e;
    char label[OPT_NAME + 8];
    snprintf(label, sizeof label, "--%s%s", f.no ? "no-" : "", f.o->name);
    return take(r, f.o, f.no, word[2 + n] == '=' ? word + 3 + n : NULL, label);
}

// -v, -n 5, -n5, -n=5, -qv
static err read_letters(reader *r, const char *word)
{
    const program *p = r->v->p;
    size_t n = strcspn(word + 1, "=");
    for (int i = 0; n > 1 && i < opt_row_count(p, r->v->cmd); i++) // -threads: one dash too few
        if (opt_is(opt_row(p, r->v->cmd, i), word + 1, n))
            return err_set(ERR_USAGE, "unknown option %.60s; did you mean -%.60s?", word, word);
    for (const char *s = word + 1; *s; s++) {
        const opt *o = opt_find_letter(p, r->v->cmd, *s);
        char label[3] = {'-', *s, 0}, where[128];
        if (o == NULL) {
            opt_program_text(p, r->v->cmd, where, sizeof where);
            bool printable = *s > 32 && *s < 127;
            return err_set(ERR_USAGE,
                           "unknown option -%c%s; '%s --help' lists them, and -- goes before an argument that "
                           "begins with a dash",
                           printable ? *s : '?', s[1] || s > word + 1 ? " in a group of letters" : "", where);
        }
        if (o->kind == OPT_FLAG) {
            err e = take(r, o, false, NULL, label);
            if (e != ERR_OK) return e;
            continue;
        }
        const char *value = s[1] == 0 ? NULL : s[1] == '=' ? s + 2 : s + 1;
        return take(r, o, false, value, label);
    }
    return ERR_OK;
}

// --- arguments

void opt_usage_text(const command *c, text_buf *t)
{
    for (int i = 0; i < c->n_args; i++) {
        const opt *a = &c->args[i];
        text_printf(t, " %s%s%s%s", a->required ? "" : "[", a->name, a->kind == OPT_LIST ? "..." : "",
                    a->required ? "" : "]");
    }
    int n;
    const opt *o = rows_of(c, &n);
    for (int i = 0; i < n; i++)
        if (o[i].name != NULL && o[i].required)
            text_printf(t, " --%s%s%s", o[i].name, o[i].value == NULL ? "" : " ", o[i].value == NULL ? "" : o[i].value);
}

static err too_many(const program *p, const command *c, const char *word)
{
    text_buf t = {0};
    opt_usage_text(c, &t);
    err e;
    if (c->n_args == 0)
        e = err_set(ERR_USAGE, "unexpected argument '%.60s': '%s %s' takes none, only options", word, p->name, c->name);
    else
        e = err_set(ERR_USAGE, "unexpected argument '%.60s'; usage: %s %s%s [options]", word, p->name, c->name,
                    text_str(&t));
    text_free(&t);
    return e;
}

static err fill_list(reader *r, const opt *a, int from)
{
    opt_list list = {.n = r->n_words - from};
    r->v->items = calloc((size_t)list.n + 1, sizeof *r->v->items);
    if (r->v->items == NULL) return err_set(ERR_MEMORY, "out of memory for %d arguments", list.n);
    memcpy(r->v->items, r->words + from, (size_t)list.n * sizeof *r->words);
    list.items = r->v->items;
    memcpy(r->v->data + a->at, &list, sizeof list);
    return ERR_OK;
}

static err fill_args(reader *r)
{
    opt_values *v = r->v;
    const command *c = v->cmd;
    int used = 0, rows = opt_row_count(v->p, c);
    for (int i = 0; i < c->n_args; i++) {
        const opt *a = &c->args[i];
        if (used == r->n_words) {
            if (!a->required) {
                continue;
            }
            text_buf t = {0}, choices = {0};
            opt_usage_text(c, &t);
            if (a->kind == OPT_CHOICE) opt_choices_text(a, &choices);
            err e = err_set(ERR_USAGE, "%s is missing (%s%s%s); usage: %s %s%s [options]", a->name,
                            a->help == NULL ? "" : a->help, choices.len > 0 ? ": " : "", text_str(&choices), v->p->name,
                            c->name, text_str(&t));
            text_free(&t);
            text_free(&choices);
            return e;
        }
        err e = ERR_OK;
        if (a->kind == OPT_LIST) {
            e = fill_list(r, a, used);
            used = r->n_words;
        } else {
            e = opt_store(a, v->data, r->words[used], a->name);
            used++;
        }
        if (e != ERR_OK) return e;
        v->given[rows + i] |= GIVEN_HERE;
    }
    return used < r->n_words ? too_many(v->p, c, r->words[used]) : ERR_OK;
}

static err check_required(const opt_values *v)
{
    for (int i = 0; i < opt_row_count(v->p, v->cmd); i++) {
        const opt *o = opt_row(v->p, v->cmd, i);
        if (o->name == NULL || !o->required || v->given[i]) continue;
        char where[128];
        text_buf t = {0};
        opt_program_text(v->p, v->cmd, where, sizeof where);
        if (v->cmd != NULL) opt_usage_text(v->cmd, &t);
        err e = err_set(ERR_USAGE, "'%s' needs --%s %s (%s); usage: %s%s [options]", where, o->name,
                        o->value == NULL ? "" : o->value, o->help == NULL ? "" : o->help, where, text_str(&t));
        text_free(&t);
        return e;
    }
    return ERR_OK;
}

// --- the whole line

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

// Reads all words but the command's own.
static err read_words(reader *r)
{
    bool ended = false;
    for (r->i = 1; r->i < r->argc; r->i++) {
        if (r->i >= r->skip && r->i < r->skip + r->n_skip) continue;
        const char *word = r->argv[r->i];
        err e = ERR_OK;
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (ended || !opt_looks_like(r->v->p, r->v->cmd, word))
            r->words[r->n_words++] = word;
        else
            e = word[1] == '-' ? read_long(r, word) : read_letters(r, word);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

// `keiko help …`, `keiko --help …`, a bare `keiko`: which command is meant, if any
static err help_words(const program *p, int argc, char **argv, int at, const command **cmd)
{
    const char *first = at + 1 < argc ? argv[at + 1] : NULL, *second = at + 2 < argc ? argv[at + 2] : NULL;
    *cmd = NULL;
    if (first == NULL || first[0] == '-') return ERR_OK;
    int n;
    *cmd = opt_match_command(p, first, second, &n);
    if (*cmd != NULL || opt_is_group(p, first)) return ERR_OK;
    return ERR_USAGE;
}

err opt_parse(const program *p, int argc, char **argv, const command **cmd, opt_values **values)
{
    *cmd = NULL;
    *values = NULL;
    int at = argc, n = 0;
    bool help = false;
    err e = opt_first_word(p, argc, argv, &at);
    if (e == ERR_OK && at < argc) {
        if (strcmp(argv[at], "help") == 0 && opt_command_named(p, "help") == NULL) {
            help = true;
            e = help_words(p, argc, argv, at, cmd);
            n = 1;
        } else {
            *cmd = opt_match_command(p, argv[at], at + 1 < argc ? argv[at + 1] : NULL, &n);
            if (*cmd == NULL) e = ERR_USAGE;
        }
    }
    if (e != ERR_OK && !asks_for_help(argc, argv)) return e;

    reader r = {.argc = argc, .argv = argv, .skip = at, .n_skip = n};
    r.v = values_new(p, *cmd);
    r.words = calloc((size_t)(argc > 0 ? argc : 1), sizeof *r.words);
    if (r.v == NULL || r.words == NULL) {
        e = err_set(ERR_MEMORY, "out of memory while reading the command line");
        goto done;
    }
    if (e == ERR_OK) e = opt_defaults(p->common, p->n_common, r.v->data);
    if (e == ERR_OK && *cmd != NULL) e = opt_defaults((*cmd)->opts, (*cmd)->n_opts, r.v->data);
    if (e == ERR_OK && *cmd != NULL) e = opt_defaults((*cmd)->args, (*cmd)->n_args, r.v->data);
    if (e == ERR_OK) e = read_words(&r);
    // Who asks for help gets it, whatever else the line says.
    if (help || r.v->help || (e != ERR_OK && asks_for_help(argc, argv)) ||
        (e == ERR_OK && *cmd == NULL && !r.v->version)) {
        int word = help ? at + 1 : at;
        if (*cmd == NULL && word < argc && opt_is_group(p, argv[word])) r.v->group = argv[word];
        r.v->help = true;
        e = ERR_OK;
    }
    bool runs = !r.v->help && !r.v->version;
    if (e == ERR_OK && runs) e = fill_args(&r);
    if (e == ERR_OK && runs) e = check_required(r.v);
done:
    free(r.words);
    if (e != ERR_OK) {
        opt_free(r.v);
        return e;
    }
    *values = r.v;
    return ERR_OK;
}
