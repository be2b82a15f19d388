// NBoard, version 2 of its protocol: Othello engines and boards that people already use.
//
// The board sends a whole game as GGF and then moves; the engine answers `go` with `=== move/eval/time` but does not play it
// itself: the board sends the move back. `hint n` asks for the best n moves without playing; what is known so far is sent
// while the agent thinks, and a `ping` ends the thinking at once. `analyze` values every position of the game, from its end.
// Unknown commands are ignored, as the protocol demands.
#include "app/server_inner.h"
#include "base/clock.h"
#include "games/othello/oth_ggf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HINTS = 64 };

// NBoard writes squares in capitals and a pass as PA.
static void square_text(move_t m, char buf[8])
{
    char name[5];
    snprintf(buf, 8, "%s", m == OTH_PASS ? "pa" : oth_square_name(m, name));
    for (char *p = buf; *p; p++) *p = (char)toupper((unsigned char)*p);
}

static void status(text_buf *out, const char *sentence)
{
    text_printf(out, "status %s\n", sentence);
}

static err set_game(server *s, const char *ggf)
{
    oth_record *r = malloc(sizeof *r);
    size_t at = 0;
    bool found = false;
    if (r == NULL) return err_set(ERR_MEMORY, "no memory for a game");
    err e = oth_ggf_next(ggf, &at, r, &found);
    if (e == ERR_OK && !found) e = err_set(ERR_PARSE, "no GGF game in the line");
    if (e == ERR_OK) {
        char start[OTH_STATE_TEXT];
        oth_state_write(&r->start, start);
        e = server_new_game(s, server_game(s), start);
    }
    for (int i = 0; e == ERR_OK && i < r->n; i++) e = session_play(s->game, r->moves[i].sq, NULL);
    free(r);
    return e;
}

// "F5", "F5/1.2", "F5//0.5": only the square counts here.
static err play_move(server *s, const char *text)
{
    char word[32];
    size_t n = strcspn(text, "/ ");
    snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), text);
    return session_play_text(s->game, word);
}

// In discs for the side to move; an agent without that scale gives its expected score on it.
static double evaluation(const agent_choice *c)
{
    return c->has_margin ? (double)c->margin : c->value < 0 ? 0.0 : 64.0 * (2.0 * (double)c->value - 1.0);
}

static void print_lines(server *s, const agent_choice *c, int n)
{
    char square[8];
    for (int i = 0; i < n && i < s->wanted; i++) {
        square_text(c[i].move, square);
        text_printf(s->out, "search %s %.2f 0 %d\n", square, evaluation(&c[i]), c[i].depth);
    }
    if (n > 0)
        text_printf(s->out, "nodestats %llu %.3f\n", (unsigned long long)c[0].nodes, clock_seconds() - s->started);
}

static void hear_lines(void *ctx, const agent_choice *best, int n)
{
    server *s = ctx;
    if (s->io.flush == NULL) return; // nobody would see it before the answer
    print_lines(s, best, n);
    server_flush(s);
}

static void begin_thinking(server *s, int wanted, bool aloud)
{
    s->wanted = wanted;
    s->started = clock_seconds();
    s->watch.ctx = s;
    s->watch.lines = aloud ? hear_lines : NULL;
    status(s->out, "thinking");
    server_flush(s);
}

static void do_go(server *s, text_buf *out)
{
    agent_choice c;
    char square[8];
    if (server_over(s)) { // the board may ask when nothing is left to play: a pass says so
        text_append(out, "=== PA\n");
        return;
    }
    begin_thinking(s, 1, true);
    err e = server_choose(s, &c);
    if (session_stopped(s->game)) { // the board no longer wants it
        text_append(out, "status\n");
        return;
    }
    if (e != ERR_OK) {
        status(out, err_text());
        return;
    }
    double seconds = clock_seconds() - s->started;
    square_text(c.move, square);
    text_printf(out, "nodestats %llu %.3f\n=== %s/%.2f/%.2f\nstatus\n", (unsigned long long)c.nodes, seconds, square,
                evaluation(&c), seconds);
}

