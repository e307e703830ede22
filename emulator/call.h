/* A call as written. */
#ifndef TG_EMULATOR_CALL_H
#define TG_EMULATOR_CALL_H

#include "emulator/parser.h"

/* A .param variable of the caller. */
typedef struct tg_emu_argument {
    tg_emu_token token;
    const tg_emu_symbol *symbol;
} tg_emu_argument;

enum { TG_EMU_MAX_ARGUMENTS = 64 };
typedef struct tg_emu_arguments {
    tg_emu_argument list[TG_EMU_MAX_ARGUMENTS];
    size_t count;
} tg_emu_arguments;

/* call (results), name, (arguments); */
typedef struct tg_emu_call {
    tg_emu_token name;
    tg_emu_arguments results, arguments;
} tg_emu_call;

/* Fails if the variable has another size than the parameter. */
tg_status tg_emu_check_argument(tg_emu_parser *parser, const tg_emu_argument *argument,
                                size_t bytes);

/* Says that the function has another number of parameters or results than the call. */
tg_status tg_emu_fail_counts(tg_emu_parser *parser, const tg_emu_call *call, size_t parameters,
                             size_t results);

#endif
