// See puyo_reward.h.
#include "search/puyo/puyo_reward.h"

#include "base/opt.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double clip(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

// --- weights

#define ROW(field, help_)                                                                                              \
    {.name = #field, .kind = OPT_NUMBER, .at = offsetof(puyo_reward_weights, field), .value = "X", .help = help_},
static const opt rows[] = {
#define R(name, seed, shaped, help) ROW(name, help)
    PUYO_REWARDS(R)
#undef R
#define P(name, weight, help) ROW(name, help)
        PUYO_PHI(P)
#undef P
};
enum { ROWS = sizeof rows / sizeof *rows };

static const puyo_reward_weights preset_seed = {
#define R(name, seed, shaped, help) .name = seed,
    PUYO_REWARDS(R)
#undef R
#define P(name, weight, help) .name = weight,
        PUYO_PHI(P)
#undef P
};

static const puyo_reward_weights preset_shaped = {
#define R(name, seed, shaped, help) .name = shaped,
    PUYO_REWARDS(R)
#undef R
#define P(name, weight, help) .name = weight,
        PUYO_PHI(P)
#undef P
};

err puyo_rewards_parse(const char *text, puyo_reward_weights *out)
{
    size_t n = strcspn(text, ":");
    puyo_reward_weights w;
    if (n == 4 && strncmp(text, "seed", n) == 0)
        w = preset_seed;
    else if (n == 6 && strncmp(text, "shaped", n) == 0)
        w = preset_shaped;
    else
        return err_set(ERR_USAGE, "rewards '%s': begin with shaped or seed, then :component=weight,…", text);
    if (text[n] == ':') {
        err e = opt_pairs(rows, ROWS, &w, text + n + 1, "rewards", NULL);
        if (e != ERR_OK) return e;
    }
    for (int i = 0; i < ROWS; i++) {
        double x;
        memcpy(&x, (const char *)&w + rows[i].at, sizeof x);
        if (!isfinite(x) || fabs(x) > 1e6) return err_set(ERR_USAGE, "rewards: %s=%g is out of range", rows[i].name, x);
    }
    *out = w;
    return ERR_OK;
}

int puyo_rewards_print(const puyo_reward_weights *w, char *buf, size_t n)
{
    text_buf t = {0};
    text_append(&t, "shaped");
    for (int i = 0; i < ROWS; i++) { // all of them: what is stored must not change with a preset
        double x;
        memcpy(&x, (const char *)w + rows[i].at, sizeof x);
        text_printf(&t, "%c%s=%.17g", i == 0 ? ':' : ',', rows[i].name, x);
    }
    int len = snprintf(buf, n, "%s", text_str(&t));
    text_free(&t);
    return len;
}

const char *puyo_reward_name(int kind)
{
    return rows[kind].name;
}

double puyo_reward_weight(const puyo_reward_weights *w, int kind)
{
    switch (kind) {
#define R(name, seed, shaped, help)                                                                                    \
    case PUYO_REWARD_##name:                                                                                           \
        return w->name;
        PUYO_REWARDS(R)
#undef R
    default:
        return 0;
    }
}

// --- moments

void puyo_moment_totals(const py_match *m, puyo_moment *out)
{
    outcome o = py_match_result(m);
    for (int p = 0; p < 2; p++) {
        const py_side *a = &m->side[p];
        out->incoming[p] = a->pending + a->coming;
        out->sent[p] = a->sent;
        out->received[p] = a->received;
        out->score[p] = o.score[p];
    }
    out->over = o.over;
}

static puyo_terms side_terms(const py_match *m, int p)
{
    const py_side *a = &m->side[p];
    return puyo_terms_of(&a->field, a->window[0], m->reach, m->lose, m->queue.colours);
}

void puyo_moment_of(const py_match *m, puyo_moment *out)
{
    puyo_moment_totals(m, out);
    for (int p = 0; p < 2; p++) out->terms[p] = side_terms(m, p);
}

void puyo_moment_next(const py_match *m, const py_match *old, const puyo_moment *was, puyo_moment *out)
{
    puyo_moment now;
    puyo_moment_totals(m, &now);
    for (int p = 0; p < 2; p++) {
        const py_side *a = &m->side[p], *b = &old->side[p];
        bool same = a->window[0] == b->window[0] && memcmp(&a->field, &b->field, sizeof a->field) == 0;
        now.terms[p] = same ? was->terms[p] : side_terms(m, p);
    }
    *out = now;
}

float puyo_cluster(const py_field *before, int move, uint8_t pair)
{
    static const int8_t side[4] = {0, 1, 0, -1};
    int col[2] = {move / 4, move / 4 + side[move % 4]}, code[2] = {py_main(pair), py_sub(pair)}, same = 0;
    int row[2] = {py_height(before, col[0]) + 1, py_height(before, col[1]) + 1};
    if (move % 4 == 0) row[1]++;
    if (move % 4 == 2) row[0]++;
    py_field f = *before;
    py_place(&f, move, pair);
    for (int i = 0; i < 2; i++) {
        if (row[i] > PY_GHOST) continue; // it vanished
        for (int dx = -1; dx <= 1; dx++)
            for (int dy = -1; dy <= 1; dy++) {
                int x = col[i] + dx, y = row[i] + dy;
                if ((dx == 0 && dy == 0) || x < 0 || x >= PY_COLS || y < 1 || y > PY_GHOST) continue;
                same += py_get(&f, x, y) == code[i];
            }
    }
    return (float)same / 16.0f;
}

// --- helpers that the seed names but does not define

static double setup_progress(const puyo_terms *t)
{
    return t->chain < 10 ? t->chain / 10.0 : 1.0;
}

static const puyo_terms *mine(const puyo_moment *m, int me)
{
    return &m->terms[me];
}

static double danger_reduction(const puyo_step *s)
{
    return (double)(mine(s->before, s->me)->danger - mine(s->after, s->me)->danger);
}

static int chain_growth(const puyo_step *s)
{
    return mine(s->after, s->me)->chain - mine(s->before, s->me)->chain;
}

// Nuisance that the own chains took out of the air: what was there and what the other sent, less what is there and what fell.
static double cancelled(const puyo_step *s)
{
    const puyo_moment *a = s->before, *b = s->after;
    int me = s->me;
    return ((double)a->incoming[me] - (double)b->incoming[me]) + (double)(b->sent[!me] - a->sent[!me]) -
           (double)(b->received[me] - a->received[me]);
}

// --- components

double puyo_reward_survival(const puyo_step *s)
{
    return s->after->over ? 0 : 0.01;
}

double puyo_reward_tempo(const puyo_step *s)
{
    const puyo_terms *a = mine(s->after, s->me), *b = mine(s->after, !s->me);
    return clip((double)(b->height - a->height) / 12 * 0.02 + (setup_progress(a) - setup_progress(b)) * 0.03, 0.1);
}

double puyo_reward_position(const puyo_step *s)
{
    return clip((double)s->cluster * 0.05 + (double)mine(s->after, s->me)->balance * 0.03 +
                    clip(chain_growth(s) / 10.0, 1) * 0.02 + danger_reduction(s) * 0.04,
                0.15);
}

double puyo_reward_setup(const puyo_step *s)
{
    int triggers = mine(s->after, s->me)->triggers - mine(s->before, s->me)->triggers;
    return clip(chain_growth(s) * 0.1 + triggers * 0.05, 0.2);
}

double puyo_reward_defense(const puyo_step *s)
{
    return clip(danger_reduction(s) * 0.1 + cancelled(s) * 0.01, 0.1);
}

double puyo_reward_threat(const puyo_step *s)
{
    return (mine(s->before, !s->me)->threat - mine(s->after, !s->me)->threat) / 100.0 * 0.02;
}

double puyo_reward_execution(const puyo_step *s)
{
    if (s->chain < 2) return 0;
    double r = 0.1 * pow(1.5, s->chain - 1);
    return r < 2 ? r : 2;
}

double puyo_reward_dealt(const puyo_step *s)
{
    return 0.02 * (double)(s->after->sent[s->me] - s->before->sent[s->me]);
}

double puyo_reward_received(const puyo_step *s)
{
    return -0.02 * (double)(s->after->received[s->me] - s->before->received[s->me]);
}

double puyo_reward_win(const puyo_step *s)
{
    return s->after->over && s->after->score[s->me] == 1.0f ? 10 : 0;
}

double puyo_reward_loss(const puyo_step *s)
{
    return s->after->over && s->after->score[s->me] == 0.0f ? -10 : 0;
}

double puyo_reward_cluster(const puyo_step *s)
{
    return (double)s->cluster;
}

// --- the potential

static double side_phi(const puyo_moment *m, int p, const puyo_reward_weights *w)
{
    const puyo_terms *t = &m->terms[p];
    return w->phi_height * (double)t->height + w->phi_setup * setup_progress(t) + w->phi_chain * t->chain +
           w->phi_triggers * t->triggers + w->phi_danger * (double)t->danger +
           w->phi_nuisance * (m->incoming[p] < 60 ? m->incoming[p] : 60);
}

double puyo_phi(const puyo_moment *m, int me, const puyo_reward_weights *w)
{
    return m->over ? 0 : side_phi(m, me, w) - side_phi(m, !me, w);
}

double puyo_reward_shaping(const puyo_step *s)
{
    return s->gamma * puyo_phi(s->after, s->me, s->w) - puyo_phi(s->before, s->me, s->w);
}

// --- the sum

double puyo_reward_total(const puyo_step *s, double part[PUYO_REWARD_COUNT])
{
    double sum = 0, x;
#define R(name, seed, shaped, help)                                                                                    \
    x = s->w->name == 0 ? 0 : s->w->name * puyo_reward_##name(s);                                                      \
    sum += x;                                                                                                          \
    if (part != NULL) part[PUYO_REWARD_##name] = x;
    PUYO_REWARDS(R)
#undef R
    return sum;
}

bool puyo_rewards_need_terms(const puyo_reward_weights *w)
{
    return w->tempo != 0 || w->position != 0 || w->setup != 0 || w->defense != 0 || w->threat != 0 || w->shaping != 0;
}
