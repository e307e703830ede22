/* Options of runs. */
#ifndef TG_API_OPTIONS_H
#define TG_API_OPTIONS_H

#include <stdbool.h>

#include "interp/state/launch.h"
#include "interp/state/order.h"
#include "ir/setting.h"
#include "plan/plan.h"
#include "tilegrind/mesh.h"
#include "tilegrind/tilegrind.h"

/* What runs of a kernel are to be, whatever makes them: the caller's options, and what their texts
 * mean. */
typedef struct tg_run_job {
    const tg_plan *plan;             /* outlives what is made ready for it */
    const tg_run_options *options;   /* complete; for the time of the call */
    const bool *partly_written;      /* per param: see tg_run_settings; outlives likewise */
    const tg_definedness *undefined; /* likewise */
    tg_order order;
    tg_setting setting;
    unsigned checks, traps; /* tg_check_bit, tg_trap bits */
    bool is_fast;           /* the profile */
    const char *isa;        /* the interpreter's instruction set, also where that does not run */
} tg_run_job;

/* The caller's options (NULL: none), whose struct may be that of an older header. */
tg_run_options tg_api_options(const tg_run_options *options);

/* Those of a mesh, likewise. */
tg_mesh_options tg_api_mesh_options(const tg_mesh_options *options);

/* Whether a profile's name (NULL: "reference") is "fast"; TG_ERR_USAGE where it is no profile's. */
tg_status tg_api_profile(const char *name, bool *is_fast, tg_diags *diags);

/* What a model of a tensor core's name (NULL: "exact") stands for; TG_ERR_USAGE likewise. */
tg_status tg_api_tensor_core(const char *name, tg_tensor_core *core, tg_diags *diags);

/* What the options ask for: all but plan, partly_written and undefined.  TG_ERR_USAGE. */
tg_status tg_api_read_options(const tg_run_options *options, tg_run_job *out, tg_diags *diags);

#endif
