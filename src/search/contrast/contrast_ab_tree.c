// The nodes of the Contrast engine's tree.
//
// A node's life: is it over, can the mover win at once, must it meet a threat (then only steps that do are listed), what
// does the table know; then the table's move, the killers, the bare steps, and last the tiled moves, ordered by what their
// bare step was worth and by what tiles on that square have done elsewhere.
//
// Table keys. Most positions have the same future whatever happened before, and share one slot. Where a draw could be
// claimed within the depth to search, the future depends on the past: there the key also covers the ply and the positions
// seen since the last tile, and a deeper result found under a plain key is not used.
#include "base/clock.h"
#include "search/contrast/contrast_ab_inner.h"

#include <string.h>

// --- draws

static bool drawn(const ctr_ab *e, const node *n)
{
    return n->ply >= e->plies || (e->repetition > 0 && n->ply >= e->repetition_from && n->times >= e->repetition);
}

// Can a draw by the game's rules come within this many plies and the leaf search behind them? A position takes at least four
// plies to come back.
static bool draw_in_sight(const ctr_ab *e, const node *n, int depth)
{
    int plies = depth + Q_PLIES + 2;
    if (n->ply + plies >= e->plies) return true;
    return e->repetition > 0 && n->ply + plies >= e->repetition_from && n->most + 1 + (plies - 1) / 4 >= e->repetition;
}

static uint64_t key_of(const ctr_ab *e, const node *n, bool past_counts)
{
    uint64_t key = ctr_key(&n->b);
    if (!past_counts) return key;
    return rng_mix(key ^ rng_mix((e->repetition > 0 ? n->seen : 0) ^ rng_mix((uint64_t)n->ply)));
}

node ctr_ab_make(ctr_ab *e, const node *n, move_t m, int height)
{
    node c = {.b = ctr_play(&n->b, m), .ply = n->ply + 1, .times = 1, .most = 1};
    uint64_t key = ctr_pieces_key(&c.b), *at = &e->past[e->base + height];
    *at = key;
    e->way[height].before = &n->b;
    e->way[height].move = m;
    e->way[height].summed = false;
    c.seen = rng_mix(key);
    if (ctr_tile(m) != 0) return c;
    c.seen += n->seen;
    c.quiet = n->quiet + 1;
    for (int back = 4; back <= c.quiet; back += 2) c.times += at[-back] == key;
    c.most = c.times > n->most ? c.times : n->most;
    return c;
}

// --- the evaluation

// The sums of the position at `height`, from those of the position before it if they are there.
static const ctr_sums *sums_at(ctr_ab *e, const ctr_board *b, int height)
{
    ctr_sums *s = &e->sums[height];
    if (e->way[height].summed) return s;
    if (e->way[height].before != NULL && e->way[height - 1].summed)
        ctr_sums_play(&e->sums[height - 1], e->way[height].before, e->way[height].move, e->o.weights, s);
    else
        ctr_sums_of(b, e->o.weights, s);
    e->way[height].summed = true;
    return s;
}

// Most positions are looked at once: their own sums are not kept.
static int eval(ctr_ab *e, const ctr_board *b, int height)
{
    const ctr_board *before = e->way[height].before;
    if (e->way[height].summed || before == NULL) return ctr_eval_sums(sums_at(e, b, height), b, e->o.weights);
    return ctr_eval_after(sums_at(e, before, height - 1), before, e->way[height].move, b, e->o.weights);
}

// --- the table

static int from_table(int score, int height)
{
    return score >= CTR_PROVEN ? score - height : score <= -CTR_PROVEN ? score + height : score;
}

static unsigned age_of(uint64_t data)
{
    return (unsigned)(data >> 48);
}

static entry unpack(uint64_t data)
{
    return (entry){.score = (int16_t)data,
                   .move = (move_t)(data >> 16),
                   .depth = (int)(data >> 32 & 0xff),
                   .bound = (int)(data >> 40 & 0xff)};
}

static slot *bucket(const ctr_ab *e, uint64_t key, int depth)
{
    return depth <= SMALL_DEPTH ? &e->small[(key & SMALL_MASK) * BUCKET] : &e->table[(key & e->mask) * BUCKET];
}

