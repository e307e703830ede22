/* Entries of a module; freeing a module. */
#include "emulator/module.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/module_impl.h"

void tg_emu_module_free(tg_emu_module *module)
{
    if (!module) return;
    for (size_t i = 0; i < module->block_count; i++) tg_emu_shadow_free(&module->blocks[i].shadow);
    tg_arena_free(&module->arena);
    free(module);
}

size_t tg_emu_entry_count(const tg_emu_module *module) { return module->entry_count; }
const char *tg_emu_entry_name(const tg_emu_module *module, size_t entry)
{
    return module->entries[entry].name;
}

size_t tg_emu_entry_find(const tg_emu_module *module, const char *name)
{
    size_t i = 0;
    while (i < module->entry_count && strcmp(module->entries[i].name, name) != 0) i++;
    return i;
}

size_t tg_emu_param_count(const tg_emu_module *module, size_t entry)
{
    return module->entries[entry].param_count;
}

tg_emu_param tg_emu_param_at(const tg_emu_module *module, size_t entry, size_t param)
{
    return module->entries[entry].params[param];
}

size_t tg_emu_param_bytes(const tg_emu_module *module, size_t entry)
{
    return module->entries[entry].param_bytes;
}
size_t tg_emu_shared_bytes(const tg_emu_module *module, size_t entry)
{
    return module->entries[entry].declared_bytes;
}
