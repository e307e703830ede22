/* Rules of single ops that move elements. */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

static const int64_t *ints(const tg_verifier *v, tg_attr_id id)
{
    return tg_op_attr(v->op, id)->as.ints;
}

static bool check_result_dtype(const tg_verifier *v)
{
    if (tg_out(v, 0)->dtype == tg_in(v, 0)->dtype) return true;
    return tg_mistyped(v, "the result is %s, but must hold %s like the operand",
                       tg_show(tg_out(v, 0)).text, tg_dtypes[tg_in(v, 0)->dtype].name);
}

/* Checks that the result has the operand's dtype and rank. */
static bool check_result_rank(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    if (!check_result_dtype(v)) return false;
    if (result->rank == operand->rank) return true;
    return tg_mistyped(v, "the result is %s, but must have %d dimensions like %s",
                       tg_show(result).text, operand->rank, tg_show(operand).text);
}

void tg_verify_op_broadcast_in_dim(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    check_result_dtype(v);
    if (!tg_verify_length(v, TG_ATTR_dims, operand->rank)) return;
    if (!tg_verify_dims(v, TG_ATTR_dims, result->rank, TG_ASCENDING, "the result")) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t to = ints(v, TG_ATTR_dims)[d];
        if (operand->shape[d] != 1 && operand->shape[d] != result->shape[to])
            tg_mistyped(v, "dimension %d of %s does not fit dimension %" PRId64 " of %s", d,
                        tg_show(operand).text, to, tg_show(result).text);
    }
}

void tg_verify_op_reshape(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    check_result_dtype(v);
    if (tg_type_count(operand) != tg_type_count(result))
        tg_mistyped(v, "%s has %" PRId64 " elements, but the result %s has %" PRId64,
                    tg_show(operand).text, tg_type_count(operand), tg_show(result).text,
                    tg_type_count(result));
}

void tg_verify_op_transpose(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0);
    tg_type expected = *operand;
    if (!tg_verify_length(v, TG_ATTR_permutation, operand->rank)) return;
    if (!tg_verify_dims(v, TG_ATTR_permutation, operand->rank, TG_ANY_ORDER, "the operand")) return;
    for (int d = 0; d < operand->rank; d++)
        expected.shape[d] = operand->shape[ints(v, TG_ATTR_permutation)[d]];
    tg_verify_result(v, &expected);
}

void tg_verify_op_rev(const tg_verifier *v)
{
    tg_verify_dims(v, TG_ATTR_axes, tg_in(v, 0)->rank, TG_ASCENDING, "the operand");
    tg_verify_result(v, tg_in(v, 0));
}

/* slice: the result's extents give the number of elements taken; the last one must exist. */
void tg_verify_op_slice(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    bool ok = check_result_rank(v);
    ok &= tg_verify_length(v, TG_ATTR_start, operand->rank);
    ok &= tg_verify_length(v, TG_ATTR_stride, operand->rank);
    ok &= tg_verify_entries(v, TG_ATTR_start, 0);
    ok &= tg_verify_entries(v, TG_ATTR_stride, 1);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t start = ints(v, TG_ATTR_start)[d], stride = ints(v, TG_ATTR_stride)[d];
        const int64_t extent = operand->shape[d], taken = result->shape[d];
        const bool fits = taken == 0 ? start <= extent
                                     : start < extent && taken - 1 <= (extent - 1 - start) / stride;
        if (!fits)
            tg_mistyped(v,
                        "%" PRId64 " elements from %" PRId64 " by %" PRId64
                        " reach beyond dimension %d of %s",
                        taken, start, stride, d, tg_show(operand).text);
    }
}

/* Checks that `block` is no larger than the operand in any dimension. */
static void check_block_fits(const tg_verifier *v, const char *what, const tg_type *block)
{
    const tg_type *operand = tg_in(v, 0);
    bool fits = block->rank == operand->rank && block->dtype == operand->dtype;
    for (int d = 0; fits && d < block->rank; d++) fits = block->shape[d] <= operand->shape[d];
    if (!fits)
        tg_mistyped(v, "%s is %s, but must have the dtype and rank of %s and be no larger", what,
                    tg_show(block).text, tg_show(operand).text);
}

static void check_start_operands(const tg_verifier *v, uint32_t first)
{
    const tg_type *operand = tg_in(v, 0);
    const uint32_t found = v->op->in_count - first;
    if (found != (uint32_t)operand->rank)
        tg_illegal(v, "has %" PRIu32 " starts, but %s takes %d", found, tg_show(operand).text,
                   operand->rank);
    tg_verify_starts(v, first, found);
}

void tg_verify_op_dynamic_slice(const tg_verifier *v)
{
    check_start_operands(v, 1);
    check_block_fits(v, "the result", tg_out(v, 0));
}

