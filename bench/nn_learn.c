// Does a network trained here learn? Othello endgames of 10 to 14 empties with exact labels, and held-out ones to judge by.
//
//   nn_learn [key=value …]      nn_learn help   lists the keys
//
// Every position comes from a game of its own and is solved exactly (learn/label_othello.h). The network learns, from random
// symmetries of them, a policy (a softmax of the moves' exact scores), the winner, and as helps each move's score, the final
// score and the final board; and from the positions after their moves, whose scores the labels contain, winner and score. Judged on held-out positions by the averaged weights: how often the policy's best legal move is one of the
// exactly best ones by disc score; how often the value's sign is the winner's (draws left out, their number is printed); how
// many discs the chosen move loses. At the end also from the mean over the board's eight symmetries, and with int8: how
// often it chooses as f32 does.
// All of it is a function of the keys: any number of threads gives the same figures on the CPU backend.
#include "base/clock.h"
#include "base/file.h"
#include "base/models.h"
#include "base/opt.h"
#include "base/plot.h"
#include "base/stop.h"
#include "learn/label_othello.h"
#include "nn/backend.h"
#include "nn/quant.h"
#include "search/othello/oth_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    int64_t positions, held, seed, few, many, depth, batch, steps, every, threads, compare;
    double decay, ema, temperature, after;
    const char *net, *from, *lr, *backend, *out, *curve, *plot;
} options;

#define INT(n, p, lo, hi, h)                                                                                           \
    {                                                                                                                  \
        .name = #n, .kind = OPT_INT, .at = offsetof(options, n), .preset = p, .low = lo, .high = hi, .help = h         \
    }
#define TEXT(n, p, h)                                                                                                  \
    {                                                                                                                  \
        .name = #n, .kind = OPT_TEXT, .at = offsetof(options, n), .preset = p, .help = h                               \
    }
static const opt table[] = {
    INT(positions, "200000", 1, 1e8, "to learn from"),
    INT(held, "10000", 1, 1e6, "positions held out, to judge by"),
    INT(seed, "1", 0, 9e15, "key of games, weights and order"),
    INT(few, "10", 1, 30, "empties at least"),
    INT(many, "14", 1, 30, "empties at most"),
    INT(depth, "0", 0, 20, "of the search that plays the games; 0 = all moves are random"),
    INT(batch, "1024", 1, 65536, "positions a step"),
    INT(steps, "4000", 0, 1e8, "steps in all"),
    INT(every, "250", 1, 1e8, "steps between two judgements"),
    INT(threads, "0", 0, 256, "0 = one a core"),
    INT(compare, "0", 0, 1e6, "also judge our alpha-beta with the shipped patterns on so many held-out positions"),
    {.name = "decay", .kind = OPT_NUMBER, .at = offsetof(options, decay), .preset = "1e-3", .help = "weight decay"},
    {.name = "ema",
     .kind = OPT_NUMBER,
     .at = offsetof(options, ema),
     .preset = "0.995",
     .help = "decay of the averaged weights"},
    {.name = "temperature",
     .kind = OPT_NUMBER,
     .at = offsetof(options, temperature),
     .preset = "1",
     .help = "discs: how much a worse move's share of the policy target shrinks"},
    {.name = "after",
     .kind = OPT_NUMBER,
     .at = offsetof(options, after),
     .preset = "0.5",
     .help = "share of a batch that are positions after a labelled move"},
    TEXT(net, "planes=3 size=8x8 c=128 b=10 policy=16:65 value=4:128 scalar=16:0:65 scalar=4:64:1 board=1",
         "description or preset"),
    TEXT(from, "", "a weights file to begin with instead; with steps=0 it is only judged"),
    TEXT(lr, "", "learning rate; empty = cosine:0.002 over all steps with warm-up"),
    TEXT(backend, "auto", "auto, cpu or cuda"),
    TEXT(out, "", "where the averaged weights go"),
    TEXT(curve, "", "where the judgements go, as CSV"),
    TEXT(plot, "", "where a chart of them goes, as SVG"),
};
enum { OPTIONS = sizeof table / sizeof *table };

