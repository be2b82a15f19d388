// A tree's memory: its blocks, the table of transpositions, and the copying that keeps a subtree when a move is played.
#include "base/memory.h"
#include "search/mcts/mcts_node.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_CAP = 1 << 15, FIRST_TABLE = 256 };

// What a single walk may take: one node with the most moves, and one edge block that doubles.
static size_t walk_bytes(const mcts *m)
{
    int log = MIN_CAP_LOG;
    while ((1 << log) < m->g->max_legal) log++;
    return node_bytes(m, m->g->max_legal) + block_bytes(log) + SLACK;
}

bool mcts_store_new(mcts *m)
{
    size_t state = (m->g->state_size + UNIT - 1) / UNIT * UNIT;
    bool store = !m->hidden && (m->o.store_states == MCTS_ON || (m->o.store_states == MCTS_AUTO && state <= 64));
    m->state_room = store ? state : 0;
    m->reserve = walk_bytes(m);

    // Tables get a sixteenth; with reuse the rest is halved, since the kept part is copied into the other half.
    size_t tables = m->graph ? m->o.memory / 16 : 0;
    m->table_max = FIRST_TABLE;
    while (m->table_max < 1u << 30 && (size_t)m->table_max * 2 * sizeof(table_slot) <= tables) m->table_max *= 2;
    m->max = m->o.memory - tables;
    if (!m->o.no_reuse && !m->hidden) m->max /= 2;
    size_t least = 4 * m->reserve, most = (size_t)UINT32_MAX * UNIT;
    if (m->max < least) m->max = least; // the root and a first layer always fit
    if (m->max > most) m->max = most;

    m->cap = m->max < FIRST_CAP ? m->max : FIRST_CAP;
    if (m->cap < least) m->cap = least;
    m->base = malloc(m->cap);
    if (m->graph) {
        m->table_size = FIRST_TABLE;
        m->table = calloc(m->table_size, sizeof *m->table);
        if (m->table == NULL) return false;
    }
    if (m->base == NULL) return false;
    mcts_store_clear(m);
    return true;
}

void mcts_store_free(mcts *m)
{
    FREE_ALL(m->base, m->spare, m->table);
}

void mcts_store_clear(mcts *m)
{
    m->used = 64; // offset 0 means "none"
    memset(m->free_block, 0, sizeof m->free_block);
    m->nodes = 0;
    m->root = 0;
    m->full = m->was_full = false;
    if (m->graph) memset(m->table, 0, m->table_size * sizeof *m->table);
    m->table_used = 0;
}

bool mcts_grow(mcts *m)
{
    size_t cap = m->cap * 2;
    if (cap > m->max) cap = m->max;
    if (cap > m->cap && m->used + m->reserve <= cap) {
        char *base = realloc(m->base, cap);
        if (base != NULL) {
            m->base = base;
            m->cap = cap;
            return true;
        }
        m->max = m->cap; // the system has no more: from here on as at the limit
    }
    m->full = m->was_full = true;
    return false;
}

static uint32_t block_new(mcts *m, int log)
{
    uint32_t at = m->free_block[log];
    if (at != 0) {
        memcpy(&m->free_block[log], m->base + (size_t)at * UNIT, sizeof at);
        return at;
    }
    at = (uint32_t)(m->used / UNIT);
    m->used += block_bytes(log);
    return at;
}

static void block_free(mcts *m, uint32_t at, int log)
{
    memcpy(m->base + (size_t)at * UNIT, &m->free_block[log], sizeof at);
    m->free_block[log] = at;
}

bool mcts_block_grow(mcts *m, node *nd)
{
    int log = nd->block == 0 ? MIN_CAP_LOG : nd->cap_log + 1;
    while (m->hidden && (1 << log) < m->g->max_legal) log++; // later samples add moves: place for all at once
    assert(log <= MAX_CAP_LOG && m->used + block_bytes(log) <= m->cap);
    uint32_t block = block_new(m, log);
    if (nd->block == 0) {
        nd->block = block;
        nd->cap_log = (uint8_t)log;
        return true;
    }
    uint32_t old = nd->block;
    edges a = node_edges(m, nd);
    int old_log = nd->cap_log;
    nd->block = block;
    nd->cap_log = (uint8_t)log;
    edges b = node_edges(m, nd);
    size_t n = nd->n_active;
    memcpy(b.child, a.child, n * sizeof *b.child);
    memcpy(b.n, a.n, n * sizeof *b.n);
    memcpy(b.q, a.q, n * sizeof *b.q);
    memcpy(b.fly, a.fly, n * sizeof *b.fly);
    block_free(m, old, old_log);
    return true;
}

