/* Operations that change memory atomically: those of atom and red, and of bulk copies that reduce. */
#ifndef TG_EMULATOR_ATOM_H
#define TG_EMULATOR_ATOM_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/type.h"

typedef enum tg_emu_atom_op {
    TG_EMU_ATOM_NONE,
#define TG_EMU_ATOM(id, name, thread, global, shared, tensor) TG_EMU_ATOM_##id,
#include "emulator/atoms.def"
    TG_EMU_ATOM_COUNT
} tg_emu_atom_op;

/* Who does it, and where, on which the types depend. */
typedef enum tg_emu_atom_place {
    TG_EMU_ATOM_BY_THREAD,
    TG_EMU_ATOM_TO_GLOBAL, /* by a bulk copy */
    TG_EMU_ATOM_TO_SHARED,
    TG_EMU_ATOM_TO_TENSOR,
    TG_EMU_ATOM_PLACES
} tg_emu_atom_place;

/* "add" */
const char *tg_emu_atom_name(tg_emu_atom_op op);
bool tg_emu_atom_has(tg_emu_atom_op op, tg_emu_atom_place place, tg_emu_type type);

/* The value that is in memory then; `b` and `c` are the operands.  `flushes`: adding f32 makes zeros, of
 * their sign, of subnormal operands and results, as in global memory. */
uint64_t tg_emu_atom_result(tg_emu_atom_op op, tg_emu_type type, bool flushes, uint64_t old,
                            uint64_t b, uint64_t c);

#endif
