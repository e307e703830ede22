/* From written operands to slots: shared by the decoders. */
#ifndef TG_EMULATOR_OPERANDS_H
#define TG_EMULATOR_OPERANDS_H

#include "emulator/atom.h"
#include "emulator/parser.h"

/* Whether a register may be wider than the type, as for ld, st and cvt. */
typedef enum tg_emu_width { TG_EMU_SAME_WIDTH, TG_EMU_OR_WIDER } tg_emu_width;

/* Takes the next modifier if it is `modifier`; returns whether it was. */
bool tg_emu_take(tg_emu_statement *statement, const char *modifier);
/* TG_EMU_NONE if the next modifier is not a type */
tg_emu_type tg_emu_take_type(tg_emu_statement *statement);
/* TG_EMU_ATOM_NONE if the next modifier is not an operation of atoms.def */
tg_emu_atom_op tg_emu_take_atom(tg_emu_statement *statement);
/* Takes {.noftz}.TYPE, a type that the operation has there; .noftz belongs to sums of 16 bits.  Returns
 * whether it was there. */
bool tg_emu_take_atom_type(tg_emu_statement *statement, tg_emu_atom_op op, tg_emu_atom_place place,
                           tg_emu_type *out);

/* Fails if modifiers are left over. */
tg_status tg_emu_all_taken(tg_emu_parser *parser, const tg_emu_statement *statement);
tg_status tg_emu_want_operands(tg_emu_parser *parser, const tg_emu_statement *statement,
                               size_t count);

/* Fails if the text's target is another one: an instruction that no other chip has. */
tg_status tg_emu_want_target(tg_emu_parser *parser, const tg_emu_statement *statement,
                             const char *target);

/* Records "there is no ... here". */
tg_status tg_emu_unknown(tg_emu_parser *parser, const tg_emu_statement *statement);

/* The slot of an operand that is a source of the type: a register, or a constant of the entry. */
tg_status tg_emu_slot_in(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_type type,
                         tg_emu_slot *out);

/* Add the operand to the instruction as its next source or result. */
tg_status tg_emu_in(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_type type,
                    tg_emu_inst *inst);
tg_status tg_emu_out(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_type type,
                     tg_emu_inst *inst);

/* A register operand, which may be wider than the type.  *declared is the register's own type. */
tg_status tg_emu_register(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_type type,
                          tg_emu_width width, tg_emu_slot *out, tg_emu_type *declared);

/* The slot of a constant: 32 lanes of one value. */
tg_status tg_emu_constant_slot(tg_emu_parser *parser, uint64_t bits, unsigned bytes,
                               tg_emu_slot *out);
void tg_emu_add_to_constant(tg_emu_entry *entry, uint32_t offset, unsigned bytes, uint64_t addend);

/* The bits of a number that is used as `type`. */
tg_status tg_emu_number_bits(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_type type,
                             uint64_t *out);

/* Notes that constant `offset` (UINT32_MAX: the immediate of the current instruction) needs the
 * start of dynamic shared memory added, once that is known. */
tg_status tg_emu_use_dynamic(tg_emu_parser *parser, uint32_t offset, unsigned bytes);

#endif
