// See label_puyo.h.
#include "learn/distil/label_puyo.h"

#include "agents/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/stop.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_beam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_GAMES = 64, ASK_AGAIN = 32, TURNS_MAX = 2048 };
enum { FOR_TEACHER = 0x7ea1, FOR_AGAIN = 0xa6a1, FOR_NOISE = 0x0153 }; // keys of the streams

typedef union any_state {
    py_match match;
    py_solo solo;
} any_state;

typedef struct hand { // what one thread works with
    puyo_beam *beam;
    agent *teacher[2]; // by seat; NULL = the beam
    agent *player[2];  // the player and its opponent: see player_of; NULL = the teacher
    label_turn *turns; // [TURNS_MAX]
} hand;

typedef struct played { // one game of a block
    label_turn *turns;  // owned; NULL = it was not played
    int n;
    uint32_t asked, same;
    int fired;
} played;

typedef struct work {
    const label_options *o;
    const game *g;
    hand *hands;
    int n_hands;
    uint64_t first; // number of the block's first game
    double until;   // of the clock: no game begins after that; 0 = no limit
    played block[BLOCK_GAMES];
    err failed;
    char why[300];
} work;

// --- labels

static int place_of(uint32_t legal, int move)
{
    return __builtin_popcount(legal & ((1u << move) - 1));
}

void label_from_choice(uint32_t legal, int choice, label_turn *t)
{
    t->n = (uint8_t)__builtin_popcount(legal);
    memset(t->shortfall, LABEL_WORST, sizeof t->shortfall);
    t->shortfall[place_of(legal, choice)] = 0;
}

void label_from_beam(const double worth[PY_MOVES], double value, uint32_t legal, int choice, label_turn *t)
{
    double best = worth[choice], points = value / LABEL_POINTS;
    label_from_choice(legal, choice, t);
    t->value = (uint16_t)(points < 0 ? 0 : points > UINT16_MAX ? UINT16_MAX : points);
    for (uint32_t m = legal; m != 0; m &= m - 1) {
        int move = __builtin_ctz(m);
        if (move == choice || worth[move] < 0 || best <= 0) continue;
        double missing = round(LABEL_UNIT * (1 - worth[move] / best)); // only the choice is 0
        t->shortfall[place_of(legal, move)] = (uint8_t)(missing < 1             ? 1
                                                        : missing > LABEL_WORST ? LABEL_WORST
                                                                                : missing);
    }
}

// --- one game

static uint32_t mask_of(const move_t *moves, int n)
{
    uint32_t mask = 0;
    for (int i = 0; i < n; i++) mask |= 1u << moves[i];
    return mask;
}

// What the teacher chooses; fills the label unless `t` is NULL.
static err ask_teacher(const work *w, hand *h, const any_state *obs, int seat, rng *r, uint32_t legal, label_turn *t,
                       int *choice)
{
    if (h->teacher[seat] != NULL) {
        agent_choice c;
        err e = agent_choose(h->teacher[seat], obs, &c);
        if (e == ERR_OK) *choice = c.move;
        if (e == ERR_OK && t != NULL) label_from_choice(legal, c.move, t);
        return e;
    }
    after_position p;
    puyo_beam_result got;
    after_position_of(w->g, obs, seat, &p);
    puyo_beam_rules(h->beam, p.colours, p.reach, p.lose);
    puyo_beam_search(h->beam, &p.field, p.pair, PY_SHOWN, p.left < w->o->depth ? p.left : w->o->depth, r, &got);
    *choice = got.move;
    if (t != NULL && got.move >= 0) label_from_beam(got.worth, got.value[got.move], legal, got.move, t);
    return ERR_OK;
}

// Sides change with every game.
static agent *player_of(const work *w, const hand *h, int seat, uint64_t number)
{
    return h->player[w->g->n_seats == 1 ? 0 : (uint64_t)seat ^ (number & 1)];
}

static err choose(const work *w, hand *h, const any_state *obs, int seat, uint64_t number, int turn, uint32_t legal,
                  label_turn *t, played *out)
{
    const label_options *o = w->o;
    int choice = -1, again = -1;
    rng noise = rng_at(rng_mix(o->seed + FOR_NOISE), number, (uint32_t)turn);
    rng r = rng_at(rng_mix(o->seed + FOR_TEACHER), number, (uint32_t)turn);
    err e = ask_teacher(w, h, obs, seat, &r, legal, t, &choice);
    if (e == ERR_OK && choice >= 0 && h->beam != NULL && (number + (uint64_t)turn) % ASK_AGAIN == 0) {
        rng other = rng_at(rng_mix(o->seed + FOR_AGAIN), number, (uint32_t)turn);
        e = ask_teacher(w, h, obs, seat, &other, legal, NULL, &again);
        out->asked++;
        out->same += again == choice;
    }
    if (choice < 0) choice = __builtin_ctz(legal); // every placement loses: nothing to learn, any will do
    agent *player = player_of(w, h, seat, number);
    if (e == ERR_OK && player != NULL) {
        agent_choice c;
        e = agent_choose(player, obs, &c);
        choice = c.move;
    }
    if (o->noise > 0 && rng_unit(&noise) < o->noise) {
        move_t moves[PY_MOVES];
        choice = moves[rng_below(&noise, (uint32_t)py_move_list(legal, moves))];
    }
    t->move = (uint8_t)choice;
    return e;
}

