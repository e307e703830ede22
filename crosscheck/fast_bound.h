/* Outputs of profile fast held against those of profile reference, within bounds that are derived
 * (bounds/kernel.h). */
#ifndef TG_CROSSCHECK_FAST_BOUND_H
#define TG_CROSSCHECK_FAST_BOUND_H

#include "ir/tensor.h"
#include "loaders/case.h"

/* The bounds of a case's outputs.  Zero-initialise; free with tg_fast_bounds_free. */
typedef struct tg_fast_bounds {
    bool is_known;     /* the kernel of bounds has run, or cannot */
    char why_not[512]; /* no bound can be derived, in one line; "": one can */
    tg_tensors outputs;
} tg_fast_bounds;

/* Derives and computes the bounds, unless they are known.  TG_ERR_NO_MEMORY, or TG_OK, also where
 * none can be derived. */
tg_status tg_fast_bounds_find(const tg_case *c, tg_fast_bounds *bounds);
void tg_fast_bounds_free(tg_fast_bounds *bounds);

/* Each is worse than those before it. */
typedef enum tg_fast_verdict {
    TG_FAST_EQUAL,    /* the same bits; NaN is NaN */
    TG_FAST_WITHIN,   /* every element within its bound */
    TG_FAST_UNJUDGED, /* an element that differs has no bound */
    TG_FAST_OUTSIDE   /* an element is not within its bound */
} tg_fast_verdict;

/* The element that takes up most of its bound, or is farthest outside. */
typedef struct tg_fast_worst {
    int64_t element; /* row-major; -1: none differs */
    double off, bound;
} tg_fast_worst;

/* The bounds of an output; NULL: both profiles have the same. */
const tg_tensor *tg_fast_bound_of(const tg_fast_bounds *bounds, const char *output);

/* Holds `got` against `want`, tensors of one type; `bound` of f64 and as many elements, NULL: they
 * must be equal. */
tg_fast_verdict tg_fast_judge(const tg_tensor *got, const tg_tensor *want, const tg_tensor *bound,
                              tg_fast_worst *worst);

#endif