static bool probe(const ctr_ab *e, uint64_t key, int depth, entry *out)
{
    slot *s = bucket(e, key, depth);
    for (int i = 0; i < BUCKET; i++) {
        uint64_t data = atomic_load_explicit(&s[i].data, memory_order_relaxed);
        if ((atomic_load_explicit(&s[i].check, memory_order_relaxed) ^ data) != key) continue;
        *out = unpack(data);
        if (out->bound != BOUND_NONE) return true;
    }
    return false;
}

static void store(ctr_ab *e, uint64_t key, int height, int depth, int score, int bound, move_t m)
{
    slot *s = bucket(e, key, depth), *at = s;
    int least = 1000;
    for (int i = 0; i < BUCKET; i++) {
        uint64_t data = atomic_load_explicit(&s[i].data, memory_order_relaxed);
        entry old = unpack(data);
        bool same = (atomic_load_explicit(&s[i].check, memory_order_relaxed) ^ data) == key;
        if (old.bound == BOUND_NONE || same) {
            at = &s[i];
            if (same && old.bound != BOUND_NONE && m == MOVE_NONE) m = old.move;
            break;
        }
        // The shallowest of the oldest goes first.
        int worth = old.depth - (age_of(data) == e->age ? 0 : 100);
        if (worth < least) least = worth, at = &s[i];
    }
    score = score >= CTR_PROVEN ? score + height : score <= -CTR_PROVEN ? score - height : score;
    uint64_t data = (uint64_t)(uint16_t)score | (uint64_t)m << 16 | (uint64_t)(uint8_t)depth << 32 |
                    (uint64_t)(uint8_t)bound << 40 | (uint64_t)e->age << 48;
    atomic_store_explicit(&at->data, data, memory_order_relaxed);
    atomic_store_explicit(&at->check, key ^ data, memory_order_relaxed);
}

// --- moves

typedef struct step {
    uint8_t from, to;
    int16_t order; // larger is tried earlier
    int16_t value; // what the bare step was worth, once searched
} step;

// After this step, can the enemy still win at once? Not if the step itself ends the game.
static bool loses_at_once(ctr_ab *e, const node *n, move_t m, int height)
{
    if (n->ply + 1 >= e->plies) return false;
    ctr_board after = ctr_play(&n->b, m);
    if (!ctr_threat(&after, after.side)) return false;
    bool may_repeat = e->repetition > 0 && n->ply + 1 >= e->repetition_from && n->most + 1 >= e->repetition;
    if (!may_repeat) return true;
    node c = ctr_ab_make(e, n, m, height + 1);
    return !drawn(e, &c);
}

// The steps worth considering, best guess first: all, or under a threat those that meet it.
static int list_steps(ctr_ab *e, const node *n, int height, bool threatened, step *out)
{
    int count = 0;
    const uint32_t seat = n->b.side;
    for (uint32_t p = n->b.pieces[seat]; p != 0; p &= p - 1) {
        int from = __builtin_ctz(p);
        for (uint32_t t = ctr_targets(&n->b, seat, from); t != 0; t &= t - 1) {
            int to = __builtin_ctz(t), rows = from / CTR_SIZE - to / CTR_SIZE;
            if (threatened && loses_at_once(e, n, ctr_move(from, to, 0), height)) continue;
            int order = e->step_history[seat][from * CTR_CELLS + to] + 1024 * (seat == 0 ? rows : -rows);
            step s = {(uint8_t)from, (uint8_t)to, (int16_t)order, 0};
            int i = count++;
            for (; i > 0 && out[i - 1].order < order; i--) out[i] = out[i - 1];
            out[i] = s;
        }
    }
    return count;
}

