/* How closely two tensors must agree.  All NaNs agree with each other, whatever their bits. */
#ifndef TG_IR_TOLERANCE_H
#define TG_IR_TOLERANCE_H

#include <stdint.h>

typedef enum tg_tolerance_kind {
    TG_TOLERANCE_BITS, /* the same bits; 0 and -0 differ */
    /* At most `ulps` steps of the dtype apart, or, for floats, at most `scale_ulps` steps of the
     * size that they have at the greatest finite expected element. */
    TG_TOLERANCE_ULP,
    TG_TOLERANCE_CLOSE /* |got - want| <= atol + rtol * |want|; infinities must be equal */
} tg_tolerance_kind;

/* Zero-initialised: the same bits. */
typedef struct tg_tolerance {
    tg_tolerance_kind kind;
    uint64_t ulps, scale_ulps;
    double rtol, atol; /* finite, not negative */
} tg_tolerance;

#endif
