/* Building a module: kernels, their parameters, regions and ops.
 *
 *   tg_build b;
 *   tg_build_begin(&b);
 *   tg_build_kernel(&b, "negate");
 *   tg_build_axis(&b, &(tg_axis){.size = 4, .is_assumed = true});
 *   const tg_value_id x = tg_build_param(&b, &input), o = tg_build_param(&b, &output);
 *   tg_build_in(&b, x);
 *   tg_build_whole(&b, x);
 *   const tg_value_id loaded = tg_build_result(&b, TG_OP_load, &block);
 *   ...
 *   tg_build_kernel_end(&b);
 *   tg_module *module = tg_build_finish(&b);
 *
 * What an op has is added first, in any order: operands, attributes, closed regions, results.
 * tg_build_op then appends the op to the innermost open region, and the next op starts with
 * nothing.  A region has an op of its own that waits to be appended, so that the parts of an op
 * may be added before the regions inside are built, or after.
 *
 * All that is handed over is copied, where nothing else is said, and lives as long as the
 * module.  Memory that runs out is remembered and told once, by tg_build_finish, so that callers
 * need no check after every call.  Types are given, not inferred; nothing is checked here, as
 * verify/ does that. */
#ifndef TG_IR_BUILD_H
#define TG_IR_BUILD_H

#include "ir/ir.h"

struct tg_build_level;

typedef struct tg_build {
    uint32_t loc; /* of the ops from here on; 0: unknown */
    /* The rest is for reading only. */
    tg_module *module;            /* what there is so far */
    tg_kernel *kernel;            /* the open one; NULL: none, or no memory */
    bool failed;                  /* memory ran out; from then on nothing is added */
    struct tg_build_level *level; /* the innermost open region */
    tg_value_id *refs;            /* of the params of the open kernel */
    uint32_t ref_room, loc_room, kernel_room, param_room, value_room;
} tg_build;

/* Begins a module, which ends with tg_build_finish or tg_build_drop. */
void tg_build_begin(tg_build *b);

/* Ends the module and hands it over, to be freed with tg_module_destroy; NULL: memory ran out. */
tg_module *tg_build_finish(tg_build *b);
void tg_build_drop(tg_build *b);

/* `count` zeroed objects of `size` bytes that live as long as the module; NULL without memory. */
void *tg_build_take(tg_build *b, size_t count, size_t size);

/* Adds a source location; NULL texts stand for "".  Returns its number, for `loc` of the builder
 * and of kernels. */
uint32_t tg_build_loc(tg_build *b, const tg_loc *loc);

/* ---- kernels ---- */

/* Opens a kernel, and its body.  None is open.  The location and the dialect may be set in
 * b->kernel, where that is not NULL. */
void tg_build_kernel(tg_build *b, const char *name);

/* Closes the kernel: its params are put in the order of their roles, and the refs of the body
 * with them. */
void tg_build_kernel_end(tg_build *b);

/* Adds an axis to the grid: at most TG_MAX_AXES. */
void tg_build_axis(tg_build *b, const tg_axis *axis);

/* Adds a parameter.  `ref` of `param` is made from its array and block, and `alias` is the
 * position of the input among all params in the order in which they are added.  The first form
 * makes the value that the body has for it. */
tg_value_id tg_build_param(tg_build *b, const tg_param *param);
void tg_build_param_as(tg_build *b, const tg_param *param, tg_value_id ref);

/* ---- values and regions ---- */

/* A new value of the kernel, which an op, region or param is to define. */
tg_value_id tg_build_value(tg_build *b, const tg_type *type);

/* The type of a value; zeros where memory ran out. */
tg_type tg_build_type(const tg_build *b, tg_value_id value);

/* Opens a region of an op, or an index map; arguments and yields may be added until it is
 * closed. */
void tg_build_open(tg_build *b);
void tg_build_arg(tg_build *b, tg_value_id value);
void tg_build_yield(tg_build *b, tg_value_id value);
tg_region tg_build_close(tg_build *b);

/* As tg_build_arg, of a new value; returns it. */
tg_value_id tg_build_new_arg(tg_build *b, const tg_type *type);

/* ---- the next op ---- */

void tg_build_in(tg_build *b, tg_value_id value);
void tg_build_out(tg_build *b, tg_value_id value);
void tg_build_region(tg_build *b, tg_region region);

/* INT, BOOL, and NAME by its position among the spellings. */
void tg_build_int(tg_build *b, tg_attr_id id, int64_t value);
/* NAME by its spelling, which is one of those that ir/attrs.def lists. */
void tg_build_name(tg_build *b, tg_attr_id id, const char *name);
void tg_build_ints(tg_build *b, tg_attr_id id, const int64_t *ints, int64_t count);
void tg_build_text(tg_build *b, tg_attr_id id, const char *text);
void tg_build_index(tg_build *b, const tg_index_dim *dims, int rank);
/* The index that takes all of what `ref` refers to. */
void tg_build_whole(tg_build *b, tg_value_id ref);
/* `count` elements in the carrier of `dtype`, that of the op's result. */
void tg_build_data(tg_build *b, tg_attr_id id, tg_dtype dtype, const void *elements, int64_t count);
/* One element: the nearest that a float dtype has to `number`, which is exact in every other
 * dtype. */
void tg_build_number(tg_build *b, tg_attr_id id, tg_dtype dtype, double number);
/* All attributes of an op, whose module outlives this one: what they point to is not copied. */
void tg_build_attrs_of(tg_build *b, const tg_op *op);

/* Appends the op.  tg_build_result gives it one new result of `type`, behind those that have
 * been added. */
void tg_build_op(tg_build *b, tg_opcode code);
tg_value_id tg_build_result(tg_build *b, tg_opcode code, const tg_type *type);

/* ---- common ops ---- */

/* One or two operands of one type, and a result as the op's rule SAME or PREDICATE says. */
tg_value_id tg_build_1(tg_build *b, tg_opcode code, tg_value_id x);
tg_value_id tg_build_2(tg_build *b, tg_opcode code, tg_value_id x, tg_value_id y);
tg_value_id tg_build_select(tg_build *b, tg_value_id which, tg_value_id first, tg_value_id second);
tg_value_id tg_build_convert(tg_build *b, tg_value_id x, tg_dtype dtype);

/* All elements are `number`, see tg_build_number. */
tg_value_id tg_build_constant(tg_build *b, const tg_type *type, double number);

#endif
