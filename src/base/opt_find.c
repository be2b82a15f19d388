// From the words of a command line to the row or the command that they name, or a sentence that says what is near. See opt.h.
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <stdio.h>
#include <string.h>

// --- finding a row by its name

static bool begins(const char *name, const char *key, size_t n)
{
    return name != NULL && strlen(name) >= n && strncmp(name, key, n) == 0;
}

// "keiko train", or "keiko" without a command
void opt_program_text(const program *p, const command *c, char *out, size_t n)
{
    snprintf(out, n, "%s%s%s", p->name, c == NULL ? "" : " ", c == NULL ? "" : c->name);
}

static err unknown_option(const program *p, const command *c, const char *key, size_t n)
{
    char word[OPT_NAME * 2], where[128];
    const char *known[512];
    int k = 0;
    snprintf(word, sizeof word, "%.*s", (int)(n < 100 ? n : 100), key);
    opt_program_text(p, c, where, sizeof where);
    for (int i = 0; i < opt_row_count(p, c) && k < 510; i++) {
        const opt *o = opt_row(p, c, i);
        if (o->name != NULL) known[k++] = o->name;
        if (o->name != NULL && o->synonym != NULL) known[k++] = o->synonym;
    }
    text_buf t = {0};
    text_printf(&t, "unknown option --%s", word);
    const char *near = opt_nearest(word, known, k);
    if (near != NULL) {
        text_printf(&t, "; did you mean --%s?", near);
    } else {
        // Perhaps it is another command's, or belongs behind the command.
        for (int i = 0; i < p->n_commands && near == NULL; i++)
            if (opt_find(p->commands[i]->opts, p->commands[i]->n_opts, word) != NULL) near = p->commands[i]->name;
        if (near != NULL)
            text_printf(&t, " of '%s'; it belongs to '%s %s' and stands after it", where, p->name, near);
        else
            text_printf(&t, "; '%s --help' lists them", where);
    }
    if (near == NULL && c != NULL && c->n_args > 0)
        text_append(&t, "; put -- before an argument that begins with a dash");
    err e = err_set(ERR_USAGE, "%s", text_str(&t));
    text_free(&t);
    return e;
}

err opt_find_long(const program *p, const command *c, const char *key, size_t n, opt_found *out)
{
    int rows = opt_row_count(p, c), hits = 0;
    for (int i = 0; i < rows; i++)
        if (opt_is(opt_row(p, c, i), key, n)) {
            *out = (opt_found){opt_row(p, c, i), false};
            return ERR_OK;
        }
    if (n > 3 && strncmp(key, "no-", 3) == 0) {
        for (int i = 0; i < rows; i++) {
            const opt *o = opt_row(p, c, i);
            if (!opt_is(o, key + 3, n - 3)) continue;
            if (o->kind != OPT_FLAG)
                return err_set(ERR_USAGE, "--%.*s: --%s takes a value, so it has no --no- form", (int)n, key, o->name);
            *out = (opt_found){o, true};
            return ERR_OK;
        }
    }
    text_buf t = {0};
    for (int i = 0; i < rows && n > 0; i++) { // a beginning that fits only one
        const opt *o = opt_row(p, c, i);
        if (o->name == NULL || (!begins(o->name, key, n) && !begins(o->synonym, key, n))) continue;
        text_printf(&t, "%s--%s", hits == 0 ? "" : " or ", begins(o->name, key, n) ? o->name : o->synonym);
        *out = (opt_found){o, false};
        hits++;
    }
    err e = ERR_OK;
    if (hits > 1) e = err_set(ERR_USAGE, "--%.*s is ambiguous; did you mean %s?", (int)n, key, text_str(&t));
    if (hits == 0) e = unknown_option(p, c, key, n);
    text_free(&t);
    return e;
}

const opt *opt_find_letter(const program *p, const command *c, char letter)
{
    for (int i = 0; i < opt_row_count(p, c); i++) {
        const opt *o = opt_row(p, c, i);
        if (o->name != NULL && o->letter == letter && letter != 0) return o;
    }
    return NULL;
}

// Is this word an option? "-" (stdin), "---…" (an empty board) and negative numbers are arguments.
bool opt_looks_like(const program *p, const command *c, const char *s)
{
    if (s[0] != '-' || s[1] == 0) return false;
    if (s[1] == '-') return s[2] != '-';
    bool number = (s[1] >= '0' && s[1] <= '9') || s[1] == '.';
    return !number || opt_find_letter(p, c, s[1]) != NULL;
}

