// How good a network's choices are, by exact scores. See nn_learn.h.
//
// A network chooses in two ways: by its policy, from the position alone; and by its score, which it gives for the board after
// every legal move (or after every reply, too; the policy has no say then). Both from the board as it is or from the mean over
// its eight symmetries.
#include "base/file.h"
#include "base/models.h"
#include "games/othello/oth_look.h"
#include "nn/quant.h"
#include "nn_learn.h"
#include "search/othello/oth_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct choice {
    int sq;
    float value; // its sign is the winner foretold
} choice;

static judgement judge(const label_row *rows, int n, const choice *c)
{
    judgement j = {0};
    for (int i = 0; i < n; i++) {
        int lost = rows[i].best - rows[i].score[c[i].sq];
        j.optimal += lost == 0;
        j.discs += lost;
        j.draws += rows[i].best == 0;
        j.winner += rows[i].best != 0 && (c[i].value > 0) == (rows[i].best > 0);
    }
    j.optimal /= n;
    j.discs /= n;
    j.winner /= n > j.draws ? n - j.draws : 1;
    return j;
}

// --- what the network says

// Where the outputs that count lie in a position's.
typedef struct outputs {
    int policy, value, score; // score -1 = not wanted
    size_t size;
} outputs;

static outputs outputs_of(const nn_desc *d, bool scores)
{
    return (outputs){.policy = nn_head_at(d, head_of(d, NN_POLICY, 0)),
                     .value = nn_head_at(d, head_of(d, NN_VALUE, 0)),
                     .score = scores ? nn_head_at(d, head_of(d, NN_SCALAR, 1)) : -1,
                     .size = (size_t)nn_out_size(d)};
}

// sum[n][size] of what the network says of boards seen through the first `syms` symmetries: policy, value and score alone.
static float *ask(study *s, const outputs *at, const oth_board *boards, int n, int syms)
{
    enum { SOME = 256 };
    static uint64_t bits[SOME * OTH_LOOK];
    float *out = room(SOME * at->size, sizeof *out), *sum = room((size_t)n * at->size + 1, sizeof *sum);
    for (int sym = 0; sym < syms; sym++)
        for (int from = 0; from < n; from += SOME) {
            int some = n - from < SOME ? n - from : SOME;
            for (int i = 0; i < some; i++)
                encode(s, oth_sym_board(sym, boards[from + i]), bits + i * s->net->desc.planes);
            must(s->by->infer_run(s->infer, some, bits, NULL, out));
            for (int i = 0; i < some; i++) {
                const float *x = out + (size_t)i * at->size;
                float *to = sum + (size_t)(from + i) * at->size;
                for (int sq = 0; sq < OTH_SQUARES; sq++) to[at->policy + sq] += x[at->policy + oth_sym_square(sym, sq)];
                to[at->value] += x[at->value];
                if (at->score >= 0) to[at->score] += x[at->score];
            }
        }
    free(out);
    return sum;
}

static void choose(const outputs *at, const label_row *rows, int n, const float *out, choice *c)
{
    for (int i = 0; i < n; i++, out += at->size) {
        const float *logit = out + at->policy;
        c[i] = (choice){.sq = -1, .value = out[at->value]};
        for (int sq = 0; sq < OTH_SQUARES; sq++)
            if (rows[i].score[sq] != LABEL_ILLEGAL && (c[i].sq < 0 || logit[sq] > logit[c[i].sq])) c[i].sq = sq;
    }
}

// Boards some moves ahead, gathered by one walk and weighed by a second in the same order.
typedef struct walk {
    const outputs *at;
    int syms;
    oth_board *boards;
    int n, room;
    const float *said; // of the boards; NULL while they are gathered
} walk;

static float leaf(walk *w, oth_board b)
{
    if (w->said != NULL) return w->said[(size_t)w->n++ * w->at->size + (size_t)w->at->score];
    if (w->n == w->room) {
        w->room = 2 * w->room + 1024;
        w->boards = realloc(w->boards, (size_t)w->room * sizeof *w->boards);
        if (w->boards == NULL) must(err_set(ERR_MEMORY, "no memory for %d boards", w->room));
    }
    w->boards[w->n++] = b;
    return 0;
}

// The best score for the side to move; *move gets how. A pass is no ply, and where the game is over the discs count.
static float weigh(walk *w, oth_board b, int plies, int *move)
{
    uint64_t moves = oth_moves(b);
    if (moves == 0 && oth_over(b)) return (float)(w->syms * oth_score(b)) / SCALE;
    if (moves == 0) return -weigh(w, oth_pass(b), plies, NULL);
    if (plies == 0) return leaf(w, b);
    float best = -INFINITY;
    for (; moves != 0; moves &= moves - 1) {
        int sq = __builtin_ctzll(moves);
        float score = -weigh(w, oth_play(b, sq), plies - 1, NULL);
        if (score <= best) continue;
        best = score;
        if (move != NULL) *move = sq;
    }
    return best;
}

