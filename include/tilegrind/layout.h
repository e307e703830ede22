/* Axe layouts: where each logical element is, in lanes, registers, memory and devices.
 *
 *   tg_layout *layout;
 *   if (tg_layout_read("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp", &layout,
 *                      errors) == TG_OK)
 *       ... tg_layout_places(layout, 41, &places, &count, errors) ...
 *
 * docs/layouts.md says what a layout is.  Elements are counted row-major over the logical array.  A
 * layout never changes after it was made: any number of threads may use it at once. */
#ifndef TILEGRIND_LAYOUT_H
#define TILEGRIND_LAYOUT_H

#include <tilegrind/tilegrind.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tg_layout tg_layout;

/* ---- axes ---- */

/* The axes of hardware coordinates: who holds an element (thread), where (memory), on which device. */
typedef struct tg_layout_axis {
    const char *name;
    const char *kind;  /* "thread", "memory", "device" */
    const char *unit;  /* "element", "byte", "cell": what a step on it is */
    const char *means; /* short text */
} tg_layout_axis;

TG_API size_t tg_layout_axis_count(void);
/* axis < count. */
TG_API tg_layout_axis tg_layout_axis_get(size_t axis);

/* ---- text ---- */

/* Reads a layout: its text, or JSON where the text begins with '{'.  TG_ERR_SYNTAX, TG_ERR_INVALID with
 * the offset in the text; then *out is NULL.  The caller frees *out. */
TG_API tg_status tg_layout_read(const char *text, tg_layout **out, tg_errors *errors);
TG_API void tg_layout_free(tg_layout *layout);

/* The layout as a text that tg_layout_read reads as the same; NULL without memory. */
TG_API char *tg_layout_print(const tg_layout *layout);
TG_API char *tg_layout_print_json(const tg_layout *layout);

/* Two lines, extents over strides. */
TG_API char *tg_layout_print_rows(const tg_layout *layout);

/* ---- pictures ---- */

typedef enum tg_layout_view {
    TG_VIEW_ELEMENTS, /* the logical array: each cell is an element, and says where it is */
    TG_VIEW_PLACES    /* the hardware: each cell is a place, and says which element is there */
} tg_layout_view;

typedef enum tg_layout_drawing { TG_DRAWING_TEXT, TG_DRAWING_SVG } tg_layout_drawing;

/* Draws a small layout.  The logical array has `rank` dimensions; rank 0 stands for one dimension.  The
 * last one is the columns.
 *
 * `by` is the axis that colours elements, NULL for the outermost that there is.  Places have devices and
 * threads as rows, memory as columns; without threads, the rows are the first axis of memory, or lines
 * of 128 bytes of element_bytes each (0: of 32 elements) if that is the only one.
 *
 * NULL for a shape that the layout does not admit, an axis that there is not, more than 2^14 cells. */
TG_API char *tg_layout_draw(const tg_layout *layout, const int64_t *shape, size_t rank,
                            tg_layout_view view, tg_layout_drawing form, const char *by,
                            int element_bytes, tg_errors *errors);

/* ---- parts ---- */

/* Elements of the logical array, and an upper bound to the copies of each. */
TG_API int64_t tg_layout_size(const tg_layout *layout);
TG_API int64_t tg_layout_copies(const tg_layout *layout);

/* The least and the most coordinate on an axis that an element has, before a swizzle. */
TG_API void tg_layout_range(const tg_layout *layout, size_t axis, int64_t *least, int64_t *most);

/* ---- the map ---- */

/* The places of an element: *out has *count coordinates of tg_layout_axis_count integers each, every
 * place once, ascending.  TG_ERR_USAGE for an element that there is not, TG_ERR_UNSUPPORTED for more
 * than 2^24 copies.  The caller frees *out with tg_layout_places_free. */
TG_API tg_status tg_layout_places(const tg_layout *layout, int64_t element, int64_t **out,
                                  size_t *count, tg_errors *errors);
TG_API void tg_layout_places_free(int64_t *places);

/* The coordinates on an axis of elements first, .., first + count - 1, each in its first copy.
 * TG_ERR_USAGE if there are not so many. */
TG_API tg_status tg_layout_map(const tg_layout *layout, size_t axis, int64_t first, int64_t count,
                               int64_t *out, tg_errors *errors);

/* ---- forms and comparison ---- */

/* The canonical form: one for each map, unless copies overlap. */
TG_API tg_status tg_layout_canonical(const tg_layout *layout, tg_layout **out, tg_errors *errors);

/* Whether two layouts are the same map: *equal is 1 or 0.  If not, *element is the first element whose
 * places differ, or -1 where only the sizes do.  TG_ERR_UNSUPPORTED if that would take the comparison
 * of more than 2^24 places. */
TG_API tg_status tg_layout_equal(const tg_layout *a, const tg_layout *b, int *equal,
                                 int64_t *element, tg_errors *errors);

/* ---- relayouts ---- */

/* What it takes to have the elements of one layout in another.  Places of the target, by the nearest
 * place that has the element: */
typedef struct tg_layout_plan {
    int64_t kept;      /* is there */
    int64_t registers; /* the same thread has it, in another register or at another address */
    int64_t shuffled;  /* another lane of the warp has it */
    int64_t shared;    /* another warp of the block has it: through shared memory */
    int64_t global;    /* another block of the device has it: through global memory */
    int64_t sent;      /* another device has it */
    int64_t
        shuffles; /* that a warp makes at the most: in each, a lane offers one value and takes one */
    int64_t least;        /* shuffles: no plan has fewer */
    int64_t shared_bytes; /* each element that crosses warps, once; likewise the next two */
    int64_t global_bytes;
    int64_t sent_bytes; /* each element, once for each place that has it sent */
    int64_t element;    /* one of those that move the furthest; -1 if all are there */
} tg_layout_plan;

/* Plans the way from a layout to another of the same array, in the same kind of memory.  TG_ERR_INVALID if
 * they are not that, TG_ERR_UNSUPPORTED for more than 2^20 places. */
TG_API tg_status tg_layout_plan_between(const tg_layout *from, const tg_layout *to,
                                        int element_bytes, tg_layout_plan *out, tg_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
