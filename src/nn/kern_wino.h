// Winograd's one-dimensional transforms, for kern_impl.h: F(2,3), F(4,3), F(5,3), F(8,3).
//
// With interpolation points p_i (and infinity), y = A^T [(G g) * (B^T d)]: A^T holds powers of the points, G the powers
// over N_i = prod(p_i - p_k), B^T the coefficients of prod(x - p_k), k != i. Points: F(2,3) 0, +-1; F(4,3) 0, +-2/3, +-3/2;
// F(5,3) 0, +-1, +-2, 1/2; F(8,3) 0, +-2/5, +-4/5, +-5/4, +-5/2. Of the sets tried, those of F(4,3) and F(8,3) have the smallest
// rounding errors (with +-1, +-2 F(4,3) has twice the mean and four times the worst), and inverses of each other are cheap:
// (x^2 - p^2)(x^2 - 1/p^2) = x^4 - k*x^2 + 1.
// In F(4,3) p moves from A^T to G for 2/3, and p^2 for 3/2: what is left in A^T has a 1 in each place where that saves a product.
// A pair of points +-p shares q(x) = the product without both, and its rows are x*q +- p*q: hence the sums and differences.
// Each function reads elements `s` apart and writes them `os` apart, so rows and columns use the same code.
#ifndef KEIKO_NN_KERN_WINO_H
#define KEIKO_NN_KERN_WINO_H

#include "nn/vec.h"

static const float wino_g4[4][3] = {{-1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
static const float wino_g6[6][3] = {{1, 0, 0},
                                    {-54 / 130.f, -36 / 130.f, -24 / 130.f},
                                    {-54 / 130.f, 36 / 130.f, -24 / 130.f},
                                    {36 / 130.f, 54 / 130.f, 81 / 130.f},
                                    {36 / 130.f, -54 / 130.f, 81 / 130.f},
                                    {0, 0, 1}};
static const float wino_g7[7][3] = {{-0.5f, 0, 0},
                                    {-1 / 3.f, -1 / 3.f, -1 / 3.f},
                                    {1 / 9.f, -1 / 9.f, 1 / 9.f},
                                    {1 / 36.f, 1 / 18.f, 1 / 9.f},
                                    {-1 / 60.f, 1 / 30.f, -1 / 15.f},
                                    {32 / 45.f, 16 / 45.f, 8 / 45.f},
                                    {0, 0, 1}};
static const float wino_g10[10][3] = {{1, 0, 0},
                                      {-781250 / 1024947.f, -312500 / 1024947.f, -125000 / 1024947.f},
                                      {-781250 / 1024947.f, 312500 / 1024947.f, -125000 / 1024947.f},
                                      {390625 / 1242054.f, 312500 / 1242054.f, 250000 / 1242054.f},
                                      {390625 / 1242054.f, -312500 / 1242054.f, 250000 / 1242054.f},
                                      {-32768 / 621027.f, -40960 / 621027.f, -51200 / 621027.f},
                                      {-32768 / 621027.f, 40960 / 621027.f, -51200 / 621027.f},
                                      {512 / 1024947.f, 1280 / 1024947.f, 3200 / 1024947.f},
                                      {512 / 1024947.f, -1280 / 1024947.f, 3200 / 1024947.f},
                                      {0, 0, 1}};

// F(8,3)'s pairs of points and their squares.
static const float wino_p[4] = {0.4f, 0.8f, 1.25f, 2.5f}, wino_pp[4] = {0.16f, 0.64f, 1.5625f, 6.25f};

// B^T of F(8,3): u and w hold what the inner (4/5, 5/4) and the outer points make of neighbours, and each point's row is the
// other two's with one more factor.
INLINE void wino_bt10(const vf *d, int s, vf *o, int os)
{
    vf u[6], w[6];
    UNROLL(6)
    for (int i = 0; i < 6; i++) {
        vf sum = v_add(d[i * s], d[(i + 4) * s]);
        u[i] = v_fma(d[(i + 2) * s], v_set(-2.2025f), sum);
        w[i] = v_fma(d[(i + 2) * s], v_set(-6.41f), sum);
    }
    o[0] = v_add(v_fma(u[2], v_set(-6.41f), u[0]), u[4]);
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const vf *q = i == 0 || i == 3 ? u : w;
        vf even = v_fma(q[2], v_set(-wino_pp[3 - i]), q[4]), odd = v_fma(q[1], v_set(-wino_pp[3 - i]), q[3]);
        o[(1 + 2 * i) * os] = v_fma(odd, v_set(wino_p[i]), even);
        o[(2 + 2 * i) * os] = v_fma(odd, v_set(-wino_p[i]), even);
    }
    o[9 * os] = v_add(v_fma(u[3], v_set(-6.41f), u[1]), u[5]);
}

// A^T of F(8,3): sums of each pair of points make the even outputs, differences the odd ones.
INLINE void wino_at10(const vf *a, int s, vf *o, int os)
{
    vf p[4], q[4];
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        p[i] = v_add(a[(1 + 2 * i) * s], a[(2 + 2 * i) * s]);
        q[i] = v_mul(v_sub(a[(1 + 2 * i) * s], a[(2 + 2 * i) * s]), v_set(wino_p[i]));
    }
    o[0] = v_add(a[0], v_add(v_add(p[0], p[1]), v_add(p[2], p[3])));
    o[os] = v_add(v_add(q[0], q[1]), v_add(q[2], q[3]));
    UNROLL(3)
    for (int k = 2; k < 8; k += 2) {
        vf even = v_zero(), odd = k == 6 ? a[9 * s] : v_zero();
        UNROLL(4)
        for (int i = 0; i < 4; i++) {
            float power = k == 2 ? wino_pp[i] : k == 4 ? wino_pp[i] * wino_pp[i] : wino_pp[i] * wino_pp[i] * wino_pp[i];
            even = v_fma(p[i], v_set(power), even);
            odd = v_fma(q[i], v_set(power), odd);
        }
        o[k * os] = even;
        o[(k + 1) * os] = odd;
    }
}

