/* The instructions tcgen05, of a single CTA. */
#include <stdio.h>
#include <stdlib.h>

#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/tensor_alloc.h"
#include "emulator/tensor_move.h"
#include "emulator/tensor_order.h"
#include "emulator/tensor_product.h"

static bool take_all(tg_emu_statement *s, const char *const *names)
{
    for (; *names; names++)
        if (!tg_emu_take(s, *names)) return false;
    return true;
}
#define TAKE(s, ...) take_all((s), (const char *const[]){__VA_ARGS__, NULL})

/* Nothing but the modifiers so far, and so many operands. */
static tg_status end(tg_emu_parser *p, tg_emu_statement *s, size_t operands)
{
    TG_TRY(tg_emu_all_taken(p, s));
    return tg_emu_want_operands(p, s, operands);
}

/* [register + offset], an address of tensor memory; the offset becomes *offset. */
static tg_status tensor_address(tg_emu_parser *p, const tg_emu_operand *o, int64_t *offset,
                                tg_emu_inst *inst)
{
    if (o->kind != TG_EMU_OPERAND_ADDRESS)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected an address in brackets");
    tg_emu_operand name = *o;
    name.kind = TG_EMU_OPERAND_NAME;
    *offset = o->offset;
    return tg_emu_in(p, &name, TG_EMU_B32, inst);
}

/* -- allocation -- */

static tg_status decode_alloc(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!TAKE(s, "cta_group::1", "sync", "aligned", "shared::cta", "b32"))
        return tg_emu_unknown(p, s);
    TG_TRY(end(p, s, 2));
    inst->exec = tg_emu_exec_tensor_alloc;
    inst->flags = TG_EMU_MEMORY_OF(TG_EMU_SHARED, sizeof(uint32_t), 1);
    TG_TRY(tg_emu_address(p, &s->operands[0], TG_EMU_SHARED, sizeof(uint32_t), inst));
    return tg_emu_in(p, &s->operands[1], TG_EMU_B32, inst);
}

static tg_status decode_dealloc(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!TAKE(s, "cta_group::1", "sync", "aligned", "b32")) return tg_emu_unknown(p, s);
    TG_TRY(end(p, s, 2));
    inst->exec = tg_emu_exec_tensor_free;
    TG_TRY(tg_emu_in(p, &s->operands[0], TG_EMU_B32, inst));
    return tg_emu_in(p, &s->operands[1], TG_EMU_B32, inst);
}

static tg_status decode_relinquish(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!TAKE(s, "cta_group::1", "sync", "aligned")) return tg_emu_unknown(p, s);
    inst->exec = tg_emu_exec_tensor_relinquish;
    return end(p, s, 0);
}

/* -- loads and stores -- */

/* .SHAPE.xCOUNT.b32 */
static bool take_shape(tg_emu_statement *s, tg_emu_tensor_registers *r)
{
    static const struct {
        const char *name;
        uint32_t lanes, columns, most;
    } shapes[] = {
#define X(name, lanes, columns, most) {#name, lanes, columns, most},
        TG_EMU_TENSOR_SHAPES(X)
#undef X
    };
    char count[8];
    for (unsigned i = 0; i < TG_EMU_TENSOR_SHAPE_COUNT; i++) {
        if (!tg_emu_take(s, shapes[i].name)) continue;
        for (uint32_t n = 1; n <= shapes[i].most; n *= 2) {
            snprintf(count, sizeof count, "x%u", n);
            if (!tg_emu_take(s, count)) continue;
            r->shape = (tg_emu_tensor_shape)i;
            r->lanes = shapes[i].lanes;
            r->columns = n * shapes[i].columns;
            r->count = r->lanes * r->columns / 32;
            return tg_emu_take(s, "b32");
        }
    }
    return false;
}

static tg_status registers(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_tensor_registers *r)
{
    tg_emu_type declared;
    if (o->kind != TG_EMU_OPERAND_VECTOR || o->element_count != r->count)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a vector of %u registers here",
                              r->count);
    for (uint32_t i = 0; i < r->count; i++)
        TG_TRY(tg_emu_register(p, &o->elements[i], TG_EMU_B32, TG_EMU_SAME_WIDTH, &r->slots[i],
                               &declared));
    return TG_OK;
}

static tg_status decode_move(tg_emu_parser *p, tg_emu_statement *s, bool is_load, tg_emu_inst *inst)
{
    tg_emu_tensor_registers *r = tg_arena_take(&p->module->arena, 1, sizeof *r);
    if (!r) return tg_emu_no_memory(p);
    if (!TAKE(s, "sync", "aligned") || !take_shape(s, r)) return tg_emu_unknown(p, s);
    TG_TRY(end(p, s, 2));
    inst->exec = is_load ? tg_emu_exec_tensor_load : tg_emu_exec_tensor_store;
    inst->data = r;
    TG_TRY(registers(p, &s->operands[is_load ? 0 : 1], r));
    return tensor_address(p, &s->operands[is_load ? 1 : 0], &inst->immediate, inst);
}

