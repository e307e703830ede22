#include "physical/derived.h"

#include "layout/group.h"
#include "layout/slice.h"

static const tg_type *type_of(const tg_held *h, tg_value_id v) { return tg_type_of(h->kernel, v); }

static tg_axe *new_layout(tg_held *h)
{
    tg_axe *made = tg_arena_take(&h->arena, 1, sizeof *made);
    h->failed |= !made;
    return made;
}

/* ---- in place ---- */

bool tg_derived_in_place(tg_opcode code)
{
    switch (code) {
    case TG_OP_layout_cast: return false;
    case TG_OP_select:
    case TG_OP_clamp:
    case TG_OP_pow:
    case TG_OP_sort: return true;
    default:
        return tg_ops[code].rule == TG_RULE_SAME || tg_ops[code].rule == TG_RULE_PREDICATE ||
               tg_ops[code].rule == TG_RULE_RETYPE || tg_ops[code].rule == TG_RULE_SCAN;
    }
}

/* Of a value of one element no layout is known: all threads have it, as of a constant. */
static const tg_axe *of_operands(const tg_held *h, const tg_op *op)
{
    const tg_type *result = type_of(h, op->out[0]);
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_same_shape(type_of(h, op->in[i]), result) && h->layout[op->in[i]])
            return h->layout[op->in[i]];
    return NULL;
}

/* ---- the same elements at other indices ---- */

/* Begins a layout like the operand's, whose D is to be made of its groups, one for each dimension.  Returns
 * NULL if it has none, or memory ran out. */
static tg_axe *begin_grouped(tg_held *h, const tg_op *op, tg_groups *groups, tg_diags *diags)
{
    const tg_axe *from = h->layout[op->in[0]];
    tg_shape shape;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    tg_axe *made = new_layout(h);
    if (!made || tg_axe_group(from, &shape, groups, diags) != TG_OK) return NULL;
    tg_axe_copy(from, made);
    made->d.count = 0;
    return made;
}

static const tg_axe *transposed(tg_held *h, const tg_op *op, tg_diags *diags)
{
    const tg_attr *permutation = tg_op_attr(op, TG_ATTR_permutation);
    tg_groups groups;
    tg_axe *made = begin_grouped(h, op, &groups, diags);
    if (!made) return NULL;
    for (int64_t d = 0; d < permutation->count; d++)
        tg_groups_put(&groups, (int)permutation->as.ints[d], &made->d);
    return made;
}

/* The last element of a dimension becomes the first: strides change their signs, and the offset is where the
 * last element was. */
static const tg_axe *reversed(tg_held *h, const tg_op *op, tg_diags *diags)
{
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    tg_groups groups;
    tg_axe *made = begin_grouped(h, op, &groups, diags);
    if (!made) return NULL;
    for (int64_t i = 0; i < axes->count; i++) {
        const int64_t d = axes->as.ints[i];
        for (int k = groups.first[d]; k < groups.first[d + 1]; k++) {
            tg_iter *it = &groups.d.list[k];
            if (!it->stride) continue;
            made->offset[it->axis] += (it->extent - 1) * it->stride;
            it->stride = -it->stride;
        }
    }
    tg_iters_copy(&groups.d, &made->d);
    return made;
}

/* A slice with strides is a slice without, of whole steps, and of each step one element.  The last step may
 * end beyond the array: then all steps begin earlier, and their element is a later one. */
typedef struct steps {
    tg_shape first, extent;            /* of all steps */
    tg_shape split, in_split, element; /* dimensions (steps, elements of a step) */
} steps;

static bool steps_of(const tg_held *h, const tg_op *op, steps *out)
{
    const int64_t *start = tg_op_attr(op, TG_ATTR_start)->as.ints;
    const int64_t *stride = tg_op_attr(op, TG_ATTR_stride)->as.ints;
    const tg_type *from = type_of(h, op->in[0]), *to = type_of(h, op->out[0]);
    out->first.rank = out->extent.rank = from->rank;
    out->split.rank = out->in_split.rank = out->element.rank = 2 * from->rank;
    for (int d = 0; d < from->rank; d++) {
        const int64_t all = to->shape[d] * stride[d];
        const int64_t latest = from->shape[d] - all;
        const int64_t first = start[d] < latest ? start[d] : latest;
        if (first < 0) return false;
        out->first.extent[d] = first;
        out->extent.extent[d] = all;
        out->split.extent[2 * d] = out->element.extent[2 * d] = to->shape[d];
        out->split.extent[2 * d + 1] = stride[d];
        out->element.extent[2 * d + 1] = 1;
        out->in_split.extent[2 * d] = 0;
        out->in_split.extent[2 * d + 1] = start[d] - first;
    }
    return true;
}

static const tg_axe *sliced(tg_held *h, const tg_op *op, tg_diags *diags)
{
    tg_shape shape;
    tg_axe whole;
    steps s;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    if (!steps_of(h, op, &s)) {
        tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "its last stride ends beyond the operand");
        return NULL;
    }
    if (tg_axe_slice(h->layout[op->in[0]], &shape, &s.first, &s.extent, &whole, diags) != TG_OK)
        return NULL;
    tg_axe *made = new_layout(h);
    if (!made || tg_axe_slice(&whole, &s.split, &s.in_split, &s.element, made, diags) != TG_OK)
        return NULL;
    return made;
}

/* Row-major numbers of elements stay, unless a bitcast makes others of them. */
static const tg_axe *renumbered(tg_held *h, const tg_op *op, tg_diags *diags)
{
    const int64_t from = tg_type_count(type_of(h, op->in[0]));
    if (from == tg_type_count(type_of(h, op->out[0]))) return h->layout[op->in[0]];
    tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "its elements are parts of the operand's, or several");
    return NULL;
}

typedef const tg_axe *renaming(tg_held *h, const tg_op *op, tg_diags *diags);

static renaming *renaming_of(tg_opcode code)
{
    switch (code) {
    case TG_OP_reshape:
    case TG_OP_bitcast: return renumbered;
    case TG_OP_transpose: return transposed;
    case TG_OP_rev: return reversed;
    case TG_OP_slice: return sliced;
    default: return NULL;
    }
}

bool tg_derived_renamed(tg_opcode code) { return renaming_of(code) != NULL; }

const tg_axe *tg_derived(tg_held *h, const tg_op *op, tg_diags *diags)
{
    renaming *rename = renaming_of(op->code);
    if (op->out_count == 0 || op->in_count == 0 || type_of(h, op->out[0])->is_ref) return NULL;
    if (tg_derived_in_place(op->code)) return of_operands(h, op);
    return rename && h->layout[op->in[0]] ? rename(h, op, diags) : NULL;
}
