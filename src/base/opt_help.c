// The help a terminal shows: one command with its options, or the overview of all commands. Everything comes from the
// tables of opt.h, so help cannot disagree with what is parsed.
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <string.h>

enum { WIDEST = 100, LEFT_MOST = 30 }; // longer lines are hard to read; a longer left column starves the sentences

typedef struct page {
    text_buf t;
    int width;
    bool colour;
} page;

static void heading(page *g, const char *title)
{
    text_printf(&g->t, "\n%s%s:%s\n", g->colour ? "\x1b[1m" : "", title, g->colour ? "\x1b[0m" : "");
}

// "-t, --threads N" without the indent
static void left_text(const opt *o, bool positional, text_buf *t)
{
    if (positional) {
        text_printf(t, "%s%s", o->name, o->kind == OPT_LIST ? "..." : "");
        return;
    }
    if (o->letter)
        text_printf(t, "-%c, ", o->letter);
    else
        text_append(t, "    ");
    bool on = o->kind == OPT_FLAG && o->preset != NULL && strcmp(o->preset, "no") != 0;
    text_printf(t, "--%s%s", on ? "[no-]" : "", o->name);
    if (o->kind != OPT_FLAG) text_printf(t, " %s", o->value == NULL ? "VALUE" : o->value);
}

// The sentence with what the table knows behind it: "… (1 to 64; default: 4)"
static void right_text(const opt *o, bool positional, text_buf *t)
{
    text_append(t, o->help == NULL ? "" : o->help);
    text_buf more = {0};
    if (o->kind == OPT_CHOICE) opt_choices_text(o, &more);
    if (o->kind == OPT_INT || o->kind == OPT_NUMBER) opt_range_text(o, &more);
    bool off =
        o->kind == OPT_FLAG && (o->preset == NULL || strcmp(o->preset, "no") == 0); // as every flag without a default
    if (o->preset != NULL && o->preset[0] != 0 && !off)
        text_printf(&more, "%sdefault: %s", more.len ? "; " : "", o->preset);
    if (o->required && !positional) text_printf(&more, "%srequired", more.len ? "; " : "");
    if (o->synonym != NULL && !positional) text_printf(&more, "%salso --%s", more.len ? "; " : "", o->synonym);
    if (more.len > 0) text_printf(t, " (%s)", text_str(&more));
    text_free(&more);
}

static int left_columns(const opt *rows, int n, bool positional)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        if (rows[i].name == NULL) continue;
        text_buf left = {0};
        left_text(&rows[i], positional, &left);
        int w = text_columns(text_str(&left), left.len);
        if (w > most && w <= LEFT_MOST) most = w;
        text_free(&left);
    }
    return most;
}

static void one_row(page *g, const opt *o, bool positional, int left_width)
{
    text_buf left = {0}, right = {0};
    left_text(o, positional, &left);
    right_text(o, positional, &right);
    int used = 2 + text_columns(text_str(&left), left.len), column = 2 + left_width + 2;
    const char *on = g->colour ? "\x1b[36m" : "", *off = g->colour ? "\x1b[0m" : "";
    text_printf(&g->t, "  %s%s%s", on, text_str(&left), off);
    if (used + 2 > column) {
        text_char(&g->t, '\n');
        used = 0;
    }
    text_wrap(&g->t, text_str(&right), used, column, g->width);
    text_free(&left);
    text_free(&right);
}

static void rows_of(page *g, const opt *rows, int n, bool positional, int left_width)
{
    for (int i = 0; i < n; i++) {
        if (rows[i].name == NULL)
            heading(g, rows[i].help);
        else
            one_row(g, &rows[i], positional, left_width);
    }
}

// A command of `n` bytes; where it is wider than the page it goes on in the next line, behind a backslash as in a shell.
static void example(page *g, const char *s, int n)
{
    int indent = 2;
    for (bool more = true; more; indent = 6) {
        int cut = n; // behind the last word that fits, or the first one
        bool quoted = false;
        more = indent + text_columns(s, (size_t)n) > g->width;
        for (int i = 0; more && i < n; i++) {
            quoted = quoted != (s[i] == '\'');
            if (s[i] != ' ' || quoted) continue;
            if (cut < n && indent + text_columns(s, (size_t)i) + 2 > g->width) break;
            cut = i;
        }
        more = cut < n;
        text_printf(&g->t, "%*s%.*s%s", indent, "", cut, s, more ? " \\\n" : "");
        s += cut + more;
        n -= cut + more;
    }
}

