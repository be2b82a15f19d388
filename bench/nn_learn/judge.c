// How good a network's choices are, by exact scores. See nn_learn.h.
//
// A network says several things of a move: a logit and a score from the position itself, and the score of the board after it.
// Each can choose alone, or they are added with weights. All of it from the board as it is, or as the mean over its eight
// symmetries.
#include "nn_learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

judgement judge_by(const label_row *rows, const said *x, int n, const float weights[SAYS])
{
    judgement j = {0};
    for (int i = 0; i < n; i++) {
        float best = -INFINITY;
        int lost = 0;
        for (int sq = 0; sq < OTH_SQUARES; sq++) {
            float sum = 0;
            if (rows[i].score[sq] == LABEL_ILLEGAL) continue;
            for (int k = 0; k < SAYS; k++) sum += weights[k] * x[i].move[sq][k];
            if (sum > best) best = sum, lost = rows[i].best - rows[i].score[sq];
        }
        j.optimal += lost == 0;
        j.discs += lost;
        j.draws += rows[i].best == 0;
        j.winner += rows[i].best != 0 && (x[i].value > 0) == (rows[i].best > 0);
    }
    j.optimal /= n;
    j.discs /= n;
    j.winner /= n > j.draws ? n - j.draws : 1;
    return j;
}

// --- the weights of a sum

typedef struct fit {
    const label_row *rows;
    const said *x;
    const float *w;
    double (*slope)[SAYS]; // [n]
} fit;

// The slope of log(share of the best moves) in the weights.
static void fit_one(void *ctx, int i, int worker)
{
    fit *f = ctx;
    const label_row *row = &f->rows[i];
    double high = -INFINITY, all = 0, good = 0, mean[SAYS] = {0}, mean_good[SAYS] = {0}, sum[OTH_SQUARES] = {0};
    (void)worker;
    for (int sq = 0; sq < OTH_SQUARES; sq++) {
        if (row->score[sq] == LABEL_ILLEGAL) continue;
        for (int k = 0; k < SAYS; k++) sum[sq] += (double)(f->w[k] * f->x[i].move[sq][k]);
        if (sum[sq] > high) high = sum[sq];
    }
    for (int sq = 0; sq < OTH_SQUARES; sq++) {
        if (row->score[sq] == LABEL_ILLEGAL) continue;
        double p = exp(sum[sq] - high);
        bool best = row->score[sq] == row->best;
        all += p;
        good += best ? p : 0;
        for (int k = 0; k < SAYS; k++) {
            mean[k] += p * (double)f->x[i].move[sq][k];
            mean_good[k] += best ? p * (double)f->x[i].move[sq][k] : 0;
        }
    }
    for (int k = 0; k < SAYS; k++) f->slope[i][k] = mean_good[k] / fmax(good, 1e-30) - mean[k] / all;
}

void judge_fit(const study *s, const label_row *rows, const said *x, int n, float weights[SAYS])
{
    enum { ROUNDS = 200 };
    const double rate = 0.3;
    double m[SAYS] = {0}, v[SAYS] = {0};
    bool used[SAYS];
    fit f = {rows, x, weights, room((size_t)n, sizeof *f.slope)};
    for (int k = 0; k < SAYS; k++) used[k] = weights[k] != 0;
    for (int round = 1; round <= ROUNDS; round++) { // Adam, its rate falling to nothing
        double slope[SAYS] = {0};
        pool_run(s->threads, n, fit_one, &f);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < SAYS; k++) slope[k] += f.slope[i][k] / n;
        for (int k = 0; k < SAYS; k++) {
            m[k] = 0.9 * m[k] + 0.1 * slope[k];
            v[k] = 0.99 * v[k] + 0.01 * slope[k] * slope[k];
            double step = m[k] / (1 - pow(0.9, round)) / (sqrt(v[k] / (1 - pow(0.99, round))) + 1e-9);
            if (used[k]) weights[k] += (float)(rate * (1 - (double)round / ROUNDS) * step);
        }
    }
    free(f.slope);
}

