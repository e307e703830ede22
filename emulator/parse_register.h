/* Registers: their declarations, and where they lie in a frame. */
#ifndef TG_EMULATOR_PARSE_REGISTER_H
#define TG_EMULATOR_PARSE_REGISTER_H

#include "emulator/parser.h"

/* "TYPE NAME[<COUNT>], ...;" from the token after .reg on. */
tg_status tg_emu_parse_registers(tg_emu_parser *parser);

/* New register of the current entry. */
tg_status tg_emu_new_register(tg_emu_parser *parser, tg_emu_type type, const tg_emu_token *at,
                              tg_emu_slot *out);

#endif
