// Guided practice: you place the pairs, the advisor says what it would do, and everything can be taken back.
//
// The course of a game is its pairs (a key) and its moves; every field since the start is kept, so rewinding is exact and
// moves that were taken back can be played again. A failed game of a simulation is practised from its end.
#include "base/file.h"
#include "base/stop.h"
#include "cli/advise.h"
#include "cli/line.h"
#include "games/puyo/puyo_match.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 200 };

typedef struct practice {
    const advise_options *o;
    question q;
    int kind, colours, turns, shown;
    uint64_t seed, game;
    py_queue queue;
    py_field field[MOST + 1]; // before each turn
    uint8_t move[MOST];
    int turn, known; // moves played; moves known, those taken back included
    bool hide, quit;
    bool counted;                 // this game is in the numbers below
    int games, folds, best_turns; // of this sitting
    int agreed, placed;           // placements as advised, and all
    int64_t points;
    line_editor *editor;
} practice;

static void begin(practice *p, uint64_t number)
{
    p->game = number;
    py_queue_init(&p->queue, p->kind, p->colours, p->seed, number);
    memset(&p->field[0], 0, sizeof p->field[0]);
    p->turn = p->known = 0;
    p->counted = false;
}

static void ask(practice *p)
{
    question *q = &p->q;
    uint32_t i = (uint32_t)p->turn;
    int left = p->turns - p->turn;
    q->field = p->field[p->turn];
    q->pair = py_queue_get(&p->queue, i);
    for (uint32_t k = 0; k < 2; k++) q->future.next[k] = (int)k < p->shown ? py_queue_get(&p->queue, i + 1 + k) : 0;
    q->future.kind = (uint8_t)p->kind;
    q->future.colours = (uint8_t)p->colours;
    q->future.index = i;
    q->future.turns = left > 0 ? left : 0;
}

// --- what is said

static void show(practice *p, const advice *a)
{
    text_buf t = {0};
    char move[8];
    text_printf(&t, "\nturn %d of %d\n", p->turn + 1, p->turns);
    advise_draw(&t, &p->q, p->hide || a->n == 0 ? NULL : &a->best[0], cli_colour());
    advise_tail(&t, &p->q.field);
    if (!p->hide && a->n > 0) {
        advise_move_text(&a->best[0], move);
        text_printf(&t, "advice    %s (%.1f", move, a->best[0].total);
        if (a->best[0].chance >= 0) text_printf(&t, ", fold in time %.1f%%", 100 * a->best[0].chance);
        text_printf(&t, ")%s\n", p->turn < p->known ? "; 'on' plays the move that was taken back" : "");
    }
    printf("%s", text_str(&t));
    text_free(&t);
}

static void say_words(void)
{
    printf("Enter     place as advised           3r        place there: column and u r d l (second puyo above, right, "
           "below, left)\n"
           "why       the reasons and runners-up  hide, show  the advice\n"
           "back [N]  take back N turns          on [N]    play again what was taken back\n"
           "again     the same pairs from the start   new   other pairs\n"
           "score     how you are doing          quit\n");
}

static void say_score(const practice *p)
{
    printf("%d of %d folds", p->folds, p->games);
    if (p->best_turns > 0) printf(", the fastest in %d turns", p->best_turns);
    printf("; %d of %d placements as advised; %" PRId64 " points\n", p->agreed, p->placed, p->points);
}

static void compare(const advice *a, int move)
{
    char own[8], theirs[8];
    int rank = -1;
    for (int i = 0; i < a->n && rank < 0; i++)
        if (a->best[i].move == move) rank = i;
    if (rank <= 0) return;
    const advisor_move *m = &a->best[rank], *b = &a->best[0];
    advise_move_text(m, own);
    advise_move_text(b, theirs);
    printf("%s is number %d of %d: %.1f against %.1f for %s", own, rank + 1, a->n, m->total, b->total, theirs);
    if (m->chance >= 0) printf("; fold in time %.1f%% against %.1f%%", 100 * m->chance, 100 * b->chance);
    printf("\n");
}

// A fold is worth 100 points and 20 for each turn that was left.
static void count_game(practice *p, bool fold)
{
    if (p->counted) return;
    p->counted = true;
    p->games++;
    if (!fold) return;
    p->folds++;
    p->points += 100 + 20 * (p->turns > p->turn ? p->turns - p->turn : 0);
    if (p->best_turns == 0 || p->turn < p->best_turns) p->best_turns = p->turn;
}

