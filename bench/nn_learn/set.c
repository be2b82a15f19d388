// The labelled positions: made or read from a file, and turned into batches. See nn_learn.h.
//
// A batch is part positions of the set, with every move's score, and part positions right after a move of theirs (or further
// down the line the solver gave), of which the labels know the score, one best move and the final board. All are seen through a
// random symmetry.
#include "base/clock.h"
#include "base/file.h"
#include "nn_learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- the file

enum { LABELS_HEAD = 128 }; // bytes: what the rows behind them were made from
static void labels_head(const options *o, char head[LABELS_HEAD])
{
    memset(head, 0, LABELS_HEAD);
    snprintf(head, LABELS_HEAD,
             "labelled othello: positions=%lld held=%lld seed=%lld few=%lld many=%lld depth=%lld row=%zu\n",
             (long long)o->positions, (long long)o->held, (long long)o->seed, (long long)o->few, (long long)o->many,
             (long long)o->depth, sizeof(label_row));
}

static void labels_read(study *s)
{
    const options *o = s->o;
    size_t learn = (size_t)o->positions * sizeof *s->learn, held = (size_t)o->held * sizeof *s->held, size;
    char *data, head[LABELS_HEAD];
    labels_head(o, head);
    must(file_read(o->labels, LABELS_HEAD + learn + held, &data, &size));
    if (size != LABELS_HEAD + learn + held || memcmp(data, head, LABELS_HEAD) != 0)
        must(err_set(ERR_USAGE, "%s holds other positions than the keys ask for; remove it or give its keys",
                     o->labels));
    memcpy(s->learn, data + LABELS_HEAD, learn);
    memcpy(s->held, data + LABELS_HEAD + learn, held);
    free(data);
}

static void labels_write(const study *s)
{
    file_out *f;
    char head[LABELS_HEAD];
    labels_head(s->o, head);
    must(file_out_open(&f, s->o->labels));
    file_out_write(f, head, sizeof head); // errors stick until the commit
    file_out_write(f, s->learn, (size_t)s->o->positions * sizeof *s->learn);
    file_out_write(f, s->held, (size_t)s->o->held * sizeof *s->held);
    must(file_out_commit(f));
}

void set_label(study *s)
{
    const options *o = s->o;
    if (o->valid >= o->positions)
        must(err_set(ERR_USAGE, "valid=%lld leaves none of %lld positions to learn from", (long long)o->valid,
                     (long long)o->positions));
    s->learn = room((size_t)o->positions, sizeof *s->learn);
    s->held = room((size_t)o->held, sizeof *s->held);
    s->n_learn = (int)(o->positions - o->valid);
    s->valid = s->learn + s->n_learn;
    if (o->labels[0] && file_exists(o->labels)) {
        labels_read(s);
        return;
    }
    double t = clock_seconds();
    label_options l = {.seed = (uint64_t)o->seed,
                       .few = (int)o->few,
                       .many = (int)o->many,
                       .depth = (int)o->depth,
                       .threads = s->threads};
    l.bar = progress_new(
        &(progress_options){.label = "label", .unit = "positions", .total = (uint64_t)(o->positions + o->held)});
    must(label_othello(&l, s->learn, (int)o->positions));
    l.first = (uint64_t)o->positions;
    must(label_othello(&l, s->held, (int)o->held));
    progress_finish(l.bar);
    printf("labelled %lld + %lld positions of %d to %d empties in %.1f s\n", (long long)o->positions,
           (long long)o->held, l.few, l.many, clock_seconds() - t);
    fflush(stdout);
    if (o->labels[0]) labels_write(s);
}

void encode(const study *s, oth_board b, uint64_t *bits)
{
    oth_state state = {.b = b};
    const void *obs = &state;
    s->seen->encode(&obs, 1, bits, NULL);
}

// --- batches

// What a head is taught. The final score is what moves are chosen by when the network looks at the boards after them, so it
// weighs as much as the policy; a mean over 65 outputs, of which a few count, needs more to be felt. A board head ends in tanh
// and reads a square's own features: good for what a move there loses, and for whether it is best.
typedef enum aim { AIM_POLICY, AIM_WINNER, AIM_SCORE, AIM_SCORES, AIM_FINAL, AIM_LOSS, AIM_BEST, AIMS } aim;
static const float aim_weight[AIMS] = {1, 1, 8, 20, 1, 32, 8};
static const double soft = 12; // discs: what a move loses is taught as tanh(-loss / soft), sharp where it matters

