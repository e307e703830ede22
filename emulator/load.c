/* Loads a text as a module. */
#include "emulator/load.h"

#include <stdlib.h>

#include "emulator/parse.h"

static tg_status load(tg_emu_module *module, const tg_emu_isa *isa, const char *text, size_t length,
                      tg_diags *diags)
{
    tg_emu_parser parser = {.diags = diags, .module = module, .isa = isa};
    parser.entry = &parser.common;
    tg_status status = TG_ERR_NO_MEMORY;
    if (tg_emu_names_begin(&parser.names, &parser.scratch)) {
        status = tg_emu_reader_begin(&parser.reader, text, length, diags);
        if (status == TG_OK) status = tg_emu_parse_module(&parser);
    } else {
        tg_emu_no_memory(&parser);
    }
    tg_arena_free(&parser.scratch);
    return status;
}

tg_status tg_emu_module_load_for(const char *isa_name, const char *text, size_t length,
                                 const char *name, tg_emu_module **out, tg_diags *diags)
{
    tg_emu_isa isa;
    *out = NULL;
    if (!tg_emu_isa_get(isa_name, &isa))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "this machine has no instruction set %s",
                       isa_name);
    tg_emu_module *module = calloc(1, sizeof *module);
    if (!module) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for the module");
    tg_diags_set_file(diags, name);
    tg_status status = load(module, &isa, text, length, diags);
    tg_diags_set_file(diags, NULL);
    if (status == TG_OK)
        *out = module;
    else
        tg_emu_module_free(module);
    return status;
}

tg_status tg_emu_module_load(const char *text, size_t length, const char *name, tg_emu_module **out,
                             tg_diags *diags)
{
    return tg_emu_module_load_for(NULL, text, length, name, out, diags);
}
