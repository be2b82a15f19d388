// Helpers of the subcommands. See cli.h.
#include "cli/cli.h"

#include "app/plugin.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 36, BELOW = 4 }; // with fewer columns than ROOM behind a head, the words go below it, behind BELOW blanks

// Appends `head` and the line s[0…n) as `out` shows them.
static void lay_out(text_buf *t, FILE *out, const char *head, const char *s, size_t n)
{
    text_buf line = {0};
    int indent = text_columns(head, strlen(head)), width = term_width(out);
    text_append_n(&line, s, n);
    text_append(t, head);
    if (term_is(out) && indent + text_columns(s, n) > width) {
        if (indent > BELOW && width - indent < ROOM) {
            while (t->len > 0 && t->data[t->len - 1] == ' ') text_truncate(t, t->len - 1);
            if (t->len > 0 && t->data[t->len - 1] != '\n') text_char(t, '\n');
            text_repeat(t, ' ', BELOW);
            indent = BELOW;
        }
        text_wrap(t, text_str(&line), indent, indent, width);
    } else {
        text_append(t, text_str(&line));
        text_char(t, '\n');
    }
    text_free(&line);
}

static void say_line(FILE *out, const char *head, const char *s, size_t n)
{
    text_buf t = {0};
    lay_out(&t, out, head, s, n);
    fputs(text_str(&t), out);
    text_free(&t);
}

static text_buf safe_text(const char *fmt, va_list ap)
{
    text_buf raw = {0}, safe = {0};
    text_vprintf(&raw, fmt, ap);
    text_append_safe(&safe, text_str(&raw), true);
    text_free(&raw);
    return safe;
}

void cli_print(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_buf safe = safe_text(fmt, ap);
    va_end(ap);
    fputs(text_str(&safe), stdout);
    text_free(&safe);
}

void cli_say(FILE *out, const char *head, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_buf all = safe_text(fmt, ap);
    va_end(ap);
    const char *s = text_str(&all);
    do {
        size_t n = strcspn(s, "\n");
        say_line(out, head, s, n);
        s += n + (s[n] == '\n');
    } while (*s);
    text_free(&all);
}

void cli_say_lines(const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\n"), label = strspn(s, " ");
        const char *gap = strstr(s + label, "  ");
        if (gap != NULL && gap < s + n) label = (size_t)(gap - s) + strspn(gap, " ");
        text_buf head = {0};
        text_append_n(&head, s, label < n ? label : n);
        say_line(stdout, text_str(&head), s + head.len, n - head.len);
        text_free(&head);
        s += n + (s[n] == '\n');
    }
}

void cli_say_note(FILE *out, const char *head, const char *words)
{
    text_buf blank = {0};
    text_repeat(&blank, ' ', text_columns(head, strlen(head)));
    do {
        size_t n = strcspn(words, "\n");
        cli_say(out, head, "%.*s", (int)n, words);
        words += n + (words[n] == '\n');
        head = text_str(&blank);
    } while (*words);
    text_free(&blank);
}

void cli_line(void *ctx, const char *line)
{
    (void)ctx;
    text_buf safe = {0}, blanks = {0}, t = {0};
    text_append_safe(&safe, line, true);
    text_repeat(&blanks, ' ', (int)strspn(text_str(&safe), " ")); // a line that begins with one would not be broken
    lay_out(&t, stdout, text_str(&blanks), text_str(&safe) + blanks.len, safe.len - blanks.len);
    log_screen_print(stdout, text_str(&t));
    text_free(&safe);
    text_free(&blanks);
    text_free(&t);
}

err cli_put(text_buf *t, err e)
{
    if (e == ERR_OK) e = text_check(t);
    if (e == ERR_OK) fputs(text_str(t), stdout);
    text_free(t);
    return e;
}

progress *cli_progress(const common *all, const char *label, const char *unit, uint64_t total)
{
    return progress_new(&(progress_options){.label = label,
                                            .unit = unit,
                                            .total = total,
                                            .quiet = all->quiet,
                                            .verbose = all->verbose,
                                            .color = all->color});
}

int cli_fail(const char *name)
{
    cli_say(stderr, "", "keiko %s: %s", name, err_text());
    return 2;
}

bool cli_beside(const char *name, char path[FILE_PATH])
{
    static const char *const places[] = {"..", ".", "../share/keiko"};
    char self[FILE_PATH], dir[FILE_PATH];
    char *slash = file_program(self) ? strrchr(self, '/') : NULL;
    path[0] = 0;
    if (slash == NULL) return false;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (file_join(dir, sizeof dir, self, places[i]) == ERR_OK && file_join(path, FILE_PATH, dir, name) == ERR_OK &&
            file_exists(path))
            return true;
    path[0] = 0;
    return false;
}

void cli_print_next(const game *g, const char *agent, const char *run, bool stopped, bool trained)
{
    text_buf dir = {0}, file = {0}, spec = {0}, player = {0}, lib = {0};
    if (plugin_of(g) != NULL) {
        text_append(&lib, "--game-lib ");
        text_shell(&lib, plugin_of(g));
        text_char(&lib, ' ');
    }
    text_shell(&dir, run);
    text_printf(&file, "%s/final.safetensors", run);
    text_printf(&spec, "%s:model=", agent);
    opt_pair_value(&spec, text_str(&file));
    text_shell(&player, text_str(&spec));
    if (trained)
        printf("play:   keiko %splay %s %s %s\n", text_str(&lib), g->name,
               g->n_seats == 1 ? "--first" : "--first human --second", text_str(&player));
    else
        printf("nothing was learned%s, and final.safetensors is the network this run began with\n",
               stopped ? " yet" : ": the limit came first");
    if (stopped || !trained)
        printf("go on:  keiko %strain %s --run %s --resume%s\n", text_str(&lib), g->name, text_str(&dir),
               stopped ? "" : " --minutes N (a later limit)");
    printf("look:   keiko status %s; keiko report %s\n", text_str(&dir), text_str(&dir));
    text_free(&dir);
    text_free(&file);
    text_free(&spec);
    text_free(&player);
    text_free(&lib);
}

static const char *wanted_colour = "auto";

void cli_set_colour(const char *wanted)
{
    wanted_colour = wanted;
}

bool cli_colour(void)
{
    return term_colour(stdout, wanted_colour);
}
