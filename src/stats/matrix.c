// Cholesky factors and products; n is the number of players, so plain loops in cache order are enough.
#include "stats/matrix.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool matrix_cholesky(double *a, int n)
{
    size_t s = (size_t)n;
    for (size_t i = 0; i < s; i++) {
        double *ri = a + i * s, before = ri[i];
        for (size_t j = 0; j <= i; j++) {
            const double *rj = a + j * s;
            double sum = ri[j];
            for (size_t k = 0; k < j; k++) sum -= ri[k] * rj[k];
            if (j < i) {
                ri[j] = sum / rj[j];
            } else {
                if (!(sum > 1e-13 * before)) return false; // what is left of the pivot is rounding
                ri[i] = sqrt(sum);
            }
        }
    }
    return true;
}

void matrix_solve(const double *l, int n, const double *b, double *x)
{
    size_t s = (size_t)n;
    for (size_t i = 0; i < s; i++) {
        double sum = b[i];
        for (size_t k = 0; k < i; k++) sum -= l[i * s + k] * x[k];
        x[i] = sum / l[i * s + i];
    }
    for (size_t i = s; i-- > 0;) {
        x[i] /= l[i * s + i];
        for (size_t k = 0; k < i; k++) x[k] -= l[i * s + k] * x[i];
    }
}

void matrix_inverse(const double *l, int n, double *inverse)
{
    size_t s = (size_t)n;
    memset(inverse, 0, s * s * sizeof *inverse);
    for (size_t j = 0; j < s; j++) { // the matrix is symmetric, so its rows are as good as its columns
        double *row = inverse + j * s;
        row[j] = 1.0;
        matrix_solve(l, n, row, row);
    }
    for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < i; j++) inverse[i * s + j] = inverse[j * s + i];
}

static void product(const double *a, const double *b, int n, double *out)
{
    size_t s = (size_t)n;
    memset(out, 0, s * s * sizeof *out);
    for (size_t i = 0; i < s; i++)
        for (size_t k = 0; k < s; k++) {
            double x = a[i * s + k];
            if (x == 0.0) continue;
            for (size_t j = 0; j < s; j++) out[i * s + j] += x * b[k * s + j];
        }
}

void matrix_sandwich(const double *a, const double *b, int n, double *work, double *out)
{
    product(a, b, n, work);
    product(work, a, n, out);
}
