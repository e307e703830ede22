#include "layout/read.h"

#include <stdio.h>

#include "layout/scan.h"
#include "layout/scope.h"
#include "layout/swizzle_scan.h"

typedef struct reader {
    tg_scanner *scan;
    tg_axe *axe;
    tg_axis_set named; /* axes that the text names */
} reader;

static tg_status no_axis(tg_scanner *scan, const char *name, size_t length)
{
    char known[512] = "";
    size_t used = 0;
    for (int a = 0; a < TG_AXIS_COUNT && used < sizeof known; a++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", tg_axes[a].name);
    return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, name - scan->text,
                      "there is no axis \"%.*s\"; there are:%s", (int)length, name, known);
}

/* "@name", or nothing, which is m. */
static tg_status read_axis(reader *r, tg_axis *out)
{
    *out = TG_AXIS_m;
    if (tg_scan_accept(r->scan, '@')) {
        const char *name;
        const size_t length = tg_scan_word(r->scan, &name);
        if (!length) return tg_scan_wrong(r->scan, "the name of an axis after '@'");
        *out = tg_axis_find(name, length);
        if (*out == TG_AXIS_NONE) return no_axis(r->scan, name, length);
    }
    r->named |= TG_AXIS_BIT(*out);
    return TG_OK;
}

static tg_status read_extent(reader *r, tg_iters *iters)
{
    int64_t extent;
    const bool is_nested = tg_scan_peek(r->scan) == '(';
    const size_t first = r->scan->at;
    if (is_nested)
        return tg_fail_at(r->scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)first,
                          "expected an extent, an integer: an iter has one, and modes within modes "
                          "are CuTe's (notation cute or cute-tv)");
    TG_TRY(tg_scan_integer(r->scan, "an extent", &extent));
    if (extent < 1)
        return tg_fail_at(r->scan->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "an extent is %lld; it is at least 1", (long long)extent);
    if (iters->count == TG_AXE_MAX_ITERS)
        return tg_fail_at(r->scan->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a layout has at most %d iters", TG_AXE_MAX_ITERS);
    tg_iters_put(iters, extent, 0, TG_AXIS_NONE);
    return TG_OK;
}

static tg_status read_stride(reader *r, tg_iter *it)
{
    tg_axis axis;
    TG_TRY(tg_scan_integer(r->scan, "a stride", &it->stride));
    TG_TRY(read_axis(r, &axis));
    it->axis = it->stride ? axis : TG_AXIS_NONE;
    return TG_OK;
}

/* "(extents):(strides)", after the first parenthesis. */
static tg_status read_tuples(reader *r, tg_iters *iters)
{
    const int first = iters->count;
    int strides = first;
    do {
        TG_TRY(read_extent(r, iters));
    } while (tg_scan_accept(r->scan, ','));
    TG_TRY(tg_scan_expect(r->scan, ')', "after the extents"));
    TG_TRY(tg_scan_expect(r->scan, ':', "before the strides"));
    TG_TRY(tg_scan_expect(r->scan, '(', "before the strides"));
    const size_t at = r->scan->at;
    do {
        if (strides == iters->count) {
            strides++; /* one too many */
            break;
        }
        TG_TRY(read_stride(r, &iters->list[strides++]));
    } while (tg_scan_accept(r->scan, ','));
    if (strides != iters->count)
        return tg_fail_at(r->scan->diags, TG_ERR_INVALID, NULL, (int64_t)at,
                          "there are %d extents, but %s strides", iters->count - first,
                          strides > iters->count ? "more" : "fewer");
    return tg_scan_expect(r->scan, ')', "after the strides");
}

static tg_status read_iters(reader *r, tg_iters *iters)
{
    if (tg_scan_accept(r->scan, '(')) return read_tuples(r, iters);
    TG_TRY(read_extent(r, iters));
    TG_TRY(tg_scan_expect(r->scan, ':', "before the stride"));
    return read_stride(r, &iters->list[iters->count - 1]);
}

static tg_status read_copies(reader *r)
{
    do {
        TG_TRY(read_iters(r, &r->axe->r));
    } while (tg_scan_accept(r->scan, ','));
    return tg_scan_expect(r->scan, ']', "after the copies");
}

static tg_status read_offset(reader *r, bool negative)
{
    int64_t value;
    tg_axis axis;
    tg_scan_peek(r->scan);
    const size_t first = r->scan->at;
    TG_TRY(tg_scan_integer(r->scan, "an offset", &value));
    TG_TRY(read_axis(r, &axis));
    int64_t *sum = &r->axe->offset[axis];
    if (__builtin_add_overflow(*sum, negative ? -value : value, sum))
        return tg_fail_at(r->scan->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "the offset on axis %s does not fit in 63 bits", tg_axes[axis].name);
    return TG_OK;
}

static tg_status read_swizzle(reader *r)
{
    TG_TRY(tg_swizzle_scan(r->scan, &r->axe->swizzle));
    TG_TRY(read_axis(r, &r->axe->swizzle.axis));
    return tg_scan_expect(r->scan, 'o', "between swizzle and layout");
}

static tg_status read_layout(reader *r)
{
    if (tg_scan_accept_word(r->scan, "Sw")) TG_TRY(read_swizzle(r));
    TG_TRY(read_iters(r, &r->axe->d));
    for (;;) {
        const bool plus = tg_scan_accept(r->scan, '+'),
                   minus = !plus && tg_scan_accept(r->scan, '-');
        if (!plus && !minus) break;
        if (plus && tg_scan_accept(r->scan, '['))
            TG_TRY(read_copies(r));
        else
            TG_TRY(read_offset(r, minus));
    }
    if (tg_scan_is_end(r->scan)) return TG_OK;
    return tg_scan_wrong(r->scan, "'+', '-' or the end of the layout");
}

tg_status tg_axe_read(const char *text, size_t length, tg_axe *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    reader r = {&scan, out, 0};
    tg_axe_begin(out);
    TG_TRY(read_layout(&r));
    TG_TRY(tg_axe_check(out, diags));
    return tg_scope_check(r.named, 0, diags);
}
