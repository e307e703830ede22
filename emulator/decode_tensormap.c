/* The instructions tensormap: they make tensor maps, in shared or global memory. */
#include <stddef.h>

#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/find.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/tensor_map.h"
#include "emulator/warp.h"

static const struct field {
    const char *name;
    bool has_index;
    unsigned offset, bytes, count;
} fields[] = {
    {"global_address", false, offsetof(tg_emu_tensor_map, address), 8, 1},
    {"rank", false, offsetof(tg_emu_tensor_map, rank), 4, 1},
    {"elemtype", false, offsetof(tg_emu_tensor_map, element), 4, 1},
    {"interleave_layout", false, offsetof(tg_emu_tensor_map, interleave), 4, 1},
    {"swizzle_mode", false, offsetof(tg_emu_tensor_map, swizzle), 4, 1},
    {"fill_mode", false, offsetof(tg_emu_tensor_map, fill), 4, 1},
    {"box_dim", true, offsetof(tg_emu_tensor_map, box), 4, TG_EMU_TENSOR_MAP_RANK},
    {"global_dim", true, offsetof(tg_emu_tensor_map, extents), 4, TG_EMU_TENSOR_MAP_RANK},
    {"global_stride", true, offsetof(tg_emu_tensor_map, strides), 8, TG_EMU_TENSOR_MAP_RANK - 1},
    {"element_stride", true, offsetof(tg_emu_tensor_map, element_strides), 4,
     TG_EMU_TENSOR_MAP_RANK},
};

/* in[0] the address, in[1] the value; the field's place is in the address's offset */
static tg_emu_step exec_replace(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const unsigned bytes = tg_emu_memory_bytes(inst->flags);
    const unsigned char *values = tg_emu_at(exec, &inst->in[1]);
    unsigned char *to[TG_EMU_LANES];
    if (!tg_emu_find_lanes(exec, inst, mask, bytes, TG_EMU_WRITE, false, to)) return TG_EMU_TRAPPED;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) memcpy(to[lane], values + (size_t)lane * bytes, bytes);
    return TG_EMU_ON;
}

/* The index of a field's element. */
static tg_status take_index(tg_emu_parser *p, const tg_emu_operand *o, unsigned count,
                            uint64_t *out)
{
    if (o->kind == TG_EMU_OPERAND_NUMBER) TG_TRY(tg_emu_number_bits(p, o, TG_EMU_U32, out));
    if (o->kind == TG_EMU_OPERAND_NUMBER && *out < count) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_INVALID, &o->token, "expected a number below %u", count);
}

/* .replace.tile.FIELD{.shared::cta, .global}.b1024.{b32, b64} [map], {index,} value */
static tg_status decode_replace(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const struct field *field = NULL;
    uint64_t index = 0;
    if (!tg_emu_take(s, "tile")) return tg_emu_unknown(p, s);
    for (size_t i = 0; !field && i < sizeof fields / sizeof *fields; i++)
        if (tg_emu_take(s, fields[i].name)) field = &fields[i];
    const bool is_shared = tg_emu_take(s, "shared::cta");
    if (!field || (!is_shared && !tg_emu_take(s, "global")) || !tg_emu_take(s, "b1024") ||
        !tg_emu_take(s, field->bytes == 8 ? "b64" : "b32"))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 2u + field->has_index));
    if (field->has_index) TG_TRY(take_index(p, &s->operands[1], field->count, &index));
    const tg_emu_space space = is_shared ? TG_EMU_SHARED : TG_EMU_GLOBAL;
    TG_TRY(tg_emu_address(p, &s->operands[0], space, TG_EMU_TENSOR_MAP_BYTES, inst));
    inst->immediate += (int64_t)(field->offset + index * field->bytes);
    inst->flags |= TG_EMU_MEMORY_OF(space, field->bytes, 1);
    inst->exec = exec_replace;
    return tg_emu_in(p, &s->operands[s->operand_count - 1],
                     field->bytes == 8 ? TG_EMU_B64 : TG_EMU_B32, inst);
}

/* What inst->data points to: the offsets of both addresses. */
typedef struct copying {
    int64_t to, from;
    bool is_narrow; /* the source's register has 32 bits */
} copying;

/* The warp copies one map: its first lane does. */
static tg_emu_step exec_copy(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const copying *c = inst->data;
    const unsigned lane = tg_emu_first_lane(mask), width = c->is_narrow ? 4 : 8;
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "tensormap.cp_fenceproxy", &step)) return step;
    const uint64_t to = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[0]), 8, lane) + (uint64_t)c->to,
                   from = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[1]), width, lane) +
                          (uint64_t)c->from;
    const unsigned char *source = tg_emu_find_address(exec, inst, lane, TG_EMU_SHARED, from,
                                                      TG_EMU_TENSOR_MAP_BYTES, TG_EMU_READ);
    if (!source) return TG_EMU_TRAPPED;
    unsigned char *target = tg_emu_find_address(exec, inst, lane, TG_EMU_GLOBAL, to,
                                                TG_EMU_TENSOR_MAP_BYTES, TG_EMU_WRITE);
    if (!target) return TG_EMU_TRAPPED;
    memcpy(target, source, TG_EMU_TENSOR_MAP_BYTES);
    return TG_EMU_ON;
}

/* .cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned [to], [from], 128 */
static tg_status decode_copy(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    copying c = {0};
    uint64_t bytes = 0;
    if (!tg_emu_take(s, "global") || !tg_emu_take(s, "shared::cta") ||
        !tg_emu_take(s, "tensormap::generic") || !tg_emu_take(s, "release") ||
        !tg_emu_take_scope(s) || !tg_emu_take(s, "sync") || !tg_emu_take(s, "aligned"))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 3));
    TG_TRY(tg_emu_address(p, &s->operands[0], TG_EMU_GLOBAL, TG_EMU_TENSOR_MAP_BYTES, inst));
    c.to = inst->immediate;
    TG_TRY(tg_emu_address(p, &s->operands[1], TG_EMU_SHARED, TG_EMU_TENSOR_MAP_BYTES, inst));
    c.from = inst->immediate;
    c.is_narrow = inst->flags & TG_EMU_MEMORY_NARROW;
    inst->flags = 0;
    if (s->operands[2].kind == TG_EMU_OPERAND_NUMBER)
        TG_TRY(tg_emu_number_bits(p, &s->operands[2], TG_EMU_U32, &bytes));
    if (bytes != TG_EMU_TENSOR_MAP_BYTES)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &s->operands[2].token,
                              "a tensor map has 128 bytes");
    inst->exec = exec_copy;
    inst->data = tg_arena_copy(&p->module->arena, &c, sizeof c);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

tg_status tg_emu_decode_tensormap(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (tg_emu_take(s, "replace")) return decode_replace(p, s, inst);
    if (tg_emu_take(s, "cp_fenceproxy")) return decode_copy(p, s, inst);
    return tg_emu_unknown(p, s);
}
