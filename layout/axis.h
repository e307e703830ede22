/* Axes of hardware coordinates: who holds an element, where, and on which device. */
#ifndef TG_LAYOUT_AXIS_H
#define TG_LAYOUT_AXIS_H

#include <stddef.h>

typedef enum tg_axis {
#define TG_AXIS(id, name, alias, kind, unit, from, to, along, means) TG_AXIS_##id,
#include "layout/axes.def"
    TG_AXIS_COUNT,
    TG_AXIS_NONE = TG_AXIS_COUNT /* of an iter that moves along no axis: its stride is 0 */
} tg_axis;

typedef enum tg_axis_kind { TG_AXIS_THREAD, TG_AXIS_MEMORY, TG_AXIS_DEVICE } tg_axis_kind;
typedef enum tg_axis_unit { TG_UNIT_ELEMENT, TG_UNIT_BYTE, TG_UNIT_CELL } tg_axis_unit;

/* What runs together, from small to large. */
typedef enum tg_scope {
    TG_SCOPE_THREAD,
    TG_SCOPE_WARP,
    TG_SCOPE_WARPGROUP,
    TG_SCOPE_BLOCK,
    TG_SCOPE_CLUSTER,
    TG_SCOPE_GRID,
    TG_SCOPE_COUNT,
    TG_SCOPE_NONE = TG_SCOPE_COUNT
} tg_scope;

typedef struct tg_axis_info {
    const char *name, *alias; /* alias: NULL if there is none */
    tg_axis_kind kind;
    tg_axis_unit unit;
    tg_scope from, to; /* of a thread axis: counts `from` in `to`; else TG_SCOPE_NONE */
    int along;         /* 1, 2, 3: along x, y, z; 0: all */
    const char *means;
} tg_axis_info;

extern const tg_axis_info tg_axes[TG_AXIS_COUNT];
extern const char *const tg_axis_unit_names[]; /* "element", "byte", "cell" */

/* Returns the axis of a name of `length` bytes, or TG_AXIS_NONE. */
tg_axis tg_axis_find(const char *name, size_t length);

#endif
