/* ptxas, NVIDIA's assembler of PTX, where this machine has it.  It does what the driver does with a
 * text, but can be given a time limit, and tells what a kernel takes. */
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

/* Looks for it: what the environment names in TILEGRIND_PTXAS (empty: use none) and nothing else,
 * or else in PATH, under CUDA_HOME and CUDA_PATH, and where it is usually installed.  What is found
 * must tell its version.  TG_ERR_UNSUPPORTED with the reason where there is none, TG_ERR_IO where
 * it cannot be started. */
tg_status tg_ptxas_find(tg_ptxas *out, tg_diags *diags);

typedef enum tg_ptxas_outcome {
    TG_PTXAS_ASSEMBLED,
    TG_PTXAS_REFUSED,  /* it ended with an error or left no cubin; see `log` */
    TG_PTXAS_TIMED_OUT /* it was killed */
} tg_ptxas_outcome;

typedef struct tg_ptxas_result {
    tg_ptxas_outcome outcome;
    void *cubin; /* ASSEMBLED; else NULL */
    size_t cubin_bytes;
    char *log; /* what it printed */
    double seconds;
    /* The largest of all entries, -1 where it did not tell. */
    int64_t registers, shared_bytes, stack_bytes, spill_store_bytes, spill_load_bytes;
} tg_ptxas_result;

/* What is to be assembled: `text` for `target` ("sm_90"), at an optimisation level of 0 to 3,
 * within so many seconds. */
typedef struct tg_ptxas_job {
    const char *text, *target;
    int level;
    double limit_s;
} tg_ptxas_job;

/* Assembles a text.  TG_OK whatever the
 * outcome; TG_ERR_IO where it cannot be started or temporary files cannot be written.  Those lie in
 * TMPDIR, else /tmp, and are gone afterwards.  Ends with tg_ptxas_result_free in any case. */
tg_status tg_ptxas_assemble(const tg_ptxas *ptxas, const tg_ptxas_job *job, tg_ptxas_result *out,
                            tg_diags *diags);
void tg_ptxas_result_free(tg_ptxas_result *result);

#endif
