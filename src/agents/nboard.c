// NBoard, version 2 of its protocol: Othello engines and boards that people already use.
//
// The board sends a whole game as GGF and then moves; the engine answers `go` with `=== move/eval/time` but does not play it
// itself: the board sends the move back. `hint n` asks for the best moves without playing. Unknown commands are ignored, as
// the protocol demands.
#include "agents/server.h"
#include "base/clock.h"
#include "games/othello/oth_ggf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void upper(char *s)
{
    for (; *s; s++) *s = (char)toupper((unsigned char)*s);
}

// NBoard writes squares in capitals and a pass as PA.
static void square_text(move_t m, char buf[8])
{
    char name[5];
    if (m == OTH_PASS) {
        strcpy(buf, "PA");
        return;
    }
    snprintf(buf, 8, "%s", oth_square_name(m, name));
    upper(buf);
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
        e = server_new_game(s, s->g, start);
    }
    for (int i = 0; e == ERR_OK && i < r->n; i++) e = server_play(s, r->moves[i].sq);
    free(r);
    return e;
}

// "F5", "F5/1.2", "F5//0.5": only the square counts here.
static err play_move(server *s, const char *text)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(strcspn(text, "/ ") < 31 ? strcspn(text, "/ ") : 31), text);
    move_t m;
    err e = s->g->move_parse(server_obs(s), word, &m);
    return e == ERR_OK ? server_play(s, m) : e;
}

// The agent's value, 0 … 1, as NBoard's disc-like number; engines with a disc scale say it in their text.
static double evaluation(const agent_choice *c)
{
    return c->value < 0 ? 0.0 : 64.0 * (2.0 * (double)c->value - 1.0);
}

static void think(server *s, text_buf *out, bool hint)
{
    agent_choice c;
    char square[8];
    double start = clock_seconds();
    if (s->g->result(history_now(&s->h)).over) {
        // The board may ask when nothing is left to play: a pass says so.
        text_append(out, hint ? "status\n" : "=== PA\n");
        return;
    }
    status(out, "thinking");
    err e = server_choose(s, &c);
    if (e != ERR_OK) {
        status(out, err_text());
        return;
    }
    double seconds = clock_seconds() - start;
    square_text(c.move, square);
    if (hint)
        text_printf(out, "search %s %.2f 0 %d\n", square, evaluation(&c), c.depth);
    else
        text_printf(out, "=== %s/%.2f/%.2f\n", square, evaluation(&c), seconds);
    text_printf(out, "nodestats %llu %.3f\nstatus\n", (unsigned long long)c.nodes, seconds);
}

// `set depth N` becomes the agent's own depth where it has such a parameter.
static void set_depth(server *s, const char *text, text_buf *out)
{
    char *end, spec[1100];
    long depth = strtol(text, &end, 10);
    if (end == text || depth < 1 || depth > 60) {
        status(out, "set depth wants a number from 1 to 60");
        return;
    }
    bool has = false;
    for (int i = 0; i < s->player->type->n_opts; i++) {
        const char *name = s->player->type->opts[i].name;
        has = has || (name != NULL && strcmp(name, "depth") == 0);
    }
    if (!has) return;
    snprintf(spec, sizeof spec, "%s%sdepth=%ld", s->spec, strchr(s->spec, ':') ? "," : ":", depth);
    if (server_reopen(s, s->g, spec) != ERR_OK) status(out, err_text());
}

static bool starts(const char *line, const char *with, const char **rest)
{
    size_t n = strlen(with);
    if (strncmp(line, with, n) != 0 || (line[n] != ' ' && line[n] != 0)) return false;
    *rest = line + n + strspn(line + n, " ");
    return true;
}

static bool nboard_line(server *s, const char *line, text_buf *out)
{
    const char *rest;
    err e = ERR_OK;
    if (starts(line, "nboard", &rest))
        text_printf(out, "set myname keiko %s\n", s->player->type->name);
    else if (starts(line, "ping", &rest))
        text_printf(out, "pong %s\n", rest);
    else if (starts(line, "set game", &rest))
        e = set_game(s, rest);
    else if (starts(line, "set depth", &rest))
        set_depth(s, rest, out);
    else if (starts(line, "move", &rest))
        e = play_move(s, rest);
    else if (starts(line, "go", &rest))
        think(s, out, false);
    else if (starts(line, "hint", &rest))
        think(s, out, true);
    else if (starts(line, "quit", &rest))
        return false;
    if (e != ERR_OK) status(out, err_text());
    return true;
}

const protocol protocol_nboard = {.name = "nboard", .games = "othello", .line = nboard_line};
