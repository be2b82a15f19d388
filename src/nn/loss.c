// Losses of one position. See loss.h.
#include "nn/loss.h"

#include <math.h>
#include <string.h>

// Cross-entropy of softmax(logit) over the unmasked entries against `target`; gradient into dlogit.
static double cross_entropy(int n, const double *logit, const float *target, const uint8_t *mask, double scale,
                            double *dlogit)
{
    double high = -INFINITY, sum = 0, mass = 0, loss = 0;
    for (int k = 0; k < n; k++)
        if ((mask == NULL || mask[k]) && logit[k] > high) high = logit[k];
    if (high == -INFINITY) return 0;
    for (int k = 0; k < n; k++) {
        if (mask != NULL && !mask[k]) continue;
        sum += exp(logit[k] - high);
        mass += (double)target[k];
    }
    double log_sum = high + log(sum);
    for (int k = 0; k < n; k++) {
        if (mask != NULL && !mask[k]) continue;
        double log_p = logit[k] - log_sum;
        loss -= (double)target[k] * log_p;
        dlogit[k] = scale * (mass * exp(log_p) - (double)target[k]);
    }
    return scale * loss;
}

static double squares(int n, const double *out, const float *target, const uint8_t *mask, double scale, double *dout)
{
    // the mean over the head's outputs, so that a board head weighs as much as a value
    double loss = 0;
    for (int k = 0; k < n; k++) {
        if (mask != NULL && !mask[k]) continue;
        double diff = out[k] - (double)target[k];
        loss += scale / n * diff * diff;
        dout[k] = 2 * scale / n * diff;
    }
    return loss;
}

void nn_group_log_p(int n, const uint32_t *group, const double *x, double *log_p)
{
    double high = 0, log_sum = 0;
    for (int i = 0; i < n; i++) {
        uint32_t first = group[2 * i], end = group[2 * i + 1];
        if (i == 0 || first != group[2 * i - 2] || end != group[2 * i - 1]) { // else that of the row before
            double sum = 0;
            high = -INFINITY;
            for (uint32_t j = first; j < end; j++)
                if (x[j] > high) high = x[j];
            for (uint32_t j = first; j < end; j++) sum += exp(x[j] - high);
            log_sum = high + log(sum);
        }
        log_p[i] = x[i] - log_sum;
    }
}

bool nn_has_groups(const nn_desc *d, const nn_batch *b)
{
    for (int h = 0; h < d->n_heads; h++)
        if (b->head[h].value != NULL && b->head[h].group != NULL) return true;
    return false;
}

// Row i's share of its group's cross-entropy, and the whole group's gradient by its number.
static double in_group(const nn_target *t, int i, double scale, double *dout)
{
    double mass = 0, want = (double)t->value[i];
    for (uint32_t j = t->group[2 * i]; j < t->group[2 * i + 1]; j++) mass += (double)t->value[j];
    *dout = scale * (mass * exp(t->log_p[i]) - want);
    return -scale * want * t->log_p[i];
}

static double huber(double diff, double delta, double scale, double *grad)
{
    if (fabs(diff) <= delta) return *grad = scale * diff, scale * 0.5 * diff * diff;
    *grad = scale * (diff > 0 ? delta : -delta);
    return scale * delta * (fabs(diff) - 0.5 * delta);
}

// out[actions][atoms]
static double known_rest(const nn_batch *b, int actions, int atoms, int i, const double *out, double scale,
                         double *dout)
{
    double loss = 0, slope[NN_MAX_ATOMS];
    int known = 0;
    const uint8_t *mask = b->rest_mask + (size_t)i * (size_t)actions;
    for (int k = 0; k < actions; k++) known += mask[k] != 0;
    for (int k = 0; k < actions; k++) {
        double grad;
        if (!mask[k]) continue;
        double q = nn_dist_mean(&b->dist, atoms, out + k * atoms, slope);
        loss += huber(q - (double)b->rest[(size_t)(i * actions + k)], b->huber == 0 ? 1 : (double)b->huber,
                      scale * (double)b->rest_scale / known, &grad);
        for (int j = 0; j < atoms; j++) dout[k * atoms + j] += grad * slope[j];
    }
    return loss;
}

static double duel(const nn_head *h, const nn_batch *b, const nn_target *t, int i, const double *out, double scale,
                   double *dout)
{
    int atoms = nn_atoms(h), a = t->action[i] * atoms;
    double delta = b->huber == 0 ? 1 : (double)b->huber, loss, off;
    if (b->dist.kind != NN_DIST_NONE) {
        loss =
            nn_dist_loss(&b->dist, atoms, out + a, t->value + (size_t)i * (size_t)atoms, delta, scale, dout + a, &off);
    } else {
        off = (double)t->value[i] - out[a];
        loss = huber(-off, delta, scale, &dout[a]);
    }
    if (b->td != NULL) b->td[i] = (float)off;
    return b->rest == NULL ? loss : loss + known_rest(b, h->out, atoms, i, out, scale, dout);
}

