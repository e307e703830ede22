/* Swizzles before a layout, and after another swizzle.  These are proposals, which callers try:
 * they hold where strides are powers of two and no digits carry, as those of swizzled layouts in
 * CuTe. */
#ifndef TG_LAYOUT_CUTE_SWIZZLE_H
#define TG_LAYOUT_CUTE_SWIZZLE_H

#include "layout/cute/layout.h"

/* The swizzle after the layout that does what `swizzle` does before it: out(L(x)) = L(swizzle(x)).
 * It xors the bits that L makes of those of `swizzle`; false if these are no run of bits.  L's own
 * offset and swizzle are left out.  (include/cute/swizzle_layout.hpp, composition of a layout and a
 * swizzle) */
bool tg_swizzle_through(const tg_cute *layout, const tg_swizzle *swizzle, tg_swizzle *out);

/* One swizzle that does `first`, then `then`; false if their shifts differ or there is none. */
bool tg_swizzle_join(const tg_swizzle *first, const tg_swizzle *then, tg_swizzle *out);

#endif
