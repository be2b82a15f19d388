// Private to search/mcts*.c: what a tree is made of. mcts.h explains the ideas.
//
// Everything a tree remembers lies in one growing array, addressed by offsets in units of eight bytes, so that growing
// it is a realloc and a link costs four bytes. Two kinds of blocks share it:
//   node        header · state (if stored) · move[room] · prior[room]
//   edge block  child[cap] · n[cap] · q[cap] · fly[cap], for the first n_active of the node's moves; cap a power of two
// A node's moves are permuted so that the tried ones come first, in the order in which they were first tried.
#ifndef KEIKO_SEARCH_MCTS_MCTS_NODE_H
#define KEIKO_SEARCH_MCTS_MCTS_NODE_H

#include "search/mcts/mcts.h"

#include <math.h>
#include <string.h>

enum {
    UNIT = 8,
    MIN_CAP_LOG = 2,      // an edge block starts with four places
    MAX_CAP_LOG = 16,     //
    SLACK = 256,          // bytes behind the last block that a vector load may touch
    NODE_PENDING = 1,     // flags: its evaluation is in flight
    NODE_STOP = 2,        // a walk ends here: the game is over or the result is proven
    NODE_DRAWS = 4,       // some move is proven to draw: the node is worth no less
    FLY_PROVEN = 1 << 15, // in an edge's fly: its child is proven and that is counted in n_proven
    FLY_COUNT = FLY_PROVEN - 1,
};

typedef struct node {
    double w;       // sum of the values backed up, for `seat`
    uint64_t key;   // transpositions
    uint32_t n;     // visits backed up
    uint32_t block; // edge block, 0 = none; in a node that mcts_keep has moved: where to
    float value;    // what the evaluator, or the end of the game, said; for `seat`
    float mass;     // prior mass of the moves tried (kept for MCTS_FPU_PARENT)
    uint16_t n_edges, n_active;
    uint16_t n_sorted; // moves in their final place: n_active, or one more once the next to try was found
    uint16_t n_proven;
    uint16_t room;   // moves this block has place for
    uint16_t fly;    // walks in flight through this node
    uint8_t cap_log; // edge block: log2 of its capacity
    uint8_t seat;
    uint8_t proof; // mcts_proof
    uint8_t flags; // NODE_*
} node;

_Static_assert(sizeof(node) == 48, "a node's header should not grow unnoticed");

typedef struct edges { // a view of an edge block
    uint32_t *child;   // 0 = none
    uint32_t *n;
    float *q; // mean for the node's seat; -infinity once the child is proven, so that no walk takes it: see edge_value
    uint16_t *fly;
} edges;

typedef struct step {
    uint32_t node;
    uint32_t edge;
} step;

// One walk: in flight while its leaf is evaluated.
typedef struct slot {
    uint32_t leaf;         // node to receive the value; 0 at the memory limit, where only the edge does
    uint32_t first, depth; // its steps
    float value;           // of a walk that needed no evaluation
    uint8_t seat;          // for whom the value is
    uint8_t proof;         // of such a walk: the mcts_proof that the value stands for; MCTS_UNPROVEN = it is a mean
    bool fresh;            // the leaf has no priors yet
} slot;

// Values without the margin and margins without the value: their sums for the root's seat, their numbers.
typedef struct plain_sum {
    double sum, margins;
    uint64_t n, n_margins;
} plain_sum;

typedef enum walk_end {
    WALK_LEAF,  // the slot waits for an evaluation
    WALK_VALUE, // the value is known: back it up at once
    WALK_LOST,  // met a leaf in flight
    WALK_ON,    // (spawn only) go on at an existing node
} walk_end;

typedef struct table_slot {
    uint32_t tag, at; // at = 0: empty
} table_slot;

typedef struct gumbel {
    float *noise, *logit; // by root edge
    uint32_t *start;      // visits at mcts_begin
    uint64_t sims;
    int log2m;       // halvings
    int k;           // moves still considered
    uint64_t rounds; // sweeps over the k moves left in this phase
    int i;           // next in the sweep
    uint32_t v;      // visits (since begin) of the moves that may be chosen now
    bool fresh;      // a phase begins: values in flight must come in first
} gumbel;

struct mcts {
    const game *g;
    mcts_options o; // with defaults filled in
    walk_end (*walk)(mcts *m, slot *s);
    bool hidden, graph, solver, many; // many: K > 1

