// Completion scripts for bash, zsh and fish, written from the tables of opt.h.
//
// Each script is self-contained: the words for values (choices, games, agents) are written into it, so that pressing Tab
// never starts the program. Texts of the tables end up inside shell quotes; `quoted` and text_shell_plain keep them harmless.
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <string.h>

// 'text' with what a quote or zsh's specs would trip over escaped. `special` characters get a backslash.
static void quoted(text_buf *t, const char *s, const char *special)
{
    for (; s != NULL && *s; s++) {
        if (*s == '\'')
            text_append(t, "'\\''");
        else if (strchr(special, *s) != NULL)
            text_printf(t, "\\%c", *s);
        else if ((unsigned char)*s >= 32)
            text_char(t, *s);
    }
}

// Does a row take its words from the program ("games", "agents")?
static bool hinted(const program *p, const opt *o)
{
    return (o->kind == OPT_TEXT || o->kind == OPT_LIST) && o->choices != NULL && p->hint != NULL;
}

// The words of a choice, parted by blanks; nothing for other rows.
static void choice_words(const opt *o, text_buf *t)
{
    for (const char *s = o->kind == OPT_CHOICE ? o->choices : NULL; s != NULL && *s; s++)
        text_char(t, *s == '|' ? ' ' : *s);
}

// The words of a hint, each once, parted by `gap`. `within`: a word of the scope; NULL = any.
static void hint_words(const program *p, const char *kind, const char *within, const char *gap, text_buf *t)
{
    const char *w, *v;
    for (int i = 0; (w = p->hint(kind, within, i)) != NULL; i++) {
        bool again = !text_shell_plain(w);
        for (int k = 0; k < i && !again && (v = p->hint(kind, within, k)) != NULL; k++) again = strcmp(v, w) == 0;
        if (!again) text_printf(t, "%s%s", t->len ? gap : "", w);
    }
}

static const opt *row_of_all(const program *p, int i)
{
    for (int k = 0; k < p->n_commands; k++) {
        const command *c = p->commands[k];
        if (i < c->n_opts) return &c->opts[i];
        i -= c->n_opts;
        if (i < c->n_args) return &c->args[i];
        i -= c->n_args;
    }
    return i < p->n_common ? &p->common[i] : NULL;
}

// The kinds of hints that rows ask for, each once.
enum { HINTS = 16 };
static int hint_kinds(const program *p, const char *out[HINTS])
{
    int n = 0;
    const opt *o;
    for (int i = 0; (o = row_of_all(p, i)) != NULL; i++) {
        bool known = !hinted(p, o) || n == HINTS;
        for (int k = 0; k < n && !known; k++) known = strcmp(out[k], o->choices) == 0;
        if (!known) out[n++] = o->choices;
    }
    return n;
}

// What hint_table writes for one kind of hint within one word of the scope; `within` NULL = none is on the line.
typedef void hint_line_fn(text_buf *t, const char *kind, const char *within, const char *words);

static void hint_table(text_buf *t, const program *p, hint_line_fn *line)
{
    const char *kinds[HINTS], *within;
    int n = hint_kinds(p, kinds);
    for (int i = 0; i < n; i++) {
        text_buf all = {0};
        hint_words(p, kinds[i], NULL, " ", &all);
        for (int k = 0; p->scope != NULL && (within = p->hint(p->scope, NULL, k)) != NULL; k++) {
            text_buf some = {0};
            hint_words(p, kinds[i], within, " ", &some);
            if (text_shell_plain(within) && strcmp(text_str(&some), text_str(&all)) != 0)
                line(t, kinds[i], within, text_str(&some));
            text_free(&some);
        }
        line(t, kinds[i], NULL, text_str(&all));
        text_free(&all);
    }
}

// The words of the scope, parted by `gap`.
static void scope_words(const program *p, const char *gap, text_buf *t)
{
    if (p->scope != NULL && p->hint != NULL) hint_words(p, p->scope, NULL, gap, t);
}

// The program's name as part of a function's.
static void name_text(const program *p, char out[OPT_NAME])
{
    size_t n = 0;
    for (const char *s = p->name; *s && n < OPT_NAME - 1; s++)
        out[n++] = (char)(text_shell_plain(s) && strchr("-.,:=/+@%", *s) == NULL ? *s : '_');
    out[n] = 0;
}

