// The labelled positions: made or read from a file, and turned into batches. See nn_learn.h.
//
// A batch is part positions of the set, with every move's score, and part positions right after a move of theirs (or further
// down the line the solver gave), of which the labels know the score and one best move. All are seen through a random symmetry.
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
    s->learn = room((size_t)o->positions, sizeof *s->learn);
    s->held = room((size_t)o->held, sizeof *s->held);
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

// Weights of the heads' losses. The final score is what moves are chosen by when the network looks at the boards after them,
// so it weighs as much as the policy; a mean over 65 outputs, of which a few count, needs as much to be felt.
enum { SCORE_WEIGHT = 8, SCORES_WEIGHT = 10 };
enum { NEAR = 6 }; // discs: moves no worse than that compete with the best

struct batch {
    nn_batch b;
    const study *study;
    uint64_t *bits;             // [n][planes]
    float *value[NN_MAX_HEADS]; // a head's targets
    uint8_t *mask[NN_MAX_HEADS];
    uint32_t *order, *some; // [positions] this pass over the set; [n] those of this batch
    uint32_t at;            // in order
    uint64_t pass, key;     // key: of this batch's symmetries and moves
};

batch *batch_new(const study *s)
{
    const nn_desc *d = &s->net->desc;
    size_t n = (size_t)s->o->batch;
    batch *b = room(1, sizeof *b);
    b->study = s;
    b->bits = room(n * (size_t)d->planes, sizeof *b->bits);
    b->order = room((size_t)s->o->positions, sizeof *b->order);
    b->some = room(n, sizeof *b->some);
    b->at = (uint32_t)s->o->positions;
    b->b = (nn_batch){.n = (int)n, .bits = b->bits};
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = n * (size_t)nn_head_size(d, h);
        nn_kind kind = d->head[h].kind;
        b->value[h] = room(size, sizeof(float));
        b->mask[h] = room(size, 1);
        b->b.head[h] = (nn_target){.value = b->value[h],
                                   .mask = kind == NN_VALUE ? NULL : b->mask[h],
                                   .scale = kind != NN_SCALAR    ? 1
                                            : d->head[h].out > 1 ? SCORES_WEIGHT
                                                                 : SCORE_WEIGHT};
    }
    return b;
}

void batch_free(batch *b)
{
    for (int h = 0; h < NN_MAX_HEADS; h++) free(b->value[h]), free(b->mask[h]);
    free(b->bits), free(b->order), free(b->some), free(b);
}

static float sign(int score)
{
    return (float)((score > 0) - (score < 0));
}

// A head of one number: the winner or the final score.
static bool one_number(const nn_head *head, int score, float *value, uint8_t *mask)
{
    if (head->kind != NN_VALUE && (head->kind != NN_SCALAR || head->out != 1)) return false;
    value[0] = head->kind == NN_VALUE ? sign(score) : (float)score / SCALE;
    mask[0] = 1;
    return true;
}

// Targets of a head for a position of the set, seen through a symmetry. value and mask are zero.
static void put_row(const nn_head *head, const label_row *row, int sym, double temperature, float *value, uint8_t *mask)
{
    double sum = 0;
    if (one_number(head, row->best, value, mask)) return;
    for (int sq = 0; sq < OTH_SQUARES; sq++) {
        int to = oth_sym_square(sym, sq), s = row->score[sq];
        if (head->kind == NN_BOARD) {
            mask[to] = 1;
            value[to] = (float)(row->final_own >> sq & 1) - (float)(row->final_opp >> sq & 1);
        } else if (s != LABEL_ILLEGAL) {
            mask[to] = 1;
            value[to] = head->kind == NN_POLICY ? (float)exp((s - row->best) / temperature) : (float)s / SCALE;
            sum += (double)value[to];
        }
    }
    for (int i = 0; i < head->out && head->kind == NN_POLICY; i++) value[i] /= (float)sum;
}

typedef struct after { // a position down a line
    oth_board b;
    int score, best; // final; how best play goes on, a square, OTH_PASS or LABEL_END
} after;

static void put_after(const nn_head *head, const after *a, int sym, float *value, uint8_t *mask)
{
    if (one_number(head, a->score, value, mask)) return;
    if (a->best >= OTH_SQUARES || head->kind == NN_BOARD) return;
    int to = oth_sym_square(sym, a->best);
    value[to] = head->kind == NN_POLICY ? 1 : (float)a->score / SCALE;
    mask[to] = 1;
    for (uint64_t m = head->kind == NN_POLICY ? oth_moves(a->b) : 0; m != 0; m &= m - 1)
        mask[oth_sym_square(sym, __builtin_ctzll(m))] = 1;
}

// A move of the row and up to plies - 1 further ones of best play. Half of the moves are among those that compete. False
// when the side to move there has none.
static bool go_after(const label_row *row, uint64_t key, int plies, after *a)
{
    uint64_t moves = oth_moves(row->b);
    if (key >> 63)
        for (uint64_t m = moves; m != 0; m &= m - 1)
            if (row->score[__builtin_ctzll(m)] < row->best - NEAR) moves &= ~(m & -m);
    for (uint64_t k = (key & 0xffff) % (uint64_t)oth_count(moves); k > 0; k--) moves &= moves - 1;
    int sq = __builtin_ctzll(moves), more = (int)((key >> 32 & 0xffff) % (uint64_t)plies), k = 0;
    const uint8_t *line = row->line[sq];
    a->b = oth_play(row->b, sq);
    a->score = -row->score[sq];
    for (; k < more && line[k] != LABEL_END; k++) {
        a->b = oth_play(a->b, line[k]);
        a->score = -a->score;
    }
    a->best = line[k]; // k < plies <= LABEL_LINE
    return oth_moves(a->b) != 0;
}

static void put_position(void *ctx, int at, int worker)
{
    batch *b = ctx;
    const study *s = b->study;
    const nn_desc *d = &s->net->desc;
    const label_row *row = &s->learn[b->some[at]];
    uint64_t key = rng_mix(b->key + (uint64_t)at);
    int sym = (int)(key % OTH_SYMS);
    after a;
    bool follows =
        (double)(key >> 40 & 0xffff) < s->o->after * 65536 && go_after(row, rng_mix(key), (int)s->o->plies, &a);
    (void)worker;
    encode(s, oth_sym_board(sym, follows ? a.b : row->b), b->bits + (size_t)at * (size_t)d->planes);
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = (size_t)nn_head_size(d, h), from = (size_t)at * size;
        float *value = b->value[h] + from;
        uint8_t *mask = b->mask[h] + from;
        memset(mask, 0, size);
        memset(value, 0, size * sizeof *value);
        if (follows)
            put_after(&d->head[h], &a, sym, value, mask);
        else
            put_row(&d->head[h], row, sym, s->o->temperature, value, mask);
    }
}

const nn_batch *batch_make(batch *b, uint64_t step)
{
    const options *o = b->study->o;
    uint32_t total = (uint32_t)o->positions;
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
    pool_run(b->study->threads, b->b.n, put_position, b);
    return &b->b;
}
