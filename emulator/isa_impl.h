/* Shared by the sources that are compiled once per instruction set. */
#ifndef TG_EMULATOR_ISA_IMPL_H
#define TG_EMULATOR_ISA_IMPL_H

#include "emulator/lanes.h"

/* Functions that exist once per instruction set have its name as suffix: tg_emu_forms_int__avx2. */
#define TG_EMU_PASTE2(a, b) a##__##b
#define TG_EMU_PASTE(a, b) TG_EMU_PASTE2(a, b)
#define TG_EMU_ISA_NAME(name) TG_EMU_PASTE(name, TG_ISA)

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_int)(void);
tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_float)(void);
tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_compare)(void);

#endif
