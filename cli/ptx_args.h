/* Arguments of a PTX entry, from those of --arg. */
#ifndef TG_CLI_PTX_ARGS_H
#define TG_CLI_PTX_ARGS_H

#include "emulator/emulator.h"
#include "ir/tensor.h"

enum { TG_PTX_MAX_ARGS = 256 };

/* Arrays in device memory, in the order of the parameters; `address` is 0 for a scalar. */
typedef struct tg_ptx_args {
    unsigned char *params; /* tg_emu_param_bytes of them */
    size_t param_bytes, count;
    struct tg_ptx_arg {
        const char *name; /* of the parameter */
        tg_tensor tensor; /* what was given, and after tg_ptx_args_fetch what the kernel left */
        uint64_t address;
    } list[TG_PTX_MAX_ARGS];
} tg_ptx_args;

/* One argument a parameter: "FILE.npy" or "zeros:f32[1024]", which become device memory, or "i32:5".
 * TG_ERR_USAGE where they do not go with the entry.  Free *out with tg_ptx_args_free, also after a failure. */
tg_status tg_ptx_args_read(const tg_emu_module *module, size_t entry, const char *const *texts,
                           size_t count, tg_emu_memory *memory, tg_ptx_args *out, tg_diags *diags);

/* Copies device memory back. */
void tg_ptx_args_fetch(tg_ptx_args *args, tg_emu_memory *memory);

/* "FOLDER": writes every array to FOLDER/PARAMETER.npy; "PARAMETER=FILE": that one. */
tg_status tg_ptx_args_write(const tg_ptx_args *args, const char *out, tg_diags *diags);

void tg_ptx_args_free(tg_ptx_args *args);

#endif