// --- what the network says

// Where the outputs that count lie in a position's; -1 = the network has no such head.
typedef struct outputs {
    int policy, value, score, scores, final, loss, best;
    size_t size;
} outputs;

// The first output of the head that is number `skip` of its kind; out 0 = of any size.
static int place(const nn_desc *d, nn_kind kind, int out, int skip)
{
    for (int h = 0; h < d->n_heads; h++)
        if (d->head[h].kind == kind && (out == 0 || d->head[h].out == out) && skip-- == 0) return nn_head_at(d, h);
    return -1;
}

static outputs outputs_of(const nn_desc *d)
{
    outputs at = {.policy = place(d, NN_POLICY, 0, 0),
                  .value = place(d, NN_VALUE, 0, 0),
                  .score = place(d, NN_SCALAR, 1, 0),
                  .scores = place(d, NN_SCALAR, OTH_PASS + 1, 0),
                  .final = place(d, NN_BOARD, 1, 0),
                  .loss = place(d, NN_BOARD, 1, 1),
                  .best = place(d, NN_BOARD, 1, 2),
                  .size = (size_t)nn_out_size(d)};
    if (at.policy < 0 || at.value < 0 || at.score < 0)
        must(err_set(ERR_USAGE, "the network needs a policy, a value and a scalar head of one number"));
    return at;
}

bool judge_says(const nn_desc *d, say what)
{
    outputs at = outputs_of(d);
    return what == SAY_SCORES  ? at.scores >= 0
           : what == SAY_LOSS  ? at.loss >= 0
           : what == SAY_BEST  ? at.best >= 0
           : what == SAY_FINAL ? at.final >= 0
                               : true;
}

typedef struct question {
    const study *s;
    const outputs *at;
    const oth_board *boards;
    int sym;
    uint64_t *bits; // of those asked about now
} question;

static void encode_one(void *ctx, int i, int worker)
{
    const question *q = ctx;
    (void)worker;
    encode(q->s, oth_sym_board(q->sym, q->boards[i]), q->bits + (size_t)i * (size_t)q->s->net->desc.planes);
}

static void add_board(int at, int sym, const float *x, float *to)
{
    for (int sq = 0; at >= 0 && sq < OTH_SQUARES; sq++) to[at + sq] += x[at + oth_sym_square(sym, sq)];
}

// sum[n][size] of what the network says of boards seen through the first `syms` symmetries.
static float *ask(study *s, const outputs *at, const oth_board *boards, int n, int syms)
{
    enum { SOME = 256 }; // the inference handle's batch
    uint64_t *bits = room((size_t)SOME * (size_t)s->net->desc.planes, sizeof *bits);
    float *out = room(SOME * at->size, sizeof *out), *sum = room((size_t)n * at->size + 1, sizeof *sum);
    for (int sym = 0; sym < syms; sym++)
        for (int from = 0; from < n; from += SOME) {
            int some = n - from < SOME ? n - from : SOME;
            question q = {s, at, boards + from, sym, bits};
            pool_run(s->threads, some, encode_one, &q);
            must(s->by->infer_run(s->infer, some, bits, NULL, out));
            for (int i = 0; i < some; i++) {
                const float *x = out + (size_t)i * at->size;
                float *to = sum + (size_t)(from + i) * at->size;
                add_board(at->policy, sym, x, to);
                add_board(at->scores, sym, x, to);
                add_board(at->final, sym, x, to);
                add_board(at->loss, sym, x, to);
                add_board(at->best, sym, x, to);
                to[at->value] += x[at->value];
                to[at->score] += x[at->score];
            }
        }
    free(out), free(bits);
    return sum;
}

// Boards some moves ahead, gathered by one walk and weighed by a second in the same order.
typedef struct walk {
    const outputs *at;
    int syms;
    oth_board *boards;
    int n, room;
    const float *said; // of the boards; NULL while they are gathered
} walk;

