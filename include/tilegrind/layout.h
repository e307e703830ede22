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

/* ---- other notations ---- */

/* A notation that layouts are read from and printed in: CuTe's, Triton's, shardings. */
typedef struct tg_layout_notation {
    const char *name, *means;
    const char *example; /* of an array of 8 x 8 */
} tg_layout_notation;

TG_API size_t tg_layout_notation_count(void);
/* i < count. */
TG_API tg_layout_notation tg_layout_notation_get(size_t i);

/* Reads a layout in a notation.  The logical array has `rank` dimensions; rank 0: not known, which a
 * notation that needs it refuses.  If shape_out is not NULL, it has room for 16 extents and becomes the
 * shape, *rank_out its rank; 0 if it is still not known.
 *
 * TG_ERR_USAGE for a notation that there is not, or a shape that is missing; TG_ERR_SYNTAX,
 * TG_ERR_INVALID with the offset in the text; TG_ERR_UNSUPPORTED for what no layout can say, with the
 * reason.  The caller frees *out. */
TG_API tg_status tg_layout_read_as(const char *notation, const char *text, const int64_t *shape,
                                   size_t rank, tg_layout **out, int64_t *shape_out,
                                   size_t *rank_out, tg_errors *errors);

/* The layout in a notation, of an array of that shape; `mesh` names axes of devices, such as x=4,y=2, for
 * notations of shardings, and may be NULL for others.  NULL if the notation cannot say it, with the
 * reason. */
TG_API char *tg_layout_print_as(const tg_layout *layout, const char *notation, const int64_t *shape,
                                size_t rank, const char *mesh, tg_errors *errors);

/* ---- pictures ---- */

typedef enum tg_layout_view {
    TG_VIEW_ELEMENTS, /* the logical array: each cell is an element, and says where it is */
    TG_VIEW_PLACES    /* the hardware: each cell is a place, and says which element is there */
} tg_layout_view;

typedef enum tg_layout_drawing { TG_DRAWING_TEXT, TG_DRAWING_SVG } tg_layout_drawing;

/* How to draw; zero-initialised: the logical array, as text. */
typedef struct tg_layout_picture {
    tg_layout_view view;
    tg_layout_drawing form;
    const char *title; /* above an SVG */
    /* What colours cells: an axis, NULL for the outermost that there is; of places, a dimension of the
     * array such as "d1", NULL for d0. */
    const char *by;
    int element_bytes; /* of places in memory alone: rows are lines of 128 bytes; 0: of 32 elements */
    int join_rows, join_columns; /* what one cell stands for: elements, or places; 0: 1 */
    const tg_layout
        *against; /* of elements: show only what is elsewhere in this layout, and where */
} tg_layout_picture;

/* Draws a small layout.  The logical array has `rank` dimensions; rank 0 stands for one dimension.  The
 * last one is the columns.
 *
 * Places have devices and threads as rows, memory as columns; without threads, the rows are the first axis
 * of memory, or lines if that is the only one.  Joined elements are in order along one axis; joined places
 * have a block of the array, in order.
 *
 * NULL for a shape that the layout does not admit, an axis that there is not, cells that cannot be joined,
 * more than 2^14 cells. */
TG_API char *tg_layout_draw(const tg_layout *layout, const int64_t *shape, size_t rank,
                            const tg_layout_picture *how, tg_errors *errors);

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

/* ---- the map, backward ---- */

/* The elements that have a copy at a place, which has tg_layout_axis_count coordinates: *out has *count of them,
 * ascending; none, if it is no place of the layout.  TG_ERR_UNSUPPORTED if that takes more than 2^24 steps, which
 * only strides do that smaller ones reach.  The caller frees *out with tg_layout_elements_free. */
TG_API tg_status tg_layout_where(const tg_layout *layout, const int64_t *place, int64_t **out,
                                 size_t *count, tg_errors *errors);
TG_API void tg_layout_elements_free(int64_t *elements);

/* Whether no two elements ever have the same place: *injective is 1 or 0.  If 0, elements[0] < elements[1] are
 * two, and place, if it is not NULL, becomes the tg_layout_axis_count coordinates of a place that both have.
 * TG_ERR_UNSUPPORTED if that takes more than 2^24 steps. */
TG_API tg_status tg_layout_injective(const tg_layout *layout, int *injective, int64_t *elements,
                                     int64_t *place, tg_errors *errors);

/* ---- dimensions ---- */

/* Each of these takes a layout of an array of a shape of `rank` dimensions.  TG_ERR_INVALID if the layout has not
 * as many elements, or an argument is wrong; TG_ERR_UNSUPPORTED, with the reason, if there is no result.  The
 * caller frees *out. */

