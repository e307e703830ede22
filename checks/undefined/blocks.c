#include "checks/undefined/blocks.h"

#include <string.h>

#include "checks/undefined/exact.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "checks/undefined/values.h"
#include "interp/state/index_walk.h"
#include "ir/reduction.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/sort.h"
#include "interp/state/operand.h"

static const uint32_t *words_at(const tg_view *view, int64_t offset)
{
    return (const uint32_t *)view->data + offset;
}

void tg_shadow_copy(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_copy *copy = inst->as.copy;
    const tg_view from = tg_shadow_view(tg_shadow_of(m), &copy->from);
    uint32_t *to = tg_shadow_open(tg_shadow_of(m), &copy->to);
    if (!to) return;
    tg_copy_view(to, copy->to.stride[TG_STORAGE_DENSE], &from, sizeof *to);
    tg_shadow_close(tg_shadow_of(m), &copy->to);
}

/* Returns whether sums and products of the instruction must be checked. */
static bool may_wrap(const tg_machine *m, const tg_inst *inst)
{
    return tg_arithmetic_ops(&tg_shadow_of(m)->all->arithmetic, inst) != NULL;
}

static uint32_t wrapped(tg_step_trail *step, tg_dtype dtype)
{
    return tg_step_word(step, tg_word(TG_VALUE_TRAIL, 1), tg_all_bytes(dtype));
}

/* ---- reductions ---- */

/* Returns the dimensions of a view that are in `axes`, or those that are not. */
static tg_view dims_of(const tg_view *view, unsigned axes, bool is_named)
{
    tg_view part = {.data = view->data};
    for (int d = 0; d < view->rank; d++) {
        if ((bool)(axes >> d & 1) != is_named) continue;
        part.shape[part.rank] = view->shape[d];
        part.stride[part.rank++] = view->stride[d];
    }
    return part;
}

/* One result: the word of the first undefined element that it uses, all undefined bytes, and the
 * bytes that a defined element decides. */
typedef struct lanes_used {
    uint32_t first;
    unsigned bytes, decided;
} lanes_used;

static unsigned decided_bytes(uint64_t value, uint32_t word, unsigned byte)
{
    unsigned decided = 0;
    for (int b = 0; b < 8; b++)
        if ((value >> (8 * b) & 0xff) == byte) decided |= 1U << b;
    return decided & ~tg_word_bytes(word);
}

/* `values` is NULL if no single element can decide. */
static lanes_used use_lanes(const tg_view *words, const tg_view *values, size_t wide, unsigned byte)
{
    lanes_used used = {0};
    tg_index_walk walk;
    if (!tg_index_begin(&walk, words->rank, words->shape)) return used;
    do {
        const uint32_t word = *words_at(words, tg_index_offset(&walk, words->stride));
        if (!used.first) used.first = word;
        used.bytes |= tg_word_bytes(word);
        if (values)
            used.decided |= decided_bytes(
                tg_carrier_bits(values->data, wide, tg_index_offset(&walk, values->stride)), word,
                byte);
    } while (tg_index_next(&walk));
    return used;
}

/* A result is undefined if an element that it uses is undefined, unless another element decides it
 * alone. */
void tg_shadow_reduce(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    const bool is_arg = inst->kind == TG_I_ARG_REDUCE;
    const unsigned axes = is_arg ? 1U << reduce->axis : reduce->axes;
    const tg_view in = tg_shadow_view(tg_shadow_of(m), &reduce->in);
    const tg_view values = tg_operand_view(m, &reduce->in);
    const size_t wide = tg_carrier_bytes[tg_carrier_of(reduce->in.dtype)];
    unsigned byte = 0;
    const bool decides =
        !is_arg && tg_absorbing_byte(tg_reduction_step(inst->op), reduce->in.dtype, &byte);
    const bool wraps = may_wrap(m, inst);
    const bool is_bytes = decides || inst->op == TG_OP_reduce_xor;
    uint32_t *out = tg_shadow_open(tg_shadow_of(m), &reduce->out);
    tg_view kept = dims_of(&in, axes, false), kept_values = dims_of(&values, axes, false);
    tg_view used = dims_of(&in, axes, true), used_values = dims_of(&values, axes, true);
    tg_step_trail step = tg_step_of(m, inst, 0);
    tg_index_walk walk;
    if (!out || !tg_index_begin(&walk, kept.rank, kept.shape)) return;
    do {
        used.data = words_at(&in, tg_index_offset(&walk, kept.stride));
        used_values.data = (const unsigned char *)values.data +
                           tg_index_offset(&walk, kept_values.stride) * (int64_t)wide;
        const lanes_used u = use_lanes(&used, decides ? &used_values : NULL, wide, byte);
        const unsigned bytes = is_bytes  ? u.bytes & ~u.decided
                               : u.first ? tg_all_bytes(reduce->out.dtype)
                                         : 0;
        *out = bytes ? tg_step_word(&step, u.first, bytes) : 0;
        if (!bytes && wraps && tg_exact_reduction_fails(inst, &used_values))
            *out = wrapped(&step, reduce->out.dtype);
        out++;
    } while (tg_index_next(&walk));
    tg_shadow_close(tg_shadow_of(m), &reduce->out);
}