    // the tree's memory
    char *base, *spare;
    size_t used, cap, max, spare_cap; // bytes
    size_t reserve;                   // the most that one walk may take
    size_t state_room;                // bytes of a node's state; 0 = not stored
    uint32_t free_block[MAX_CAP_LOG + 1];
    uint32_t nodes;
    bool full, was_full; // the limit was met since the last move; since the root was set

    // transpositions
    table_slot *table;
    uint32_t table_size, table_used, table_max; // size: a power of two

    // the root
    uint32_t root;
    int ply;
    char *root_state; // its state; where the game hides something its observation
    uint64_t seed, game_number;
    uint64_t samples; // drawn from the root's observation
    bool root_rule;   // the root chooses by mcts_root_pick
    bool noisy;       // noise is in the root's priors
    bool fast;
    float centre; // where the margin counts: the margin that `centre_seat` expects at the root
    float draw;   // what a sure draw is worth to it
    uint8_t centre_seat;
    plain_sum
        *plain; // where the margin counts: [0] of all walks, [1 + i] of those through the root's move i; else NULL
    uint32_t plain_top; // from here on they are zero

    // this search
    uint64_t budget, sims, steps_walked, walks;
    gumbel gum;

    // walks in flight
    slot *slots, *lost; // [K] each
    int n_slots, n_lost;
    step *steps;
    size_t n_steps, steps_cap;
    char *states, *obs; // [K] leaf states; [K] leaf observations where they differ
    move_t *legal;      // [max_legal] scratch
    uint16_t *where;    // [n_moves] hidden games: edge of a move
    float *scratch;     // [max_legal]
    mcts_batch batch;   // [K] for mcts_run

    uint64_t evals, shared, collisions;
    int deepest;
};

static inline node *node_at(const mcts *m, uint32_t at)
{
    return (node *)(void *)(m->base + (size_t)at * UNIT);
}

static inline void *node_state(node *nd)
{
    return nd + 1;
}

static inline move_t *node_moves(const mcts *m, const node *nd)
{
    return (move_t *)(void *)((char *)(nd + 1) + m->state_room);
}

static inline float *node_priors(const mcts *m, const node *nd)
{
    return (float *)(void *)(node_moves(m, nd) + ((nd->room + 1u) & ~1u));
}

static inline size_t node_bytes(const mcts *m, int room)
{
    size_t n = sizeof(node) + m->state_room + (((size_t)room + 1) & ~(size_t)1) * sizeof(move_t) +
               (size_t)room * sizeof(float);
    return (n + UNIT - 1) / UNIT * UNIT;
}

static inline size_t block_bytes(int cap_log)
{
    return (((size_t)14 << cap_log) + UNIT - 1) / UNIT * UNIT;
}

static inline edges node_edges(const mcts *m, const node *nd)
{
    size_t cap = (size_t)1 << nd->cap_log;
    uint32_t *p = (uint32_t *)(void *)(m->base + (size_t)nd->block * UNIT);
    return (edges){p, p + cap, (float *)(void *)(p + 2 * cap), (uint16_t *)(void *)(p + 3 * cap)};
}

static inline char *slot_state(mcts *m, const slot *s)
{
    return m->states + (size_t)(s - m->slots) * m->g->state_size;
}

// c · √N(s)
static inline float explore(const mcts *m, float visits)
{
    float c = m->o.c_puct;
    if (m->o.c_base > 0) c += logf((visits + m->o.c_base + 1.0f) / m->o.c_base);
    return c * sqrtf(visits);
}

static inline float first_play(const mcts *m, const node *nd)
{
    if (m->o.fpu == MCTS_FPU_ZERO) return 0.0f;
    if (m->o.fpu == MCTS_FPU_FIXED) return m->o.fpu_value;
    float fall = m->o.fpu_value * sqrtf(nd->mass);
    return (float)(nd->w / nd->n) - fall;
}

// A sure draw. Where the margin counts, values are measured from the root's margin, and so is a draw's.
static inline float draw_value(const mcts *m, int seat)
{
    return seat == m->centre_seat ? m->draw : 0.0f - m->draw; // never -0
}

static inline float plain_proof(mcts_proof proof)
{
    return (float)((int)proof - MCTS_DRAW);
}

static inline float proof_value(const mcts *m, mcts_proof proof, int seat)
{
    return proof == MCTS_DRAW ? draw_value(m, seat) : plain_proof(proof);
}