// Is commands[i] the first of its group ("nn info", "nn export")? `len` is then the length of the group's word.
static bool first_of_group(const program *p, int i, size_t *len)
{
    const char *name = p->commands[i]->name, *space = strchr(name, ' ');
    if (space == NULL) return false;
    *len = (size_t)(space - name);
    for (int k = 0; k < i; k++)
        if (strncmp(p->commands[k]->name, name, *len + 1) == 0) return false;
    return true;
}

// Is the first word of a group a command, too ("train" beside "train puyo")?
static bool is_command(const program *p, const char *name, size_t len)
{
    for (int i = 0; i < p->n_commands; i++)
        if (strncmp(p->commands[i]->name, name, len) == 0 && p->commands[i]->name[len] == 0) return true;
    return false;
}

// First words of all commands, groups once.
static void command_words(const program *p, text_buf *t)
{
    for (int i = 0; i < p->n_commands; i++) {
        size_t len;
        if (strchr(p->commands[i]->name, ' ') == NULL)
            text_printf(t, "%s ", p->commands[i]->name);
        else if (first_of_group(p, i, &len) && !is_command(p, p->commands[i]->name, len))
            text_printf(t, "%.*s ", (int)len, p->commands[i]->name);
    }
    text_append(t, "help");
}

// The second words of the commands that begin with `name` up to `len`.
static void group_words(const program *p, const char *name, size_t len, text_buf *t)
{
    for (int i = 0; i < p->n_commands; i++) {
        const char *full = p->commands[i]->name;
        if (strncmp(full, name, len) == 0 && full[len] == ' ') text_printf(t, "%s ", full + len + 1);
    }
    if (t->len > 0) text_truncate(t, t->len - 1);
}

static bool on_by_default(const opt *o)
{
    return o->kind == OPT_FLAG && o->preset != NULL && strcmp(o->preset, "no") != 0;
}

// --- bash

// The end of a line of a `case`: what completes a value. `more`: words that may stand there, too.
static void bash_words(text_buf *t, const program *p, const opt *o, const char *more)
{
    text_buf words = {0};
    choice_words(o, &words);
    if (more[0] != 0) text_printf(&words, "%s%s", words.len > 0 ? " " : "", more);
    if (o->kind == OPT_FILE || (o->kind == OPT_LIST && !hinted(p, o)))
        text_append(t, ") kind=files ;;\n");
    else if (o->kind == OPT_DIR)
        text_append(t, ") kind=dirs ;;\n");
    else if (hinted(p, o) && words.len == 0)
        text_printf(t, ") kind=words hint='%s' ;;\n", o->choices);
    else if (hinted(p, o))
        text_printf(t, ") kind=words hint='%s' words='%s' ;;\n", o->choices, text_str(&words));
    else
        text_printf(t, ") kind=words words='%s' ;;\n", text_str(&words));
    text_free(&words);
}

// One line of a `case`: the pattern of command and option, then what completes its value.
static void bash_value(text_buf *t, const program *p, const char *cmd, const opt *o)
{
    if (o->name == NULL || o->kind == OPT_FLAG) return;
    const char *open = cmd == NULL ? "*" : "'", *close = cmd == NULL ? "" : "'", *c = cmd == NULL ? "" : cmd;
    text_printf(t, "    %s%s%s:--%s", open, c, close, o->name);
    if (o->synonym != NULL) text_printf(t, " | %s%s%s:--%s", open, c, close, o->synonym);
    if (o->letter) text_printf(t, " | %s%s%s:-%c", open, c, close, o->letter);
    bash_words(t, p, o, "");
}

static void bash_options(text_buf *t, const program *p, const command *c)
{
    for (int i = 0; i < opt_row_count(p, c); i++) {
        const opt *o = opt_row(p, c, i);
        if (o->name != NULL) text_printf(t, "--%s%s ", on_by_default(o) ? "no-" : "", o->name);
    }
    text_truncate(t, t->len - 1);
}

static void bash_arguments(text_buf *t, const program *p, const command *c)
{
    text_buf group = {0}; // where the first argument may be another command's second word
    group_words(p, c->name, strlen(c->name), &group);
    for (int i = 0; i < c->n_args; i++) {
        const opt *a = &c->args[i];
        text_printf(t, "        '%s':", c->name);
        if (a->kind == OPT_LIST)
            text_append(t, "*");
        else
            text_printf(t, "%d", i);
        bash_words(t, p, a, i == 0 ? text_str(&group) : "");
    }
    text_free(&group);
}