typedef struct pair { // two estimates of one board, in units of SCALE discs
    float score, final;
} pair;

static pair leaf(walk *w, oth_board b)
{
    if (w->said != NULL) {
        const float *x = w->said + (size_t)w->n++ * w->at->size;
        pair p = {x[w->at->score], 0};
        for (int sq = 0; w->at->final >= 0 && sq < OTH_SQUARES; sq++) p.final += x[w->at->final + sq] / SCALE;
        return p;
    }
    if (w->n == w->room) {
        w->room = 2 * w->room + 1024;
        w->boards = realloc(w->boards, (size_t)w->room * sizeof *w->boards);
        if (w->boards == NULL) must(err_set(ERR_MEMORY, "no memory for %d boards", w->room));
    }
    w->boards[w->n++] = b;
    return (pair){0};
}

// The best scores for the side to move; `moves` gets each move's. A pass is no ply, and where the game is over the discs count.
static pair weigh(walk *w, oth_board b, int plies, said *each)
{
    uint64_t moves = oth_moves(b);
    pair best = {-INFINITY, -INFINITY};
    if (moves == 0 && oth_over(b)) {
        float discs = (float)(w->syms * oth_score(b)) / SCALE;
        return (pair){discs, discs};
    }
    if (moves == 0) {
        pair p = weigh(w, oth_pass(b), plies, NULL);
        return (pair){-p.score, -p.final};
    }
    if (plies == 0) return leaf(w, b);
    for (; moves != 0; moves &= moves - 1) {
        int sq = __builtin_ctzll(moves);
        pair p = weigh(w, oth_play(b, sq), plies - 1, NULL);
        best = (pair){fmaxf(best.score, -p.score), fmaxf(best.final, -p.final)};
        if (each == NULL) continue;
        each->move[sq][SAY_AHEAD] = -p.score / (float)w->syms;
        each->move[sq][SAY_FINAL] = -p.final / (float)w->syms;
    }
    return best;
}

static void ask_ahead(study *s, const outputs *at, const label_row *rows, int n, int syms, int plies, said *x)
{
    enum { SOME = 512 };
    for (int from = 0; from < n; from += SOME) {
        int end = n - from < SOME ? n : from + SOME;
        walk w = {.at = at, .syms = syms};
        for (int i = from; i < end; i++) weigh(&w, rows[i].b, plies, NULL);
        float *out = ask(s, at, w.boards, w.n, syms);
        w.said = out, w.n = 0;
        for (int i = from; i < end; i++) weigh(&w, rows[i].b, plies, &x[i]);
        free(w.boards), free(out);
    }
}

said *judge_read(const nn_desc *d, const float *out, int n, int syms)
{
    outputs at = outputs_of(d);
    said *x = room((size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) {
        const float *o = out + (size_t)i * at.size;
        x[i].value = o[at.value] / (float)syms;
        for (int sq = 0; sq < OTH_SQUARES; sq++) {
            x[i].move[sq][SAY_POLICY] = o[at.policy + sq] / (float)syms;
            if (at.scores >= 0) x[i].move[sq][SAY_SCORES] = o[at.scores + sq] / (float)syms;
            if (at.loss >= 0) x[i].move[sq][SAY_LOSS] = o[at.loss + sq] / (float)syms;
            if (at.best >= 0) x[i].move[sq][SAY_BEST] = o[at.best + sq] / (float)syms;
        }
    }
    return x;
}

said *judge_ask(study *s, const label_row *rows, int n, bool turned, int plies)
{
    int syms = turned ? OTH_SYMS : 1;
    outputs at = outputs_of(&s->net->desc);
    oth_board *boards = room((size_t)n, sizeof *boards);
    for (int i = 0; i < n; i++) boards[i] = rows[i].b;
    float *out = ask(s, &at, boards, n, syms);
    said *x = judge_read(&s->net->desc, out, n, syms);
    free(boards), free(out);
    if (plies > 0) ask_ahead(s, &at, rows, n, syms, plies, x);
    return x;
}
