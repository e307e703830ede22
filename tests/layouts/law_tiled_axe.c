/* Layouts of Mosaic GPU to and from Axe: who holds which element, value by value. */
#include <stdlib.h>
#include <string.h>

#include "layout/mosaic/convert.h"
#include "layouts/law.h"
#include "layouts/tiled_model.h"

static model m;
static holdings h, g;

static place at_thread(int thread, int64_t value)
{
    place p = {{0}};
    p.at[TG_AXIS_wid_in_wg] = thread / 32;
    p.at[TG_AXIS_lane] = thread % 32;
    p.at[TG_AXIS_reg] = value;
    return p;
}

/* What an axis adds to the index of a thread, and to that of a value; it stays below `bound`. */
typedef struct weight {
    tg_axis axis;
    int64_t bound, thread, value;
} weight;

static const weight registers[] = {{TG_AXIS_wid_in_wg, 4, 32, 0},
                                   {TG_AXIS_lane, 32, 1, 0},
                                   {TG_AXIS_tid_in_wg, THREADS, 1, 0},
                                   {TG_AXIS_reg, MODEL_MOST, 0, 1}};
enum { WEIGHTS = 4 };

/* The coordinates, on the axes of the weights, of the digits of an index. */
static void place_on(const tg_iters *iters, const weight *by, int64_t index, int64_t *out)
{
    for (int k = 0; k < WEIGHTS; k++) out[k] = 0;
    for (int i = iters->count - 1; i >= 0; i--) {
        const tg_iter it = iters->list[i];
        for (int k = 0; k < WEIGHTS; k++)
            if (it.axis == by[k].axis) out[k] += index % it.extent * it.stride;
        index /= it.extent;
    }
}

static int64_t points(const tg_iters *iters)
{
    int64_t size = 1;
    for (int i = 0; i < iters->count; i++) size *= iters->list[i].extent;
    return size;
}

static bool uses_only(const tg_axe *axe, const weight *by)
{
    const tg_iters *parts[] = {&axe->d, &axe->r};
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < parts[p]->count; i++) {
            bool known = parts[p]->list[i].extent == 1;
            for (int k = 0; k < WEIGHTS; k++) known |= parts[p]->list[i].axis == by[k].axis;
            if (!known) return false;
        }
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (axe->offset[a]) return false;
    return axe->swizzle.bits == 0;
}

/* Sets the element of one value of a thread.  False if there is none, or if it has an element. */
static bool hold(const weight *by, const int64_t *x, const int64_t *copy, int element,
                 holdings *out)
{
    int64_t thread = 0, value = 0;
    for (int k = 0; k < WEIGHTS; k++) {
        const int64_t at = x[k] + copy[k];
        if (at < 0 || at >= by[k].bound) return false;
        thread += at * by[k].thread;
        value += at * by[k].value;
    }
    if (thread >= THREADS || value >= out->values) return false;
    int *held = &out->element[thread * out->values + value];
    if (*held >= 0) return false;
    *held = element;
    return true;
}

/* The definition of an Axe layout, where each value of each thread is one element; false if that is not
 * so. */
static bool holdings_of_axe(const tg_axe *axe, const weight *by, holdings *out)
{
    static int64_t copy[MODEL_MOST][WEIGHTS];
    const int64_t size = points(&axe->d), copies = points(&axe->r);
    if (size * copies > MODEL_MOST || size * copies % THREADS != 0 || !uses_only(axe, by))
        return false;
    out->values = size * copies / THREADS;
    memset(out->element, -1, (size_t)(size * copies) * sizeof *out->element);
    for (int64_t r = 0; r < copies; r++) place_on(&axe->r, by, r, copy[r]);
    for (int64_t x = 0; x < size; x++) {
        int64_t at[WEIGHTS];
        place_on(&axe->d, by, x, at);
        for (int64_t r = 0; r < copies; r++)
            if (!hold(by, at, copy[r], (int)x, out)) return false;
    }
    return true;
}

