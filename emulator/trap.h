/* Traps: errors that a GPU would pass over silently, and where they happened. */
#ifndef TG_EMULATOR_TRAP_H
#define TG_EMULATOR_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/module.h"

typedef enum tg_emu_trap_kind {
#define TG_EMU_TRAP(id, name, means, example) TG_EMU_TRAP_##id,
#include "emulator/traps.def"
    TG_EMU_TRAP_COUNT
} tg_emu_trap_kind;

const char *tg_emu_trap_name(tg_emu_trap_kind kind); /* "out-of-bounds" */

/* A thread and a position in the text.  Points into the module. */
typedef struct tg_emu_place {
    uint32_t line, column; /* from 1 */
    const char *source;    /* the source file of the text, from .file and .loc; NULL: unknown */
    uint32_t source_line;
    uint32_t ctaid[3], tid[3];
} tg_emu_place;

typedef struct tg_emu_trap {
    tg_emu_trap_kind kind;
    tg_emu_place at;
    bool has_other; /* a race: `other` is the earlier access */
    tg_emu_place other;
    bool has_address;
    uint64_t address;
    char text[512]; /* one line, without kind and positions */
} tg_emu_trap;

/* Prints "KIND: TEXT" and the positions for users: several lines, each with a line end.  Returns
 * the length as snprintf does. */
int tg_emu_trap_print(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap, char *out,
                      size_t size);

/* As tg_emu_trap_print, in one line without a line end, as messages of errors are. */
int tg_emu_trap_line(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap, char *out,
                     size_t size);

#endif
