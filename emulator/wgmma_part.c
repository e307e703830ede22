#include "emulator/wgmma_part.h"

#include <stdlib.h>

#include "emulator/trapping.h"
#include "emulator/wgmma_read.h"

enum { REGISTER_BYTES = 4 * TG_EMU_LANES };

tg_emu_step tg_emu_wgmma_trap_register(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t reg,
                                       tg_emu_trap_kind kind, const char *what)
{
    char name[TG_EMU_REGISTER_TEXT];
    return tg_emu_trap_at(exec, inst, TG_EMU_ALL, kind, "%s %s",
                          tg_emu_register_text(exec->entry, reg, name), what);
}

/* Whether the program has left the part's registers alone; it traps if not. */
static bool is_untouched(tg_emu_exec *exec, const tg_emu_wgmma_part *part)
{
    const tg_emu_wgmma_form *f = part->inst->data;
    for (uint32_t i = 0; i < f->sum_count; i++)
        if (exec->defined[f->sum[i].reg]) {
            tg_emu_wgmma_trap_register(
                exec, part->inst, f->sum[i].reg, TG_EMU_TRAP_WGMMA,
                "was written while the product that sums in it was in flight");
            return false;
        }
    for (unsigned i = 0; f->in_registers && i < TG_EMU_WGMMA_LHS_REGISTERS; i++) {
        const tg_emu_slot *slot = &part->inst->in[TG_EMU_WGMMA_LHS + i];
        if (memcmp(tg_emu_at(exec, slot), part->registers[i], REGISTER_BYTES) == 0) continue;
        tg_emu_wgmma_trap_register(exec, part->inst, slot->reg, TG_EMU_TRAP_WGMMA,
                                   "was written while the product that reads it was in flight");
        return false;
    }
    return true;
}

/* Register i of a lane (lane = 4 group + place) has, of rows `group` and `group` + 8 in turn, one of columns
 * 2 place and 2 place + 1 of each 8; of f16, both. */
static void add_products(tg_emu_exec *exec, const tg_emu_wgmma_part *part,
                         const tg_emu_wgmma_values *values)
{
    enum { PLACES = 4, HALF = 8 };
    const tg_emu_wgmma_form *f = part->inst->data;
    const tg_emu_mma_sum how = tg_emu_mma_way(exec->launch->is_published, exec->launch->seed);
    const unsigned each = f->result == TG_EMU_WGMMA_TO_F16 ? 2 : 1, bits = 32 / each;
    for (uint32_t i = 0; i < f->sum_count; i++) {
        uint32_t *lanes = tg_emu_at(exec, &f->sum[i]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
            const uint32_t old = part->adds ? lanes[lane] : 0;
            uint32_t made = 0;
            for (unsigned e = 0; e < each; e++) {
                const unsigned number = i * each + e, row = lane / PLACES + HALF * (number / 2 % 2),
                               column = number / 4 * HALF + lane % PLACES * 2 + number % 2;
                const uint32_t addend = each == 1 ? old : old >> e * bits & 0xffff;
                made |= tg_emu_wgmma_sum(f, how, values, row, column, addend) << e * bits;
            }
            lanes[lane] = made;
        }
    }
}

tg_emu_step tg_emu_wgmma_take_place(tg_emu_exec *exec, tg_emu_wgmma_part *part)
{
    struct both {
        tg_emu_wgmma_bytes bytes;
        tg_emu_wgmma_values values;
    } *both = malloc(sizeof *both);
    bool is_read = false;
    if (!both)
        exec->no_memory = true;
    else if (is_untouched(exec, part))
        is_read = tg_emu_wgmma_read(exec, part, &both->bytes);
    if (is_read) {
        tg_emu_wgmma_read_values(part->inst->data, &both->bytes, &both->values);
        add_products(exec, part, &both->values);
        part->is_done = true;
    }
    free(both);
    return is_read ? TG_EMU_ON : TG_EMU_TRAPPED;
}