// What a visit to this node is worth now, for its seat.
static inline float node_mean(const mcts *m, const node *nd)
{
    if (nd->proof) return proof_value(m, (mcts_proof)nd->proof, nd->seat);
    float mean = (float)(nd->w / nd->n);
    return nd->flags & NODE_DRAWS ? fmaxf(mean, draw_value(m, nd->seat)) : mean;
}

// The proof of a tried move, for the node's seat.
static inline mcts_proof edge_proof(const mcts *m, const node *nd, edges x, int e)
{
    if (!(x.fly[e] & FLY_PROVEN)) return MCTS_UNPROVEN;
    const node *c = node_at(m, x.child[e]);
    return (mcts_proof)(c->seat == nd->seat ? c->proof : MCTS_WIN + MCTS_LOSS - c->proof);
}

// A tried move's value as a number.
static inline float edge_value(const mcts *m, const node *nd, edges x, int e)
{
    return x.fly[e] & FLY_PROVEN ? proof_value(m, edge_proof(m, nd, x, e), nd->seat) : x.q[e];
}

// --- mcts_store.c: memory
bool mcts_store_new(mcts *m); // false: no memory; mcts_store_free cleans up
void mcts_store_free(mcts *m);
void mcts_store_clear(mcts *m);
bool mcts_grow(mcts *m);                         // slow path of mcts_reserve
bool mcts_block_grow(mcts *m, node *nd);         // needs mcts_reserve; false: no place
bool mcts_activate_all(mcts *m, uint32_t at);    // every move a place in the edge block; may move the tree's memory
uint32_t mcts_find(const mcts *m, uint64_t key); // 0 = not there
void mcts_insert(mcts *m, uint64_t key, uint32_t at); //
bool mcts_keep(mcts *m, uint32_t at);                 // make `at` the root and drop all it cannot reach

// Place for all that one walk can create. Pointers into the tree's memory are good from here to the next call.
static inline bool mcts_reserve(mcts *m)
{
    return m->used + m->reserve <= m->cap || mcts_grow(m);
}

// Give the next move a place in the edge block. False at the memory limit.
static inline bool mcts_activate(mcts *m, node *nd, bool room)
{
    if (nd->block == 0 || nd->n_active >> nd->cap_log)
        if (!room || !mcts_block_grow(m, nd)) return false;
    edges x = node_edges(m, nd);
    uint32_t i = nd->n_active++;
    x.child[i] = 0;
    x.n[i] = 0;
    x.q[i] = 0;
    x.fly[i] = 0;
    return true;
}

// --- mcts_walk.c and its three instances: from the root to a leaf
walk_end mcts_walk_scalar(mcts *m, slot *s);
walk_end mcts_walk_avx2(mcts *m, slot *s);
walk_end mcts_walk_avx512(mcts *m, slot *s);
walk_end mcts_walk_hidden(mcts *m, slot *s);
walk_end mcts_spawn(mcts *m, slot *s, const step *path, int depth, bool room, uint32_t *child);
walk_end mcts_walk_stop(mcts *m, slot *s, uint32_t at);                  // end at an existing node with what it knows
uint64_t mcts_position_key(const mcts *m, const void *state, int depth); // of the position `depth` plies below the root
void mcts_root_create(mcts *m);                                          // the root's node, not yet evaluated

// --- mcts_backup.c
void mcts_back(mcts *m, const slot *s, float v);
// Before it, with what is known of who wins alone and of the margin alone (NAN: nothing).
void mcts_count_plain(mcts *m, const slot *s, float v, float margin);
void mcts_unfly(mcts *m, const slot *s);
void mcts_normalise(const mcts *m, float *p, int n);
float mcts_result_value(const mcts *m, const void *state, int seat);
mcts_proof mcts_proof_of(float value); // of a result

// --- mcts_root.c
void mcts_root_prepare(mcts *m); // the root is evaluated and a search begins: noise, Gumbel's draws
int mcts_root_pick(mcts *m, const node *nd);
void mcts_gumbel_undo(mcts *m, const gumbel *before);
void mcts_softmax(float *x, int n);
enum { DRAW_NOISE = 1, DRAW_GUMBEL, DRAW_CHOICE, DRAW_SAMPLE };
rng mcts_draw(const mcts *m, int purpose, uint64_t index);

#endif
