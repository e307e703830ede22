/* Meshes of devices: axes with names and sizes, the first the slowest.
 *
 * A *position* is the row-major index of a device in the mesh; layouts have positions on their
 * axis gpuid.  The device at a position has that number as its id, unless the mesh has a table
 * of ids. */
#ifndef TG_LAYOUT_MESH_MESH_H
#define TG_LAYOUT_MESH_MESH_H

#include "base/text.h"
#include "layout/scan.h"

enum { TG_MESH_MAX_AXES = 16, TG_MESH_MAX_DEVICES = 4096, TG_MESH_NAME_SIZE = 32 };

typedef struct tg_mesh_axis {
    char name[TG_MESH_NAME_SIZE]; /* printable, without quotes and '\' */
    int size;                     /* >= 1 */
} tg_mesh_axis;

typedef struct tg_mesh {
    int axis_count;
    tg_mesh_axis axes[TG_MESH_MAX_AXES];
    int device_count; /* the product of the sizes, at most TG_MESH_MAX_DEVICES */
    bool has_ids;
    int ids[TG_MESH_MAX_DEVICES]; /* by position, if has_ids: a permutation, not the identity */
} tg_mesh;

/* A mesh of one device, without axes. */
void tg_mesh_begin(tg_mesh *mesh);

/* Adds an axis, the fastest so far.  TG_ERR_INVALID, at byte `offset` (-1: none), with the reason:
 * a size below 1, an invalid name or one that exists already, more axes or devices than above. */
tg_status tg_mesh_add(tg_mesh *mesh, const char *name, size_t length, int size, int64_t offset,
                      tg_diags *diags);

/* The axis of a name, or -1. */
int tg_mesh_find(const tg_mesh *mesh, const char *name, size_t length);

/* How far positions are apart that differ by 1 on an axis. */
int tg_mesh_stride(const tg_mesh *mesh, int axis);

/* The id of the device at a position. */
int tg_mesh_device(const tg_mesh *mesh, int position);

/* Whether the mesh is one device that its table of ids names (Shardy calls that maximal). */
bool tg_mesh_is_one_device(const tg_mesh *mesh);

/* Whether names and sizes of axes are the same; and whether the devices are, position by
 * position. */
bool tg_mesh_same_axes(const tg_mesh *a, const tg_mesh *b);
bool tg_mesh_same_devices(const tg_mesh *a, const tg_mesh *b);

/* Reads x=4,y=2, or Shardy's <["x"=2, "y"=4], device_ids=[3, 1, ..]>, where device_ids may be
 * missing.  TG_ERR_SYNTAX or TG_ERR_INVALID (as tg_mesh_add; ids that are no permutation of the
 * positions, or the identity) with the offset in `text`. */
tg_status tg_mesh_read(const char *text, size_t length, tg_mesh *out, tg_diags *diags);

/* The same at the beginning of a longer text. */
tg_status tg_mesh_scan(tg_scanner *scan, tg_mesh *out);

/* Appends Shardy's form; or x=4,y=2 where that says it all, and Shardy's form elsewhere. */
void tg_mesh_print_shardy(const tg_mesh *mesh, tg_text *out);
void tg_mesh_print(const tg_mesh *mesh, tg_text *out);

#endif