enum { NEAR = 6 };   // discs: moves no worse than that compete with the best
enum { CHUNK = 32 }; // positions a task

struct batch {
    nn_batch b;
    const study *study;
    aim aims[NN_MAX_HEADS];
    uint64_t *bits;             // [n][planes]
    float *value[NN_MAX_HEADS]; // a head's targets
    uint8_t *mask[NN_MAX_HEADS];
    uint32_t *order, *some; // [n_learn] this pass over the set; [n] those of this batch
    uint32_t at;            // in order
    uint64_t pass, key;     // key: of this batch's symmetries and moves
};

static aim aim_of(const nn_desc *d, int head)
{
    const nn_head *h = &d->head[head];
    int boards = 0;
    for (int i = 0; i < head; i++) boards += d->head[i].kind == NN_BOARD;
    if (h->kind == NN_POLICY) return AIM_POLICY;
    if (h->kind == NN_VALUE) return AIM_WINNER;
    if (h->kind == NN_SCALAR && h->out == 1) return AIM_SCORE;
    if (h->kind == NN_SCALAR && h->out == OTH_PASS + 1) return AIM_SCORES;
    if (h->kind == NN_BOARD && h->out == 1 && boards < 3) return (aim)(AIM_FINAL + boards);
    must(
        err_set(ERR_USAGE,
                "head %d of the network: heads are policy=F:65, value=F:HIDDEN, scalar=F:HIDDEN:1 (the score), "
                "scalar=F:HIDDEN:65 (each move's), board=1 (the final board), a second board=1 (what each move loses), "
                "a third (is it best?)",
                head + 1));
    return AIMS;
}

batch *batch_new(const study *s)
{
    const nn_desc *d = &s->net->desc;
    size_t n = (size_t)s->o->batch;
    batch *b = room(1, sizeof *b);
    b->study = s;
    b->bits = room(n * (size_t)d->planes, sizeof *b->bits);
    b->order = room((size_t)s->n_learn, sizeof *b->order);
    b->some = room(n, sizeof *b->some);
    b->at = (uint32_t)s->n_learn;
    b->b = (nn_batch){.n = (int)n, .bits = b->bits};
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = n * (size_t)nn_head_size(d, h);
        b->aims[h] = aim_of(d, h);
        b->value[h] = room(size, sizeof(float));
        b->mask[h] = room(size, 1);
        b->b.head[h] = (nn_target){.value = b->value[h],
                                   .mask = b->aims[h] == AIM_WINNER ? NULL : b->mask[h],
                                   .scale = aim_weight[b->aims[h]]};
    }
    return b;
}

void batch_free(batch *b)
{
    for (int h = 0; h < NN_MAX_HEADS; h++) free(b->value[h]), free(b->mask[h]);
    free(b->bits), free(b->order), free(b->some), free(b);
}

// What the labels know of a position: of the set, or down a line of one.
typedef struct lesson {
    oth_board b;
    int score;
    uint64_t known;    // moves whose scores are known; the best is among them
    const int8_t *of;  // those scores, by square; NULL = the one known move's is the position's
    bool ends;         // is the final board known?
    uint64_t own, opp; // it, seen by the side to move
} lesson;

static lesson lesson_of(const label_row *row)
{
    return (lesson){row->b, row->best, oth_moves(row->b), row->score, true, row->final_own, row->final_opp};
}

// A move of the row, and for half of the lessons up to plies - 1 further ones of best play. Half of the moves are among those
// that compete. False when the side to move there has none.
static bool go_after(const label_row *row, uint64_t key, int plies, lesson *l)
{
    uint64_t moves = oth_moves(row->b);
    if (key >> 63)
        for (uint64_t m = moves; m != 0; m &= m - 1)
            if (row->score[__builtin_ctzll(m)] < row->best - NEAR) moves &= ~(m & -m);
    for (uint64_t k = (key & 0xffff) % (uint64_t)oth_count(moves); k > 0; k--) moves &= moves - 1;
    int sq = __builtin_ctzll(moves), k = 0;
    int more = key >> 62 & 1 ? (int)((key >> 32 & 0xffff) % (uint64_t)plies) : 0;
    const uint8_t *line = row->line[sq];
    *l = (lesson){.b = oth_play(row->b, sq), .score = -row->score[sq]};
    for (; k < more && line[k] != LABEL_END; k++) {
        l->b = oth_play(l->b, line[k]);
        l->score = -l->score;
    }
    if (oth_moves(l->b) == 0 || line[k] == LABEL_END) return false; // k < plies <= LABEL_LINE
    l->known = 1ull << line[k];
    oth_board b = l->b;
    bool turned = false;
    for (; k < LABEL_LINE && line[k] != LABEL_END; k++, turned = !turned) b = oth_play(b, line[k]);
    l->own = turned ? b.opp : b.own;
    l->opp = turned ? b.own : b.opp;
    l->ends = oth_over(b) && (turned ? -oth_score(b) : oth_score(b)) == l->score; // a long line may have been cut
    return true;
}

