#include "physical/copies.h"

#include <stdlib.h>
#include <string.h>

#include "layout/address.h"
#include "layout/group.h"
#include "layout/legal/tma.h"
#include "physical/memory_layout.h"

/* A dimension of the box: an iter of the block's layout. */
typedef struct box_dim {
    int64_t extent, shared, global; /* steps in shared memory and in the array, in elements */
} box_dim;

typedef struct box {
    int count;
    box_dim dims[TG_AXE_MAX_ITERS];
} box;

static int by_shared_step(const void *a, const void *b)
{
    const box_dim *left = a, *right = b;
    return (left->shared < right->shared) - (left->shared > right->shared);
}

/* A part of an array: the step of each dimension in the array, in elements. */
typedef struct array_part {
    tg_shape shape;
    int64_t step[TG_MAX_RANK];
} array_part;

/* The block of a param, without the dimensions that are squeezed. */
static void part_of_param(const tg_param *param, array_part *out)
{
    int64_t dense[TG_MAX_RANK] = {0};
    tg_dense_strides(param->array.rank, param->array.shape, dense);
    tg_held_shape(&param->ref, &out->shape);
    for (int d = 0, kept = 0; d < param->array.rank; d++)
        if (!param->has_block || param->block[d].kind != TG_BLOCK_SQUEEZED)
            out->step[kept++] = dense[d];
}

/* Drops the dimensions in which a view has one position. */
static bool take_view(const tg_held *held, const tg_op *op, array_part *part)
{
    const tg_attr *index = tg_op_attr(op, TG_ATTR_index);
    int kept = 0;
    for (uint32_t d = 0; d < index->count; d++) {
        const tg_index_dim *dim = &index->as.index[d];
        if (dim->kind != TG_INDEX_SLICE) continue;
        if (dim->stride != 1) return false;
        part->step[kept++] = part->step[d];
    }
    tg_held_shape(tg_type_of(held->kernel, op->out[0]), &part->shape);
    return kept == part->shape.rank;
}

/* The part of an array that a reference is.  Returns false if it is no such part: of memory of the
 * program, with strides, seen in another way than the array. */
static bool find_part(const tg_held *held, tg_value_id ref, array_part *out)
{
    const tg_kernel *k = held->kernel;
    const tg_op *op = held->made_by[ref];
    if (op && op->code == TG_OP_view_part) { /* of the greatest length that it may have */
        const bool is_part = find_part(held, op->in[0], out);
        tg_held_shape(tg_type_of(held->kernel, ref), &out->shape);
        return is_part;
    }
    if (op)
        return op->code == TG_OP_view && find_part(held, op->in[0], out) &&
               take_view(held, op, out);
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->body.args[p] != ref || k->params[p].role == TG_ROLE_SCRATCH) continue;
        part_of_param(&k->params[p], out);
        return true;
    }
    return false;
}

/* The box whose rows are, one after the other, what is in shared memory. */
static tg_status find_box(const array_part *part, const tg_axe *address, box *out, tg_diags *diags)
{
    tg_groups groups;
    TG_TRY(tg_axe_group(address, &part->shape, &groups, diags));
    out->count = 0;
    for (int d = 0; d < part->shape.rank; d++) {
        int64_t inner = part->shape.extent[d];
        for (int i = groups.first[d]; i < groups.first[d + 1]; i++) {
            const tg_iter it = groups.d.list[i];
            inner /= it.extent;
            out->dims[out->count++] = (box_dim){it.extent, it.stride, inner * part->step[d]};
        }
    }
    qsort(out->dims, (size_t)out->count, sizeof *out->dims, by_shared_step);
    int64_t dense = 1;
    for (int i = out->count - 1; i >= 0; i--) {
        if (out->dims[i].shared != dense)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "what is copied has no gaps in shared memory, and lies there once: "
                           "%lld elements are %lld apart, not %lld",
                           (long long)out->dims[i].extent, (long long)out->dims[i].shared,
                           (long long)dense);
        dense *= out->dims[i].extent;
    }
    return TG_OK;
}

