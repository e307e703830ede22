/* Epochs of races: those between two barriers of the whole CTA (emulator/shadow.h). */
#ifndef TG_EMULATOR_EPOCH_H
#define TG_EMULATOR_EPOCH_H

#include "emulator/exec.h"

/* Begins the next epoch: a CTA begins, or all its threads have met. */
void tg_emu_epoch_begin(tg_emu_exec *exec, bool is_new_cta);

/* Notes, for races between CTAs, that the CTA begins with this epoch.  Returns false if memory runs
 * out. */
bool tg_emu_epoch_note_start(tg_emu_exec *exec, uint64_t number);

#endif
