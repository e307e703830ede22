/* Parts of mesh axes: the digits that an axis is cut into.
 *
 * An axis of size n is cut as n = pre * size * rest; the part is the digit of `size` values that
 * has `pre` above it.  Shardy calls it a sub-axis and writes "x":(pre)size; the whole axis has pre
 * 1 and the size of the axis, and is written "x". */
#ifndef TG_LAYOUT_MESH_PART_H
#define TG_LAYOUT_MESH_PART_H

#include "layout/mesh/mesh.h"

typedef struct tg_part {
    int axis, pre, size;
} tg_part;

/* Parts of a mesh that do not overlap are at most 12 of size 2 or more, and 16 of size 1. */
enum { TG_PARTS_MOST = 32 };

typedef struct tg_parts {
    int count;
    tg_part list[TG_PARTS_MOST]; /* the first is the slowest */
} tg_parts;

/* The whole axis. */
tg_part tg_part_whole(const tg_mesh *mesh, int axis);
bool tg_part_is_whole(const tg_mesh *mesh, const tg_part *part);

/* Where the next part of the axis begins: pre * size. */
int64_t tg_part_end(const tg_part *part);

/* Less than, equal to or more than 0: by axis, then pre, then size. */
int tg_part_compare(const tg_part *a, const tg_part *b);
bool tg_part_same(const tg_part *a, const tg_part *b);

/* Whether some digits are in both.  A whole axis of size 1 overlaps itself. */
bool tg_part_overlaps(const tg_part *a, const tg_part *b);

/* Whether an axis can be cut so that both are made of its pieces. */
bool tg_part_coexists(const tg_part *a, const tg_part *b);

/* The largest piece at the beginning of a part that does not overlap another.  False if there is
 * none. */
bool tg_part_before(const tg_part *part, const tg_part *other, tg_part *out);

/* How far positions are apart that differ by 1 in the part. */
int tg_part_stride(const tg_mesh *mesh, const tg_part *part);

/* Adds a part at the end; tg_parts_add makes it one with the last part if they are neighbours.  The
 * caller has made sure that there is room. */
void tg_parts_put(tg_parts *parts, tg_part part);
void tg_parts_add(tg_parts *parts, tg_part part);
void tg_parts_insert(tg_parts *parts, int at, tg_part part);
void tg_parts_remove(tg_parts *parts, int at);

void tg_parts_copy(const tg_parts *from, tg_parts *to);
bool tg_parts_same(const tg_parts *a, const tg_parts *b);
int tg_parts_find(const tg_parts *parts, const tg_part *part); /* or -1 */
int64_t tg_parts_size(const tg_parts *parts);

/* Orders parts as tg_part_compare does, and makes neighbours one. */
void tg_parts_sort(tg_parts *parts);

/* Less than, equal to or more than 0: by the number of parts, then part by part. */
int tg_parts_compare(const tg_parts *a, const tg_parts *b);

/* Shortens a list to its longest beginning that does not overlap any part of another: the last part
 * may be cut.  Returns whether it did. */
bool tg_parts_truncate(tg_parts *parts, const tg_parts *others);

/* The row-major index of a position in the parts, and the position that has an index in the parts
 * and 0 elsewhere. */
int tg_parts_index(const tg_mesh *mesh, const tg_parts *parts, int position);
int tg_parts_position(const tg_mesh *mesh, const tg_parts *parts, int index);

/* What a list of disjoint parts leaves of the mesh, in the order of the mesh, without axes of size
 * 1.  The parts of each axis coexist. */
void tg_parts_rest(const tg_mesh *mesh, const tg_parts *used, tg_parts *out);

/* Appends "x":(1)2, or {"x":(1)2, "y"} for a list. */
void tg_part_print(const tg_mesh *mesh, const tg_part *part, tg_text *out);
void tg_parts_print(const tg_mesh *mesh, const tg_parts *parts, tg_text *out);

/* Reads one part, or a list in braces, which may end with "?" if `open` is not NULL: then it says
 * whether it did.  TG_ERR_INVALID, with the reason, for an axis that the mesh does not have, or a
 * sub-axis that does not divide its axis. */
tg_status tg_parts_scan(tg_scanner *scan, const tg_mesh *mesh, tg_parts *out, bool *open);

#endif
