#include "interp/memory/cache_prefetch.h"

enum {
    LINE = 64,
    LEAST_BYTES = 16 * LINE, /* smaller blocks arrive soon enough anyway */
    MOST_BYTES = 64 * 1024,  /* larger blocks would evict the data of this program */
    LINES_AT_ONCE = 32       /* with fewer some are not fetched in time; more delay each other */
};

tg_prefetch_block tg_prefetch_of(const tg_launch *launch, uint32_t p)
{
    const tg_prefetch_block none = {0};
    const tg_param *param = &launch->plan->kernel->params[p];
    const int64_t element = (int64_t)tg_dtypes[param->array.dtype].bytes;
    int64_t count = 1, stride[TG_MAX_RANK];
    if (!param->has_block) return none;
    tg_dense_strides(param->array.rank, param->array.shape, stride);
    for (int d = param->array.rank - 1; d >= 0; d--) {
        const tg_block_dim *dim = &param->block[d];
        const int64_t size = dim->kind == TG_BLOCK_SQUEEZED ? 1 : dim->size;
        if (size != 1 && stride[d] != count) return none;
        if (size == 0 || size > MOST_BYTES / element / count) return none;
        count *= size;
    }
    if (count * element < LEAST_BYTES) return none;
    return (tg_prefetch_block){.bytes = (size_t)(count * element), .element = element};
}

void tg_prefetch_note_block(tg_machine *m, uint32_t p)
{
    const tg_prefetch_block block = m->launch->prefetch[p];
    const tg_buffer *buffer = &m->launch->buffers[p];
    tg_prefetch *prefetch = &m->prefetch[p];
    const int64_t origin = m->refs[p].origin, step = origin - prefetch->origin,
                  next = origin + step;
    const bool goes_on = step != 0 && step == prefetch->step;
    prefetch->origin = origin;
    prefetch->step = step;
    prefetch->fetched = prefetch->bytes = 0;
    const int64_t from = next * block.element,
                  last = buffer->count * block.element - (int64_t)block.bytes;
    if (!goes_on || from < 0 || from > last) return;
    prefetch->block = buffer->data + from;
    prefetch->bytes = block.bytes;
    m->prefetch_left = true;
}

void tg_prefetch_lines(tg_machine *m)
{
    const uint32_t params = m->launch->plan->kernel->param_count;
    int lines = LINES_AT_ONCE;
    for (uint32_t p = 0; p < params; p++) {
        tg_prefetch *prefetch = &m->prefetch[p];
        for (; prefetch->fetched < prefetch->bytes; prefetch->fetched += LINE) {
            if (lines-- == 0) return;
            __builtin_prefetch(prefetch->block + prefetch->fetched);
        }
    }
    m->prefetch_left = false;
}