void tg_verify_op_dynamic_update_slice(const tg_verifier *v)
{
    check_start_operands(v, 2);
    check_block_fits(v, "the update", tg_in(v, 1));
    tg_verify_result(v, tg_in(v, 0));
}

/* Whether `part` can be a part of `whole` along `axis`: all other extents are equal. */
static bool may_join(const tg_type *part, const tg_type *whole, int axis)
{
    if (part->dtype != whole->dtype || part->rank != whole->rank) return false;
    for (int d = 0; d < part->rank; d++)
        if (d != axis && part->shape[d] != whole->shape[d]) return false;
    return true;
}

void tg_verify_op_concatenate(const tg_verifier *v)
{
    tg_type expected = *tg_in(v, 0);
    int axis;
    bool ok = true;
    if (!tg_verify_axis(v, &expected, &axis)) return;
    for (uint32_t i = 1; i < v->op->in_count; i++) {
        const tg_type *part = tg_in(v, i);
        if (may_join(part, &expected, axis))
            expected.shape[axis] += part->shape[axis];
        else
            ok = tg_mistyped(
                v, "operand %" PRIu32 " is %s, but must agree with %s in all but dimension %d", i,
                tg_show(part).text, tg_show(tg_in(v, 0)).text, axis);
    }
    if (ok) tg_verify_result(v, &expected);
}

/* Returns the padded extent; negative if it is below 0 or far too large.  All arguments are at most
 * 2^47, so that only the product can overflow. */
static int64_t padded_extent(int64_t extent, int64_t low, int64_t high, int64_t interior)
{
    int64_t gaps = extent > 1 ? extent - 1 : 0;
    if (interior != 0 && gaps > TG_MOST_ELEMENTS / interior) return -1;
    return low + extent + gaps * interior + high;
}

void tg_verify_op_pad(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *padding = tg_in(v, 1), *result = tg_out(v, 0);
    bool ok = check_result_rank(v);
    if (padding->rank != 0 || padding->dtype != operand->dtype)
        tg_mistyped(v, "operand 1 is %s, but must be the scalar %s[]", tg_show(padding).text,
                    tg_dtypes[operand->dtype].name);
    ok &= tg_verify_length(v, TG_ATTR_low, operand->rank);
    ok &= tg_verify_length(v, TG_ATTR_high, operand->rank);
    ok &= tg_verify_length(v, TG_ATTR_interior, operand->rank);
    ok &= tg_verify_entries(v, TG_ATTR_low, -TG_MOST_ELEMENTS);
    ok &= tg_verify_entries(v, TG_ATTR_high, -TG_MOST_ELEMENTS);
    ok &= tg_verify_entries(v, TG_ATTR_interior, 0);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t extent =
            padded_extent(operand->shape[d], ints(v, TG_ATTR_low)[d], ints(v, TG_ATTR_high)[d],
                          ints(v, TG_ATTR_interior)[d]);
        if (extent < 0)
            tg_mistyped(v, "padding dimension %d of %s gives no legal extent", d,
                        tg_show(operand).text);
        else if (extent != result->shape[d])
            tg_mistyped(v, "dimension %d of the result %s must be %" PRId64, d,
                        tg_show(result).text, extent);
    }
}

void tg_verify_op_tile(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0);
    tg_type expected = *operand;
    bool ok = tg_verify_length(v, TG_ATTR_reps, operand->rank);
    ok &= tg_verify_entries(v, TG_ATTR_reps, 0);
    if (!ok) return;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t reps = ints(v, TG_ATTR_reps)[d];
        if (reps != 0 && operand->shape[d] > TG_MOST_ELEMENTS / reps) {
            tg_mistyped(v, "dimension %d of %s repeated %" PRId64 " times is too large", d,
                        tg_show(operand).text, reps);
            return;
        }
        expected.shape[d] *= reps;
    }
    tg_verify_result(v, &expected);
}

/* sort: operands of one shape, of which the first `keys` are compared; one result for each. */
void tg_verify_op_sort(const tg_verifier *v)
{
    const tg_op *op = v->op;
    const tg_type *first = tg_in(v, 0);
    const int64_t keys = tg_op_int(op, TG_ATTR_keys, 1);
    int axis;
    bool ok = tg_verify_axis(v, first, &axis);
    if (keys > op->in_count)
        ok = tg_illegal(v, "keys is %" PRId64 ", but there are %" PRIu32 " operands", keys,
                        op->in_count);
    for (uint32_t i = 1; i < op->in_count; i++)
        if (!tg_same_shape(tg_in(v, i), first))
            ok = tg_mistyped(v, "operand %" PRIu32 " is %s, but must have the shape of %s", i,
                             tg_show(tg_in(v, i)).text, tg_show(first).text);
    if (ok)
        tg_verify_same_types(v, NULL, (tg_value_list){"result", op->out, op->out_count},
                             (tg_value_list){"operand", op->in, op->in_count});
}
