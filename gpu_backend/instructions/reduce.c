#include "gpu_backend/instructions/reduce.h"
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/reduction.h"
#include "ir/type.h"

/* The dimensions of an operand: those kept, and those along the axes. */
typedef struct split {
    int kept_rank, along_rank;
    int64_t kept_shape[TG_MAX_RANK], along_shape[TG_MAX_RANK];
    int64_t kept_stride[TG_MAX_RANK], along_stride[TG_MAX_RANK];
    int64_t rows, n; /* number of elements in each */
} split;

static split split_operand(const tg_operand *o, const int64_t *stride, unsigned axes)
{
    split s = {.rows = 1, .n = 1};
    for (int d = 0; d < o->rank; d++) {
        const bool along = axes >> d & 1;
        const int at = along ? s.along_rank++ : s.kept_rank++;
        *(along ? &s.n : &s.rows) *= o->shape[d];
        (along ? s.along_shape : s.kept_shape)[at] = o->shape[d];
        (along ? s.along_stride : s.kept_stride)[at] = stride[d];
    }
    return s;
}

/* The element in row `row` at position `i` along the axes. */
static tg_ptx_reg load_at(tg_ptx_emitter *em, const tg_operand *in, const split *s, tg_ptx_reg row,
                          tg_ptx_reg i)
{
    tg_ptx_reg index[TG_MAX_RANK];
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    tg_ptx_unravel(em, row, s->kept_rank, s->kept_shape, index);
    tg_ptx_unravel(em, i, s->along_rank, s->along_shape, index + s->kept_rank);
    for (int d = 0; d < s->kept_rank + s->along_rank; d++) {
        const bool along = d >= s->kept_rank;
        shape[d] = along ? s->along_shape[d - s->kept_rank] : s->kept_shape[d];
        stride[d] = along ? s->along_stride[d - s->kept_rank] : s->kept_stride[d];
    }
    return tg_ptx_load_strided(
        em, in, &(tg_ptx_strided){s->kept_rank + s->along_rank, shape, stride}, index);
}

static void store_row(tg_ptx_emitter *em, const tg_operand *out, tg_ptx_reg row, tg_ptx_reg value)
{
    tg_ptx_reg index[TG_MAX_RANK];
    tg_ptx_unravel(em, row, out->rank, out->shape, index);
    tg_ptx_store(em, out, index, value);
}

static tg_ptx_reg step(tg_ptx_emitter *em, tg_dtype dtype, tg_ptx_reg a, tg_ptx_reg b)
{
    return tg_ptx_apply_two(em, tg_reduction_step(em->inst->op), dtype, a, b);
}

static tg_ptx_reg constant_register(tg_ptx_emitter *em, int64_t value)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.b32 %s, %" PRId64 ";", r.name, value);
    return r;
}

/* ---- reductions ---- */

static int64_t first_half(int64_t n)
{
    int64_t s = 1;
    while (2 * s < n) s *= 2;
    return s;
}

size_t tg_ptx_reduce_extra(const struct tg_inst_reduce *reduce)
{
    const split s = split_operand(&reduce->in, reduce->in.stride[TG_STORAGE_DENSE], reduce->axes);
    if (s.n < 3) return 0;
    return (size_t)(s.rows * first_half(s.n)) * tg_carrier_bytes[tg_carrier_of(reduce->in.dtype)];
}

/* Each result takes no input, or just one element. */
static void reduce_little(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce, const split *s)
{
    const tg_dtype dtype = reduce->in.dtype;
    uint64_t nothing = 0;
    tg_reduction_of_nothing(tg_reduction_step(em->inst->op), dtype, &nothing);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, s->rows);
    const tg_ptx_reg value =
        s->n == 0 ? tg_ptx_constant(&em->w, dtype, &nothing)
                  : load_at(em, &reduce->in, s, loop.element, constant_register(em, 0));
    store_row(em, &reduce->out, loop.element, value);
    tg_ptx_loop_end(em, &loop);
}

/* Stores a value of the tree where the next level reads it; after the last level, in the result. */
static void leave(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce, int64_t half,
                  tg_ptx_reg row, tg_ptx_reg at, tg_ptx_reg value)
{
    const tg_dtype dtype = reduce->in.dtype;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    if (half == 1) {
        store_row(em, &reduce->out, row, value);
        return;
    }
    const tg_ptx_reg address = tg_ptx_address_in_row(em, em->workspace, 2, at, bytes);
    tg_ptx_store_carrier(em, em->space, dtype, address, (int64_t)em->extra_offset, value);
}