// --- what is done

static void place(practice *p, int move)
{
    py_field f = p->field[p->turn];
    bool stood = gtr_stands(&f, NULL);
    py_place(&f, move, p->q.pair);
    py_chain_result r = py_chain(&f);
    if (p->turn >= p->known || p->move[p->turn] != move) p->known = p->turn + 1;
    p->move[p->turn++] = (uint8_t)move;
    p->field[p->turn] = f;
    if (r.links > 0) printf("%d-chain, %d points\n", r.links, r.score);
    if (!stood && gtr_stands(&f, NULL)) {
        printf("The fold stands after %d turns.\n", p->turn);
        count_game(p, true);
    } else if (p->turn == p->turns && !gtr_stands(&f, NULL)) {
        printf("%d turns are over and the fold does not stand; 'back' tries again, 'new' takes other pairs.\n",
               p->turns);
        count_game(p, false);
    }
    if (py_buried(&f, PY_LOSE_TSU)) printf("Row 12 of column 3 is filled: in a match this would be lost.\n");
}

static void step(practice *p, int by)
{
    int to = p->turn + by;
    if (to < 0) to = 0;
    while (p->turn > to) p->turn--;
    while (p->turn < to && p->turn < p->known) {
        ask(p);
        place(p, p->move[p->turn]);
    }
}

static int number_in(const char *word, int otherwise)
{
    long n = strtol(word, NULL, 10);
    return n < 1 ? otherwise : n > MOST ? MOST : (int)n;
}

// True when the turn is over.
static bool obey(practice *p, const advice *a, const char *line)
{
    move_t m;
    char word[64];
    snprintf(word, sizeof word, "%s", line + strspn(line, " \t"));
    for (size_t n = strlen(word); n > 0 && isspace((unsigned char)word[n - 1]);) word[--n] = 0;
    if (word[0] == 0) {
        if (a->n == 0) return false;
        p->agreed++;
        p->placed++;
        place(p, a->best[0].move);
    } else if (strncmp(word, "back", 4) == 0) {
        step(p, -number_in(word + 4, 1));
    } else if (strncmp(word, "on", 2) == 0) {
        step(p, number_in(word + 2, 1));
    } else if (strcmp(word, "again") == 0) {
        p->turn = 0;
    } else if (strcmp(word, "new") == 0) {
        if (p->turn > 0) count_game(p, false);
        begin(p, p->game + 1);
    } else if (strcmp(word, "hide") == 0 || strcmp(word, "show") == 0) {
        p->hide = word[0] == 'h';
    } else if (strcmp(word, "quit") == 0 || strcmp(word, "exit") == 0) {
        p->quit = true;
    } else if (strcmp(word, "why") == 0) {
        text_buf t = {0};
        advise_explain(&t, &p->q, a, 8);
        printf("%s", text_str(&t));
        text_free(&t);
        return false;
    } else if (strcmp(word, "score") == 0) {
        say_score(p);
        return false;
    } else if (strcmp(word, "help") == 0 || strcmp(word, "?") == 0) {
        say_words();
        return false;
    } else if (py_move_parse(word, &p->q.field, p->q.pair, true, PY_LOSE_TSU, &m) == ERR_OK) {
        compare(a, m);
        p->agreed += a->n > 0 && a->best[0].move == m;
        p->placed++;
        place(p, m);
    } else {
        printf("%s ('help' lists the words)\n", err_text());
        return false;
    }
    return true;
}

static err sit(practice *p)
{
    advice a;
    const char *line;
    char prompt[32];
    while (!p->quit) {
        if (p->turn == MOST) {
            printf("That is the end of this game.\n");
            begin(p, p->game + 1);
        }
        ask(p);
        err e = advise_ask(&p->q, &a);
        if (e != ERR_OK) return e;
        show(p, &a);
        do {
            snprintf(prompt, sizeof prompt, "turn %d> ", p->turn + 1);
            fflush(stdout);
            if (line_read(p->editor, prompt, &line) != ERR_OK) {
                p->quit = true;
                break;
            }
            line_remember(p->editor, line);
        } while (!obey(p, &a, line));
    }
    printf("\n");
    say_score(p);
    return ERR_OK;
}

// --- a failed game of a simulation: "turns=… pairs=… colours=… seed=… game=… class=… moves=… field=…"

