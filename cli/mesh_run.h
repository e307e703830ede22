/* The runs on the devices of a mesh that a command line asks for. */
#ifndef TG_CLI_MESH_RUN_H
#define TG_CLI_MESH_RUN_H

#include "cli/run_request.h"
#include "tilegrind/mesh.h"

/* What the request says of the mesh; `list` is room for the shardings. */
tg_mesh_options tg_cli_mesh_options(const tg_run_request *request,
                                    tg_mesh_sharding list[TG_CLI_MAX_SHARDINGS]);

/* What runs a kernel, as tg_mesh_run does, and records it for page and trace.  For one request a process. */
tg_mesh_hook tg_cli_mesh_hook(const tg_run_request *request);

#endif
