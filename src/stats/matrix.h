// Small dense symmetric matrices: just what Newton's method and a covariance need. Row-major, n by n, caller-owned.
#ifndef KEIKO_STATS_MATRIX_H
#define KEIKO_STATS_MATRIX_H

#include <stdbool.h>

// a = L L^T in place (lower triangle). False when `a` is not positive definite to working precision; `a` is then
// spoilt.
bool matrix_cholesky(double *a, int n);
// Solves L L^T x = b; x may be b.
void matrix_solve(const double *l, int n, const double *b, double *x);
// inverse[n][n] of L L^T; must not be l.
void matrix_inverse(const double *l, int n, double *inverse);
// out = a b a for symmetric a and b; `work` holds n*n.
void matrix_sandwich(const double *a, const double *b, int n, double *work, double *out);

#endif