outcome law_tiled_to_axe(chance *c, tg_axe *shown)
{
    tg_tiled tiled;
    tg_shape shape;
    tg_axe_begin(shown);
    random_tiled(c, &tiled, &shape);
    if (!holdings_of(&tiled, &shape, &h)) return BROKEN;
    if (tg_tiled_to_axe(&tiled, &shape, shown, NULL) != TG_OK) return BROKEN;
    if (tg_axe_check(shown, NULL) != TG_OK) return BROKEN;
    return holdings_of_axe(shown, registers, &g) && holdings_same(&h, &g) ? KEPT : BROKEN;
}

/* An array in tensor memory, mostly one that fits. */
static void random_tmem(chance *c, tg_fragment *f, tg_shape *shape, int *bits)
{
    f->kind = TG_FRAGMENT_TMEM;
    for (int tries = 0; tries < 8; tries++) {
        random_tiled(c, &f->tiled, shape);
        if (shape->rank == 2) break;
    }
    *bits = 1 << pick(c, 2, 6);
    if (holdings_of(&f->tiled, shape, &h) && h.length > 1 && 32 % h.length == 0 && !one_in(c, 4))
        *bits = (int)(32 / h.length);
}

/* Tensor memory: a vector is a column of 32 bits, or its first element is alone there. */
outcome law_tmem_to_axe(chance *c, tg_axe *shown)
{
    tg_fragment f;
    tg_shape shape;
    int bits;
    int64_t columns;
    tg_axe_begin(shown);
    random_tmem(c, &f, &shape, &bits);
    if (!holdings_of(&f.tiled, &shape, &h)) return BROKEN;
    const bool fits = shape.rank == 2 && bits <= 32 && (h.length == 1 || h.length * bits == 32);
    const bool has_address = h.length == 1 || bits >= 8;
    const tg_status status = tg_fragment_to_axe(&f, &shape, bits, shown, NULL);
    if ((tg_tmem_columns(&f.tiled, &shape, bits, &columns, NULL) == TG_OK) != fits) return BROKEN;
    if (status != TG_OK) return fits && has_address ? BROKEN : REFUSED;
    if (!fits || columns != h.values / h.length) return BROKEN;
    for (int i = 0; i < shown->d.count; i++) /* bytes to elements */
        if (shown->d.list[i].axis == TG_AXIS_byte) shown->d.list[i].stride /= bits / 8;
    const weight by[WEIGHTS] = {{TG_AXIS_TLane, THREADS, 1, 0},
                                {TG_AXIS_TCol, columns, 0, h.length},
                                {TG_AXIS_byte, h.length, 0, 1},
                                {TG_AXIS_NONE, 1, 0, 0}};
    return holdings_of_axe(shown, by, &g) && holdings_same(&h, &g) ? KEPT : BROKEN;
}

