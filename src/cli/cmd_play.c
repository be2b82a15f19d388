// keiko play: a game in the terminal, between people and agents in any mix.
//
// People type moves or words (help, moves, undo, …). Without a terminal the same words are read from standard input.
#include "agents/levels.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cli/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef play_options options;

static const opt args[] = {
    ARG_GAME(options, false),
};

// clang-format off
#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_TEXT("first", AT(first), "AGENT", NULL, "Player who moves first: human, an agent or level, or ai (the network of --model, else the strongest agent without one). NAME=AGENT gives it a name, as in bench. Default: you", .letter = '1', .choices = "agents", .synonym = "player1"),
    ROW_TEXT("second", AT(second), "AGENT", NULL, "Player who moves second. Default: you if an agent moves first, else easy (mcts in a game without levels)", .letter = '2', .choices = "agents", .synonym = "player2"),
    OPT_LOAD(options),
    OPT_NUMBER(options),
    OPT_SEED(options),
    OPT_SETTINGS(options),
    OPT_POSITION(options),
    OPT_MOVES(options),
    ROW_CHOICE("opening", AT(opening), "RULE", "free", "free|swap2", "How colours are decided in renju and gomoku: by the seats, or by swap2 (three stones, then a choice)"),
    ROW_FILE("record", AT(record), NULL, "Write the moves to this file at the end, in the form that --moves reads"),
    ROW_TEXT("hints", AT(hints), "AGENT", NULL, "Agent that answers hint, eval and analyse. Default: the game's strongest that needs no file", .choices = "agents"),
    ROW_FILE("model", AT(model), NULL, "Network that ai plays with. Default: the one that ships for the game"),
    ROW_INT("simulations", AT(simulations), "N", NULL, 1, 1e9, "Simulations per move of ai"),
    ROW_NUMBER("delay", AT(delay), "S", "0", 0, 60, "Seconds to wait after each move of an agent"),
    ROW_FLAG("boards", AT(boards), NULL, "Draw the board after every move, also without a terminal"),
};
// clang-format on

static err person_turn(table *t, int seat)
{
    char prompt[128], name[GAME_SEAT_TEXT];
    const char *line;
    move_t move = MOVE_NONE;
    int at = session_at(t->s);
    line_set_completion(t->editor, play_complete, t);
    if (t->tty || t->o->boards) play_draw(t);
    // An example stands in the prompt until the first move was typed: the notation's first word.
    int example = t->g->notation == NULL || t->warm ? 0 : (int)strcspn(t->g->notation, ": ");
    snprintf(prompt, sizeof prompt, example ? "%s, e.g. %.*s> " : "%s> ", play_side(t, seat, name), example,
             example ? t->g->notation : "");
    for (;;) {
        fflush(stdout);
        err e = line_read(t->editor, prompt, &line);
        if (e != ERR_OK) {
            printf("\n%s\n", e == ERR_STOPPED ? "interrupted" : e == ERR_MISSING ? "no more input" : err_text());
            t->quit = true;
            return ERR_OK;
        }
        line_remember(t->editor, line);
        if (play_obey(t, seat, line, &move)) break;
    }
    if (move == MOVE_NONE) return ERR_OK;
    t->warm = true;
    step_event ev = {0};
    if (!t->tty) play_print_move(t, seat, move, "");
    err e = session_play(t->s, move, &ev);
    if (e != ERR_OK) return e;
    play_show_chain(t, at);
    play_print_event(t, &ev);
    return ERR_OK;
}

static void write_note(const table *t, const agent_choice *c, double seconds, char *note, size_t n)
{
    int len = 0;
    if (c->value >= 0) len += snprintf(note + len, n - (size_t)len, "%.0f%%  ", 100.0 * (double)c->value);
    if (c->depth > 0) len += snprintf(note + len, n - (size_t)len, "depth %d  ", c->depth);
    if (c->nodes > 0 && t->o->all.verbose)
        len += snprintf(note + len, n - (size_t)len, "%" PRIu64 " nodes, %.2f s  ", c->nodes, seconds);
    if (c->text[0]) snprintf(note + len, n - (size_t)len, "%s", c->text);
}

