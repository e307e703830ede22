/* Random expressions of f32, as kernels and in MPFR. */
#ifndef TESTS_BOUNDS_EXPRESSION_H
#define TESTS_BOUNDS_EXPRESSION_H

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_text.h"
#include "tests/numerics_reference.h"

enum { ROWS = 256, WIDTH = 64, SIDE = 8, OPS = 12, INPUTS = 2, NODES = INPUTS + OPS, BITS = 192 };

/* ---- random expressions ---- */

typedef enum kind {
    INPUT,
    CALL,
    MAX,
    MIN,
    NEG,
    ABS,
    SELECT,
    NARROW,
    SUM,
    RUNNING,
    PRODUCT,
    SORTED,
    CLAMP,
    POWER,
    WHOLE,
    MATRIX
} kind;

typedef struct node {
    kind kind;
    const reference *f; /* of CALL */
    int x, y, exponent;
} node;

typedef struct expression {
    uint64_t state;
    node all[NODES];
} expression;

static inline uint64_t draw(expression *e, uint64_t count)
{
    e->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = e->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % count;
}

static inline const reference *drawn_function(expression *e)
{
    static const char *const names[] = {
        "add",   "sub",  "mul",   "div",      "add",  "sub",   "mul",   "pow",   "atan2",
        "rem",   "exp",  "exp2",  "log",      "log2", "log1p", "sin",   "cos",   "tan",
        "expm1", "sqrt", "rsqrt", "tanh",     "atan", "sinh",  "cosh",  "asinh", "acosh",
        "asin",  "acos", "atanh", "logistic", "erf",  "cbrt",  "floor", "ceil",  "square"};
    return reference_find(names[draw(e, sizeof names / sizeof *names)]);
}

static inline expression random_expression(uint64_t seed)
{
    static const kind others[] = {MAX,     MIN,     NEG,    ABS,   SELECT, NARROW, SUM,
                                  RUNNING, PRODUCT, SORTED, CLAMP, POWER,  WHOLE,  MATRIX};
    expression e = {.state = seed};
    for (int i = 0; i < INPUTS; i++) e.all[i].kind = INPUT;
    for (int i = INPUTS; i < NODES; i++) {
        node *n = &e.all[i];
        n->x = (int)draw(&e, (uint64_t)i);
        n->y = (int)draw(&e, (uint64_t)i);
        n->exponent = (int)draw(&e, 7) - 2;
        n->kind = draw(&e, 3) ? CALL : others[draw(&e, sizeof others / sizeof *others)];
        if (n->kind == CALL) n->f = drawn_function(&e);
    }
    return e;
}

/* Value %(10 + i) is node i. */
static inline int put_node(char *out, size_t size, const node *n, int i)
{
    const int v = 10 + i, t = 100 + 4 * i, x = 10 + n->x, y = 10 + n->y;
    switch (n->kind) {
    case INPUT: return snprintf(out, size, "%%%d:f32[64] = load %%%d [0:64]; ", v, i + 1);
    case CALL:
        if (n->f->operands == 1)
            return snprintf(out, size, "%%%d:f32[64] = %s %%%d; ", v, n->f->name, x);
        return snprintf(out, size, "%%%d:f32[64] = %s %%%d %%%d; ", v, n->f->name, x, y);
    case MAX: return snprintf(out, size, "%%%d:f32[64] = max %%%d %%%d; ", v, x, y);
    case MIN: return snprintf(out, size, "%%%d:f32[64] = min %%%d %%%d; ", v, x, y);
    case NEG: return snprintf(out, size, "%%%d:f32[64] = neg %%%d; ", v, x);
    case ABS: return snprintf(out, size, "%%%d:f32[64] = abs %%%d; ", v, x);
    case SELECT:
        return snprintf(out, size,
                        "%%%d:bool[64] = lt %%%d %%%d; %%%d:f32[64] = select %%%d %%%d %%%d; ", t,
                        x, y, v, t, y, x);
    case NARROW:
        return snprintf(out, size, "%%%d:bf16[64] = convert %%%d; %%%d:f32[64] = convert %%%d; ", t,
                        x, v, t);
    case SUM:
    case PRODUCT:
        return snprintf(
            out, size,
            "%%%d:f32[] = %s %%%d axes=[0]; %%%d:f32[64] = broadcast_in_dim %%%d dims=[]; ", t,
            n->kind == SUM ? "reduce_sum" : "reduce_prod", x, v, t);
    case RUNNING: return snprintf(out, size, "%%%d:f32[64] = cumsum %%%d axis=0; ", v, x);
    case SORTED: return snprintf(out, size, "%%%d:f32[64] = sort %%%d axis=0 keys=1; ", v, x);
    case CLAMP:
        return snprintf(out, size, "%%%d:f32[64] = clamp %%%d %%%d %%%d; ", v, x, y,
                        10 + INPUTS - 1);
    case POWER:
        return snprintf(out, size, "%%%d:f32[64] = integer_pow %%%d exponent=%d; ", v, x,
                        n->exponent);
    case WHOLE:
        return snprintf(out, size, "%%%d:i32[64] = convert %%%d; %%%d:f32[64] = convert %%%d; ", t,
                        x, v, t);
    case MATRIX:
        return snprintf(out, size,
                        "%%%d:f32[8,8] = reshape %%%d; %%%d:f32[8,8] = reshape %%%d; "
                        "%%%d:f32[8,8] = dot_general %%%d %%%d lhs_contract=[1] rhs_contract=[0] "
                        "lhs_batch=[] rhs_batch=[]; %%%d:f32[64] = reshape %%%d; ",
                        t, x, t + 1, y, t + 2, t, t + 1, v, t + 2);
    }
    return 0;
}

