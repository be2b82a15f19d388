// See advise_practice.h.
//
// The course of a game is its pairs (a key) and its moves; every field since the start is kept, so rewinding is exact and
// moves that were taken back can be played again. A failed game of a simulation is practised from its end.
#include "app/advise_practice.h"

#include "base/file.h"
#include "games/puyo/puyo_match.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

struct advise_practice {
    advise_question q;
    advice now; // for this turn
    int kind, colours, turns, shown;
    uint64_t seed, game;
    py_queue queue;
    py_field field[MOST + 1]; // before each turn
    uint8_t move[MOST];
    int turn, known;   // moves played; moves known, those taken back included
    bool hide, colour; // the advice; draw in colour
    bool counted;      // this game is in the score
    advise_score score;
};

static void begin(advise_practice *p, uint64_t number)
{
    p->game = number;
    py_queue_init(&p->queue, p->kind, p->colours, p->seed, number);
    memset(&p->field[0], 0, sizeof p->field[0]);
    p->turn = p->known = 0;
    p->counted = false;
}

static void ask(advise_practice *p)
{
    advise_question *q = &p->q;
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

err advise_practice_show(advise_practice *p, text_buf *said)
{
    char move[8];
    if (p->turn == MOST) {
        text_append(said, "That is the end of this game.\n");
        begin(p, p->game + 1);
    }
    ask(p);
    err e = advise_ask(&p->q, &p->now);
    if (e != ERR_OK) return e;
    const advice *a = &p->now;
    text_printf(said, "\nturn %d of %d\n", p->turn + 1, p->turns);
    advise_draw(said, &p->q, p->hide || a->n == 0 ? NULL : &a->best[0], p->colour);
    advise_tail(said, &p->q.field);
    if (!p->hide && a->n > 0) {
        py_move_print(a->best[0].move, move, sizeof move);
        text_printf(said, "advice    %s (%.1f", move, a->best[0].total);
        if (a->best[0].chance >= 0) text_printf(said, ", fold in time %.1f%%", 100 * a->best[0].chance);
        text_printf(said, ")%s\n", p->turn < p->known ? "; 'on' plays the move that was taken back" : "");
    }
    return text_check(said);
}

static const char words[] =
    "Enter       place as advised\n"
    "3r          place in column 3; the second puyo is on the right (u above, r right, d below, l left)\n"
    "why         the reasons and the next-best placements\n"
    "hide, show  hide or show the advice\n"
    "back [N]    take back N turns\n"
    "on [N]      play again what was taken back\n"
    "again       the same pairs from the start\n"
    "new         other pairs\n"
    "score       how you are doing\n"
    "quit        end the practice\n";

void advise_practice_say_score(const advise_practice *p, text_buf *said)
{
    const advise_score *s = &p->score;
    text_printf(said, "%d of %d folds", s->folds, s->games);
    if (s->best_turns > 0) text_printf(said, ", the fastest in %d turns", s->best_turns);
    text_printf(said, "; %d of %d placements as advised; %" PRId64 " points\n", s->agreed, s->placed, s->points);
}

static void compare(const advice *a, int move, text_buf *said)
{
    char own[8], theirs[8];
    int rank = -1;
    for (int i = 0; i < a->n && rank < 0; i++)
        if (a->best[i].move == move) rank = i;
    if (rank <= 0) return;
    const advisor_move *m = &a->best[rank], *b = &a->best[0];
    py_move_print(m->move, own, sizeof own);
    py_move_print(b->move, theirs, sizeof theirs);
    text_printf(said, "%s is number %d of %d: %.1f against %.1f for %s", own, rank + 1, a->n, m->total, b->total,
                theirs);
    if (m->chance >= 0) text_printf(said, "; fold in time %.1f%% against %.1f%%", 100 * m->chance, 100 * b->chance);
    text_printf(said, "\n");
}

int advise_fold_points(int turns, int used)
{
    return 100 + 20 * (turns > used ? turns - used : 0);
}

static void count_game(advise_practice *p, bool fold)
{
    if (p->counted) return;
    p->counted = true;
    p->score.games++;
    if (!fold) return;
    p->score.folds++;
    p->score.points += advise_fold_points(p->turns, p->turn);
    if (p->score.best_turns == 0 || p->turn < p->score.best_turns) p->score.best_turns = p->turn;
}

// --- what is done

static void place(advise_practice *p, int move, text_buf *said)
{
    py_field f = p->field[p->turn];
    bool stood = gtr_stands(&f, NULL);
    py_place(&f, move, p->q.pair);
    py_chain_result r = py_chain(&f);
    if (p->turn >= p->known || p->move[p->turn] != move) p->known = p->turn + 1;
    p->move[p->turn++] = (uint8_t)move;
    p->field[p->turn] = f;
    if (r.links > 0) text_printf(said, "%d-chain, %d points\n", r.links, r.score);
    if (!stood && gtr_stands(&f, NULL)) {
        text_printf(said, "The fold stands after %d turns.\n", p->turn);
        count_game(p, true);
    } else if (p->turn == p->turns && !gtr_stands(&f, NULL)) {
        text_printf(said,
                    "%d turns are over and the fold does not stand; 'back' tries again, 'new' takes other pairs.\n",
                    p->turns);
        count_game(p, false);
    }
    if (py_buried(&f, PY_LOSE_TSU)) text_printf(said, "Row 12 of column 3 is filled: in a match this would be lost.\n");
}

static void step(advise_practice *p, int by, text_buf *said)
{
    int to = p->turn + by;
    if (to < 0) to = 0;
    while (p->turn > to) p->turn--;
    while (p->turn < to && p->turn < p->known) {
        ask(p);
        place(p, p->move[p->turn], said);
    }
}

static int number_in(const char *word, int otherwise)
{
    long n = strtol(word, NULL, 10);
    return n < 1 ? otherwise : n > MOST ? MOST : (int)n;
}

advise_next advise_practice_obey(advise_practice *p, const char *line, text_buf *said)
{
    const advice *a = &p->now;
    move_t m;
    char word[64];
    snprintf(word, sizeof word, "%s", line + strspn(line, " \t"));
    for (size_t n = strlen(word); n > 0 && isspace((unsigned char)word[n - 1]);) word[--n] = 0;
    if (word[0] == 0) {
        if (a->n == 0) return ADVISE_SAME_TURN;
        p->score.agreed++;
        p->score.placed++;
        place(p, a->best[0].move, said);
    } else if (strncmp(word, "back", 4) == 0) {
        step(p, -number_in(word + 4, 1), said);
    } else if (strncmp(word, "on", 2) == 0) {
        step(p, number_in(word + 2, 1), said);
    } else if (strcmp(word, "again") == 0) {
        p->turn = 0;
    } else if (strcmp(word, "new") == 0) {
        if (p->turn > 0) count_game(p, false);
        begin(p, p->game + 1);
    } else if (strcmp(word, "hide") == 0 || strcmp(word, "show") == 0) {
        p->hide = word[0] == 'h';
    } else if (strcmp(word, "quit") == 0 || strcmp(word, "exit") == 0) {
        return ADVISE_QUIT;
    } else if (strcmp(word, "why") == 0) {
        advise_explain(said, &p->q, a, 8);
        return ADVISE_SAME_TURN;
    } else if (strcmp(word, "score") == 0) {
        advise_practice_say_score(p, said);
        return ADVISE_SAME_TURN;
    } else if (strcmp(word, "help") == 0 || strcmp(word, "?") == 0) {
        text_append(said, words);
        return ADVISE_SAME_TURN;
    } else if (py_move_parse(word, &p->q.field, p->q.pair, true, PY_LOSE_TSU, &m) == ERR_OK) {
        compare(a, m, said);
        p->score.agreed += a->n > 0 && a->best[0].move == m;
        p->score.placed++;
        place(p, m, said);
    } else {
        text_printf(said, "%s ('help' lists the words)\n", err_text());
        return ADVISE_SAME_TURN;
    }
    return ADVISE_NEW_TURN;
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

static err replay_moves(advise_practice *p, const char *moves, text_buf *said)
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
        place(p, m, said);
        moves += n + (moves[n] == ';');
    }
    return ERR_OK;
}

