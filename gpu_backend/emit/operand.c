/* Elements of slots: where they are, and how they come into registers and go back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu_backend/emit/emitter.h"

const char *tg_ptx_space_name(tg_ptx_space space)
{
    return space == TG_PTX_SHARED ? "shared" : "global";
}

/* ---- carriers and bits in memory ---- */

const char *tg_ptx_carrier_type(tg_dtype dtype)
{
    static const char *const types[TG_C_COUNT] = {
        [TG_C_b8] = "u8",   [TG_C_i8] = "s8",   [TG_C_i16] = "s16", [TG_C_i32] = "s32",
        [TG_C_i64] = "s64", [TG_C_u8] = "u8",   [TG_C_u16] = "u16", [TG_C_u32] = "u32",
        [TG_C_u64] = "u64", [TG_C_f32] = "f32", [TG_C_f64] = "f64",
    };
    return types[tg_carrier_of(dtype)];
}

tg_ptx_reg tg_ptx_load_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                               tg_ptx_reg address, int64_t displacement)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, tg_ptx_class_of(dtype));
    tg_ptx_row(&em->w, "ld.%s.%s %s, [%s+%" PRId64 "];", tg_ptx_space_name(space),
               tg_ptx_carrier_type(dtype), r.name, address.name, displacement);
    return r;
}

void tg_ptx_store_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                          tg_ptx_reg address, int64_t displacement, tg_ptx_reg value)
{
    tg_ptx_row(&em->w, "st.%s.%s [%s+%" PRId64 "], %s;", tg_ptx_space_name(space),
               tg_ptx_carrier_type(dtype), address.name, displacement, value.name);
}

const char *tg_ptx_bits_type(int bytes)
{
    static const char *const types[9] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    return types[bytes];
}

void tg_ptx_store_bits(tg_ptx_emitter *em, tg_ptx_space space, int bytes, tg_ptx_reg address,
                       tg_ptx_reg bits)
{
    tg_ptx_row(&em->w, "st.%s.%s [%s], %s;", tg_ptx_space_name(space), tg_ptx_bits_type(bytes),
               address.name, bits.name);
}

/* ---- slots ---- */

/* A constant of several elements stands once in module scope. */
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

int tg_ptx_layout_of(const tg_ptx_emitter *em, const tg_operand *o)
{
    return em->in_place[o->slot].is_set ? TG_LAYOUT_MEMORY : TG_LAYOUT_DENSE;
}

int64_t tg_ptx_displacement(const tg_ptx_emitter *em, const tg_operand *o)
{
    return o->offset[tg_ptx_layout_of(em, o)] * tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

const int64_t *tg_ptx_strides(const tg_ptx_emitter *em, const tg_operand *o)
{
    return o->stride[tg_ptx_layout_of(em, o)];
}

/* ---- operands ---- */

int64_t tg_ptx_count(const tg_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    return count;
}

static int64_t bytes_of(const tg_operand *o) { return tg_carrier_bytes[tg_carrier_of(o->dtype)]; }

/* Address of the operand's element at `index`; *displacement is still to be added. */
static tg_ptx_reg place_of(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                           const int64_t *stride, const tg_ptx_reg *index, int64_t *displacement)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    *displacement = tg_ptx_displacement(em, o);
    tg_ptx_reg base = em->workspace;
    if (slot->kind == TG_SLOT_WORK && !em->has_base[o->slot] && !em->in_place[o->slot].is_set)
        *displacement += (int64_t)slot->offset;
    else
        base = tg_ptx_slot_address(em, o->slot);
    return tg_ptx_address_of(em, base, rank, shape, stride, index, bytes_of(o));
}

tg_ptx_reg tg_ptx_load_strided(tg_ptx_emitter *em, const tg_operand *o, int rank,
                               const int64_t *shape, const int64_t *stride, const tg_ptx_reg *index)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    int64_t displacement;
    if (slot->kind == TG_SLOT_UNDEFINED) return tg_ptx_undefined(&em->w, o->dtype);
    if (slot->kind == TG_SLOT_CONSTANT && slot->count == 1)
        return tg_ptx_constant(&em->w, o->dtype, slot->data);
    tg_ptx_reg at = place_of(em, o, rank, shape, stride, index, &displacement);
    return tg_ptx_load_carrier(em, tg_ptx_slot_space(em, o->slot), o->dtype, at, displacement);
}

