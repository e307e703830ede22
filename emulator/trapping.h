/* Makes traps during a launch: their texts and positions. */
#ifndef TG_EMULATOR_TRAPPING_H
#define TG_EMULATOR_TRAPPING_H

#include "base/diag.h"
#include "emulator/exec.h"

/* Fills exec->result->trap for the lowest lane of `mask`.  Returns TG_EMU_TRAPPED. */
TG_PRINTF(5, 6)
tg_emu_step tg_emu_trap_at(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                           tg_emu_trap_kind kind, const char *format, ...);

/* The name of a register, such as "%r12".  Returns `out`. */
enum { TG_EMU_REGISTER_TEXT = 128 };
const char *tg_emu_register_text(const tg_emu_entry *entry, uint32_t reg,
                                 char out[TG_EMU_REGISTER_TEXT]);

/* Sets the position of an instruction in the text. */
void tg_emu_place_inst(const tg_emu_exec *exec, const tg_emu_inst *inst, tg_emu_place *place);

/* Sets ctaid and tid of a thread, from its index among those of the cluster. */
void tg_emu_place_thread(const tg_emu_exec *exec, uint32_t tid, tg_emu_place *place);

/* Sets ctaid of the CTA that an epoch belongs to; requires cta_races. */
void tg_emu_place_cta_of(const tg_emu_exec *exec, uint32_t epoch, tg_emu_place *place);

#endif