static const char *value_of(const char *line, const char *key, char *out, size_t n)
{
    const char *at = strstr(line, key);
    size_t len = at == NULL ? 0 : strcspn(at + strlen(key), " \n");
    if (at == NULL || len >= n) return NULL;
    memcpy(out, at + strlen(key), len);
    out[len] = 0;
    return out;
}

static err replay_moves(practice *p, const char *moves)
{
    char word[8];
    while (*moves != 0) {
        size_t n = strcspn(moves, ";");
        move_t m;
        if (n >= sizeof word || p->turn == MOST) return err_set(ERR_PARSE, "its moves are malformed");
        memcpy(word, moves, n);
        word[n] = 0;
        ask(p);
        err e = py_move_parse(word, &p->q.field, p->q.pair, false, PY_LOSE_TSU, &m);
        if (e != ERR_OK) return err_prefix(e, "turn %d", p->turn + 1);
        place(p, m);
        moves += n + (moves[n] == ';');
    }
    return ERR_OK;
}

static err load(practice *p, const char *path, int64_t wanted)
{
    char *data, word[1200];
    err e = file_read(path, 1u << 30, &data, NULL);
    if (e != ERR_OK) return e;
    const char *line = data;
    for (int64_t i = 1; i < wanted && line != NULL; i++) {
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    if (line == NULL || *line == 0) {
        e = err_set(ERR_USAGE, "%s has no line %" PRId64, path, wanted);
        goto done;
    }
    const char *end = strchr(line, '\n');
    if (end != NULL) data[end - data] = 0;
    unsigned long long seed = 0, game_number = 0;
    int turns = 0, colours = 0;
    bool ok = value_of(line, "turns=", word, sizeof word) && sscanf(word, "%d", &turns) == 1;
    ok = ok && value_of(line, "colours=", word, sizeof word) && sscanf(word, "%d", &colours) == 1;
    ok = ok && value_of(line, "seed=", word, sizeof word) && sscanf(word, "%llu", &seed) == 1;
    ok = ok && value_of(line, "game=", word, sizeof word) && sscanf(word, "%llu", &game_number) == 1;
    ok = ok && value_of(line, "pairs=", word, sizeof word) && advise_kind(word, &p->kind) == ERR_OK;
    if (!ok || turns < 1 || turns > MOST || colours < 3 || colours > 5 ||
        !value_of(line, "moves=", word, sizeof word)) {
        e = err_set(ERR_PARSE, "%s, line %" PRId64 ": this is no game that advise --simulate has written", path,
                    wanted);
        goto done;
    }
    p->turns = turns;
    p->colours = colours;
    p->seed = seed;
    begin(p, game_number);
    p->counted = true; // it was played by the advisor
    e = err_prefix(replay_moves(p, word), "%s, line %" PRId64, path, wanted);
    if (e == ERR_OK)
        printf("A game that failed, at its end: 'back %d' goes to its beginning, 'on' forward again.\n", p->turn);
done:
    free(data);
    return e;
}

int advise_practice(const advise_options *o, const advisor_config *c)
{
    practice *p = calloc(1, sizeof *p);
    err e = p == NULL ? err_set(ERR_MEMORY, "no memory for the practice") : ERR_OK;
    if (e == ERR_OK) {
        p->o = o;
        p->q.config = c;
        p->q.plus = strcmp(o->mode, "plus") == 0;
        p->q.reach = true;
        p->colours = (int)o->colours;
        p->seed = (uint64_t)o->seed;
        p->turns = o->turns == NULL ? ADVISOR_TURNS : number_in(o->turns, ADVISOR_TURNS);
        p->shown = o->shown >= 0 ? (int)o->shown : 2;
        p->editor = line_new(stdin, stdout);
        if (p->editor == NULL) e = err_set(ERR_MEMORY, "no memory for the practice");
    }
    if (e == ERR_OK) e = advise_kind(o->pairs, &p->kind);
    if (e == ERR_OK) begin(p, 0);
    if (e == ERR_OK && o->replay != NULL) e = load(p, o->replay, o->line);
    if (e == ERR_OK) {
        stop_install(NULL);
        printf("Build a GTR. Enter places as advised, 'help' lists the words.\n");
        e = sit(p);
    }
    if (p != NULL) line_free(p->editor);
    free(p);
    return e == ERR_OK ? 0 : cli_fail("advise");
}
