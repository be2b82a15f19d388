// The words a person types in keiko play. See play.h.
//
// Values are shown as a score of 0 to 100: the points out of a hundred that the mover may expect, so 50 is even.
#include "agents/levels.h"
#include "cli/play.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- opinions

// The best `want` moves of the position; the sentence says why there are none.
static agent_choice *think(table *t, int want, int *n)
{
    agent_choice *c = calloc((size_t)want, sizeof *c);
    err e = c == NULL ? err_set(ERR_MEMORY, "no memory for %d moves", want) : ERR_OK;
    if (e == ERR_OK) e = session_set_helper(t->s, t->o->hints);
    if (e == ERR_OK) e = session_analyse(t->s, want, c, n);
    if (e == ERR_OK && *n > 0) return c;
    cli_say(stdout, "", "no opinion: %s", e != ERR_OK ? err_text() : "the agent has none");
    free(c);
    return NULL;
}

static void hint(table *t, const char *rest)
{
    (void)rest;
    int n;
    agent_choice *c = think(t, 1, &n);
    if (c == NULL) return;
    play_print_choice(t, "hint: ", c);
    free(c);
}

static void analyse(table *t, const char *rest)
{
    int n, want = rest[0] ? atoi(rest) : 3;
    if (want < 1 || want > 64) {
        printf("analyse N: how many moves, 1 to 64\n");
        return;
    }
    agent_choice *c = think(t, want, &n);
    for (int i = 0; c != NULL && i < n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%2d. ", i + 1);
        play_print_choice(t, number, &c[i]);
    }
    free(c);
}

static void evaluate(table *t, const char *rest)
{
    (void)rest;
    enum { CELLS = 20 };
    int n;
    agent_choice *c = think(t, 1, &n);
    if (c == NULL) return;
    if (c->value < 0) {
        cli_print("%s gives moves but no values here%s%s\n", session_helper(t->s), c->text[0] ? ": " : "", c->text);
    } else {
        int score = (int)(100 * c->value + 0.5f), cells = (score * CELLS + 50) / 100;
        printf("you %d [%.*s%.*s] %d   %s\n", score, cells, "####################", CELLS - cells,
               "--------------------", 100 - score,
               score > 65   ? "you are ahead"
               : score < 35 ? "you are behind"
                            : "about even");
    }
    free(c);
}

// --- level

static void list_levels(const table *t)
{
    text_buf names = {0};
    char side[GAME_SEAT_TEXT];
    int levels = level_count(t->g);
    for (int i = 0; i < levels; i++)
        if (level_at(t->g, i)->name[0]) text_printf(&names, "%s, ", level_at(t->g, i)->name);
    if (levels > 0)
        cli_say(stdout, "",
                "level NAME changes how strong the agents play: %s1 to %d, or any agent (keiko agents lists them)",
                text_str(&names), levels);
    else
        cli_say(stdout, "",
                "%s has no levels; level AGENT changes the agent: mcts:sims=400 (keiko agents %s lists them)",
                t->g->title, t->g->name);
    text_free(&names);
    for (int i = 0; i < t->g->n_seats; i++)
        if (!session_seat_is_person(t->s, i))
            cli_print("  %s: %s\n", play_side(t, i, side), session_seat_spec(t->s, i));
}

static void level(table *t, const char *name)
{
    int changed = 0;
    char side[GAME_SEAT_TEXT];
    if (name[0] == 0) {
        list_levels(t);
        return;
    }
    if (strcmp(name, "human") == 0) {
        printf("level is for agents; start anew with --first human --second human to play both sides\n");
        return;
    }
    for (int i = 0; i < t->g->n_seats; i++) {
        if (session_seat_is_person(t->s, i)) continue;
        if (session_seat_player(t->s, i, name) != ERR_OK) {
            cli_say(stdout, "", "%s", err_text());
            list_levels(t);
            return;
        }
        session_set_name(t->s, i, NULL); // it was the name of the agent before
        cli_print("%s is now %s\n", play_side(t, i, side), session_seat_spec(t->s, i));
        changed++;
    }
    if (changed == 0) printf("no agent plays here, only people\n");
}

// --- the words

static void print_text(table *t, const char *rest)
{
    (void)rest;
    char all[GAME_TEXT];
    // The whole state would give away what is hidden.
    if (t->g->flags & G_HIDDEN) {
        printf("this game hides part of its state; its text is shown when it is over\n");
        return;
    }
    t->g->state_print(session_state(t->s, session_at(t->s)), all, sizeof all);
    printf("%s\n", all);
}

static void print_record(table *t, const char *rest)
{
    (void)rest;
    text_buf moves = {0};
    session_promote(t->s, session_at(t->s));
    session_export(t->s, FORMAT_MOVES, &moves);
    printf("%s", text_str(&moves));
    text_free(&moves);
}

static void save(table *t, const char *typed)
{
    const char *home = strncmp(typed, "~/", 2) == 0 ? getenv("HOME") : NULL; // no shell has read it
    text_buf file = {0};
    text_printf(&file, "%s%s", home != NULL ? home : "", typed + (home != NULL));
    const char *path = text_str(&file);
    if (path[0] == 0)
        printf("save FILE: a name that ends in .sgf, .ggf, .obf, .url or .json, or any other for keiko's own text\n");
    else if (game_file_save(t->s, path) != ERR_OK)
        cli_say(stdout, "", "not saved: %s", err_text());
    else
        cli_say(stdout, "", "saved as %s", path);
    text_free(&file);
}

