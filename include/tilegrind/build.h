/* Building modules in memory, without JSON: for front ends of other kernel languages.
 *
 *   tg_builder *b = tg_builder_new();
 *   tg_builder_kernel(b, "double", NULL);
 *   tg_builder_axis(b, 4, NULL, NULL);
 *   tg_param_spec x = {.size = sizeof x, .name = "x", .role = "input", .type = "f32[8]"};
 *   tg_builder_value x_ref = tg_builder_param(b, &x);
 *   tg_builder_body(b);
 *   ...
 *   tg_builder_kernel_end(b);
 *   tg_status status = tg_builder_finish(b, &module, errors);
 *   tg_builder_free(b);
 *
 * Names of operations, attributes, roles and types are those of JSON (docs/ir.md).  All that is
 * handed over is copied.  What is wrong with a call is remembered, like memory that runs out:
 * all calls behind it do nothing, and tg_builder_finish tells it.  So no call but that one needs
 * to be checked.  NULL for a builder is taken for one without memory.
 *
 * What an op has besides operands and results is added before it, in any order:
 * tg_builder_attr_*, tg_builder_slice and the like, tg_builder_add_region.  It goes to the next
 * op of the innermost open region; each region has a next op of its own. */
#ifndef TILEGRIND_BUILD_H
#define TILEGRIND_BUILD_H

#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tg_builder tg_builder; /* of one thread */

typedef uint32_t tg_builder_value; /* a value or reference of the open kernel */
typedef uint32_t tg_region_id;     /* a region that is closed; 0: none */

TG_API tg_builder *tg_builder_new(void); /* NULL without memory */
TG_API void tg_builder_free(tg_builder *builder);

/* Ends the module and verifies it.  TG_OK with the module in *out, to be freed with
 * tg_module_free; or the first thing that was wrong with a call, or what the verifier finds,
 * each at a place as in the JSON of the module; then *out is NULL.  The builder is as new then. */
TG_API tg_status tg_builder_finish(tg_builder *builder, tg_module **out, tg_errors *errors);

/* ---- source locations ---- */

/* Adds a location and returns its number: a line in a file, in a function, NULL and 0 where
 * unknown; and the number of the location that it was called from (0: unknown), with what is
 * left out between them ("3 frames in jax"; NULL: nothing). */
TG_API uint32_t tg_builder_location(tg_builder *builder, const char *file, int64_t line,
                                    const char *function, uint32_t caller, const char *skipped);

/* The location of what follows: kernels and ops; 0 for none. */
TG_API void tg_builder_at(tg_builder *builder, uint32_t location);

/* ---- kernels ---- */

/* Opens a kernel; none is open.  `dialect` is "xla" (as NULL) or "triton". */
TG_API void tg_builder_kernel(tg_builder *builder, const char *name, const char *dialect);
TG_API void tg_builder_kernel_end(tg_builder *builder);

/* Adds an axis to the grid, the last one fastest: `size` -1 is given at launch; `semantics` is
 * "parallel", "arbitrary", "thread" or NULL, where nobody declares them; `name` may be NULL. */
TG_API void tg_builder_axis(tg_builder *builder, int64_t size, const char *semantics,
                            const char *name);

/* How one dimension of an array is cut into blocks. */
typedef struct tg_block_spec {
    const char *kind; /* "blocked", "element" or "squeezed" */
    int64_t size;     /* 1 for "squeezed" */
    int64_t pad_low;  /* of "element" */
    int64_t pad_high;
} tg_block_spec;

