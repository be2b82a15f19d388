// Log-likelihoods with first and second derivatives, in forms that neither overflow nor cancel.
//
// Rao-Kupper's draw is 1 - f(d-t) - f(-d-t) = (e^2t - 1) f(d-t) f(-d-t), so a draw counts as one win and one loss of
// the shifted logistic and a term of t alone.
#include "stats/model.h"

#include <math.h>

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double log_logistic(double x)
{
    return x >= 0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

static model_value eval_bt(double d, double wins, double draws, double losses)
{
    double up = wins + 0.5 * draws, down = losses + 0.5 * draws, n = wins + draws + losses;
    double p = logistic(d), q = logistic(-d);
    return (model_value){
        .ll = up * log_logistic(d) + down * log_logistic(-d), .gd = up * q - down * p, .hdd = -n * p * q};
}

static model_value eval_rao_kupper(double d, double t, double wins, double draws, double losses)
{
    double a = wins + draws, b = losses + draws;
    double p = logistic(d - t), p1 = logistic(t - d), q = logistic(-d - t), q1 = logistic(d + t);
    double ha = a * p * p1, hb = b * q * q1;
    model_value v = {.ll = a * log_logistic(d - t) + b * log_logistic(-d - t),
                     .gd = a * p1 - b * q1,
                     .ge = -a * p1 - b * q1,
                     .hdd = -ha - hb,
                     .hde = ha - hb,
                     .hee = -ha - hb};
    if (draws > 0) {
        double w = -expm1(-2 * t); // 1 - e^-2t
        v.ll += draws * (2 * t + log(w));
        v.ge += draws * 2 / w;
        v.hee -= draws * 4 * exp(-2 * t) / (w * w);
    }
    return v;
}

void model_chances(rating_model m, double d, double e, double p[3])
{
    if (m == MODEL_DAVIDSON) {
        double top = fmax(fabs(d) / 2, e);
        double w = exp(d / 2 - top), l = exp(-d / 2 - top), x = exp(e - top), z = w + l + x;
        p[0] = l / z, p[1] = x / z, p[2] = w / z;
        return;
    }
    double t = m == MODEL_RAO_KUPPER ? e : 0.0;
    p[2] = logistic(d - t);
    p[0] = logistic(-d - t);
    p[1] = m == MODEL_RAO_KUPPER ? logistic(t - d) * logistic(d + t) * -expm1(-2 * t) : 0.0;
}

static model_value eval_davidson(double d, double e, double wins, double draws, double losses)
{
    double p[3], n = wins + draws + losses, top = fmax(fabs(d) / 2, e);
    model_chances(MODEL_DAVIDSON, d, e, p);
    double log_z = top + log(exp(d / 2 - top) + exp(-d / 2 - top) + exp(e - top));
    double lead = p[2] - p[0];
    model_value v = {.ll = wins * (d / 2 - log_z) + losses * (-d / 2 - log_z),
                     .gd = 0.5 * (wins - losses) - 0.5 * n * lead,
                     .ge = draws - n * p[1],
                     .hdd = -0.25 * n * (p[2] + p[0] - lead * lead),
                     .hde = 0.5 * n * lead * p[1],
                     .hee = -n * p[1] * (p[0] + p[2])};
    if (draws > 0) v.ll += draws * (e - log_z); // e may be -inf where nothing was drawn
    return v;
}

model_value model_eval(rating_model m, double d, double e, double wins, double draws, double losses)
{
    switch (m) {
    case MODEL_RAO_KUPPER:
        return eval_rao_kupper(d, e, wins, draws, losses);
    case MODEL_DAVIDSON:
        return eval_davidson(d, e, wins, draws, losses);
    default:
        return eval_bt(d, wins, draws, losses);
    }
}

double model_draw_start(rating_model m, double rate)
{
    if (m == MODEL_RAO_KUPPER) return 2 * atanh(rate); // rate = tanh(t / 2) at d = 0
    if (m == MODEL_DAVIDSON) return log(2 * rate / (1 - rate));
    return 0.0;
}
