/* The run that is made once more for --html and --trace. */
#ifndef TG_CLI_RECORDING_H
#define TG_CLI_RECORDING_H

#include "base/diag.h"
#include "cli/run_request.h"
#include "tilegrind/mesh.h"

/* `inner`, after which the run is made once more to be recorded for what the request asks for: of
 * several runs the first with findings, else the first.  For one request a process. */
tg_run_hook tg_cli_recording_hook(const tg_run_request *request, tg_run_hook inner);

/* The same of a run on a mesh, of which some devices are recorded. */
tg_mesh_hook tg_cli_recording_mesh_hook(const tg_run_request *request, tg_mesh_hook inner);

/* Writes the files that the request names, if a run came to its end, then forgets it; says on
 * standard error how many events the trace has no room for.  TG_ERR_IO where a file cannot be
 * written, which leaves what was there untouched. */
tg_status tg_cli_recording_finish(const tg_run_request *request, tg_diags *diags);

#endif