/* By their definitions: vectors are dealt in turn; a splat is one value. */
outcome law_strided(chance *c, tg_axe *shown)
{
    tg_fragment f, back;
    tg_axe_begin(shown);
    f.kind = one_in(c, 4) ? TG_FRAGMENT_SPLAT : TG_FRAGMENT_STRIDED;
    f.vector_length = pick(c, 1, 4);
    f.shape.rank = (int)pick(c, 1, 3);
    int64_t size = 1;
    for (int i = 0; i < f.shape.rank; i++)
        size *= f.shape.extent[i] = pick(c, 1, 3) * (one_in(c, 2) ? 4 : 1);
    const int64_t wanted = THREADS * f.vector_length;
    if (f.kind == TG_FRAGMENT_SPLAT && size > 6) return KEPT;
    if (f.kind == TG_FRAGMENT_STRIDED && !one_in(c, 4))
        for (int64_t k = 2; size % wanted != 0 && size * k <= MODEL_MOST; k = 2) {
            f.shape.extent[pick(c, 0, f.shape.rank - 1)] *= k;
            size *= k;
        }
    const bool is_one = f.kind == TG_FRAGMENT_SPLAT || size % wanted == 0;
    if (tg_fragment_check(&f, NULL) != TG_OK) return is_one ? BROKEN : REFUSED;
    if (!is_one || tg_fragment_to_axe(&f, &f.shape, 0, shown, NULL) != TG_OK) return BROKEN;
    model_of(shown, &m);
    for (int64_t x = 0; x < size; x++) {
        const int64_t vector = x / f.vector_length;
        const place p = at_thread((int)(vector % THREADS),
                                  vector / THREADS * f.vector_length + x % f.vector_length);
        if (f.kind == TG_FRAGMENT_STRIDED) {
            if (m.start[x + 1] - m.start[x] != 1 || !model_has(&m, x, &p)) return BROKEN;
        } else {
            if (m.start[x + 1] - m.start[x] != THREADS) return BROKEN;
            for (int t = 0; t < THREADS; t++) {
                const place q = at_thread(t, 0);
                if (!model_has(&m, x, &q)) return BROKEN;
            }
        }
    }
    if (tg_fragment_from_axe(shown, &f.shape, &back, NULL) != TG_OK) return BROKEN;
    if (back.kind == TG_FRAGMENT_TILED)
        return holdings_of(&back.tiled, &f.shape, &g) && holdings_of_axe(shown, registers, &h) &&
                       holdings_same(&g, &h)
                   ? KEPT
                   : BROKEN;
    return tg_fragment_same(&f, &back) ? KEPT : BROKEN;
}

/* ---- from Axe ---- */

/* Whether two elements differ in one dimension only, which is returned, or -1. */
static int only_difference(const tg_shape *shape, int x, int y, int64_t *by)
{
    int64_t a[TG_SHAPE_MAX_RANK], b[TG_SHAPE_MAX_RANK];
    int found = -1;
    digits_of(shape->extent, shape->rank, x, a);
    digits_of(shape->extent, shape->rank, y, b);
    for (int i = 0; i < shape->rank; i++)
        if (a[i] != b[i]) {
            if (found >= 0) return -1;
            found = i;
            *by = b[i] - a[i];
        }
    return found;
}

/* Whether vectors of a length go in equal steps along one dimension. */
static bool are_vectors(const tg_shape *shape, const int *element, int64_t values, int64_t length)
{
    int64_t step = 0, first = 0;
    int dim = -1;
    for (int64_t v = 0; v < values; v++) {
        if (v % length == 0) continue;
        const int at = only_difference(shape, element[v - 1], element[v], &step);
        if (dim < 0) {
            dim = at;
            first = step;
        }
        if (at < 0 || at != dim || step != first) return false;
    }
    return true;
}

/* Whether values of one place in the vector ascend along each dimension: registers are row-major. */
static bool ascends(const tg_shape *shape, const int *element, int64_t values, int64_t length)
{
    int64_t by;
    for (int64_t v = 0; v < values; v++)
        for (int64_t u = v + length; u < values; u += length)
            if (only_difference(shape, element[v], element[u], &by) >= 0 && by < 0) return false;
    return true;
}

static bool may_be_tiled(const tg_shape *shape)
{
    for (int64_t length = 1; length <= h.values; length++)
        if (h.values % length == 0 && are_vectors(shape, h.element, h.values, length) &&
            ascends(shape, h.element, h.values, length))
            return true;
    return false;
}

/* Whether the place of an element is the sum of what each index adds: on axes of threads and values. */
static bool is_separable(const tg_shape *shape)
{
    int64_t unit[TG_SHAPE_MAX_RANK], at[TG_SHAPE_MAX_RANK], size = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        unit[i] = size;
        size *= shape->extent[i];
    }
    for (int64_t x = 0; x < m.size; x++) {
        const place *p = &m.list[m.start[x]], *zero = &m.list[0];
        digits_of(shape->extent, shape->rank, x, at);
        for (int a = 0; a < TG_AXIS_COUNT; a++) {
            int64_t sum = zero->at[a];
            for (int i = 0; i < shape->rank; i++)
                sum += m.list[m.start[at[i] * unit[i]]].at[a] - zero->at[a];
            if (sum != p->at[a]) return false;
        }
    }
    return true;
}

