/* Parses the body of an entry. */
#ifndef TG_EMULATOR_PARSE_BODY_H
#define TG_EMULATOR_PARSE_BODY_H

#include "emulator/parser.h"

/* Parses from the opening brace to the closing one. */
tg_status tg_emu_parse_body(tg_emu_parser *parser);

#endif
