#include "interp/exec/block.h"

#include <inttypes.h>

#include "interp/memory/cache_prefetch.h"
#include "interp/exec/exec.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"
#include "plan/program_text.h"

static int64_t round_up(int64_t value, int64_t multiple)
{
    return multiple > 0 ? (value + multiple - 1) / multiple * multiple : value;
}

/* The start to which JAX's interpreter, which pads the array to whole blocks, would move
 * `start`. */
static int64_t clamp_start(int64_t start, const tg_block_dim *dim, int64_t extent)
{
    int64_t low = -dim->pad_low,
            padded = round_up(extent + dim->pad_low + dim->pad_high, dim->size);
    if (start < low) start += padded;
    if (start > padded + low - dim->size) start = padded + low - dim->size;
    return start < low ? low : start;
}

/* The first element of the block in dimension `d`.  Saturates, as index and size come from the
 * user. */
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
                     param->name, index, d,
                     tg_program_print(m->launch->plan->kernel, m->launch->grid, m->program, at),
                     start, tg_type_print(&param->array, type, sizeof type), high);
}

/* Makes a ref no part of which is inside the array. */
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
    ref->recast = NULL;
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
            tg_ref_set_dim(ref, rank++, start, dim->size, extent, buffer->stride[d]);
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
        tg_ref_set_dim(ref, d, 0, param->array.shape[d], param->array.shape[d],
                       launch->buffers[p].stride[d]);
}

/* Clamps the index so that no sum below can overflow. */
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
    tg_prefetch_note(m, p);
}
