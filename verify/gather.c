/* gather and scatter by XLA's rules; the last dimension of the indices is the index vector.
 *
 *   operand dimension:  collapsed_dims, operand_batch, or a slice dimension
 *   of the result of a gather, or the updates of a scatter:
 *                       offset_dims are the slice dimensions, in order;
 *                       the others are those of the indices without the last one, in order */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

static const tg_attr *list_of(const tg_verifier *v, tg_attr_id id) { return tg_op_attr(v->op, id); }

/* Checks that no dimension is in both lists. */
static bool check_disjoint(const tg_verifier *v, tg_attr_id a, tg_attr_id b)
{
    const tg_attr *list = list_of(v, a);
    for (int64_t i = 0; i < list->count; i++)
        if (tg_has_dim(v->op, b, (int)list->as.ints[i]))
            return tg_illegal(v, "dimension %" PRId64 " stands in both %s and %s", list->as.ints[i],
                              tg_attrs[a].name, tg_attrs[b].name);
    return true;
}

static bool check_operand_dims(const tg_verifier *v, int rank)
{
    bool ok = tg_verify_dims(v, TG_ATTR_collapsed_dims, rank, TG_ASCENDING, "the operand");
    ok &= tg_verify_dims(v, TG_ATTR_operand_batch, rank, TG_ASCENDING, "the operand");
    ok &= tg_verify_dims(v, TG_ATTR_start_index_map, rank, TG_ANY_ORDER, "the operand");
    if (!ok) return false;
    ok &= check_disjoint(v, TG_ATTR_collapsed_dims, TG_ATTR_operand_batch);
    ok &= check_disjoint(v, TG_ATTR_start_index_map, TG_ATTR_operand_batch);
    return ok;
}

/* Checks that slices fit into the operand, and that dimensions missing in the result have slice
 * size 1.  An empty batch dimension may have slice size 0, since nothing is gathered then. */
static bool check_slice_sizes(const tg_verifier *v, const tg_type *operand)
{
    bool ok = true;
    for (int d = 0; d < operand->rank; d++) {
        const int64_t size = list_of(v, TG_ATTR_slice_sizes)->as.ints[d];
        const bool batch = tg_has_dim(v->op, TG_ATTR_operand_batch, d);
        const bool empty_batch = batch && operand->shape[d] == 0 && size == 0;
        if (size > operand->shape[d])
            ok = tg_mistyped(v, "slice size %" PRId64 " exceeds dimension %d of %s", size, d,
                             tg_show(operand).text);
        if ((batch || tg_has_dim(v->op, TG_ATTR_collapsed_dims, d)) && size != 1 && !empty_batch)
            ok = tg_illegal(v, "slice size %" PRId64 " of the %s dimension %d must be 1", size,
                            batch ? "batch" : "collapsed", d);
    }
    return ok;
}

static bool check_indices(const tg_verifier *v, const tg_type *operand, const tg_type *indices)
{
    const tg_attr *operand_batch = list_of(v, TG_ATTR_operand_batch);
    const tg_attr *indices_batch = list_of(v, TG_ATTR_indices_batch);
    if (!tg_is_int(indices->dtype) || indices->rank == 0)
        return tg_mistyped(v, "the indices are %s, but must be integers of at least one dimension",
                           tg_show(indices).text);
    const int64_t components = indices->shape[indices->rank - 1];
    bool ok = true;
    if (components != list_of(v, TG_ATTR_start_index_map)->count)
        ok = tg_mistyped(v,
                         "the last dimension of the indices %s must have the %" PRId64
                         " components of start_index_map",
                         tg_show(indices).text, list_of(v, TG_ATTR_start_index_map)->count);
    if (!tg_verify_dims(v, TG_ATTR_indices_batch, indices->rank - 1, TG_ANY_ORDER,
                        "the indices (without the last)") ||
        !tg_verify_length(v, TG_ATTR_indices_batch, operand_batch->count))
        return false;
    for (int64_t i = 0; i < operand_batch->count; i++) {
        const int64_t a = operand_batch->as.ints[i], b = indices_batch->as.ints[i];
        if (operand->shape[a] != indices->shape[b])
            ok = tg_mistyped(
                v, "batch dimension %" PRId64 " of %s differs from %" PRId64 " of the indices %s",
                a, tg_show(operand).text, b, tg_show(indices).text);
    }
    return ok;
}

static bool is_slice_dim(const tg_verifier *v, int operand_dim)
{
    return !tg_has_dim(v->op, TG_ATTR_collapsed_dims, operand_dim) &&
           !tg_has_dim(v->op, TG_ATTR_operand_batch, operand_dim);
}

/* Computes the extents of the result or the updates, of `rank` dimensions.  The lists have been
 * checked.  `sizes` has the extents of the slice, one per dimension of the operand. */
static void list_shape(const tg_verifier *v, const tg_type *indices, const int64_t *sizes, int rank,
                       int64_t *shape)
{
    int slice_dim = 0, index_dim = 0;
    for (int d = 0; d < rank; d++) {
        if (!tg_has_dim(v->op, TG_ATTR_offset_dims, d)) {
            shape[d] = indices->shape[index_dim++];
            continue;
        }
        while (!is_slice_dim(v, slice_dim)) slice_dim++;
        shape[d] = sizes[slice_dim++];
    }
}

