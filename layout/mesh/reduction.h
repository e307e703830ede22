/* Reductions that make an array of what its devices hold. */
#ifndef TG_LAYOUT_MESH_REDUCTION_H
#define TG_LAYOUT_MESH_REDUCTION_H

#include "layout/scan.h"

typedef enum tg_reduction {
    TG_REDUCTION_SUM,
    TG_REDUCTION_MAX,
    TG_REDUCTION_MIN,
    TG_REDUCTION_COUNT
} tg_reduction;

extern const char *const tg_reduction_names[TG_REDUCTION_COUNT]; /* "sum", "max", "min" */

/* Reads a name, if there is one: returns whether. */
bool tg_reduction_scan(tg_scanner *scan, tg_reduction *out);

#endif
