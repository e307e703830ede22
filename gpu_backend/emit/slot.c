#include "gpu_backend/emit/slot.h"

#include <stddef.h>

#include "base/text.h"
#include "ir/type.h"

/* Writes a constant of several elements to module scope; called once per slot. */
static void write_table(tg_ptx_emitter *em, tg_slot_id id)
{
    const tg_slot *slot = &em->plan->slots[id];
    const unsigned char *bytes = slot->data;
    const size_t count = (size_t)slot->count * tg_carrier_bytes[tg_carrier_of(slot->dtype)];
    em->is_table[id] = true;
    tg_text_add(&em->tables, ".global .align 16 .b8 tg_constant%u[%zu] = {", id, count);
    for (size_t i = 0; i < count; i++)
        tg_text_add(&em->tables, "%s%s%u", i ? "," : "", i % 32 == 0 ? "\n    " : "", bytes[i]);
    tg_text_add(&em->tables, "\n};\n");
}

tg_ptx_reg tg_ptx_slot_address(tg_ptx_emitter *em, tg_slot_id id)
{
    const tg_slot *slot = &em->plan->slots[id];
    if (em->in_place[id].is_set) return em->in_place[id].base;
    if (em->has_base[id]) return em->slot_base[id];
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    if (slot->kind == TG_SLOT_CONSTANT) {
        if (!em->is_table[id]) write_table(em, id);
        tg_ptx_row(&em->w, "mov.u64 %s, tg_constant%u;", r.name, id);
    } else {
        tg_ptx_row(&em->w, "add.s64 %s, %s, %zu;", r.name, em->workspace.name, slot->offset);
    }
    return r;
}

tg_ptx_space tg_ptx_slot_space(const tg_ptx_emitter *em, tg_slot_id id)
{
    const bool is_global = em->plan->slots[id].kind == TG_SLOT_CONSTANT || em->in_place[id].is_set;
    return is_global ? TG_PTX_GLOBAL : em->space;
}

bool tg_ptx_is_one(const tg_ptx_emitter *em, const tg_operand *o)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    return slot->kind == TG_SLOT_UNDEFINED || (slot->kind == TG_SLOT_CONSTANT && slot->count == 1);
}

int tg_ptx_storage_of(const tg_ptx_emitter *em, const tg_operand *o)
{
    return em->in_place[o->slot].is_set ? TG_STORAGE_MEMORY : TG_STORAGE_DENSE;
}

int64_t tg_ptx_displacement(const tg_ptx_emitter *em, const tg_operand *o)
{
    return o->offset[tg_ptx_storage_of(em, o)] * tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

const int64_t *tg_ptx_strides(const tg_ptx_emitter *em, const tg_operand *o)
{
    return o->stride[tg_ptx_storage_of(em, o)];
}