void tg_shadow_scan(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *scan = inst->as.reduce;
    const tg_view in = tg_shadow_view(tg_shadow_of(m), &scan->in);
    const tg_view rows = dims_of(&in, 1U << scan->axis, false);
    const int64_t n = in.shape[scan->axis], step_in = in.stride[scan->axis];
    uint32_t *out = tg_shadow_open(tg_shadow_of(m), &scan->out);
    tg_view result = in;
    tg_dense_strides(in.rank, in.shape, result.stride);
    const tg_view values = tg_operand_view(m, &scan->in);
    const tg_view rows_values = dims_of(&values, 1U << scan->axis, false);
    const bool wraps = may_wrap(m, inst);
    const tg_view rows_out = dims_of(&result, 1U << scan->axis, false);
    tg_step_trail step = tg_step_of(m, inst, 0);
    tg_index_walk walk;
    if (!out || !tg_index_begin(&walk, rows.rank, rows.shape)) return;
    do {
        const uint32_t *from = words_at(&in, tg_index_offset(&walk, rows.stride));
        uint32_t *to = out + tg_index_offset(&walk, rows_out.stride), first = 0;
        const int64_t row = tg_index_offset(&walk, rows_values.stride);
        tg_exact exact = tg_exact_begin(tg_reduction_step(inst->op));
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = scan->reverse ? n - 1 - i : i;
            uint32_t *word = &to[at * result.stride[scan->axis]];
            if (!first) first = from[at * step_in];
            *word = first ? tg_step_word(&step, first, tg_all_bytes(scan->out.dtype)) : 0;
            if (!wraps) continue;
            tg_exact_take(&exact, tg_signed_at(values.data, scan->in.dtype,
                                               row + at * values.stride[scan->axis]));
            if (!first && !tg_exact_fits(&exact, scan->in.dtype))
                *word = wrapped(&step, scan->out.dtype);
        }
    } while (tg_index_next(&walk));
    tg_shadow_close(tg_shadow_of(m), &scan->out);
}

/* ---- products ---- */

static uint32_t first_along(const uint32_t *words, int64_t stride, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (words[i * stride]) return words[i * stride];
    return 0;
}

/* An operand of a dot: the words along its contracted dimension, for one row or column. */
typedef struct dot_side {
    const uint32_t *words;
    int64_t b, line, k; /* strides */
} dot_side;

static dot_side side_of(const tg_shadow *s, const tg_operand *o, int64_t b, int64_t line, int64_t k)
{
    const tg_view view = tg_shadow_view(s, o);
    if (!s->is_flagged[o->slot]) return (dot_side){.words = view.data};
    return (dot_side){view.data, b, line, k};
}

/* Finds the first undefined element of each column of one batch. */
static void look_at_columns(const struct tg_inst_dot *dot, const dot_side *rhs, int64_t b,
                            uint32_t *columns)
{
    for (int64_t n = 0; n < dot->n; n++)
        columns[n] = first_along(rhs->words + b * rhs->b + n * rhs->line, rhs->k, dot->k);
}

/* One row of the result: an undefined element in the row of the left side makes all of it
 * undefined; otherwise the columns and the addend decide. */
static void dot_row(const struct tg_inst_dot *dot, tg_step_trail *step, uint32_t row,
                    const uint32_t *columns, const uint32_t *addend, int64_t addend_step,
                    uint32_t *out)
{
    const unsigned bytes = tg_all_bytes(dot->out.dtype);
    for (int64_t n = 0; n < dot->n; n++) {
        const uint32_t word = row ? row : columns[n] ? columns[n] : addend[n * addend_step];
        out[n] = word ? tg_step_word(step, word, bytes) : 0;
    }
}

