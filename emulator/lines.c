#include "emulator/lines.h"

#include "emulator/module_impl.h"

static bool reads_special(const tg_emu_inst *inst)
{
    for (unsigned i = 0; i < inst->in_count; i++)
        if (inst->in[i].bank == TG_EMU_FRAME &&
            inst->in[i].offset < TG_EMU_SPECIAL_COUNT * TG_EMU_SPECIAL_BYTES)
            return true;
    return false;
}

static bool is_inexact(const tg_emu_inst *inst) { return inst->is_inexact; }

static uint32_t first_line(const tg_emu_module *module, uint32_t first, uint32_t last,
                           bool (*is_such)(const tg_emu_inst *inst))
{
    for (size_t e = 0; e < module->entry_count; e++)
        for (size_t i = 0; i < module->entries[e].code_count; i++) {
            const tg_emu_inst *inst = &module->entries[e].code[i];
            if (inst->line >= first && inst->line <= last && is_such(inst)) return inst->line;
        }
    return 0;
}

uint32_t tg_emu_line_special(const tg_emu_module *module, uint32_t first, uint32_t last)
{
    return first_line(module, first, last, reads_special);
}

uint32_t tg_emu_line_inexact(const tg_emu_module *module, uint32_t first, uint32_t last)
{
    return first_line(module, first, last, is_inexact);
}
