/* What the files of this folder share while one kernel becomes PTX.
 *
 * One CTA runs one chain of programs after another (docs/gpu.md).  Two kinds of values exist meanwhile:
 *   blocks    in slots of the workspace, worked on by all threads, element e by thread e mod T
 *   uniform   numbers that every thread computes for itself and that are the same in all: tg_ptx_value
 * Whoever emits an instruction first says what it reads and writes (hazard.c), so that a barrier stands
 * between instructions whose threads would otherwise see each other's memory too early or too late. */
#ifndef TG_GPU_BACKEND_EMIT_EMITTER_H
#define TG_GPU_BACKEND_EMIT_EMITTER_H

#include "gpu_backend/elementwise/lane.h"
#include "gpu_backend/ptx.h"
#include "gpu_backend/emit/refusal.h"

/* ---- uniform values ---- */

/* An s64 that is the same in all threads: known now, or in a .b64 register. */
typedef struct tg_ptx_value {
    bool is_known;
    int64_t known;
    tg_ptx_reg reg;
    int64_t
        multiple; /* of the register: a power of two that is known to divide it; 0: none but 1 */
} tg_ptx_value;

/* ---- refs ---- */

/* Where memory is. */
typedef enum tg_ptx_space { TG_PTX_SHARED, TG_PTX_GLOBAL } tg_ptx_space;

/* What may overlap what: bytes of the workspace, or an array. */
typedef struct tg_ptx_extent {
    bool is_array;
    uint32_t array;    /* the param whose memory it is */
    size_t start, end; /* of the workspace */
} tg_ptx_extent;

/* A reference: a strided view of memory of which only part may be inside the array (as tg_ref of the
 * interpreter, with all that is known before the run known now).  Offsets and strides in elements. */
typedef struct tg_ptx_ref {
    tg_ptx_space space;
    tg_ptx_value base; /* address of the memory's first byte */
    tg_ptx_extent extent;
    tg_ptx_value origin; /* element offset of index [0,...] */
    int64_t stride[TG_MAX_RANK];
    tg_ptx_value shape[TG_MAX_RANK];
    tg_ptx_value low[TG_MAX_RANK], high[TG_MAX_RANK]; /* low <= index < high is inside the array */
    tg_ptx_value is_inside; /* a scalar's only bounds: 1, or 0: nothing is */
    const struct tg_inst_recast
        *through; /* offsets number the elements of another ref (recast.c) */
} tg_ptx_ref;

/* Where the block of a slot is that lies in its array (in_place.c), in the layout TG_LAYOUT_MEMORY. */
typedef struct tg_ptx_in_place {
    bool must_be_dense; /* it never does: some instruction wants it in the workspace */
    bool is_set;
    tg_ptx_reg base;  /* .b64 address of its first element in global memory */
    int64_t multiple; /* what divides that address, as of tg_ptx_multiple_of */
    tg_ptx_extent extent;
} tg_ptx_in_place;

typedef struct tg_ptx_touch {
    tg_ptx_extent extent;
    bool is_write;
} tg_ptx_touch;

/* What instructions touch, as far as it has room. */
enum { TG_PTX_MOST_TOUCHES = 64 };
typedef struct tg_ptx_touches {
    tg_ptx_touch list[TG_PTX_MOST_TOUCHES];
    uint32_t count; /* beyond the room: more than the list tells */
} tg_ptx_touches;

/* ---- the log of what ops leave ---- */

typedef struct tg_ptx_trace {
    const tg_trace_sites *sites; /* NULL: none is written */
    tg_ptx_reg base, first,
        end; /* .b64: address of place 0 of the log; places where the window begins and ends */
    tg_ptx_reg at;           /* .b64: place of the next record */
    uint32_t site, site_end; /* of the instruction in the making */
    tg_ptx_reg outside;      /* its records are not in the window */
    tg_ptx_reg room;         /* .b64: address of its records */
} tg_ptx_trace;

/* ---- the kernel in the making ---- */