// All tiled moves as order << 16 | move. Moves whose step is worth less by `far` come after all others.
static int list_tiled(const ctr_ab *e, const node *n, const step *steps, int n_steps, uint32_t *out)
{
    const uint32_t seat = n->b.side, pieces = n->b.pieces[0] | n->b.pieces[1];
    const uint32_t rows = pieces | (pieces & ~CTR_FILE_E) << 1 | (pieces & ~CTR_FILE_A) >> 1;
    const uint32_t near = rows | rows << 5 | rows >> 5;
    int best = -INFINITE, count = 0;
    for (int i = 0; i < n_steps; i++)
        if (steps[i].value > best) best = steps[i].value;
    uint32_t tiles[2][CTR_CELLS]; // what a tile adds to the bare step's order << 16 | move
    const uint32_t white = ~(n->b.tiles[CTR_BLACK] | n->b.tiles[CTR_GRAY]) & CTR_BOARD;
    for (int colour = 0; colour < 2; colour++) {
        if (CTR_HAND(&n->b, seat, colour) == 0) continue;
        for (uint32_t t = white; t != 0; t &= t - 1) {
            int sq = __builtin_ctz(t), tile = ctr_tile_code(colour, sq);
            int o = e->tile_history[seat][tile] / 2 + (near >> sq & 1 ? 1024 : 0);
            tiles[colour][sq] = ((uint32_t)o << 16) + (uint32_t)tile;
        }
    }
    for (int i = 0; i < n_steps; i++) {
        const step *s = &steps[i];
        if (CTR_GOAL(seat) >> s->to & 1) continue;
        int behind = best - s->value;
        int order = 32768 - 16 * (behind > 1000 ? 1000 : behind) + s->order / 8;
        uint32_t bare = (uint32_t)order << 16 | ctr_move(s->from, s->to, 0);
        uint32_t free = ctr_tile_squares(&n->b, s->from, s->to);
        for (int colour = 0; colour < 2; colour++) {
            if (CTR_HAND(&n->b, seat, colour) == 0) continue;
            for (uint32_t t = free; t != 0; t &= t - 1) out[count++] = bare + tiles[colour][__builtin_ctz(t)];
        }
    }
    return count;
}

static uint32_t take_best(uint32_t *moves, int n, int from)
{
    uint32_t best = 0;
    for (int i = from; i < n; i++) best = moves[i] > best ? moves[i] : best;
    int at = from;
    while (moves[at] != best) at++;
    moves[at] = moves[from];
    moves[from] = best;
    return best;
}

static void nudge(int16_t *h, int bonus)
{
    *h = (int16_t)(*h + bonus - *h * (bonus < 0 ? -bonus : bonus) / HISTORY_MAX);
}

void ctr_ab_good(ctr_ab *e, uint32_t side, move_t m, int depth)
{
    int bonus = depth * depth * 16 > 1024 ? 1024 : depth * depth * 16;
    nudge(&e->step_history[side][m / CTR_TILE_CODES], bonus);
    if (ctr_tile(m) != 0) nudge(&e->tile_history[side][ctr_tile(m)], bonus);
}

static void bad(ctr_ab *e, uint32_t side, const move_t *tried, int n, int depth)
{
    int bonus = depth * depth * 16 > 1024 ? 1024 : depth * depth * 16;
    for (int i = 0; i < n; i++) {
        if (ctr_tile(tried[i]) == 0)
            nudge(&e->step_history[side][tried[i] / CTR_TILE_CODES], -bonus);
        else
            nudge(&e->tile_history[side][ctr_tile(tried[i])], -bonus / 8);
    }
}

// Plies taken off a late move: the later it comes and the deeper the search, the more. Tiled moves are many and alike, so they
// lose more than steps.
int ctr_ab_reduction(const ctr_ab *e, move_t m, int index, int depth, bool threatened)
{
    if (e->o.plain || depth < 2 || index < 3) return 0;
    int deep = depth > 8 ? 8 : depth, late = 31 - __builtin_clz((unsigned)index); // the logarithm: 1 … 8
    if (ctr_tile(m) == 0) return threatened || depth < 3 || index < 4 ? 0 : 1 + (deep >= 6 && index >= 8);
    return 1 + deep * late / 9;
}

// --- nodes