/* Returns the rank of the result or the updates, which `whose` names; -1 if the offset dimensions
 * are wrong. */
static int list_rank(const tg_verifier *v, const tg_type *operand, const tg_type *indices,
                     const char *whose)
{
    const int slice_rank = operand->rank - (int)list_of(v, TG_ATTR_collapsed_dims)->count -
                           (int)list_of(v, TG_ATTR_operand_batch)->count;
    const int rank = indices->rank - 1 + slice_rank;
    if (rank > TG_MAX_RANK) {
        tg_mistyped(v, "%s would have %d dimensions, more than %d", whose, rank, TG_MAX_RANK);
        return -1;
    }
    if (!tg_verify_length(v, TG_ATTR_offset_dims, slice_rank) ||
        !tg_verify_dims(v, TG_ATTR_offset_dims, rank, TG_ASCENDING, whose))
        return -1;
    return rank;
}

/* Checks that `mode` is not `lacked`, which the op does not have. */
static bool check_mode(const tg_verifier *v, const char *lacked)
{
    if (tg_op_int(v->op, TG_ATTR_mode, 0) != tg_attr_name_index(TG_ATTR_mode, lacked)) return true;
    return tg_illegal(v, "has no mode \"%s\"", lacked);
}

static void check_fill(const tg_verifier *v)
{
    const tg_attr *fill = tg_op_attr(v->op, TG_ATTR_fill);
    if (!fill) return;
    if (tg_op_int(v->op, TG_ATTR_mode, 0) != tg_attr_name_index(TG_ATTR_mode, "fill"))
        tg_illegal(v, "has a fill value, but mode is not \"fill\"");
    if (fill->as.data.count != 1)
        tg_illegal(v, "fill has %" PRId64 " elements, but must have 1", fill->as.data.count);
}

void tg_verify_op_gather(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *indices = tg_in(v, 1);
    check_fill(v);
    bool ok = check_mode(v, "drop");
    ok &= check_operand_dims(v, operand->rank);
    ok &= tg_verify_length(v, TG_ATTR_slice_sizes, operand->rank);
    ok &= tg_verify_entries(v, TG_ATTR_slice_sizes, 0);
    if (!ok) return;
    ok = check_slice_sizes(v, operand);
    ok &= check_indices(v, operand, indices);
    if (!ok) return;
    const int rank = list_rank(v, operand, indices, "the result");
    if (rank < 0) return;
    tg_type expected = {.dtype = operand->dtype, .rank = rank};
    list_shape(v, indices, list_of(v, TG_ATTR_slice_sizes)->as.ints, rank, expected.shape);
    tg_verify_result(v, &expected);
}

/* Checks that the slice that the updates imply fits into the operand.  Its extents are those of the
 * offset dimensions, and 1 in dimensions left out; if the operand has extent 0 there, no update
 * lies inside. */
static bool check_window(const tg_verifier *v, const tg_type *operand, const tg_type *updates,
                         int64_t *sizes)
{
    const tg_attr *offset = list_of(v, TG_ATTR_offset_dims);
    int64_t next = 0;
    bool ok = true;
    for (int d = 0; d < operand->rank; d++) {
        sizes[d] = is_slice_dim(v, d) ? updates->shape[offset->as.ints[next++]] : 1;
        if (is_slice_dim(v, d) && sizes[d] > operand->shape[d])
            ok = tg_mistyped(v, "a slice of %" PRId64 " elements exceeds dimension %d of %s",
                             sizes[d], d, tg_show(operand).text);
    }
    return ok;
}

/* Bools can be set and compared (min, max), but not added. */
static void check_combine(const tg_verifier *v, const tg_type *operand)
{
    char name[16];
    const int64_t combine = tg_op_int(v->op, TG_ATTR_combine, 0);
    tg_attr_name_text(TG_ATTR_combine, (int)combine, name, sizeof name);
    if (operand->dtype == TG_DT_bool && combine >= tg_attr_name_index(TG_ATTR_combine, "add") &&
        combine <= tg_attr_name_index(TG_ATTR_combine, "mul"))
        tg_mistyped(v, "operand 0 is %s, but \"%s\" takes integers or floats",
                    tg_show(operand).text, name);
}

void tg_verify_op_scatter(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *indices = tg_in(v, 1), *updates = tg_in(v, 2);
    int64_t sizes[TG_MAX_RANK] = {0};
    check_combine(v, operand);
    tg_verify_result(v, operand);
    bool ok = check_mode(v, "fill");
    ok &= check_operand_dims(v, operand->rank);
    if (!ok || !check_indices(v, operand, indices)) return;
    const int rank = list_rank(v, operand, indices, "the updates");
    if (rank < 0) return;
    if (updates->rank != rank || updates->dtype != operand->dtype) {
        tg_mistyped(v, "the updates are %s, but must hold %s in %d dimensions",
                    tg_show(updates).text, tg_dtypes[operand->dtype].name, rank);
        return;
    }
    if (!check_window(v, operand, updates, sizes)) return;
    tg_type expected = {.dtype = operand->dtype, .rank = rank};
    list_shape(v, indices, sizes, rank, expected.shape);
    if (!tg_same_type(updates, &expected))
        tg_mistyped(v, "the updates are %s, but must be %s", tg_show(updates).text,
                    tg_show(&expected).text);
}