/* x[i] op x[i + half] for i < half, from the operand; x[i] if i + half is beyond the end. */
static void first_level(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce, const split *s,
                        int64_t half)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, s->rows * half);
    const int64_t shape[2] = {s->rows, half};
    tg_ptx_reg at[2] = {constant_register(em, 0), constant_register(em, 0)};
    tg_ptx_unravel(em, loop.element, 2, shape, at);
    const tg_ptx_reg left = load_at(em, &reduce->in, s, at[0], at[1]);
    const tg_ptx_reg partner = tg_ptx_new(w, TG_PTX_B32), value = tg_ptx_new(w, left.class);
    const uint32_t skip = tg_ptx_new_label(w);
    tg_ptx_row(w, "add.u32 %s, %s, %" PRId64 ";", partner.name, at[1].name, half);
    tg_ptx_move(&em->w, value, left);
    if (s->n < 2 * half) {
        const tg_ptx_reg absent = tg_ptx_new(w, TG_PTX_PRED);
        tg_ptx_row(w, "setp.ge.u32 %s, %s, %" PRId64 ";", absent.name, partner.name, s->n);
        tg_ptx_row(w, "@%s bra $L%u;", absent.name, skip);
    }
    tg_ptx_move(&em->w, value,
                step(em, reduce->in.dtype, left, load_at(em, &reduce->in, s, at[0], partner)));
    if (s->n < 2 * half) tg_ptx_label(w, skip);
    leave(em, reduce, half, at[0], loop.element, value);
    tg_ptx_loop_end(em, &loop);
}

/* The same in temporary memory, whose rows have `pitch` elements. */
static void next_level(tg_ptx_emitter *em, const struct tg_inst_reduce *reduce, const split *s,
                       int64_t pitch, int64_t half)
{
    const tg_dtype dtype = reduce->in.dtype;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)], extra = (int64_t)em->extra_offset;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, s->rows * half);
    const int64_t shape[2] = {s->rows, half}, stride[2] = {pitch, 1};
    tg_ptx_reg at[2] = {constant_register(em, 0), constant_register(em, 0)};
    tg_ptx_unravel(em, loop.element, 2, shape, at);
    const tg_ptx_strided halves = {2, shape, stride};
    const tg_ptx_reg address = tg_ptx_address_of(em, em->workspace, &halves, at, bytes);
    const tg_ptx_reg left = tg_ptx_load_carrier(em, em->space, dtype, address, extra);
    const tg_ptx_reg right =
        tg_ptx_load_carrier(em, em->space, dtype, address, extra + half * bytes);
    const tg_ptx_reg value = step(em, dtype, left, right);
    if (half == 1)
        store_row(em, &reduce->out, at[0], value);
    else
        tg_ptx_store_carrier(em, em->space, dtype, address, extra, value);
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_inst_reduce(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    const split s = split_operand(&reduce->in, tg_ptx_strides(em, &reduce->in), reduce->axes);
    if (s.rows == 0) return;
    if (s.n < 2) {
        reduce_little(em, reduce, &s);
        return;
    }
    const int64_t pitch = first_half(s.n);
    first_level(em, reduce, &s, pitch);
    for (int64_t half = pitch / 2; half >= 1; half /= 2) {
        tg_ptx_barrier(em);
        next_level(em, reduce, &s, pitch, half);
    }
    if (pitch == 1) return;
    tg_ptx_ready_again(em); /* the last level, after the last barrier */
}

/* ---- along one axis ---- */

/* The position along the axis that turn `turn` of a scan handles. */
static tg_ptx_reg place_at(tg_ptx_emitter *em, const struct tg_inst_reduce *scan, int64_t n,
                           tg_ptx_reg turn)
{
    if (!scan->reverse) return turn;
    const tg_ptx_reg at = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "sub.u32 %s, %" PRId64 ", %s;", at.name, n - 1, turn.name);
    return at;
}

/* The scan's value including `next`, in a register that keeps it from turn to turn. */
static tg_ptx_reg carried(tg_ptx_emitter *em, tg_dtype dtype, tg_ptx_reg turn, tg_ptx_reg next)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg sum = tg_ptx_new(w, next.class), first = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t start = tg_ptx_new_label(w), done = tg_ptx_new_label(w);
    tg_ptx_row(w, "setp.eq.u32 %s, %s, 0;", first.name, turn.name);
    tg_ptx_row(w, "@%s bra $L%u;", first.name, start);
    tg_ptx_move(w, sum, step(em, dtype, sum, next));
    tg_ptx_row(w, "bra $L%u;", done);
    tg_ptx_label(w, start);
    tg_ptx_move(w, sum, next);
    tg_ptx_label(w, done);
    return sum;
}

