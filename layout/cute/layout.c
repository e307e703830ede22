#include "layout/cute/layout.h"

void tg_cute_begin(tg_cute *cute)
{
    tg_tuple_begin(&cute->shape);
    tg_tuple_begin(&cute->stride);
    cute->offset = 0;
    cute->swizzle = (tg_swizzle){0};
}

void tg_cute_put(tg_cute *cute, int64_t extent, int64_t stride)
{
    tg_tuple_put(&cute->shape, extent);
    tg_tuple_put(&cute->stride, stride);
}

int tg_cute_open(tg_cute *cute)
{
    tg_tuple_open(&cute->stride);
    return tg_tuple_open(&cute->shape);
}

void tg_cute_close(tg_cute *cute, int at)
{
    tg_tuple_close(&cute->shape, at);
    tg_tuple_close(&cute->stride, at);
}

void tg_cute_put_node(tg_cute *cute, const tg_cute *from, int at)
{
    tg_tuple_put_node(&cute->shape, &from->shape, at);
    tg_tuple_put_node(&cute->stride, &from->stride, at);
}

void tg_cute_copy(const tg_cute *from, tg_cute *to)
{
    tg_tuple_copy(&from->shape, &to->shape);
    tg_tuple_copy(&from->stride, &to->stride);
    to->offset = from->offset;
    to->swizzle = from->swizzle;
}

void tg_cute_take(const tg_cute *from, int at, tg_cute *out)
{
    const int64_t offset = from->offset;
    const tg_swizzle swizzle = from->swizzle;
    tg_cute_begin(out);
    tg_cute_put_node(out, from, at);
    out->offset = offset;
    out->swizzle = swizzle;
}

static tg_status check_mode(int64_t extent, int64_t stride, int64_t *size, int64_t *reach,
                            tg_diags *diags)
{
    int64_t step;
    if (extent < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an extent is %lld; it is at least 1",
                       (long long)extent);
    if (__builtin_mul_overflow(*size, extent, size))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the size does not fit in 63 bits");
    if (stride > INT64_MAX / 4 || stride < -INT64_MAX / 4)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "stride %lld does not fit in 61 bits",
                       (long long)stride);
    if (__builtin_mul_overflow(stride < 0 ? -stride : stride, extent - 1, &step) ||
        __builtin_add_overflow(*reach, step, reach) || *reach > INT64_MAX / 4)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "indices do not fit in 61 bits");
    return TG_OK;
}

tg_status tg_cute_check(const tg_cute *cute, tg_diags *diags)
{
    tg_axe axe;
    int64_t size = 1, reach = 0;
    TG_TRY(tg_tuple_check(&cute->shape, diags));
    if (!tg_tuple_congruent(&cute->shape, 0, &cute->stride, 0))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "shape and stride are not nested alike");
    for (int i = 0; i < cute->shape.count; i++)
        if (tg_tuple_is_integer(&cute->shape, i))
            TG_TRY(check_mode(cute->shape.node[i].value, cute->stride.node[i].value, &size, &reach,
                              diags));
    if (cute->offset > INT64_MAX / 4 || cute->offset < -INT64_MAX / 4)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the offset does not fit in 61 bits");
    if (cute->swizzle.bits == 0) return TG_OK;
    tg_axe_begin(&axe);
    axe.swizzle = cute->swizzle;
    return tg_axe_check(&axe, diags);
}

bool tg_cute_is_plain(const tg_cute *cute) { return !cute->swizzle.bits && !cute->offset; }

tg_status tg_cute_check_plain(const tg_cute *cute, const char *operation, tg_diags *diags)
{
    if (tg_cute_is_plain(cute)) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%s takes a layout without a swizzle or an offset", operation);
}

int64_t tg_cute_size(const tg_cute *cute) { return tg_tuple_product(&cute->shape, 0); }

int64_t tg_cute_cosize(const tg_cute *cute)
{
    int64_t reach = 0;
    for (int i = 0; i < cute->shape.count; i++) {
        if (!tg_tuple_is_integer(&cute->shape, i)) continue;
        const int64_t stride = cute->stride.node[i].value;
        reach += (cute->shape.node[i].value - 1) * (stride < 0 ? -stride : stride);
    }
    return reach + 1;
}