void tg_shadow_dot(tg_machine *m, const tg_inst *inst)
{
    static const uint32_t defined = 0;
    const struct tg_inst_dot *dot = inst->as.dot;
    const tg_shadow *s = tg_shadow_of(m);
    const int64_t *l = dot->lhs_stride[TG_STORAGE_DENSE], *r = dot->rhs_stride[TG_STORAGE_DENSE];
    const dot_side lhs = side_of(s, &dot->lhs, l[0], l[1], l[2]);
    const dot_side rhs = side_of(s, &dot->rhs, r[0], r[2], r[1]);
    tg_view addend = {.data = &defined};
    if (dot->has_addend) addend = tg_shadow_view(s, &dot->addend);
    const int64_t out_row = dot->has_addend ? dot->out.stride[TG_STORAGE_DENSE][0] : dot->n;
    uint32_t *out = tg_shadow_open(tg_shadow_of(m), &dot->out);
    uint32_t *columns = tg_shadow_room(tg_shadow_of(m), (size_t)dot->n * sizeof *columns);
    tg_step_trail step = tg_step_of(m, inst, 0);
    if (!out || !columns) return;
    const bool wraps = may_wrap(m, inst);
    for (int64_t b = 0; b < dot->b; b++) {
        look_at_columns(dot, &rhs, b, columns);
        for (int64_t i = 0; i < dot->m; i++) {
            uint32_t *row = out + (b * dot->m + i) * out_row;
            dot_row(dot, &step, first_along(lhs.words + b * lhs.b + i * lhs.line, lhs.k, dot->k),
                    columns, words_at(&addend, i * addend.stride[0]), addend.stride[1], row);
            for (int64_t n = 0; wraps && n < dot->n; n++)
                if (!row[n] && tg_exact_dot_fails(m, dot, b, i, n))
                    row[n] = wrapped(&step, dot->out.dtype);
        }
    }
    tg_shadow_close(tg_shadow_of(m), &dot->out);
}

/* ---- sorting ---- */

/* Returns the first undefined key of a row; `row` says which row. */
static uint32_t bad_key(const tg_machine *m, const struct tg_inst_sort *sort,
                        const tg_index_walk *row)
{
    for (uint32_t k = 0; k < sort->keys; k++) {
        if (!tg_shadow_of(m)->is_flagged[sort->in[k].slot]) continue;
        const tg_view key = tg_shadow_view(tg_shadow_of(m), &sort->in[k]);
        const tg_view rows = dims_of(&key, 1U << sort->axis, false);
        const uint32_t word = first_along(words_at(&key, tg_index_offset(row, rows.stride)),
                                          key.stride[sort->axis], key.shape[sort->axis]);
        if (word) return word;
    }
    return 0;
}

/* If a key of a row is undefined, the order of the row is unknown, so all of it is undefined. */
static void spoil_rows(tg_machine *m, const tg_inst *inst, const tg_operand *o)
{
    const struct tg_inst_sort *sort = inst->as.sort;
    tg_view out = {.rank = o->rank};
    memcpy(out.shape, o->shape, sizeof out.shape);
    memcpy(out.stride, o->stride[TG_STORAGE_DENSE], sizeof out.stride);
    const tg_view rows = dims_of(&out, 1U << sort->axis, false);
    uint32_t *words = tg_shadow_of(m)->words[o->slot] + o->offset[TG_STORAGE_DENSE];
    tg_step_trail step = tg_step_of(m, inst, 0);
    tg_index_walk walk;
    if (!tg_index_begin(&walk, rows.rank, rows.shape)) return;
    do {
        const uint32_t key = bad_key(m, sort, &walk);
        uint32_t *row = words + tg_index_offset(&walk, rows.stride);
        for (int64_t i = 0; key && i < out.shape[sort->axis]; i++)
            row[i * out.stride[sort->axis]] = tg_step_word(&step, key, tg_all_bytes(o->dtype));
    } while (tg_index_next(&walk));
}

/* The words of the other operands move with their elements. */
void tg_shadow_sort(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_sort *sort = inst->as.sort;
    const tg_view first = tg_operand_view(m, &sort->in[0]);
    tg_sort_start(&first, sort->axis, m->extra);
    for (uint32_t k = sort->keys; k-- > 0;) {
        const tg_view key = tg_operand_view(m, &sort->in[k]);
        tg_sort_by(&key, sort->in[k].dtype, sort->axis, sort->descending, sort->total, m->extra);
    }
    for (uint32_t i = 0; i < sort->count; i++) {
        const tg_view in = tg_shadow_view(tg_shadow_of(m), &sort->in[i]);
        uint32_t *out = tg_shadow_open(tg_shadow_of(m), &sort->out[i]);
        if (!out) return;
        tg_sort_apply(&in, sizeof *out, sort->axis, out, m->extra);
        spoil_rows(m, inst, &sort->out[i]);
        tg_shadow_close(tg_shadow_of(m), &sort->out[i]);
    }
}
