// Distributional Q-values. See dist.h.
#include "nn/dist.h"

#include <math.h>
#include <string.h>

static const char *const names[NN_DIST_KINDS] = {"none", "c51", "qr"};

const char *nn_dist_name(nn_dist_kind k)
{
    return names[k];
}

err nn_dist_parse(const char *name, nn_dist_kind *out)
{
    for (int k = 0; k < NN_DIST_KINDS; k++)
        if (strcmp(name, names[k]) == 0) return *out = (nn_dist_kind)k, ERR_OK;
    return err_set(ERR_USAGE, "'%s' is no distribution: none, c51 or qr", name);
}

double nn_dist_at(const nn_dist *d, int atoms, int i)
{
    return atoms < 2 ? 0 : d->support * (2.0 * i / (atoms - 1) - 1);
}

static double greatest(int n, const double *x)
{
    double high = x[0];
    for (int i = 1; i < n; i++) high = x[i] > high ? x[i] : high;
    return high;
}

// Mean on the grid of softmax(out). In float, since whole batches of positions looked ahead come through here.
static float grid_mean(const nn_dist *d, int atoms, const float *out)
{
    float high = out[0], sum = 0, mean = 0, step = 2.0f / (float)(atoms - 1);
    for (int i = 1; i < atoms; i++) high = out[i] > high ? out[i] : high;
    for (int i = 0; i < atoms; i++) {
        float p = expf(out[i] - high);
        sum += p;
        mean += p * ((float)i * step - 1);
    }
    return (float)d->support * mean / sum;
}

void nn_dist_means(const nn_dist *d, int atoms, int rows, const float *out, float *q)
{
    if (d->kind == NN_DIST_NONE) {
        if (q != out) memcpy(q, out, (size_t)rows * sizeof *q);
        return;
    }
    for (int r = 0; r < rows; r++) {
        const float *x = out + (size_t)r * (size_t)atoms;
        if (d->kind == NN_DIST_C51) {
            q[r] = grid_mean(d, atoms, x);
            continue;
        }
        float sum = 0;
        for (int i = 0; i < atoms; i++) sum += x[i];
        q[r] = sum / (float)atoms;
    }
}

// Each atom's mass goes to the two grid points around where it lands, in proportion to how near they are; beyond the ends
// it stays at the end.
static void project(const nn_dist *d, int atoms, double reward, double discount, const float *next, float *target)
{
    double high = (double)next[0], sum = 0, step = 2 * d->support / (atoms - 1);
    for (int i = 1; i < atoms; i++) high = fmax(high, (double)next[i]);
    for (int i = 0; i < atoms; i++) sum += exp((double)next[i] - high);
    memset(target, 0, (size_t)atoms * sizeof *target);
    for (int i = 0; i < atoms; i++) {
        double p = exp((double)next[i] - high) / sum, to = reward + discount * nn_dist_at(d, atoms, i);
        double at = (fmin(fmax(to, -d->support), d->support) + d->support) / step;
        int low = (int)at < atoms - 2 ? (int)at : atoms - 2;
        target[low] += (float)(p * (1 - (at - low)));
        target[low + 1] += (float)(p * (at - low));
    }
}

void nn_dist_target(const nn_dist *d, int atoms, double reward, double discount, const float *next, float *target)
{
    if (d->kind == NN_DIST_C51) {
        project(d, atoms, reward, discount, next, target);
        return;
    }
    for (int i = 0; i < atoms; i++) target[i] = (float)(reward + discount * (double)next[i]);
}

double nn_dist_mean(const nn_dist *d, int atoms, const double *out, double *grad)
{
    double mean = 0, sum = 0;
    if (d->kind != NN_DIST_C51) {
        for (int i = 0; i < atoms; i++) mean += out[i] / atoms, grad[i] = 1.0 / atoms;
        return mean;
    }
    double high = greatest(atoms, out);
    for (int i = 0; i < atoms; i++) sum += grad[i] = exp(out[i] - high);
    for (int i = 0; i < atoms; i++) mean += (grad[i] /= sum) * nn_dist_at(d, atoms, i);
    for (int i = 0; i < atoms; i++) grad[i] *= nn_dist_at(d, atoms, i) - mean;
    return mean;
}

static double cross_entropy(const nn_dist *d, int atoms, const double *out, const float *target, double scale,
                            double *dout, double *off)
{
    double high = greatest(atoms, out), sum = 0, mass = 0, loss = 0;
    for (int i = 0; i < atoms; i++) sum += exp(out[i] - high), mass += (double)target[i];
    *off = 0;
    for (int i = 0; i < atoms; i++) {
        double log_p = out[i] - high - log(sum), p = exp(log_p);
        loss -= scale * (double)target[i] * log_p;
        dout[i] = scale * (mass * p - (double)target[i]);
        *off += nn_dist_at(d, atoms, i) * ((double)target[i] - p);
    }
    return loss;
}

// Sum over the quantiles, mean over the targets, of |tau - [target below]| * Huber(target - quantile) / delta.
static double quantile_huber(int atoms, const double *out, const float *target, double delta, double scale,
                             double *dout, double *off)
{
    double loss = 0;
    scale /= atoms;
    *off = 0;
    for (int i = 0; i < atoms; i++) {
        double tau = (i + 0.5) / atoms, grad = 0;
        for (int j = 0; j < atoms; j++) {
            double u = (double)target[j] - out[i], side = u < 0 ? 1 - tau : tau, size = fabs(u);
            loss += scale * side * (size <= delta ? 0.5 * u * u / delta : size - 0.5 * delta);
            grad -= scale * side * (size <= delta ? u / delta : u > 0 ? 1 : -1);
        }
        dout[i] = grad;
        *off += ((double)target[i] - out[i]) / atoms;
    }
    return loss;
}

double nn_dist_loss(const nn_dist *d, int atoms, const double *out, const float *target, double huber, double scale,
                    double *dout, double *off)
{
    if (d->kind == NN_DIST_C51) return cross_entropy(d, atoms, out, target, scale, dout, off);
    return quantile_huber(atoms, out, target, huber, scale, dout, off);
}
