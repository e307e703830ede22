#include "gpu_backend/emit/operand.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/uniform.h"
#include "ir/type.h"

int64_t tg_ptx_count(const tg_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    return count;
}

/* The address of the operand's element at `index`, to which *displacement must still be added. */
static tg_ptx_reg place_of(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                           const tg_ptx_reg *index, int64_t *displacement)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    *displacement = tg_ptx_displacement(em, o);
    tg_ptx_reg base = em->workspace;
    if (slot->kind == TG_SLOT_WORK && !em->has_base[o->slot] && !em->in_place[o->slot].is_set)
        *displacement += (int64_t)slot->offset;
    else
        base = tg_ptx_slot_address(em, o->slot);
    return tg_ptx_address_of(em, base, s, index, tg_carrier_bytes[tg_carrier_of(o->dtype)]);
}

/* ---- one element ---- */

tg_ptx_reg tg_ptx_load_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                               const tg_ptx_reg *index)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    int64_t displacement;
    if (slot->kind == TG_SLOT_UNDEFINED) return tg_ptx_undefined_as(&em->w, slot->dtype, o->dtype);
    if (slot->kind == TG_SLOT_CONSTANT && slot->count == 1)
        return tg_ptx_constant(&em->w, o->dtype, slot->data);
    tg_ptx_reg at = place_of(em, o, s, index, &displacement);
    return tg_ptx_load_carrier(em, tg_ptx_slot_space(em, o->slot), o->dtype, at, displacement);
}

void tg_ptx_store_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                          const tg_ptx_reg *index, tg_ptx_reg value)
{
    int64_t displacement;
    tg_ptx_reg at = place_of(em, o, s, index, &displacement);
    tg_ptx_store_carrier(em, tg_ptx_slot_space(em, o->slot), o->dtype, at, displacement, value);
}

tg_ptx_strided tg_ptx_strided_of(const tg_ptx_emitter *em, const tg_operand *o)
{
    return (tg_ptx_strided){o->rank, o->shape, tg_ptx_strides(em, o)};
}

tg_ptx_reg tg_ptx_load(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index)
{
    const tg_ptx_strided own = tg_ptx_strided_of(em, o);
    return tg_ptx_load_strided(em, o, &own, index);
}

void tg_ptx_store(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index,
                  tg_ptx_reg value)
{
    const tg_ptx_strided own = tg_ptx_strided_of(em, o);
    tg_ptx_store_strided(em, o, &own, index, value);
}

tg_ptx_reg tg_ptx_load_any(tg_ptx_emitter *em, const tg_operand *o)
{
    return tg_ptx_load_strided(em, o, &(tg_ptx_strided){0, NULL, NULL}, NULL);
}

/* ---- several at once ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t tg_ptx_operand_multiple(const tg_ptx_emitter *em, const tg_operand *o)
{
    enum { SLOT_ALIGN = 16 }; /* alignment of workspaces and constants, in bytes */
    const tg_slot *slot = &em->plan->slots[o->slot];
    const int64_t displacement = tg_ptx_displacement(em, o);
    if (em->in_place[o->slot].is_set)
        return least(em->in_place[o->slot].multiple, tg_ptx_divisor(displacement));
    if (em->has_base[o->slot]) return 1; /* it may be at the position of another slot */
    const int64_t offset = slot->kind == TG_SLOT_WORK ? (int64_t)slot->offset : 0;
    return least(SLOT_ALIGN, tg_ptx_divisor(offset + displacement));
}

/* "{%a, %b}" */
static void list_of(const tg_ptx_reg *regs, int width, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < width; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "{", regs[i].name);
    snprintf(out + used, size - used, "}");
}

void tg_ptx_load_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                        const tg_ptx_reg *index, int width, tg_ptx_reg *out)
{
    int64_t displacement;
    char list[4 * sizeof out->name + 16];
    const tg_ptx_reg at = place_of(em, o, s, index, &displacement);
    for (int i = 0; i < width; i++) out[i] = tg_ptx_new(&em->w, tg_ptx_class_of(o->dtype));
    list_of(out, width, list, sizeof list);
    tg_ptx_row(&em->w, "ld.%s.v%d.%s %s, [%s+%" PRId64 "];",
               tg_ptx_space_name(tg_ptx_slot_space(em, o->slot)), width,
               tg_ptx_carrier_type(o->dtype), list, at.name, displacement);
}

void tg_ptx_store_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                         const tg_ptx_reg *index, int width, const tg_ptx_reg *values)
{
    int64_t displacement;
    char list[4 * sizeof values->name + 16];
    const tg_ptx_reg at = place_of(em, o, s, index, &displacement);
    list_of(values, width, list, sizeof list);
    tg_ptx_row(&em->w, "st.%s.v%d.%s [%s+%" PRId64 "], %s;",
               tg_ptx_space_name(tg_ptx_slot_space(em, o->slot)), width,
               tg_ptx_carrier_type(o->dtype), at.name, displacement, list);
}