typedef struct tg_ptx_emitter {
    tg_ptx_writer w;
    tg_text tables; /* module scope: constants */
    const tg_plan *plan;
    tg_arena arena;
    tg_diags *diags;
    tg_status status;    /* the first failure; from then on what is written does not matter */
    const tg_inst *inst; /* being emitted; NULL outside of instructions */
    uint32_t param;      /* whose block is looked for, where `inst` is NULL */
    tg_ptx_site *sites;  /* places that may report; in the plan's order of emission */
    uint32_t site_count;
    size_t site_capacity;
    bool is_fast;         /* profile fast */
    uint32_t threads;     /* of a CTA */
    tg_ptx_space space;   /* of the workspace */
    tg_ptx_reg tid;       /* .b32 */
    tg_ptx_reg workspace; /* .b64 address */
    tg_ptx_reg report;    /* .b64 address */
    bool has_prints;
    tg_ptx_reg prints;         /* .b64 address, if there are any */
    tg_ptx_reg order;          /* .b64: place of the program in the grid */
    uint32_t end_chain;        /* label: where the CTA goes on to its next chain */
    bool ends_early;           /* something jumps there from within a program */
    tg_ptx_value *program;     /* per axis */
    tg_ptx_value *grid;        /* per axis */
    tg_ptx_reg *slot_base;     /* per slot that exchanges memory: its address */
    bool *has_base;            /* per slot */
    tg_ptx_in_place *in_place; /* per slot */
    bool *is_table;            /* per slot: a constant that has been written to `tables` */
    tg_ptx_ref *refs;
    size_t *scratch_offset; /* per param, in the workspace */
    size_t extra_offset;    /* memory of an instruction's own, in the workspace */
    size_t workspace_bytes; /* all of it */
    size_t tiles_offset;    /* memory of tiles (dot_bring.c), in shared memory always */
    size_t tiles_bytes;
    tg_ptx_touches earlier; /* of the instructions since the last barrier */
    tg_ptx_touches now;     /* of the instruction in the making */
    tg_ptx_trace trace;
    const char **files; /* of lines in the text; see place.c */
    uint32_t file_count;
    uint32_t file, loc; /* what the text last named */
} tg_ptx_emitter;

/* refusal.c: records that the kernel cannot be emitted, at the instruction in the making, and what it is there. */
TG_PRINTF(3, 4)
void tg_ptx_refuse(tg_ptx_emitter *em, tg_ptx_refusal refusal, const char *format, ...);

/* ---- value.c ---- */