err advise_practice_load(advise_practice *p, const char *path, int64_t wanted, text_buf *said)
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
    e = err_prefix(replay_moves(p, word, said), "%s, line %" PRId64, path, wanted);
    if (e == ERR_OK)
        text_printf(said, "A game that failed, at its end: 'back %d' goes to its beginning, 'on' forward again.\n",
                    p->turn);
done:
    free(data);
    return e;
}

err advise_practice_new(advise_practice **out, const advise_request *r, bool colour)
{
    advise_practice *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory for the practice");
    p->q.config = r->config != NULL ? r->config : &advisor_defaults;
    p->q.plus = r->mode != NULL && strcmp(r->mode, "plus") == 0;
    p->q.reach = true;
    p->colour = colour;
    p->colours = r->colours > 0 ? r->colours : 4;
    p->seed = r->seed;
    p->turns = r->turns == NULL ? ADVISOR_TURNS : number_in(r->turns, ADVISOR_TURNS);
    p->shown = r->shown >= 0 ? r->shown : 2;
    err e = advise_kind(r->pairs != NULL ? r->pairs : "blocks", &p->kind);
    if (e != ERR_OK) {
        free(p);
        return e;
    }
    begin(p, 0);
    *out = p;
    return ERR_OK;
}

void advise_practice_free(advise_practice *p)
{
    free(p);
}

int advise_practice_turn(const advise_practice *p)
{
    return p->turn + 1;
}