static void bash_hint(text_buf *t, const char *kind, const char *within, const char *words)
{
    if (within != NULL)
        text_printf(t, "    '%s':'%s') words='%s' ;;\n", kind, within, words);
    else
        text_printf(t, "    '%s':*) words='%s' ;;\n", kind, words);
}

// The body up to the cursor: which command, how many arguments so far (n), what the word before the cursor wants.
static void bash_scan(text_buf *t, const program *p, const char *name)
{
    text_printf(t, "_%s() {\n", name);
    text_printf(t,
                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                "    local cmd='' kind='' words='' hint='' scope='' skip='' n=0 i w\n"
                "    # bash parts --name=value into three words\n"
                "    if [[ $cur == = ]]; then\n"
                "        cur=\n"
                "    elif [[ $prev == = ]]; then\n"
                "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                "    fi\n"
                "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                "        w=${COMP_WORDS[i]}\n"
                "        if [[ -n $skip ]]; then\n"
                "            [[ $w == = ]] || skip=\n"
                "            continue\n"
                "        fi\n"
                "        case $w in\n"
                "        -*)\n"
                "            _%s_value \"$cmd\" \"$w\"\n"
                "            [[ -n $kind ]] && skip=1\n"
                "            ;;\n"
                "        =) ;;\n"
                "        *)\n"
                "            if [[ -z $cmd || $cmd == help ]]; then\n"
                "                cmd=$w\n"
                "            else\n"
                "                case \"$cmd $w\" in\n",
                name);
    text_buf pairs = {0};
    for (int i = 0; i < p->n_commands; i++)
        if (strchr(p->commands[i]->name, ' ') != NULL)
            text_printf(&pairs, "%s'%s'", pairs.len ? " | " : "", p->commands[i]->name);
    if (pairs.len > 0) text_printf(t, "                %s) cmd=\"$cmd $w\" ;;\n", text_str(&pairs));
    text_free(&pairs);
    text_append(t, "                *) n=$((n + 1)) ;;\n"
                   "                esac\n"
                   "            fi\n"
                   "            ;;\n"
                   "        esac\n"
                   "    done\n");
    text_buf scope = {0};
    scope_words(p, " | ", &scope);
    if (scope.len > 0)
        text_printf(t,
                    "    for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do\n"
                    "        [[ $i == \"$COMP_CWORD\" ]] && continue\n"
                    "        case ${COMP_WORDS[i]} in\n"
                    "        %s) scope=${COMP_WORDS[i]} ;;\n"
                    "        esac\n"
                    "    done\n",
                    text_str(&scope));
    text_free(&scope);
    text_printf(t,
                "    _%s_value \"$cmd\" \"$prev\"\n"
                "    if [[ -z $kind && $cur == -* ]]; then\n"
                "        kind=words\n"
                "        case $cmd in\n",
                name);
}

// What to offer there.
static void bash_offer(text_buf *t, const program *p, const char *name)
{
    for (int i = 0; i < p->n_commands; i++) {
        text_printf(t, "        '%s') words='", p->commands[i]->name);
        bash_options(t, p, p->commands[i]);
        text_append(t, "' ;;\n");
    }
    text_append(t, "        *) words='");
    bash_options(t, p, NULL);
    text_append(t, "' ;;\n        esac\n    elif [[ -z $kind ]]; then\n        case $cmd:$n in\n        :* | help:*) "
                   "kind=words words='");
    command_words(p, t);
    text_append(t, "' ;;\n");
    for (int i = 0; i < p->n_commands; i++) {
        size_t len;
        if (first_of_group(p, i, &len) && !is_command(p, p->commands[i]->name, len)) {
            text_buf words = {0};
            group_words(p, p->commands[i]->name, len, &words);
            text_printf(t, "        %.*s:0) kind=words words='%s' ;;\n", (int)len, p->commands[i]->name,
                        text_str(&words));
            text_free(&words);
        }
        bash_arguments(t, p, p->commands[i]);
    }
    text_printf(t,
                "        *) : ;;\n"
                "        esac\n"
                "    fi\n"
                "    if [[ -n $hint ]]; then\n"
                "        w=$words\n"
                "        _%s_hint \"$hint\" \"$scope\"\n"
                "        words=\"$words $w\"\n"
                "    fi\n"
                "    case $kind in\n"
                "    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
                "    dirs) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
                "    *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
                "    esac\n"
                "}\n\ncomplete -F _%s %s\n",
                name, name, p->name);
}