// One table for the list that help prints, for completion and for what they do. NULL: a word that ends the turn.
static void help(table *t, const char *rest);
static void board(table *t, const char *rest)
{
    (void)rest;
    play_draw(t);
}

static const struct {
    const char *word, *synonyms; // separated by blanks
    void (*say)(table *t, const char *rest);
    const char *help;
} words[] = {
    {"hint", "", hint, "show the best move, with a score from 0 to 100"},
    {"eval", "", evaluate, "show who is ahead"},
    {"analyse", "analyze analysis", analyse, "show the best moves and how play may go on; analyse 5 shows five"},
    {"level", "", level, "change the strength of the opponent; level alone lists what there is"},
    {"moves", "legal", play_print_legal, "list the legal moves; moves b1 lists those that begin with b1"},
    {"undo", "", NULL, "take back your last move"},
    {"redo", "", NULL, "play again what you took back"},
    {"board", "", board, "draw the board again"},
    {"text", "", print_text, "print the position as text"},
    {"record", "", print_record, "print the moves so far"},
    {"save", "", save, "save FILE writes the game (.sgf, .ggf, .obf, .url, .json, else text)"},
    {"resign", "", NULL, "resign the game"},
    {"help", "?", help, "show this list"},
    {"quit", "exit", NULL, "leave without a result"},
};

static void help(table *t, const char *rest)
{
    (void)rest;
    printf("Type a move, or one of these words:\n");
    for (int i = 0; i < COUNT(words); i++) printf("  %-8s %s\n", words[i].word, words[i].help);
    if (t->g->notation != NULL) cli_say(stdout, "", "A move is typed like this: %s.", t->g->notation);
}

static bool is_word(int i, const char *typed)
{
    char list[64], one[32];
    if (strcmp(words[i].word, typed) == 0) return true;
    snprintf(list, sizeof list, " %s ", words[i].synonyms);
    snprintf(one, sizeof one, " %s ", typed);
    return typed[0] != 0 && strstr(list, one) != NULL;
}

void play_complete(void *ctx, const char *line, size_t start, size_t cursor, line_words *offered)
{
    table *t = ctx;
    char word[256];
    (void)cursor;
    for (int i = 0; start == 0 && i < COUNT(words); i++) line_offer(offered, words[i].word);
    // Of each legal move the part that stands at the cursor ("b1,b2 b3g" has two).
    int n = session_legal(t->s, t->legal);
    for (int i = 0; i < n; i++) {
        int len = session_choice_text(t->s, t->legal[i], word, sizeof word);
        if ((size_t)len <= start || strncmp(word, line, start) != 0) continue;
        word[start + strcspn(word + start, " ")] = 0;
        line_offer(offered, word + start);
    }
}

static bool end_turn(table *t, int seat, const char *word)
{
    if (strcmp(word, "undo") == 0) {
        if (session_undo(t->s, seat)) return true;
        printf("nothing to take back\n");
    } else if (strcmp(word, "redo") == 0) {
        if (session_redo(t->s, seat)) return true;
        printf("nothing was taken back\n");
    } else if (strcmp(word, "resign") == 0) {
        session_resign(t->s, seat);
        return true;
    } else {
        t->quit = true;
        return true;
    }
    return false;
}

static bool is_move(table *t, int seat, const char *text, move_t *move)
{
    return t->g->move_parse(session_seen(t->s, session_at(t->s), seat), text, move) == ERR_OK;
}

// What was typed is no move; the sentence of the game says why.
static void refuse(const char *word)
{
    const char *known[COUNT(words)];
    for (int i = 0; i < COUNT(words); i++) known[i] = words[i].word;
    const char *near = opt_nearest(word, known, COUNT(words));
    if (near != NULL && near[0] == word[0]) // load is no board
        cli_say(stdout, "", "'%s' is no move; did you mean %s? (help lists the words)", word, near);
    else
        cli_say(stdout, "", "%s (moves lists the legal ones, help the words)", err_text());
}

bool play_obey(table *t, int seat, const char *line, move_t *move)
{
    char p[LINE_MOST + 1], word[16];
    snprintf(p, sizeof p, "%s", line + strspn(line, " \t"));
    size_t n = strlen(p);
    while (n > 0 && isspace((unsigned char)p[n - 1])) p[--n] = 0;
    if (n == 0) return false;
    size_t first = strcspn(p, " \t");
    snprintf(word, sizeof word, "%.*s", (int)first, p);
    const char *rest = p + first + strspn(p + first, " \t");
    for (int i = 0; i < COUNT(words); i++) {
        if (!is_word(i, word) || (words[i].say == NULL && rest[0] != 0)) continue;
        if (is_move(t, seat, p, move)) return true; // in a game that has a move of this name
        if (words[i].say == NULL) return end_turn(t, seat, words[i].word);
        words[i].say(t, rest);
        return false;
    }
    if (is_move(t, seat, p, move)) return true;
    refuse(word);
    return false;
}
