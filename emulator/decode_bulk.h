/* Decodes bulk copies. */
#ifndef TG_EMULATOR_DECODE_BULK_H
#define TG_EMULATOR_DECODE_BULK_H

#include "emulator/parser.h"

/* What is behind cp.async.bulk, or with `reduces` behind cp.reduce.async.bulk. */
tg_status tg_emu_decode_bulk(tg_emu_parser *parser, tg_emu_statement *statement, bool reduces,
                             tg_emu_inst *inst);

#endif
