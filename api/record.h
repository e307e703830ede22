/* Recordings, from within. */
#ifndef TG_API_RECORD_H
#define TG_API_RECORD_H

#include "api/api_impl.h"
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
};

#endif
