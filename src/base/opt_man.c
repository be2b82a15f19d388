// The manual page: the tables of opt.h as roff, one page for the program with a section a command.
//
// Plain man(7) macros only, so that groff and mandoc both render it. Text is escaped: a backslash, a leading dot or quote,
// and the characters that roff would otherwise turn into typographic ones (a dash in an option must stay one to be copied).
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <string.h>

static void roff(text_buf *t, const char *s, size_t n)
{
    static const char special[] = "\\-'`^~";
    static const char *const escape[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    bool line_start = t->len == 0 || t->data[t->len - 1] == '\n';
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        if (line_start && (c == '.' || c == '\'')) text_append(t, "\\&");
        line_start = c == '\n';
        const char *found = strchr(special, c);
        if (c != 0 && found != NULL)
            text_append(t, escape[found - special]);
        else if ((unsigned char)c >= 32 || c == '\n' || c == '\t')
            text_char(t, c);
    }
}

static void roff_text(text_buf *t, const char *s)
{
    if (s != NULL) roff(t, s, strlen(s));
}

// A sentence of the tables, which begin small and have no stop.
static void sentence(text_buf *t, const char *s)
{
    if (s == NULL || *s == 0) return;
    bool small = *s >= 'a' && *s <= 'z';
    char first = (char)(small ? *s - 32 : *s);
    roff(t, &first, 1);
    roff_text(t, s + 1);
    text_append(t, ".\n");
}

// A macro's argument: quoted, and a quote inside is doubled.
static void roff_argument(text_buf *t, const char *s)
{
    text_char(t, '"');
    for (; s != NULL && *s; s++) {
        if (*s == '"')
            text_append(t, "\\(dq");
        else
            roff(t, s, 1);
    }
    text_char(t, '"');
}

static void upper(text_buf *t, const char *s)
{
    for (; *s; s++) text_char(t, (char)(*s >= 'a' && *s <= 'z' ? *s - 32 : *s));
}

// Paragraphs as in text_wrap: blank lines part them, lines that begin with a space are shown as they are.
static void paragraphs(text_buf *t, const char *s)
{
    bool verbatim = false, any = false;
    while (s != NULL && *s) {
        size_t n = strcspn(s, "\n");
        if (n == 0) {
            if (verbatim) text_append(t, ".fi\n");
            verbatim = false;
            while (*s == '\n') s++;
            if (any && *s && *s != ' ') text_append(t, ".PP\n");
            continue;
        }
        if ((s[0] == ' ') != verbatim) text_append(t, verbatim ? ".fi\n" : any ? ".PP\n.nf\n" : ".nf\n");
        verbatim = s[0] == ' ';
        roff(t, s, n);
        text_char(t, '\n');
        any = true;
        s += n + (s[n] == '\n');
    }
    if (verbatim) text_append(t, ".fi\n");
}

static void option_row(text_buf *t, const opt *o, bool positional)
{
    if (o->name == NULL) {
        text_append(t, ".PP\n.B ");
        roff_argument(t, o->help);
        text_char(t, '\n');
        return;
    }
    text_append(t, ".TP\n");
    if (positional) {
        text_append(t, "\\fI");
        roff_text(t, o->name);
        text_printf(t, "\\fR%s", o->kind == OPT_LIST ? "..." : "");
    } else {
        if (o->letter) text_printf(t, "\\fB\\-%c\\fR, ", o->letter);
        bool on = o->kind == OPT_FLAG && o->preset != NULL && strcmp(o->preset, "no") != 0;
        text_append(t, on ? "\\fB\\-\\-[no\\-]" : "\\fB\\-\\-");
        roff_text(t, o->name);
        text_append(t, "\\fR");
        if (o->kind != OPT_FLAG) {
            text_append(t, " \\fI");
            roff_text(t, o->value == NULL ? "VALUE" : o->value);
            text_append(t, "\\fR");
        }
    }
    text_char(t, '\n');
    sentence(t, o->help);
    text_buf more = {0};
    if (o->kind == OPT_CHOICE) {
        text_append(&more, "One of ");
        opt_choices_text(o, &more);
        text_append(&more, ". ");
    }
    if ((o->kind == OPT_INT || o->kind == OPT_NUMBER) && (o->low != 0.0 || o->high != 0.0)) {
        text_append(&more, "Range: ");
        opt_range_text(o, &more);
        text_append(&more, ". ");
    }
    bool off = o->kind == OPT_FLAG && (o->preset == NULL || strcmp(o->preset, "no") == 0);
    if (o->preset != NULL && o->preset[0] != 0 && !off) text_printf(&more, "Default: %s. ", o->preset);
    if (o->required && !positional) text_append(&more, "Required. ");
    if (o->synonym != NULL && !positional) text_printf(&more, "Also written --%s. ", o->synonym);
    if (more.len > 0) {
        text_truncate(&more, more.len - 1);
        roff_text(t, text_str(&more));
        text_char(t, '\n');
    }
    text_free(&more);
}