// Every few thousand nodes a look at the clock.
static void look_up(ctr_ab *e)
{
    if (e->limits.nodes > 0 && e->nodes >= e->limits.nodes) e->stopped = true;
    e->next_look = e->nodes + 2048;
    if (e->limits.seconds > 0 && clock_seconds() - e->start >= e->limits.seconds) e->stopped = true;
    if (stop_asked(e->limits.stop)) e->stopped = true;
    if (e->lead != NULL && atomic_load_explicit(&e->lead->halt, memory_order_relaxed)) e->stopped = true;
    if (e->limits.nodes > 0 && e->next_look > e->limits.nodes) e->next_look = e->limits.nodes;
}

// What needs no search: true and *score when the position is decided.
static bool decided(ctr_ab *e, const node *n, int height, int *score)
{
    if (++e->nodes >= e->next_look) look_up(e);
    e->line_length[height] = 0;
    if (!ctr_can_move(&n->b))
        *score = height - CTR_MATE;
    else if (ctr_threat(&n->b, n->b.side) && !drawn(e, n))
        *score = CTR_MATE - height - 1;
    else if (drawn(e, n))
        *score = 0;
    else
        return false;
    return true;
}

// A position in which `b`'s mover faces a threat: has it no answer?
bool ctr_ab_helpless(const ctr_board *b)
{
    for (uint32_t p = b->pieces[b->side]; p != 0; p &= p - 1) {
        int from = __builtin_ctz(p);
        for (uint32_t t = ctr_targets(b, b->side, from); t != 0; t &= t - 1) {
            ctr_board after = ctr_play(b, ctr_move(from, __builtin_ctz(t), 0));
            if (!ctr_threat(&after, after.side)) return false;
        }
    }
    return true;
}

// The step of a mover whom nobody threatens that makes a threat without answer, or MOVE_NONE.
move_t ctr_ab_winning_threat(const ctr_board *b)
{
    const uint32_t seat = b->side;
    for (uint32_t p = b->pieces[seat]; p != 0; p &= p - 1) {
        int from = __builtin_ctz(p);
        for (uint32_t t = ctr_targets(b, seat, from); t != 0; t &= t - 1) {
            move_t m = ctr_move(from, __builtin_ctz(t), 0);
            ctr_board after = ctr_play(b, m);
            if (ctr_threat(&after, seat) && !ctr_threat(&after, !seat) && ctr_ab_helpless(&after)) return m;
        }
    }
    return MOVE_NONE;
}

// Is there such a step, and can no draw come in between? That is exact: tiles change neither the threat nor the answers.
static bool wins_in_three(const ctr_ab *e, const node *n)
{
    const uint32_t seat = n->b.side, own = n->b.pieces[seat];
    // Whoever threatens has a piece before the goal row: it stands there, or one row behind, already now.
    if ((own & (seat == 0 ? CTR_ROW(1) | CTR_ROW(2) : CTR_ROW(2) | CTR_ROW(3))) == 0) return false;
    if (n->ply + 2 >= e->plies) return false;
    if (e->repetition > 0 && n->ply + 2 >= e->repetition_from && n->most + 1 >= e->repetition) return false;
    return ctr_ab_winning_threat(&n->b) != MOVE_NONE;
}

// At the end of the depth: what stands, or a win by a threat without answer. But where the enemy threatens to win, all
// steps that stop it are tried, without tiles; as long as the mover holds tiles, which might help, a loss found in this
// way is no proof.
static int quiesce(ctr_ab *e, const node *n, int height, int left, int alpha, int beta)
{
    if (left == 0) return eval(e, &n->b, height);
    if (!ctr_threat(&n->b, !n->b.side)) {
        int value = eval(e, &n->b, height);
        return value < beta && wins_in_three(e, n) ? CTR_MATE - height - 3 : value;
    }
    step steps[MAX_STEPS];
    int count = list_steps(e, n, height, true, steps);
    if (count == 0) return height + 2 - CTR_MATE;
    int best = n->b.hands >> 16 * n->b.side & 0xffff ? -CTR_LIKELY : -INFINITE;
    for (int i = 0; i < count && best < beta; i++) {
        node c = ctr_ab_make(e, n, ctr_move(steps[i].from, steps[i].to, 0), height + 1);
        int score, floor = best > alpha ? best : alpha;
        if (!decided(e, &c, height + 1, &score)) score = quiesce(e, &c, height + 1, left - 1, -beta, -floor);
        if (-score > best) best = -score;
    }
    return best;
}

