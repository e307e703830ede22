/* Whether two layouts are the same map. */
#ifndef TG_LAYOUT_EQUAL_H
#define TG_LAYOUT_EQUAL_H

#include "layout/axe.h"

/* Compares canonical forms.  Where the gap condition fails, it compares sets of copies on that axis;
 * where swizzles differ, it compares all elements.  TG_ERR_UNSUPPORTED if these are more than
 * TG_AXE_MOST_POINTS, or TG_ERR_NO_MEMORY. */
tg_status tg_axe_equal(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags);

/* The first element whose sets of places differ, or -1 if none of both layouts does; elements that only
 * one of them has do not count.  TG_ERR_UNSUPPORTED and TG_ERR_NO_MEMORY as above. */
tg_status tg_axe_first_difference(const tg_axe *a, const tg_axe *b, int64_t *element,
                                  tg_diags *diags);

#endif
