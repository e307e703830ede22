/* Own rules of ops that move elements. */
#include "verify/impl.h"

#include <inttypes.h>

static const int64_t *ints(const tg_check *check, tg_attr_id id)
{
    return tg_op_attr(check->op, id)->as.ints;
}

static bool check_result_dtype(const tg_check *check)
{
    if (tg_out(check, 0)->dtype == tg_in(check, 0)->dtype) return true;
    return tg_mistyped(check, "the result is %s, but must hold %s like the operand",
                       tg_show(tg_out(check, 0)).text, tg_dtypes[tg_in(check, 0)->dtype].name);
}

/* Whether the result has the operand's dtype and rank. */
static bool check_result_rank(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0), *result = tg_out(check, 0);
    if (!check_result_dtype(check)) return false;
    if (result->rank == operand->rank) return true;
    return tg_mistyped(check, "the result is %s, but must have %d dimensions like %s",
                       tg_show(result).text, operand->rank, tg_show(operand).text);
}

void tg_check_broadcast_in_dim(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0), *result = tg_out(check, 0);
    check_result_dtype(check);
    if (!tg_check_length(check, TG_ATTR_dims, operand->rank)) return;
    if (!tg_check_dims(check, TG_ATTR_dims, result->rank, TG_ASCENDING, "the result")) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t to = ints(check, TG_ATTR_dims)[d];
        if (operand->shape[d] != 1 && operand->shape[d] != result->shape[to])
            tg_mistyped(check, "dimension %d of %s does not fit dimension %" PRId64 " of %s", d,
                        tg_show(operand).text, to, tg_show(result).text);
    }
}

void tg_check_reshape(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0), *result = tg_out(check, 0);
    check_result_dtype(check);
    if (tg_type_count(operand) != tg_type_count(result))
        tg_mistyped(check, "%s has %" PRId64 " elements, but the result %s has %" PRId64,
                    tg_show(operand).text, tg_type_count(operand), tg_show(result).text,
                    tg_type_count(result));
}

void tg_check_transpose(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0);
    tg_type expected = *operand;
    if (!tg_check_length(check, TG_ATTR_permutation, operand->rank)) return;
    if (!tg_check_dims(check, TG_ATTR_permutation, operand->rank, TG_ANY_ORDER, "the operand"))
        return;
    for (int d = 0; d < operand->rank; d++)
        expected.shape[d] = operand->shape[ints(check, TG_ATTR_permutation)[d]];
    tg_check_result(check, &expected);
}

void tg_check_rev(const tg_check *check)
{
    tg_check_dims(check, TG_ATTR_axes, tg_in(check, 0)->rank, TG_ASCENDING, "the operand");
    tg_check_result(check, tg_in(check, 0));
}

/* slice: the result's extents say how many elements are taken; the last one must exist. */
void tg_check_slice(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0), *result = tg_out(check, 0);
    bool ok = check_result_rank(check);
    ok &= tg_check_length(check, TG_ATTR_start, operand->rank);
    ok &= tg_check_length(check, TG_ATTR_stride, operand->rank);
    ok &= tg_check_entries(check, TG_ATTR_start, 0);
    ok &= tg_check_entries(check, TG_ATTR_stride, 1);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t start = ints(check, TG_ATTR_start)[d],
                      stride = ints(check, TG_ATTR_stride)[d];
        const int64_t extent = operand->shape[d], taken = result->shape[d];
        const bool fits = taken == 0 ? start <= extent
                                     : start < extent && taken - 1 <= (extent - 1 - start) / stride;
        if (!fits)
            tg_mistyped(check,
                        "%" PRId64 " elements from %" PRId64 " by %" PRId64
                        " reach beyond dimension %d of %s",
                        taken, start, stride, d, tg_show(operand).text);
    }
}

/* Whether `block` lies within the operand, wherever it starts. */
static void check_block_fits(const tg_check *check, const char *what, const tg_type *block)
{
    const tg_type *operand = tg_in(check, 0);
    bool fits = block->rank == operand->rank && block->dtype == operand->dtype;
    for (int d = 0; fits && d < block->rank; d++) fits = block->shape[d] <= operand->shape[d];
    if (!fits)
        tg_mistyped(check, "%s is %s, but must have the dtype and rank of %s and be no larger",
                    what, tg_show(block).text, tg_show(operand).text);
}

static void check_start_operands(const tg_check *check, uint32_t first)
{
    const tg_type *operand = tg_in(check, 0);
    const uint32_t found = check->op->in_count - first;
    if (found != (uint32_t)operand->rank)
        tg_illegal(check, "has %" PRIu32 " starts, but %s takes %d", found, tg_show(operand).text,
                   operand->rank);
    tg_check_starts(check, first, found);
}

void tg_check_dynamic_slice(const tg_check *check)
{
    check_start_operands(check, 1);
    check_block_fits(check, "the result", tg_out(check, 0));
}