static void must(err e)
{
    if (e == ERR_OK) return;
    fprintf(stderr, "nn_learn: %s\n", err_text());
    exit(1);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL) must(err_set(ERR_MEMORY, "no memory for %zu bytes", n * size));
    return p;
}

// --- a batch

typedef struct batch {
    nn_batch b;
    uint64_t *bits;             // [n][3]
    float *value[NN_MAX_HEADS]; // a head's targets
    uint8_t *mask[NN_MAX_HEADS];
    // what it is filled from, by tasks of the pool
    const nn_desc *desc;
    const label_row *rows;
    const uint32_t *order; // [n]
    uint64_t key;          // of symmetries and moves
    double temperature, after;
} batch;

static batch batch_new(const nn_desc *d, int n)
{
    batch s = {.bits = room((size_t)n * 3, sizeof *s.bits), .desc = d};
    s.b = (nn_batch){.n = n, .bits = s.bits};
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = (size_t)n * (size_t)nn_head_size(d, h);
        s.value[h] = room(size, sizeof(float));
        s.mask[h] = room(size, 1);
        s.b.head[h] = (nn_target){.value = s.value[h],
                                  .mask = d->head[h].kind == NN_VALUE ? NULL : s.mask[h],
                                  .scale = d->head[h].kind == NN_SCALAR && d->head[h].out > 1 ? 10 : 1};
    }
    return s;
}

static void batch_free(batch *s)
{
    for (int h = 0; h < NN_MAX_HEADS; h++) free(s->value[h]), free(s->mask[h]);
    free(s->bits);
}

static void encode(oth_board b, uint64_t bits[3])
{
    bits[0] = b.own, bits[1] = b.opp, bits[2] = oth_moves(b); // the game's default encoding
}

static float sign(int score)
{
    return (float)((score > 0) - (score < 0));
}

// Targets of head h for one position, seen through a symmetry. Scores are in sixteens of discs.
static void put_target(const nn_desc *d, int h, const label_row *row, int sym, double temperature, float *value,
                       uint8_t *mask)
{
    const nn_head *head = &d->head[h];
    double sum = 0;
    if (head->kind == NN_VALUE || (head->kind == NN_SCALAR && head->out == 1)) {
        value[0] = head->kind == NN_VALUE ? sign(row->best) : (float)row->best / 16;
        mask[0] = 1;
        return;
    }
    for (int sq = 0; sq < OTH_SQUARES; sq++) {
        int to = oth_sym_square(sym, sq), s = row->score[sq];
        if (head->kind == NN_BOARD) {
            mask[to] = 1;
            value[to] = (float)(row->final_own >> sq & 1) - (float)(row->final_opp >> sq & 1);
        } else if (s != LABEL_ILLEGAL) {
            mask[to] = 1;
            value[to] = head->kind == NN_POLICY ? (float)exp((s - row->best) / temperature) : (float)s / 16;
            sum += (double)value[to];
        }
    }
    for (int i = 0; i < head->out && head->kind == NN_POLICY; i++) value[i] /= (float)sum;
}

// The position after a move of a row, with all that is known of it: its score. False when the other side has no move.
static bool step_after(const label_row *row, uint64_t key, oth_board *b, int *score)
{
    uint64_t moves = oth_moves(row->b);
    for (uint64_t k = key % (uint64_t)oth_count(moves); k > 0; k--) moves &= moves - 1;
    int sq = __builtin_ctzll(moves);
    *b = oth_play(row->b, sq);
    *score = -row->score[sq];
    return oth_moves(*b) != 0;
}

