/* Puts together what the devices of a mesh have of an output. */
#ifndef TG_API_MESH_GATHER_H
#define TG_API_MESH_GATHER_H

#include "api/mesh_arrays.h"
#include "api/mesh_report.h"

/* Where copies differ. */
typedef struct tg_copies_differ {
    int64_t count;       /* elements of the whole that differ between some copies */
    int64_t first, last; /* of these */
    int devices[2]; /* of `first`: the first that has it, and the first that has another value */
    char values[2][TG_ELEMENT_TEXT];
} tg_copies_differ;

/* Reduces the terms of the array's parts, in place, into the first term of each reduction; then
 * moves the parts to the whole, of copies the first, and compares the others with it.
 * TG_ERR_NO_MEMORY. */
tg_status tg_mesh_gather(tg_mesh_array *array, int devices, void *whole, tg_copies_differ *out,
                         tg_diags *diags);

/* What became of the parts; its texts are those of the array, but for `layout`, which the caller
 * frees. */
tg_status tg_mesh_tell(const tg_mesh_array *array, tg_mesh_output *out, tg_diags *diags);

#endif
