/* From a text to a module. */
#ifndef TG_EMULATOR_LOAD_H
#define TG_EMULATOR_LOAD_H

#include "base/diag.h"
#include "emulator/module.h"

/* Parses `length` bytes of PTX and checks every instruction: form, operand types and widths.  `name` names the
 * text in diagnoses (NULL: none), whose messages begin with "LINE:COLUMN: ".
 * TG_ERR_SYNTAX where the text is malformed, TG_ERR_TYPE where operands do not fit, TG_ERR_INVALID for what
 * contradicts itself, TG_ERR_UNSUPPORTED for PTX outside the subset.  Free *out with tg_emu_module_free. */
tg_status tg_emu_module_load(const char *text, size_t length, const char *name, tg_emu_module **out,
                             tg_diags *diags);

/* The same, executed with one instruction set: "baseline", "avx2" or "avx512"; NULL for the value of TILEGRIND_ISA
 * in the environment if that is usable, else the widest.  TG_ERR_USAGE where the machine lacks it. */
tg_status tg_emu_module_load_for(const char *isa, const char *text, size_t length, const char *name,
                                 tg_emu_module **out, tg_diags *diags);

#endif