static void bash_script(text_buf *t, const program *p, const char *name)
{
    // What the option before the cursor wants: sets kind (files, dirs, words) and words or hint; kind stays empty for flags.
    text_printf(t, "# bash completion for %s\n\n_%s_value() {\n    kind= words= hint=\n    case $1:$2 in\n", p->name,
                name);
    for (int i = 0; i < p->n_commands; i++) {
        int n;
        const opt *own = opt_flat(p->commands[i]->opts, p->commands[i]->n_opts, &n);
        for (int k = 0; k < n; k++) bash_value(t, p, p->commands[i]->name, &own[k]);
    }
    for (int k = 0; k < p->n_common; k++) bash_value(t, p, NULL, &p->common[k]);
    text_append(t, "    *) : ;;\n    esac\n}\n\n");
    // The words of a hint, where the line names a game those of that game.
    text_printf(t, "_%s_hint() {\n    case $1:$2 in\n", name);
    hint_table(t, p, bash_hint);
    text_append(t, "    *) words= ;;\n    esac\n}\n\n");
    bash_scan(t, p, name);
    bash_offer(t, p, name);
}

// --- zsh

static void zsh_action(text_buf *t, const program *p, const char *name, const opt *o)
{
    text_buf words = {0};
    choice_words(o, &words);
    if (hinted(p, o)) {
        text_printf(t, ":_%s_hint %s", name, o->choices);
    } else if (words.len > 0) {
        text_append(t, ":(");
        quoted(t, text_str(&words), ":");
        text_char(t, ')');
    } else if (o->kind == OPT_FILE || o->kind == OPT_LIST)
        text_append(t, ":_files");
    else if (o->kind == OPT_DIR)
        text_append(t, ":_files -/");
    else
        text_append(t, ": ");
    text_free(&words);
}

static void zsh_hint(text_buf *t, const char *kind, const char *within, const char *words)
{
    text_printf(t, "    '%s':%s) compadd \"$@[1,-2]\" -- %s ;;\n", kind, within == NULL ? "*" : within, words);
}

// The words of a hint; its name is the last argument, before it stands what _arguments wants compadd to have.
static void zsh_hints(text_buf *t, const program *p, const char *name)
{
    text_buf scope = {0};
    scope_words(p, " | ", &scope);
    text_printf(t, "_%s_hint() {\n    local scope w\n", name);
    if (scope.len > 0)
        text_printf(t, "    for w in $words; do\n        case $w in\n        %s) scope=$w ;;\n        esac\n    done\n",
                    text_str(&scope));
    text_append(t, "    case $argv[-1]:$scope in\n");
    hint_table(t, p, zsh_hint);
    text_append(t, "    esac\n}\n\n");
    text_free(&scope);
}

static void zsh_option(text_buf *t, const program *p, const char *name, const opt *o)
{
    if (o->name == NULL) return;
    const char *no = on_by_default(o) ? "no-" : "", *eq = o->kind == OPT_FLAG ? "" : "=";
    if (o->letter)
        text_printf(t, " \\\n        '(-%c --%s%s)'{-%c%s,--%s%s%s}'[", o->letter, no, o->name, o->letter,
                    o->kind == OPT_FLAG ? "" : "+", no, o->name, eq);
    else
        text_printf(t, " \\\n        '--%s%s%s[", no, o->name, eq);
    quoted(t, o->help, "[]:\\");
    text_char(t, ']');
    if (o->kind != OPT_FLAG) {
        text_char(t, ':');
        quoted(t, o->value == NULL ? "value" : o->value, ":\\");
        zsh_action(t, p, name, o);
    }
    text_char(t, '\'');
}

static void zsh_command(text_buf *t, const program *p, const char *name, const command *c)
{
    text_printf(t, "    '%s')\n        _arguments -s -S", c->name);
    for (int i = 0; i < opt_row_count(p, c); i++) zsh_option(t, p, name, opt_row(p, c, i));
    for (int i = 0; i < c->n_args; i++) {
        const opt *a = &c->args[i];
        if (a->kind == OPT_LIST)
            text_append(t, " \\\n        '*:");
        else
            text_printf(t, " \\\n        '%d:", i + 1);
        if (!a->required && a->kind != OPT_LIST) text_char(t, ':'); // "1::name" is optional
        quoted(t, a->name, ":\\");
        zsh_action(t, p, name, a);
        text_char(t, '\'');
    }
    text_append(t, "\n        ;;\n");
}