/* The same map with D in blocks, one for each dimension: iters first[i] .. first[i + 1] - 1 of D are dimension i;
 * `first` has room for rank + 1.  If there are no such blocks, the layout has none in any form. */
TG_API tg_status tg_layout_group(const tg_layout *layout, const int64_t *shape, size_t rank,
                                 tg_layout **out, size_t *first, tg_errors *errors);

/* The same with blocks for each of up to 8 shapes at once, `shapes` and `first` one after the other. */
TG_API tg_status tg_layout_group_many(const tg_layout *layout, const int64_t *shapes,
                                      const size_t *ranks, size_t count, tg_layout **out,
                                      size_t *first, tg_errors *errors);

/* The layout of a part: of extent[i] elements from first[i] on in dimension i. */
TG_API tg_status tg_layout_slice(const tg_layout *layout, const int64_t *shape,
                                 const int64_t *first, const int64_t *extent, size_t rank,
                                 tg_layout **out, tg_errors *errors);

/* Dimension i of the result is dimension permutation[i]. */
TG_API tg_status tg_layout_permute(const tg_layout *layout, const int64_t *shape,
                                   const int64_t *permutation, size_t rank, tg_layout **out,
                                   tg_errors *errors);

/* The layout of the result where `count` dimensions, dims[0] .., are reduced: threads and devices that reduce
 * together all hold it, and registers are renumbered without gaps.  So it is what an operand must have that is
 * broadcast along these dimensions to an array of this layout. */
TG_API tg_status tg_layout_reduce(const tg_layout *layout, const int64_t *shape, size_t rank,
                                  const int64_t *dims, size_t count, tg_layout **out,
                                  tg_errors *errors);

/* The layout of an array of `shape` that has, whatever the indices in `dims`, the elements of a layout of the
 * shape without these dimensions. */
TG_API tg_status tg_layout_broadcast(const tg_layout *layout, const int64_t *shape, size_t rank,
                                     const int64_t *dims, size_t count, tg_layout **out,
                                     tg_errors *errors);

/* ---- tiles ---- */

typedef enum tg_layout_join {
    TG_JOIN_TILE, /* outer(p) * span + inner(q), with the span of the inner layout on each axis */
    TG_JOIN_SUM   /* outer(p) + inner(q) */
} tg_layout_join;

/* The layout of a grid of blocks: the array has outer_shape[i] * inner_shape[i] elements in dimension i. */
TG_API tg_status tg_layout_tile(const tg_layout *outer, const int64_t *outer_shape,
                                const tg_layout *inner, const int64_t *inner_shape, size_t rank,
                                tg_layout_join how, tg_layout **out, tg_errors *errors);

/* The layout of blocks in a row-major grid in memory, up to `shape`. */
TG_API tg_status tg_layout_tile_to(const tg_layout *inner, const int64_t *inner_shape,
                                   const int64_t *shape, size_t rank, tg_layout **out,
                                   tg_errors *errors);

/* What gives `whole`, of `shape`, with the inner or the outer layout that is known. */
TG_API tg_status tg_layout_outer_of(const tg_layout *whole, const int64_t *shape,
                                    const tg_layout *inner, const int64_t *inner_shape, size_t rank,
                                    tg_layout_join how, tg_layout **out, tg_errors *errors);
TG_API tg_status tg_layout_inner_of(const tg_layout *whole, const int64_t *shape,
                                    const tg_layout *outer, const int64_t *outer_shape, size_t rank,
                                    tg_layout_join how, tg_layout **out, tg_errors *errors);

/* ---- algebra ---- */

/* As CuTe's, with elements counted row-major.  TG_ERR_INVALID or TG_ERR_UNSUPPORTED, with the reason, where it is
 * not defined.  The caller frees *out. */

/* x -> a(b(x)), where the coordinates of b, on one axis, are elements of a. */
TG_API tg_status tg_layout_compose(const tg_layout *a, const tg_layout *b, tg_layout **out,
                                   tg_errors *errors);

/* The elements of a as tiles b, as the inner digits, and which tile as the outer ones. */
TG_API tg_status tg_layout_divide(const tg_layout *a, const tg_layout *b, tg_layout **out,
                                  tg_errors *errors);

/* a as the inner digits, repeated over b in its gaps and beyond. */
TG_API tg_status tg_layout_product(const tg_layout *a, const tg_layout *b, tg_layout **out,
                                   tg_errors *errors);