static void swap_steps(chance *c, tg_iters *d)
{
    const int i = (int)pick(c, 0, d->count - 1), k = (int)pick(c, 0, d->count - 1);
    const tg_iter a = d->list[i], b = d->list[k];
    if (a.extent != b.extent && !one_in(c, 6)) return;
    d->list[i] = (tg_iter){a.extent, b.stride, b.axis};
    d->list[k] = (tg_iter){b.extent, a.stride, a.axis};
}

/* Two digits of values exchange their places in the order of strides, whatever their extents. */
static void swap_values(chance *c, tg_iters *d)
{
    int at[TG_AXE_MAX_ITERS], count = 0;
    int64_t step = 1;
    for (int i = 0; i < d->count; i++)
        if (d->list[i].axis == TG_AXIS_reg) at[count++] = i;
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i), t = at[i];
        at[i] = at[k];
        at[k] = t;
    }
    for (int i = 0; i < count; i++) {
        d->list[at[i]].stride = step;
        step *= d->list[at[i]].extent;
    }
}

/* Warps and lanes as one number, where they are. */
static void fuse_threads(tg_iters *iters)
{
    for (int i = 0; i < iters->count; i++) {
        tg_iter *it = &iters->list[i];
        if (it->axis == TG_AXIS_wid_in_wg) it->stride *= 32;
        if (it->axis == TG_AXIS_wid_in_wg || it->axis == TG_AXIS_lane) it->axis = TG_AXIS_tid_in_wg;
    }
}

static void change(chance *c, tg_axe *axe, tg_shape *shape)
{
    if (axe->d.count && one_in(c, 3)) swap_steps(c, &axe->d);
    if (one_in(c, 2)) swap_values(c, &axe->d);
    if (one_in(c, 12)) axe->offset[TG_AXIS_reg] = 1;
    if (one_in(c, 12) && axe->r.count) axe->r.list[0].stride *= 2;
    if (one_in(c, 12)) axe->swizzle = (tg_swizzle){1, 0, 1, TG_AXIS_reg};
    if (one_in(c, 4)) {
        fuse_threads(&axe->d);
        fuse_threads(&axe->r);
    }
    if (one_in(c, 6) && shape->rank > 1) { /* another shape of the same size */
        shape->rank--;
        shape->extent[shape->rank - 1] *= shape->extent[shape->rank];
    } else if (one_in(c, 6) && shape->extent[0] % 2 == 0) {
        shape->extent[shape->rank] = 2;
        shape->extent[0] /= 2;
        shape->rank++;
    }
}

outcome law_tiled_from_axe(chance *c, tg_axe *shown)
{
    tg_tiled tiled, back;
    tg_shape shape;
    tg_axe_begin(shown);
    random_tiled(c, &tiled, &shape);
    if (tg_tiled_to_axe(&tiled, &shape, shown, NULL) != TG_OK) return BROKEN;
    const bool is_changed = one_in(c, 2);
    if (is_changed) change(c, shown, &shape);
    const tg_status status = tg_tiled_from_axe(shown, &shape, &back, NULL);
    if (status == TG_OK) {
        if (tg_tiled_check(&back, NULL) != TG_OK || !holdings_of(&back, &shape, &g)) return BROKEN;
        return holdings_of_axe(shown, registers, &h) && holdings_same(&h, &g) ? KEPT : BROKEN;
    }
    if (!is_changed) return BROKEN;
    if (!holdings_of_axe(shown, registers, &h)) return REFUSED;
    model_of(shown, &m);
    return is_separable(&shape) && may_be_tiled(&shape) ? BROKEN : REFUSED;
}
