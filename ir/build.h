/* Builds a module: kernels, their parameters, regions and ops.
 *
 *   tg_build b;
 *   tg_build_begin(&b);
 *   tg_build_kernel(&b, "negate");
 *   tg_build_axis(&b, &(tg_grid_axis){.size = 4, .is_assumed = true});
 *   const tg_value_id x = tg_build_param(&b, &input), o = tg_build_param(&b, &output);
 *   tg_build_in(&b, x);
 *   tg_build_whole(&b, x);
 *   const tg_value_id loaded = tg_build_result(&b, TG_OP_load, &block);
 *   ...
 *   tg_build_kernel_end(&b);
 *   tg_module *module = tg_build_finish(&b);
 *
 * Callers first add the parts of an op, in any order: operands, attributes, closed regions,
 * results.  tg_build_op then appends the op to the innermost open region, and the next op starts
 * empty.  Each open region has its own unfinished op, so the parts of an op may be added before or
 * after its inner regions are built.
 *
 * The builder copies its arguments unless a comment says otherwise; the copies live as long as the
 * module.  If memory runs out, the builder remembers it and tg_build_finish returns NULL, so
 * callers need no check after every call.  Callers give types; the builder does not infer them.  It
 * checks nothing, as verify/ does that. */
#ifndef TG_IR_BUILD_H
#define TG_IR_BUILD_H

#include "ir/ir.h"

struct tg_build_level;

typedef struct tg_build {
    uint32_t loc; /* the source location of the ops from here on; 0: unknown */
    /* Callers only read the rest. */
    tg_module *module;            /* the module so far */
    tg_kernel *kernel;            /* the open kernel; NULL: none, or memory ran out */
    bool failed;                  /* memory ran out; from then on nothing is added */
    struct tg_build_level *level; /* the innermost open region */
    tg_value_id *refs;            /* of the params of the open kernel */
    uint32_t ref_room, loc_room, kernel_room, param_room, value_room;
} tg_build;

/* Begins a module.  End it with tg_build_finish or tg_build_drop. */
void tg_build_begin(tg_build *b);

/* Ends the module and returns it; the caller frees it with tg_module_destroy.  NULL if memory ran
 * out. */
tg_module *tg_build_finish(tg_build *b);
void tg_build_drop(tg_build *b);

/* Returns `count` zeroed objects of `size` bytes that live as long as the module; NULL if memory
 * runs out. */
void *tg_build_take(tg_build *b, size_t count, size_t size);

/* Adds a source location; NULL texts stand for "".  Returns its index, for `loc` of the builder and
 * of kernels. */
uint32_t tg_build_loc(tg_build *b, const tg_loc *loc);

/* ---- kernels ---- */

/* Opens a kernel and its body; no other kernel may be open.  Callers may set the location and the
 * dialect in b->kernel if that is not NULL. */
void tg_build_kernel(tg_build *b, const char *name);

/* Closes the kernel: sorts its params, and the refs of the body, by role. */
void tg_build_kernel_end(tg_build *b);

/* Adds an axis to the grid: at most TG_MAX_AXES. */
void tg_build_axis(tg_build *b, const tg_grid_axis *axis);

/* Adds a parameter.  The builder derives `param->ref` from the array and the block.  `alias` is the
 * position of the input among all params, in the order in which they are added.  tg_build_param
 * creates and returns the value that stands for the parameter in the body; tg_build_param_as uses
 * `ref`. */
tg_value_id tg_build_param(tg_build *b, const tg_param *param);
void tg_build_param_as(tg_build *b, const tg_param *param, tg_value_id ref);

/* ---- values and regions ---- */

/* Returns a new value of the kernel; an op, region or param must define it. */
tg_value_id tg_build_value(tg_build *b, const tg_type *type);

/* Says where the elements of a value are, see tg_value; NULL for what is not said. */
void tg_build_place(tg_build *b, tg_value_id value, const char *space, const tg_axe *layout);

/* Returns the type of a value; zeros if memory ran out. */
tg_type tg_build_type(const tg_build *b, tg_value_id value);

/* Opens a region of an op, or an index map.  Callers may add arguments and yields until it is
 * closed. */
void tg_build_open(tg_build *b);
void tg_build_arg(tg_build *b, tg_value_id value);
void tg_build_yield(tg_build *b, tg_value_id value);
tg_region tg_build_close(tg_build *b);

/* Adds a new value as argument and returns it. */
tg_value_id tg_build_new_arg(tg_build *b, const tg_type *type);

/* ---- the next op ---- */

void tg_build_in(tg_build *b, tg_value_id value);
void tg_build_out(tg_build *b, tg_value_id value);
void tg_build_region(tg_build *b, tg_region region);

/* For INT, BOOL, and NAME by its position among the spellings. */
void tg_build_int(tg_build *b, tg_attr_id id, int64_t value);
/* For NAME by its spelling, which must be one that ir/attrs.def lists. */
void tg_build_name(tg_build *b, tg_attr_id id, const char *name);
void tg_build_ints(tg_build *b, tg_attr_id id, const int64_t *ints, int64_t count);
void tg_build_text(tg_build *b, tg_attr_id id, const char *text);
void tg_build_index(tg_build *b, const tg_index_dim *dims, int rank);
/* Adds an index that covers all of `ref`. */
void tg_build_whole(tg_build *b, tg_value_id ref);
/* Adds `count` elements in the carrier of `dtype`, the dtype of the op's result. */
void tg_build_data(tg_build *b, tg_attr_id id, tg_dtype dtype, const void *elements, int64_t count);
/* Adds one element: for a float dtype the value nearest to `number`; in every other dtype `number`
 * must be exact. */
void tg_build_number(tg_build *b, tg_attr_id id, tg_dtype dtype, double number);
/* Adds all attributes of an op whose module outlives this one: the data that they point to is not
 * copied. */
void tg_build_attrs_of(tg_build *b, const tg_op *op);

/* Appends the op.  tg_build_result first adds a new result of `type`, after the results added so
 * far, and returns it. */
void tg_build_op(tg_build *b, tg_opcode code);
tg_value_id tg_build_result(tg_build *b, tg_opcode code, const tg_type *type);

/* ---- common ops ---- */

/* Appends an op of one or two operands of one type; the op's rule, SAME or PREDICATE, gives the
 * type of the result. */
tg_value_id tg_build_1(tg_build *b, tg_opcode code, tg_value_id x);
tg_value_id tg_build_2(tg_build *b, tg_opcode code, tg_value_id x, tg_value_id y);
tg_value_id tg_build_select(tg_build *b, tg_value_id which, tg_value_id first, tg_value_id second);
tg_value_id tg_build_convert(tg_build *b, tg_value_id x, tg_dtype dtype);

/* Appends a constant whose elements are all `number`; see tg_build_number. */
tg_value_id tg_build_constant(tg_build *b, const tg_type *type, double number);

#endif
