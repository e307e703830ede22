/* What a report has of a mesh: devices, which of them have which finding, parts of outputs. */
#ifndef TG_API_MESH_REPORT_H
#define TG_API_MESH_REPORT_H

#include "layout/mesh/mesh.h"
#include "report/finding.h"
#include "tilegrind/mesh.h"

/* Indices of devices, each once. */
typedef struct tg_device_list {
    int *list;
    size_t count, room;
} tg_device_list;

typedef struct tg_report_mesh {
    bool is_single;   /* of one device of a mesh: device 0 of the list below has all findings */
    int device_count; /* of the list; ids ascend */
    int64_t *ids;
    char **names;             /* "device 3 (x=1, y=1)" */
    tg_device_list *found_on; /* by finding, unless is_single */
    size_t found_count, found_room;
    char order[96];
    tg_mesh_output *outputs; /* owns layout */
    size_t output_count;
} tg_report_mesh;

/* The devices of a mesh, without findings; `has_names`: whether the axes are of use.  NULL without
 * memory. */
tg_report_mesh *tg_report_mesh_new(const tg_mesh *mesh, bool has_names);
void tg_report_mesh_free(tg_report_mesh *mesh);

/* Adds a finding of a device to those of a report, or counts it where an earlier device has it.
 * Devices come in ascending order; findings are not sorted anew. */
tg_status tg_report_mesh_add(tg_report_mesh *mesh, tg_findings *findings, const tg_found *found,
                             int device, tg_diags *diags);

/* Whether a device has a finding, of a mesh that is not single. */
bool tg_report_mesh_is_on(const tg_report_mesh *mesh, size_t finding, int device);

#endif