bool mcts_activate_all(mcts *m, uint32_t at)
{
    for (;;) {
        bool room = mcts_reserve(m);
        node *nd = node_at(m, at);
        if (nd->n_active == nd->n_edges) {
            nd->n_sorted = nd->n_active;
            return true;
        }
        if (!mcts_activate(m, nd, room)) return false;
    }
}

// --- transpositions: open addressing, the key's upper half as tag, the node's own key to be sure

uint32_t mcts_find(const mcts *m, uint64_t key)
{
    uint32_t mask = m->table_size - 1, tag = (uint32_t)(key >> 32);
    for (uint32_t i = (uint32_t)key & mask;; i = (i + 1) & mask) {
        table_slot t = m->table[i];
        if (t.at == 0) return 0;
        if (t.tag == tag && node_at(m, t.at)->key == key) return t.at;
    }
}

static void put(table_slot *table, uint32_t size, uint64_t key, uint32_t at)
{
    uint32_t mask = size - 1, i = (uint32_t)key & mask;
    while (table[i].at != 0) i = (i + 1) & mask;
    table[i] = (table_slot){(uint32_t)(key >> 32), at};
}

void mcts_insert(mcts *m, uint64_t key, uint32_t at)
{
    if (m->table_used >= m->table_size / 4 * 3) {
        if (m->table_size >= m->table_max) return; // this node will not be shared
        table_slot *larger = calloc((size_t)m->table_size * 2, sizeof *larger);
        if (larger == NULL) {
            m->table_max = m->table_size;
            return;
        }
        for (uint32_t i = 0; i < m->table_size; i++) {
            uint32_t old = m->table[i].at;
            if (old != 0) put(larger, m->table_size * 2, node_at(m, old)->key, old);
        }
        free(m->table);
        m->table = larger;
        m->table_size *= 2;
    }
    put(m->table, m->table_size, key, at);
    m->table_used++;
}

// --- keeping a subtree: Cheney's copy, breadth first, each node followed by its edge block

// The bit that marks a moved node in the old half. Never set in a node that a search may see.
enum { NODE_MOVED = 0x80 };

static uint32_t move_node(mcts *m, char *to, size_t *end, uint32_t at)
{
    node *old = node_at(m, at);
    if (old->flags & NODE_MOVED) return old->block;
    uint32_t now = (uint32_t)(*end / UNIT);
    size_t bytes = node_bytes(m, old->room);
    memcpy(to + *end, old, bytes);
    node *nd = (node *)(void *)(to + *end);
    *end += bytes;
    if (old->block != 0) {
        size_t b = block_bytes(old->cap_log);
        memcpy(to + *end, m->base + (size_t)old->block * UNIT, b);
        nd->block = (uint32_t)(*end / UNIT);
        *end += b;
    }
    old->flags |= NODE_MOVED;
    old->block = now;
    m->nodes++;
    return now;
}

bool mcts_keep(mcts *m, uint32_t at)
{
    if (m->spare_cap < m->used + SLACK) {
        free(m->spare);
        m->spare_cap = 0;
        m->spare = malloc(m->cap);
        if (m->spare == NULL) return false;
        m->spare_cap = m->cap;
    }
    char *from = m->base, *to = m->spare;
    size_t end = 64, scan = end, from_cap = m->cap;
    m->nodes = 0;
    uint32_t root = move_node(m, to, &end, at);
    while (scan < end) {
        node *nd = (node *)(void *)(to + scan);
        scan += node_bytes(m, nd->room);
        if (nd->block == 0) continue;
        uint32_t *child = (uint32_t *)(void *)(to + (size_t)nd->block * UNIT);
        for (int i = 0; i < nd->n_active; i++)
            if (child[i] != 0) child[i] = move_node(m, to, &end, child[i]);
        scan += block_bytes(nd->cap_log);
    }
    m->base = to;
    m->cap = m->spare_cap;
    m->spare = from;
    m->spare_cap = from_cap;
    m->used = end;
    m->root = root;
    m->full = false;
    memset(m->free_block, 0, sizeof m->free_block);
    if (!m->graph) return true;
    memset(m->table, 0, m->table_size * sizeof *m->table);
    m->table_used = 0;
    for (scan = 64; scan < end;) {
        node *nd = (node *)(void *)(to + scan);
        mcts_insert(m, nd->key, (uint32_t)(scan / UNIT));
        scan += node_bytes(m, nd->room);
        if (nd->block != 0) scan += block_bytes(nd->cap_log);
    }
    return true;
}
