/* Recordings, from within. */
#ifndef TG_API_RECORD_H
#define TG_API_RECORD_H

#include "api/api_impl.h"
#include "api/mesh_arrays.h"
#include "checks/history.h"
#include "checks/timeline/events.h"
#include "plan/grid.h"
#include "tilegrind/record.h"

struct tg_recording {
    const tg_module *module;
    const tg_kernel *kernel;
    tg_grid grid;
    tg_executable *exe; /* has the plan that the log speaks of */
    tg_history *history;
    tg_timeline *timeline;
    /* per param: inputs are the caller's; outputs as the run has left them; of scratch NULL */
    void **data;
    tg_mesh_arrays *parts; /* of a device of a mesh: has the inputs; NULL: on no mesh */
};

/* What a recording is made of: the arguments of tg_record, looked up. */
typedef struct tg_record_call {
    const tg_module *module;
    const tg_kernel *kernel;
    const tg_array *arrays;
    size_t array_count;
    const tg_run_options *options;
    const tg_report *report;
    const tg_record_limits *limits;
    int device; /* of a mesh, whose findings play a part; -1: on no mesh */
} tg_record_call;

/* As tg_record.  Takes `parts`, which may be NULL, also after a failure. */
tg_status tg_api_record(const tg_record_call *call, tg_mesh_arrays *parts, tg_recording **out,
                        tg_diags *diags);

#endif
