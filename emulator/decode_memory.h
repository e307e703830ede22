/* Decodes operands that are addresses. */
#ifndef TG_EMULATOR_DECODE_MEMORY_H
#define TG_EMULATOR_DECODE_MEMORY_H

#include "emulator/parser.h"

/* Decodes [register + offset] or [variable + offset] in a space: adds it to the instruction as its
 * next source and its immediate. */
tg_status tg_emu_address(tg_emu_parser *parser, const tg_emu_operand *operand, tg_emu_space space,
                         unsigned bytes, tg_emu_inst *inst);

/* Takes .cta, .cluster, .gpu or .sys; returns whether one was there. */
bool tg_emu_take_scope(tg_emu_statement *statement);
/* Takes .shared, .shared::cta or .shared::cluster; returns whether one was there. */
bool tg_emu_take_shared(tg_emu_statement *statement, bool *is_cluster);

/* The operand of .L2::cache_hint, which changes nothing. */
tg_status tg_emu_take_policy(tg_emu_parser *parser, const tg_emu_operand *operand);

#endif
