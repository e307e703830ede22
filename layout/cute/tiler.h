/* Tilers: what CuTe's operations take where they work mode by mode. */
#ifndef TG_LAYOUT_CUTE_TILER_H
#define TG_LAYOUT_CUTE_TILER_H

#include "layout/cute/layout.h"

typedef enum tg_tiler_kind {
    TG_TILER_LAYOUT,  /* the operation is done with this layout */
    TG_TILER_BY_MODE, /* element i is the tiler of mode i */
    TG_TILER_NONE     /* the mode stays as it is */
} tg_tiler_kind;

/* A layout, whose outer nodes may be tuples of tilers.  Nodes within a layout have no kind. */
typedef struct tg_tiler {
    tg_cute layout;
    tg_tiler_kind kind[TG_TUPLE_MOST_NODES];
} tg_tiler;

/* A tiler that is one layout. */
void tg_tiler_of(const tg_cute *layout, tg_tiler *out);

/* The layout at a node of kind TG_TILER_LAYOUT. */
void tg_tiler_take(const tg_tiler *tiler, int at, tg_cute *out);

/* TG_ERR_INVALID if node `at` has more elements than a mode of this rank. */
tg_status tg_tiler_check_rank(const tg_tiler *tiler, int at, int rank, tg_diags *diags);

#endif
