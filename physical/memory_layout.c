#include "physical/memory_layout.h"

#include "layout/address.h"
#include "layout/group.h"
#include "layout/slice.h"

static const tg_type *type_of(const tg_held *h, tg_value_id v) { return tg_type_of(h->kernel, v); }

static tg_status unsupported(const char *why, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s", why);
}

/* ---- memory ---- */

static void row_major(const tg_type *type, tg_axe *out)
{
    tg_axe_begin(out);
    tg_iters_put(&out->d, tg_type_count(type), 1, TG_AXIS_m);
}

static tg_status begin(const tg_type *type, const char *space, const tg_axe *layout, uint32_t param,
                       tg_memory *out, tg_diags *diags)
{
    out->space = space;
    out->param = param;
    out->layout = layout;
    out->is_fixed = true;
    if (tg_type_count(type) == 0) return unsupported("there are no elements", diags);
    if (layout) return tg_axe_address(layout, tg_dtypes[type->dtype].bits, &out->address, diags);
    row_major(type, &out->address);
    return TG_OK;
}

static tg_status find_param(const tg_held *h, tg_value_id ref, tg_memory *out, tg_diags *diags)
{
    const tg_region *body = &h->kernel->body;
    for (uint32_t p = 0; p < body->arg_count; p++) {
        const tg_param *param = &h->kernel->params[p];
        if (body->args[p] == ref)
            return begin(type_of(h, ref), param->space, param->layout, p, out, diags);
    }
    const tg_value *value = &h->kernel->values[ref]; /* of scoped memory */
    return begin(&value->type, value->space, value->layout, UINT32_MAX, out, diags);
}

/* ---- views ---- */

/* The layout of what a layout of numbers gives: `outer` says where each number is. */
static tg_status compose(const tg_axe *outer, const tg_axe *inner, tg_axe *out, tg_diags *diags)
{
    const tg_iter *only = outer->d.count == 1 ? &outer->d.list[0] : NULL;
    if (outer->swizzle.bits || outer->offset[TG_AXIS_m] || !only || only->stride != 1)
        return unsupported("a view_layout of memory that has a layout itself", diags);
    tg_axe_copy(inner, out);
    return TG_OK;
}

static tg_status view_layout(const tg_held *h, const tg_op *op, tg_memory *out, tg_diags *diags)
{
    tg_axe address;
    const tg_value *value = &h->kernel->values[op->out[0]];
    TG_TRY(tg_axe_address(value->layout, tg_dtypes[value->type.dtype].bits, &address, diags));
    return compose(&out->address, &address, &out->address, diags);
}

/* The part of a reference that the index of an op names. */
static tg_status take_part(const tg_held *h, const tg_op *op, tg_memory *out, tg_diags *diags)
{
    const tg_attr *index = tg_op_attr(op, TG_ATTR_index);
    const tg_access access = tg_op_access(op);
    tg_shape shape, first, extent;
    tg_axe part;
    uint32_t next = access.first_index;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    first.rank = extent.rank = shape.rank;
    for (int d = 0; d < shape.rank; d++) {
        const tg_index_dim *dim = &index->as.index[d];
        const bool is_slice = dim->kind == TG_INDEX_SLICE, is_known = is_slice && dim->has_start;
        if (is_slice && dim->stride != 1) return unsupported("a slice with a stride", diags);
        if (!is_known && type_of(h, op->in[next++])->rank)
            return unsupported("an index that is an array", diags);
        out->is_fixed = out->is_fixed && is_known;
        first.extent[d] = is_known ? dim->start : 0;
        extent.extent[d] = is_slice ? dim->size : 1;
    }
    TG_TRY(tg_axe_slice(&out->address, &shape, &first, &extent, &part, diags));
    tg_axe_copy(&part, &out->address);
    return TG_OK;
}

static tg_status view_transpose(const tg_held *h, const tg_op *op, tg_memory *out, tg_diags *diags)
{
    const int64_t *permutation = tg_op_attr(op, TG_ATTR_permutation)->as.ints;
    tg_shape shape;
    tg_groups groups;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    TG_TRY(tg_axe_group(&out->address, &shape, &groups, diags));
    out->address.d.count = 0;
    for (int d = 0; d < shape.rank; d++)
        tg_groups_put(&groups, (int)permutation[d], &out->address.d);
    return TG_OK;
}

tg_status tg_memory_find(const tg_held *h, tg_value_id ref, tg_memory *out, tg_diags *diags)
{
    const tg_op *op = h->made_by[ref];
    const tg_value *value = &h->kernel->values[ref];
    if (!op) return find_param(h, ref, out, diags);
    if (op->code == TG_OP_alloc)
        return begin(&value->type, value->space, value->layout, UINT32_MAX, out, diags);
    TG_TRY(tg_memory_find(h, op->in[0], out, diags));
    switch (op->code) {
    case TG_OP_view_layout: return view_layout(h, op, out, diags);
    case TG_OP_view: return take_part(h, op, out, diags);
    case TG_OP_view_transpose: return view_transpose(h, op, out, diags);
    case TG_OP_view_reshape:
    case TG_OP_view_tensor: return TG_OK;
    default:
        return unsupported("a view that changes the dtype, or whose length the run knows", diags);
    }
}

tg_status tg_memory_accessed(const tg_held *h, const tg_op *op, tg_memory *out, tg_diags *diags)
{
    TG_TRY(tg_memory_find(h, op->in[0], out, diags));
    return take_part(h, op, out, diags);
}
