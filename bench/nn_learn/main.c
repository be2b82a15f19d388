// Does a network trained here learn? Othello endgames of 10 to 14 empties with exact labels, and held-out ones to judge by.
//
//   nn_learn [key=value …]      nn_learn help   lists the keys
//
// Every position comes from a game of its own and is solved exactly (learn/tune/label_othello.h). The network learns, from random
// symmetries of them, a policy (a softmax of the moves' exact scores), the winner and the final score, and as helps each move's
// score, what it loses and whether it is best, and the final board; and from the positions after their moves and down the
// solver's lines, whose scores, best replies and final boards the labels contain. Judged on held-out positions by the averaged
// weights: how often the chosen move is one of the exactly best ones by disc score; how often the winner is right (draws left
// out, their number is printed); how many discs the chosen move loses. Chosen by the policy, by what other heads say, by the
// network's score of the board after each move, and by sums of these whose weights are fitted on validation positions; each
// also from the mean over the board's eight symmetries. At the end also with int8: how often it chooses as f32 does.
// All of it is a function of the keys: any number of threads gives the same figures on the CPU backend, unless the clock is
// asked to bound the learning.
#include "base/clock.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/plot.h"
#include "base/stop.h"
#include "nn_learn.h"

#include <stdlib.h>
#include <string.h>

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
    INT(valid, "0", 0, 1e8, "of the positions, not learned from: weights of sums are fitted on them"),
    INT(seed, "1", 0, 9e15, "key of games, weights and order"),
    INT(few, "10", 1, 30, "empties at least"),
    INT(many, "14", 1, 30, "empties at most"),
    INT(depth, "0", 0, 20, "of the search that plays the games; 0 = all moves are random"),
    INT(batch, "1024", 1, 65536, "positions per step"),
    INT(steps, "4000", 0, 1e8, "steps in all"),
    INT(every, "250", 1, 1e8, "steps between two judgements"),
    INT(threads, "0", 0, 256, "0 = one per core"),
    INT(compare, "0", 0, 1e6, "also judge our alpha-beta with the shipped patterns on so many held-out positions"),
    INT(deep, "0", 0, 1e6, "also judge the network two moves ahead on so many held-out positions: slow"),
    INT(narrow, "10000", 0, 1e6, "at the end, judge int8 on the CPU on so many held-out positions"),
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = offsetof(options, seconds),
     .preset = "0",
     .help = "learn no longer than that: the learning rate then falls with the clock; 0 = all steps"},
    {.name = "decay", .kind = OPT_NUMBER, .at = offsetof(options, decay), .preset = "0.02", .help = "weight decay"},
    {.name = "ema",
     .kind = OPT_NUMBER,
     .at = offsetof(options, ema),
     .preset = "0.999",
     .help = "decay of the averaged weights"},
    {.name = "temperature",
     .kind = OPT_NUMBER,
     .at = offsetof(options, temperature),
     .preset = "1",
     .help = "discs: how much a worse move's share of the policy target shrinks"},
    {.name = "after",
     .kind = OPT_NUMBER,
     .at = offsetof(options, after),
     .preset = "0.6",
     .help = "share of a batch that are positions after a labelled move"},
    INT(plies, "6", 1, LABEL_LINE, "how far behind it, at most: a move, then best play as the solver gave it"),
    TEXT(encoding, "look2", "how the network sees a board: mask (3 planes), look (32) or look2 (96)"),
    TEXT(net,
         "planes=96 size=8x8 c=128 b=16 policy=32:65 value=4:128 scalar=16:0:65 scalar=8:128:1 board=1 board=1 board=1",
         "description or preset; set.c says what each head is taught"),
    TEXT(from, "", "a weights file to begin with instead; with steps=0 it is only judged"),
    TEXT(lr, "", "learning rate; empty = cosine:0.002 over all steps with warm-up"),
    TEXT(backend, "auto", "auto, cpu or cuda"),
    TEXT(labels, "", "a file to keep the labelled positions in: read where it exists, else made"),
    TEXT(out, "", "where the averaged weights go"),
    TEXT(curve, "", "where the judgements go, as CSV"),
    TEXT(plot, "", "where a chart of them goes, as SVG"),
};
enum { OPTIONS = sizeof table / sizeof *table };

void must(err e)
{
    if (e == ERR_OK) return;
    fprintf(stderr, "nn_learn: %s\n", err_text());
    exit(1);
}

void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL) must(err_set(ERR_MEMORY, "no memory for %zu bytes", n * size));
    return p;
}

