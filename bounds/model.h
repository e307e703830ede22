/* Error models: what an operation itself adds to the bounds that its operands pass on. */
#ifndef TG_BOUNDS_MODEL_H
#define TG_BOUNDS_MODEL_H

#include "bounds/formats.h"
#include "bounds/impl.h"

/* Covers the errors of the f64 arithmetic on bounds and exact values, relative to the result. */
#define TG_BOUND_F64_NOISE 0x1p-44

/* Covers terms of second order. */
#define TG_BOUND_SLACK (1.0 + 0x1p-7)

/* A kernel with products of more terms has no bound. */
enum { TG_BOUND_MOST_TERMS = 1 << 20 };

/* How an op rounds. */
typedef enum tg_bound_rounding {
    TG_BOUND_BASIC,     /* once: add, sub, mul, div, sqrt, conversions */
    TG_BOUND_POWER,     /* integer_pow: as a chain of products, or in one */
    TG_BOUND_ELEMENTARY /* as a function of the contract's accuracy */
} tg_bound_rounding;

typedef struct tg_bound_model {
    /* Returns whether the op's result may be off even if its operands are not. */
    bool (*adds_error)(const tg_bound *b, const tg_op *op);

    /* Returns the bound of the current op's result; `passed`: what its operands pass on, or
     * TG_NO_BOUND if they are exact. */
    tg_value_id (*rounded)(tg_bound *b, tg_value_id passed, tg_bound_rounding how);

    /* Of a sum of `count` elements in a tree of `levels`; `sizes` is the sum of their sizes. */
    tg_value_id (*sum)(tg_bound *b, tg_value_id passed, tg_value_id sizes, double count,
                       int levels);

    /* Of sums in any order, each of one element and `count` more; `all` is the sum of their sizes
     * and bounds. */
    tg_value_id (*sum_of)(tg_bound *b, tg_value_id passed, tg_value_id all, tg_value_id count);

    /* Of a matrix product of `terms` terms. */
    tg_value_id (*dot)(tg_bound *b, double terms);
} tg_bound_model;

/* ---- what models share ---- */

/* Returns whether a conversion is from a float to one that holds all its numbers. */
bool tg_bound_keeps_all(const tg_bound *b, const tg_op *convert);

/* The bound of so many successive roundings: k u / (1 - k u), relative to the sum of the sizes;
 * infinite where that says nothing. */
double tg_bound_of_chain(double count, double unit);

/* Arithmetic on bounds, which may be TG_NO_BOUND.  tg_bound_times: 0 where the error is 0, even if
 * the size is infinite. */
tg_value_id tg_bound_add(tg_bound *b, tg_value_id x, tg_value_id y);
tg_value_id tg_bound_larger(tg_bound *b, tg_value_id x, tg_value_id y);
tg_value_id tg_bound_times(tg_bound *b, tg_value_id size, tg_value_id error);

/* Returns |v|, as tg_bound_real. */
tg_value_id tg_bound_size(tg_bound *b, tg_value_id v);

/* Returns whether a bound may be 0 somewhere. */
bool tg_bound_may_be_zero(const tg_bound *b, tg_value_id bound);

/* Returns `bound`; infinite where `is_bounded` is false. */
tg_value_id tg_bound_only_if(tg_bound *b, tg_value_id is_bounded, tg_value_id bound);

/* Returns `most`, where results are in all; infinite where `e` is, as the operand may be NaN then. */
tg_value_id tg_bound_up_to(tg_bound *b, tg_value_id e, double most);

/* Emits the current op, a matrix product, on other operands of the result's dtype. */
tg_value_id tg_bound_dot(tg_bound *b, tg_value_id x, tg_value_id y);

#endif
