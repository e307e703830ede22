/* PTX text run on the CPU, warp by warp, with traps for what a GPU would let pass in silence
 * (docs/emulator.md).
 *
 *   tg_emulator_module *module;
 *   tg_emulator_outcome *outcome;
 *   tg_emulator_arg args[] = {{.data = x, .bytes = sizeof x, .is_memory = 1}, {.data = &n, .bytes =
 *   sizeof n}}; tg_emulator_launch launch = {.size = sizeof launch, .block = {32, 1, 1}};
 *   if (tg_emulator_module_load(text, length, "k.ptx", &module, errors) == TG_OK &&
 *       tg_emulator_module_run(module, &launch, args, 2, &outcome, errors) == TG_OK)
 *       ... tg_emulator_outcome_counts(outcome).trapped ... */
#ifndef TILEGRIND_EMULATOR_H
#define TILEGRIND_EMULATOR_H

#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tg_emu_module tg_emulator_module; /* of one thread at a time */

/* Parses `length` bytes of PTX, the text of `name` (NULL: without one), and checks every
 * instruction.  TG_ERR_SYNTAX, _TYPE, _INVALID, _UNSUPPORTED for PTX that the emulator does not
 * understand, _NO_MEMORY, with messages that begin with "LINE:COLUMN: "; then *out is NULL. */
TG_API tg_status tg_emulator_module_load(const char *text, size_t length, const char *name,
                                         tg_emulator_module **out, tg_errors *errors);
TG_API void tg_emulator_module_free(tg_emulator_module *module); /* NULL is fine */

/* Entries; the names live as long as the module.  entry < count. */
TG_API size_t tg_emulator_entry_count(const tg_emulator_module *module);
TG_API const char *tg_emulator_entry_name(const tg_emulator_module *module, size_t entry);

typedef struct tg_emulator_param_info {
    const char *name;
    const char *type; /* "u64", "f32", ...; of an array that of an element */
    size_t bytes;
} tg_emulator_param_info;

/* Parameters of an entry; param < count. */
TG_API size_t tg_emulator_param_count(const tg_emulator_module *module, size_t entry);
TG_API tg_emulator_param_info tg_emulator_param(const tg_emulator_module *module, size_t entry,
                                                size_t param);

typedef struct tg_emulator_arg {
    void *data; /* NULL only where there are no bytes */
    size_t bytes;
    /* Other than 0: `data` is copied to device memory of its own before the launch and back after
     * it, and the parameter, of 8 bytes, is an address in it; arguments with the same data and bytes share
     * that memory.  0: `data` is the parameter, of just its
     * bytes. */
    int is_memory;
    /* Of memory: of the byte whose address the parameter is; at most `bytes`. */
    size_t offset;
} tg_emulator_arg;

typedef struct tg_emulator_launch {
    size_t size; /* sizeof(tg_emulator_launch): lets the struct grow */
    size_t entry;
    uint32_t grid[3];           /* CTAs along x, y, z; 0: 1 */
    uint32_t block[3];          /* threads of a CTA, likewise; at most 1,024 in all */
    size_t shared_bytes;        /* of dynamic shared memory */
    uint64_t seed;              /* order of CTAs and warps; 0: the natural one */
    int skip_races;             /* do not look for races within a CTA */
    int cta_races;              /* look for those between CTAs, in global memory */
    uint64_t instruction_limit; /* warp instructions until it traps; 0: none */
    /* Called every few milliseconds with CTAs done and in all; another result than 0 stops the
     * launch.  NULL: none. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    /* Other than 0: stores of threads of a CTA to just the same bytes of shared memory do not race with each
     * other if all store the same value. */
    int same_values;
    /* Other than 0: a register that its thread has not written has arbitrary bits, those of the seed, instead of a
     * trap. */
    int arbitrary_registers;
} tg_emulator_launch;

typedef struct tg_emulator_outcome tg_emulator_outcome;

/* Runs a grid to its end or to its first trap, with an argument for each parameter.  A trap is no
 * error.  TG_ERR_USAGE where launch or arguments do not fit the entry, TG_ERR_STOPPED where
 * `progress` asked for that, TG_ERR_NO_MEMORY; then *out is NULL.  It points into the module; free
 * it before with tg_emulator_outcome_free. */
TG_API tg_status tg_emulator_module_run(tg_emulator_module *module,
                                        const tg_emulator_launch *launch,
                                        const tg_emulator_arg *args, size_t arg_count,
                                        tg_emulator_outcome **out, tg_errors *errors);
TG_API void tg_emulator_outcome_free(tg_emulator_outcome *outcome); /* NULL is fine */

typedef struct tg_emulator_counts {
    int trapped;
    int64_t thread_instructions;
    int64_t warp_instructions;
    int64_t global_loads; /* elements that threads have loaded from global memory */
    int64_t
        inexact; /* warp instructions whose result a GPU may give otherwise: the .approx forms */
} tg_emulator_counts;

TG_API tg_emulator_counts tg_emulator_outcome_counts(const tg_emulator_outcome *outcome);

/* Who did something, and where in the text. */
typedef struct tg_emulator_place {
    int64_t line; /* from 1; 0: there is no place */
    int64_t column;
    const char
        *source; /* the file that the text was made from, by .file and .loc; NULL: not told */
    int64_t source_line;
    uint32_t cta[3];
    uint32_t thread[3];
} tg_emulator_place;

typedef struct tg_emulator_trap {
    const char *kind;    /* "out-of-bounds", ...; NULL: there is no trap */
    const char *message; /* one line, without kind and places */
    tg_emulator_place at;
    tg_emulator_place other; /* a race: of the earlier access */
    int has_address;
    uint64_t address;
} tg_emulator_trap;

/* The trap, whose texts live as long as the outcome; and as text for people: several lines, each
 * ended, "" where there is none. */
TG_API tg_emulator_trap tg_emulator_outcome_trap(const tg_emulator_outcome *outcome);
TG_API const char *tg_emulator_outcome_text(const tg_emulator_outcome *outcome);

/* What the threads have printed by vprintf, in the order in which they ran, up to the trap; "" if nothing.  It lives as
 * long as the outcome. */
TG_API const char *tg_emulator_outcome_prints(const tg_emulator_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
