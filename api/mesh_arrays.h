/* The arrays of a run on a mesh, and the parts of them that devices have. */
#ifndef TG_API_MESH_ARRAYS_H
#define TG_API_MESH_ARRAYS_H

#include "ir/ir.h"
#include "ir/tensor.h"
#include "layout/mesh/shares.h"
#include "tilegrind/mesh.h"

/* The array of a parameter. */
typedef struct tg_mesh_array {
    const tg_param *param;  /* NULL: scratch, which is on no mesh */
    const tg_tensor *whole; /* of an input; borrowed */
    tg_shape shape;         /* of the whole */
    tg_spread spread;
    tg_shares shares; /* by position */
    tg_tensor *parts; /* by id of the device; NULL: not yet */
} tg_mesh_array;

/* Zero-initialise; ends with tg_mesh_arrays_free. */
typedef struct tg_mesh_arrays {
    const tg_kernel *kernel;
    tg_mesh mesh;
    bool has_names;      /* of its axes; if not, it is only a number of devices */
    tg_mesh_array *list; /* by param */
} tg_mesh_arrays;

/* What the options and the inputs say, with all that is wrong with them: see tg_mesh_run.  The
 * inputs stay as long as `out`. */
tg_status tg_mesh_arrays_read(const tg_kernel *kernel, const tg_mesh_options *options,
                              const tg_tensors *inputs, tg_mesh_arrays *out, tg_diags *diags);

/* Makes the parts of all devices, or of one: those of inputs have their elements.  TG_ERR_NO_MEMORY. */
enum { TG_MESH_ALL_DEVICES = -1 };
tg_status tg_mesh_arrays_split(tg_mesh_arrays *arrays, int device, tg_diags *diags);

/* The device at a position of an array's layout. */
int tg_mesh_array_device(const tg_mesh_array *array, int position);

/* Moves elements from the whole to a part, or back. */
void tg_mesh_array_take(const tg_mesh_array *array, int position, const void *whole, void *part);
void tg_mesh_array_give(const tg_mesh_array *array, int position, const void *part, void *whole);

void tg_mesh_arrays_free(tg_mesh_arrays *arrays);

/* The same for arrays that calloc has made; NULL: there are none. */
void tg_mesh_arrays_delete(tg_mesh_arrays *arrays);

#endif