static err play_game(const work *w, hand *h, uint64_t number, played *out)
{
    any_state state, obs;
    move_t moves[PY_MOVES];
    game_key key = {w->o->seed, number};
    err e = w->g->init(&state, w->o->rules, key);
    for (int s = 0; s < w->g->n_seats; s++) {
        if (h->teacher[s] != NULL) agent_begin(h->teacher[s], key, s);
        if (h->player[s] != NULL) agent_begin(player_of(w, h, s, number), key, s);
    }
    while (e == ERR_OK && !w->g->result(&state).over && out->n < TURNS_MAX && !stop_requested()) {
        label_turn *t = &h->turns[out->n];
        int seat = w->g->seat(&state), n = w->g->legal(&state, moves);
        step_event ev;
        *t = (label_turn){.n = 0};
        w->g->observe(&state, seat, &obs);
        e = choose(w, h, &obs, seat, number, out->n, mask_of(moves, n), t, out);
        if (e != ERR_OK) break;
        for (int s = 0; s < w->g->n_seats; s++) {
            if (h->teacher[s] != NULL) agent_saw(h->teacher[s], &obs, t->move);
            if (h->player[s] != NULL) agent_saw(h->player[s], &obs, t->move);
        }
        w->g->play(&state, t->move, &ev);
        if (ev.points > out->fired) out->fired = ev.points;
        out->n++;
    }
    if (e != ERR_OK || stop_requested()) return e;
    out->turns = malloc((size_t)(out->n > 0 ? out->n : 1) * sizeof *out->turns);
    if (out->turns == NULL) return err_set(ERR_MEMORY, "no memory for a game");
    memcpy(out->turns, h->turns, (size_t)out->n * sizeof *out->turns);
    return ERR_OK;
}