static double over_moves(const nn_desc *d, const nn_batch *b, int i, const double *out, double scale, double *dout)
{
    int at[NN_MAX_HEADS], heads = 0;
    for (int h = 0; h < d->n_heads; h++)
        if (d->head[h].kind == NN_POLICY) at[heads++] = nn_head_at(d, h);
    double high = -INFINITY, sum = 0, mass = 0, loss = 0;
    uint32_t first = b->start[i], end = b->start[i + 1];
#define LOGIT(m, l)                                                                                                    \
    double l = 0;                                                                                                      \
    for (int h = 0; h < heads; h++) l += out[at[h] + b->index[(size_t)m * (size_t)heads + (size_t)h]]
    for (uint32_t m = first; m < end; m++) {
        LOGIT(m, l);
        if (l > high) high = l;
    }
    for (uint32_t m = first; m < end; m++) {
        LOGIT(m, l);
        sum += exp(l - high);
        mass += (double)b->prob[m];
    }
    for (uint32_t m = first; m < end; m++) {
        LOGIT(m, l);
        double log_p = l - high - log(sum), g = scale * (mass * exp(log_p) - (double)b->prob[m]);
        loss -= scale * (double)b->prob[m] * log_p;
        for (int h = 0; h < heads; h++) dout[at[h] + b->index[(size_t)m * (size_t)heads + (size_t)h]] += g;
    }
#undef LOGIT
    return loss;
}

double nn_loss_at(const nn_desc *d, const nn_batch *b, int i, const double *out, double *dout, double *by_head)
{
    double total = 0, weight = b->weight == NULL ? 1 : (double)b->weight[i];
    bool moves_done = b->start == NULL;
    memset(dout, 0, (size_t)nn_out_size(d) * sizeof *dout);
    for (int h = 0; h < d->n_heads; h++) {
        const nn_target *t = &b->head[h];
        nn_kind kind = d->head[h].kind;
        int at = nn_head_at(d, h), n = nn_head_size(d, h);
        size_t row = (size_t)i * (size_t)n;
        double scale = weight * (t->scale == 0 ? 1 : (double)t->scale), loss = 0;
        const uint8_t *mask = t->mask == NULL ? NULL : t->mask + row;
        if (kind == NN_POLICY && b->start != NULL) {
            if (!moves_done)
                loss = over_moves(d, b, i, out, weight * (b->prob_scale == 0 ? 1 : (double)b->prob_scale), dout);
            moves_done = true;
        } else if (t->value == NULL) {
            loss = 0;
        } else if (kind == NN_POLICY || kind == NN_REPLY) {
            loss = cross_entropy(n, out + at, t->value + row, mask, scale, dout + at);
        } else if (t->group != NULL) {
            loss = in_group(t, i, scale, dout + at);
        } else if (kind == NN_DUEL) {
            loss = duel(&d->head[h], b, t, i, out + at, scale, dout + at);
        } else {
            loss = squares(n, out + at, t->value + row, mask, scale, dout + at);
        }
        by_head[h] = loss;
        total += loss;
    }
    return total;
}

static err check_groups(const nn_head *h, const nn_target *t, int n)
{
    if (h->kind != NN_SCALAR || h->out != 1)
        return err_set(ERR_USAGE, "only a scalar head of one number can compare rows");
    for (int i = 0; i < n; i++)
        if (t->group[2 * i] > (uint32_t)i || t->group[2 * i + 1] <= (uint32_t)i || t->group[2 * i + 1] > (uint32_t)n)
            return err_set(ERR_USAGE, "row %d is not in its own group, or the group is not in the batch", i);
    return ERR_OK;
}

err nn_batch_check(const nn_desc *d, const nn_batch *b)
{
    if (b->n < 1) return err_set(ERR_USAGE, "a batch of %d positions", b->n);
    if ((d->planes > 0 && b->bits == NULL) || (d->scalars > 0 && b->scalars == NULL))
        return err_set(ERR_USAGE, "a batch without its planes or scalars");
    int heads = nn_policy_heads(d);
    for (int h = 0; h < d->n_heads; h++) {
        const nn_target *t = &b->head[h];
        err e = t->group == NULL || t->value == NULL ? ERR_OK : check_groups(&d->head[h], t, b->n);
        if (e != ERR_OK) return e;
        if (d->head[h].kind != NN_DUEL || t->value == NULL) continue;
        if (t->action == NULL) return err_set(ERR_USAGE, "the duel head's targets need the actions taken");
        if ((b->dist.kind == NN_DIST_NONE) != (nn_atoms(&d->head[h]) == 1))
            return err_set(ERR_USAGE, "a duel head of %d atoms cannot learn a distribution of the kind '%s'",
                           nn_atoms(&d->head[h]), nn_dist_name(b->dist.kind));
        if ((b->rest == NULL) != (b->rest_mask == NULL))
            return err_set(ERR_USAGE, "targets of other actions and their mask go together");
        for (int i = 0; i < b->n; i++)
            if (t->action[i] < 0 || t->action[i] >= d->head[h].out)
                return err_set(ERR_USAGE, "position %d took action %d of %d", i, (int)t->action[i], d->head[h].out);
    }
    if (b->start == NULL) return ERR_OK;
    if (heads == 0 || b->index == NULL || b->prob == NULL)
        return err_set(ERR_USAGE, "a policy over moves needs a policy head, indices and probabilities");
    for (int i = 0; i < b->n; i++) {
        if (b->start[i + 1] < b->start[i]) return err_set(ERR_USAGE, "position %d has a negative number of moves", i);
        for (uint32_t m = b->start[i]; m < b->start[i + 1]; m++)
            for (int h = 0, k = 0; h < d->n_heads; h++) {
                if (d->head[h].kind != NN_POLICY) continue;
                if (b->index[(size_t)m * (size_t)heads + (size_t)k++] >= d->head[h].out)
                    return err_set(ERR_USAGE, "position %d has a move outside the policy head", i);
            }
    }
    return ERR_OK;
}
