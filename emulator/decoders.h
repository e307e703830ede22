/* Decoders of the instructions that are not rows of a table of forms. */
#ifndef TG_EMULATOR_DECODERS_H
#define TG_EMULATOR_DECODERS_H

#include "emulator/parser.h"

/* Decodes a statement to an instruction. */
typedef tg_status tg_emu_decoder(tg_emu_parser *parser, tg_emu_statement *statement,
                                 tg_emu_inst *inst);

#define TG_EMU_FAMILY(opcode, decoder) tg_emu_decoder tg_emu_decode_##decoder;
#include "emulator/decoders.def"

#endif
