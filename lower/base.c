#include "lower/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/loc.h"

static void *taken(tg_lowerer *l, void *object)
{
    if (!object) tg_lower_no_memory(l);
    return object;
}

void *tg_lower_take(tg_lowerer *l, size_t count, size_t size)
{
    return taken(l, tg_arena_take(l->arena, count, size));
}

void *tg_lower_scratch(tg_lowerer *l, size_t count, size_t size)
{
    return taken(l, tg_arena_take(&l->scratch, count, size));
}

void *tg_lower_grow(tg_lowerer *l, void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) return list;
    uint32_t wanted = *capacity ? 2 * *capacity : 32;
    void *wide = tg_lower_scratch(l, wanted, size);
    if (!wide) return NULL;
    if (count) memcpy(wide, list, count * size);
    *capacity = wanted;
    return wide;
}

void tg_lower_fail(tg_lowerer *l, tg_status status, const tg_op *op, const char *format, ...)
{
    if (l->failed) return;
    char text[512], place[TG_LOC_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const tg_loc *loc = &l->plan->module->locs[op ? op->loc : 0];
    if (op)
        tg_fail(l->diags, status, NULL, "kernel %s: %s%s: %s", l->kernel->name,
                tg_ops[op->code].name, tg_loc_print(loc, place), text);
    else
        tg_fail(l->diags, status, NULL, "kernel %s: %s", l->kernel->name, text);
    l->failed = status;
}

void tg_lower_no_memory(tg_lowerer *l)
{
    if (!l->failed) l->failed = tg_no_memory(l->diags);
}

tg_inst *tg_lower_emit(tg_lowerer *l, tg_inst_kind kind, tg_opcode op, uint32_t loc)
{
    tg_inst *insts = tg_lower_grow(l, l->insts, l->inst_count, &l->inst_capacity, sizeof *l->insts);
    if (!insts) return &l->unused;
    l->insts = insts;
    l->insts[l->inst_count] = (tg_inst){.kind = kind, .op = op, .loc = loc};
    return &l->insts[l->inst_count++];
}

tg_code tg_lower_take_code(tg_lowerer *l)
{
    tg_lower_emit(l, TG_I_END, TG_OP_COUNT, 0);
    tg_code code = {.count = l->inst_count};
    code.list = tg_lower_take(l, l->inst_count, sizeof *code.list);
    if (!code.list) return (tg_code){0};
    memcpy(code.list, l->insts, l->inst_count * sizeof *code.list);
    l->inst_count = 0;
    return code;
}

static tg_slot_id new_slot(tg_lowerer *l, const tg_slot *slot)
{
    tg_plan *plan = l->plan;
    tg_slot *slots =
        tg_lower_grow(l, plan->slots, plan->slot_count, &l->slot_capacity, sizeof *slot);
    if (!slots) return 0;
    plan->slots = slots;
    plan->slots[plan->slot_count] = *slot;
    plan->slots[plan->slot_count].exchange = plan->slot_count;
    return plan->slot_count++;
}

tg_slot_id tg_lower_slot(tg_lowerer *l, tg_dtype dtype, int64_t count)
{
    tg_slot slot = {.kind = TG_SLOT_WORK,
                    .dtype = dtype,
                    .count = count,
                    .bytes = (size_t)count * tg_carrier_bytes[tg_carrier_of(dtype)],
                    .first = l->keeps_slots ? 0 : UINT32_MAX,
                    .last = l->keeps_slots ? UINT32_MAX : 0};
    return new_slot(l, &slot);
}

tg_slot_id tg_lower_constant(tg_lowerer *l, tg_dtype dtype, int64_t count, const void *bytes)
{
    tg_slot slot = {.kind = TG_SLOT_CONSTANT, .dtype = dtype, .count = count};
    slot.bytes = (size_t)count * tg_carrier_bytes[tg_carrier_of(dtype)];
    slot.data = taken(l, tg_arena_copy(l->arena, bytes, slot.bytes));
    return slot.data ? new_slot(l, &slot) : 0;
}

tg_slot_id tg_lower_undefined(tg_lowerer *l, tg_dtype dtype)
{
    tg_slot slot = {.kind = TG_SLOT_UNDEFINED, .dtype = dtype, .count = 1, .bytes = 8};
    return new_slot(l, &slot);
}

tg_ref_id tg_lower_ref(tg_lowerer *l, const tg_type *type, uint32_t root, const int64_t *stride)
{
    tg_ref_plan *refs =
        tg_lower_grow(l, l->refs, l->plan->ref_count, &l->ref_capacity, sizeof *l->refs);
    if (!refs) return 0;
    l->refs = refs;
    tg_ref_plan *ref = &l->refs[l->plan->ref_count];
    *ref = (tg_ref_plan){.type = *type, .root = root};
    memcpy(ref->stride, stride, (size_t)type->rank * sizeof *stride);
    return l->plan->ref_count++;
}

tg_operand tg_lower_dense(tg_slot_id slot, const tg_type *type)
{
    tg_operand at;
    memset(&at, 0, sizeof at);
    at.slot = slot;
    at.dtype = type->dtype;
    at.rank = type->rank;
    memcpy(at.shape, type->shape, sizeof at.shape);
    for (int v = 0; v < TG_STORAGE_COUNT; v++)
        tg_dense_strides(type->rank, type->shape, at.stride[v]);
    return at;
}

void tg_lower_begin(tg_lowerer *l)
{
    l->insts = tg_lower_grow(l, NULL, 0, &l->inst_capacity, sizeof *l->insts);
    l->nodes = tg_lower_grow(l, NULL, 0, &l->node_capacity, sizeof *l->nodes);
    l->plan->slots = tg_lower_grow(l, NULL, 0, &l->slot_capacity, sizeof *l->plan->slots);
    l->refs = tg_lower_grow(l, NULL, 0, &l->ref_capacity, sizeof *l->refs);
}
