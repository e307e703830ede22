/* Runs PTX text on the CPU: parses it, executes it warp by warp, and traps what a GPU would let pass in
 * silence.  Nothing here knows where the text came from.  docs/emulator.md says which PTX is understood.
 *
 *   load text -> module;  allocate device memory, fill it through tg_emu_host;  launch;  read it back
 *
 * A module and a memory serve one launch at a time; different ones are independent of each other. */
#ifndef TG_EMULATOR_EMULATOR_H
#define TG_EMULATOR_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

typedef struct tg_emu_module tg_emu_module;
typedef struct tg_emu_memory tg_emu_memory;

/* -- modules -- */

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
void tg_emu_module_free(tg_emu_module *module);

/* One .param of an entry: where its bytes belong in tg_emu_launch.params. */
typedef struct tg_emu_param {
    const char *name; /* lives as long as the module */
    const char *type; /* "u64", "f32", ...; of arrays that of an element */
    size_t offset, bytes, alignment;
} tg_emu_param;

size_t tg_emu_entry_count(const tg_emu_module *module);
const char *tg_emu_entry_name(const tg_emu_module *module, size_t entry);

/* Number of the entry called `name`, or tg_emu_entry_count if there is none. */
size_t tg_emu_entry_find(const tg_emu_module *module, const char *name);
size_t tg_emu_param_count(const tg_emu_module *module, size_t entry);
tg_emu_param tg_emu_param_at(const tg_emu_module *module, size_t entry, size_t param);
size_t tg_emu_param_bytes(const tg_emu_module *module, size_t entry);

/* Bytes of statically declared shared memory. */
size_t tg_emu_shared_bytes(const tg_emu_module *module, size_t entry);

/* -- device memory -- */

tg_emu_memory *tg_emu_memory_new(void); /* NULL without memory */
void tg_emu_memory_free(tg_emu_memory *memory);

/* A device address for `bytes` zeroed bytes; 0 without memory.  `alignment` is a power of two, and no more than it is
 * promised: the address is an odd multiple of it.  `name` (NULL: none) is copied for diagnoses. */
uint64_t tg_emu_alloc(tg_emu_memory *memory, size_t bytes, size_t alignment, const char *name);

/* Frees what tg_emu_alloc gave; later accesses trap.  False where `address` is no such address. */
bool tg_emu_release(tg_emu_memory *memory, uint64_t address);

/* The bytes behind a device address, for copies in and out; NULL where not all `bytes` lie within one allocation. */
void *tg_emu_host(tg_emu_memory *memory, uint64_t address, size_t bytes);

/* -- launches -- */

typedef enum tg_emu_trap_kind {
#define TG_EMU_TRAP(id, name, means, example) TG_EMU_TRAP_##id,
#include "emulator/traps.def"
    TG_EMU_TRAP_COUNT
} tg_emu_trap_kind;

const char *tg_emu_trap_name(tg_emu_trap_kind kind); /* "out-of-bounds" */

typedef struct tg_emu_launch {
    size_t entry;
    uint32_t grid[3], block[3]; /* x, y, z; each at least 1; at most 1,024 threads a block */
    size_t shared_bytes;        /* of dynamic shared memory */
    const void *params;         /* tg_emu_param_bytes of them; borrowed */
    size_t param_bytes;
    uint64_t seed;              /* order of CTAs and warps; 0: the natural one */
    bool races;                 /* look for races within a CTA */
    bool cta_races;             /* and for those between CTAs, in global memory */
    uint64_t instruction_limit; /* warp instructions; 0: none */
    /* Called every few milliseconds; another result than 0 ends the launch with TG_ERR_STOPPED.  May be NULL. */
    int (*progress)(void *context, uint64_t ctas_done, uint64_t ctas_total);
    void *context;
} tg_emu_launch;

/* Who did something, and where in the text.  Points into the module. */
typedef struct tg_emu_place {
    uint32_t line, column; /* from 1 */
    const char
        *source; /* the file that the text was made from, by .file and .loc; NULL: not told */
    uint32_t source_line;
    uint32_t ctaid[3], tid[3];
} tg_emu_place;

typedef struct tg_emu_trap {
    tg_emu_trap_kind kind;
    tg_emu_place at;
    bool has_other; /* a race: the earlier access */
    tg_emu_place other;
    bool has_address;
    uint64_t address;
    char text[512]; /* one line, without kind and places */
} tg_emu_trap;

typedef struct tg_emu_result {
    bool trapped;
    tg_emu_trap trap; /* where trapped */
    uint64_t thread_instructions, warp_instructions;
    uint64_t global_loads; /* elements that threads have loaded from global memory */
    uint64_t
        inexact; /* warp instructions whose result a GPU may give otherwise: the .approx forms */
} tg_emu_result;

/* Runs a grid to its end or to its first trap.  TG_OK also where it trapped; TG_ERR_USAGE where the launch does not fit
 * the entry, TG_ERR_NO_MEMORY, TG_ERR_STOPPED. */
tg_status tg_emu_run(tg_emu_module *module, tg_emu_memory *memory, const tg_emu_launch *launch,
                     tg_emu_result *result, tg_diags *diags);

/* "KIND: TEXT" with places, for people: several lines, each ended.  Returns the length as snprintf does. */
int tg_emu_trap_print(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap, char *out,
                      size_t size);

#endif
