#include <string.h>

#include "layout/mesh/spread.h"
#include "layout/read.h"

/* Terms and ids, whose lists begin after '['. */
static tg_status read_term(tg_scanner *scan, tg_iters *out)
{
    int extent, stride;
    TG_TRY(tg_scan_small(scan, "a number of devices", &extent));
    TG_TRY(tg_scan_expect(scan, ':', "after a number of devices"));
    TG_TRY(tg_scan_small(scan, "a stride", &stride));
    if (tg_scan_accept(scan, '@') && !tg_scan_accept_word(scan, "gpuid"))
        TG_TRY(tg_scan_expect_word(scan, "device"));
    if (out->count == TG_AXE_MAX_ITERS) return tg_scan_wrong(scan, "at most 64 iters of terms");
    tg_iters_put(out, extent, stride, TG_AXIS_gpuid);
    return TG_OK;
}

static tg_status read_id(tg_scanner *scan, tg_spread *out)
{
    if (out->id_count == TG_MESH_MAX_DEVICES) return tg_scan_wrong(scan, "at most 4096 devices");
    return tg_scan_small(scan, "the id of a device", &out->ids[out->id_count++]);
}

/* After '|'. */
static tg_status read_clause(tg_scanner *scan, tg_spread *out)
{
    const bool devices = tg_scan_accept_word(scan, "devices");
    if (devices ? out->id_count : out->terms.count)
        return tg_scan_wrong(scan, "this once, not twice");
    if (!devices) {
        if (!tg_reduction_scan(scan, &out->reduction))
            return tg_scan_wrong(scan, "sum, max, min or devices");
        TG_TRY(tg_scan_expect_word(scan, "over"));
    }
    TG_TRY(tg_scan_expect(scan, '[', "before a list"));
    do {
        TG_TRY(devices ? read_id(scan, out) : read_term(scan, &out->terms));
    } while (tg_scan_accept(scan, ','));
    return tg_scan_expect(scan, ']', "after a list");
}

tg_status tg_spread_read(const char *text, size_t length, tg_spread *out, tg_diags *diags)
{
    const char *bar = length ? memchr(text, '|', length) : NULL;
    tg_scanner scan = {text, length, bar ? (size_t)(bar - text) : length, diags};
    out->terms.count = out->id_count = 0;
    out->reduction = TG_REDUCTION_SUM;
    TG_TRY(tg_axe_read(text, scan.at, &out->layout, diags));
    while (tg_scan_accept(&scan, '|')) TG_TRY(read_clause(&scan, out));
    TG_TRY(tg_scan_expect_end(&scan));
    return tg_spread_check(out, diags);
}