// A of F(8,3)
INLINE void wino_a10(const vf *y, int s, vf *o, int os)
{
    o[0] = y[0];
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        vf z = v_set(wino_pp[i]);
        vf even = v_fma(v_fma(v_fma(y[6 * s], z, y[4 * s]), z, y[2 * s]), z, y[0]);
        vf odd = v_fma(v_fma(v_fma(y[7 * s], z, y[5 * s]), z, y[3 * s]), z, y[s]);
        o[(1 + 2 * i) * os] = v_fma(odd, v_set(wino_p[i]), even);
        o[(2 + 2 * i) * os] = v_fma(odd, v_set(-wino_p[i]), even);
    }
    o[9 * os] = y[7 * s];
}

// o[t] = B^T d[t]
INLINE void wino_bt(int t, const vf *d, int s, vf *o, int os)
{
    if (t == 10) {
        wino_bt10(d, s, o, os);
    } else if (t == 4) {
        vf d1 = d[s], d2 = d[2 * s];
        o[0] = v_sub(d2, d[0]);
        o[os] = v_add(d2, d1);
        o[2 * os] = v_sub(d2, d1);
        o[3 * os] = v_sub(d[3 * s], d1);
    } else if (t == 6) {
        vf d1 = d[s], d2 = d[2 * s], d3 = d[3 * s], d4 = d[4 * s], k = v_set(-97 / 36.f);
        vf even = v_fma(d2, v_set(-2.25f), d4), odd = v_fma(d1, v_set(-2.25f), d3);
        vf even2 = v_fma(d2, v_set(-4 / 9.f), d4), odd2 = v_fma(d1, v_set(-4 / 9.f), d3);
        o[0] = v_fma(d2, k, v_add(d[0], d4));
        o[os] = v_fma(odd, v_set(2 / 3.f), even);
        o[2 * os] = v_fma(odd, v_set(-2 / 3.f), even);
        o[3 * os] = v_fma(odd2, v_set(1.5f), even2);
        o[4 * os] = v_fma(odd2, v_set(-1.5f), even2);
        o[5 * os] = v_fma(d3, k, v_add(d1, d[5 * s]));
    } else {
        vf d0 = d[0], d1 = d[s], d2 = d[2 * s], d3 = d[3 * s], d4 = d[4 * s], d5 = d[5 * s], d6 = d[6 * s];
        vf h = v_set(-0.5f), e1 = v_fma(d3, h, d4), e2 = v_fma(d4, h, d5); // (x - 1/2) on two neighbours
        vf f1 = v_fma(d1, h, d2), f2 = v_fma(d2, h, d3);
        vf u1 = v_fma(f1, v_set(-4), e1), w1 = v_fma(f2, v_set(-4), e2); // q of +-1 at x^0 and x^1
        vf u2 = v_sub(e1, f1), w2 = v_sub(e2, f2);                       // q of +-2
        vf f0 = v_fma(d0, h, d1), g1 = v_fma(d5, h, d6);
        o[0] = v_fma(f0, v_set(4), v_fma(f2, v_set(-5), e2));
        o[os] = v_add(w1, u1);
        o[2 * os] = v_sub(w1, u1);
        o[3 * os] = v_fma(u2, v_set(2), w2);
        o[4 * os] = v_fma(u2, v_set(-2), w2);
        o[5 * os] = v_fma(d1, v_set(4), v_fma(d3, v_set(-5), d5));
        o[6 * os] = v_fma(f1, v_set(4), v_fma(e1, v_set(-5), g1));
    }
}

