// The incremental board: put a stone, and every empty point that sees it has its patterns, class and sums again.
//
// Points are re-read along the four lines of the new stone only. Counts are gathered as differences in sixteen byte
// lanes (a stone changes at most 41 points) and widened once at the end: no branch depends on what changed, and on
// lines that do not repeat that is 10 % faster than counting only what did. Taking a stone back computes nothing; it
// copies the changed points and the counts from the history.
#include "games/renju/renju_tables.h"

#include <assert.h>
#include <string.h>

static unsigned fresh_patterns(const rj_board *b, int p)
{
    const rj_place *at = &b->tables->place[b->lines.size][p];
    unsigned all = 0;
    for (int d = 0; d < RJ_DIRS; d++) {
        all |= rj_window_patterns(b->set, b->lines.line[at->line[d]] >> at->shift[d]) << 4 * d;
    }
    return all;
}

static inline unsigned classes_of(const rj_ruleset *s, unsigned patterns)
{
    return (unsigned)s->classes[0][patterns & 0xffff] | s->classes[1][patterns >> 16];
}

// Sums over the empty points, from nothing.
static void recount(rj_board *b)
{
    memset(b->count, 0, sizeof b->count);
    memset(b->score, 0, sizeof b->score);
    for (int p = 0; p < b->points; p++) {
        if (b->stone[p] != RJ_EMPTY) continue;
        for (int c = 0; c < 2; c++) {
            b->count[c][rj_class_at(b, c, p)]++;
            if (b->values != NULL) b->score[c] += b->values->value[c][rj_key_at(b, c, p)];
        }
    }
}

void rj_board_init(rj_board *b, rj_rule rule, int size)
{
    const rj_tables *t = rj_tables_get();
    memset(b, 0, offsetof(rj_board, frames));
    b->tables = t;
    b->set = &t->rules[rule];
    b->rule = (uint8_t)rule;
    b->points = (uint16_t)(size * size);
    rj_lines_init(&b->lines, size);
    memset(b->stone, RJ_EMPTY, sizeof b->stone);
    for (int p = 0; p < b->points; p++) {
        b->patterns[p] = fresh_patterns(b, p);
        b->classes[p] = (uint8_t)classes_of(b->set, b->patterns[p]);
    }
    recount(b);
}

void rj_board_set(rj_board *b, const uint64_t *black, const uint64_t *white, int side)
{
    size_t bytes = (size_t)(b->points + 63) / 64 * sizeof *black;
    memset(b->stones, 0, sizeof b->stones);
    memcpy(b->stones[0], black, bytes);
    memcpy(b->stones[1], white, bytes);
    rj_lines_set(&b->lines, black, white);
    memset(b->stone, RJ_EMPTY, sizeof b->stone);
    b->side = (uint8_t)side;
    b->hash = side == RJ_WHITE ? rj_zobrist_side : 0;
    b->placed = b->n_frames = 0;
    b->n_changes = 0;
    for (int p = 0; p < b->points; p++) {
        bool is_black = black[p / 64] >> p % 64 & 1, is_white = white[p / 64] >> p % 64 & 1;
        assert(!(is_black && is_white));
        b->patterns[p] = 0;
        b->classes[p] = 0;
        if (is_black || is_white) {
            b->stone[p] = (uint8_t)is_white;
            b->hash ^= b->tables->zobrist[is_white][p];
            b->placed++;
        } else {
            b->patterns[p] = fresh_patterns(b, p);
            b->classes[p] = (uint8_t)classes_of(b->set, b->patterns[p]);
        }
    }
    recount(b);
}

void rj_board_values(rj_board *b, const rj_values *v)
{
    assert(b->n_frames == 0);
    b->values = v;
    recount(b);
}

static inline rj_frame *push_frame(rj_board *b, int p, int colour)
{
    assert(b->n_frames < RJ_MAX_FRAMES);
    rj_frame *f = &b->frames[b->n_frames++];
    f->hash = b->hash;
    memcpy(f->count, b->count, sizeof f->count);
    memcpy(f->score, b->score, sizeof f->score);
    f->first = b->n_changes;
    f->point = (uint16_t)p;
    f->colour = (uint8_t)colour;
    f->side = b->side;
    return f;
}

typedef struct tally {
    rj_lanes count[2]; // differences
    int32_t score[2];
} tally;

