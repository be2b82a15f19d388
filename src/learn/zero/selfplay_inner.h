// What the files of self-play share. A "slot" holds one game in flight, its tree and what it has collected; slots never look
// at each other. See selfplay.h.
#ifndef KEIKO_LEARN_ZERO_SELFPLAY_INNER_H
#define KEIKO_LEARN_ZERO_SELFPLAY_INNER_H

#include "arena/openings.h"
#include "learn/zero/selfplay.h"
#include "search/endgame.h"
#include "search/mcts/mcts_group.h"
#include "search/threats.h"

#include <stdatomic.h>

typedef struct slot {
    mcts *tree;
    char *state;
    uint64_t game;    // its number in the run
    uint64_t begun;   // games begun here
    uint64_t sims;    // spent on this game since it began, or was loaded
    int64_t used;     // simulations spent beyond the rounds' shares; negative = still to spend
    int ply, opening; // moves played; of these random ones at the start
    bool full;        // the search under way is a full one
    bool searching;   // flowing: a search is under way
    bool rests;       // the last search took more than a whole round's share: nothing to do in this one
    bool checks;      // this game is played on where it would be given up
    int gives_up;     // seat that would have given up, -1 = none
    int low[2];       // searches in a row below the mark, by seat
    move_t *move;     // [ply]
    int move_room;
    samples pending;     // of this game; value holds the search's value until the result is known
    size_t settled;      // of them have their targets
    finished_game *done; // games that ended in this round
    int n_done, done_room;
    selfplay_stats st;
    err failed;
    move_t *last; // [n_last] of the last game that ended here, for people to look at; the first slots only
    int n_last;
    uint64_t last_game;
    float last_score;
} slot;

struct selfplay {
    const samples_shape *sh;
    const game *g;
    const az_config *c;
    uint64_t seed;
    struct agent_games *teacher; // plays instead of searches with the network; NULL
    bool margins;                // who plays knows the margin
    endgame *end;
    threats *leaves, *at_root; // NULL: none
    openings even;             // lines that games may start with
    int n;
    slot *at;
    mcts **trees;
    mcts_group *group;
    move_t *moves; // scratch per slot: [n][max_legal]
    float *probs;
    // the round
    evaluator *evaluator;
    mcts_evaluator inner;
    uint64_t step;
    atomic_bool stopped;
    bool flows; // rounds without an end of their own: see selfplay.h
    atomic_int_fast64_t left;
    const atomic_bool *busy;
};

// Streams of chance, keyed (seed ^ purpose, game, ply).
typedef enum slot_purpose {
    DRAW_FULL = 1,
    DRAW_OPENING,
    DRAW_RESIGN,
    DRAW_ENDGAME,
    DRAW_EVEN,
    DRAW_DETOUR,
} slot_purpose;
rng slot_draw(const selfplay *sp, slot_purpose purpose, const slot *p);

err slot_start(selfplay *sp, int i, slot *p);    // the next game of slot i, with its opening
void slot_play(selfplay *sp, slot *p, move_t m); // a legal move, which is remembered; p->failed without memory
// The position with what a search says of it; p->failed without memory.
void slot_record(selfplay *sp, slot *p, const move_t *moves, const float *probs, int n, float value, float margin);
// A move is played that is not the search's: what is recorded learns nothing from what comes after it.
void slot_detour(selfplay *sp, slot *p);
// The exact solver plays the rest; every position on the way is a sample with exact targets. False: it cannot.
bool slot_play_out(selfplay *sp, int i, slot *p);
// The game has ended, or was given up (real false): results become targets, and the game goes out with the round.
void slot_finish(selfplay *sp, slot *p, const float score[2], bool real);
void slot_drop_games(slot *p); // forgets the games that ended in this round

// selfplay_agent.c: games of agents instead. See selfplay_taught_by.
typedef struct agent_games agent_games;
err agent_games_new(agent_games **out, selfplay *sp, const char *spec, int threads);
void agent_games_free(agent_games *t); // NULL is fine
// One game in every slot. *seconds: of the threads' work, together.
err agent_games_play(agent_games *t, selfplay *sp, double *seconds);

#endif
