/* Selects the CPU instruction set that forms are compiled for. */
#ifndef TG_EMULATOR_ISA_H
#define TG_EMULATOR_ISA_H

#include "emulator/forms.h"

/* Each instruction set has three lists: integers, floats, comparisons.  The common lists are
 * compiled once. */
enum {
    TG_EMU_ISA_LISTS = 3,
    TG_EMU_COMMON_LISTS = 2,
    TG_EMU_FORM_LISTS = TG_EMU_ISA_LISTS + TG_EMU_COMMON_LISTS
};
typedef struct tg_emu_isa {
    const char *name;
    tg_emu_form_list forms[TG_EMU_FORM_LISTS];
} tg_emu_isa;

/* Finds an instruction set by name.  Returns false if the machine lacks it.  For NULL, see
 * tg_emu_module_load_for. */
bool tg_emu_isa_get(const char *name, tg_emu_isa *out);

/* The form with that name, or NULL. */
const tg_emu_form *tg_emu_form_find(const tg_emu_isa *isa, const char *name);

#endif