// Re-reads the empty points of one line within reach of the stone on `p`. A template: `d` is a constant in each of
// its four uses, and `v` is NULL where no sums are kept.
static inline __attribute__((always_inline)) rj_change *reread(rj_board *b, int p, int d, unsigned reach,
                                                               const rj_values *v, rj_change *out, tally *sum)
{
    const rj_ruleset *s = b->set;
    const rj_place *at = &b->tables->place[b->lines.size][p];
    // Turned so that bit 2i begins the window of the point i - 5 steps from p: that point is seen at bit 2i + 10.
    unsigned turn = (at->shift[d] - 2u * RJ_REACH) & 63;
    uint64_t line = b->lines.line[at->line[d]];
    line = line >> turn | line << (-turn & 63);
    ptrdiff_t step = rj_step(b->lines.size, d), first = p - RJ_REACH * step;
    rj_lanes black = sum->count[0], white = sum->count[1];
    for (unsigned empty = (unsigned)(~(line | line >> 1) >> 10) & reach; empty; empty &= empty - 1) {
        int i = __builtin_ctz(empty);
        size_t q = (size_t)(first + (i >> 1) * step);
        unsigned before = b->patterns[q], old = b->classes[q];
        unsigned after = (before & ~(0x000f000fu << 4 * d)) | rj_window_patterns(s, line >> i) << 4 * d;
        unsigned now = classes_of(s, after);
        out->patterns = before;
        out->point = (uint16_t)q;
        out->classes = (uint8_t)old;
        out++;
        b->patterns[q] = after;
        b->classes[q] = (uint8_t)now;
        black += s->one[now][0];
        black -= s->one[old][0];
        white += s->one[now][1];
        white -= s->one[old][1];
        if (v == NULL) continue;
        sum->score[0] += v->value[0][after & 0xffff] - v->value[0][before & 0xffff];
        sum->score[1] += v->value[1][after >> 16] - v->value[1][before >> 16];
    }
    sum->count[0] = black;
    sum->count[1] = white;
    return out;
}

static inline __attribute__((always_inline)) rj_change *reread_all(rj_board *b, int p, int colour, const rj_values *v,
                                                                   rj_change *out, tally *sum)
{
    unsigned reach = b->set->reach[colour];
    out = reread(b, p, RJ_EAST, reach, v, out, sum);
    out = reread(b, p, RJ_SOUTH, reach, v, out, sum);
    out = reread(b, p, RJ_SOUTHEAST, reach, v, out, sum);
    return reread(b, p, RJ_NORTHEAST, reach, v, out, sum);
}

void rj_put(rj_board *b, int p, int colour)
{
    assert(p >= 0 && p < b->points && b->stone[p] == RJ_EMPTY);
    push_frame(b, p, colour);
    unsigned patterns = b->patterns[p], classes = b->classes[p];
    rj_change *out = b->changes + b->n_changes;
    *out++ = (rj_change){patterns, (uint16_t)p, (uint8_t)classes, 0};
    tally sum = {{-b->set->one[classes][0], -b->set->one[classes][1]}, {0, 0}};
    b->patterns[p] = 0;
    b->classes[p] = 0;
    b->stone[p] = (uint8_t)colour;
    b->stones[colour][p / 64] |= 1ull << p % 64;
    b->placed++;
    b->hash ^= b->tables->zobrist[colour][p];
    rj_lines_toggle(&b->lines, p, colour);

    const rj_values *v = b->values;
    if (v == NULL) {
        out = reread_all(b, p, colour, NULL, out, &sum);
    } else {
        out = reread_all(b, p, colour, v, out, &sum);
        b->score[0] += sum.score[0] - v->value[0][patterns & 0xffff];
        b->score[1] += sum.score[1] - v->value[1][patterns >> 16];
    }
    b->n_changes = (uint32_t)(out - b->changes);
    for (int k = 0; k < 16; k++) {
        b->count[0][k] = (uint16_t)(b->count[0][k] + sum.count[0][k]);
        b->count[1][k] = (uint16_t)(b->count[1][k] + sum.count[1][k]);
    }
}

void rj_play(rj_board *b, int p)
{
    rj_put(b, p, b->side);
    b->side ^= 1;
    b->hash ^= rj_zobrist_side;
}

void rj_pass(rj_board *b)
{
    push_frame(b, RJ_MAX_POINTS, RJ_EMPTY);
    b->side ^= 1;
    b->hash ^= rj_zobrist_side;
}

uint64_t rj_hash_after(const rj_board *b, int p)
{
    return b->hash ^ b->tables->zobrist[b->side][p] ^ rj_zobrist_side;
}

void rj_undo(rj_board *b)
{
    assert(b->n_frames > 0);
    const rj_frame *f = &b->frames[--b->n_frames];
    // Two points share at most one line, so no point appears twice here and the order of the copies does not matter.
    for (uint32_t i = f->first; i < b->n_changes; i++) {
        const rj_change *c = &b->changes[i]; // read as it was written, field by field: one wide load would stall
        b->patterns[c->point] = c->patterns;
        b->classes[c->point] = c->classes;
    }
    b->n_changes = f->first;
    memcpy(b->count, f->count, sizeof b->count);
    memcpy(b->score, f->score, sizeof b->score);
    b->hash = f->hash;
    b->side = f->side;
    if (f->point == RJ_MAX_POINTS) return;
    b->stone[f->point] = RJ_EMPTY;
    b->stones[f->colour][f->point / 64] &= ~(1ull << f->point % 64);
    b->placed--;
    rj_lines_toggle(&b->lines, f->point, f->colour);
}

