/* Where an executable runs when that is not the interpreter. */
#ifndef TG_API_BACKEND_H
#define TG_API_BACKEND_H

#include "api/api_impl.h"
#include "gpu_backend/run.h"

/* A kernel on a device (api/devices.h).  Threads take turns at it, and so do kernels that are on the same GPU. */
typedef struct tg_remote tg_remote;

/* TG_ERR_USAGE for an unknown backend or an order it does not know, TG_ERR_UNSUPPORTED for what else it lacks. */
tg_status tg_remote_new(const tg_plan *plan, const tg_run_options *options, const tg_order *order,
                        tg_remote **out, tg_diags *diags);
void tg_remote_free(tg_remote *remote); /* NULL is fine */

/* "emulator", "gpu" */
const char *tg_remote_name(const tg_remote *remote);

tg_status tg_remote_run(tg_remote *remote, void *const *data, const int64_t *dynamic_grid,
                        tg_findings *findings, tg_run_result *result, tg_diags *diags);

#endif
