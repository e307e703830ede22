#include "layout/placement.h"

#include <stdlib.h>
#include <string.h>

#include "layout/map.h"

void tg_placement_free(tg_placement *placement)
{
    free(placement->byte);
    placement->byte = NULL;
}

tg_status tg_placement_begin(int64_t warps, int64_t registers, int element_bytes, tg_placement *out,
                             tg_diags *diags)
{
    int64_t count;
    *out = (tg_placement){warps, registers, element_bytes, NULL};
    if (element_bytes < 1 || element_bytes > TG_MOST_VECTOR_BYTES ||
        (element_bytes & (element_bytes - 1)))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an element has 1, 2, 4, 8 or 16 bytes, not %d",
                       element_bytes);
    if (__builtin_mul_overflow(warps, registers, &count) || count > TG_AXE_MOST_POINTS / TG_LANES)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%lld warps of %lld registers are more than %lld registers of lanes",
                       (long long)warps, (long long)registers, (long long)TG_AXE_MOST_POINTS);
    out->byte = malloc((size_t)count * TG_LANES * sizeof *out->byte);
    if (!out->byte) return tg_no_memory(diags);
    for (int64_t i = 0; i < count * TG_LANES; i++) out->byte[i] = -1;
    return TG_OK;
}

static bool uses(const tg_axe *axe, tg_axis axis)
{
    const tg_range range = tg_axe_range(axe, axis);
    return range.least || range.most;
}

/* ---- who holds an element ---- */

typedef struct holders {
    const tg_axe *axe;
    tg_axis lane, reg;
    int64_t warps,
        warp_span[TG_AXIS_COUNT]; /* of axes that count warps; of the lane axis, warps too */
    tg_range range[TG_AXIS_COUNT];
} holders;

static tg_status check_axis(const holders *h, tg_axis a, tg_diags *diags)
{
    if (h->range[a].least < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no %s %lld", tg_axes[a].name,
                       (long long)h->range[a].least);
    if (a == TG_AXIS_lane && h->range[a].most >= TG_LANES)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a warp has no lane %lld",
                       (long long)h->range[a].most);
    if (a != h->reg && tg_axes[a].kind != TG_AXIS_THREAD)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "axis %s is neither of threads nor of registers", tg_axes[a].name);
    return TG_OK;
}

/* The axes that are used; which have lanes and registers; how many warps each one tells apart. */
static tg_status find_holders(const tg_axe *axe, holders *h, tg_diags *diags)
{
    *h = (holders){.axe = axe, .lane = TG_AXIS_lane, .reg = TG_AXIS_reg, .warps = 1};
    if (axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "registers are not swizzled");
    if (uses(axe, TG_AXIS_tx)) h->lane = TG_AXIS_tx;
    if (uses(axe, TG_AXIS_tid_in_wg)) h->lane = TG_AXIS_tid_in_wg;
    if (!uses(axe, TG_AXIS_reg)) h->reg = TG_AXIS_m;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        h->warp_span[a] = 1;
        h->range[a] = tg_axe_range(axe, (tg_axis)a);
        if (!uses(axe, (tg_axis)a)) continue;
        TG_TRY(check_axis(h, (tg_axis)a, diags));
        if (a == (int)h->reg || a == TG_AXIS_lane) continue;
        const int64_t span = h->range[a].most + 1;
        h->warp_span[a] = a == (int)h->lane ? (span + TG_LANES - 1) / TG_LANES : span;
        if (__builtin_mul_overflow(h->warps, h->warp_span[a], &h->warps))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "there are more than 2^63 warps");
    }
    return TG_OK;
}

/* Which place of a placement a coordinate is. */
static int64_t slot(const holders *h, const tg_placement *p, const tg_coordinate *at)
{
    int64_t warp = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (h->warp_span[a] == 1) continue;
        const int64_t v = a == (int)h->lane ? at->at[a] / TG_LANES : at->at[a];
        warp = warp * h->warp_span[a] + v;
    }
    return (warp * p->registers + at->at[h->reg]) * TG_LANES + at->at[h->lane] % TG_LANES;
}

/* ---- where an element is ---- */

static tg_status check_memory(const tg_axe *memory, tg_axis *axis, tg_diags *diags)
{
    *axis = uses(memory, TG_AXIS_byte) ? TG_AXIS_byte : TG_AXIS_m;
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (a != (int)*axis && uses(memory, (tg_axis)a))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "axis %s is not memory of elements or of bytes", tg_axes[a].name);
    if (tg_iters_size(&memory->r) != 1)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "in memory, an element has %lld copies",
                       (long long)tg_iters_size(&memory->r));
    const tg_range range = tg_axe_range(memory, *axis);
    if (range.least < 0 || range.most > INT64_MAX / 64)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no address %lld",
                       (long long)(range.least < 0 ? range.least : range.most));
    return TG_OK;
}

/* Puts element x, at `byte`, where it is held. */
static tg_status put(const holders *h, int64_t x, int64_t byte, int64_t *element, tg_placement *p,
                     tg_diags *diags)
{
    const int64_t copies = tg_iters_size(&h->axe->r);
    for (int64_t r = 0; r < copies; r++) {
        tg_coordinate at;
        tg_axe_map(h->axe, x, r, &at);
        const int64_t i = slot(h, p, &at);
        if (p->byte[i] >= 0 && element[i] != x)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "register %lld of lane %lld holds elements %lld and %lld",
                           (long long)at.at[h->reg], (long long)at.at[h->lane],
                           (long long)element[i], (long long)x);
        element[i] = x;
        p->byte[i] = byte;
    }
    return TG_OK;
}

static tg_status fill(const holders *h, const tg_axe *memory, tg_axis axis, tg_placement *p,
                      tg_diags *diags)
{
    const int64_t size = tg_iters_size(&memory->d), unit = axis == TG_AXIS_m ? p->element_bytes : 1;
    int64_t *element = malloc((size_t)(p->warps * p->registers) * TG_LANES * sizeof *element);
    tg_status status = element ? TG_OK : tg_no_memory(diags);
    for (int64_t x = 0; status == TG_OK && x < size; x++) {
        tg_coordinate at;
        tg_axe_map(memory, x, 0, &at);
        status = put(h, x, at.at[axis] * unit, element, p, diags);
    }
    free(element);
    return status;
}

tg_status tg_placement_of(const tg_axe *registers, const tg_axe *memory, int element_bytes,
                          tg_placement *out, tg_diags *diags)
{
    holders h;
    tg_axis axis;
    *out = (tg_placement){0};
    const int64_t held = tg_iters_size(&registers->d), kept = tg_iters_size(&memory->d);
    if (held != kept)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "registers hold %lld elements, memory %lld",
                       (long long)held, (long long)kept);
    if (held > TG_AXE_MOST_POINTS / tg_iters_size(&registers->r))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "there are more than %lld elements and copies",
                       (long long)TG_AXE_MOST_POINTS);
    TG_TRY(find_holders(registers, &h, diags));
    TG_TRY(check_memory(memory, &axis, diags));
    TG_TRY(tg_placement_begin(h.warps, h.range[h.reg].most + 1, element_bytes, out, diags));
    const tg_status status = fill(&h, memory, axis, out, diags);
    if (status != TG_OK) tg_placement_free(out);
    return status;
}