// "command  # what it does": the words, then the command in bold.
static void example_lines(text_buf *t, const char *s)
{
    while (s != NULL && *s) {
        size_t n = strcspn(s, "\n");
        const char *hash = strstr(s, "  #");
        size_t words = hash != NULL && hash < s + n ? (size_t)(hash - s) : n;
        text_append(t, ".TP\n.B ");
        text_buf line = {0};
        text_append_n(&line, s, words);
        roff_argument(t, text_str(&line));
        text_free(&line);
        text_char(t, '\n');
        size_t skip = words;
        while (skip < n && (s[skip] == ' ' || s[skip] == '#')) skip++;
        roff(t, s + skip, n - skip);
        text_char(t, '\n');
        s += n + (s[n] == '\n');
    }
}

static void usage_line(text_buf *t, const program *p, const command *c)
{
    text_append(t, "\\fB");
    roff_text(t, p->name);
    text_char(t, ' ');
    roff_text(t, c->name);
    text_append(t, "\\fR");
    text_buf usage = {0};
    opt_usage_text(c, &usage);
    roff_text(t, text_str(&usage));
    text_free(&usage);
    text_append(t, " [\\fIoptions\\fR]\n");
}

static void command_section(text_buf *t, const program *p, const command *c)
{
    text_append(t, ".SS ");
    text_buf title = {0};
    text_printf(&title, "%s %s", p->name, c->name);
    roff_argument(t, text_str(&title));
    text_free(&title);
    text_char(t, '\n');
    if (c->summary != NULL) {
        sentence(t, c->summary);
        text_append(t, ".PP\n");
    }
    usage_line(t, p, c);
    if (c->about != NULL && c->about[0] != 0) {
        text_append(t, ".PP\n");
        paragraphs(t, c->about);
    }
    for (int i = 0; i < c->n_args; i++) option_row(t, &c->args[i], true);
    int n;
    const opt *own = opt_flat(c->opts, c->n_opts, &n);
    for (int i = 0; i < n; i++) option_row(t, &own[i], false);
    if (c->examples != NULL && c->examples[0] != 0) {
        text_append(t, ".PP\nExamples:\n");
        example_lines(t, c->examples);
    }
}

void opt_man(const program *p, FILE *out)
{
    text_buf t = {0};
    text_append(&t, ".TH ");
    upper(&t, p->name);
    text_printf(&t, " 1 \"%s\" ", p->date == NULL ? "" : p->date);
    text_buf source = {0};
    text_printf(&source, "%s %s", p->name, p->version == NULL ? "" : p->version);
    roff_argument(&t, text_str(&source));
    text_free(&source);
    text_append(&t, " \"User Commands\"\n.SH NAME\n");
    roff_text(&t, p->name);
    text_append(&t, " \\- ");
    roff_text(&t, p->summary);
    text_append(&t, "\n.SH SYNOPSIS\n\\fB");
    roff_text(&t, p->name);
    text_append(&t, "\\fR \\fICOMMAND\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n");
    if (p->about != NULL && p->about[0] != 0) {
        text_append(&t, ".SH DESCRIPTION\n");
        paragraphs(&t, p->about);
    }
    text_append(&t, ".SH COMMANDS\n");
    for (int i = 0; i < p->n_commands; i++) command_section(&t, p, p->commands[i]);
    text_append(&t, ".SH COMMON OPTIONS\nEvery command knows these.\n");
    for (int i = 0; i < p->n_common; i++) option_row(&t, &p->common[i], false);
    for (int i = 0; i < 2; i++) option_row(&t, &opt_builtin[i], false);
    text_append(&t, ".SH EXIT STATUS\n0 on success, 1 when the work failed or a check did not hold, 2 when the command "
                    "line was wrong.\n");
    fwrite(text_str(&t), 1, t.len, out);
    text_free(&t);
}
