/* What runs kernels, as far as the runner of cases needs to know. */
#ifndef TG_CROSSCHECK_BACKEND_H
#define TG_CROSSCHECK_BACKEND_H

#include "tilegrind/tilegrind.h"

typedef struct tg_backend {
    const char *name; /* "cpu" */
    /* As tg_run of the public interface, which is the one on the CPU. */
    tg_status (*run)(const tg_module *module, const char *kernel, const tg_array *arrays,
                     size_t array_count, const tg_run_options *options, tg_report **report,
                     tg_errors *errors);
} tg_backend;

#endif