void tg_check_dynamic_update_slice(const tg_check *check)
{
    check_start_operands(check, 2);
    check_block_fits(check, "the update", tg_in(check, 1));
    tg_check_result(check, tg_in(check, 0));
}

/* Whether `part` may join `whole` along `axis`. */
static bool may_join(const tg_type *part, const tg_type *whole, int axis)
{
    if (part->dtype != whole->dtype || part->rank != whole->rank) return false;
    for (int d = 0; d < part->rank; d++)
        if (d != axis && part->shape[d] != whole->shape[d]) return false;
    return true;
}

void tg_check_concatenate(const tg_check *check)
{
    tg_type expected = *tg_in(check, 0);
    int axis;
    bool ok = true;
    if (!tg_check_axis(check, &expected, &axis)) return;
    for (uint32_t i = 1; i < check->op->in_count; i++) {
        const tg_type *part = tg_in(check, i);
        if (may_join(part, &expected, axis))
            expected.shape[axis] += part->shape[axis];
        else
            ok = tg_mistyped(
                check, "operand %" PRIu32 " is %s, but must agree with %s in all but dimension %d",
                i, tg_show(part).text, tg_show(tg_in(check, 0)).text, axis);
    }
    if (ok) tg_check_result(check, &expected);
}

/* What becomes of an extent; negative where it is less than nothing or far too large.  All
 * arguments are at most 2^47, so that only the product can overflow. */
static int64_t padded_extent(int64_t extent, int64_t low, int64_t high, int64_t interior)
{
    int64_t gaps = extent > 1 ? extent - 1 : 0;
    if (interior != 0 && gaps > TG_MOST_ELEMENTS / interior) return -1;
    return low + extent + gaps * interior + high;
}

void tg_check_pad(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0), *padding = tg_in(check, 1),
                  *result = tg_out(check, 0);
    bool ok = check_result_rank(check);
    if (padding->rank != 0 || padding->dtype != operand->dtype)
        tg_mistyped(check, "operand 1 is %s, but must be the scalar %s[]", tg_show(padding).text,
                    tg_dtypes[operand->dtype].name);
    ok &= tg_check_length(check, TG_ATTR_low, operand->rank);
    ok &= tg_check_length(check, TG_ATTR_high, operand->rank);
    ok &= tg_check_length(check, TG_ATTR_interior, operand->rank);
    ok &= tg_check_entries(check, TG_ATTR_low, -TG_MOST_ELEMENTS);
    ok &= tg_check_entries(check, TG_ATTR_high, -TG_MOST_ELEMENTS);
    ok &= tg_check_entries(check, TG_ATTR_interior, 0);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t extent =
            padded_extent(operand->shape[d], ints(check, TG_ATTR_low)[d],
                          ints(check, TG_ATTR_high)[d], ints(check, TG_ATTR_interior)[d]);
        if (extent < 0)
            tg_mistyped(check, "padding dimension %d of %s gives no legal extent", d,
                        tg_show(operand).text);
        else if (extent != result->shape[d])
            tg_mistyped(check, "dimension %d of the result %s must be %" PRId64, d,
                        tg_show(result).text, extent);
    }
}

void tg_check_tile(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0);
    tg_type expected = *operand;
    bool ok = tg_check_length(check, TG_ATTR_reps, operand->rank);
    ok &= tg_check_entries(check, TG_ATTR_reps, 0);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t reps = ints(check, TG_ATTR_reps)[d];
        if (reps != 0 && operand->shape[d] > TG_MOST_ELEMENTS / reps) {
            tg_mistyped(check, "dimension %d of %s repeated %" PRId64 " times is too large", d,
                        tg_show(operand).text, reps);
            return;
        }
        expected.shape[d] *= reps;
    }
    tg_check_result(check, &expected);
}

/* sort: operands of one shape, of which the first `keys` are compared; a result for each. */
void tg_check_sort(const tg_check *check)
{
    const tg_op *op = check->op;
    const tg_type *first = tg_in(check, 0);
    const int64_t keys = tg_op_int(op, TG_ATTR_keys, 1);
    int axis;
    bool ok = tg_check_axis(check, first, &axis);
    if (keys > op->in_count)
        ok = tg_illegal(check, "keys is %" PRId64 ", but there are %" PRIu32 " operands", keys,
                        op->in_count);
    for (uint32_t i = 1; i < op->in_count; i++)
        if (!tg_same_shape(tg_in(check, i), first))
            ok = tg_mistyped(check, "operand %" PRIu32 " is %s, but must have the shape of %s", i,
                             tg_show(tg_in(check, i)).text, tg_show(first).text);
    if (ok)
        tg_check_same_types(check, NULL, (tg_value_list){"result", op->out, op->out_count},
                            (tg_value_list){"operand", op->in, op->in_count});
}
