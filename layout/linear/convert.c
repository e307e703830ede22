#include "layout/linear/convert.h"

#include <string.h>

#include "layout/canonical.h"
#include "layout/linear/solve.h"
#include "layout/linear/tile.h"
#include "layout/scope.h"

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

/* A bit of a digit: where it leads on its axis, and the bit of the element's index, or 0 for copies. */
typedef struct digit_bit {
    tg_axis axis;
    uint64_t at, element;
} digit_bit;

typedef struct digit_bits {
    int count;
    digit_bit list[TG_LINEAR_MAX_BITS];
    uint64_t used[TG_AXIS_COUNT]; /* bits of the axis, before the swizzle */
    const tg_swizzle *swizzle;
    tg_diags *diags;
} digit_bits;

static bool is_swizzled(const digit_bits *b, tg_axis axis)
{
    return b->swizzle->bits && b->swizzle->axis == axis;
}

static tg_status check_iter(const digit_bits *b, const tg_iter *it)
{
    if (it->extent & (it->extent - 1))
        return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because extent %lld is no power of two",
                       (long long)it->extent);
    if (it->stride == 0)
        return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because %lld elements share a place",
                       (long long)it->extent);
    if (it->stride < 0)
        return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because stride %lld on axis %s goes backwards",
                       (long long)it->stride, tg_axes[it->axis].name);
    if (it->stride & (it->stride - 1) && !is_swizzled(b, it->axis))
        return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                       "not representable because stride %lld on axis %s is no power of two",
                       (long long)it->stride, tg_axes[it->axis].name);
    return TG_OK;
}

/* Takes the bits of an iter; `element` is its lowest bit of the index, or 0 for copies.  Bits that do not
 * meet add up without a carry: the sum is the xor, also after a swizzle. */
static tg_status take_iter(digit_bits *b, const tg_iter *it, uint64_t element)
{
    TG_TRY(check_iter(b, it));
    for (int64_t digit = 1; digit < it->extent; digit *= 2) {
        const uint64_t at = (uint64_t)(it->stride * digit), met = b->used[it->axis] & at;
        if (met)
            return tg_fail(
                b->diags, TG_ERR_UNSUPPORTED, NULL,
                "not representable because two digits meet in bit %d of axis %s and carry",
                __builtin_ctzll(met), tg_axes[it->axis].name);
        b->used[it->axis] |= at;
        /* Bits of one axis are distinct, but there are many axes. */
        if (b->count == TG_LINEAR_MAX_BITS)
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL, "there are more than %d bits",
                           TG_LINEAR_MAX_BITS);
        const uint64_t moved =
            is_swizzled(b, it->axis) ? (uint64_t)tg_swizzle_apply(b->swizzle, (int64_t)at) : at;
        b->list[b->count++] = (digit_bit){it->axis, moved, element * (uint64_t)digit};
    }
    return TG_OK;
}

static tg_status take_all(digit_bits *b, const tg_axe *canonical)
{
    uint64_t element = 1;
    for (int i = canonical->d.count - 1; i >= 0; i--) {
        TG_TRY(take_iter(b, &canonical->d.list[i], element));
        element *= (uint64_t)canonical->d.list[i].extent;
    }
    for (int i = 0; i < canonical->r.count; i++) TG_TRY(take_iter(b, &canonical->r.list[i], 0));
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (canonical->offset[a])
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because element 0 is at %lld of axis %s, not at 0",
                           (long long)canonical->offset[a], tg_axes[a].name);
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

/* The digits of one axis, as a system to solve: which of them lead to an index. */
typedef struct axis_digits {
    tg_solver solver;
    uint64_t element[TG_LINEAR_MAX_BITS]; /* of each digit bit of the axis */
    uint64_t reached;                     /* the bits of all of them */
} axis_digits;

static void find_digits(const digit_bits *b, tg_axis axis, axis_digits *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < b->count; k++) {
        if (b->list[k].axis != axis) continue;
        out->element[out->solver.count] = b->list[k].element;
        out->reached |= b->list[k].at;
        tg_solver_add(&out->solver, b->list[k].at);
    }
}

/* Each bit of the axis leads to the element whose digits lead to that bit. */
static tg_status put_axis(const digit_bits *b, tg_axis axis, tg_linear *out)
{
    axis_digits digits;
    find_digits(b, axis, &digits);
    const int count = digits.reached ? 64 - __builtin_clzll(digits.reached) : 0;
    const int first = tg_linear_bit_count(&out->in);
    TG_TRY(tg_linear_add_dim(&out->in, tg_linear_dim_of(axis), count, b->diags));
    for (int i = 0; i < count; i++) {
        uint64_t which, element = 0;
        if (!tg_solver_solve(&digits.solver, UINT64_C(1) << i, &which))
            return tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL,
                           "not representable because index %llu of axis %s holds no element",
                           1ULL << i, tg_axes[axis].name);
        for (; which; which &= which - 1) element ^= digits.element[__builtin_ctzll(which)];
        out->columns[first + i] = spread(&out->out, element);
    }
    return TG_OK;
}

/* The axes in their order; see convert.h. */
static tg_status put_axes(const digit_bits *b, tg_linear *out)
{
    static const tg_axis threads[] = {TG_AXIS_reg, TG_AXIS_lane, TG_AXIS_warp, TG_AXIS_block};
    static const tg_axis memory[] = {TG_AXIS_m, TG_AXIS_block};
    tg_axis_set used = 0, of_threads = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (b->used[a]) used |= TG_AXIS_BIT(a);
    for (int i = 0; i < 4; i++) of_threads |= TG_AXIS_BIT(threads[i]);
    const tg_axis_set of_memory = TG_AXIS_BIT(TG_AXIS_m) | TG_AXIS_BIT(TG_AXIS_block);
    const bool is_threads = !(used & ~of_threads);
    const bool is_memory = !is_threads && !(used & ~of_memory);
    for (int i = 0; is_threads && i < 4; i++) TG_TRY(put_axis(b, threads[i], out));
    for (int i = 0; is_memory && i < 2; i++) TG_TRY(put_axis(b, memory[i], out));
    for (int a = 0; !is_threads && !is_memory && a < TG_AXIS_COUNT; a++)
        if (b->used[a]) TG_TRY(put_axis(b, (tg_axis)a, out));
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
    tg_linear_begin(out);
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    digit_bits b = {.swizzle = &canonical.swizzle, .diags = diags};
    TG_TRY(put_shape(shape, tg_iters_size(&axe->d), out, diags));
    TG_TRY(take_all(&b, &canonical));
    return put_axes(&b, out);
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
