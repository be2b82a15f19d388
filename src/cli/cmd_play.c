// keiko play: a game in the terminal, between people and agents in any mix.
//
// The match holds every state since the start, so undo is exact for every game; agents are told the moves again after it.
// People type moves or words (help, moves, undo, …). Without a terminal the same words are read from standard input.
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/term.h"
#include "cli/play.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef play_options options;

static const opt args[] = {
    ARG_GAME(options, true),
};

static const opt opts[] = {
    {.name = "first",
     .letter = '1',
     .kind = OPT_TEXT,
     .at = offsetof(options, first),
     .value = "AGENT",
     .preset = "human",
     .choices = "agents",
     .help = "who moves first: human, an agent, or ai (the network of --model, else the strongest without one)",
     .synonym = "player1"},
    {.name = "second",
     .letter = '2',
     .kind = OPT_TEXT,
     .at = offsetof(options, second),
     .value = "AGENT",
     .preset = "greedy",
     .choices = "agents",
     .help = "who moves second",
     .synonym = "player2"},
    OPT_SEED(options),
    OPT_SETTINGS(options),
    OPT_POSITION(options),
    OPT_MOVES(options),
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

static void *now(match *m)
{
    return history_now(&m->h);
}

const void *play_seen(match *m, int ply, int seat)
{
    game_observe(m->g, history_at(&m->h, ply), seat, m->obs);
    return m->obs;
}

static void draw(match *m)
{
    char board[GAME_TEXT];
    int seat = m->g->seat(now(m));
    // A person sees what their seat may see; between agents, the first seat's view.
    if (m->players[seat] != NULL) seat = 0;
    m->g->draw(play_seen(m, m->h.ply, seat), MOVE_NONE, cli_colour(), board, sizeof board);
    printf("\n%s", board);
}

static const char *seat_name(const match *m, int seat)
{
    return m->spec[seat];
}

static void tell_again(match *m)
{
    for (int i = 0; i < m->g->n_seats; i++)
        if (m->players[i] != NULL) play_tell(m, m->players[i], i);
}

static void print_event(const step_event *ev)
{
    if (ev->chain > 0)
        printf("     %d-chain, %d points%s\n", ev->chain, ev->points, ev->all_clear ? ", all clear" : "");
    if (ev->sent > 0) printf("     sends %d nuisance\n", ev->sent);
    if (ev->received > 0) printf("     %d nuisance land\n", ev->received);
}

static err commit(match *m, move_t move)
{
    step_event ev = {0};
    for (int i = 0; i < m->g->n_seats; i++)
        if (m->players[i] != NULL) agent_saw(m->players[i], play_seen(m, m->h.ply, i), move);
    err e = history_play(&m->h, move, &ev);
    if (e == ERR_OK) print_event(&ev);
    return e;
}

static void print_move(match *m, int seat, move_t move, const char *note)
{
    char word[256];
    m->g->move_print(play_seen(m, m->h.ply, seat), move, word, sizeof word);
    printf("%3d. %-8s %s%s%s\n", m->h.ply + 1, seat_name(m, seat), word, note[0] ? "   " : "", note);
}

static void print_legal(match *m, int seat)
{
    char word[256];
    int n = m->g->legal(now(m), m->legal), width = term_width(stdout), at = 0;
    for (int i = 0; i < n; i++) {
        int len = m->g->move_print(play_seen(m, m->h.ply, seat), m->legal[i], word, sizeof word);
        if (at + len + 2 > width) at = printf("\n") - 1;
        at += printf("%s%s", word, i + 1 < n ? "; " : "");
    }
    printf("\n(%d legal)\n", n);
}

// One table for the list that help prints and for completion.
static const struct {
    const char *word, *help;
} words[] = {
    {"hint", "the best move, with a score of 0 to 100"},
    {"eval", "who stands better, as a bar"},
    {"analyse", "the best moves with their lines; analyse 5 shows five"},
    {"level", "how strong the agents play: level hard; alone it lists them"},
    {"moves", "the legal moves"},
    {"undo", "take back to your last turn"},
    {"board", "draw the board again"},
    {"text", "the position as text"},
    {"record", "the moves so far"},
    {"resign", "give the game up"},
    {"help", "this list"},
    {"quit", "leave without a result"},
};

static void print_words(void)
{
    printf("Type a move, or one of these words:\n");
    for (int i = 0; i < COUNT(words); i++) printf("  %-8s %s\n", words[i].word, words[i].help);
}

// The moves so far in the form --moves reads; the caller frees it.
static char *record_text(match *m)
{
    int n = history_print_list(&m->h, NULL, 0);
    char *t = malloc((size_t)n + 2);
    if (t != NULL) history_print_list(&m->h, t, (size_t)n + 2);
    return t;
}

// Back to this person's previous decision.
static bool undo(match *m, int seat)
{
    int ply = m->h.ply - 1;
    while (ply >= 0 && m->g->seat(history_at(&m->h, ply)) != seat) ply--;
    if (ply < 0) return false;
    m->h.ply = ply;
    tell_again(m);
    return true;
}

typedef struct helper {
    match *m;
    int seat;
} helper;

// Tab completion: the words, and of each legal move the part that stands at the cursor ("b1,b2 b3g" has two).
static void complete(void *ctx, const char *line, size_t start, size_t cursor, line_words *offered)
{
    helper *h = ctx;
    match *m = h->m;
    char word[256];
    (void)cursor;
    for (int i = 0; start == 0 && i < COUNT(words); i++) line_offer(offered, words[i].word);
    int n = m->g->legal(now(m), m->legal);
    for (int i = 0; i < n; i++) {
        int len = m->g->move_print(play_seen(m, m->h.ply, h->seat), m->legal[i], word, sizeof word);
        if ((size_t)len <= start || strncmp(word, line, start) != 0) continue;
        word[start + strcspn(word + start, " ")] = 0;
        line_offer(offered, word + start);
    }
}

static void print_text(match *m)
{
    char all[GAME_TEXT];
    // The whole state would give away what is hidden.
    if (m->g->flags & G_HIDDEN) {
        printf("this game hides part of its state; its text is shown when it is over\n");
        return;
    }
    m->g->state_print(now(m), all, sizeof all);
    printf("%s\n", all);
}

// The words that only tell something. False when `word` is none of them.
static bool tell(match *m, int seat, const char *word, const char *rest)
{
    if (strcmp(word, "help") == 0 || strcmp(word, "?") == 0) {
        print_words();
    } else if (strcmp(word, "moves") == 0 || strcmp(word, "legal") == 0) {
        print_legal(m, seat);
    } else if (strcmp(word, "board") == 0) {
        draw(m);
    } else if (strcmp(word, "text") == 0) {
        print_text(m);
    } else if (strcmp(word, "hint") == 0) {
        play_hint(m, seat);
    } else if (strcmp(word, "eval") == 0) {
        play_eval(m, seat);
    } else if (strcmp(word, "analyse") == 0 || strcmp(word, "analyze") == 0 || strcmp(word, "analysis") == 0) {
        int want = rest[0] ? atoi(rest) : 3;
        if (want >= 1 && want <= 64)
            play_analyse(m, seat, want);
        else
            printf("analyse N: how many moves, 1 to 64\n");
    } else if (strcmp(word, "level") == 0) {
        play_level(m, rest);
    } else if (strcmp(word, "record") == 0) {
        char *t = record_text(m);
        printf("%s\n", t == NULL ? "" : t);
        free(t);
    } else {
        return false;
    }
    return true;
}

// One line from a person. True when the turn is over: a move was chosen, or the match changed or ended.
static bool obey(match *m, int seat, const char *line, move_t *move)
{
    char p[512], word[16];
    snprintf(p, sizeof p, "%s", line + strspn(line, " \t"));
    size_t n = strlen(p);
    while (n > 0 && isspace((unsigned char)p[n - 1])) p[--n] = 0;
    if (n == 0) return false;
    size_t first = strcspn(p, " \t");
    snprintf(word, sizeof word, "%.*s", (int)first, p);
    if (tell(m, seat, word, p + first + strspn(p + first, " \t"))) return false;
    if (strcmp(p, "undo") == 0) {
        if (undo(m, seat)) return true;
        printf("nothing to take back\n");
    } else if (strcmp(p, "resign") == 0) {
        m->resigned = seat + 1;
        return true;
    } else if (strcmp(p, "quit") == 0 || strcmp(p, "exit") == 0) {
        m->quit = true;
        return true;
    } else if (m->g->move_parse(play_seen(m, m->h.ply, seat), p, move) == ERR_OK) {
        return true;
    } else {
        cli_say(stdout, "", "%s (moves lists the legal ones, help the words)", err_text());
    }
    return false;
}

static err person_turn(match *m, int seat)
{
    char prompt[64];
    const char *line;
    int before = m->h.ply;
    move_t move = MOVE_NONE;
    helper h = {m, seat};
    line_set_completion(m->editor, complete, &h);
    if (m->tty || m->o->boards) draw(m);
    snprintf(prompt, sizeof prompt, "seat %d> ", seat + 1);
    for (;;) {
        fflush(stdout);
        err e = line_read(m->editor, prompt, &line);
        if (e != ERR_OK) {
            printf("\n%s\n", e == ERR_STOPPED ? "interrupted" : e == ERR_MISSING ? "no more input" : err_text());
            m->quit = true;
            return ERR_OK;
        }
        line_remember(m->editor, line);
        if (obey(m, seat, line, &move)) break;
    }
    if (move == MOVE_NONE || m->h.ply != before || m->quit || m->resigned) return ERR_OK;
    if (!m->tty) print_move(m, seat, move, "");
    return commit(m, move);
}

static err agent_turn(match *m, int seat)
{
    agent_choice c;
    char note[300] = "";
    double start = clock_seconds();
    err e = agent_choose(m->players[seat], play_seen(m, m->h.ply, seat), &c);
    if (e != ERR_OK && stop_requested()) return ERR_OK; // an engine was not waited for
    if (e != ERR_OK) {
        // An agent that fails (an engine that hangs or breaks the rules) loses its game; the program goes on.
        printf("%3d. %s fails: %s\n", m->h.ply + 1, seat_name(m, seat), err_text());
        m->resigned = seat + 1;
        return ERR_OK;
    }
    double seconds = clock_seconds() - start;
    int len = 0;
    if (c.value >= 0) len += snprintf(note + len, sizeof note - (size_t)len, "%.0f%%  ", 100.0 * (double)c.value);
    if (c.depth > 0) len += snprintf(note + len, sizeof note - (size_t)len, "depth %d  ", c.depth);
    if (c.nodes > 0 && m->o->all.verbose)
        len += snprintf(note + len, sizeof note - (size_t)len, "%" PRIu64 " nodes, %.2f s  ", c.nodes, seconds);
    if (c.text[0]) snprintf(note + len, sizeof note - (size_t)len, "%s", c.text);
    print_move(m, seat, c.move, note);
    e = commit(m, c.move);
    if (e != ERR_OK) return e;
    bool both_agents = m->players[0] != NULL && (m->g->n_seats == 1 || m->players[1] != NULL);
    if (m->o->boards || (both_agents && m->tty && !m->o->all.quiet)) draw(m);
    fflush(stdout);
    if (m->o->delay > 0) clock_sleep(m->o->delay);
    return ERR_OK;
}

static void finish(match *m)
{
    outcome r = m->g->result(now(m));
    draw(m);
    if (m->resigned && m->g->n_seats == 1) {
        printf("\n%s stops after %d plies\n", seat_name(m, 0), m->h.ply);
        return;
    }
    if (m->resigned) {
        int winner = 2 - m->resigned;
        printf("\n%s gives up: %s (seat %d) wins after %d plies\n", seat_name(m, m->resigned - 1), seat_name(m, winner),
               winner + 1, m->h.ply);
    } else if (!r.over) {
        printf("\nunfinished after %d plies\n", m->h.ply);
    } else if (m->g->n_seats == 1) {
        printf("\n%s: %g points after %d plies (%s)\n", seat_name(m, 0), (double)r.score[0], m->h.ply,
               reason_name(r.reason));
    } else if (r.score[0] == r.score[1]) {
        printf("\na draw after %d plies (%s)\n", m->h.ply, reason_name(r.reason));
    } else {
        int winner = r.score[1] > r.score[0];
        printf("\n%s (seat %d) wins after %d plies (%s)\n", seat_name(m, winner), winner + 1, m->h.ply,
               reason_name(r.reason));
    }
}

static err open_players(match *m)
{
    for (int i = 0; i < m->g->n_seats; i++) {
        char ai[PLAY_SPEC];
        const char *spec = i == 0 ? m->o->first : m->o->second;
        err e = ERR_OK;
        if (strcmp(spec, "ai") == 0) {
            e = play_ai_spec(m, ai, sizeof ai);
            spec = ai;
        }
        if (e == ERR_OK) e = play_seat(m, i, spec);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static err play(match *m)
{
    while (!m->g->result(now(m)).over && !m->quit && !m->resigned) {
        int seat = m->g->seat(now(m));
        err e = m->players[seat] == NULL ? person_turn(m, seat) : agent_turn(m, seat);
        if (e != ERR_OK) return e;
        if (stop_requested()) m->quit = true;
    }
    finish(m);
    if (m->o->record == NULL) return ERR_OK;
    char *t = record_text(m);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for the record");
    strcat(t, "\n");
    err e = file_write_atomic(m->o->record, t, strlen(t));
    free(t);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("play");
    err e = ERR_OK;
    match *m = calloc(1, sizeof *m);
    if (m == NULL) return cli_fail("play");
    m->o = o;
    m->g = g;
    m->tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    m->obs = calloc(1, g->obs_size);
    m->legal = calloc((size_t)g->max_legal, sizeof *m->legal);
    m->editor = line_new(stdin, stdout);
    if (m->obs == NULL || m->legal == NULL || m->editor == NULL) e = err_set(ERR_MEMORY, "no memory for the game");
    if (e == ERR_OK) e = history_begin(&m->h, g, o->settings, o->position, (game_key){(uint64_t)o->seed, 0});
    if (e == ERR_OK) e = history_play_list(&m->h, o->moves);
    if (e == ERR_OK && o->record != NULL) e = file_check_writable(o->record);
    if (e == ERR_OK) e = open_players(m);
    if (e == ERR_OK) {
        stop_install("\nstopping; Ctrl-C again to leave at once\n");
        if (m->tty && (m->players[0] == NULL || (g->n_seats == 2 && m->players[1] == NULL)))
            printf("%s. Type a move, 'moves' for the legal ones or 'help'.\n", g->title);
        e = play(m);
    }
    int status = e != ERR_OK ? cli_fail("play") : m->quit ? 1 : 0;
    for (int i = 0; i < 2; i++) agent_close(m->players[i]);
    agent_close(m->helper);
    line_free(m->editor);
    free(m->legal);
    free(m->obs);
    history_free(&m->h);
    free(m);
    return status;
}

const command cmd_play = {
    .name = "play",
    .summary = "play a game in the terminal",
    .about =
        "Plays one game between two of: you (human) and any agents. While it is your turn, type a move, or 'help' for "
        "the words: hint, eval and analyse give opinions (scores of 0 to 100 for you), level changes how strong the "
        "agents play, undo takes back; Tab completes. Without a terminal the same words are "
        "read "
        "from standard input, one a line. The exit status is 0 when the game ended, 1 when it was left unfinished.",
    .examples = "keiko play othello  # you against greedy\n"
                "keiko play othello --second medium  # beginner, easy, medium, hard, expert\n"
                "keiko play contrast --player1 human --player2 ai --simulations 200\n"
                "keiko play puyo --first greedy --second random --seed 3 --delay 0.3\n"
                "keiko play othello -1 random -2 random --record game.txt",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
