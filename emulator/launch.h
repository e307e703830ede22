/* Arguments and results of a launch. */
#ifndef TG_EMULATOR_LAUNCH_H
#define TG_EMULATOR_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/trap.h"

typedef struct tg_emu_launch {
    size_t entry;
    uint32_t grid[3], block[3]; /* x, y, z; each at least 1; at most 1,024 threads per block */
    size_t shared_bytes;        /* dynamic shared memory */
    const void *params;         /* tg_emu_param_bytes of them; borrowed */
    size_t param_bytes;
    uint64_t seed;            /* selects the order of CTAs and warps; 0: ascending order */
    bool is_published;        /* matrix units add as published for their chip, whatever the seed */
    bool is_nearest;          /* .approx instructions give the nearest number, whatever the seed */
    bool races;               /* report races within a CTA */
    bool cta_races;           /* report races between CTAs, in global memory */
    bool arbitrary_registers; /* an unwritten register has bits of the seed, and is no trap */
    bool same_values; /* stores of one value to the same shared bytes do not race with each other */
    uint64_t instruction_limit; /* in warp instructions; 0: no limit */
    /* Called every few milliseconds; a result other than 0 ends the launch with TG_ERR_STOPPED.
     * May be NULL. */
    int (*progress)(void *context, uint64_t ctas_done, uint64_t ctas_total);
    /* Gets what vprintf writes, call by call; may be NULL. */
    void (*print)(void *context, const char *text, size_t length);
    void *context;
} tg_emu_launch;

typedef struct tg_emu_result {
    bool trapped;
    tg_emu_trap trap; /* valid if trapped */
    uint64_t thread_instructions, warp_instructions;
    uint64_t global_loads; /* elements that threads loaded from global memory */
    uint64_t inexact; /* warp instructions whose result may differ on a GPU: the .approx forms */
} tg_emu_result;

#endif