static void put_position(void *ctx, int at, int worker)
{
    batch *s = ctx;
    const label_row *row = &s->rows[s->order[at]];
    uint64_t key = rng_mix(s->key + (uint64_t)at);
    int sym = (int)(key % OTH_SYMS), score = 0;
    oth_board b;
    bool after = (double)(key >> 40 & 0xffff) < s->after * 65536 && step_after(row, key >> 8 & 0xffff, &b, &score);
    (void)worker;
    encode(oth_sym_board(sym, after ? b : row->b), s->bits + 3 * at);
    for (int h = 0; h < s->desc->n_heads; h++) {
        size_t size = (size_t)nn_head_size(s->desc, h), from = (size_t)at * size;
        float *value = s->value[h] + from;
        nn_kind kind = s->desc->head[h].kind;
        memset(s->mask[h] + from, 0, size);
        memset(value, 0, size * sizeof *value);
        if (!after) {
            put_target(s->desc, h, row, sym, s->temperature, value, s->mask[h] + from);
        } else if (kind == NN_VALUE || (kind == NN_SCALAR && size == 1)) {
            value[0] = kind == NN_VALUE ? sign(score) : (float)score / 16;
            s->mask[h][from] = 1;
        }
    }
}

// --- judging

typedef struct judgement {
    double optimal, winner, discs; // shares; mean discs lost by the chosen move
    int draws;
} judgement;

static int first_of(const nn_desc *d, nn_kind kind)
{
    for (int h = 0; h < d->n_heads; h++)
        if (d->head[h].kind == kind) return h;
    must(err_set(ERR_USAGE, "the network needs a %s head", nn_kind_name(kind)));
    return -1;
}

static int choice(const label_row *row, const float *logit)
{
    int best = -1;
    for (int sq = 0; sq < OTH_SQUARES; sq++)
        if (row->score[sq] != LABEL_ILLEGAL && (best < 0 || logit[sq] > logit[best])) best = sq;
    return best;
}

// out[n][nn_out_size] of the rows.
static void run_all(const nn_backend *by, nn_infer *net, const nn_desc *d, const label_row *rows, int n, float *out)
{
    enum { SOME = 256 };
    uint64_t bits[SOME * 3];
    for (int from = 0; from < n; from += SOME) {
        int some = n - from < SOME ? n - from : SOME;
        for (int i = 0; i < some; i++) encode(rows[from + i].b, bits + 3 * i);
        must(by->infer_run(net, some, bits, NULL, out + (size_t)from * (size_t)nn_out_size(d)));
    }
}

static judgement judge(const nn_desc *d, const label_row *rows, int n, const float *out)
{
    judgement j = {0};
    int policy = nn_head_at(d, first_of(d, NN_POLICY)), value = nn_head_at(d, first_of(d, NN_VALUE));
    for (int i = 0; i < n; i++, out += nn_out_size(d)) {
        int lost = rows[i].best - rows[i].score[choice(&rows[i], out + policy)];
        j.optimal += lost == 0;
        j.discs += lost;
        j.draws += rows[i].best == 0;
        j.winner += rows[i].best != 0 && (out[value] > 0) == (rows[i].best > 0);
    }
    j.optimal /= n;
    j.discs /= n;
    j.winner /= n > j.draws ? n - j.draws : 1;
    return j;
}