static void look(study *s, uint64_t step, double loss)
{
    must(s->by->learner_weights(s->learner, s->o->ema > 0, s->net));
    must(nn_infer_update(s->by, s->infer, s->net, NULL));
    static const float by_policy[SAYS] = {[SAY_POLICY] = 1}, by_ahead[SAYS] = {[SAY_AHEAD] = 1};
    int n = (int)s->o->held;
    said *x = judge_ask(s, s->held, n, false, 1), *turned = judge_ask(s, s->held, n, true, 0);
    judgement j = judge_by(s->held, x, n, by_policy), ahead = judge_by(s->held, x, n, by_ahead),
              mean = judge_by(s->held, turned, n, by_policy);
    free(x), free(turned);
    if (s->curve.len == 0)
        text_append(&s->curve, "step,positions,loss,optimal,turned_optimal,ahead_optimal,winner,discs_lost,seconds\n");
    text_printf(&s->curve, "%llu,%llu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f\n", (unsigned long long)step,
                (unsigned long long)step * (unsigned long long)s->o->batch, loss, j.optimal, mean.optimal,
                ahead.optimal, j.winner, j.discs, clock_seconds() - s->began);
    printf(
        "step %llu  loss %.4f  move optimal: policy %.2f %%, over 8 symmetries %.2f %%, score of the boards after the "
        "moves %.2f %%  winner right %.2f %% (%d draws)  %.1f s\n",
        (unsigned long long)step, loss, 100 * j.optimal, 100 * mean.optimal, 100 * ahead.optimal, 100 * j.winner,
        j.draws, clock_seconds() - s->began);
    fflush(stdout);
    if (s->o->curve[0]) must(file_write_atomic(s->o->curve, s->curve.data, s->curve.len));
    if (s->o->out[0]) must(nn_net_save(s->net, s->o->out));
}

static void draw(const study *s)
{
    enum { MOST = 1024 };
    static double x[MOST], policy[MOST], mean[MOST], ahead[MOST], winner[MOST];
    text_buf svg = {0};
    int n = 0;
    const char *line = strchr(text_str(&s->curve), '\n');
    for (; line != NULL && n < MOST; line = strchr(line + 1, '\n'))
        if (sscanf(line + 1, "%*u,%lf,%*f,%lf,%lf,%lf,%lf", &x[n], &policy[n], &mean[n], &ahead[n], &winner[n]) == 5 &&
            x[n] > 0) // untrained, it would press all others against the top
            n++;
    plot_series series[] = {{.name = "winner right", .x = x, .y = winner, .n = n},
                            {.name = "best board after it optimal", .x = x, .y = ahead, .n = n},
                            {.name = "policy over 8 symmetries optimal", .x = x, .y = mean, .n = n},
                            {.name = "policy's move optimal", .x = x, .y = policy, .n = n}};
    plot_mark marks[] = {{0.8, "80 %"}, {0.9, "90 %"}};
    plot_axes axes = {.title = "Exact Othello endgames, held-out positions",
                      .x_label = "positions learned from, repetitions counted",
                      .height = 340,
                      .y_percent = true,
                      .y_marks = marks,
                      .n_y_marks = 2,
                      .alone = true};
    plot_lines(&svg, &axes, series, 4);
    must(file_write_atomic(s->o->plot, svg.data, svg.len));
    text_free(&svg);
}

// How far learning has come, in steps of the schedule: where the clock is ahead of the steps, the clock counts.
static uint64_t now(const study *s, uint64_t step)
{
    const options *o = s->o;
    double share = o->seconds > 0 ? (clock_seconds() - s->began) / o->seconds : 0;
    uint64_t at = (uint64_t)(share * (double)o->steps);
    return at > step ? at : step;
}

static void learn(study *s, const nn_lr *lr)
{
    enum { ASK = 50 }; // steps between two losses: a GPU is waited for then
    const options *o = s->o;
    batch *b = batch_new(s);
    double loss = 0;
    int asked = 0;
    uint64_t end = (uint64_t)o->steps, seen = 0; // seen: the last step of the schedule that was judged
    if (o->steps > 0) look(s, 0, 0);
    for (uint64_t step = 0, at = 0; at < end && !stop_requested(); step++) {
        nn_step_report report;
        bool ask = step % ASK == 0;
        must(s->by->learner_step(s->learner, batch_make(b, step), nn_lr_at(lr, at), ask ? &report : NULL));
        if (ask) loss += report.loss, asked++;
        at = now(s, step + 1);
        if (at - seen < (uint64_t)o->every && at < end) continue;
        look(s, step + 1, asked > 0 ? loss / asked : 0);
        seen = at;
        loss = asked = 0;
    }
    if (o->plot[0]) draw(s);
    batch_free(b);
}

typedef struct way { // of choosing
    const char *name;
    float
        weights[SAYS]; // of what the network says; where several are not 0 they are fitted on the validation positions
} way;

