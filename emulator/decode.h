/* From a statement to an instruction: what decoders share. */
#ifndef TG_EMULATOR_DECODE_H
#define TG_EMULATOR_DECODE_H

#include "emulator/parse.h"

/* Whether a register may be wider than the type, as with ld, st and cvt. */
typedef enum tg_ptx_width { TG_PTX_SAME_WIDTH, TG_PTX_OR_WIDER } tg_ptx_width;

/* The next modifier is taken if it is the one. */
bool tg_ptx_take(tg_ptx_statement *statement, const char *modifier);
tg_ptx_type tg_ptx_take_type(tg_ptx_statement *statement); /* TG_PTX_NONE if it is no type */

/* Fails where modifiers are left over. */
tg_status tg_ptx_all_taken(tg_ptx_parser *parser, const tg_ptx_statement *statement);
tg_status tg_ptx_want_operands(tg_ptx_parser *parser, const tg_ptx_statement *statement,
                               size_t count);

/* "there is no ... here" */
tg_status tg_ptx_unknown(tg_ptx_parser *parser, const tg_ptx_statement *statement);

/* The operand as a source of the type: a register, or a constant of the entry. */
tg_status tg_ptx_slot_in(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_ptx_type type,
                         tg_emu_slot *out);

/* As the next source or result of the instruction. */
tg_status tg_ptx_in(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_ptx_type type,
                    tg_emu_inst *inst);
tg_status tg_ptx_out(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_ptx_type type,
                     tg_emu_inst *inst);

/* A register for a result (is_out) or source that may be wider; *declared is its own type. */
tg_status tg_ptx_register(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_ptx_type type,
                          tg_ptx_width width, tg_emu_slot *out, tg_ptx_type *declared);

/* 32 lanes of one value. */
tg_status tg_ptx_constant_slot(tg_ptx_parser *parser, uint64_t bits, unsigned bytes, tg_emu_slot *out);
void tg_ptx_add_to_constant(tg_emu_entry *entry, uint32_t offset, unsigned bytes, uint64_t addend);

/* The value of a number that stands for `type`. */
tg_status tg_ptx_number_bits(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_ptx_type type,
                             uint64_t *out);

/* [register + offset] or [variable + offset] in a space, as the next source and the immediate. */
tg_status tg_ptx_address(tg_ptx_parser *parser, const tg_ptx_operand *operand, tg_emu_space space,
                         unsigned bytes, tg_emu_inst *inst);

/* Notes that constant `offset` (UINT32_MAX: the immediate of the instruction being decoded) awaits the start of dynamic
 * shared memory. */
tg_status tg_ptx_use_dynamic(tg_ptx_parser *parser, uint32_t offset, unsigned bytes);

/* Decoders of instructions that are not rows of a table. */
typedef tg_status tg_ptx_decoder(tg_ptx_parser *parser, tg_ptx_statement *statement,
                                 tg_emu_inst *inst);
tg_ptx_decoder tg_ptx_decode_mov, tg_ptx_decode_cvt, tg_ptx_decode_atom, tg_ptx_decode_red,
    tg_ptx_decode_shfl, tg_ptx_decode_vote, tg_ptx_decode_redux, tg_ptx_decode_activemask,
    tg_ptx_decode_cvta, tg_ptx_decode_load, tg_ptx_decode_store, tg_ptx_decode_setp,
    tg_ptx_decode_branch, tg_ptx_decode_barrier, tg_ptx_decode_exit, tg_ptx_decode_trap,
    tg_ptx_decode_fence;

#endif