static void play_task(void *ctx, int task, int worker)
{
    work *w = ctx;
    err none = ERR_OK;
    if (stop_requested() || __atomic_load_n(&w->failed, __ATOMIC_RELAXED) != ERR_OK) return;
    if (w->until > 0 && clock_seconds() >= w->until) return;
    err e = play_game(w, &w->hands[worker], w->first + (uint64_t)task, &w->block[task]);
    if (w->o->tick != NULL) w->o->tick(w->o->ctx, (uint64_t)w->block[task].n);
    if (e == ERR_OK || !__atomic_compare_exchange_n(&w->failed, &none, e, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    snprintf(w->why, sizeof w->why, "%s", err_text()); // the sentence belongs to this thread
}

// --- the loop

static void hand_close(hand *h)
{
    puyo_beam_free(h->beam);
    for (int s = 0; s < 2; s++) {
        agent_close(h->teacher[s]);
        agent_close(h->player[s]);
    }
    free(h->turns);
}

static err hand_open(hand *h, const label_options *o, const game *g)
{
    err e = ERR_OK;
    bool beam = strcmp(o->teacher, "beam") == 0, player = o->player != NULL && o->player[0] != 0;
    const char *rival = o->opponent != NULL && o->opponent[0] != 0 ? o->opponent : o->player;
    h->turns = malloc(TURNS_MAX * sizeof *h->turns);
    if (beam) {
        // As the agent `beam` by default, but for the sizes.
        puyo_beam_settings s = {.width = o->width,
                                .depth = o->depth,
                                .samples = o->samples,
                                .late = o->late,
                                .prune = 5000,
                                .patience = 95,
                                .full = 56,
                                .grip = 5,
                                .colours = 4,
                                .reach = true,
                                .lose = PY_LOSE_TSU,
                                .weights = puyo_weights_default};
        h->beam = puyo_beam_new(&s, NULL);
    }
    if (h->turns == NULL || (beam && h->beam == NULL)) return err_set(ERR_MEMORY, "no memory for a beam");
    for (int s = 0; s < g->n_seats && e == ERR_OK; s++) {
        if (!beam) e = err_prefix(agent_open(&h->teacher[s], g, o->teacher), "teacher");
        if (e == ERR_OK && player) e = err_prefix(agent_open(&h->player[s], g, s == 1 ? rival : o->player), "player");
    }
    return e;
}

// The games of the block up to the first that was not played.
static err write_block(work *w, label_report *out)
{
    label_block b = {0};
    double fired = out->fired * (double)out->games;
    int n = 0;
    for (; n < BLOCK_GAMES && w->block[n].turns != NULL; n++) {
        const played *p = &w->block[n];
        label_block_add(&b, p->turns, p->n);
        out->asked += p->asked;
        out->same += p->same;
        fired += p->fired;
    }
    if (n == 0) return ERR_OK;
    uint64_t before = out->end.positions;
    err e = labels_append(w->o->path, &b, &out->end);
    out->games += (uint64_t)n;
    out->added += out->end.positions - before;
    out->fired = fired / (double)out->games;
    text_free(&b.raw);
    return e;
}

static void forget_block(work *w)
{
    for (int i = 0; i < BLOCK_GAMES; i++) free(w->block[i].turns);
    memset(w->block, 0, sizeof w->block);
}

static err label_blocks(work *w, pool *threads, label_report *out)
{
    const label_options *o = w->o;
    double start = clock_seconds();
    err e = ERR_OK;
    if (o->minutes > 0) w->until = start + 60 * o->minutes;
    while (e == ERR_OK && out->end.positions < o->positions && !stop_requested()) {
        if (w->until > 0 && clock_seconds() >= w->until) break;
        w->first = out->end.games;
        pool_run(threads, BLOCK_GAMES, play_task, w);
        if (w->failed != ERR_OK) e = err_set(w->failed, "%s", w->why);
        if (e == ERR_OK && !stop_requested()) e = write_block(w, out); // a block is whole or it is not there
        forget_block(w);
    }
    out->seconds = clock_seconds() - start;
    return e;
}

static err describe(const label_options *o, label_head *h)
{
    char teacher[512];
    bool beam = strcmp(o->teacher, "beam") == 0;
    snprintf(h->game, sizeof h->game, "%s", o->game);
    snprintf(h->options, sizeof h->options, "%s", o->rules == NULL ? "" : o->rules);
    h->seed = o->seed;
    if (beam)
        snprintf(teacher, sizeof teacher, "beam:width=%d,depth=%d,samples=%d,late=%d", o->width, o->depth, o->samples,
                 o->late);
    else
        snprintf(teacher, sizeof teacher, "%s", o->teacher);
    int n = snprintf(h->how, sizeof h->how, "teacher = %s\nplayer = %s\nnoise = %g\n", teacher,
                     o->player == NULL || o->player[0] == 0 ? "teacher" : o->player, o->noise);
    if (o->opponent != NULL && o->opponent[0] != 0 && n < (int)sizeof h->how)
        n += snprintf(h->how + n, sizeof h->how - (size_t)n, "opponent = %s\n", o->opponent);
    if (n >= (int)sizeof h->how) return err_set(ERR_LIMIT, "the names of teacher and player are too long");
    return ERR_OK;
}

err label_puyo(const label_options *o, label_report *out)
{
    work *w = calloc(1, sizeof *w);
    pool *threads = pool_new(o->threads);
    label_head head;
    int lock = -1;
    *out = (label_report){0};
    err e = w == NULL || threads == NULL ? err_set(ERR_MEMORY, "no memory for threads") : ERR_OK;
    if (e == ERR_OK) e = game_find(o->game, &w->g);
    if (e == ERR_OK && strcmp(o->game, "puyo") != 0 && strcmp(o->game, "puyo-solo") != 0)
        e = err_set(ERR_USAGE, "only puyo and puyo-solo can be labelled, not %s", o->game);
    bool opponent = o->opponent != NULL && o->opponent[0] != 0;
    if (e == ERR_OK && opponent && (w->g->n_seats == 1 || o->player == NULL || o->player[0] == 0))
        e = err_set(ERR_USAGE, "an opponent needs a player to meet, and a match: --game puyo --player AGENT");
    if (e == ERR_OK) {
        w->o = o;
        w->n_hands = pool_threads(threads);
        w->hands = calloc((size_t)w->n_hands, sizeof *w->hands);
        if (w->hands == NULL) e = err_set(ERR_MEMORY, "no memory for threads");
    }
    for (int i = 0; e == ERR_OK && i < w->n_hands; i++) e = hand_open(&w->hands[i], o, w->g);
    if (e == ERR_OK) e = describe(o, &head);
    if (e == ERR_OK) e = file_make_parent(o->path);
    if (e == ERR_OK) e = file_lock(&lock, o->path, "give another file");
    if (e == ERR_OK) e = labels_open(o->path, &head, &out->end);
    if (e == ERR_OK) e = label_blocks(w, threads, out);
    file_unlock(lock);
    for (int i = 0; w != NULL && w->hands != NULL && i < w->n_hands; i++) hand_close(&w->hands[i]);
    if (w != NULL) free(w->hands);
    free(w);
    pool_free(threads);
    return e;
}
