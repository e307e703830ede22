/* Parses an entry from its name to its end. */
#ifndef TG_EMULATOR_PARSE_ENTRY_H
#define TG_EMULATOR_PARSE_ENTRY_H

#include "emulator/parser.h"

/* Begins at the token after .entry. */
tg_status tg_emu_parse_entry(tg_emu_parser *parser);

#endif
