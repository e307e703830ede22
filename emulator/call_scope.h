/* What a function declares, of which nothing is written when a call of it begins. */
#ifndef TG_EMULATOR_CALL_SCOPE_H
#define TG_EMULATOR_CALL_SCOPE_H

#include "emulator/module_impl.h"

typedef struct tg_emu_call_scope {
    uint32_t first_register, register_count;
    uint32_t local_offset, local_bytes; /* in the local memory of each thread */
} tg_emu_call_scope;

/* The instruction before a body that stands in place of a call: its registers and local memory have
 * what an earlier call left there.  The instruction's `data` is the tg_emu_call_scope. */
tg_emu_exec_fn tg_emu_exec_begin_call;

#endif
