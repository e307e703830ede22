/* The recorded runs that a page or a trace shows: one, or one of each of some devices of a mesh. */
#ifndef TG_CLI_SHOWN_H
#define TG_CLI_SHOWN_H

#include "cli/run_request.h"
#include "tilegrind/mesh.h"

typedef struct tg_cli_shown {
    const tg_run_request *request;
    const tg_report *report;
    size_t count; /* of recordings; on no mesh 1 */
    tg_recording *recordings[TG_MESH_RECORDED];
    int64_t devices[TG_MESH_RECORDED]; /* on a mesh: their ids, ascending */
} tg_cli_shown;

/* "device 0 (x=0)", or NULL on no mesh; which < count. */
const char *tg_cli_shown_device(const tg_cli_shown *shown, size_t which);

#endif
