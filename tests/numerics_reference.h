/* What the operations on floats must give, from sources that share nothing with ours: the C library's
 * f64 and long double functions, and MPFR.
 *
 * A result is taken for right when the C library's f64 value rounds to it and lies farther than
 * 2^-43 of its size from every point where the rounding changes.  glibc's functions are within 4 ULP
 * of f64, which is 2^-50 (its manual, "Known Maximum Errors in Math Functions", and libmvec), and
 * what is composed of them here within a few more; so such a value and the exact one lie between the
 * same two points.  Everything else goes to MPFR with 256 bits; no function here comes as near to such
 * a point as 2^-200 without lying on it.  The largest error of the C library's values is measured where
 * MPFR is asked anyway, and one of more than 2^-46 counts as a failure of the check itself. */
#ifndef TG_TESTS_NUMERICS_REFERENCE_H
#define TG_TESTS_NUMERICS_REFERENCE_H

#include <mpfr.h>
#include <stdint.h>

#include "interp/elementwise/elementwise.h"

enum { REFERENCE_PRECISION = 256 };

/* One operation.  `b` plays no part if it has one operand. */
typedef struct reference {
    const char *name; /* the op's, but for "round_away" */
    tg_opcode op;
    int64_t imm; /* see tg_elementwise_fn */
    int operands;
    void (*fast)(double *r, const double *a, const double *b, size_t count); /* within 2^-50 */
    long double (*wide)(long double a, long double b);                       /* within 2^-58 */
    void (*exact)(mpfr_t r, const mpfr_t a, const mpfr_t b);
    double low, high; /* operands outside make results that are all alike */
} reference;

extern const reference references[];
extern const size_t reference_count;

/* The row named so, or NULL. */
const reference *reference_find(const char *name);

/* The exact result for operands in f64, with the precision of r. */
void reference_exact(const reference *f, mpfr_t r, double a, double b);

/* The results of `lanes` on `count` operands of dtype `d`, which are exact in it; all as f64. */
void reference_run(const tg_elementwise *lanes, const reference *f, tg_dtype d, const double *a,
                   const double *b, double *r, size_t count);

/* Sums over the results looked at. */
typedef struct tally {
    uint64_t tried, by_mpfr, wrong;
    double fast_error; /* largest relative error of the C library seen */
    double ulp;        /* f64: the largest error of ours, and where */
    double ulp_a, ulp_b;
    double wrong_a, wrong_b, wrong_got, wrong_want; /* the first wrong one */
} tally;

/* Holds `count` <= REFERENCE_BLOCK results against the exact ones: of f32 and narrower dtypes each must be
 * the nearest value, of f64 within 1 ULP, zeros with their signs, NaN where the exact result is none. */
enum { REFERENCE_BLOCK = 4096 };
void reference_check(const reference *f, tg_dtype d, const double *a, const double *b,
                     const double *got, size_t count, tally *t);

/* `more` on top of `t`. */
void tally_add(tally *t, const tally *more);

/* False if something was wrong, or the C library too far off to decide anything. */
bool tally_is_clean(const tally *t);

/* The k-th pseudo-random operands: of any bits, near 1, small integers and halves; exact in `d`, f32 or
 * f64, and those of one operand within its range. */
void reference_random(const reference *f, tg_dtype d, uint64_t k, double *a, double *b);

#endif