static inline tg_module *kernel_of(const expression *e, bool is_shown)
{
    char text[8192];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "grid %d\ninput x f32[%d] block b64 at i\ninput y f32[%d] block b64 at i\n"
                         "output o f32[%d] block b64 at i\nbody\n",
                         ROWS, ROWS * WIDTH, ROWS * WIDTH, ROWS * WIDTH);
    for (int i = 0; i < NODES; i++)
        used += (size_t)put_node(text + used, sizeof text - used, &e->all[i], i);
    snprintf(text + used, sizeof text - used, "store %%3 %%%d [0:64]\n", 9 + NODES);
    if (is_shown) puts(text);
    return load_kernel(text);
}

/* ---- MPFR ---- */

typedef mpfr_t row[WIDTH];

/* NaN is last. */
static inline int by_size(const void *a, const void *b)
{
    const mpfr_t *x = a, *y = b;
    const int nans = (mpfr_nan_p(*x) != 0) - (mpfr_nan_p(*y) != 0);
    return nans ? nans : mpfr_cmp(*x, *y);
}

/* Of square matrices. */
static inline void evaluate_matrix(row *x, row *y, row out)
{
    mpfr_t term;
    mpfr_init2(term, BITS);
    for (int i = 0; i < WIDTH; i++) {
        mpfr_set_zero(out[i], 1);
        for (int k = 0; k < SIDE; k++) {
            mpfr_mul(term, (*x)[i / SIDE * SIDE + k], (*y)[k * SIDE + i % SIDE], MPFR_RNDN);
            mpfr_add(out[i], out[i], term, MPFR_RNDN);
        }
    }
    mpfr_clear(term);
}

static inline void evaluate_row(const node *n, row *value, row out)
{
    row *const x = &value[n->x];
    if (n->kind == SORTED) {
        for (int i = 0; i < WIDTH; i++) mpfr_set(out[i], (*x)[i], MPFR_RNDN);
        qsort(out, WIDTH, sizeof out[0], by_size);
        return;
    }
    if (n->kind == MATRIX) {
        evaluate_matrix(x, &value[n->y], out);
        return;
    }
    mpfr_set(out[0], (*x)[0], MPFR_RNDN);
    for (int i = 1; i < WIDTH; i++)
        (n->kind == PRODUCT ? mpfr_mul : mpfr_add)(out[i], out[i - 1], (*x)[i], MPFR_RNDN);
    for (int i = 0; n->kind != RUNNING && i < WIDTH - 1; i++)
        mpfr_set(out[i], out[WIDTH - 1], MPFR_RNDN);
}

static inline void extreme(mpfr_t r, const mpfr_t x, const mpfr_t y, bool is_max)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
        mpfr_set_nan(r);
    else
        (is_max ? mpfr_max : mpfr_min)(r, x, y, MPFR_RNDN);
}

/* NaN is 0; what i32 does not hold is the nearest that it does. */
static inline void truncate_to_i32(mpfr_t r, const mpfr_t x)
{
    mpfr_trunc(r, x);
    if (mpfr_nan_p(x)) mpfr_set_zero(r, 1);
    if (mpfr_cmp_si(r, INT32_MAX) > 0) mpfr_set_si(r, INT32_MAX, MPFR_RNDN);
    if (mpfr_cmp_si(r, INT32_MIN) < 0) mpfr_set_si(r, INT32_MIN, MPFR_RNDN);
}

static inline void evaluate_element(const node *n, row *value, int i, mpfr_t r)
{
    const mpfr_t *x = &value[n->x][i], *y = &value[n->y][i];
    switch (n->kind) {
    case CALL: n->f->exact(r, *x, *y); break;
    case MAX: extreme(r, *x, *y, true); break;
    case MIN: extreme(r, *x, *y, false); break;
    case NEG: mpfr_neg(r, *x, MPFR_RNDN); break;
    case ABS: mpfr_abs(r, *x, MPFR_RNDN); break;
    case SELECT: mpfr_set(r, mpfr_less_p(*x, *y) ? *x : *y, MPFR_RNDN); break;
    case NARROW: mpfr_set(r, *x, MPFR_RNDN); break;
    case CLAMP:
        extreme(r, *x, *y, true);
        extreme(r, r, value[INPUTS - 1][i], false);
        break;
    case POWER: mpfr_pow_si(r, *x, n->exponent, MPFR_RNDN); break;
    case WHOLE: truncate_to_i32(r, *x); break;
    default: break;
    }
}

/* clamp is min(max(x, low), high), with the operands low, x, high: a maximum all the same. */
static inline void evaluate(const expression *e, const float *x, const float *y, row *value)
{
    for (int i = 0; i < WIDTH; i++) {
        mpfr_set_flt(value[0][i], x[i], MPFR_RNDN);
        mpfr_set_flt(value[1][i], y[i], MPFR_RNDN);
    }
    for (int k = INPUTS; k < NODES; k++) {
        const node *n = &e->all[k];
        const bool is_row = n->kind == SUM || n->kind == PRODUCT || n->kind == RUNNING ||
                            n->kind == SORTED || n->kind == MATRIX;
        if (is_row) evaluate_row(n, value, value[k]);
        for (int i = 0; !is_row && i < WIDTH; i++) evaluate_element(n, value, i, value[k][i]);
    }
}

#endif
