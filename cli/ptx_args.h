/* Arguments of a PTX entry, from those of --arg. */
#ifndef TG_CLI_PTX_ARGS_H
#define TG_CLI_PTX_ARGS_H

#include "base/diag.h"
#include "tilegrind/arrays.h"
#include "tilegrind/emulator.h"

enum { TG_PTX_MAX_ARGS = 256 };

/* One a parameter. */
typedef struct tg_ptx_args {
    tg_emulator_arg list[TG_PTX_MAX_ARGS];
    uint64_t scalars[TG_PTX_MAX_ARGS]; /* elements of any dtype */
    size_t count;
    tg_arrays *arrays; /* named as their parameters: what was given, and after a run what it left */
} tg_ptx_args;

/* One argument a parameter: "FILE.npy" or "zeros:f32[1024]", which become device memory, or
 * "i32:5". TG_ERR_USAGE where they do not go with the entry.  Free *out with tg_ptx_args_free, also
 * after a failure. */
tg_status tg_ptx_args_read(const tg_emulator_module *module, size_t entry, const char *const *texts,
                           size_t count, tg_ptx_args *out, tg_diags *diags);

/* "FOLDER": writes every array to FOLDER/PARAMETER.npy; "PARAMETER=FILE": that one. */
tg_status tg_ptx_args_write(const tg_ptx_args *args, const char *out, tg_diags *diags);

void tg_ptx_args_free(tg_ptx_args *args);

#endif