static void zsh_describe(text_buf *t, const char *name, const char *summary)
{
    text_append(t, "        '");
    quoted(t, name, ":\\");
    text_char(t, ':');
    quoted(t, summary, "\\");
    text_append(t, "'\n");
}

static void zsh_script(text_buf *t, const program *p, const char *name)
{
    text_printf(t, "#compdef %s\n\n", p->name);
    zsh_hints(t, p, name);
    text_printf(t, "_%s_commands() {\n    local -a list=(\n", name);
    for (int i = 0; i < p->n_commands; i++) {
        size_t len;
        if (strchr(p->commands[i]->name, ' ') == NULL) {
            zsh_describe(t, p->commands[i]->name, p->commands[i]->summary);
        } else if (first_of_group(p, i, &len) && !is_command(p, p->commands[i]->name, len)) {
            text_buf first = {0}, words = {0};
            text_append_n(&first, p->commands[i]->name, len);
            group_words(p, p->commands[i]->name, len, &words);
            zsh_describe(t, text_str(&first), text_str(&words));
            text_free(&first);
            text_free(&words);
        }
    }
    zsh_describe(t, "help", "explain a command");
    text_printf(t,
                "    )\n    _describe -t commands command list\n}\n\n_%s() {\n"
                "    local curcontext=\"$curcontext\" state line name\n"
                "    typeset -A opt_args\n    _arguments -C -s -S",
                name);
    for (int i = 0; i < opt_row_count(p, NULL); i++) zsh_option(t, p, name, opt_row(p, NULL, i));
    text_printf(t, " \\\n        '1: :_%s_commands' '*:: :->rest' && return\n    name=$words[1]\n    case $name in\n",
                name);
    text_printf(t, "    help)\n        _%s_commands\n        return\n        ;;\n", name);
    for (int i = 0; i < p->n_commands; i++) {
        size_t len;
        if (!first_of_group(p, i, &len)) continue;
        text_buf words = {0};
        group_words(p, p->commands[i]->name, len, &words);
        bool both = is_command(p, p->commands[i]->name, len);
        text_printf(t,
                    "    %.*s)\n        if ((CURRENT == 2)); then\n            compadd -- %s\n%s"
                    "        elif [[ ' %s ' == *\" $words[2] \"* ]]; then\n"
                    "            shift words\n            ((CURRENT--))\n            name=\"$name $words[1]\"\n"
                    "        fi\n        ;;\n",
                    (int)len, p->commands[i]->name, text_str(&words), both ? "" : "            return\n",
                    text_str(&words));
        text_free(&words);
    }
    text_append(t, "    esac\n    case $name in\n");
    for (int i = 0; i < p->n_commands; i++) zsh_command(t, p, name, p->commands[i]);
    text_printf(t, "    esac\n}\n\nif [[ $funcstack[1] == _%s ]]; then\n    _%s \"$@\"\nelse\n    compdef _%s %s\nfi\n",
                name, name, name, p->name);
}

// --- fish

static void fish_words(const program *p, const char *name, const opt *o, text_buf *t)
{
    if (hinted(p, o))
        text_printf(t, "(__%s_hint %s)", name, o->choices);
    else
        choice_words(o, t);
}

static void fish_hint(text_buf *t, const char *kind, const char *within, const char *words)
{
    text_printf(t, "        case '%s %s'\n            string split ' ' '%s'\n", kind, within == NULL ? "*" : within,
                words);
}

