#include "layout/linear/convert.h"

#include <string.h>

#include "layout/canonical.h"
#include "layout/linear/tile.h"

static const struct {
    const char *dim;
    tg_axis axis;
} other_names[] = {{"register", TG_AXIS_reg},
                   {"offset", TG_AXIS_m},
                   {"row", TG_AXIS_TLane},
                   {"col", TG_AXIS_TCol}};

tg_axis tg_linear_axis_of(const char *dim)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(dim, other_names[i].dim) == 0) return other_names[i].axis;
    return tg_axis_find(dim, strlen(dim));
}

const char *tg_linear_dim_of(tg_axis axis)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (axis == other_names[i].axis) return other_names[i].dim;
    return tg_axes[axis].name;
}

/* ---- Axe -> linear ---- */

/* What each bit of each axis is: of an element's index, or of a copy. */
typedef struct bits {
    uint64_t used[TG_AXIS_COUNT];
    uint64_t element[TG_AXIS_COUNT][TG_LINEAR_MAX_BITS]; /* the bit of the index; 0 for a copy */
    tg_diags *diags;
} bits;

static tg_status check_iter(const tg_iter *it, tg_diags *diags)
{
    if (it->extent & (it->extent - 1))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because extent %lld is no power of two",
                       (long long)it->extent);
    if (it->stride == 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because %lld elements share a place",
                       (long long)it->extent);
    if (it->stride < 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because stride %lld on axis %s goes backwards",
                       (long long)it->stride, tg_axes[it->axis].name);
    if (it->stride & (it->stride - 1))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because stride %lld on axis %s is no power of two",
                       (long long)it->stride, tg_axes[it->axis].name);
    return TG_OK;
}

/* Takes the bits of an iter; `element` is its lowest bit of the index, or 0 for copies. */
static tg_status take_iter(bits *b, const tg_iter *it, uint64_t element)
{
    TG_TRY(check_iter(it, b->diags));
    const int low = __builtin_ctzll((unsigned long long)it->stride);
    const int count = __builtin_ctzll((unsigned long long)it->extent);
    for (int i = 0; i < count; i++) {
        if (low + i >= TG_LINEAR_MAX_BITS)
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because axis %s has more than %d bits",
                           tg_axes[it->axis].name, TG_LINEAR_MAX_BITS);
        if (b->used[it->axis] >> (low + i) & 1)
            return tg_fail(
                b->diags, TG_ERR_UNSUPPORTED, NULL,
                "not representable because the digits of two iters meet in bit %d of axis %s",
                low + i, tg_axes[it->axis].name);
        b->used[it->axis] |= UINT64_C(1) << (low + i);
        b->element[it->axis][low + i] = element << i;
    }
    return TG_OK;
}

static tg_status take_all(bits *b, const tg_axe *canonical)
{
    uint64_t element = 1;
    for (int i = canonical->d.count - 1; i >= 0; i--) {
        TG_TRY(take_iter(b, &canonical->d.list[i], element));
        element *= (uint64_t)canonical->d.list[i].extent;
    }
    for (int i = 0; i < canonical->r.count; i++) TG_TRY(take_iter(b, &canonical->r.list[i], 0));
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (canonical->offset[a])
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because element 0 is at %lld of axis %s, not at 0",
                           (long long)canonical->offset[a], tg_axes[a].name);
        const uint64_t holes = ~b->used[a] & (b->used[a] + 1);
        if (b->used[a] & (b->used[a] + 1))
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because index %llu of axis %s holds no element",
                           (unsigned long long)(holes & -holes), tg_axes[a].name);
    }
    return TG_OK;
}

/* The bits of a row-major index, in dimensions of which the first is the slowest. */
static uint64_t spread(const tg_linear_dims *outs, uint64_t element)
{
    uint64_t column = 0;
    for (int o = outs->count - 1; o >= 0; o--) {
        column |= tg_linear_column(outs, o,
                                   (int64_t)(element & ((UINT64_C(1) << outs->list[o].bits) - 1)));
        element >>= outs->list[o].bits;
    }
    return column;
}

/* Index i of the axis, before the swizzle, leads where its bits do. */
static uint64_t image(const bits *b, tg_axis axis, uint64_t i)
{
    uint64_t element = 0;
    for (; i; i &= i - 1) element ^= b->element[axis][__builtin_ctzll(i)];
    return element;
}

