#include "layout/swizzle_scan.h"

enum { NUMBER_BITS = 64 };

static tg_status scan_bits(tg_scanner *scan, const char *what, int *out)
{
    int64_t value;
    tg_scan_peek(scan);
    const size_t first = scan->at;
    TG_TRY(tg_scan_integer(scan, what, &value));
    if (value < -NUMBER_BITS || value > NUMBER_BITS)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a swizzle moves bits that a number has not");
    *out = (int)value;
    return TG_OK;
}

tg_status tg_swizzle_scan(tg_scanner *scan, tg_swizzle *out)
{
    TG_TRY(tg_scan_expect(scan, '<', "after \"Sw\""));
    TG_TRY(scan_bits(scan, "the number of bits", &out->bits));
    TG_TRY(tg_scan_expect(scan, ',', "in a swizzle"));
    TG_TRY(scan_bits(scan, "the base", &out->base));
    TG_TRY(tg_scan_expect(scan, ',', "in a swizzle"));
    TG_TRY(scan_bits(scan, "the shift", &out->shift));
    return tg_scan_expect(scan, '>', "after a swizzle");
}