static void keep_line(ctr_ab *e, int height, move_t m)
{
    int n = e->line_length[height + 1];
    e->line[height][0] = m;
    memcpy(&e->line[height][1], e->line[height + 1], (size_t)n * sizeof(move_t));
    e->line_length[height] = n + 1;
}

// One node's loop over its moves.
typedef struct scan {
    const node *n;
    int height, depth, alpha, beta;
    bool threatened;
    int best, index;
    move_t move;
    int n_tried;
    move_t tried[64]; // the first moves that did not cut off
} scan;

// Searches one move; true when it cuts off. *value is its score.
static bool try_move(ctr_ab *e, scan *s, move_t m, int *value)
{
    node c = ctr_ab_make(e, s->n, m, s->height + 1);
    int depth = s->depth - 1, score;
    if (s->index == 0) {
        score = -ctr_ab_node(e, &c, s->height + 1, depth, -s->beta, -s->alpha);
    } else {
        int reduce = ctr_ab_reduction(e, m, s->index, s->depth, s->threatened);
        score = -ctr_ab_node(e, &c, s->height + 1, depth - reduce < 0 ? 0 : depth - reduce, -s->alpha - 1, -s->alpha);
        if (score > s->alpha && reduce > 0 && !e->stopped)
            score = -ctr_ab_node(e, &c, s->height + 1, depth, -s->alpha - 1, -s->alpha);
        if (score > s->alpha && score < s->beta && !e->stopped)
            score = -ctr_ab_node(e, &c, s->height + 1, depth, -s->beta, -s->alpha);
    }
    s->index++;
    *value = score;
    if (e->stopped) return true;
    if (score > s->best) {
        s->best = score;
        if (score > s->alpha) {
            s->alpha = score;
            s->move = m;
            keep_line(e, s->height, m);
        }
    }
    if (score >= s->beta) {
        if (e->killers[s->height][0] != m) {
            e->killers[s->height][1] = e->killers[s->height][0];
            e->killers[s->height][0] = m;
        }
        ctr_ab_good(e, s->n->b.side, m, s->depth);
        bad(e, s->n->b.side, s->tried, s->n_tried, s->depth);
        return true;
    }
    if (s->n_tried < 64) s->tried[s->n_tried++] = m;
    return false;
}

static step *find_step(step *steps, int n, move_t m)
{
    for (int i = 0; i < n; i++)
        if (steps[i].from == ctr_from(m) && steps[i].to == ctr_to(m)) return &steps[i];
    return NULL;
}

// The tiled moves of a node; true when one cuts off. At the last ply a tile can change no more than the evaluation, by a
// little: with a step that is worse by more than that, none is tried.
static bool try_tiled(ctr_ab *e, scan *s, const step *steps, int n_steps, const move_t *first, int n_first)
{
    enum { LITTLE = 120, FEW = 4, FEW_DEPTH = 3 };
    uint32_t moves[CTR_MAX_LEGAL];
    step worth[MAX_STEPS];
    int n_worth = 0;
    for (int i = 0; i < n_steps; i++) {
        if (s->depth == 1 && !e->o.plain && steps[i].value + LITTLE <= s->alpha) {
            int bound = steps[i].value + LITTLE;
            if (bound < -CTR_LIKELY) bound = -CTR_LIKELY; // not tried is not proven
            if (bound > s->best) s->best = bound;
            continue;
        }
        worth[n_worth++] = steps[i];
    }
    int n = list_tiled(e, s->n, worth, n_worth, moves), value, most = n;
    // Near the leaves only the most promising are tried where nothing but a bound is asked for.
    if (!e->o.plain && s->depth <= FEW_DEPTH && s->beta - s->alpha == 1 && s->best > -CTR_LIKELY) {
        most = FEW * s->depth * s->depth;
        if (most > n) most = n;
    }
    for (int i = 0; i < most; i++) {
        move_t m = (move_t)(s->depth > 1 || most < n ? take_best(moves, n, i) : moves[i]);
        bool done = false;
        for (int k = 0; k < n_first; k++) done |= first[k] == m;
        if (!done && try_move(e, s, m, &value)) return true;
    }
    return false;
}

