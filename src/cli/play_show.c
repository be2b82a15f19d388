// What keiko play prints: boards, moves, results. See play.h.
#include "base/term.h"
#include "cli/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *play_side(const table *t, int seat, char buf[GAME_SEAT_TEXT])
{
    return game_seat_name(t->g, seat, cli_colour(), buf);
}

// "Black" where the game has names, else "seat 1".
static const char *short_side(const table *t, int seat)
{
    static const char *const seats[2] = {"seat 1", "seat 2"};
    return t->g->seats[seat].name != NULL ? t->g->seats[seat].name : seats[seat];
}

void play_draw(table *t)
{
    char board[GAME_TEXT];
    int seat = session_seat(t->s);
    // A person sees what their seat may see; between agents, the first seat's view.
    if (!session_seat_is_person(t->s, seat)) seat = 0;
    session_draw(t->s, session_at(t->s), seat, cli_colour(), board, sizeof board);
    printf("\n%s", board);
}

// A level can be a number, which says nothing alone.
static const char *level_word(const table *t, int seat)
{
    const char *name = session_name(t->s, seat);
    return name[0] != 0 && name[strspn(name, "0123456789")] == 0 ? "level " : "";
}

void play_greet(const table *t)
{
    char name[GAME_SEAT_TEXT];
    int people = 0, me = 0;
    for (int i = t->g->n_seats - 1; i >= 0; i--)
        if (session_seat_is_person(t->s, i)) people++, me = i;
    if (people == 0) return;
    if (t->tty) printf("%s. Type a move, 'moves' for the legal ones or 'help'.\n", t->g->title);
    if (t->tty && t->g->notation != NULL) cli_say(stdout, "", "A move is typed like this: %s.", t->g->notation);
    if (t->o->all.quiet || t->g->n_seats == 1) return;
    if (people == 1)
        cli_say(stdout, "", "You are %s, moving %s, against %s%s.", play_side(t, me, name),
                me == 0 ? "first" : "second", level_word(t, !me), session_name(t->s, !me));
    else
        printf("Two people play: %s moves first.\n", play_side(t, 0, name));
}

void play_print_event(table *t, const step_event *ev)
{
    opening_name name;
    if (ev->chain > 0)
        printf("     %d-chain, %d points%s\n", ev->chain, ev->points, ev->all_clear ? ", all clear" : "");
    if (ev->sent > 0) printf("     sends %d nuisance\n", ev->sent);
    if (ev->received > 0) printf("     %d nuisance land\n", ev->received);
    if (!session_opening(t->s, &name) || name.en == t->opening) return;
    t->opening = name.en;
    if (!t->o->all.quiet) printf("     opening: %s\n", name.en);
}

// `words` behind `head`; what has no room on a terminal's line goes below itself. Both may come from outside.
static void print_behind(const char *head, const char *gap, const char *words)
{
    text_buf safe = {0};
    text_append_safe(&safe, head, true);
    text_append(&safe, words[0] ? gap : "");
    cli_say(stdout, text_str(&safe), "%s", words);
    text_free(&safe);
}

void play_print_move(table *t, int seat, move_t move, const char *note)
{
    char word[256], head[400], name[64];
    session_choice_text(t->s, move, word, sizeof word);
    snprintf(name, sizeof name, "%s%s", level_word(t, seat), session_name(t->s, seat));
    snprintf(head, sizeof head, "%3d. %-8s %s", session_ply(t->s) + 1, name, word);
    print_behind(head, "   ", note);
}

// --- the legal moves

typedef struct column {
    int at, width;
} column;

static void put_word(column *c, const char *word, bool more)
{
    int len = (int)strlen(word);
    if (c->at > 0 && c->at + len + 2 > c->width) c->at = printf("\n") - 1;
    c->at += printf("%s%s", word, more ? "; " : "");
}