static void fish_option(text_buf *t, const program *p, const char *name, const command *c, const opt *o)
{
    if (o->name == NULL) return;
    text_printf(t, "complete -c %s", p->name);
    if (c != NULL) text_printf(t, " -n '__%s_in \"%s\"'", name, c->name);
    if (o->letter) text_printf(t, " -s %c", o->letter);
    text_printf(t, " -l %s%s", on_by_default(o) ? "no-" : "", o->name);
    text_buf words = {0};
    fish_words(p, name, o, &words);
    if (o->kind == OPT_FILE)
        text_append(t, " -r -F");
    else if (o->kind == OPT_DIR)
        text_append(t, " -x -a '(__fish_complete_directories)'");
    else if (o->kind != OPT_FLAG)
        text_printf(t, " -x%s%s%s", words.len ? " -a '" : "", text_str(&words), words.len ? "'" : "");
    text_free(&words);
    text_append(t, " -d '");
    for (const char *s = o->help; s != NULL && *s; s++) text_printf(t, *s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
    text_append(t, "'\n");
}

static void fish_command(text_buf *t, const program *p, const char *name, int i)
{
    const command *c = p->commands[i];
    const char *space = strchr(c->name, ' ');
    text_printf(t, "complete -c %s -n '", p->name);
    if (space == NULL)
        text_printf(t, "__%s_bare' -a '%s'", name, c->name);
    else
        text_printf(t, "__%s_at \"%.*s\"' -a '%s'", name, (int)(space - c->name), c->name, space + 1);
    text_append(t, " -d '");
    for (const char *s = c->summary; s != NULL && *s; s++) text_printf(t, *s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
    text_append(t, "'\n");
    size_t len;
    if (first_of_group(p, i, &len) && !is_command(p, c->name, len))
        text_printf(t, "complete -c %s -n '__%s_bare' -a '%.*s'\n", p->name, name, (int)len, c->name);
    for (int k = 0; k < c->n_args; k++) {
        const opt *a = &c->args[k];
        text_buf words = {0};
        fish_words(p, name, a, &words);
        if (words.len > 0)
            text_printf(t, "complete -c %s -n '__%s_in \"%s\"' -a '%s'\n", p->name, name, c->name, text_str(&words));
        else if (a->kind == OPT_FILE || a->kind == OPT_LIST)
            text_printf(t, "complete -c %s -n '__%s_in \"%s\"' -F\n", p->name, name, c->name);
        else if (a->kind == OPT_DIR)
            text_printf(t, "complete -c %s -n '__%s_in \"%s\"' -a '(__fish_complete_directories)'\n", p->name, name,
                        c->name);
        text_free(&words);
    }
    int n;
    const opt *own = opt_flat(c->opts, c->n_opts, &n);
    for (int k = 0; k < n; k++) fish_option(t, p, name, c, &own[k]);
}

static void fish_script(text_buf *t, const program *p, const char *name)
{
    text_printf(t,
                "# fish completion for %s\n\n"
                "# The words before the cursor that are no options.\n"
                "function __%s_plain\n"
                "    set -l words (commandline -opc)\n"
                "    set -e words[1]\n"
                "    string match -v -- '-*' $words\n"
                "end\n\n"
                "function __%s_bare # no command yet\n"
                "    test (count (__%s_plain)) -eq 0\n"
                "end\n\n"
                "function __%s_at # exactly these words so far\n"
                "    test \"$(__%s_plain | string join ' ')\" = $argv[1]\n"
                "end\n\n"
                "function __%s_in # the command is this\n"
                "    string match -q -- \"$argv[1] *\" \"$(__%s_plain | string join ' ') \"\n"
                "end\n\n"
                "function __%s_hint # the words of a hint, for the game on the line\n"
                "    set -l scope ''\n"
                "    for w in (commandline -opc)\n"
                "        contains -- $w ",
                p->name, name, name, name, name, name, name, name, name);
    text_buf scope = {0};
    scope_words(p, " ", &scope);
    text_printf(t, "%s; and set scope $w\n    end\n    switch \"$argv[1] $scope\"\n", text_str(&scope));
    text_free(&scope);
    hint_table(t, p, fish_hint);
    text_printf(t, "    end\nend\n\ncomplete -c %s -f\n", p->name);
    for (int i = 0; i < p->n_commands; i++) fish_command(t, p, name, i);
    text_printf(t, "complete -c %s -n '__%s_bare' -a help -d 'explain a command'\n", p->name, name);
    text_buf words = {0};
    command_words(p, &words);
    text_printf(t, "complete -c %s -n '__%s_at help' -a '%s'\n", p->name, name, text_str(&words));
    text_free(&words);
    for (int i = 0; i < opt_row_count(p, NULL); i++) fish_option(t, p, name, NULL, opt_row(p, NULL, i));
}

err opt_completion(const program *p, const char *shell, FILE *out)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static void (*const writers[])(text_buf *, const program *, const char *) = {bash_script, zsh_script, fish_script};
    char name[OPT_NAME];
    name_text(p, name);
    for (int i = 0; i < 3; i++) {
        if (strcmp(shell, shells[i]) != 0) continue;
        text_buf t = {0};
        writers[i](&t, p, name);
        err e = text_check(&t);
        if (e == ERR_OK) fputs(text_str(&t), out); // the program looks at its streams at the end
        text_free(&t);
        return e;
    }
    return err_set(ERR_USAGE, "no completion for '%.40s'; there are: bash, zsh, fish", shell);
}