int tg_cute_rank(const tg_cute *cute) { return tg_tuple_rank(&cute->shape, 0); }

static int64_t placed(const tg_cute *cute, int64_t index)
{
    return tg_swizzle_apply(&cute->swizzle, cute->offset + index);
}

int64_t tg_cute_map(const tg_cute *cute, int64_t i)
{
    int64_t index = 0;
    for (int n = 0; n < cute->shape.count && i; n++) {
        if (!tg_tuple_is_integer(&cute->shape, n)) continue;
        index += i % cute->shape.node[n].value * cute->stride.node[n].value;
        i /= cute->shape.node[n].value;
    }
    return placed(cute, index);
}

/* Of negative numbers, C's division has the quotient and the remainder of what is positive, negated. */
bool tg_cute_map_beyond(const tg_cute *cute, int64_t i, int64_t *out)
{
    int64_t index = 0, step;
    const int last = cute->shape.count - 1; /* what comes last in preorder is an integer */
    for (int n = 0; n <= last; n++) {
        if (!tg_tuple_is_integer(&cute->shape, n)) continue;
        const int64_t extent = cute->shape.node[n].value;
        const int64_t digit = n == last ? i : i % extent;
        if (__builtin_mul_overflow(digit, cute->stride.node[n].value, &step) ||
            __builtin_add_overflow(index, step, &index))
            return false;
        i /= extent;
    }
    if (__builtin_add_overflow(index, cute->offset, &index)) return false;
    *out = tg_swizzle_apply(&cute->swizzle, index);
    return true;
}

/* The digits of `index` in all integers of a node of the shape. */
static tg_status put_digits(const tg_tuple *shape, int at, int64_t index, tg_tuple *out,
                            tg_diags *diags)
{
    const int64_t size = tg_tuple_product(shape, at);
    if (index < 0 || index >= size)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld is no index of a mode of %lld elements",
                       (long long)index, (long long)size);
    const int first = out->count;
    tg_tuple_put_node(out, shape, at);
    for (int i = first; i < out->count; i++) {
        if (!tg_tuple_is_integer(out, i)) continue;
        const int64_t extent = out->node[i].value;
        out->node[i].value = index % extent;
        index /= extent;
    }
    return TG_OK;
}

static tg_status put_coordinate(const tg_tuple *shape, int at, const tg_tuple *from, int ft,
                                tg_tuple *out, tg_diags *diags)
{
    if (tg_tuple_is_integer(from, ft))
        return put_digits(shape, at, from->node[ft].value, out, diags);
    const int rank = tg_tuple_rank(from, ft);
    if (tg_tuple_is_integer(shape, at) || tg_tuple_rank(shape, at) != rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a coordinate of %d elements is none of a mode of rank %d", rank,
                       tg_tuple_rank(shape, at));
    const int tuple = tg_tuple_open(out);
    for (int i = 0; i < rank; i++)
        TG_TRY(put_coordinate(shape, tg_tuple_element(shape, at, i), from,
                              tg_tuple_element(from, ft, i), out, diags));
    tg_tuple_close(out, tuple);
    return TG_OK;
}

tg_status tg_cute_coordinate(const tg_tuple *shape, const tg_tuple *coordinate, tg_tuple *out,
                             tg_diags *diags)
{
    tg_tuple_begin(out);
    return put_coordinate(shape, 0, coordinate, 0, out, diags);
}

tg_status tg_cute_map_at(const tg_cute *cute, const tg_tuple *coordinate, int64_t *out,
                         tg_diags *diags)
{
    tg_tuple digits;
    int64_t index = 0;
    TG_TRY(tg_cute_coordinate(&cute->shape, coordinate, &digits, diags));
    for (int i = 0; i < digits.count; i++)
        if (tg_tuple_is_integer(&digits, i))
            index += digits.node[i].value * cute->stride.node[i].value;
    *out = placed(cute, index);
    return TG_OK;
}
