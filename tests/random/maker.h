/* Random kernels that verify.  One file for each kind of op:
 *
 *   maker.c    dice, values in scope, constants      memory.c   loads, stores, views, atomics
 *   lanes.c    element-wise ops                      control.c  loops, branches, scoped memory
 *   moves.c    shapes, reductions, products          copies.c   copies beside the program, semaphores
 *   layouts.c  layouts of references and values
 *   kernel.c   params, body, and which op comes next
 *
 * Every index is inside by construction, and no two programs write, or write and read, an element in common;
 * except in params that are only ever touched by one kind of atomic on integers whose result nobody uses.
 * So no order of programs changes any bit; and what a NaN carries, which may depend on the instruction set, never
 * gets into other values. */
#ifndef TESTS_RANDOM_MAKER_H
#define TESTS_RANDOM_MAKER_H

#include "ir/build.h"

typedef enum random_range {
    RANDOM_PLAIN, /* i32, i8 and bool, and the ops that ir_eval.h evaluates */
    RANDOM_TYPED  /* every op of ops.def on every dtype */
} random_range;

/* Kernel number `seed`, of up to `ops` ops at the top and the stores that make them count.  The caller frees it. */
tg_module *random_kernel(random_range range, uint64_t seed, int ops);
/* Its canonical JSON; the caller frees it. */
char *random_json(random_range range, uint64_t seed, int ops);
enum { RANDOM_OPS = 80 }; /* of RANDOM_PLAIN */

/* The kernels of RANDOM_TYPED from this seed on have copies and semaphores, too; those below were there before. */
#define RANDOM_COPIES (UINT64_C(1) << 32)
/* Those from this seed on have layouts, too. */
#define RANDOM_LAYOUTS (UINT64_C(1) << 33)
/* Those from this seed on have groups of copies, too. */
#define RANDOM_GROUPS (UINT64_C(1) << 35)
/* Those from this seed on have products beside the program, too. */
#define RANDOM_PRODUCTS (UINT64_C(1) << 36)
/* Those from this seed on have copies that combine, too. */
#define RANDOM_COMBINED (UINT64_C(1) << 37)
/* Those from this seed on have products with scales and of sparse factors, too. */
#define RANDOM_SCALED (UINT64_C(1) << 38)
/* Those from this seed on have PTX text, too. */
#define RANDOM_PTX (UINT64_C(1) << 39)

/* ---- for the files of the maker ---- */

typedef struct made {
    tg_value_id id;
    tg_type type;   /* of a ref: of what it refers to */
    bool is_fixed;  /* a ref that is only read */
    bool is_recast; /* one that may have no strides */
    bool is_copied; /* a block that a physical run has a copy of, so no atomics are on it */
} made;

enum { MOST_MADE = 4000, MOST_REFS = 64, PALETTE = 6 };

typedef struct maker {
    random_range range;
    uint64_t state;
    tg_build b;
    made values[MOST_MADE], refs[MOST_REFS]; /* those in scope */
    int value_count, ref_count, depth, budget;
    bool has_copies, has_layouts, has_groups, has_products, has_combined, has_scaled, has_ptx;
    tg_dtype palette[PALETTE]; /* the dtypes of this kernel */
    made block, sums;          /* outputs that take the results at the end */
    made shared;               /* the ref for atomics of all programs, of RANDOM_TYPED */
    const char *shared_kind;
} maker;

/* maker.c */
extern const tg_type scalar;         /* i32[] */
unsigned roll(maker *g, unsigned n); /* below n */
tg_type type_of(tg_dtype dtype, int rank, const int64_t *shape);
/* Adds a value to the operands of the next op. */
void use(maker *g, made value);
/* Appends the op with what has been added; its result is in scope from here on. */
made give(maker *g, tg_opcode op, tg_type type);
/* One that makes a ref of what is `type`, which is not in scope yet. */
made give_ref(maker *g, tg_opcode op, tg_type type);
made constant(maker *g, tg_type type, int value);
made zero(maker *g);
made exactly(maker *g, int64_t value); /* a scalar, however great */
made any(maker *g); /* a value in scope; late ones are likelier, and blocks than scalars */
made of_type(maker *g, tg_type type);     /* one there is, if the dice say so, else a new one */
made index_up_to(maker *g, int64_t most); /* a scalar in 0 .. most */
tg_type shape_from_pool(maker *g, tg_dtype dtype);
tg_dtype any_dtype(maker *g);
bool is_allowed(tg_domain domain, tg_dtype dtype);
made give1(maker *g, tg_opcode op, tg_type type, made a);
made give2(maker *g, tg_opcode op, tg_type type, made a, made b);
made give3(maker *g, tg_opcode op, tg_type type, made a, made b, made c);
made give_iota(maker *g, tg_type type, int axis);
void give_ints(maker *g, tg_attr_id id, const int64_t *list, int count); /* to the next op */
void take_value(maker *g, made value);                                   /* into scope */

/* lanes.c */
void make_lane(maker *g);

/* moves.c */
void make_reshape(maker *g);
void make_transpose(maker *g);
void make_broadcast(maker *g);
void make_slice(maker *g);
void make_rev(maker *g);
void make_pad(maker *g);
void make_concatenate(maker *g);
void make_tile(maker *g);
void make_dynamic(maker *g);
void make_reduce(maker *g);
void make_dot(maker *g);
tg_dtype number_like(maker *g, bool is_float);
void make_gather(maker *g);
void make_scatter(maker *g);
void make_sort(maker *g);
void make_inline_ptx(maker *g);
void make_bitcast(maker *g);
made plain_nans(maker *g,
                made v); /* v with the one NaN for each, so that no bit is left to chance */

/* memory.c */
void make_memory(maker *g);
void make_shared_atomic(maker *g);
void make_recast(maker *g);
void make_alloc(maker *g);

/* layouts.c */
void make_view_layout(maker *g);
void make_layout_cast(maker *g);
/* A layout of memory for `count` elements, perhaps with holes; false: none, where the dice say so. */
bool take_memory_layout(maker *g, int64_t count, tg_axe *out);

/* control.c */
typedef struct scope {
    int values, refs;
} scope;

scope open_scope(maker *g);          /* what is made from here on is in scope ... */
void close_scope(maker *g, scope s); /* ... up to here */
void make_for(maker *g);
void make_while(maker *g);
void make_switch(maker *g);
void make_scoped(maker *g);
void make_print(maker *g);
void make_check(maker *g);

/* copies.c */
void make_copy(maker *g);
void make_semaphore(maker *g);

/* products.c */
void make_product(maker *g);

/* kernel.c */
void make_ops(maker *g, int count);

#endif
