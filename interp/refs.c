/* References: the block of each parameter that a program gets, views of them, and scoped memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp/access.h"
#include "interp/ahead.h"
#include "interp/exec.h"
#include "plan/grid.h"

/* ---- blocks of parameters ---- */

static int64_t round_up(int64_t value, int64_t multiple)
{
    return multiple > 0 ? (value + multiple - 1) / multiple * multiple : value;
}

/* Where JAX's interpreter, which pads the array to whole blocks, would move the start to. */
static int64_t clamp_start(int64_t start, const tg_block_dim *dim, int64_t extent)
{
    int64_t low = -dim->pad_low,
            padded = round_up(extent + dim->pad_low + dim->pad_high, dim->size);
    if (start < low) start += padded;
    if (start > padded + low - dim->size) start = padded + low - dim->size;
    return start < low ? low : start;
}

/* The first element of the block in dimension `d`.  Index and size come from the user: saturates. */
static int64_t block_start(int64_t index, const tg_block_dim *dim)
{
    int64_t start;
    switch (dim->kind) {
    case TG_BLOCK_BLOCKED:
        if (__builtin_mul_overflow(index, dim->size, &start))
            return index < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
        return start;
    case TG_BLOCK_ELEMENT: return index - dim->pad_low;
    default: return index;
    }
}

static void report_block(tg_machine *m, const tg_param *param, int d, int64_t index, int64_t start)
{
    const tg_block_dim *dim = &param->block[d];
    char type[TG_TYPE_TEXT], at[TG_PROGRAM_TEXT];
    int64_t extent = param->array.shape[d],
            blocks = dim->size ? (extent + dim->size - 1) / dim->size : 0;
    int64_t high = dim->kind == TG_BLOCK_BLOCKED   ? blocks - 1
                   : dim->kind == TG_BLOCK_ELEMENT ? extent + dim->pad_low + dim->pad_high - 1
                                                   : extent - 1;
    tg_machine_found(m, TG_FINDING_BLOCK_OUTSIDE_ARRAY, NULL, param,
                     "the index map of %s gives %" PRId64
                     " for dimension %d in program %s: the block "
                     "would start at element %" PRId64 " of %s; legal is 0 to %" PRId64,
                     param->name, index, d, tg_program_print(m->launch->axis_count, m->program, at),
                     start, tg_type_print(&param->array, type, sizeof type), high);
}

static void set_dim(tg_ref *ref, int at, int64_t start, int64_t size, int64_t extent,
                    int64_t stride)
{
    int64_t low = start < 0 ? -start : 0, high = extent - start;
    ref->shape[at] = size;
    ref->stride[at] = stride;
    ref->low[at] = low < size ? low : size;
    ref->high[at] = high > size ? size : high < ref->low[at] ? ref->low[at] : high;
    if (ref->low[at] > 0 || ref->high[at] < size) ref->is_inside = false;
}

/* Nothing of the ref is inside the array. */
static void make_empty(tg_ref *ref, int rank)
{
    ref->is_inside = false;
    ref->is_nothing = true;
    ref->origin = 0;
    for (int d = 0; d < rank; d++) ref->low[d] = ref->high[d] = 0;
}

static void start_block(tg_machine *m, uint32_t p, const int64_t *index)
{
    const tg_param *param = &m->launch->plan->kernel->params[p];
    const tg_buffer *buffer = &m->launch->buffers[p];
    tg_ref *ref = &m->refs[p];
    bool is_outside = false;
    int rank = 0;
    ref->data = buffer->data;
    ref->origin = 0;
    ref->is_inside = true;
    ref->is_nothing = false;
    ref->through = NULL;
    for (int d = 0; d < param->array.rank; d++) {
        const tg_block_dim *dim = &param->block[d];
        int64_t extent = param->array.shape[d], start = block_start(index[d], dim);
        if (tg_setting_clamps(&m->launch->setting)) start = clamp_start(start, dim, extent);
        if (start < -dim->pad_low || start >= extent + dim->pad_high) {
            if (!is_outside) report_block(m, param, d, index[d], start);
            is_outside = true;
            start = 0;
        }
        ref->origin += start * buffer->stride[d];
        if (dim->kind != TG_BLOCK_SQUEEZED)
            set_dim(ref, rank++, start, dim->size, extent, buffer->stride[d]);
    }
    if (is_outside) make_empty(ref, rank);
}

static void start_whole(tg_machine *m, uint32_t p)
{
    const tg_launch *launch = m->launch;
    const tg_param *param = &launch->plan->kernel->params[p];
    tg_ref *ref = &m->refs[p];
    ref->data = tg_machine_memory(m, p);
    ref->origin = 0;
    ref->is_inside = true;
    for (int d = 0; d < param->array.rank; d++)
        set_dim(ref, d, 0, param->array.shape[d], param->array.shape[d],
                launch->buffers[p].stride[d]);
}

