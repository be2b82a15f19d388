// keiko play: a game in the terminal, between people and agents in any mix.
//
// People type moves or words (help, moves, undo, …). Without a terminal the same words are read from standard input.
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

static const opt opts[] = {
    {.name = "first",
     .letter = '1',
     .kind = OPT_TEXT,
     .at = offsetof(options, first),
     .value = "AGENT",
     .choices = "agents",
     .help = "who moves first: human, an agent or a level, or ai (the network of --model, else the strongest "
             "agent without one). Without it: you",
     .synonym = "player1"},
    {.name = "second",
     .letter = '2',
     .kind = OPT_TEXT,
     .at = offsetof(options, second),
     .value = "AGENT",
     .choices = "agents",
     .help = "who moves second. Without it: you if an agent moves first, else greedy",
     .synonym = "player2"},
    OPT_SEED(options),
    OPT_SETTINGS(options),
    OPT_POSITION(options),
    OPT_MOVES(options),
    {.name = "load",
     .letter = 'l',
     .kind = OPT_FILE,
     .at = offsetof(options, load),
     .value = "FILE",
     .help = "continue the game in this file: SGF, GGF, OBF, a puyop address, keiko's JSON or text"},
    {.name = "number",
     .kind = OPT_INT,
     .at = offsetof(options, number),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 1e6,
     .help = "which game of that file"},
    {.name = "record",
     .kind = OPT_FILE,
     .at = offsetof(options, record),
     .value = "FILE",
     .help = "write the moves there at the end, in the form --moves reads"},
    {.name = "hints",
     .kind = OPT_TEXT,
     .at = offsetof(options, hints),
     .value = "AGENT",
     .choices = "agents",
     .help = "who answers hint, eval and analyse; by default the game's strongest that needs no file"},
    {.name = "model",
     .kind = OPT_FILE,
     .at = offsetof(options, model),
     .value = "FILE",
     .help = "the network that ai plays with; by default GAME.safetensors of the models folder, if it is there"},
    {.name = "simulations",
     .kind = OPT_INT,
     .at = offsetof(options, simulations),
     .value = "N",
     .low = 1,
     .high = 1e9,
     .help = "how many simulations a move ai searches"},
    {.name = "delay",
     .kind = OPT_NUMBER,
     .at = offsetof(options, delay),
     .value = "S",
     .preset = "0",
     .low = 0,
     .high = 60,
     .help = "pause after an agent's move, to watch"},
    {.name = "boards",
     .kind = OPT_FLAG,
     .at = offsetof(options, boards),
     .help = "draw the board after every move, also without a terminal"},
};

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
    snprintf(prompt, sizeof prompt, example ? "%s, e.g. %.*s> " : "%s> ", game_seat_name(t->g, seat, false, name),
             example, example ? t->g->notation : "");
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
    play_print_event(&ev);
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
    play_print_event(&ev);
    bool people = session_seat_is_person(t->s, 0) || (t->g->n_seats == 2 && session_seat_is_person(t->s, 1));
    bool theirs = session_result_of(t->s).end == END_NONE && session_seat_is_person(t->s, session_seat(t->s));
    if ((t->o->boards && !theirs) || (!people && t->tty && !t->o->all.quiet)) play_draw(t);
    fflush(stdout);
    if (t->o->delay > 0) clock_sleep(t->o->delay);
    return ERR_OK;
}

// Who sits where. A seat that nobody was named for is the person's; only when nothing was named an agent moves second.
static err seat_players(table *t)
{
    const options *o = t->o;
    bool agent_first = o->first != NULL && strcmp(o->first, "human") != 0;
    const char *spec[2] = {o->first ? o->first : "human", o->second ? o->second : agent_first ? "human" : "greedy"};
    for (int i = 0; i < t->g->n_seats; i++) {
        char ai[SESSION_SPEC], note[256] = "";
        err e = ERR_OK;
        if (strcmp(spec[i], "ai") == 0) {
            e = session_ai_spec(t->g, o->model, o->simulations, ai, sizeof ai, note, sizeof note);
            spec[i] = ai;
        }
        if (note[0]) cli_say(stderr, "", "%s", note);
        if (e == ERR_OK) e = session_seat_player(t->s, i, spec[i]);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
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
    if (g == NULL && o->load == NULL) return err_set(ERR_USAGE, "name a GAME to play, or a file with --load");
    if (o->load != NULL && (o->position[0] && strcmp(o->position, "start") != 0))
        return err_set(ERR_USAGE, "--load and --position both say where the game begins: give one of them");
    if (o->load != NULL)
        e = play_load(o->load, g, o->settings, key, (int)o->number - 1, out);
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
        play_greet(&t);
        e = play(&t);
    }
    int status = e != ERR_OK ? cli_fail("play") : t.quit ? 1 : 0;
    session_close(t.s);
    line_free(t.editor);
    free(t.legal);
    return status;
}

const command cmd_play = {
    .name = "play",
    .summary = "play a game in the terminal",
    .about =
        "Plays one game between two of: you (human) and any agents. While it is your turn, type a move, or 'help' for "
        "the words: hint, eval and analyse give opinions (scores of 0 to 100 for you), level changes how strong the "
        "agents play, undo takes back, save FILE writes the game; Tab completes. Without a terminal the same words are "
        "read from standard input, one per line. The exit status is 0 when the game ended, 1 when it was left "
        "unfinished.",
    .examples = "keiko play othello  # you against greedy\n"
                "keiko play othello --first medium  # medium moves first, you second\n"
                "keiko play othello --second medium  # beginner, easy, medium, hard, expert\n"
                "keiko play contrast --player1 human --player2 ai --simulations 200\n"
                "keiko play puyo --first greedy --second random --seed 3 --delay 0.3\n"
                "keiko play othello -1 random -2 random --record game.txt\n"
                "keiko play --load game.sgf --second hard  # play on where a game stopped",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
