// keiko play --opening swap2: who plays which colour is settled before the game. See app/session_swap2.h for the rule.
//
// Both seats are people's while the stones are put, so that the session asks no agent by itself; then the players sit down.
#include "app/session_swap2.h"
#include "cli/play.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_person(const char *spec)
{
    return strcmp(spec, "human") == 0;
}

// A line from a person, lower-cased, without blanks around it; false when the input ends. Of the words of a game (play_words.c)
// there are those that make sense before it; `help` explains this question.
static bool ask(table *t, const char *prompt, const char *help, char *line, size_t n)
{
    for (;;) {
        const char *typed;
        fflush(stdout);
        bool ends = line_read(t->editor, prompt, &typed) != ERR_OK;
        snprintf(line, n, "%s", ends ? "" : typed + strspn(typed, " \t"));
        size_t len = strlen(line);
        while (len > 0 && isspace((unsigned char)line[len - 1])) line[--len] = 0;
        for (char *p = line; *p; p++) *p = (char)tolower((unsigned char)*p);
        if (ends || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0) {
            printf("\n");
            t->quit = true;
            return false;
        }
        if (strcmp(line, "board") == 0)
            play_draw(t);
        else if (strcmp(line, "help") == 0 || strcmp(line, "?") == 0)
            cli_say(stdout, "",
                    "%s board draws the board, quit leaves; the other words are for the game, which begins when the "
                    "colours are settled.",
                    help);
        else
            return true;
    }
}

// `n` stones, colours in turn. Moves may be typed on one line or on several.
static err person_stones(table *t, const char *who, int n)
{
    static const char how[] =
        "swap2: the first player puts three stones, black, white, black; the second takes a colour, or puts "
        "two more and lets the first one choose. Type points, such as h8 i9.";
    char line[256], prompt[96];
    for (int left = n; left > 0 && !t->quit;) {
        if (t->tty || t->o->boards) play_draw(t);
        snprintf(prompt, sizeof prompt, "%s, put %d stone%s (%s next), e.g. h8 i9> ", who, left, left > 1 ? "s" : "",
                 session_seat(t->s) == 0 ? "black" : "white");
        if (!ask(t, prompt, how, line, sizeof line)) return ERR_OK;
        for (char *word = strtok(line, " ,;\t"); word != NULL && left > 0; word = strtok(NULL, " ,;\t")) {
            if (session_play_text(t->s, word) != ERR_OK) {
                cli_say(stdout, "", "%s (help says what to type)", err_text());
                break;
            }
            left--;
        }
    }
    return ERR_OK;
}

static bool begins(const char *word, const char *typed)
{
    return typed[0] != 0 && strncmp(word, typed, strlen(typed)) == 0;
}

static err person_choice(table *t, const char *who, bool two, swap2_choice *out)
{
    char line[64], prompt[128], how[64];
    snprintf(prompt, sizeof prompt, "%s, your colour: black, white%s> ", who,
             two ? ", or two (put two more stones)" : "");
    snprintf(how, sizeof how, "Type black%s white%s.", two ? "," : " or", two ? " or two" : "");
    while (ask(t, prompt, how, line, sizeof line)) {
        *out = begins("black", line) ? SWAP2_BLACK : begins("white", line) ? SWAP2_WHITE : SWAP2_TWO;
        if (*out != SWAP2_TWO || (two && (begins("two", line) || strcmp(line, "2") == 0))) return ERR_OK;
        printf("type black%s white%s\n", two ? "," : " or", two ? " or two" : "");
    }
    return ERR_OK;
}

static err put_stones(table *t, int player, const char *spec, int n)
{
    char who[24];
    snprintf(who, sizeof who, "player %d", player);
    if (is_person(spec)) return person_stones(t, who, n);
    err e = session_set_helper(t->s, spec);
    if (e == ERR_OK) e = n == SWAP2_FIRST ? swap2_open(t->s) : swap2_two(t->s);
    return e;
}

static err choose(table *t, int player, const char *spec, bool two, swap2_choice *out)
{
    static const char *const does[] = {"plays white", "plays black", "puts two more stones"};
    char who[24];
    agent_choice best;
    snprintf(who, sizeof who, "player %d", player);
    if (t->tty || t->o->boards) play_draw(t);
    err e = is_person(spec) ? person_choice(t, who, two, out) : session_set_helper(t->s, spec);
    if (e == ERR_OK && !is_person(spec)) e = swap2_choose(t->s, session_ply(t->s), out, &best);
    if (e == ERR_OK && !t->quit) cli_print("%s (%s) %s\n", who, spec, does[*out]);
    return e;
}

static void print_stones(table *t)
{
    char moves[256] = "", text[32];
    int at[SWAP2_ALL], n = 0;
    for (int k = session_at(t->s); k != 0 && n < SWAP2_ALL; k = session_node_of(t->s, k)->parent) at[n++] = k;
    while (n-- > 0) {
        session_move_text(t->s, at[n], text, sizeof text);
        snprintf(moves + strlen(moves), sizeof moves - strlen(moves), " %s", text);
    }
    cli_print("stones:%s\n", moves);
}

err play_swap2(table *t)
{
    char spec[2][SESSION_SPEC], name[2][SESSION_SPEC];
    swap2_choice made[2];
    swap2_step step = {0};
    int n = 0;
    err e = swap2_check(t->g);
    if (e == ERR_OK && session_ply(t->s) > 0) e = err_set(ERR_USAGE, "swap2 begins with an empty board");
    for (int i = 0; e == ERR_OK && i < 2; i++) {
        snprintf(spec[i], sizeof spec[i], "%s", session_seat_spec(t->s, i));
        snprintf(name[i], sizeof name[i], "%s", session_name(t->s, i));
        e = session_seat_player(t->s, i, "human");
    }
    while (e == ERR_OK && !t->quit && (e = swap2_step_of(session_ply(t->s), made, n, &step)) == ERR_OK &&
           step.kind != SWAP2_DONE) {
        if (step.kind == SWAP2_CHOOSE) {
            e = choose(t, step.player + 1, spec[step.player], step.two, &made[n++]);
        } else {
            e = put_stones(t, step.player + 1, spec[step.player], step.left);
            if (e == ERR_OK && !t->quit) print_stones(t);
        }
    }
    for (int i = 0; e == ERR_OK && i < 2; i++) {
        int player = (step.black + i) % 2;
        e = session_seat_player(t->s, i, spec[player]);
        if (e == ERR_OK) e = session_set_name(t->s, i, strcmp(name[player], spec[player]) == 0 ? NULL : name[player]);
    }
    if (e == ERR_OK) e = session_set_helper(t->s, t->o->hints);
    return e;
}
