// keiko engine: any of our agents as an engine for other people's boards and match runners.
#include "app/server.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "keiko.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    common all;
    const char *game, *agent, *protocol, *settings;
    int64_t seed;
} options;

// clang-format off
#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_TEXT("game", AT(game), "GAME", "othello", "Name of the game", .letter = 'g', .choices = "games"),
    ROW_TEXT("agent", AT(agent), "AGENT", "greedy", "Agent or level that plays", .letter = 'a', .choices = "agents"),
    ROW_CHOICE("protocol", AT(protocol), "NAME", "gtp", "gtp|nboard|gomocup", "Protocol on standard input and output", .letter = 'p'),
    OPT_SETTINGS(options),
    OPT_SEED(options),
};
// clang-format on

// Lines are read by a thread of their own, so that one that should end a search is seen while the agent thinks. The thread may
// wait for a line that never comes, so the box lives as long as the program.
typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    char **lines;
    int n, room;
    bool closed;
} inbox;

static inbox box = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

// Takes the line over; false without memory.
static bool put_line(inbox *in, char *line)
{
    pthread_mutex_lock(&in->lock);
    bool fits = line != NULL && GROW(in->lines, in->n, in->room);
    if (fits) in->lines[in->n++] = line;
    pthread_cond_signal(&in->arrived);
    pthread_mutex_unlock(&in->lock);
    if (!fits) free(line);
    return fits;
}

// read() and not stdio: a thread that sleeps in getline() holds stdin's lock when the program ends.
static void *read_lines(void *ctx)
{
    inbox *in = ctx;
    text_buf rest = {0};
    char chunk[4096];
    ssize_t n;
    bool more = true;
    while (more && ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))) {
        for (ssize_t i = 0; i < n && more; i++) {
            if (chunk[i] != '\n') {
                if (chunk[i] != '\r') text_char(&rest, chunk[i]);
                continue;
            }
            text_char(&rest, 0);
            more = put_line(in, text_take(&rest));
        }
    }
    text_char(&rest, 0);
    if (more && rest.len > 1) put_line(in, text_take(&rest)); // a last line without its end
    text_free(&rest);
    pthread_mutex_lock(&in->lock);
    in->closed = true;
    pthread_cond_signal(&in->arrived);
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

// The next line, which the caller frees; NULL at the end of input.
static char *next_line(inbox *in)
{
    pthread_mutex_lock(&in->lock);
    while (in->n == 0 && !in->closed) pthread_cond_wait(&in->arrived, &in->lock);
    char *line = in->n > 0 ? in->lines[0] : NULL;
    if (line != NULL) memmove(in->lines, in->lines + 1, (size_t)--in->n * sizeof *in->lines);
    pthread_mutex_unlock(&in->lock);
    return line;
}

static const char *line_ahead(void *ctx, int i)
{
    inbox *in = ctx;
    pthread_mutex_lock(&in->lock);
    const char *line = i < in->n ? in->lines[i] : NULL; // lives on: only next_line takes it away
    if (i == in->n && in->closed) line = "";
    pthread_mutex_unlock(&in->lock);
    return line;
}

static void flush_answer(void *ctx, text_buf *out)
{
    (void)ctx;
    fputs(text_str(out), stdout);
    fflush(stdout);
    text_clear(out);
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    server *s = NULL;
    pthread_t reader;
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("engine");
    server_options so = {.protocol = o->protocol,
                         .g = g,
                         .settings = o->settings,
                         .agent = o->agent,
                         .seed = (uint64_t)o->seed,
                         .version = keiko_version(),
                         .io = {.ctx = &box, .flush = flush_answer, .ahead = line_ahead}};
    if (server_open(&s, &so) != ERR_OK) return cli_fail("engine");
    if (pthread_create(&reader, NULL, read_lines, &box) != 0) {
        server_close(s);
        err_set(ERR_IO, "cannot start a thread that reads the input");
        return cli_fail("engine");
    }
    pthread_detach(reader);
    text_buf out = {0};
    char *line;
    bool more = true;
    while (more && (line = next_line(&box)) != NULL) {
        text_clear(&out);
        more = server_line(s, line, &out);
        free(line);
        fputs(text_str(&out), stdout);
        if (fflush(stdout) != 0) break; // nobody listens any more
    }
    text_free(&out);
    server_close(s);
    return 0;
}

const command cmd_engine = {
    CALLED("engine", "Serve an agent over GTP, NBoard or Gomocup"),
    .about =
        "Serves an agent on standard input and output, so that GUIs and other programs can play against it: GTP for every game, NBoard for Othello, Gomocup (Piskvork) for renju, gomoku and freestyle. In the other direction, the agents engine:gtp=CMD, engine:nboard=CMD and engine:gomocup=CMD play through an external program.",
    .examples = "keiko engine -g othello -a expert -p nboard   # for NBoard\n"
                "keiko engine -g renju -a expert -p gomocup  # for Piskvork\n"
                "keiko play othello -1 greedy -2 \"engine:gtp=gtp-rhino\"",
    RUNS(run, options, WITH_OPTS(opts)),
};