// The moves in their order; true when one cuts off.
static bool try_all(ctr_ab *e, scan *s, step *steps, int n_steps, move_t known)
{
    int value;
    move_t first[3], candidates[3] = {known, e->killers[s->height][0], e->killers[s->height][1]};
    int n_first = 0;
    for (int i = 0; i < 3; i++) {
        move_t m = candidates[i];
        bool twice = false;
        for (int k = 0; k < n_first; k++) twice |= first[k] == m;
        step *at = m == MOVE_NONE || twice ? NULL : find_step(steps, n_steps, m);
        if (at == NULL || !ctr_legal(&s->n->b, m)) continue;
        first[n_first++] = m;
        if (try_move(e, s, m, &value)) return true;
        at->value = (int16_t)value; // of a tiled move: a guess, replaced below
    }
    for (int i = 0; i < n_steps; i++) {
        move_t m = ctr_move(steps[i].from, steps[i].to, 0);
        bool done = false;
        for (int k = 0; k < n_first; k++) done |= first[k] == m;
        if (done) continue;
        if (try_move(e, s, m, &value)) return true;
        steps[i].value = (int16_t)value;
    }
    if ((s->n->b.hands >> 16 * s->n->b.side & 0xffff) == 0) return false;
    return try_tiled(e, s, steps, n_steps, first, n_first);
}

int ctr_ab_node(ctr_ab *e, const node *n, int height, int depth, int alpha, int beta)
{
    enum { SAFE_DEPTH = 4, SAFE = 60 }; // per ply: a lead that is not lost near the leaves
    int score = 0;
    if (decided(e, n, height, &score) || e->stopped) return score;
    if (depth == 0) return quiesce(e, n, height, Q_PLIES, alpha, beta);

    bool past_counts = draw_in_sight(e, n, depth);
    uint64_t key = key_of(e, n, past_counts);
    entry was;
    move_t known_move = MOVE_NONE;
    if (probe(e, key, depth, &was) || (depth == SMALL_DEPTH + 1 && probe(e, key, SMALL_DEPTH, &was))) {
        known_move = was.move;
        score = from_table(was.score, height);
        bool proof =
            (score >= CTR_PROVEN && was.bound != BOUND_UPPER) || (score <= -CTR_PROVEN && was.bound != BOUND_LOWER);
        bool deep = e->o.plain ? was.depth == depth : was.depth >= depth || proof;
        bool holds = past_counts || was.depth <= depth || !draw_in_sight(e, n, was.depth);
        bool fits = was.bound == BOUND_EXACT || (was.bound == BOUND_LOWER ? score >= beta : score <= alpha);
        if (deep && holds && fits && beta - alpha == 1) return score;
    }

    step steps[MAX_STEPS];
    scan s = {
        .n = n, .height = height, .depth = depth, .alpha = alpha, .beta = beta, .best = -INFINITE, .move = MOVE_NONE};
    s.threatened = ctr_threat(&n->b, !n->b.side);
    if (!e->o.plain && !s.threatened && depth <= SAFE_DEPTH && beta - alpha == 1 && beta < CTR_LIKELY &&
        beta > -CTR_LIKELY) {
        int value = eval(e, &n->b, height);
        if (value - SAFE * depth >= beta) return value;
    }
    int n_steps = list_steps(e, n, height, s.threatened, steps);
    if (n_steps == 0) return height + 2 - CTR_MATE;
    try_all(e, &s, steps, n_steps, known_move);
    if (e->stopped) return s.best;
    int bound = s.best >= beta ? BOUND_LOWER : s.best > alpha ? BOUND_EXACT : BOUND_UPPER;
    store(e, key, height, depth, s.best, bound, s.move);
    return s.best;
}
