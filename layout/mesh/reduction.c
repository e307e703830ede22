#include "layout/mesh/reduction.h"

const char *const tg_reduction_names[TG_REDUCTION_COUNT] = {
    [TG_REDUCTION_SUM] = "sum", [TG_REDUCTION_MAX] = "max", [TG_REDUCTION_MIN] = "min"};

bool tg_reduction_scan(tg_scanner *scan, tg_reduction *out)
{
    for (int r = 0; r < TG_REDUCTION_COUNT; r++)
        if (tg_scan_accept_word(scan, tg_reduction_names[r])) {
            *out = (tg_reduction)r;
            return true;
        }
    return false;
}
