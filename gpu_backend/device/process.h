/* Another program, run to its end or to a time limit. */
#ifndef TG_GPU_BACKEND_DEVICE_PROCESS_H
#define TG_GPU_BACKEND_DEVICE_PROCESS_H

#include <stdbool.h>

#include "base/diag.h"

typedef struct tg_process_result {
    bool timed_out; /* it was killed, with what it had started in its process group */
    int exit_code;  /* -1 where a signal ended it, or where nothing is known of its end */
    int signal;     /* that ended it, or 0 */
    char *output;   /* what it wrote to standard output and standard error, up to 64 KiB */
    double seconds;
} tg_process_result;

/* Runs argv[0], a path, with argv (NULL ends it), no input and the environment of this process.
 * TG_OK whatever became of it; free the result's output.  TG_ERR_IO where it cannot be started. */
tg_status tg_process_run(char *const *argv, double limit_s, tg_process_result *out,
                         tg_diags *diags);

/* Seconds of a clock that never jumps. */
double tg_process_clock(void);

#endif
