/* Rules of ops on refs.  Accesses beyond a ref are not checked here: a mask may cover them, and the
 * run reports those that no mask covers. */
#include "verify/memory.h"

#include <inttypes.h>

#include "verify/common.h"
#include "verify/own_rules.h"

/* Checks that sizes, strides and static starts are within their bounds. */
static bool check_index_dims(const tg_verifier *v, const tg_access *access)
{
    bool ok = true;
    for (int d = 0; d < access->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        if (dim->kind == TG_INDEX_AT) continue;
        if (dim->kind != TG_INDEX_SLICE)
            ok = tg_illegal(v, "index %d is neither a slice nor a position", d);
        if (dim->size < 0 || dim->size > TG_MOST_ELEMENTS)
            ok =
                tg_illegal(v, "index %d has the size %" PRId64 ", but sizes lie between 0 and 2^47",
                           d, dim->size);
        if (dim->stride < 1 || dim->stride > TG_MOST_ELEMENTS)
            ok = tg_illegal(
                v, "index %d has the stride %" PRId64 ", but strides lie between 1 and 2^47", d,
                dim->stride);
        if (dim->has_start && (dim->start < 0 || dim->start > TG_MOST_ELEMENTS))
            ok = tg_illegal(v, "index %d starts at %" PRId64 ", but starts lie between 0 and 2^47",
                            d, dim->start);
    }
    return ok;
}

static bool check_operand_count(const tg_verifier *v, const tg_access *access)
{
    const int64_t wanted = (int64_t)access->first_index + access->index_count +
                           (access->mask >= 0) + (access->other >= 0);
    if (v->op->in_count == wanted) return true;
    return tg_illegal(v, "has %" PRIu32 " operands, but its index, mask and other ask for %" PRId64,
                      v->op->in_count, wanted);
}

/* Starts must be integer scalars, positions integers of any shape; a view takes scalars only. */
static bool check_index_operands(const tg_verifier *v, const tg_access *access)
{
    uint32_t next = access->first_index;
    bool ok = true;
    for (int d = 0; d < access->rank; d++) {
        const bool slice = access->index[d].kind == TG_INDEX_SLICE;
        if (slice && access->index[d].has_start) continue;
        const tg_type *type = tg_in(v, next);
        const bool scalar_only = slice || v->op->code == TG_OP_view;
        if (!tg_is_int(type->dtype) || (scalar_only && type->rank != 0))
            ok = tg_mistyped(
                v, "operand %" PRIu32 " is %s, but the %s of dimension %d must be an integer %s",
                next, tg_show(type).text, slice ? "start" : "position", d,
                scalar_only ? "scalar" : "scalar or array");
        next++;
    }
    return ok;
}

/* Writes the type of the accessed block to `out`; false if the operands or the index of the op are
 * wrong. */
static bool check_access(const tg_verifier *v, tg_access *access, tg_type *out)
{
    const tg_type *ref = tg_in(v, 0);
    const int64_t entries = tg_op_attr(v->op, TG_ATTR_index)->count;
    if (entries != ref->rank)
        return tg_illegal(v, "index has %" PRId64 " entries, but %s has %d dimensions", entries,
                          tg_show(ref).text, ref->rank);
    if (tg_is_semaphore(ref->dtype) && v->op->code != TG_OP_view)
        return tg_mistyped(v, "operand 0 is %s, but semaphores are only for ops on semaphores",
                           tg_show(ref).text);
    *access = tg_op_access(v->op);
    bool ok = check_index_dims(v, access);
    if (access->other >= 0 && access->mask < 0)
        ok = tg_illegal(v, "has 'other', but no mask to say where it is used");
    ok &= check_operand_count(v, access);
    if (!ok || !check_index_operands(v, access)) return false;
    if (!tg_access_shape(v->kernel, v->op, access, out))
        return tg_mistyped(
            v, "the positions do not broadcast together, or give more than %d dimensions",
            TG_MAX_RANK);
    if (!tg_type_is_sound(out)) return tg_mistyped(v, "the access has too many elements");
    return true;
}

/* Checks that operand 1 (for atomic_cas also 2) has a type that the access can take. */
static void check_values(const tg_verifier *v, const tg_access *access, const tg_type *type)
{
    for (uint32_t i = 1; i <= access->value_count; i++)
        if (!tg_same_type(tg_in(v, i), type))
            tg_mistyped(v, "value is %s, but the access has type %s", tg_show(tg_in(v, i)).text,
                        tg_show(type).text);
}