// Lines "command  # what it does"; where both do not fit on a line, the words go above the command.
static void examples(page *g, const char *text)
{
    const char *dim = g->colour ? "\x1b[2m" : "", *off = g->colour ? "\x1b[0m" : "";
    int widest = 0;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *hash = strstr(p, "  #"), *end = p + strcspn(p, "\n");
        int w = text_columns(p, (size_t)((hash != NULL && hash < end ? hash : end) - p));
        if (w > widest && 2 + w + 2 + 30 <= g->width) widest = w;
    }
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *end = p + strcspn(p, "\n"), *hash = strstr(p, "  #");
        if (hash != NULL && hash >= end) hash = NULL;
        int n = (int)((hash == NULL ? end : hash) - p);
        const char *words = hash == NULL ? end : hash + 2;
        int w = text_columns(p, (size_t)n), about = text_columns(words, (size_t)(end - words));
        int gap = w < widest ? widest - w + 2 : 2;
        bool beside = 2 + w + gap + about <= g->width;
        if (about > 0 && !beside) text_printf(&g->t, "  %s%.*s%s\n", dim, (int)(end - words), words, off);
        example(g, p, n);
        if (about > 0 && beside) text_printf(&g->t, "%*s%s%.*s%s", gap, "", dim, (int)(end - words), words, off);
        text_char(&g->t, '\n');
    }
}

static void common_options(page *g, const program *p, int left_width)
{
    if (p->n_common == 0 || p->common[0].name != NULL) heading(g, "Common options");
    rows_of(g, p->common, p->n_common, false, left_width);
    rows_of(g, opt_builtin, 2, false, left_width);
}

static int widest_of(const program *p, const command *c)
{
    int most = left_columns(opt_builtin, 2, false), w = left_columns(p->common, p->n_common, false);
    if (w > most) most = w;
    int n = 0;
    const opt *own = c == NULL ? NULL : opt_flat(c->opts, c->n_opts, &n);
    w = left_columns(own, n, false);
    if (w > most) most = w;
    w = c == NULL ? 0 : left_columns(c->args, c->n_args, true);
    return w > most ? w : most;
}

static void command_page(page *g, const program *p, const command *c)
{
    text_buf usage = {0};
    const char *bold = g->colour ? "\x1b[1m" : "", *off = g->colour ? "\x1b[0m" : "";
    text_printf(&g->t, "%s%s %s%s - ", bold, p->name, c->name, off);
    text_wrap(&g->t, c->summary == NULL ? "" : c->summary, (int)(strlen(p->name) + strlen(c->name)) + 4, 0, g->width);
    heading(g, "Usage");
    opt_usage_text(c, &usage);
    text_printf(&g->t, "  %s %s%s [options]\n", p->name, c->name, text_str(&usage));
    text_free(&usage);
    if (c->about != NULL && c->about[0] != 0) {
        text_char(&g->t, '\n');
        text_wrap(&g->t, c->about, 0, 0, g->width);
    }
    int left = widest_of(p, c);
    if (c->n_args > 0) {
        heading(g, "Arguments");
        rows_of(g, c->args, c->n_args, true, left);
    }
    int n;
    const opt *own = opt_flat(c->opts, c->n_opts, &n);
    if (n > 0 && own[0].name != NULL) heading(g, "Options");
    rows_of(g, own, n, false, left);
    common_options(g, p, left);
    if (c->examples != NULL && c->examples[0] != 0) {
        heading(g, "Examples");
        examples(g, c->examples);
    }
}

static void overview_page(page *g, const program *p, const char *group)
{
    const char *bold = g->colour ? "\x1b[1m" : "", *off = g->colour ? "\x1b[0m" : "",
               *name = g->colour ? "\x1b[36m" : "";
    text_printf(&g->t, "%s%s%s %s - %s\n", bold, p->name, off, p->version == NULL ? "" : p->version,
                p->summary == NULL ? "" : p->summary);
    heading(g, "Usage");
    text_printf(&g->t, "  %s %s%sCOMMAND [arguments] [options]\n", p->name, group == NULL ? "" : group,
                group == NULL ? "" : " ");
    if (group == NULL && p->about != NULL && p->about[0] != 0) {
        text_char(&g->t, '\n');
        text_wrap(&g->t, p->about, 0, 0, g->width);
    }
    const char *under = "";
    int most = 0;
    for (int i = 0; i < p->n_commands; i++) {
        int w = text_columns(p->commands[i]->name, strlen(p->commands[i]->name));
        if (w > most && (group == NULL || opt_in_group(p->commands[i], group))) most = w;
    }
    for (int i = 0; i < p->n_commands; i++) {
        const command *c = p->commands[i];
        if (group != NULL && !opt_in_group(c, group)) continue;
        const char *above = p->headings == NULL || group != NULL ? "Commands" : p->headings[i];
        if (strcmp(above, under) != 0) heading(g, above);
        under = above;
        text_printf(&g->t, "  %s%s%s", name, c->name, off);
        text_wrap(&g->t, c->summary == NULL ? "" : c->summary, 2 + text_columns(c->name, strlen(c->name)), 2 + most + 2,
                  g->width);
    }
    common_options(g, p, widest_of(p, NULL));
    text_printf(&g->t, "\n'%s COMMAND --help' explains a command and shows examples.\n", p->name);
}

void opt_help(const program *p, const command *c, const char *group, FILE *out, int width, bool colour)
{
    page g = {.width = width <= 0 ? 80 : width < 40 ? 40 : width > WIDEST ? WIDEST : width, .colour = colour};
    if (c != NULL)
        command_page(&g, p, c);
    else
        overview_page(&g, p, group);
    fwrite(text_str(&g.t), 1, g.t.len, out);
    text_free(&g.t);
}