/* ---- several at once ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t tg_ptx_operand_multiple(const tg_ptx_emitter *em, const tg_operand *o)
{
    enum { SLOT_ALIGN = 16 }; /* of workspaces and of constants */
    const tg_slot *slot = &em->plan->slots[o->slot];
    const int64_t displacement = tg_ptx_displacement(em, o);
    if (em->in_place[o->slot].is_set)
        return least(em->in_place[o->slot].multiple, tg_ptx_divisor(displacement));
    if (em->has_base[o->slot]) return 1; /* it may be in the place of another */
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

void tg_ptx_load_vector(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                        const int64_t *stride, const tg_ptx_reg *index, int width, tg_ptx_reg *out)
{
    int64_t displacement;
    char list[4 * sizeof out->name + 16];
    const tg_ptx_reg at = place_of(em, o, rank, shape, stride, index, &displacement);
    for (int i = 0; i < width; i++) out[i] = tg_ptx_new(&em->w, tg_ptx_class_of(o->dtype));
    list_of(out, width, list, sizeof list);
    tg_ptx_row(&em->w, "ld.%s.v%d.%s %s, [%s+%" PRId64 "];",
               tg_ptx_space_name(tg_ptx_slot_space(em, o->slot)), width,
               tg_ptx_carrier_type(o->dtype), list, at.name, displacement);
}

void tg_ptx_store_vector(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                         const int64_t *stride, const tg_ptx_reg *index, int width,
                         const tg_ptx_reg *values)
{
    int64_t displacement;
    char list[4 * sizeof values->name + 16];
    const tg_ptx_reg at = place_of(em, o, rank, shape, stride, index, &displacement);
    list_of(values, width, list, sizeof list);
    tg_ptx_row(&em->w, "st.%s.v%d.%s [%s+%" PRId64 "], %s;",
               tg_ptx_space_name(tg_ptx_slot_space(em, o->slot)), width,
               tg_ptx_carrier_type(o->dtype), at.name, displacement, list);
}

tg_ptx_reg tg_ptx_load(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index)
{
    return tg_ptx_load_strided(em, o, o->rank, o->shape, tg_ptx_strides(em, o), index);
}

void tg_ptx_store_strided(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                          const int64_t *stride, const tg_ptx_reg *index, tg_ptx_reg value)
{
    int64_t displacement;
    tg_ptx_reg at = place_of(em, o, rank, shape, stride, index, &displacement);
    tg_ptx_store_carrier(em, tg_ptx_slot_space(em, o->slot), o->dtype, at, displacement, value);
}

void tg_ptx_store(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index,
                  tg_ptx_reg value)
{
    tg_ptx_store_strided(em, o, o->rank, o->shape, tg_ptx_strides(em, o), index, value);
}

/* ---- scalars ---- */

static int64_t constant_scalar(const tg_slot *slot, int64_t offset)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(slot->dtype)];
    const bool is_signed = tg_is_signed(slot->dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)slot->data + offset * (int64_t)bytes, bytes);
    const unsigned spare = 64 - 8 * (unsigned)bytes;
    return is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

tg_ptx_value tg_ptx_scalar_bits(tg_ptx_emitter *em, const tg_operand *o)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    if (slot->kind == TG_SLOT_CONSTANT)
        return tg_ptx_known(constant_scalar(slot, slot->count == 1 ? 0 : o->offset[0]));
    tg_ptx_reg carrier = tg_ptx_load(em, o, NULL);
    if (carrier.class == TG_PTX_B64) return tg_ptx_held(carrier);
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvt.%s %s, %s;", tg_is_signed(o->dtype) ? "s64.s32" : "u64.u32", r.name,
               carrier.name);
    return tg_ptx_held(r);
}

tg_ptx_value tg_ptx_scalar(tg_ptx_emitter *em, const tg_operand *o)
{
    const tg_ptx_value v = tg_ptx_scalar_bits(em, o);
    if (tg_carrier_of(o->dtype) != TG_C_u64) return v;
    if (v.is_known) return v.known < 0 ? tg_ptx_known(INT64_MAX) : v;
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "min.u64 %s, %s, 0x7fffffffffffffff;", r.name, v.reg.name);
    return tg_ptx_held(r);
}

void tg_ptx_set_scalar(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_value v)
{
    tg_ptx_reg wide = tg_ptx_value_reg(em, v), carrier = wide;
    if (tg_ptx_class_of(o->dtype) == TG_PTX_B32) {
        carrier = tg_ptx_new(&em->w, TG_PTX_B32);
        tg_ptx_row(&em->w, "cvt.u32.u64 %s, %s;", carrier.name, wide.name);
    }
    tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_store(em, o, NULL, carrier);
    tg_ptx_loop_end(em, &one);
}