/* Stores the element in row `row` at position `at` along the axis. */
static void store_at(tg_ptx_emitter *em, const tg_operand *out, const split *s, tg_ptx_reg row,
                     tg_ptx_reg at, tg_ptx_reg value)
{
    tg_ptx_reg index[TG_MAX_RANK];
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    tg_ptx_unravel(em, row, s->kept_rank, s->kept_shape, index);
    for (int d = 0; d < s->kept_rank; d++) {
        shape[d] = s->kept_shape[d];
        stride[d] = s->kept_stride[d];
    }
    index[s->kept_rank] = at;
    shape[s->kept_rank] = s->n;
    stride[s->kept_rank] = s->along_stride[0];
    tg_ptx_store_strided(em, out, &(tg_ptx_strided){s->kept_rank + 1, shape, stride}, index, value);
}

void tg_ptx_inst_scan(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_reduce *scan = inst->as.reduce;
    const split in = split_operand(&scan->in, tg_ptx_strides(em, &scan->in), 1U << scan->axis);
    const split out = split_operand(&scan->out, tg_ptx_strides(em, &scan->out), 1U << scan->axis);
    if (in.rows == 0 || in.n == 0) return;
    const tg_ptx_loop rows = tg_ptx_loop_begin(em, in.rows);
    const tg_ptx_loop along = tg_ptx_serial_begin(em, in.n);
    const tg_ptx_reg at = place_at(em, scan, in.n, along.element);
    const tg_ptx_reg next = load_at(em, &scan->in, &in, rows.element, at);
    const tg_ptx_reg sum = carried(em, scan->in.dtype, along.element, next);
    store_at(em, &scan->out, &out, rows.element, at, sum);
    tg_ptx_serial_end(em, &along);
    tg_ptx_loop_end(em, &rows);
}

/* Whether `next` replaces `best`: it compares as better, or is the first NaN. */
static tg_ptx_reg is_better(tg_ptx_emitter *em, tg_dtype dtype, tg_ptx_reg next, tg_ptx_reg best)
{
    static const char *const types[TG_C_COUNT] = {
        [TG_C_b8] = "u32",  [TG_C_i8] = "s32",  [TG_C_i16] = "s32", [TG_C_i32] = "s32",
        [TG_C_i64] = "s64", [TG_C_u8] = "u32",  [TG_C_u16] = "u32", [TG_C_u32] = "u32",
        [TG_C_u64] = "u64", [TG_C_f32] = "f32", [TG_C_f64] = "f64",
    };
    const char *const type = types[tg_carrier_of(dtype)];
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg p = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_row(w, "setp.%s.%s %s, %s, %s;", em->inst->op == TG_OP_argmax ? "gt" : "lt", type,
               p.name, next.name, best.name);
    if (!tg_is_float(dtype)) return p;
    const tg_ptx_reg is_nan = tg_ptx_new(w, TG_PTX_PRED), take = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_row(w, "setp.nan.%s %s, %s, %s;", type, is_nan.name, next.name, next.name);
    tg_ptx_row(w, "or.pred %s, %s, %s;", p.name, p.name, is_nan.name);
    tg_ptx_row(w, "setp.num.and.%s %s, %s, %s, %s;", type, take.name, best.name, best.name, p.name);
    return take;
}

/* argmax and argmin. */
void tg_ptx_inst_arg_reduce(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_reduce *search = inst->as.reduce;
    const split s = split_operand(&search->in, tg_ptx_strides(em, &search->in), 1U << search->axis);
    tg_ptx_writer *w = &em->w;
    if (s.rows == 0) return;
    const tg_ptx_loop rows = tg_ptx_loop_begin(em, s.rows);
    const tg_ptx_reg found = constant_register(em, 0);
    const tg_ptx_reg zero = constant_register(em, 0);
    const tg_ptx_reg start = load_at(em, &search->in, &s, rows.element, zero);
    const tg_ptx_reg best = tg_ptx_new(w, start.class);
    tg_ptx_move(&em->w, best, start);
    const tg_ptx_loop along = tg_ptx_serial_begin(em, s.n);
    const tg_ptx_reg next = load_at(em, &search->in, &s, rows.element, along.element);
    const tg_ptx_reg take = is_better(em, search->in.dtype, next, best);
    tg_ptx_row(w, "@%s mov.b32 %s, %s;", take.name, found.name, along.element.name);
    tg_ptx_row(w, "@%s mov.b%d %s, %s;", take.name,
               best.class == TG_PTX_B64 || best.class == TG_PTX_F64 ? 64 : 32, best.name,
               next.name);
    tg_ptx_serial_end(em, &along);
    tg_ptx_reg value = found;
    if (tg_ptx_class_of(search->out.dtype) == TG_PTX_B64) {
        value = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "cvt.u64.u32 %s, %s;", value.name, found.name);
    }
    store_row(em, &search->out, rows.element, value);
    tg_ptx_loop_end(em, &rows);
}
