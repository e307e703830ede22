#include "layout/mesh/shares.h"

#include <stdlib.h>

#include "layout/canonical.h"
#include "layout/map.h"

/* An iter, and how far elements are apart that differ by 1 in its digit: 0 for copies. */
typedef struct digit {
    tg_iter it;
    int64_t step;
    int64_t value;
} digit;

typedef struct digits {
    int count;
    digit list[2 * TG_AXE_MAX_ITERS];
} digits;

/* What is needed to make shares. */
typedef struct maker {
    const tg_spread *spread;
    const tg_shape *shape;
    tg_axe canonical;
    tg_shares *out;
    tg_diags *diags;
} maker;

int64_t tg_spread_held(const tg_spread *spread)
{
    return tg_axe_size_on(&spread->layout, TG_AXIS_m);
}

void tg_shares_free(tg_shares *shares)
{
    free(shares->base);
    free(shares->offset);
    free(shares->root);
    *shares = (tg_shares){0};
}

/* ---- digits ---- */

static void put_digit(digits *to, const tg_iter *it, int64_t step)
{
    to->list[to->count++] = (digit){*it, step, 0};
}

static void digits_on(const tg_axe *axe, tg_axis axis, digits *out)
{
    int64_t step = 1;
    out->count = 0;
    for (int i = axe->d.count - 1; i >= 0; i--) {
        if (axe->d.list[i].axis == axis) put_digit(out, &axe->d.list[i], step);
        step *= axe->d.list[i].extent;
    }
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis == axis) put_digit(out, &axe->r.list[i], 0);
}

/* The next value of all digits.  False after the last. */
static bool advance(digits *d)
{
    for (int i = 0; i < d->count; i++) {
        if (++d->list[i].value < d->list[i].it.extent) return true;
        d->list[i].value = 0;
    }
    return false;
}

static int64_t element_of(const digits *d)
{
    int64_t element = 0;
    for (int i = 0; i < d->count; i++) element += d->list[i].value * d->list[i].step;
    return element;
}

static int64_t coordinate_of(const maker *m, const digits *d, tg_axis axis)
{
    int64_t at = m->canonical.offset[axis];
    for (int i = 0; i < d->count; i++) at += d->list[i].value * d->list[i].it.stride;
    const tg_swizzle *swizzle = &m->canonical.swizzle;
    return swizzle->bits && swizzle->axis == axis ? tg_swizzle_apply(swizzle, at) : at;
}

static int64_t combinations(const digits *d)
{
    int64_t count = 1;
    for (int i = 0; i < d->count; i++) count *= d->list[i].it.extent;
    return count;
}

/* ---- reasons ---- */

/* TG_ERR_INVALID: the reason, after one or two elements (b < 0: one) by their coordinates. */
static tg_status refuse(const maker *m, int64_t a, int64_t b, const char *reason, int64_t number)
{
    tg_shape at;
    tg_text text = {0};
    tg_text_put(&text, b < 0 ? "element " : "elements ");
    tg_shape_coordinate(m->shape, a, &at);
    tg_shape_print(&at, &text);
    if (b >= 0) {
        tg_shape_coordinate(m->shape, b, &at);
        tg_text_put(&text, " and ");
        tg_shape_print(&at, &text);
    }
    char *elements = tg_text_finish(&text);
    if (!elements) return tg_no_memory(m->diags);
    tg_fail(m->diags, TG_ERR_INVALID, NULL, "%s %s %lld", elements, reason, (long long)number);
    free(elements);
    return TG_ERR_INVALID;
}

static tg_status check_axes(const maker *m)
{
    const tg_axe *axe = &m->canonical;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (a != TG_AXIS_gpuid && a != TG_AXIS_m && (range.least || range.most))
            return tg_fail(m->diags, TG_ERR_UNSUPPORTED, NULL,
                           "the layout has axis %s; an array on devices has axes gpuid and m",
                           tg_axes[a].name);
    }
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis != TG_AXIS_gpuid)
            return tg_fail(m->diags, TG_ERR_UNSUPPORTED, NULL,
                           "elements have several places in the memory of a device");
    int64_t step = 1;
    for (int i = axe->d.count - 1; i >= 0; i--) {
        if (axe->d.list[i].axis == TG_AXIS_NONE)
            return refuse(m, 0, step, "have one place: iters of stride 0, extent",
                          axe->d.list[i].extent);
        step *= axe->d.list[i].extent;
    }
    return TG_OK;
}