static void choose_ahead(study *s, const outputs *at, const label_row *rows, int n, int syms, int plies, choice *c)
{
    enum { SOME = 64 };
    for (int from = 0; from < n; from += SOME) {
        int end = n - from < SOME ? n : from + SOME;
        walk w = {.at = at, .syms = syms};
        for (int i = from; i < end; i++) weigh(&w, rows[i].b, plies, NULL);
        float *said = ask(s, at, w.boards, w.n, syms);
        w.said = said, w.n = 0;
        for (int i = from; i < end; i++) c[i].value = weigh(&w, rows[i].b, plies, &c[i].sq);
        free(w.boards), free(said);
    }
}

judgement judge_now(study *s, const view *v)
{
    const label_row *rows = v->learned ? s->learn : s->held;
    int64_t most = v->learned ? s->o->positions : s->o->held, n = v->n > 0 ? v->n : s->o->held;
    if (n > most) n = most;
    int syms = v->turned ? OTH_SYMS : 1;
    outputs at = outputs_of(&s->net->desc, v->plies > 0);
    choice *c = room((size_t)n, sizeof *c);
    if (v->plies > 0) {
        choose_ahead(s, &at, rows, (int)n, syms, v->plies, c);
    } else {
        oth_board *boards = room((size_t)n, sizeof *boards);
        for (int i = 0; i < n; i++) boards[i] = rows[i].b;
        float *out = ask(s, &at, boards, (int)n, syms);
        choose(&at, rows, (int)n, out, c);
        free(boards), free(out);
    }
    judgement j = judge(rows, (int)n, c);
    free(c);
    return j;
}

// --- beside others

// int8 beside f32 on the same positions: both its kernels, the exact direct one and the fast one.
void judge_narrow(const study *s)
{
    enum { SAMPLE = 512 };
    const nn_desc *d = &s->net->desc;
    int n = (int)s->o->held, sample = s->o->positions < SAMPLE ? (int)s->o->positions : SAMPLE;
    size_t planes = (size_t)d->planes;
    outputs at = outputs_of(d, false);
    nn_ranges ranges;
    uint64_t *bits = room((size_t)(n > SAMPLE ? n : SAMPLE) * planes, sizeof *bits);
    float *out[3];
    choice *c[3];
    for (int i = 0; i < sample; i++) encode(s, s->learn[i].b, bits + (size_t)i * planes);
    must(nn_calibrate(&ranges, s->net, sample, bits, NULL));
    for (int i = 0; i < n; i++) encode(s, s->held[i].b, bits + (size_t)i * planes);
    for (int k = 0; k < 3; k++) {
        nn_plan *p;
        nn_crew *crew;
        out[k] = room((size_t)n * at.size, sizeof *out[k]);
        c[k] = room((size_t)n, sizeof *c[k]);
        must(nn_plan_new(&p, s->net,
                         &(nn_plan_options){.int8 = k == 0 ? NULL : &ranges, .method = k == 1 ? 1 + NN_DIRECT : 0}));
        must(nn_crew_new(&crew, p, s->threads));
        nn_crew_run(crew, n, bits, NULL, out[k]);
        choose(&at, s->held, n, out[k], c[k]);
        judgement j = judge(s->held, n, c[k]);
        double worst = 0, sum = 0, same = 0;
        for (int i = 0; i < n; i++) {
            double off = fabs((double)c[0][i].value - (double)c[k][i].value);
            same += c[0][i].sq == c[k][i].sq;
            worst = fmax(worst, off);
            sum += off;
        }
        printf("%-32s move optimal %.2f %%  winner right %.2f %%  %.3f discs lost a move", nn_plan_text(p),
               100 * j.optimal, 100 * j.winner, j.discs);
        if (k > 0)
            printf("  f32's move in %.2f %%, value off by %.4f in the mean, %.3f at most", 100 * same / n, sum / n,
                   worst);
        printf("\n");
        nn_crew_free(crew);
        nn_plan_free(p);
    }
    for (int k = 0; k < 3; k++) free(out[k]), free(c[k]);
    free(bits);
}

// Our alpha-beta with the shipped patterns on the first n held-out positions: what so many plies of search are worth.
void judge_search(const study *s, int n)
{
    char path[FILE_PATH];
    oth_weights *patterns;
    oth_engine *e;
    choice *c = room((size_t)n, sizeof *c);
    must(models_find("othello-patterns.bin", path, sizeof path));
    must(oth_weights_load(&patterns, path));
    must(oth_engine_new(&e, &(oth_engine_options){.hash = 14, .weights = patterns}));
    for (int depth = 1; depth <= 7; depth += 2) {
        for (int i = 0; i < n; i++) {
            oth_found found;
            oth_engine_clear(e);
            oth_engine_search(e, s->held[i].b, &(oth_limits){.depth = depth}, &found);
            c[i] = (choice){found.move[0].sq, (float)found.move[0].score};
        }
        judgement j = judge(s->held, n, c);
        printf("alpha-beta of %d plies on %d positions: move optimal %.2f %%  winner right %.2f %%  %.3f discs lost\n",
               depth, n, 100 * j.optimal, 100 * j.winner, j.discs);
    }
    oth_engine_free(e);
    oth_weights_free(patterns);
    free(c);
}