// Moves of several words ("b1,b2 c3g") that begin alike are one group: what stands before the first blank, and how many
// ways it goes on. They lie side by side in no game, so the groups are gathered first.
static void print_groups(table *t, int n)
{
    char word[256], shown[300];
    int *count = calloc((size_t)n, sizeof *count), groups = 0;
    char(*head)[64] = calloc((size_t)n, sizeof *head);
    for (int i = 0; count != NULL && head != NULL && i < n; i++) {
        session_choice_text(t->s, t->legal[i], word, sizeof word);
        word[strcspn(word, " ")] = 0;
        int k = 0;
        while (k < groups && strncmp(head[k], word, sizeof head[k] - 1) != 0) k++;
        if (k == groups) snprintf(head[groups++], sizeof head[k], "%.63s", word);
        count[k]++;
    }
    column c = {0, term_width(stdout)};
    for (int k = 0; k < groups; k++) {
        snprintf(shown, sizeof shown, count[k] > 1 ? "%s (%d ways)" : "%s", head[k], count[k]);
        put_word(&c, shown, k + 1 < groups);
    }
    printf("\n(%d legal in %d groups; moves %s lists one)\n", n, groups, groups > 0 ? head[0] : "b1,b2");
    free(count);
    free(head);
}

void play_print_legal(table *t, const char *prefix)
{
    enum { MANY = 60 };
    char word[256];
    int n = session_legal(t->s, t->legal), shown = 0;
    bool words = false;
    for (int i = 0; i < n && !words; i++) {
        session_choice_text(t->s, t->legal[i], word, sizeof word);
        words = strchr(word, ' ') != NULL;
    }
    if (prefix[0] == 0 && n > MANY && words) {
        print_groups(t, n);
        return;
    }
    column c = {0, term_width(stdout)};
    for (int i = 0; i < n; i++) {
        session_choice_text(t->s, t->legal[i], word, sizeof word);
        if (strncmp(word, prefix, strlen(prefix)) != 0) continue;
        if (shown++ > 0) c.at += printf("; ");
        put_word(&c, word, false);
    }
    if (prefix[0])
        cli_say(stdout, "", "\n(%d of %d legal begin with %s)", shown, n, prefix);
    else
        printf("\n(%d legal)\n", n);
}

// --- opinions and results

void play_print_choice(table *t, const char *before, const agent_choice *c)
{
    char word[256];
    text_buf head = {0};
    session_choice_text(t->s, c->move, word, sizeof word);
    text_printf(&head, "%s%-10s", before, word);
    if (c->value >= 0) text_printf(&head, "  score %3d", (int)(100 * c->value + 0.5f));
    if (c->depth > 0) text_printf(&head, "  depth %2d", c->depth);
    print_behind(text_str(&head), "  ", c->text);
    text_free(&head);
}

void play_finish(table *t)
{
    session_result r = session_result_of(t->s);
    int plies = session_ply(t->s);
    const char *first = session_name(t->s, 0);
    play_draw(t);
    if (r.end == END_NONE) {
        printf("\nunfinished after %d plies\n", plies);
    } else if (t->g->n_seats == 1 && r.end == END_RULES) {
        cli_print("\n%s: %g points after %d plies (%s)\n", first, (double)r.score[0], plies, reason_words(r.reason));
    } else if (t->g->n_seats == 1) {
        cli_print("\n%s stops after %d plies\n", first, plies);
    } else if (r.loser == SESSION_NONE) {
        printf("\na draw after %d plies (%s)\n", plies, r.end == END_RULES ? reason_words(r.reason) : "by the record");
    } else if (r.end == END_RULES) {
        cli_print("\n%s (%s) wins after %d plies (%s)\n", session_name(t->s, !r.loser), short_side(t, !r.loser), plies,
                  reason_words(r.reason));
    } else {
        static const char *const how[] = {
            [END_RESIGNED] = "resigns", [END_TIME] = "is out of time", [END_FAILED] = "fails", [END_IMPORTED] = "lost"};
        cli_print("\n%s %s: %s (%s) wins after %d plies\n", session_name(t->s, r.loser), how[r.end],
                  session_name(t->s, !r.loser), short_side(t, !r.loser), plies);
    }
}
