/* The text of an op as an entry for the emulator, a thread for each instance. */
#ifndef TG_INLINE_PTX_ENTRY_H
#define TG_INLINE_PTX_ENTRY_H

#include "emulator/module.h"
#include "inline_ptx/registers.h"

/* What the entry is launched with.  Arrays have a cell of 8 bytes for each register of each instance, all
 * instances of one register after the other; registers are in the low bytes. */
typedef struct tg_inline_ptx_params {
    uint64_t operands,
        results; /* device addresses; registers of results are numbered from 0, and so are those of
                                   operands */
    uint32_t instances; /* in the arrays */
    uint32_t first,
        end; /* those to run: thread t of the grid runs first + t, if that is below end */
} tg_inline_ptx_params;

/* An entry, ready for launches. */
typedef struct tg_inline_ptx_entry {
    tg_emu_module *module;          /* changed by no launch; free with tg_emu_module_free */
    uint32_t first_line, last_line; /* of the text of the op within that of the module */
} tg_inline_ptx_entry;

/* Checks the text and makes the entry.  Returns TG_OK; TG_ERR_NO_MEMORY; or another status with what is wrong with
 * the text in `problem`. */
tg_status tg_inline_ptx_load(const tg_inline_ptx *ptx, tg_inline_ptx_entry *out,
                             char problem[TG_INLINE_PTX_PROBLEM]);

#endif