// o[m] = A^T a[t]
INLINE void wino_at(int t, const vf *a, int s, vf *o, int os)
{
    if (t == 10) {
        wino_at10(a, s, o, os);
        return;
    }
    if (t == 4) {
        vf p = v_add(a[s], a[2 * s]), q = v_sub(a[s], a[2 * s]);
        o[0] = v_add(a[0], p);
        o[os] = v_add(q, a[3 * s]);
        return;
    }
    vf p = v_add(a[s], a[2 * s]), q = v_sub(a[s], a[2 * s]), p2 = v_add(a[3 * s], a[4 * s]),
       q2 = v_sub(a[3 * s], a[4 * s]);
    if (t == 6) {
        o[0] = v_fma(p2, v_set(4 / 9.f), v_fma(p, v_set(1.5f), a[0]));
        o[os] = v_fma(q2, v_set(2 / 3.f), q);
        o[2 * os] = v_fma(p, v_set(2 / 3.f), p2);
        o[3 * os] = v_fma(q2, v_set(1.5f), v_fma(q, v_set(4 / 9.f), a[5 * s]));
    } else {
        vf r = a[5 * s];
        o[0] = v_add(v_add(a[0], p), v_add(p2, r));
        o[os] = v_fma(r, v_set(0.5f), v_fma(q2, v_set(2), q));
        o[2 * os] = v_fma(r, v_set(0.25f), v_fma(p2, v_set(4), p));
        o[3 * os] = v_fma(r, v_set(0.125f), v_fma(q2, v_set(8), q));
        o[4 * os] = v_add(v_fma(r, v_set(0.0625f), v_fma(p2, v_set(16), p)), a[6 * s]);
    }
}

// o[t] = A y[m]: the transpose of wino_at, for weight gradients
INLINE void wino_a(int t, const vf *y, int s, vf *o, int os)
{
    if (t == 10) {
        wino_a10(y, s, o, os);
        return;
    }
    vf y0 = y[0], y1 = y[s];
    if (t == 4) {
        o[0] = y0;
        o[os] = v_add(y0, y1);
        o[2 * os] = v_sub(y0, y1);
        o[3 * os] = y1;
        return;
    }
    vf y2 = y[2 * s], y3 = y[3 * s];
    if (t == 6) {
        vf e = v_fma(y2, v_set(2 / 3.f), v_mul(y0, v_set(1.5f))), f = v_fma(y3, v_set(4 / 9.f), y1);
        vf g = v_fma(y0, v_set(4 / 9.f), y2), h = v_fma(y3, v_set(1.5f), v_mul(y1, v_set(2 / 3.f)));
        o[0] = y0;
        o[os] = v_add(e, f);
        o[2 * os] = v_sub(e, f);
        o[3 * os] = v_add(g, h);
        o[4 * os] = v_sub(g, h);
        o[5 * os] = y3;
    } else {
        vf y4 = y[4 * s], e = v_add(v_add(y0, y2), y4), f = v_add(y1, y3);
        vf g = v_fma(y4, v_set(16), v_fma(y2, v_set(4), y0)), h = v_fma(y3, v_set(8), v_mul(y1, v_set(2)));
        vf k = v_fma(y4, v_set(0.0625f), v_fma(y2, v_set(0.25f), y0));
        o[0] = y0;
        o[os] = v_add(e, f);
        o[2 * os] = v_sub(e, f);
        o[3 * os] = v_add(g, h);
        o[4 * os] = v_sub(g, h);
        o[5 * os] = v_fma(y3, v_set(0.125f), v_fma(y1, v_set(0.5f), k));
        o[6 * os] = y4;
    }
}

#endif