/* Far enough from the ends of the range that no sum below overflows. */
static int64_t bounded(int64_t index)
{
    const int64_t most = INT64_MAX / 8;
    return index > most ? most : index < -most ? -most : index;
}

static void find_index(tg_machine *m, uint32_t p, int64_t *index)
{
    const tg_mapping *map = &m->launch->plan->mappings[p];
    int rank = m->launch->plan->kernel->params[p].array.rank;
    if (!map->is_affine) {
        tg_exec_map(m, &map->code, &m->launch->maps[p]);
        TG_DETECT(m, mapped, m, p)
        for (int d = 0; d < rank; d++) index[d] = bounded(tg_operand_int(m, &map->index[d]));
        return;
    }
    for (int d = 0; d < rank; d++) {
        index[d] = map->base[d];
        for (int a = 0; a < m->launch->axis_count; a++)
            index[d] += map->factor[d][a] * m->program[a];
    }
}

void tg_ref_start(tg_machine *m, uint32_t p)
{
    int64_t index[TG_MAX_RANK] = {0};
    if (!m->launch->plan->kernel->params[p].has_block) {
        start_whole(m, p);
        return;
    }
    find_index(m, p, index);
    start_block(m, p, index);
    tg_ahead_note(m, p);
}

/* ---- views and scopes ---- */

/* A view outside its ref is reported here, once; what of it lies outside is then undefined. */
void tg_exec_view(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_view *view = inst->as.view;
    tg_ref *ref = &m->refs[view->out];
    tg_box box;
    tg_box_of(m, &view->access, &box);
    if (!box.is_legal) tg_report_access(m, inst, &view->access, box.bad_dim, box.bad_index);
    *ref = (tg_ref){.data = box.data,
                    .origin = box.origin,
                    .is_inside = box.is_inside,
                    .through = m->refs[view->access.ref].through};
    for (int d = 0; d < view->access.result.rank; d++) {
        ref->shape[d] = box.shape[d];
        ref->stride[d] = box.stride[d];
        ref->low[d] = box.low[d];
        ref->high[d] = box.high[d];
    }
    ref->is_nothing = view->access.result.rank == 0 && box.low[0] == box.high[0];
}

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Dimension d of `ref` from `start` on, `count` of it; both lie inside. */
static void take_part(tg_ref *ref, int d, int64_t start, int64_t count)
{
    ref->origin += start * ref->stride[d];
    ref->low[d] = within(ref->low[d] - start, 0, count);
    ref->high[d] = within(ref->high[d] - start, ref->low[d], count);
    ref->shape[d] = count;
}

static void report_part(tg_machine *m, const tg_inst *inst, int d, int64_t start, int64_t count)
{
    const struct tg_inst_part *part = inst->as.part;
    const tg_param *param =
        part->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[part->root];
    tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, inst, param,
                     "%s takes %" PRId64 " elements from %" PRId64
                     " on of dimension %d of %s, which has %" PRId64
                     ", and may take at most %" PRId64,
                     tg_ops[inst->op].name, count, start, d, param ? param->name : "a scoped ref",
                     m->refs[part->from].shape[d], part->type.shape[d]);
}

void tg_exec_part(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_part *part = inst->as.part;
    bool is_reported = false;
    tg_ref ref = m->refs[part->from];
    for (int d = 0; d < part->type.rank; d++) {
        int64_t start = tg_operand_int(m, &part->starts[d]),
                count = tg_operand_int(m, &part->sizes[d]);
        int64_t end = ref.shape[d] + part->beyond[d], most = part->type.shape[d];
        bool fits =
            start >= 0 && start <= end && count >= 0 && count <= most && count <= end - start;
        if (!fits && !is_reported) report_part(m, inst, d, start, count);
        is_reported |= !fits;
        start = within(start, 0, end);
        count = within(count, 0, most < end - start ? most : end - start);
        if (count < most || start + count > ref.high[d]) ref.is_inside = false;
        take_part(&ref, d, start, count);
    }
    m->refs[part->out] = ref;
}

void tg_exec_scope(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scope *scope = inst->as.scope;
    tg_ref *ref = &m->refs[scope->out];
    int64_t stride[TG_MAX_RANK] = {0};
    tg_dense_strides(scope->type.rank, scope->type.shape, stride);
    ref->data = m->slot[scope->slot];
    ref->origin = 0;
    ref->is_inside = true;
    for (int d = 0; d < scope->type.rank; d++)
        set_dim(ref, d, 0, scope->type.shape[d], scope->type.shape[d], stride[d]);
    tg_launch_fill_memory(m->launch, ref->data, scope->type.dtype,
                          (size_t)tg_type_count(&scope->type));
}
