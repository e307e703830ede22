/* A swizzle in a text, as both Axe layouts and those of CuTe have it. */
#ifndef TG_LAYOUT_SWIZZLE_SCAN_H
#define TG_LAYOUT_SWIZZLE_SCAN_H

#include "layout/axe.h"
#include "layout/scan.h"

/* "<3,4,3>", after "Sw": bits, base and shift; the axis stays.  TG_ERR_INVALID for a number that no
 * swizzle has. */
tg_status tg_swizzle_scan(tg_scanner *scan, tg_swizzle *out);

#endif