// A head's targets of a lesson seen through a symmetry. value and mask are zero.
static void teach(aim a, const lesson *l, int sym, double temperature, float *value, uint8_t *mask)
{
    float sum = 0;
    if (a == AIM_WINNER || a == AIM_SCORE) {
        value[0] = a == AIM_SCORE ? (float)l->score / SCALE : (float)((l->score > 0) - (l->score < 0));
        mask[0] = 1;
        return;
    }
    if (a == AIM_FINAL) {
        uint64_t own = oth_sym(sym, l->own), opp = oth_sym(sym, l->opp);
        for (int sq = 0; sq < OTH_SQUARES && l->ends; sq++) {
            mask[sq] = 1;
            value[sq] = (float)(own >> sq & 1) - (float)(opp >> sq & 1);
        }
        return;
    }
    if ((a == AIM_LOSS || a == AIM_BEST) && l->of == NULL) return; // nothing is known of the others
    for (uint64_t m = a == AIM_POLICY ? oth_sym(sym, oth_moves(l->b)) : 0; m != 0; m &= m - 1)
        mask[__builtin_ctzll(m)] = 1;
    for (uint64_t m = l->known; m != 0; m &= m - 1) {
        int sq = __builtin_ctzll(m), to = oth_sym_square(sym, sq), score = l->of != NULL ? l->of[sq] : l->score;
        mask[to] = 1;
        value[to] = a == AIM_POLICY     ? (float)exp((score - l->score) / temperature)
                    : a == AIM_SCORES   ? (float)score / SCALE
                    : a == AIM_LOSS     ? (float)tanh((score - l->score) / soft)
                    : score == l->score ? 1
                                        : -1;
        sum += value[to];
    }
    for (uint64_t m = a == AIM_POLICY ? l->known : 0; m != 0; m &= m - 1)
        value[oth_sym_square(sym, __builtin_ctzll(m))] /= sum;
}

static void put_position(batch *b, int at)
{
    const study *s = b->study;
    const nn_desc *d = &s->net->desc;
    const label_row *row = &s->learn[b->some[at]];
    uint64_t key = rng_mix(b->key + (uint64_t)at);
    int sym = (int)(key % OTH_SYMS);
    lesson l;
    bool after = (double)(key >> 40 & 0xffff) < s->o->after * 65536;
    if (!after || !go_after(row, rng_mix(key), (int)s->o->plies, &l)) l = lesson_of(row);
    encode(s, oth_sym_board(sym, l.b), b->bits + (size_t)at * (size_t)d->planes);
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = (size_t)nn_head_size(d, h), from = (size_t)at * size;
        memset(b->mask[h] + from, 0, size);
        memset(b->value[h] + from, 0, size * sizeof(float));
        teach(b->aims[h], &l, sym, s->o->temperature, b->value[h] + from, b->mask[h] + from);
    }
}

static void put_chunk(void *ctx, int task, int worker)
{
    batch *b = ctx;
    (void)worker;
    for (int at = task * CHUNK; at < b->b.n && at < (task + 1) * CHUNK; at++) put_position(b, at);
}

const nn_batch *batch_make(batch *b, uint64_t step)
{
    const options *o = b->study->o;
    uint32_t total = (uint32_t)b->study->n_learn;
    for (int i = 0; i < b->b.n; i++) {
        if (b->at == total) {
            rng shuffle = rng_at((uint64_t)o->seed, b->pass++, 0x4550);
            for (b->at = 0; b->at < total; b->at++) b->order[b->at] = b->at;
            rng_shuffle_u32(&shuffle, b->order, (int)total);
            b->at = 0;
        }
        b->some[i] = b->order[b->at++];
    }
    b->key = rng_mix((uint64_t)o->seed + rng_mix(step));
    pool_run(b->study->threads, (b->b.n + CHUNK - 1) / CHUNK, put_chunk, b);
    return &b->b;
}