static const way ways[] = {{"policy", {[SAY_POLICY] = 1}},
                           {"the moves' scores", {[SAY_SCORES] = 1}},
                           {"what moves lose", {[SAY_LOSS] = 1}},
                           {"which are best", {[SAY_BEST] = 1}},
                           {"all these", {1, 1, 1, 1}},
                           {"score of the board after it", {[SAY_AHEAD] = 1}},
                           {"final board after it", {[SAY_FINAL] = 1}},
                           {"everything", {1, 1, 1, 1, 8, 4}}};
enum { WAYS = sizeof ways / sizeof *ways };

// The weights of a way for this network, and how many of them count.
static int way_weights(const study *s, const way *w, float weights[SAYS])
{
    int used = 0;
    for (int k = 0; k < SAYS; k++) {
        weights[k] = judge_says(&s->net->desc, (say)k) ? w->weights[k] : 0;
        used += weights[k] != 0;
    }
    return used;
}

static void show_ways(study *s, const char *set, const label_row *rows, int n, bool turned, float fitted[WAYS][SAYS])
{
    if (n == 0) return;
    said *x = judge_ask(s, rows, n, turned, 1);
    for (int i = 0; i < WAYS; i++) {
        float start[SAYS];
        int used = way_weights(s, &ways[i], start);
        bool fit = rows == s->valid;
        if (used == 0 || (used > 1 && s->o->valid == 0)) continue;
        if (used == 1 || fit) memcpy(fitted[i], start, sizeof start);
        if (used > 1 && fit) judge_fit(s, rows, x, n, fitted[i]);
        judgement j = judge_by(rows, x, n, fitted[i]);
        printf("%s%s, %s: move optimal %.2f %%  winner right %.2f %%  %.3f discs lost", set,
               turned ? ", mean over 8 symmetries" : "", ways[i].name, 100 * j.optimal, 100 * j.winner, j.discs);
        for (int k = 0; used > 1 && fit && k < SAYS; k++)
            printf("%s%.2f", k == 0 ? "  weights " : " ", (double)fitted[i][k]);
        printf("\n");
    }
    fflush(stdout);
    free(x);
}

static void last_views(study *s)
{
    const options *o = s->o;
    for (int turned = 0; turned < 2; turned++) {
        float fitted[WAYS][SAYS] = {0};
        show_ways(s, "valid", s->valid, (int)o->valid, turned, fitted);
        show_ways(s, "held out", s->held, (int)o->held, turned, fitted);
        show_ways(s, "learned", s->learn, (int)(o->held < s->n_learn ? o->held : s->n_learn), turned, fitted);
    }
    if (o->deep == 0) return;
    int n = (int)(o->deep < o->held ? o->deep : o->held);
    said *x = judge_ask(s, s->held, n, false, 2);
    judgement j = judge_by(s->held, x, n, (float[SAYS]){[SAY_AHEAD] = 1});
    printf("the first %d held out, score of the boards after each reply: move optimal %.2f %%  %.3f discs lost\n", n,
           100 * j.optimal, j.discs);
    free(x);
}

static void study_run(study *s)
{
    const options *o = s->o;
    const game *othello;
    nn_desc d;
    nn_lr lr;
    char rate[128], note[512], why[256], text[NN_TEXT];
    snprintf(rate, sizeof rate, "cosine:0.002:%lld:0.00001,warmup=%lld", (long long)(o->steps > 0 ? o->steps : 1),
             (long long)o->steps / 50);
    must(nn_backend_find(o->backend, &s->by));
    must(game_find("othello", &othello));
    must(game_encoding(othello, o->encoding, &s->seen));
    if (o->from[0]) {
        must(nn_net_load(&s->net, o->from));
        d = s->net->desc;
    } else {
        must(nn_desc_parse(o->net, &d));
        must(nn_net_new(&s->net, &d, (uint64_t)o->seed));
    }
    if (d.planes != s->seen->planes || d.scalars != 0 || d.rows != 8 || d.cols != 8)
        must(err_set(ERR_USAGE, "the network must read Othello in the encoding '%s': planes=%d size=8x8", s->seen->name,
                     s->seen->planes));
    must(nn_lr_parse(o->lr[0] ? o->lr : rate, &lr));
    set_label(s);
    snprintf(note, sizeof note,
             "game = othello\nencoding = %s\ntraining = nn_learn: %lld positions of %lld to %lld empties with exact "
             "labels, seed %lld, at most %lld steps of %lld",
             s->seen->name, (long long)s->n_learn, (long long)o->few, (long long)o->many, (long long)o->seed,
             (long long)o->steps, (long long)o->batch);
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
    last_views(s);
    if (o->compare > 0) beside_search(s, (int)(o->compare < o->held ? o->compare : o->held));
    if (o->narrow > 0) beside_narrow(s, (int)(o->narrow < o->held ? o->narrow : o->held));
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
