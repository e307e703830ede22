/* Private to the implementation of the public interface. */
#ifndef TG_API_API_IMPL_H
#define TG_API_API_IMPL_H

#include "run/run.h"
#include "ir/ir.h"
#include "tilegrind/tilegrind.h"

#define TG_TEXT_OF(x) #x
#define TG_VERSION_OF(major, minor, patch)                                                         \
    TG_TEXT_OF(major) "." TG_TEXT_OF(minor) "." TG_TEXT_OF(patch)
#define TG_VERSION_TEXT TG_VERSION_OF(TG_VERSION_MAJOR, TG_VERSION_MINOR, TG_VERSION_PATCH)

struct tg_errors {
    tg_diags diags;
};

struct tg_report {
    tg_findings findings;
    tg_run_result result;
    char order[TG_ORDER_TEXT];
    const char *isa, *profile, *backend;
    tg_target target; /* of findings' levels */
    const tg_module *module;
    const tg_kernel *kernel;
    int64_t grid[TG_MAX_AXES];   /* sizes of its axes */
    char *hint;                  /* tg_api_set_hint */
    struct tg_report_mesh *mesh; /* NULL: the run was not on a mesh */
};

#endif