static void do_hint(server *s, const char *rest, text_buf *out)
{
    agent_choice c[MOST_HINTS];
    int n = 0, want = atoi(rest);
    want = want < 1 ? 1 : want > MOST_HINTS ? MOST_HINTS : want;
    if (server_over(s)) {
        text_append(out, "status\n");
        return;
    }
    begin_thinking(s, want, true);
    err e = session_analyse(s->game, want, c, &n);
    if (e != ERR_OK && !session_stopped(s->game)) {
        status(out, err_text());
        return;
    }
    if (e == ERR_OK && !session_stopped(s->game)) print_lines(s, c, n);
    text_append(out, "status\n");
}

// "analysis MOVES EVAL" for the position after each number of moves, the last one first; discs for the side to move there.
static void do_analyze(server *s, text_buf *out)
{
    int back = session_at(s->game);
    begin_thinking(s, 1, false);
    for (int node = back; node != SESSION_NONE; node = session_node_of(s->game, node)->parent) {
        agent_choice c;
        int n;
        const oth_state *now = session_state(s->game, node);
        int ply = session_node_of(s->game, node)->ply;
        if (oth_over(now->b)) {
            text_printf(out, "analysis %d %.2f\n", ply, (double)oth_score(now->b));
            continue;
        }
        if (session_goto(s->game, node) != ERR_OK || session_analyse(s->game, 1, &c, &n) != ERR_OK || n == 0 ||
            session_stopped(s->game))
            break;
        text_printf(out, "analysis %d %.2f\n", ply, evaluation(&c));
        server_flush(s);
    }
    session_goto(s->game, back);
    text_append(out, "status\n");
}

// `set depth N` becomes the agent's own depth where it has such a parameter.
static void set_depth(server *s, const char *text, text_buf *out)
{
    char *end, spec[1100];
    long depth = strtol(text, &end, 10);
    const agent_type *type = session_helper_agent(s->game)->type;
    if (end == text || depth < 1 || depth > 60) {
        status(out, "set depth wants a number from 1 to 60");
        return;
    }
    bool has = false;
    for (int i = 0; i < type->n_opts; i++)
        has = has || (type->opts[i].name && strcmp(type->opts[i].name, "depth") == 0);
    if (!has) return;
    snprintf(spec, sizeof spec, "%s%sdepth=%ld", s->spec, strchr(s->spec, ':') ? "," : ":", depth);
    if (server_reopen(s, spec) != ERR_OK) status(out, err_text());
}

static bool starts(const char *line, const char *with, const char **rest)
{
    size_t n = strlen(with);
    if (strncmp(line, with, n) != 0 || (line[n] != ' ' && line[n] != 0)) return false;
    *rest = line + n + strspn(line + n, " ");
    return true;
}

static bool nboard_interrupts(const char *line)
{
    const char *rest;
    return starts(line, "ping", &rest);
}

static bool nboard_line(server *s, const char *line, text_buf *out)
{
    const char *rest;
    err e = ERR_OK;
    if (starts(line, "nboard", &rest))
        text_printf(out, "set myname keiko %s\n", session_helper_agent(s->game)->type->name);
    else if (starts(line, "ping", &rest))
        text_printf(out, "pong %s\n", rest);
    else if (starts(line, "set game", &rest))
        e = set_game(s, rest);
    else if (starts(line, "set depth", &rest))
        set_depth(s, rest, out);
    else if (starts(line, "move", &rest))
        e = play_move(s, rest);
    else if (starts(line, "go", &rest))
        do_go(s, out);
    else if (starts(line, "hint", &rest))
        do_hint(s, rest, out);
    else if (starts(line, "analyze", &rest) || starts(line, "analyse", &rest))
        do_analyze(s, out);
    else if (starts(line, "learn", &rest))
        text_append(out, "learned\n"); // there is no book to put it in; the board waits for the word
    else if (starts(line, "quit", &rest))
        return false;
    if (e != ERR_OK) status(out, err_text());
    return true;
}

static bool knows(const game *g)
{
    return g->formats != NULL && g->formats->ggf != NULL;
}

const protocol protocol_nboard = {
    .name = "nboard", .serves = knows, .line = nboard_line, .interrupts = nboard_interrupts};
