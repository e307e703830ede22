/* What the sources share that are compiled once for each instruction set. */
#ifndef TG_EMULATOR_ISA_IMPL_H
#define TG_EMULATOR_ISA_IMPL_H

#include "emulator/lanes.h"

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_int)(void);
tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_float)(void);
tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_compare)(void);

#endif