static tg_status put_axis(const bits *b, tg_axis axis, const tg_swizzle *swizzle, tg_linear *out)
{
    const int count = b->used[axis] ? 64 - __builtin_clzll(b->used[axis]) : 0;
    const int first = tg_linear_bit_count(&out->in);
    const bool is_swizzled = swizzle->bits && swizzle->axis == axis;
    TG_TRY(tg_linear_add_dim(&out->in, tg_linear_dim_of(axis), count, b->diags));
    for (int i = 0; i < count; i++) {
        uint64_t index = UINT64_C(1) << i;
        /* A swizzle that is applied twice is none: it is its own inverse. */
        if (is_swizzled) index = (uint64_t)tg_swizzle_apply(swizzle, (int64_t)index);
        if (index >> count)
            return tg_fail(
                b->diags, TG_ERR_UNSUPPORTED, NULL,
                "not representable because the swizzle leads beyond the %d bits of axis %s", count,
                tg_axes[axis].name);
        out->columns[first + i] = spread(&out->out, image(b, axis, index));
    }
    return TG_OK;
}

/* The axes in their order; see convert.h. */
static tg_status put_axes(const bits *b, const tg_swizzle *swizzle, tg_linear *out)
{
    static const tg_axis threads[] = {TG_AXIS_reg, TG_AXIS_lane, TG_AXIS_warp, TG_AXIS_block};
    static const tg_axis memory[] = {TG_AXIS_m, TG_AXIS_block};
    uint32_t used = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++) used |= (uint32_t)(b->used[a] != 0) << a;
    const uint32_t block = UINT32_C(1) << TG_AXIS_block, m = UINT32_C(1) << TG_AXIS_m;
    const uint32_t of_threads = block | UINT32_C(1) << TG_AXIS_reg | UINT32_C(1) << TG_AXIS_lane |
                                UINT32_C(1) << TG_AXIS_warp;
    const bool is_memory = used & m && !(used & ~(m | block)), is_threads = !(used & ~of_threads);
    for (int i = 0; is_threads && i < 4; i++) TG_TRY(put_axis(b, threads[i], swizzle, out));
    for (int i = 0; is_memory && i < 2; i++) TG_TRY(put_axis(b, memory[i], swizzle, out));
    for (int a = 0; !is_threads && !is_memory && a < TG_AXIS_COUNT; a++)
        if (used >> a & 1) TG_TRY(put_axis(b, (tg_axis)a, swizzle, out));
    return TG_OK;
}

static tg_status put_shape(const tg_shape *shape, int64_t elements, tg_linear *out, tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (size != elements)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a shape of %lld elements is none of a layout of %lld", (long long)size,
                       (long long)elements);
    for (int i = 0; i < shape->rank; i++) {
        if (shape->extent[i] & (shape->extent[i] - 1))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because extent %lld is no power of two",
                           (long long)shape->extent[i]);
        TG_TRY(tg_linear_add_dim(&out->out, tg_tile_dim(i),
                                 __builtin_ctzll((unsigned long long)shape->extent[i]), diags));
    }
    return TG_OK;
}

tg_status tg_linear_from_axe(const tg_axe *axe, const tg_shape *shape, tg_linear *out,
                             tg_diags *diags)
{
    tg_axe canonical;
    bits b = {.diags = diags};
    tg_linear_begin(out);
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    TG_TRY(put_shape(shape, tg_iters_size(&axe->d), out, diags));
    TG_TRY(take_all(&b, &canonical));
    return put_axes(&b, &canonical.swizzle, out);
}

/* ---- linear -> Axe ---- */

typedef struct placing {
    const tg_linear *linear;
    tg_axis axes[TG_LINEAR_MAX_DIMS];
    uint64_t columns[TG_LINEAR_MAX_BITS]; /* without the swizzle */
    tg_swizzle swizzle;
    int in_of[TG_LINEAR_MAX_BITS]; /* the in bit that leads to an out bit */
    tg_diags *diags;
} placing;

static tg_status find_axes(placing *p)
{
    uint32_t seen = 0;
    for (int d = 0; d < p->linear->in.count; d++) {
        const char *name = p->linear->in.list[d].name;
        p->axes[d] = tg_linear_axis_of(name);
        if (p->axes[d] == TG_AXIS_NONE)
            return tg_fail(p->diags, TG_ERR_INVALID, NULL, "there is no axis for dimension \"%s\"",
                           name);
        if (seen >> p->axes[d] & 1)
            return tg_fail(p->diags, TG_ERR_INVALID, NULL, "two dimensions are axis %s",
                           tg_axes[p->axes[d]].name);
        seen |= UINT32_C(1) << p->axes[d];
    }
    return TG_OK;
}

static bool is_one_bit(uint64_t column) { return (column & (column - 1)) == 0; }

/* Undoes a swizzle of the dimension whose first bit is `first`.  False if it leads beyond its bits. */
static bool undo(placing *p, const tg_swizzle *swizzle, int first, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t index = (uint64_t)tg_swizzle_apply(swizzle, INT64_C(1) << i);
        if (index >> count) return false;
        p->columns[first + i] = 0;
        for (; index; index &= index - 1)
            p->columns[first + i] ^= p->linear->columns[first + __builtin_ctzll(index)];
    }
    return true;
}

