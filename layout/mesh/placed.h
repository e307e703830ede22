/* Where an array is on the devices of a mesh, in whichever notation: the text says which it is. */
#ifndef TG_LAYOUT_MESH_PLACED_H
#define TG_LAYOUT_MESH_PLACED_H

#include "layout/mesh/spread.h"

typedef enum tg_placed_form {
    TG_PLACED_AXE,    /* (2,8):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid] */
    TG_PLACED_JAX,    /* P('x', None) */
    TG_PLACED_SHARDY, /* [{"x"}, {}], or #sdy.sharding<mesh<["x"=2]>, [{"x"}, {}]> */
    TG_PLACED_SBP     /* (S(0), B) */
} tg_placed_form;

typedef struct tg_placed {
    tg_placed_form form;
    bool has_mesh; /* false: an Axe layout, whose devices have no names */
    tg_mesh mesh;
    tg_sharding sharding; /* unless Axe: of as many dimensions as the text says */
    tg_spread spread;     /* if Axe */
} tg_placed;

/* Reads a text, which may have a mesh of its own before it, as x=4,y=2 P('x').
 *   mesh  NULL: none is given
 *   rank  of the array; -1: not known
 * TG_ERR_SYNTAX or TG_ERR_INVALID with the offset in `text`; TG_ERR_INVALID too for a mesh of its
 * own that is another than `mesh`; TG_ERR_USAGE if there is no mesh. */
tg_status tg_placed_read(const char *text, size_t length, const tg_mesh *mesh, int rank,
                         tg_placed *out, tg_diags *diags);

/* The shape of the whole array, of which each device has a part of shape `local`.  TG_ERR_USAGE for
 * an Axe layout, which does not say it; errors of a rank or a size that does not fit. */
tg_status tg_placed_whole(const tg_placed *placed, const tg_shape *local, tg_shape *out,
                          tg_diags *diags);

/* The part that each device has of a whole array.  TG_ERR_INVALID for dimensions that are no
 * multiples of their blocks.  Not of an Axe layout. */
tg_status tg_placed_part(const tg_placed *placed, const tg_shape *shape, tg_shape *out,
                         tg_diags *diags);

/* The layout of an array of a shape, and what a layout cannot say.  TG_ERR_INVALID if it does not
 * admit the shape. */
tg_status tg_placed_spread(const tg_placed *placed, const tg_shape *shape, tg_spread *out,
                           tg_diags *diags);

#endif
