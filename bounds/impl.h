/* The state of building a companion kernel. */
#ifndef TG_BOUNDS_IMPL_H
#define TG_BOUNDS_IMPL_H

#include "bounds/contract.h"
#include "ir/build.h"

#define TG_NO_BOUND UINT32_MAX

/* What a value that may be off has beside it, of the same shape. */
typedef enum tg_companion {
    TG_COMPANION_BOUND, /* f64: how far off it may be; of a bool: whether it may be otherwise */
    TG_COMPANION_EXACT, /* f64: what it is in exact arithmetic */
    TG_COMPANION_COUNT
} tg_companion;

struct tg_shared_op;

typedef struct tg_bound {
    const tg_module *module;
    const tg_kernel *from;
    /* The new kernel; values of `from` keep their numbers in it. */
    tg_build *to;
    const tg_contract *contract; /* NULL: bounds of profile fast against profile reference */
    bool is_probable;            /* bounds may hold with a probability close to 1 only */
    int companions;              /* how many of tg_companion a float has */
    /* Of each value of `from`; TG_NO_BOUND: the value is exact, or the same in both profiles. */
    tg_value_id *companion[TG_COMPANION_COUNT];
    /* Bools that the kernel checks to be sure, and the companions that they had. */
    tg_value_id *settled, *settled_bound;
    uint32_t settled_count;
    /* The ops of companions in the open regions (bounds/share.h), and facts of values. */
    struct tg_shared_op *shared;
    size_t shared_count, shared_room;
    bool has_huge; /* whether a constant of the kernel is near the greatest number */
    unsigned char *facts;
    size_t fact_room;
    const tg_op *op; /* the current op of `from` */
    /* The first error; after it, results do not matter. */
    tg_status status;
    tg_diags *diags;
} tg_bound;

/* Returns whether values of the dtype have companions: floats; the narrowest are alike in both
 * profiles. */
static inline bool tg_bound_is_real(const tg_bound *b, tg_dtype dtype)
{
    return b->contract ? tg_is_float(dtype)
                       : dtype == TG_DT_f16 || dtype == TG_DT_bf16 || dtype == TG_DT_f32 ||
                             dtype == TG_DT_f64;
}

static inline tg_dtype tg_bound_dtype(const tg_bound *b, tg_value_id v)
{
    return b->from->values[v].type.dtype;
}

static inline bool tg_bound_is_ref(const tg_bound *b, tg_value_id v)
{
    return b->from->values[v].type.is_ref;
}

static inline bool tg_bound_is_off(const tg_bound *b, tg_value_id v)
{
    return b->companion[TG_COMPANION_BOUND][v] != TG_NO_BOUND;
}

#endif
