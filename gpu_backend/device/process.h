/* Runs another program to its end or to a time limit. */
#ifndef TG_GPU_BACKEND_DEVICE_PROCESS_H
#define TG_GPU_BACKEND_DEVICE_PROCESS_H

#include <stdbool.h>

#include "base/diag.h"

typedef struct tg_process_result {
    bool timed_out; /* it was killed, with all processes of its group */
    int exit_code;  /* -1 if a signal ended it, or if its end is unknown */
    int signal;     /* the signal that ended it, or 0 */
    char *output;   /* its standard output and standard error, up to 64 KiB */
    double seconds;
} tg_process_result;

/* Runs argv[0], a path, with argv (NULL-terminated), empty input and the environment of this
 * process.  Returns TG_OK however the program ended; the caller frees the result's output.  Returns
 * TG_ERR_IO if the program cannot be started. */
tg_status tg_process_run(char *const *argv, double limit_s, tg_process_result *out,
                         tg_diags *diags);

/* A monotonic clock, in seconds. */
double tg_process_clock(void);

#endif