static void check_mask_and_other(const tg_verifier *v, const tg_access *access, const tg_type *type)
{
    if (access->mask >= 0) {
        const tg_type *mask = tg_in(v, (uint32_t)access->mask);
        if (mask->dtype != TG_DT_bool || (mask->rank != 0 && !tg_same_shape(mask, type)))
            tg_mistyped(v, "mask is %s, but must be bool, a scalar or of the access's shape, %s",
                        tg_show(mask).text, tg_show(type).text);
    }
    if (access->other >= 0) {
        const tg_type *other = tg_in(v, (uint32_t)access->other);
        if (other->dtype != type->dtype || (other->rank != 0 && !tg_same_shape(other, type)))
            tg_mistyped(v, "other is %s, but must be a scalar or block like the access, %s",
                        tg_show(other).text, tg_show(type).text);
    }
}

/* Checks an access except for its result; false if the type of the access is unknown. */
static bool check_whole_access(const tg_verifier *v, tg_type *type)
{
    tg_access access = {0};
    if (!check_access(v, &access, type)) return false;
    check_values(v, &access, type);
    check_mask_and_other(v, &access, type);
    return true;
}

/* Static starts and sizes must lie within the ref: a view has no mask. */
static void check_view_fits(const tg_verifier *v, const tg_access *access)
{
    const tg_type *ref = tg_in(v, 0);
    for (int d = 0; d < access->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        if (dim->kind == TG_INDEX_AT) continue;
        const int64_t start = dim->has_start ? dim->start : 0, extent = ref->shape[d];
        const bool fits =
            dim->size == 0 ? start <= extent
                           : start < extent && dim->size - 1 <= (extent - 1 - start) / dim->stride;
        if (!fits)
            tg_mistyped(v,
                        "%" PRId64 " elements from %" PRId64 " by %" PRId64
                        " reach beyond dimension %d of %s",
                        dim->size, start, dim->stride, d, tg_show(ref).text);
    }
}

void tg_verify_op_view(const tg_verifier *v)
{
    tg_access access = {0};
    tg_type type = {0};
    if (!check_access(v, &access, &type)) return;
    check_view_fits(v, &access);
    type.is_ref = true;
    tg_verify_result(v, &type);
}

void tg_verify_op_view_transpose(const tg_verifier *v)
{
    const tg_type *ref = tg_in(v, 0);
    tg_type type = *ref;
    if (!tg_verify_length(v, TG_ATTR_permutation, ref->rank) ||
        !tg_verify_dims(v, TG_ATTR_permutation, ref->rank, TG_ANY_ORDER, "the operand"))
        return;
    for (int d = 0; d < ref->rank; d++)
        type.shape[d] = ref->shape[tg_op_attr(v->op, TG_ATTR_permutation)->as.ints[d]];
    tg_verify_result(v, &type);
}

void tg_verify_op_view_reshape(const tg_verifier *v)
{
    const tg_type *from = tg_in(v, 0), *to = tg_out(v, 0);
    if (to->dtype != from->dtype || tg_type_count(to) != tg_type_count(from))
        tg_mistyped(v, "the result is %s, but must have the dtype and element count of %s",
                    tg_show(to).text, tg_show(from).text);
}

void tg_verify_op_view_bitcast(const tg_verifier *v)
{
    const tg_type *from = tg_in(v, 0), *to = tg_out(v, 0);
    const int from_bits = tg_dtypes[from->dtype].bits, to_bits = tg_dtypes[to->dtype].bits;
    tg_type expected = *from;
    if (tg_is_semaphore(from->dtype) || tg_is_semaphore(to->dtype)) {
        tg_mistyped(v, "%s and %s: semaphores have no bits to be seen as something else",
                    tg_show(from).text, tg_show(to).text);
        return;
    }
    if (from_bits < 8 || to_bits < 8) {
        tg_mistyped(v, "%s and %s: only dtypes of whole bytes can be seen as one another",
                    tg_show(from).text, tg_show(to).text);
        return;
    }
    expected.dtype = to->dtype;
    if (from_bits != to_bits) {
        if (from->rank < 2) {
            tg_mistyped(v, "%s needs two dimensions, as its elements change their width",
                        tg_show(from).text);
            return;
        }
        const int64_t bits = from->shape[from->rank - 2] * from_bits;
        if (bits % to_bits != 0) {
            tg_mistyped(v, "dimension %d of %s is not a multiple of %d elements", from->rank - 2,
                        tg_show(from).text, to_bits / from_bits);
            return;
        }
        expected.shape[from->rank - 2] = bits / to_bits;
    }
    tg_verify_result(v, &expected);
}

/* Whether lists of the same length describe bytes: repetitions whose steps fall down to 1. */
static bool is_stepped(const tg_attr *extents, const tg_attr *steps)
{
    if (steps->count == 0 || steps->as.ints[steps->count - 1] != 1) return false;
    for (uint32_t d = 0; d < steps->count; d++) {
        if (extents->as.ints[d] < 0 || steps->as.ints[d] < 1) return false;
        if (d > 0 && steps->as.ints[d] > steps->as.ints[d - 1]) return false;
    }
    return true;
}