// int8 beside f32 on the same positions: both its kernels, the exact direct one and the fast one.
static void narrow_report(const nn_net *net, pool *threads, const label_row *learn, int n_learn, const label_row *held,
                          int n)
{
    enum { SAMPLE = 512 };
    const nn_desc *d = &net->desc;
    static uint64_t bits[SAMPLE * 3];
    int sample = n_learn < SAMPLE ? n_learn : SAMPLE;
    nn_ranges ranges;
    uint64_t *all = room((size_t)n * 3, sizeof *all);
    float *out[3];
    int policy = nn_head_at(d, first_of(d, NN_POLICY)), value = nn_head_at(d, first_of(d, NN_VALUE));
    size_t size = (size_t)nn_out_size(d);
    for (int i = 0; i < sample; i++) encode(learn[i].b, bits + 3 * i);
    for (int i = 0; i < n; i++) encode(held[i].b, all + 3 * i);
    must(nn_calibrate(&ranges, net, sample, bits, NULL));
    for (int k = 0; k < 3; k++) {
        nn_plan *p;
        nn_crew *crew;
        out[k] = room((size_t)n * size, sizeof(float));
        must(nn_plan_new(&p, net,
                         &(nn_plan_options){.int8 = k == 0 ? NULL : &ranges, .method = k == 1 ? 1 + NN_DIRECT : 0}));
        must(nn_crew_new(&crew, p, threads));
        nn_crew_run(crew, n, all, NULL, out[k]);
        judgement j = judge(d, held, n, out[k]);
        double worst = 0, sum = 0, same = 0;
        for (int i = 0; i < n; i++) {
            const float *a = out[0] + (size_t)i * size, *b = out[k] + (size_t)i * size;
            double off = fabs((double)a[value] - (double)b[value]);
            same += choice(&held[i], a + policy) == choice(&held[i], b + policy);
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
    for (int k = 0; k < 3; k++) free(out[k]);
    free(all);
}

// --- learning

typedef struct study {
    const options *o;
    const nn_backend *by;
    pool *threads;
    label_row *learn, *held;
    nn_net *net; // averaged weights, for judging
    nn_learner *learner;
    nn_infer *infer;
    text_buf curve;
    double began;
} study;

static void label(study *s)
{
    const options *o = s->o;
    s->learn = room((size_t)o->positions, sizeof *s->learn);
    s->held = room((size_t)o->held, sizeof *s->held);
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
}

static void look(study *s, uint64_t step, double loss)
{
    const nn_desc *d = &s->net->desc;
    float *out = room((size_t)s->o->held * (size_t)nn_out_size(d), sizeof *out);
    must(s->by->learner_weights(s->learner, s->o->ema > 0, s->net));
    must(s->by->infer_update(s->infer, s->net, NULL));
    run_all(s->by, s->infer, d, s->held, (int)s->o->held, out);
    judgement j = judge(d, s->held, (int)s->o->held, out);
    free(out);
    if (s->curve.len == 0) text_append(&s->curve, "step,positions,loss,optimal,winner,discs_lost\n");
    text_printf(&s->curve, "%llu,%llu,%.4f,%.4f,%.4f,%.4f\n", (unsigned long long)step,
                (unsigned long long)step * (unsigned long long)s->o->batch, loss, j.optimal, j.winner, j.discs);
    printf("step %llu  loss %.4f  move optimal %.2f %%  winner right %.2f %%  %.3f discs lost  (%d draws)  %.1f s\n",
           (unsigned long long)step, loss, 100 * j.optimal, 100 * j.winner, j.discs, j.draws,
           clock_seconds() - s->began);
    fflush(stdout);
    if (s->o->curve[0]) must(file_write_atomic(s->o->curve, s->curve.data, s->curve.len));
    if (s->o->out[0]) must(nn_net_save(s->net, s->o->out));
}

static void draw(const study *s)
{
    enum { MOST = 1024 };
    static double x[MOST], optimal[MOST], winner[MOST];
    text_buf svg = {0};
    int n = 0;
    const char *line = strchr(text_str(&s->curve), '\n');
    for (; line != NULL && n < MOST; line = strchr(line + 1, '\n'))
        if (sscanf(line + 1, "%*u,%lf,%*f,%lf,%lf", &x[n], &optimal[n], &winner[n]) == 3) n++;
    plot_series series[] = {{.name = "chosen move optimal", .x = x, .y = optimal, .n = n},
                            {.name = "winner right", .x = x, .y = winner, .n = n}};
    plot_mark marks[] = {{0.8, "80 %"}, {0.9, "90 %"}};
    plot_axes axes = {.title = "Exact Othello endgames, held-out positions",
                      .x_label = "positions learned from",
                      .y_percent = true,
                      .high = 1,
                      .y_marks = marks,
                      .n_y_marks = 2,
                      .alone = true};
    plot_lines(&svg, &axes, series, 2);
    must(file_write_atomic(s->o->plot, svg.data, svg.len));
    text_free(&svg);
}

static void learn(study *s, const nn_lr *lr)
{
    const options *o = s->o;
    int n = (int)o->batch;
    uint32_t total = (uint32_t)o->positions, at = total, *order = room(total, sizeof *order);
    uint32_t *some = room((size_t)n, sizeof *some);
    uint64_t epoch = 0;
    batch b = batch_new(&s->net->desc, n);
    b.rows = s->learn, b.order = some, b.temperature = o->temperature, b.after = o->after;
    double loss = 0;
    int since = 0;
    look(s, 0, 0);
    for (uint64_t step = 0; step < (uint64_t)o->steps && !stop_requested(); step++) {
        for (int i = 0; i < n; i++) {
            if (at == total) {
                rng shuffle = rng_at((uint64_t)o->seed, epoch++, 0x4550);
                for (at = 0; at < total; at++) order[at] = at;
                rng_shuffle_u32(&shuffle, order, (int)total);
                at = 0;
            }
            some[i] = order[at++];
        }
        b.key = rng_mix((uint64_t)o->seed + rng_mix(step));
        pool_run(s->threads, n, put_position, &b);
        nn_step_report report;
        must(s->by->learner_step(s->learner, &b.b, nn_lr_at(lr, step), &report));
        loss += report.loss;
        since++;
        if ((step + 1) % (uint64_t)o->every != 0 && step + 1 != (uint64_t)o->steps) continue;
        look(s, step + 1, loss / since);
        loss = since = 0;
    }
    if (o->plot[0]) draw(s);
    batch_free(&b);
    free(order), free(some);
}

// The mean over the eight symmetries: logits taken back to the board's own squares.
static void whole_view(study *s)
{
    const nn_desc *d = &s->net->desc;
    int n = (int)s->o->held, policy = nn_head_at(d, first_of(d, NN_POLICY)),
        value = nn_head_at(d, first_of(d, NN_VALUE));
    size_t size = (size_t)nn_out_size(d);
    label_row *turned = room((size_t)n, sizeof *turned);
    float *out = room((size_t)n * size, sizeof *out), *sum = room((size_t)n * size, sizeof *sum);
    for (int sym = 0; sym < OTH_SYMS; sym++) {
        for (int i = 0; i < n; i++) turned[i].b = oth_sym_board(sym, s->held[i].b);
        run_all(s->by, s->infer, d, turned, n, out);
        for (int i = 0; i < n; i++) {
            const float *from = out + (size_t)i * size;
            float *to = sum + (size_t)i * size;
            for (int sq = 0; sq < OTH_SQUARES; sq++) to[policy + sq] += from[policy + oth_sym_square(sym, sq)];
            to[value] += from[value];
        }
    }
    judgement j = judge(d, s->held, n, sum);
    printf("mean over 8 symmetries: move optimal %.2f %%  winner right %.2f %%  %.3f discs lost\n", 100 * j.optimal,
           100 * j.winner, j.discs);
    free(turned), free(out), free(sum);
}

// Our alpha-beta with the shipped patterns on the first n held-out positions: what so many plies of search are worth.
static void compare_search(const study *s, int n)
{
    char path[FILE_PATH];
    oth_weights *patterns;
    oth_engine *e;
    must(models_find("othello-patterns.bin", path, sizeof path));
    must(oth_weights_load(&patterns, path));
    must(oth_engine_new(&e, &(oth_engine_options){.hash = 14, .weights = patterns}));
    for (int depth = 1; depth <= 7; depth += 2) {
        int optimal = 0, winner = 0, decided = 0, lost = 0;
        for (int i = 0; i < n; i++) {
            const label_row *row = &s->held[i];
            oth_found found;
            oth_engine_clear(e);
            oth_engine_search(e, row->b, &(oth_limits){.depth = depth}, &found);
            int off = row->best - row->score[found.move[0].sq];
            optimal += off == 0;
            lost += off;
            decided += row->best != 0;
            winner += row->best != 0 && (found.move[0].score > 0) == (row->best > 0);
        }
        printf("alpha-beta of %d plies on %d positions: move optimal %.2f %%  winner right %.2f %%  %.3f discs lost\n",
               depth, n, 100.0 * optimal / n, 100.0 * winner / (decided > 0 ? decided : 1), (double)lost / n);
    }
    oth_engine_free(e);
    oth_weights_free(patterns);
}

static void study_run(study *s)
{
    const options *o = s->o;
    nn_desc d;
    nn_lr lr;
    char rate[128], note[512], why[256], text[NN_TEXT];
    snprintf(rate, sizeof rate, "cosine:0.002:%lld:0.00001,warmup=%lld", (long long)(o->steps > 0 ? o->steps : 1),
             (long long)o->steps / 50);
    must(nn_backend_find(o->backend, &s->by));
    if (o->from[0]) {
        must(nn_net_load(&s->net, o->from));
        d = s->net->desc;
    } else {
        must(nn_desc_parse(o->net, &d));
        must(nn_net_new(&s->net, &d, (uint64_t)o->seed));
    }
    if (d.planes != 3 || d.scalars != 0 || d.rows != 8 || d.cols != 8)
        must(err_set(ERR_USAGE, "the network must read Othello: planes=3 size=8x8"));
    must(nn_lr_parse(o->lr[0] ? o->lr : rate, &lr));
    label(s);
    snprintf(note, sizeof note,
             "game = othello\nencoding = mask\ntraining = nn_learn: %lld positions of %lld to %lld empties with exact "
             "labels, seed %lld, %lld steps of %lld",
             (long long)o->positions, (long long)o->few, (long long)o->many, (long long)o->seed, (long long)o->steps,
             (long long)o->batch);
    if (o->steps > 0) must(nn_net_set_note(s->net, note));
    nn_train_options t = {.max_batch = (int)o->batch,
                          .optim = {.decay = (float)o->decay, .clip = 5},
                          .ema = (float)o->ema,
                          .threads = s->threads};
    must(s->by->learner_new(&s->learner, s->net, &t));
    must(s->by->infer_new(&s->infer, s->net, &(nn_infer_options){.threads = s->threads}));
    s->by->available(why, sizeof why);
    nn_desc_print(&d, text, sizeof text);
    printf("%s, %d threads: %s, %s\n", text, pool_threads(s->threads), why, s->by->infer_text(s->infer));
    s->began = clock_seconds();
    learn(s, &lr);
    whole_view(s);
    if (o->compare > 0) compare_search(s, (int)(o->compare < o->held ? o->compare : o->held));
    narrow_report(s->net, s->threads, s->learn, (int)o->positions, s->held, (int)o->held);
    s->by->infer_free(s->infer);
    s->by->learner_free(s->learner);
    nn_net_free(s->net);
    free(s->learn), free(s->held);
    text_free(&s->curve);
}

int main(int argc, char **argv)
{
    options o = {0};
    must(opt_defaults(table, OPTIONS, &o));
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (value == NULL) {
            for (int k = 0; k < OPTIONS; k++)
                printf("  %-12s %s (%s)\n", table[k].name, table[k].help, table[k].preset);
            return strcmp(argv[i], "help") == 0 ? 0 : 2;
        }
        *value++ = 0;
        must(opt_set(table, OPTIONS, &o, argv[i], value, "nn_learn"));
    }
    stop_install("stopping\n");
    study s = {.o = &o, .threads = pool_new((int)o.threads)};
    study_run(&s);
    pool_free(s.threads);
    return stop_requested() ? 1 : 0;
}