/* The in bit that leads to each out bit: each is hit by exactly one, which hits no other. */
static bool match_bits(placing *p)
{
    const int count = tg_linear_bit_count(&p->linear->out);
    int matched = 0;
    for (int o = 0; o < count; o++) p->in_of[o] = -1;
    for (int i = 0; i < tg_linear_bit_count(&p->linear->in); i++) {
        if (!p->columns[i]) continue;
        int *of = &p->in_of[__builtin_ctzll(p->columns[i])];
        if (!is_one_bit(p->columns[i]) || *of >= 0) return false;
        *of = i;
        matched++;
    }
    return matched == count;
}

static bool is_memory(const placing *p, int dim)
{
    return tg_axes[p->axes[dim]].kind == TG_AXIS_MEMORY && p->axes[dim] != TG_AXIS_reg;
}

/* Tries all swizzles of a memory dimension, with few bits and small shifts first. */
static bool match_swizzled(placing *p, int dim)
{
    const int first = tg_linear_first_bit(&p->linear->in, dim);
    const int count = p->linear->in.list[dim].bits;
    for (int n = 1; n <= count / 2; n++)
        for (int shift = n; shift + n <= count; shift++)
            for (int base = 0; base + n + shift <= count; base++)
                for (int sign = 1; sign >= -1; sign -= 2) {
                    p->swizzle = (tg_swizzle){n, base, sign * shift, p->axes[dim]};
                    if (undo(p, &p->swizzle, first, count) && match_bits(p)) return true;
                }
    p->swizzle.bits = 0;
    memcpy(&p->columns[first], &p->linear->columns[first], (size_t)count * sizeof *p->columns);
    return false;
}

/* Why the bits do not match without a swizzle. */
static tg_status tell_mismatch(const placing *p)
{
    const tg_linear *linear = p->linear;
    uint64_t hit = 0;
    for (int d = 0, k = 0; d < linear->in.count; d++)
        for (int i = 0; i < linear->in.list[d].bits; i++, k++) {
            if (!is_one_bit(linear->columns[k]))
                return tg_fail(p->diags, TG_ERR_UNSUPPORTED, NULL,
                               "not representable because basis %d of \"%s\" hits %d bits%s", i,
                               linear->in.list[d].name, __builtin_popcountll(linear->columns[k]),
                               is_memory(p, d) ? ", and no swizzle does that" : "");
            if (hit & linear->columns[k])
                return tg_fail(
                    p->diags, TG_ERR_UNSUPPORTED, NULL,
                    "not representable because basis %d of \"%s\" hits a bit that another "
                    "one hits",
                    i, linear->in.list[d].name);
            hit |= linear->columns[k];
        }
    for (int o = 0; o < linear->out.count; o++)
        for (int i = 0; i < linear->out.list[o].bits; i++)
            if (!(hit & tg_linear_column(&linear->out, o, INT64_C(1) << i)))
                return tg_fail(p->diags, TG_ERR_UNSUPPORTED, NULL,
                               "not representable because no basis hits bit %d of \"%s\": elements "
                               "have no place",
                               i, linear->out.list[o].name);
    return TG_ERR_UNSUPPORTED;
}

static tg_status match(placing *p)
{
    if (match_bits(p)) return TG_OK;
    for (int d = 0; d < p->linear->in.count; d++)
        if (is_memory(p, d) && match_swizzled(p, d)) return TG_OK;
    return tell_mismatch(p);
}

/* An iter of two digits for in bit k. */
static void put_bit(const placing *p, int k, tg_iters *iters)
{
    int dim = 0;
    while (k >= p->linear->in.list[dim].bits) k -= p->linear->in.list[dim++].bits;
    tg_iters_put(iters, 2, INT64_C(1) << k, p->axes[dim]);
}

tg_status tg_linear_to_axe(const tg_linear *linear, tg_axe *axe, tg_shape *shape, tg_diags *diags)
{
    placing p = {.linear = linear, .diags = diags};
    memcpy(p.columns, linear->columns, sizeof p.columns);
    tg_axe_begin(axe);
    TG_TRY(find_axes(&p));
    TG_TRY(match(&p));
    shape->rank = linear->out.count;
    for (int o = 0; o < linear->out.count; o++) {
        shape->extent[o] = INT64_C(1) << linear->out.list[o].bits;
        for (int i = linear->out.list[o].bits - 1; i >= 0; i--)
            put_bit(&p, p.in_of[tg_linear_first_bit(&linear->out, o) + i], &axe->d);
    }
    for (int i = 0; i < tg_linear_bit_count(&linear->in); i++)
        if (!p.columns[i]) put_bit(&p, i, &axe->r);
    axe->swizzle = p.swizzle;
    tg_axe_canonize(axe);
    return tg_axe_check(axe, diags);
}