static tg_status decode_wait(tg_emu_parser *p, tg_emu_statement *s, bool is_load, tg_emu_inst *inst)
{
    if (!TAKE(s, "sync", "aligned")) return tg_emu_unknown(p, s);
    inst->exec = tg_emu_exec_tensor_wait;
    inst->flags = is_load ? TG_EMU_TENSOR_LOAD : TG_EMU_TENSOR_STORE;
    return end(p, s, 0);
}

static tg_status decode_fence(tg_emu_parser *p, tg_emu_statement *s, bool is_before,
                              tg_emu_inst *inst)
{
    inst->exec = tg_emu_exec_tensor_fence;
    inst->flags = is_before ? TG_EMU_TENSOR_BEFORE : 0;
    return end(p, s, 0);
}

/* -- products -- */

static bool take_kind(tg_emu_statement *s, uint32_t *kind)
{
    static const char *const names[TG_EMU_TENSOR_KINDS] = {[TG_EMU_TENSOR_F16] = "kind::f16",
                                                           [TG_EMU_TENSOR_TF32] = "kind::tf32",
                                                           [TG_EMU_TENSOR_F8F6F4] = "kind::f8f6f4",
                                                           [TG_EMU_TENSOR_I8] = "kind::i8"};
    for (*kind = 0; *kind < TG_EMU_TENSOR_KINDS; ++*kind)
        if (tg_emu_take(s, names[*kind])) return true;
    return false;
}

/* tcgen05.mma.cta_group::1.KIND [d], a, b, descriptor, p; a may be [a] */
static tg_status decode_product(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    uint32_t kind;
    int64_t offset = 0;
    if (!tg_emu_take(s, "cta_group::1") || !take_kind(s, &kind)) return tg_emu_unknown(p, s);
    TG_TRY(end(p, s, 5));
    const bool is_a_held = s->operands[1].kind == TG_EMU_OPERAND_ADDRESS;
    TG_TRY(tensor_address(p, &s->operands[0], &inst->immediate, inst));
    TG_TRY(is_a_held ? tensor_address(p, &s->operands[1], &offset, inst)
                     : tg_emu_in(p, &s->operands[1], TG_EMU_B64, inst));
    if (offset)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->operands[1].token,
                              "an offset of the left factor's address");
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_B64, inst));
    TG_TRY(tg_emu_in(p, &s->operands[3], TG_EMU_B32, inst));
    TG_TRY(tg_emu_in(p, &s->operands[4], TG_EMU_PRED, inst));
    inst->exec = tg_emu_exec_tensor_product;
    inst->flags = kind | (is_a_held ? TG_EMU_TENSOR_A_IN_TENSOR_MEMORY : 0);
    inst->is_inexact = kind != TG_EMU_TENSOR_I8;
    return TG_OK;
}

static tg_status decode_commit(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!TAKE(s, "cta_group::1", "mbarrier::arrive::one", "shared::cluster", "b64"))
        return tg_emu_unknown(p, s);
    TG_TRY(end(p, s, 1));
    inst->exec = tg_emu_exec_tensor_commit;
    return tg_emu_address(p, &s->operands[0], TG_EMU_SHARED, sizeof(uint64_t), inst);
}

tg_status tg_emu_decode_tcgen05(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    p->entry->is_partial = true;
    if (tg_emu_take(s, "alloc")) return decode_alloc(p, s, inst);
    if (tg_emu_take(s, "dealloc")) return decode_dealloc(p, s, inst);
    if (tg_emu_take(s, "relinquish_alloc_permit")) return decode_relinquish(p, s, inst);
    if (tg_emu_take(s, "ld")) return decode_move(p, s, true, inst);
    if (tg_emu_take(s, "st")) return decode_move(p, s, false, inst);
    if (tg_emu_take(s, "wait::ld")) return decode_wait(p, s, true, inst);
    if (tg_emu_take(s, "wait::st")) return decode_wait(p, s, false, inst);
    if (tg_emu_take(s, "fence::before_thread_sync")) return decode_fence(p, s, true, inst);
    if (tg_emu_take(s, "fence::after_thread_sync")) return decode_fence(p, s, false, inst);
    if (tg_emu_take(s, "mma")) return decode_product(p, s, inst);
    if (tg_emu_take(s, "commit")) return decode_commit(p, s, inst);
    return tg_emu_unknown(p, s);
}
