/* Parses the body of an entry. */
#ifndef TG_EMULATOR_PARSE_BODY_H
#define TG_EMULATOR_PARSE_BODY_H

#include "emulator/parser.h"

/* Parses the body of an entry, from the opening brace to the closing one. */
tg_status tg_emu_parse_body(tg_emu_parser *parser);

/* The same of a function, up to the closing brace, which it leaves. */
tg_status tg_emu_parse_block(tg_emu_parser *parser);

/* Appends an instruction to the entry; fails at `at` if it has too many. */
tg_status tg_emu_add_inst(tg_emu_parser *parser, const tg_emu_inst *inst, const tg_emu_token *at);

#endif