void tg_verify_op_view_tensor(const tg_verifier *v)
{
    const tg_attr *extents = tg_op_attr(v->op, TG_ATTR_extents),
                  *steps = tg_op_attr(v->op, TG_ATTR_steps);
    if (!tg_verify_length(v, TG_ATTR_steps, extents->count)) return;
    if (!is_stepped(extents, steps))
        tg_illegal(v, "its steps must fall and end with 1, and its extents must not be negative");
    if (tg_op_int(v->op, TG_ATTR_offset, 0) < 0) tg_illegal(v, "its offset must not be negative");
    tg_verify_result(v, tg_in(v, 0));
}

void tg_verify_op_view_part(const tg_verifier *v)
{
    const tg_type *from = tg_in(v, 0), *to = tg_out(v, 0);
    const uint32_t wanted = 1 + 2 * (uint32_t)from->rank;
    if (v->op->in_count != wanted) {
        tg_illegal(v,
                   "has %" PRIu32 " operands, but a start and a length for each dimension of %s "
                   "make %" PRIu32,
                   v->op->in_count, tg_show(from).text, wanted);
        return;
    }
    tg_verify_starts(v, 1, wanted - 1);
    if (tg_op_attr(v->op, TG_ATTR_beyond) && tg_verify_length(v, TG_ATTR_beyond, from->rank))
        tg_verify_entries(v, TG_ATTR_beyond, 0);
    bool fits = to->dtype == from->dtype && to->rank == from->rank;
    for (int d = 0; fits && d < to->rank; d++) fits = to->shape[d] <= from->shape[d];
    if (!fits)
        tg_mistyped(v, "the result is %s, but must have the dtype and rank of %s and be no longer",
                    tg_show(to).text, tg_show(from).text);
}

/* Every type is valid; verify/ops.c has checked that the result is a ref. */
void tg_verify_op_alloc(const tg_verifier *v)
{
    if (tg_out(v, 0)->dtype == TG_DT_barrier)
        tg_mistyped(v, "the result is %s, but barriers are in scratch, which threads share",
                    tg_show(tg_out(v, 0)).text);
}

/* A load takes on and a store hands on, if anything; without `sem` neither is an atomic. */
static void check_sem(const tg_verifier *v, tg_atomic_sem may)
{
    const tg_attr *sem = tg_op_attr(v->op, TG_ATTR_sem);
    if (!sem && tg_op_attr(v->op, TG_ATTR_scope))
        tg_illegal(v, "has 'scope', but no 'sem' to make it an atomic");
    if (sem && sem->as.integer != TG_SEM_RELAXED && sem->as.integer != (int64_t)may)
        tg_illegal(v, "a %s is either relaxed or %s", tg_ops[v->op->code].name,
                   may == TG_SEM_ACQUIRE ? "acquire" : "release");
}

void tg_verify_op_load(const tg_verifier *v)
{
    tg_type type = {0};
    check_sem(v, TG_SEM_ACQUIRE);
    if (check_whole_access(v, &type)) tg_verify_result(v, &type);
}

void tg_verify_op_store(const tg_verifier *v)
{
    tg_type type = {0};
    check_sem(v, TG_SEM_RELEASE);
    check_whole_access(v, &type);
}

void tg_verify_op_swap(const tg_verifier *v)
{
    tg_type type = {0};
    if (check_whole_access(v, &type)) tg_verify_result(v, &type);
}

void tg_verify_op_add_update(const tg_verifier *v)
{
    tg_type type = {0};
    tg_verify_domain(v, 0, TG_DOMAIN_NUM);
    check_whole_access(v, &type);
}

static tg_domain atomic_domain(int64_t kind)
{
    if (kind == tg_attr_name_index(TG_ATTR_kind, "xchg")) return TG_DOMAIN_ANY;
    if (kind == tg_attr_name_index(TG_ATTR_kind, "and") ||
        kind == tg_attr_name_index(TG_ATTR_kind, "or") ||
        kind == tg_attr_name_index(TG_ATTR_kind, "xor"))
        return TG_DOMAIN_BITS;
    return TG_DOMAIN_NUM;
}

void tg_verify_combined(const tg_verifier *v, uint32_t operand)
{
    tg_verify_domain(v, operand, atomic_domain(tg_op_int(v->op, TG_ATTR_kind, 0)));
}

void tg_verify_op_atomic_rmw(const tg_verifier *v)
{
    tg_type type = {0};
    tg_verify_combined(v, 0);
    if (check_whole_access(v, &type)) tg_verify_result(v, &type);
}

void tg_verify_op_atomic_cas(const tg_verifier *v)
{
    tg_type type = {0};
    if (!check_whole_access(v, &type)) return;
    tg_verify_result(v, &type);
}
