/* Which instruction set the forms are computed with. */
#ifndef TG_EMULATOR_ISA_H
#define TG_EMULATOR_ISA_H

#include "emulator/forms.h"

/* Three lists for each instruction set: integers, floats, comparisons; then those that are compiled once. */
enum {
    TG_EMU_ISA_LISTS = 3,
    TG_EMU_COMMON_LISTS = 2,
    TG_EMU_FORM_LISTS = TG_EMU_ISA_LISTS + TG_EMU_COMMON_LISTS
};
typedef struct tg_emu_isa {
    const char *name;
    tg_emu_form_list forms[TG_EMU_FORM_LISTS];
} tg_emu_isa;

/* The instruction set called so; false if the machine lacks it.  NULL: see tg_emu_module_load_for. */
bool tg_emu_isa_get(const char *name, tg_emu_isa *out);

/* The form called so, or NULL. */
const tg_emu_form *tg_emu_form_find(const tg_emu_isa *isa, const char *name);

#endif