/* The repetitions that fill the gaps on an axis, up to `size` coordinates. */
TG_API tg_status tg_layout_complement(const tg_layout *layout, size_t axis, int64_t size,
                                      tg_layout **out, tg_errors *errors);

/* From a coordinate, on the one axis of the layout, to the element, on axis m: layout(right(v)) = v, and
 * left(layout(x)) = x. */
TG_API tg_status tg_layout_right_inverse(const tg_layout *layout, tg_layout **out,
                                         tg_errors *errors);
TG_API tg_status tg_layout_left_inverse(const tg_layout *layout, tg_layout **out,
                                        tg_errors *errors);

/* ---- threads, elements, memory ---- */

/* The same layout with its threads on other axes of a block, such as "warp,lane". */
TG_API tg_status tg_layout_move_threads(const tg_layout *layout, const char *axes, tg_layout **out,
                                        tg_errors *errors);

/* Each element as `count` side by side on an axis of memory, or each `count` as one; axis NULL: the only one that
 * counts elements. */
TG_API tg_status tg_layout_unpack(const tg_layout *layout, const char *axis, int64_t count,
                                  tg_layout **out, tg_errors *errors);
TG_API tg_status tg_layout_pack(const tg_layout *layout, const char *axis, int64_t count,
                                tg_layout **out, tg_errors *errors);

/* What one thread of one device holds: the layout without iters of threads and devices. */
TG_API tg_status tg_layout_storage(const tg_layout *layout, tg_layout **out, tg_errors *errors);

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

/* ---- costs of accesses ---- */

/* What it costs that threads load or store an array: in shared memory of 32 banks of 4 bytes, and in global
 * memory, which is read by sectors of 32 bytes, 4 of them in a line.
 *
 * A lane moves access_bytes at a time: registers that are in a row in memory.  An access of a warp takes a
 * wavefront for each 4 bytes a lane, at least one; where words of one wavefront are in one bank, more. */
typedef struct tg_layout_cost {
    int access_bytes; /* of a lane, in one access */
    int widest_bytes; /* the most, up to 16, that are in a row in all lanes, at a multiple of it */
    int64_t accesses; /* of a warp */
    int64_t wavefronts;       /* of shared memory, for all accesses */
    int64_t least_wavefronts; /* without conflicts of banks */
    int64_t sectors, lines;   /* of global memory */
    int64_t least_sectors;    /* that the bytes of each access fill */
    int64_t distinct_bytes;   /* of each access: of sectors * 32 */
    int64_t warp;             /* of the first access that takes most wavefronts */
    int64_t elements[2]; /* two of that access that one bank has in different words; -1 if none */
    int lanes[2];        /* that want them */
    int bank;
} tg_layout_cost;

/* The costs of moving all elements of an array once, between the memory where `memory` has them, on axis m
 * in elements or on byte, and the threads and registers where `holders` has them.  The axes of holders are
 * those of threads, and reg (or m); NULL: thread i holds element i.  Registers are taken in the order of
 * their addresses, and those that hold the same once.
 *
 * access_bytes 0: the widest.  TG_ERR_INVALID for layouts that are not of one array, a register with two
 * elements, elements of other than 1, 2, 4, 8 or 16 bytes, a width that the addresses do not allow;
 * TG_ERR_UNSUPPORTED for other axes, or more than 2^24 elements and copies. */
TG_API tg_status tg_layout_conflicts(const tg_layout *memory, const tg_layout *holders,
                                     int element_bytes, int access_bytes, tg_layout_cost *out,
                                     tg_errors *errors);

/* Wavefronts of several accesses, all together. */
typedef struct tg_layout_swizzled {
    int64_t before, after; /* in the memory that was given, in the one that was found */
    int64_t least;         /* without conflicts, in the latter */
} tg_layout_swizzled;

/* The memory with the swizzle by which all the accesses together, such as a store and the loads of what it
 * has stored, take the fewest wavefronts: *out, which the caller frees.  It keeps its own swizzle unless
 * another is better; of those, it is that of the fewest bits.  `holders` are 1 to 16 layouts, each of
 * which may be NULL.
 *
 * The errors of tg_layout_conflicts; TG_ERR_UNSUPPORTED also where there are conflicts and no swizzle
 * makes them fewer, with the numbers, and for more than 2^14 accesses. */
TG_API tg_status tg_layout_swizzle_for(const tg_layout *memory, const tg_layout *const *holders,
                                       size_t count, int element_bytes, int access_bytes,
                                       tg_layout **out, tg_layout_swizzled *wavefronts,
                                       tg_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