rj_class rj_class_of(const rj_board *b, int colour, unsigned key)
{
    return (rj_class)(b->set->classes[colour][key & 0xffff] >> 4 * colour);
}

rj_foul rj_foul_at(rj_board *b, int p)
{
    if (b->rule != RJ_RENJU) return RJ_FINE;
    rj_class k = rj_class_at(b, RJ_BLACK, p);
    if (k != RJ_FORBIDDEN && k != RJ_DOUBTFUL) return RJ_FINE;
    return rj_lines_foul(&b->lines, p);
}

int rj_points(const rj_board *b, int colour, rj_class low, rj_class high, uint16_t *out)
{
    // Sixteen points per step: a byte lane becomes all ones where its class is in range, and the signs gather into a
    // mask.
    typedef uint8_t bytes16 __attribute__((vector_size(16)));
    int n = 0;
    uint8_t span = (uint8_t)(high - low);
    for (int base = 0; base < b->points; base += 16) {
        bytes16 v;
        memcpy(&v, b->classes + base, sizeof v);
        v = (colour == RJ_BLACK ? v & 15 : v >> 4) - (uint8_t)low;
        bytes16 in = (bytes16)(v <= span) & 1;
        uint64_t half[2];
        memcpy(half, &in, sizeof half);
        // Eight bytes of 0 or 1 to eight bits: the multiplication moves byte i's bit to bit 56 + i.
        unsigned mask =
            (unsigned)(half[0] * 0x0102040810204080u >> 56) | (unsigned)(half[1] * 0x0102040810204080u >> 56) << 8;
        for (; mask; mask &= mask - 1) {
            int p = base + __builtin_ctz(mask);
            if (p < b->points && b->stone[p] == RJ_EMPTY) out[n++] = (uint16_t)p;
        }
    }
    return n;
}

void rj_near(const rj_board *b, int distance, uint64_t out[RJ_MAX_WORDS])
{
    assert(distance >= 1 && distance <= 3);
    int size = b->lines.size;
    uint32_t row[RJ_MAX_SIZE] = {0}, wide[RJ_MAX_SIZE + 6] = {0};
    for (int p = 0; p < b->points; p++)
        if (b->stone[p] != RJ_EMPTY) row[p / size] |= 1u << p % size;
    for (int y = 0; y < size; y++)
        for (int k = 0; k <= distance; k++) wide[y + 3] |= row[y] << k | row[y] >> k;
    memset(out, 0, RJ_MAX_WORDS * sizeof *out);
    for (int y = 0; y < size; y++) {
        uint32_t near = 0;
        for (int k = -distance; k <= distance; k++) near |= wide[y + 3 + k];
        near &= ~row[y] & ((1u << size) - 1);
        int at = y * size;
        out[at / 64] |= (uint64_t)near << at % 64;
        if (at % 64 + size > 64) out[at / 64 + 1] |= (uint64_t)near >> (64 - at % 64);
    }
}

bool rj_board_ok(const rj_board *b)
{
    rj_lines l = {.size = b->lines.size};
    rj_lines_set(&l, b->stones[0], b->stones[1]);
    if (memcmp(l.line, b->lines.line, sizeof l.line) != 0) return false;
    uint64_t hash = b->side ? rj_zobrist_side : 0;
    uint16_t count[2][16] = {{0}}, placed = 0;
    int32_t score[2] = {0, 0};
    for (int p = 0; p < b->points; p++) {
        if (b->stone[p] != RJ_EMPTY) {
            if ((b->stones[b->stone[p]][p / 64] >> p % 64 & 1) == 0) return false;
            if (b->patterns[p] != 0 || b->classes[p] != 0) return false;
            hash ^= b->tables->zobrist[b->stone[p]][p];
            placed++;
            continue;
        }
        if (b->patterns[p] != fresh_patterns(b, p) || b->classes[p] != classes_of(b->set, b->patterns[p])) return false;
        for (int c = 0; c < 2; c++) {
            count[c][rj_class_at(b, c, p)]++;
            if (b->values != NULL) score[c] += b->values->value[c][rj_key_at(b, c, p)];
        }
    }
    return hash == b->hash && placed == b->placed && memcmp(count, b->count, sizeof count) == 0 &&
           memcmp(score, b->score, sizeof score) == 0;
}
