// keiko engine: any of our agents as an engine for other people's boards and match runners.
#include "agents/protocol.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *agent, *protocol, *settings;
    int64_t seed;
} options;

static const opt opts[] = {
    {.name = "game",
     .letter = 'g',
     .kind = OPT_TEXT,
     .at = offsetof(options, game),
     .value = "GAME",
     .preset = "othello",
     .choices = "games",
     .help = "which game"},
    {.name = "agent",
     .letter = 'a',
     .kind = OPT_TEXT,
     .at = offsetof(options, agent),
     .value = "AGENT",
     .preset = "greedy",
     .choices = "agents",
     .help = "who plays"},
    {.name = "protocol",
     .letter = 'p',
     .kind = OPT_CHOICE,
     .at = offsetof(options, protocol),
     .value = "NAME",
     .preset = "gtp",
     .choices = "gtp|nboard|gomocup",
     .help = "the language spoken on standard input and output"},
    OPT_SETTINGS(options),
    OPT_SEED(options),
};

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    server *s = NULL;
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("engine");
    server_options so = {
        .protocol = o->protocol, .g = g, .settings = o->settings, .agent = o->agent, .seed = (uint64_t)o->seed};
    if (server_open(&s, &so) != ERR_OK) return cli_fail("engine");
    text_buf out = {0};
    char *line = NULL;
    size_t room = 0;
    bool more = true;
    while (more) {
        ssize_t n = getline(&line, &room, stdin);
        if (n < 0) break;
        line[strcspn(line, "\r\n")] = 0;
        text_clear(&out);
        more = server_line(s, line, &out);
        fputs(text_str(&out), stdout);
        if (fflush(stdout) != 0) break; // nobody listens any more
    }
    free(line);
    text_free(&out);
    server_close(s);
    return 0;
}

const command cmd_engine = {
    .name = "engine",
    .summary = "serve an agent over GTP, NBoard or Gomocup",
    .about = "Speaks a protocol on standard input and output, so that other programs can play against any agent here: "
             "GTP for "
             "every game, NBoard for othello, Gomocup (Piskvork) for renju, gomoku and freestyle. The other way round, "
             "`engine:gtp=CMD`, `engine:nboard=CMD` and `engine:gomocup=CMD` are agents that play through a program.",
    .examples = "keiko engine --game othello --agent greedy --protocol nboard\n"
                "keiko engine -g renju -a greedy -p gomocup\n"
                "keiko play othello -1 greedy -2 \"engine:gtp=gtp-rhino\"",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
