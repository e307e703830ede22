#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

const char *const tg_role_names[TG_ROLE_COUNT] = {"prefetch", "input", "output", "scratch"};
const char *const tg_semantics_names[TG_SEMANTICS_COUNT] = {"parallel", "arbitrary", "thread"};

tg_semantics tg_semantics_named(const char *name)
{
    int s = 0;
    while (s < TG_SEMANTICS_COUNT && strcmp(tg_semantics_names[s], name) != 0) s++;
    return (tg_semantics)s;
}

int64_t tg_kernel_threads(const tg_kernel *k)
{
    int64_t threads = 1;
    for (int a = 0; a < k->axis_count; a++)
        if (k->axes[a].semantics == TG_SEMANTICS_THREAD) threads *= k->axes[a].size;
    return threads;
}

void tg_module_destroy(tg_module *module)
{
    if (!module) return;
    tg_module_destroy(module->physical);
    tg_arena arena = module->arena; /* the module itself may live in its arena */
    tg_arena_free(&arena);
}

const tg_attr *tg_op_attr(const tg_op *op, tg_attr_id id)
{
    for (uint32_t a = 0; a < op->attr_count; a++)
        if (op->attrs[a].id == id) return &op->attrs[a];
    return NULL;
}

int64_t tg_op_int(const tg_op *op, tg_attr_id id, int64_t absent)
{
    const tg_attr *attr = tg_op_attr(op, id);
    return attr ? attr->as.integer : absent;
}

uint32_t tg_param_count(const tg_kernel *k, tg_role role)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < k->param_count; p++) count += k->params[p].role == role;
    return count;
}

tg_type tg_param_ref(const tg_param *param)
{
    tg_type ref = param->array;
    ref.is_ref = true;
    if (!param->has_block) return ref;
    memset(ref.shape, 0, sizeof ref.shape);
    ref.rank = 0;
    for (int d = 0; d < param->array.rank; d++)
        if (param->block[d].kind != TG_BLOCK_SQUEEZED) ref.shape[ref.rank++] = param->block[d].size;
    return ref;
}

uint32_t tg_op_refs_of(const tg_op *op)
{
    const uint32_t most = tg_op_ref_count(op->code);
    return most < op->in_count ? most : op->in_count;
}

unsigned tg_op_effects_on(const tg_op *op, uint32_t operand)
{
    /* A copy that combines reads where it writes, as an atomic does. */
    const bool combines =
        op->code == TG_OP_dma_start && operand == 1 && tg_op_attr(op, TG_ATTR_kind);
    return combines ? TG_TRAIT_ATOMIC : tg_ops[op->code].refs[operand];
}

bool tg_op_is_atomic(const tg_op *op)
{
    const bool moves = op->code == TG_OP_load || op->code == TG_OP_store;
    return moves ? tg_op_attr(op, TG_ATTR_sem) != NULL
                 : (tg_ops[op->code].traits & TG_TRAIT_ATOMIC) != 0;
}

/* The number of operands that the op stores or combines: all required operands but the ref. */
static uint32_t value_operands(tg_opcode code)
{
    return (uint32_t)tg_ops[code].in_min - tg_op_ref_count(code);
}

tg_access tg_op_access(const tg_op *op)
{
    const tg_attr *attr = tg_op_attr(op, TG_ATTR_index);
    tg_access access = {.mask = -1, .other = -1, .value_count = value_operands(op->code)};
    if (attr) {
        access.index = attr->as.index;
        access.rank = (int)attr->count;
    }
    access.first_index = 1 + access.value_count;
    for (int d = 0; d < access.rank; d++)
        access.index_count += access.index[d].kind == TG_INDEX_AT || !access.index[d].has_start;
    int64_t next = (int64_t)access.first_index + access.index_count;
    if (tg_op_int(op, TG_ATTR_mask, 0)) access.mask = next++;
    if (tg_op_int(op, TG_ATTR_other, 0)) access.other = next++;
    return access;
}

/* Broadcasts `b` into `a` (numpy's rule: trailing dimensions align, 1 expands). */
static bool broadcast_into(tg_type *a, const tg_type *b)
{
    tg_type wide = a->rank >= b->rank ? *a : *b;
    const tg_type *narrow = a->rank >= b->rank ? b : a;
    for (int d = 0; d < narrow->rank; d++) {
        int64_t *extent = &wide.shape[wide.rank - 1 - d];
        int64_t other = narrow->shape[narrow->rank - 1 - d];
        if (*extent == 1)
            *extent = other;
        else if (other != 1 && other != *extent)
            return false;
    }
    a->rank = wide.rank;
    memcpy(a->shape, wide.shape, sizeof a->shape);
    return true;
}

/* Computes the common shape of the positions, and whether the dimensions that they index are
 * adjacent. */
static bool position_shape(const tg_kernel *k, const tg_op *op, const tg_access *access,
                           tg_type *positions, int *first, bool *contiguous)
{
    uint32_t next = access->first_index;
    int last = -1;
    *first = -1;
    *contiguous = true;
    for (int d = 0; d < access->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        if (dim->kind == TG_INDEX_SLICE) {
            next += !dim->has_start;
            continue;
        }
        if (*first < 0)
            *first = d;
        else if (last != d - 1)
            *contiguous = false;
        last = d;
        if (next >= op->in_count || !broadcast_into(positions, tg_type_of(k, op->in[next++])))
            return false;
    }
    return true;
}

static bool append_shape(tg_type *out, const tg_type *more)
{
    if (out->rank + more->rank > TG_MAX_RANK) return false;
    for (int d = 0; d < more->rank; d++) out->shape[out->rank++] = more->shape[d];
    return true;
}

bool tg_access_shape(const tg_kernel *k, const tg_op *op, const tg_access *access, tg_type *out)
{
    int first;
    bool contiguous;
    tg_type positions = {0};
    memset(out, 0, sizeof *out);
    out->dtype = tg_type_of(k, op->in[0])->dtype;
    if (!position_shape(k, op, access, &positions, &first, &contiguous)) return false;
    if (!contiguous && !append_shape(out, &positions)) return false;
    for (int d = 0; d < access->rank; d++) {
        if (contiguous && d == first && !append_shape(out, &positions)) return false;
        if (access->index[d].kind == TG_INDEX_AT) continue;
        if (out->rank == TG_MAX_RANK) return false;
        out->shape[out->rank++] = access->index[d].size;
    }
    return true;
}
