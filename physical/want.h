/* Whether a value is held where somebody wants it. */
#ifndef TG_PHYSICAL_WANT_H
#define TG_PHYSICAL_WANT_H

#include "layout/axe.h"
#include "layout/shape.h"

/* What a thread may do on its own. */
typedef enum tg_want_freedom {
    TG_WANT_EXACTLY,   /* nothing: elements are in the registers that are named */
    TG_WANT_IN_THREADS /* name its registers; but elements that share one of 32 bits stay together */
} tg_want_freedom;

typedef struct tg_want {
    const tg_axe *is, *wanted;
    const tg_shape *shape; /* of the value */
    tg_want_freedom freedom;
    int bits; /* of an element */
} tg_want;

/* Writes to `why` what is wrong, with both layouts in canonical form and one element with both places;
 * an empty text: nothing is.  TG_ERR_UNSUPPORTED for more places than are compared (2^20), or
 * TG_ERR_NO_MEMORY. */
enum { TG_WANT_TEXT = 600 };
tg_status tg_want_check(const tg_want *want, char why[TG_WANT_TEXT], tg_diags *diags);

#endif
