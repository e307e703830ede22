/* ptxas, NVIDIA's assembler of PTX, if this machine has it.  It does what the driver does with a
 * text, but can be given a time limit, and reports the resources of a kernel. */
#ifndef TG_GPU_BACKEND_DEVICE_PTXAS_H
#define TG_GPU_BACKEND_DEVICE_PTXAS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { TG_PTXAS_PATH = 1024 };

typedef struct tg_ptxas {
    char path[TG_PTXAS_PATH];
    char version[32]; /* "13.0.88" */
} tg_ptxas;

/* Looks for ptxas: only at the path in the environment variable TILEGRIND_PTXAS if that is set
 * (empty: use none); otherwise in PATH, under CUDA_HOME and CUDA_PATH, and in the usual places of
 * installation.  The program must print its version.  Returns TG_ERR_UNSUPPORTED with the reason if
 * there is none, TG_ERR_IO if it cannot be started. */
tg_status tg_ptxas_find(tg_ptxas *out, tg_diags *diags);

typedef enum tg_ptxas_outcome {
    TG_PTXAS_ASSEMBLED,
    TG_PTXAS_REFUSED,  /* it failed, or left no cubin; see `log` */
    TG_PTXAS_TIMED_OUT /* it was killed */
} tg_ptxas_outcome;

typedef struct tg_ptxas_result {
    tg_ptxas_outcome outcome;
    void *cubin; /* ASSEMBLED; else NULL */
    size_t cubin_bytes;
    char *log; /* what it printed */
    double seconds;
    /* The maximum over all entries; -1 if ptxas did not print it. */
    int64_t registers, shared_bytes, stack_bytes, spill_store_bytes, spill_load_bytes;
} tg_ptxas_result;

/* A job: assemble `text` for `target` ("sm_90"), at an optimisation level of 0 to 3, within
 * `limit_s` seconds. */
typedef struct tg_ptxas_job {
    const char *text, *target;
    int level;
    double limit_s;
} tg_ptxas_job;

/* Assembles a text.  Returns TG_OK whatever the outcome, TG_ERR_IO if ptxas cannot be started or
 * temporary files cannot be written.  These lie in TMPDIR, else /tmp, and are removed afterwards.
 * Free the result with tg_ptxas_result_free in any case. */
tg_status tg_ptxas_assemble(const tg_ptxas *ptxas, const tg_ptxas_job *job, tg_ptxas_result *out,
                            tg_diags *diags);
void tg_ptxas_result_free(tg_ptxas_result *result);

#endif
