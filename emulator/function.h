/* Functions of a text: where the definition of each is. */
#ifndef TG_EMULATOR_FUNCTION_H
#define TG_EMULATOR_FUNCTION_H

#include "emulator/parser.h"

/* `reader` is at the token after .func. */
struct tg_emu_function {
    tg_emu_token name;
    tg_emu_reader reader;
};

/* Passes over a declaration or a definition, from the token after .func.  A body is parsed where it is
 * called (emulator/parse_call.h). */
tg_status tg_emu_pass_function(tg_emu_parser *parser);

/* Passes over what stands between the parameters of a function and its body. */
tg_status tg_emu_pass_attributes(tg_emu_parser *parser);

/* The definition with that name, which may stand anywhere in the text; *out is NULL if there is none. */
tg_status tg_emu_function_find(tg_emu_parser *parser, const tg_emu_token *name,
                               const tg_emu_function **out);

#endif
