#include "interp/ahead.h"

enum {
    LINE = 64,
    LEAST_BYTES = 16 * LINE, /* less is there soon enough by itself */
    MOST_BYTES = 64 * 1024,  /* more would push out what this program works on */
    LINES_AT_ONCE = 32       /* fewer leave some over, more wait for one another */
};

size_t tg_ahead_bytes(const tg_launch *launch, uint32_t p)
{
    const tg_param *param = &launch->plan->kernel->params[p];
    const int64_t most = MOST_BYTES / (int64_t)tg_dtypes[param->array.dtype].bytes;
    int64_t count = 1, stride[TG_MAX_RANK];
    if (!param->has_block) return 0;
    tg_dense_strides(param->array.rank, param->array.shape, stride);
    for (int d = param->array.rank - 1; d >= 0; d--) {
        const tg_block_dim *dim = &param->block[d];
        const int64_t size = dim->kind == TG_BLOCK_SQUEEZED ? 1 : dim->size;
        if (size != 1 && stride[d] != count) return 0;
        if (size == 0 || size > most / count) return 0;
        count *= size;
    }
    const size_t bytes = (size_t)count * tg_dtypes[param->array.dtype].bytes;
    return bytes < LEAST_BYTES ? 0 : bytes;
}

void tg_ahead_note(tg_machine *m, uint32_t p)
{
    const size_t bytes = m->launch->ahead_bytes[p];
    if (!bytes) return;
    const tg_buffer *buffer = &m->launch->buffers[p];
    const int64_t size = tg_dtypes[m->launch->plan->kernel->params[p].array.dtype].bytes;
    tg_ahead *ahead = &m->ahead[p];
    const int64_t origin = m->refs[p].origin, step = origin - ahead->origin, next = origin + step;
    const bool goes_on = step != 0 && step == ahead->step;
    ahead->origin = origin;
    ahead->step = step;
    ahead->fetched = ahead->bytes = 0;
    if (!goes_on || next < 0 || next * size > buffer->count * size - (int64_t)bytes) return;
    ahead->block = buffer->data + next * size;
    ahead->bytes = bytes;
    m->ahead_left = true;
}

void tg_ahead_fetch_some(tg_machine *m)
{
    const uint32_t params = m->launch->plan->kernel->param_count;
    int lines = LINES_AT_ONCE;
    for (uint32_t p = 0; p < params; p++) {
        tg_ahead *ahead = &m->ahead[p];
        for (; ahead->fetched < ahead->bytes; ahead->fetched += LINE) {
            if (lines-- == 0) return;
            __builtin_prefetch(ahead->block + ahead->fetched);
        }
    }
    m->ahead_left = false;
}