// Would this word, standing where a value is expected, rather be the next option?
bool opt_is_known(const program *p, const command *c, const char *s)
{
    if (!opt_looks_like(p, c, s)) return false;
    if (s[1] != '-') return s[2] == 0 && opt_find_letter(p, c, s[1]) != NULL;
    size_t n = strcspn(s + 2, "=");
    for (int i = 0; i < opt_row_count(p, c); i++) {
        const opt *o = opt_row(p, c, i);
        if (opt_is(o, s + 2, n)) return true;
        if (o->kind == OPT_FLAG && n > 3 && strncmp(s + 2, "no-", 3) == 0 && opt_is(o, s + 5, n - 3)) return true;
    }
    return false;
}

// --- which command

const command *opt_command_named(const program *p, const char *name)
{
    for (int i = 0; i < p->n_commands; i++)
        if (strcmp(p->commands[i]->name, name) == 0) return p->commands[i];
    return NULL;
}

bool opt_in_group(const command *c, const char *group)
{
    size_t n = strlen(group);
    return strncmp(c->name, group, n) == 0 && c->name[n] == ' ';
}

bool opt_is_group(const program *p, const char *word)
{
    for (int i = 0; i < p->n_commands; i++)
        if (opt_in_group(p->commands[i], word)) return true;
    return false;
}

// The command written by one or two words; `*n` of them. `second` may be NULL. Sets a sentence when there is none.
const command *opt_match_command(const program *p, const char *first, const char *second, int *n)
{
    char both[2 * OPT_NAME];
    snprintf(both, sizeof both, "%.63s %.63s", first, second == NULL ? "" : second);
    const command *c = second == NULL ? NULL : opt_command_named(p, both);
    *n = 2;
    if (c != NULL) return c;
    *n = 1;
    c = opt_command_named(p, first);
    if (c != NULL) return c;

    text_buf t = {0};
    const char *known[256];
    int k = 0;
    for (int i = 0; i < p->n_commands && k < 255; i++) known[k++] = p->commands[i]->name;
    known[k++] = "help";
    if (opt_is_group(p, first)) {
        text_printf(&t, "'%s %s' needs one more word:", p->name, first);
        size_t len = strlen(first);
        for (int i = 0, hits = 0; i < k; i++)
            if (strncmp(known[i], first, len) == 0 && known[i][len] == ' ')
                text_printf(&t, "%s %s", hits++ == 0 ? "" : ",", known[i] + len + 1);
        if (second != NULL) {
            for (int i = 0; i < k; i++) // compare the second words only
                known[i] = strncmp(known[i], first, len) == 0 && known[i][len] == ' ' ? known[i] + len + 1 : NULL;
            opt_suggest(&t, second, known, k, "");
        }
    } else {
        text_printf(&t, "unknown command '%.60s'", first);
        opt_suggest(&t, first, known, k, "");
        text_printf(&t, " '%s help' lists them", p->name);
        if (opt_nearest(first, known, k) == NULL) { // the sentence then has no question before it
            text_clear(&t);
            text_printf(&t, "unknown command '%.60s'; '%s help' lists them", first, p->name);
        }
    }
    err_set(ERR_USAGE, "%s", text_str(&t));
    text_free(&t);
    return NULL;
}

// The place of the first word that is no option; options before it can only be common ones. argc when there is none.
err opt_first_word(const program *p, int argc, char **argv, int *at)
{
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (s[0] != '-' || s[1] == 0) {
            *at = i;
            return ERR_OK;
        }
        if (s[1] == '-' && s[2] == 0) break;
        const opt *o = NULL;
        bool has_value = false;
        if (s[1] == '-') {
            opt_found f = {0};
            size_t n = strcspn(s + 2, "=");
            err e = opt_find_long(p, NULL, s + 2, n, &f);
            if (e != ERR_OK) return e;
            o = f.o;
            has_value = s[2 + n] == '=';
        } else {
            o = opt_find_letter(p, NULL, s[strlen(s) - 1]);
            const opt *head = opt_find_letter(p, NULL, s[1]);
            has_value = s[2] != 0 && head != NULL && head->kind != OPT_FLAG;
        }
        if (o != NULL && o->kind != OPT_FLAG && !has_value) i++;
    }
    *at = argc;
    return ERR_OK;
}
