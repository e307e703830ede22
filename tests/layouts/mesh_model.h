/* Meshes and shardings by brute force, and random ones.  The model uses nothing of layout/mesh/ but the
 * structs; random ones are made by its lists of parts. */
#ifndef TG_TESTS_LAYOUTS_MESH_MODEL_H
#define TG_TESTS_LAYOUTS_MESH_MODEL_H

#include "layout/mesh/sharding.h"
#include "layouts/model.h"

/* ---- random ones ---- */

/* Up to 4 axes; `ids`: now and then with a table of ids. */
void random_mesh(chance *c, int most_devices, bool ids, tg_mesh *out);

/* What a random sharding may have. */
typedef struct sharding_wish {
    bool sub_axes, unreduced, wishes;
} sharding_wish;

void random_sharding(chance *c, const tg_mesh *mesh, int rank, sharding_wish w, tg_sharding *out);

/* A shape that both shardings divide, of not many elements; b may be NULL. */
void random_shape(chance *c, const tg_sharding *a, const tg_sharding *b, tg_shape *out);

/* ---- by definition ---- */

/* The digit of a position in a part, and the position with another digit there. */
int mesh_digit(const tg_mesh *mesh, const tg_part *part, int position);
int mesh_with_digit(const tg_mesh *mesh, const tg_part *part, int position, int digit);

/* The index of a position in a list of parts, the first the slowest. */
int mesh_index(const tg_mesh *mesh, const tg_parts *parts, int position);
int mesh_with_index(const tg_mesh *mesh, const tg_parts *parts, int position, int index);

/* Blocks that a list of parts makes. */
int64_t mesh_blocks(const tg_parts *parts);

/* Whether, of an array of the shape, the device at a position holds an element, and where in its memory,
 * which is row-major. */
bool mesh_holds(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shape,
                int position, const tg_shape *element, int64_t *at);

/* Whether a model has each element on the devices that hold it, at their places, and nowhere else. */
bool mesh_is_model(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shape,
                   const model *m);

/* Whether some sharding of the mesh has the model: tries all that its prime factors make. */
bool mesh_any_is_model(const tg_mesh *mesh, const tg_shape *shape, const model *m);

/* Whether two shardings put the same blocks on each device, and the same terms. */
bool mesh_same_blocks(const tg_mesh *mesh, const tg_sharding *a, const tg_sharding *b);

#endif
