// keiko: one program, one table of subcommands. main() is the whole flow: parse, set up logs and colour, run, leave.
#define _XOPEN_SOURCE 700 // SIGXFSZ
#include "agents/agent.h"
#include "agents/levels.h"
#include "app/plugin.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/term.h"
#include "cli/cli.h"
#include "keiko.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND(heading, name) extern const command cmd_##name;
#include "cli/list.h"
#undef COMMAND

static const command *const commands[] = {
#define COMMAND(heading, name) &cmd_##name,
#include "cli/list.h"
#undef COMMAND
};

static const char *const headings[] = {
#define COMMAND(heading, name) heading,
#include "cli/list.h"
#undef COMMAND
};

#define AT(field) offsetof(common, field)
static const opt common_opts[] = {
    ROW_DIR("logs", AT(logs), NULL, "Also write the log to a file in DIR"),
    ROW_FLAG("verbose", AT(verbose), NULL, "Print more detail", .letter = 'v'),
    ROW_FLAG("debug", AT(debug), NULL, "Print everything that is logged"),
    ROW_FLAG("quiet", AT(quiet), NULL, "Print results and errors only; no progress bars", .letter = 'q'),
    ROW_CHOICE("color", AT(color), "WHEN", "auto", "auto|always|never", "When to use colour", .synonym = "colour"),
    ROW_CHOICE("simd", AT(simd), "SET", "auto", "auto|scalar|avx2|avx512", "Highest instruction set to use"),
    ROW_FILE(
        "game-lib", AT(game_lib), NULL,
        "Load a game from a shared library (several: separated by ':'); default: the variable KEIKO_GAME_LIB; see docs/plugins.md"),
};

// The agents of a game (NULL: of all), then the names of its levels.
static const char *agent_word(const game *g, int i)
{
    for (int k = 0; k < agent_type_count(); k++)
        if ((g == NULL || agent_type_plays(agent_type_at(k), g)) && i-- == 0) return agent_type_at(k)->name;
    for (int k = 0; k < game_count(); k++) {
        for (int l = 0; (g == NULL || g == game_at(k)) && l < level_count(game_at(k)); l++) {
            const char *name = level_at(game_at(k), l)->name;
            if (name[0] != 0 && i-- == 0) return name;
        }
    }
    return NULL;
}

static const char *hint(const char *kind, const char *within, int i)
{
    const game *g = NULL;
    if (strcmp(kind, "games") == 0) return i < game_count() ? game_at(i)->name : NULL;
    if (strcmp(kind, "agents") != 0 || (within != NULL && game_find(within, &g) != ERR_OK)) return NULL;
    return agent_word(g, i);
}

program keiko_program(void)
{
    return (program){
        .name = "keiko",
        .version = keiko_version(),
        .date = KEIKO_DATE_TEXT,
        .summary = "play, train and rate game AIs",
        .about = "keiko (稽古, \"practice\") plays, analyses, trains and rates AIs for Othello, Contrast, renju, "
                 "gomoku and versus Puyo Puyo. It also solves endgames, advises on Puyo placements, "
                 "and connects to GUIs and other engines.",
        .common = common_opts,
        .n_common = COUNT(common_opts),
        .commands = commands,
        .headings = headings,
        .n_commands = COUNT(commands),
        .hint = hint,
        .scope = "games",
    };
}

// The option, or else the variable. Processes that this one starts find the same libraries in the variable.
static err load_libraries(const common *c)
{
    const char *paths = c->game_lib != NULL ? c->game_lib : getenv(PLUGIN_VARIABLE);
    text_buf list = {0};
    if (paths == NULL || paths[0] == 0) return ERR_OK;
    err e = plugin_load_all(paths);
    if (e != ERR_OK) return c->game_lib != NULL ? e : err_prefix(e, PLUGIN_VARIABLE);
    plugin_list(&list);
    e = text_check(&list);
    if (e == ERR_OK && setenv(PLUGIN_VARIABLE, text_str(&list), 1) != 0) e = err_set(ERR_MEMORY, "no memory");
    text_free(&list);
    return e;
}

static err set_up(const common *c, const char *name)
{
    err e = ERR_OK;
    cli_set_colour(c->color);
    // A level from the environment counts unless the option says otherwise.
    if (strcmp(c->simd, "auto") != 0) e = cpu_limit(c->simd);
    if (e == ERR_OK) e = load_libraries(c);
    if (e != ERR_OK) return e;
    e = log_init(&(log_options){
        .quiet = c->quiet, .verbose = c->verbose, .debug = c->debug, .color = c->color, .dir = c->logs, .name = name});
    const char *level = strcmp(c->simd, "auto") == 0 ? getenv("KEIKO_SIMD") : NULL;
    if (e == ERR_OK && level != NULL && level[0] != 0 && cpu_limit(level) != ERR_OK)
        log_warn("KEIKO_SIMD is ignored: %s", err_text());
    return e;
}

// A closed standard stream would leave its number to the next file that is opened, a store or a log, and what is printed would
// go into that file. What takes its place here refuses what is tried with it, as a closed one does.
static void hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static bool is_game(const char *word)
{
    for (int i = 0; i < game_count(); i++)
        if (strcmp(game_at(i)->name, word) == 0) return true;
    return false;
}

int main(int argc, char **argv)
{
    program p = keiko_program();
    const command *cmd = NULL;
    opt_values *values = NULL;
    int status = 0;
    hold_standard_streams();
    signal(SIGXFSZ, SIG_IGN); // a write beyond ulimit -f fails with an error that is named, instead of killing us
    cli_watch_plugins();
    if (opt_parse(&p, argc, argv, &cmd, &values) != ERR_OK) {
        if (argc > 1 && strncmp(err_text(), "unknown command", 15) == 0 && is_game(argv[1]))
            cli_say(stderr, "", "keiko: '%s' is a game; did you mean keiko play %s? 'keiko help' lists the commands",
                    argv[1], argv[1]);
        else
            cli_say(stderr, "", "keiko%s%s: %s", cmd ? " " : "", cmd ? cmd->name : "", err_text());
        return 2;
    }
    if (opt_wants_version(values)) {
        printf("keiko %s (%s)\nfeatures: %s; library version %d\n", keiko_version(), keiko_build(), keiko_features(),
               keiko_api_version());
    } else if (cmd == NULL || opt_wants_help(values)) {
        opt_help(&p, cmd, opt_help_group(values), stdout, term_width(stdout), cli_colour());
    } else {
        const common *c = opt_struct(values);
        if (set_up(c, cmd->name) != ERR_OK)
            status = cli_fail(cmd->name);
        else
            status = cmd->run(c);
        log_close();
    }
    // A full disk or a closed pipe must not look like success.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("keiko: cannot write the output");
        if (status == 0) status = 1;
    }
    opt_free(values);
    return status;
}