/* The swizzle in bytes: bits 4 and up of the address change by bits 7 and up. */
static tg_status find_swizzle(const tg_swizzle *swizzle, int bits, int *out, tg_diags *diags)
{
    enum { CHUNK_BITS = 128, SHIFT = 3, MOST_BITS = 3 };
    *out = 0;
    if (!swizzle->bits) return TG_OK;
    if (swizzle->shift != SHIFT || swizzle->bits > MOST_BITS ||
        (INT64_C(1) << swizzle->base) * bits != CHUNK_BITS)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "Sw<%d,%d,%d> of elements of %d bits is no swizzle of 32, 64 or 128 bytes",
                       swizzle->bits, swizzle->base, swizzle->shift, bits);
    *out = 16 << swizzle->bits;
    return TG_OK;
}

/* Checks a copy between a part of an array and shared memory, of elements of `bits`. */
static tg_status check_copy(const array_part *part, const tg_axe *address, int bits,
                            tg_diags *diags)
{
    box b;
    tg_tma tma = {.bits = bits};
    TG_TRY(find_swizzle(&address->swizzle, bits, &tma.swizzle, diags));
    TG_TRY(find_box(part, address, &b, diags));
    if (b.count > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a box has at most 5 dimensions, not %d",
                       b.count);
    tma.size.rank = b.count;
    tma.shared_address = address->offset[TG_AXIS_m] * bits / 8;
    for (int i = 0; i < b.count; i++) {
        tma.size.extent[i] = tma.box[i] = b.dims[i].extent;
        tma.stride[i] = b.dims[i].global;
        tma.element_stride[i] = 1;
    }
    return tg_tma_check(&tma, true, diags);
}

/* ---- blocks of params ---- */

static tg_status check_block(const tg_param *param, tg_diags *diags)
{
    const int bits = tg_dtypes[param->array.dtype].bits;
    tg_axe address;
    array_part part;
    part_of_param(param, &part);
    TG_TRY(tg_axe_address(param->layout, bits, &address, diags));
    return check_copy(&part, &address, bits, diags);
}

void tg_copy_check_param(tg_demands *d, uint32_t index)
{
    const tg_param *param = &d->held.kernel->params[index];
    tg_diags diags = {0};
    if (!param->layout || !param->space || strcmp(param->space, "smem") != 0 ||
        (param->role != TG_ROLE_INPUT && param->role != TG_ROLE_OUTPUT))
        return;
    if (check_block(param, &diags) == TG_ERR_NO_MEMORY) d->problems->failed = true;
    for (size_t i = 0; i < diags.count; i++)
        tg_problem_tell_param(
            d->problems, TG_PROBLEM_ILLEGAL, index,
            "the block of %s cannot be copied to shared memory as its layout says: "
            "%s",
            param->name, diags.list[i].message);
    tg_diags_free(&diags);
}

/* ---- copies beside the program ---- */

/* Sets *side to the operand that is in shared memory, with its memory; -1: neither is. */
static tg_status find_shared(const tg_held *held, const tg_op *op, int *side, tg_memory *memory,
                             tg_diags *diags)
{
    for (*side = 1; *side >= 0; --*side) {
        TG_TRY(tg_memory_find(held, op->in[*side], memory, diags));
        if (memory->space && strcmp(memory->space, "smem") == 0) return TG_OK;
    }
    return TG_OK;
}

static void check_array(tg_demands *d, const tg_op *op, int shared, const tg_memory *memory)
{
    const int bits = tg_dtypes[tg_type_of(d->held.kernel, op->in[0])->dtype].bits;
    tg_diags diags = {0};
    array_part part;
    if (!find_part(&d->held, op->in[1 - shared], &part)) {
        tg_problem_tell(d->problems, TG_PROBLEM_UNCHECKED, op,
                        "operand %d of %s is no part of an array that slices without strides give",
                        1 - shared, tg_ops[op->code].name);
        return;
    }
    if (check_copy(&part, &memory->address, bits, &diags) == TG_ERR_NO_MEMORY)
        d->problems->failed = true;
    for (size_t i = 0; i < diags.count; i++)
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                        "no copy by tma leaves operand %d of %s as its layout says: %s", shared,
                        tg_ops[op->code].name, diags.list[i].message);
    tg_diags_free(&diags);
}

void tg_copy_check(tg_demands *d, const tg_op *op)
{
    tg_diags diags = {0};
    tg_memory memory;
    int shared;
    if (find_shared(&d->held, op, &shared, &memory, &diags) != TG_OK)
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, shared ? "operand 1" : "operand 0", &diags);
    else if (shared < 0)
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                        "no operand of %s is in smem; tma copies between global and shared memory",
                        tg_ops[op->code].name);
    else
        check_array(d, op, shared, &memory);
    tg_diags_free(&diags);
}