tg_ptx_value tg_ptx_known(int64_t value);
bool tg_ptx_is_known(tg_ptx_value v, int64_t value); /* to be that */
tg_ptx_value tg_ptx_held(tg_ptx_reg reg);
tg_ptx_value tg_ptx_held_multiple(tg_ptx_reg reg, int64_t multiple);
/* A power of two that divides the value, at most TG_PTX_MOST_MULTIPLE, which is more than anybody asks for. */
enum { TG_PTX_MOST_MULTIPLE = 64 };
int64_t tg_ptx_multiple_of(tg_ptx_value v);
int64_t tg_ptx_divisor(int64_t number); /* of a number */
tg_ptx_reg tg_ptx_value_reg(tg_ptx_emitter *em, tg_ptx_value v);
tg_ptx_value tg_ptx_add(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
tg_ptx_value tg_ptx_sub(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
tg_ptx_value tg_ptx_mul(tg_ptx_emitter *em, tg_ptx_value a, int64_t factor);
tg_ptx_value tg_ptx_min(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
tg_ptx_value tg_ptx_max(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
tg_ptx_value tg_ptx_product(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
/* Of values that are not negative, by one greater than 0. */
tg_ptx_value tg_ptx_div(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value by);
tg_ptx_value tg_ptx_rem(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value by);
/* Rounded towards minus infinity; `by` > 0. */
tg_ptx_value tg_ptx_floor_div(tg_ptx_emitter *em, tg_ptx_value a, int64_t by);
/* 1 or 0. */
tg_ptx_value tg_ptx_is_less(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
tg_ptx_value tg_ptx_both(tg_ptx_emitter *em, tg_ptx_value a, tg_ptx_value b);
/* `first` (1 or 0) ? a : b */
tg_ptx_value tg_ptx_choose(tg_ptx_emitter *em, tg_ptx_value first, tg_ptx_value a, tg_ptx_value b);
/* A predicate that is set unless the value is 0. */
tg_ptx_reg tg_ptx_is_set(tg_ptx_emitter *em, tg_ptx_value v);

/* ---- loop.c ---- */

/* A loop over `count` elements by all threads.  `element` is the .b32 register of the element's number;
 * nothing is run for count 0.  No barrier may stand inside. */
typedef struct tg_ptx_loop {
    tg_ptx_reg element;
    int64_t count;
    uint32_t head, done;
} tg_ptx_loop;

tg_ptx_loop tg_ptx_loop_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_loop_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop of one thread, or of all threads in step, over 0 .. count-1, `count` being at least 1: `head` is where it goes on. */
tg_ptx_loop tg_ptx_serial_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_serial_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop of the first thread alone over 0 .. count-1, one after the other; the others wait at the next barrier. */
tg_ptx_loop tg_ptx_alone_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_alone_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* Index of element number `element` (.b32) in a shape, row-major: .b32 registers, one per dimension;
 * those of dimensions of extent 1 are not set and must not be looked at (their index is 0). */
void tg_ptx_unravel(tg_ptx_emitter *em, tg_ptx_reg element, int rank, const int64_t *shape,
                    tg_ptx_reg *index);

/* The .b64 register base + sum of index[d] * stride[d] * bytes over the dimensions of extent other than 1. */
tg_ptx_reg tg_ptx_address_of(tg_ptx_emitter *em, tg_ptx_reg base, int rank, const int64_t *shape,
                             const int64_t *stride, const tg_ptx_reg *index, int64_t bytes);

/* ---- operand.c ---- */

const char *tg_ptx_space_name(tg_ptx_space space);

/* Type of the ld and st that move a carrier. */
const char *tg_ptx_carrier_type(tg_dtype dtype);

/* Type of the ld and st that move so many bytes. */
const char *tg_ptx_bits_type(int bytes);

/* Elements of an operand. */
int64_t tg_ptx_count(const tg_operand *o);

/* One element of an operand, or its place, by its index as tg_ptx_unravel gives it. */
tg_ptx_reg tg_ptx_load(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index);
void tg_ptx_store(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index,
                  tg_ptx_reg value);

/* The same with the operand's elements seen in another shape, by strides of their own. */
tg_ptx_reg tg_ptx_load_strided(tg_ptx_emitter *em, const tg_operand *o, int rank,
                               const int64_t *shape, const int64_t *stride,
                               const tg_ptx_reg *index);
void tg_ptx_store_strided(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                          const int64_t *stride, const tg_ptx_reg *index, tg_ptx_reg value);

/* The same for the `width` elements (2 or 4) from there on, which lie one behind the other from a multiple of their
 * bytes on: what divides the address of an operand's first element says so. */
int64_t tg_ptx_operand_multiple(const tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_load_vector(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                        const int64_t *stride, const tg_ptx_reg *index, int width, tg_ptx_reg *out);
void tg_ptx_store_vector(tg_ptx_emitter *em, const tg_operand *o, int rank, const int64_t *shape,
                         const int64_t *stride, const tg_ptx_reg *index, int width,
                         const tg_ptx_reg *values);

/* Carriers at an address: in a slot or in memory of an instruction's own. */
tg_ptx_reg tg_ptx_load_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                               tg_ptx_reg address, int64_t displacement);
void tg_ptx_store_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                          tg_ptx_reg address, int64_t displacement, tg_ptx_reg value);

/* Elements in memory representation: bits in .b32 or .b64. */
void tg_ptx_store_bits(tg_ptx_emitter *em, tg_ptx_space space, int bytes, tg_ptx_reg address,
                       tg_ptx_reg bits);

/* Address of the slot's first byte; of one in memory only. */
tg_ptx_reg tg_ptx_slot_address(tg_ptx_emitter *em, tg_slot_id slot);

/* Whether all elements of an operand are one, which need not lie in memory: loads have it from anywhere. */
bool tg_ptx_is_one(const tg_ptx_emitter *em, const tg_operand *o);

/* Where a slot is, and which of its layouts its operands have there. */
tg_ptx_space tg_ptx_slot_space(const tg_ptx_emitter *em, tg_slot_id slot);
int tg_ptx_layout_of(const tg_ptx_emitter *em, const tg_operand *o);
const int64_t *tg_ptx_strides(const tg_ptx_emitter *em, const tg_operand *o);

/* Bytes from the slot's address to the operand's first element. */
int64_t tg_ptx_displacement(const tg_ptx_emitter *em, const tg_operand *o);

/* The scalar that an operand of ints or bools is, in every thread; one of u64 is at most the greatest s64, or taken
 * with all its bits. */
tg_ptx_value tg_ptx_scalar_bits(tg_ptx_emitter *em, const tg_operand *o);
tg_ptx_value tg_ptx_scalar(tg_ptx_emitter *em, const tg_operand *o);

/* The first thread sets a scalar. */
void tg_ptx_set_scalar(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_value v);

/* ---- hazard.c ---- */

/* What comes next touches: all of it is said before the first row that does, and then tg_ptx_ready sets down the
 * barrier that it needs, if any.  Both are done for each instruction before it is emitted. */
void tg_ptx_touch_inst(tg_ptx_emitter *em, const tg_inst *inst);
void tg_ptx_reads(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_writes(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_touch_extent(tg_ptx_emitter *em, tg_ptx_extent extent, bool is_write);
void tg_ptx_ready(tg_ptx_emitter *em);

/* Bytes of the workspace. */
tg_ptx_extent tg_ptx_extent_of(size_t start, size_t bytes);

/* Bytes of the workspace that the instruction has to itself, besides its operands. */
size_t tg_ptx_extra(const tg_ptx_emitter *em, const tg_inst *inst);

/* A barrier, unless nothing was touched since the last one. */
void tg_ptx_settle(tg_ptx_emitter *em);

/* A barrier in the midst of an instruction; all before it is settled. */
void tg_ptx_barrier(tg_ptx_emitter *em);

/* ---- place.c ---- */

/* What follows comes from that line of the user's source. */
void tg_ptx_place(tg_ptx_emitter *em, uint32_t loc);

/* The same for an instruction, whose op a comment names. */
void tg_ptx_comment(tg_ptx_emitter *em, const tg_inst *inst);

/* The directives for all files that have been named, for module scope. */
void tg_ptx_put_files(const tg_ptx_emitter *em, tg_text *to);

/* ---- report.c ---- */

/* A finding about the instruction in the making (or the block of `param`) wherever the predicate is set. */
void tg_ptx_report(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_reg predicate);

/* The same wherever `ok` is 0. */
void tg_ptx_report_unless(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_value ok);

/* ---- trace.c: all of it does nothing where no log is wanted ---- */

/* In the prologue; before instruction number `at` of the code and after it; for element number `element` (.b32), what op
 * number `lane` of a group has given. */
void tg_ptx_trace_start(tg_ptx_emitter *em);
void tg_ptx_trace_begin(tg_ptx_emitter *em, const tg_code *code, uint32_t at);
void tg_ptx_trace_lane(tg_ptx_emitter *em, uint32_t lane, tg_ptx_reg element, tg_ptx_reg value);
void tg_ptx_trace_end(tg_ptx_emitter *em);

/* ---- one file each: the instructions ---- */

/* group.c: tg_ptx_lane of an op that verifies, all of which it has; TG_ERR_INTERNAL if not. */
tg_ptx_reg tg_ptx_apply(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_dtype second,
                        int64_t imm, uint32_t count, const tg_ptx_reg *in);

void tg_ptx_group(tg_ptx_emitter *em, const tg_group *group);
void tg_ptx_copy(tg_ptx_emitter *em, const struct tg_inst_copy *copy);
void tg_ptx_dynamic(tg_ptx_emitter *em, const struct tg_inst_dynamic *dynamic);
void tg_ptx_reduce(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce);
void tg_ptx_arg_reduce(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce);
void tg_ptx_scan(tg_ptx_emitter *em, const struct tg_inst_reduce *scan);
void tg_ptx_dot(tg_ptx_emitter *em, const struct tg_inst_dot *dot);
size_t tg_ptx_reduce_extra(const struct tg_inst_reduce *reduce);
void tg_ptx_print(tg_ptx_emitter *em, const struct tg_inst_print *print);

/* Settles where tiles of products lie and how many bytes they take; space, workspace and threads are settled. */
void tg_ptx_place_tiles(tg_ptx_emitter *em);

/* ref.c, recast.c: the block of a param that the program in the making gets, and refs made of others */
void tg_ptx_ref_start(tg_ptx_emitter *em, uint32_t param);
void tg_ptx_ref_view(tg_ptx_emitter *em, const struct tg_inst_view *view);
void tg_ptx_ref_part(tg_ptx_emitter *em, const struct tg_inst_part *part);
void tg_ptx_ref_scope(tg_ptx_emitter *em, const struct tg_inst_scope *scope);
void tg_ptx_ref_recast(tg_ptx_emitter *em, const tg_inst *inst);

/* Where the bytes of an element of a ref without strides are: `bytes` at each of `count` addresses, lowest bytes
 * first, all there unless `is_inside` is 0. */
enum { TG_PTX_MOST_PIECES = 8 };
typedef struct tg_ptx_pieces {
    tg_ptx_reg at[TG_PTX_MOST_PIECES];
    int count, bytes;
    tg_ptx_value is_inside;
} tg_ptx_pieces;

/* recast.c: those of element `number` (.b64), as the strides of a ref with `through` count. */
tg_ptx_pieces tg_ptx_find_pieces(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_dtype dtype,
                                 tg_ptx_reg number);

/* Where a slice begins or what a scalar position is, far ones bounded so that nothing overflows. */
tg_ptx_value tg_ptx_position(tg_ptx_emitter *em, const tg_access_dim *dim);

/* Fills memory of the workspace with what it holds at first, in memory representation. */
void tg_ptx_fill_first(tg_ptx_emitter *em, tg_dtype dtype, int64_t count, tg_ptx_reg base,
                       int64_t displacement);

/* in_place.c: finds the slots that must be dense, false without memory; whether the value of a load or store may stay in
 * its array, which is known when its ref is; from now on it is there. */
bool tg_ptx_find_in_place(tg_ptx_emitter *em);
bool tg_ptx_may_stay(tg_ptx_emitter *em, const struct tg_inst_access *access);
void tg_ptx_leave_in_place(tg_ptx_emitter *em, const struct tg_inst_access *access);
/* Whether a store has nothing left to do: its value has been computed where it belongs. */
bool tg_ptx_is_stored(const tg_ptx_emitter *em, const struct tg_inst_access *store);

/* semaphore.c, dma.c: counters that a wait takes from, copies that raise them by their bytes: those that a ref has at run time */
void tg_ptx_semaphore(tg_ptx_emitter *em, const struct tg_inst_semaphore *semaphore);
void tg_ptx_semaphore_raise(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_value by);
tg_ptx_value tg_ptx_copied_bytes(tg_ptx_emitter *em, const tg_ptx_ref *ref, const tg_type *type);
void tg_ptx_dma(tg_ptx_emitter *em, const struct tg_inst_dma *dma);
size_t tg_ptx_dma_extra(const tg_kernel *k, const struct tg_inst_dma *dma);

/* access_walk.c, access.c, atomic.c */
bool tg_ptx_is_inside(tg_ptx_emitter *em, const tg_access_plan *a,
                      int d); /* all of dimension d, in its array */
tg_ptx_value tg_ptx_access_base(tg_ptx_emitter *em,
                                const tg_access_plan *a); /* address of result index [0,...] */
void tg_ptx_access_target(tg_ptx_emitter *em, const struct tg_inst_access *store);
void tg_ptx_access_load(tg_ptx_emitter *em, const struct tg_inst_access *load);
void tg_ptx_access_store(tg_ptx_emitter *em, const struct tg_inst_access *store);
void tg_ptx_access_atomic(tg_ptx_emitter *em, const struct tg_inst_access *atomic);

void tg_ptx_gather(tg_ptx_emitter *em, const struct tg_inst_gather *gather);
void tg_ptx_scatter(tg_ptx_emitter *em, const struct tg_inst_scatter *scatter);
void tg_ptx_sort(tg_ptx_emitter *em, const struct tg_inst_sort *sort);
void tg_ptx_bitcast(tg_ptx_emitter *em, const struct tg_inst_bitcast *cast);
void tg_ptx_guard(tg_ptx_emitter *em, const struct tg_inst_guard *guard);

/* control.c: the instructions of the body, or of an index map.  Control falls out of the end. */
void tg_ptx_code(tg_ptx_emitter *em, const tg_code *code);

#endif