static err agent_turn(table *t, int seat)
{
    agent_choice c;
    char note[300] = "";
    int at = session_at(t->s);
    step_event ev = {0};
    double start = clock_seconds();
    err e = session_think(t->s, &c);
    if (stop_requested()) return ERR_OK; // it was not waited for, so its move is not played
    if (e != ERR_OK && c.resigns) return session_resign(t->s, seat);
    if (e != ERR_OK) {
        // An agent that fails (an engine that hangs or breaks the rules) loses its game; the program goes on.
        cli_print("%3d. %s fails: %s\n", session_ply(t->s) + 1, session_name(t->s, seat), err_text());
        return session_fail(t->s, seat);
    }
    write_note(t, &c, clock_seconds() - start, note, sizeof note);
    play_print_move(t, seat, c.move, note);
    e = session_play(t->s, c.move, &ev);
    if (e != ERR_OK) return e;
    play_show_chain(t, at);
    play_print_event(t, &ev);
    bool people = session_seat_is_person(t->s, 0) || (t->g->n_seats == 2 && session_seat_is_person(t->s, 1));
    bool over = session_result_of(t->s).end != END_NONE; // the end draws it
    bool theirs = !over && session_seat_is_person(t->s, session_seat(t->s));
    if (!over && ((t->o->boards && !theirs) || (!people && t->tty && !t->o->all.quiet))) play_draw(t);
    fflush(stdout);
    if (t->o->delay > 0) clock_sleep(t->o->delay);
    return ERR_OK;
}

// `player`: AGENT or NAME=AGENT.
static err seat_player(table *t, int seat, const char *player)
{
    const options *o = t->o;
    char ai[SESSION_SPEC], note[256] = "", name[64];
    const char *spec = agent_behind_name(player);
    bool named = spec != player;
    err e = ERR_OK;
    snprintf(name, sizeof name, "%.*s", named ? (int)(spec - player - 1) : 0, player);
    if (strcmp(spec, "ai") == 0) {
        e = session_ai_spec(t->g, o->model, o->simulations, ai, sizeof ai, note, sizeof note);
        spec = ai;
    }
    if (note[0]) cli_say(stderr, "", "%s", note);
    if (e == ERR_OK) e = session_seat_player(t->s, seat, spec);
    // A name from --load stays with a person who plays on, but is not an agent's, and a level's is not a person's.
    bool stays = !named && strcmp(spec, "human") == 0 && level_find(t->g, session_name(t->s, seat)) == NULL;
    return e == ERR_OK && !stays ? session_set_name(t->s, seat, named ? name : NULL) : e;
}

// Who sits where. A seat that nobody was named for is the person's; only when nothing was named an agent moves second.
static err seat_players(table *t)
{
    const options *o = t->o;
    bool agent_first = o->first != NULL && strcmp(o->first, "human") != 0;
    const char *usual = level_count(t->g) > 0 ? "easy" : "mcts"; // a game from a library has no levels
    const char *spec[2] = {o->first ? o->first : "human", o->second ? o->second : agent_first ? "human" : usual};
    err e = ERR_OK;
    if (t->g->n_seats == 1 && o->second != NULL)
        return err_set(ERR_USAGE, "%s has one player: give --first, not --second", t->g->name);
    for (int i = 0; e == ERR_OK && i < t->g->n_seats; i++) e = seat_player(t, i, spec[i]);
    return e;
}

static bool wants_stop(void *ctx)
{
    (void)ctx;
    return stop_requested();
}