typedef struct tg_param_spec {
    size_t size; /* sizeof(tg_param_spec): lets the struct grow */
    const char *name;
    const char *role;           /* "prefetch", "input", "output" or "scratch" */
    const char *type;           /* of the whole array, "f32[8,128]" */
    const tg_block_spec *block; /* one for each dimension; NULL: the whole array */
    tg_region_id index_map;     /* 0: the first block; of inputs and outputs */
    const char *alias;          /* the input whose memory an output shares; NULL: none */
    const char *space;          /* memory space as the source names it, or NULL */
    int partly_written;         /* that elements of an output stay unwritten is meant */
    int64_t arrivals;           /* of scratch with barriers: that complete a phase; else 0 */
    const char *layout;         /* where elements are in that memory (docs/layouts.md); NULL */
    int shared;                 /* of scratch with semaphores: that all programs have the same */
} tg_param_spec;

/* Adds a parameter behind all axes, in any order of the roles, but an alias behind what it
 * names.  Returns the reference that the body has for it.  An index map is a region that has
 * been opened and closed before. */
TG_API tg_builder_value tg_builder_param(tg_builder *builder, const tg_param_spec *param);

/* Begins the body, behind all parameters. */
TG_API void tg_builder_body(tg_builder *builder);

/* ---- regions ---- */

/* Opens a region inside the open one; before the body, an index map: its arguments are an
 * "i32[]" for each axis, then the references of the prefetch parameters. */
TG_API void tg_builder_open(tg_builder *builder);

/* Adds an argument of a type, "f32[8]" or "ref<f32[8]>". */
TG_API tg_builder_value tg_builder_arg(tg_builder *builder, const char *type);
TG_API void tg_builder_yield(tg_builder *builder, tg_builder_value value);

/* Closes the region, for tg_builder_add_region or tg_param_spec, once. */
TG_API tg_region_id tg_builder_close(tg_builder *builder);

/* Says where the elements of a value are, before the value is used: the memory space of a reference to
 * memory of its own (alloc, scoped), or NULL; and the layout (docs/layouts.md), or NULL. */
TG_API void tg_builder_place(tg_builder *builder, tg_builder_value value, const char *space,
                             const char *layout);

/* ---- ops ---- */

TG_API void tg_builder_attr_int(tg_builder *builder, const char *name, int64_t value);
TG_API void tg_builder_attr_bool(tg_builder *builder, const char *name, int value);
TG_API void tg_builder_attr_ints(tg_builder *builder, const char *name, const int64_t *values,
                                 size_t count);
TG_API void tg_builder_attr_text(tg_builder *builder, const char *name, const char *text);

/* Literal elements of the result's dtype: `count` as they lie in memory, row-major, one for all
 * elements or as many as there are; or one number, rounded to a float dtype, exact in any other. */
TG_API void tg_builder_attr_data(tg_builder *builder, const char *name, const char *dtype,
                                 const void *elements, size_t count);
TG_API void tg_builder_attr_number(tg_builder *builder, const char *name, const char *dtype,
                                   double number);

/* The next dimension of an index: `size` elements from `start` on, `stride` apart; so many from
 * where the next index operand says; or those where the next index operand says.
 * tg_builder_whole: all dimensions of a reference. */
TG_API void tg_builder_slice(tg_builder *builder, int64_t start, int64_t size, int64_t stride);
TG_API void tg_builder_slice_from_operand(tg_builder *builder, int64_t size, int64_t stride);
TG_API void tg_builder_position(tg_builder *builder);
TG_API void tg_builder_whole(tg_builder *builder, tg_builder_value ref);

TG_API void tg_builder_add_region(tg_builder *builder, tg_region_id region);

/* Appends an op: `in_count` operands, and a result of each of `out_count` types, whose values
 * are put into `out` (NULL where there are none). */
TG_API void tg_builder_op(tg_builder *builder, const char *op, const tg_builder_value *in,
                          size_t in_count, const char *const *types, size_t out_count,
                          tg_builder_value *out);

/* The same with one result, which is returned; `type` NULL: that of the first operand. */
TG_API tg_builder_value tg_builder_op1(tg_builder *builder, const char *op,
                                       const tg_builder_value *in, size_t in_count,
                                       const char *type);

#ifdef __cplusplus
}
#endif

#endif