static tg_status check_sizes(const maker *m)
{
    int64_t size;
    digits devices;
    TG_TRY(tg_shape_size(m->shape, &size, m->diags));
    const int64_t elements = tg_iters_size(&m->spread->layout.d);
    if (elements != size)
        return tg_fail(m->diags, TG_ERR_INVALID, NULL,
                       "the layout has %lld elements, but the array %lld", (long long)elements,
                       (long long)size);
    digits_on(&m->canonical, TG_AXIS_gpuid, &devices);
    if (combinations(&devices) > TG_AXE_MOST_POINTS)
        return tg_fail(m->diags, TG_ERR_UNSUPPORTED, NULL,
                       "the layout has more than %lld copies of elements on devices",
                       (long long)TG_AXE_MOST_POINTS);
    if (tg_spread_held(m->spread) != m->out->place_count)
        return tg_fail(m->diags, TG_ERR_INVALID, NULL,
                       "each device holds %lld elements, but its array has %lld",
                       (long long)tg_spread_held(m->spread), (long long)m->out->place_count);
    return TG_OK;
}

/* ---- places ---- */

static tg_status put_place(maker *m, const digits *d)
{
    const int64_t at = coordinate_of(m, d, TG_AXIS_m), element = element_of(d);
    if (at < 0 || at >= m->out->place_count)
        return refuse(m, element, -1, "is outside the array of its device, at m =", at);
    if (m->out->offset[at] >= 0)
        return refuse(m, m->out->offset[at], element, "are both at m =", at);
    m->out->offset[at] = element;
    return TG_OK;
}

/* As many digits as places, and no place twice: so each place has an element. */
static tg_status put_places(maker *m)
{
    digits d;
    digits_on(&m->canonical, TG_AXIS_m, &d);
    for (int64_t i = 0; i < m->out->place_count; i++) m->out->offset[i] = -1;
    do {
        TG_TRY(put_place(m, &d));
    } while (advance(&d));
    return TG_OK;
}

/* ---- devices ---- */

/* The digit of a term, which is a part of an iter of R, by its distance from digit 0. */
static int64_t distance_in(const tg_iter *term, const digits *d)
{
    for (int i = 0; i < d->count; i++) {
        const tg_iter *it = &d->list[i].it;
        if (d->list[i].step || term->stride % it->stride != 0) continue;
        const int64_t below = term->stride / it->stride;
        if (it->extent % (below * term->extent) == 0)
            return d->list[i].value / below % term->extent * term->stride;
    }
    return 0;
}

/* How far a device is from the first term of its reduction. */
static int64_t from_root(const maker *m, const digits *d)
{
    int64_t distance = 0;
    for (int t = 0; t < m->spread->terms.count; t++)
        distance += distance_in(&m->spread->terms.list[t], d);
    return distance;
}

static tg_status put_device(maker *m, const digits *d)
{
    const int64_t at = coordinate_of(m, d, TG_AXIS_gpuid), element = element_of(d);
    tg_shares *out = m->out;
    if (at < 0 || at >= out->device_count)
        return refuse(m, element, -1, "is on a device that the mesh does not have, number", at);
    const int root = (int)(at - from_root(m, d));
    if (out->base[at] >= 0 && out->base[at] != element)
        return refuse(m, out->base[at], element, "have one place, on device", at);
    if (out->base[at] >= 0 && out->root[at] != root)
        return tg_fail(m->diags, TG_ERR_UNSUPPORTED, NULL,
                       "device %lld has two terms of the reduction", (long long)at);
    out->base[at] = element;
    out->root[at] = root;
    return TG_OK;
}

static tg_status put_devices(maker *m)
{
    digits d;
    digits_on(&m->canonical, TG_AXIS_gpuid, &d);
    for (int p = 0; p < m->out->device_count; p++) m->out->base[p] = -1;
    do {
        TG_TRY(put_device(m, &d));
    } while (advance(&d));
    for (int p = 0; p < m->out->device_count; p++)
        if (m->out->base[p] < 0)
            return tg_fail(m->diags, TG_ERR_INVALID, NULL,
                           "device %d holds no element: what is in its array is not said", p);
    return TG_OK;
}

static tg_status make(maker *m)
{
    tg_shares *out = m->out;
    TG_TRY(check_axes(m));
    TG_TRY(check_sizes(m));
    out->base = calloc((size_t)out->device_count, sizeof *out->base);
    out->root = calloc((size_t)out->device_count, sizeof *out->root);
    out->offset = calloc((size_t)out->place_count, sizeof *out->offset);
    if (!out->base || !out->root || !out->offset) return tg_no_memory(m->diags);
    TG_TRY(put_places(m));
    return put_devices(m);
}

tg_status tg_shares_of(const tg_spread *spread, const tg_shape *shape, int devices, int64_t places,
                       tg_shares *out, tg_diags *diags)
{
    maker m = {.spread = spread, .shape = shape, .out = out, .diags = diags};
    *out = (tg_shares){.device_count = devices, .place_count = places};
    tg_axe_copy(&spread->layout, &m.canonical);
    tg_axe_canonize(&m.canonical);
    const tg_status status = make(&m);
    if (status != TG_OK) tg_shares_free(out);
    return status;
}
