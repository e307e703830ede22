/* Loads a text as a module. */
#ifndef TG_EMULATOR_LOAD_H
#define TG_EMULATOR_LOAD_H

#include "base/diag.h"
#include "emulator/module.h"

/* Parses `length` bytes of PTX and checks every instruction: form, operand types and widths.
 * `name` is the name of the text in diagnoses (NULL: none), whose messages begin with "LINE:COLUMN:
 * ".  Returns TG_ERR_SYNTAX for a malformed text, TG_ERR_TYPE if operands do not fit,
 * TG_ERR_INVALID for contradictions, TG_ERR_UNSUPPORTED for PTX outside the subset.  Free *out with
 * tg_emu_module_free. */
tg_status tg_emu_module_load(const char *text, size_t length, const char *name, tg_emu_module **out,
                             tg_diags *diags);

/* The same, executed with one instruction set: "baseline", "avx2" or "avx512".  NULL: the
 * environment variable TILEGRIND_ISA decides if its value is usable, else the widest set is used.
 * Returns TG_ERR_USAGE if the machine lacks the set. */
tg_status tg_emu_module_load_for(const char *isa, const char *text, size_t length, const char *name,
                                 tg_emu_module **out, tg_diags *diags);

#endif
