#include "emulator/call.h"

tg_status tg_emu_check_argument(tg_emu_parser *p, const tg_emu_argument *argument, size_t bytes)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (argument->symbol->bytes == bytes) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_TYPE, &argument->token, "%s has %zu bytes, the parameter %zu",
                          tg_emu_token_text(&argument->token, text), argument->symbol->bytes,
                          bytes);
}

tg_status tg_emu_fail_counts(tg_emu_parser *p, const tg_emu_call *call, size_t parameters,
                             size_t results)
{
    char text[TG_EMU_TOKEN_TEXT];
    return tg_emu_fail_at(p, TG_ERR_TYPE, &call->name,
                          "%s has %zu parameters and %zu results, the call %zu and %zu",
                          tg_emu_token_text(&call->name, text), parameters, results,
                          call->arguments.count, call->results.count);
}
