/* Parses the top level of a text: version, target, variables, entries. */
#ifndef TG_EMULATOR_PARSE_H
#define TG_EMULATOR_PARSE_H

#include "emulator/parser.h"

tg_status tg_emu_parse_module(tg_emu_parser *parser);

#endif