static err play(table *t)
{
    static const agent_watch watch = {.stop = {wants_stop, NULL}};
    session_watch(t->s, &watch);
    while (session_result_of(t->s).end == END_NONE && !t->quit) {
        int seat = session_seat(t->s);
        err e = session_seat_is_person(t->s, seat) ? person_turn(t, seat) : agent_turn(t, seat);
        if (e != ERR_OK) return e;
        if (stop_requested()) t->quit = true;
    }
    play_finish(t);
    if (t->o->record == NULL) return ERR_OK;
    text_buf moves = {0};
    session_promote(t->s, session_at(t->s));
    err e = session_export(t->s, FORMAT_MOVES, &moves);
    if (e == ERR_OK) e = file_write_atomic(t->o->record, text_str(&moves), moves.len);
    text_free(&moves);
    return e;
}

static err open_game(const options *o, session **out)
{
    const game *g = NULL;
    game_key key = {(uint64_t)o->seed, 0};
    err e = o->game != NULL ? game_find(o->game, &g) : ERR_OK;
    if (e != ERR_OK) return e;
    if (g == NULL && o->load == NULL)
        return err_set(ERR_USAGE, "name a GAME to play ('keiko games' lists them), or a file with --load");
    if (o->load == NULL && o->number > 1)
        return err_set(ERR_USAGE, "--number is about games in a file: add --load FILE");
    if (o->load != NULL && (o->position[0] && strcmp(o->position, "start") != 0))
        return err_set(ERR_USAGE, "--load and --position both say where the game begins: give one of them");
    if (o->load != NULL)
        e = game_file_load(out, o->load, g, o->settings, key, (int)o->number - 1);
    else
        e = session_open(out, &(session_setup){.g = g, .options = o->settings, .position = o->position, .key = key});
    if (e != ERR_OK) return e;
    session_forget_end(*out); // who resigned there may play on here
    e = session_play_list(*out, o->moves);
    if (e == ERR_OK) return ERR_OK;
    session_close(*out);
    *out = NULL;
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    table t = {.o = o, .tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    err e = open_game(o, &t.s);
    if (e == ERR_OK && o->record != NULL) e = file_check_writable(o->record);
    if (e == ERR_OK) {
        t.g = session_game(t.s);
        t.legal = calloc((size_t)t.g->max_legal, sizeof *t.legal);
        t.editor = line_new(stdin, stdout);
        if (t.legal == NULL || t.editor == NULL) e = err_set(ERR_MEMORY, "no memory for the game");
    }
    if (e == ERR_OK) e = seat_players(&t);
    if (e == ERR_OK) {
        stop_install("\nstopping; Ctrl-C again to leave at once\n");
        if (strcmp(o->opening, "swap2") == 0) e = play_swap2(&t);
    }
    if (e == ERR_OK) {
        if (!t.quit) play_greet(&t);
        e = play(&t);
    }
    int status = e != ERR_OK ? cli_fail("play") : t.quit ? 1 : 0;
    session_close(t.s);
    line_free(t.editor);
    free(t.legal);
    return status;
}

const command cmd_play = {
    CALLED("play", "Play a game in the terminal"),
    .about =
        "Plays one game. Each side is you (human) or an agent. On your turn type a move or a command: hint, eval and analyse show what the AI thinks (scores from 0 to 100 for you), level changes the strength of the opponent, undo takes back a move, save FILE writes the game, help lists everything; Tab completes. Without a terminal, commands are read from standard input, one per line. The exit status is 0 if the game ended and 1 if it was left unfinished.",
    .examples = "keiko play othello  # you against the level easy\n"
                "keiko play othello --first medium  # medium moves first, you second\n"
                "keiko play othello --second hard  # beginner, easy, medium, hard, expert\n"
                "keiko play contrast --player1 human --player2 ai --simulations 200\n"
                "keiko play freestyle --opening swap2 --second hard\n"
                "keiko play puyo --first greedy --second random --seed 3 --delay 0.3\n"
                "keiko play othello -1 random -2 random --record game.txt\n"
                "keiko play --load game.sgf --second hard  # play on where a game stopped",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
