/* A module, and what a launch must know of its entries. */
#ifndef TG_EMULATOR_MODULE_H
#define TG_EMULATOR_MODULE_H

#include <stddef.h>

typedef struct tg_emu_module tg_emu_module;

void tg_emu_module_free(tg_emu_module *module); /* NULL is fine */

/* One .param of an entry, and its position in tg_emu_launch.params. */
typedef struct tg_emu_param {
    const char *name; /* as long-lived as the module */
    const char *type; /* "u64", "f32", ...; for an array, the type of its elements */
    size_t offset, bytes, alignment;
} tg_emu_param;

size_t tg_emu_entry_count(const tg_emu_module *module);
const char *tg_emu_entry_name(const tg_emu_module *module, size_t entry);

/* The index of the entry called `name`; tg_emu_entry_count if there is none. */
size_t tg_emu_entry_find(const tg_emu_module *module, const char *name);
size_t tg_emu_param_count(const tg_emu_module *module, size_t entry);
tg_emu_param tg_emu_param_at(const tg_emu_module *module, size_t entry, size_t param);
size_t tg_emu_param_bytes(const tg_emu_module *module, size_t entry);

/* Bytes of statically declared shared memory. */
size_t tg_emu_shared_bytes(const tg_emu_module *module, size_t entry);

#endif
