/* Variables: their declarations, initialisers and addresses. */
#ifndef TG_EMULATOR_PARSE_VARIABLE_H
#define TG_EMULATOR_PARSE_VARIABLE_H

#include "emulator/parser.h"

/* Parses ".shared .align 4 .b8 name[64];", beginning at the token after the space; is_extern:
 * ".extern .shared". */
tg_status tg_emu_parse_variable(tg_emu_parser *parser, tg_emu_space space, bool is_extern);

/* "[.align N] .type [.ptr [.space] [.align N]] name [ '[' count ']' ]".  `count` is 0 without brackets, SIZE_MAX for empty
 * ones. */
typedef struct tg_emu_declared {
    tg_emu_type type;
    tg_emu_token name;
    size_t alignment, count;
    bool is_array, is_open;
    bool has_pointee; /* .ptr: it points to something */
} tg_emu_declared;
tg_status tg_emu_parse_declared(tg_emu_parser *parser, tg_emu_declared *out);

#endif
