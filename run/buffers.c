#include "run/buffers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interp/state/fill.h"
#include "ir/tensor.h"

/* Returns the parameter's own memory, filled from `from` unless that is NULL.  Returns NULL if
 * memory runs out. */
static void *own_of(tg_run_context *b, uint32_t p, const void *from)
{
    size_t bytes = tg_tensor_bytes(&b->launch.plan->kernel->params[p].array);
    tg_own_memory *own = &b->own[p];
    if (!own->data) own->data = malloc(bytes ? bytes : 1);
    if (own->data && from && bytes) memcpy(own->data, from, bytes);
    return own->data;
}

static bool is_aligned(const void *data, tg_dtype dtype)
{
    return (uintptr_t)data % tg_dtypes[dtype].bytes == 0;
}

/* The run works on a copy of inputs that it writes, and of inputs that are not aligned to their
 * elements. */
static bool set_input(tg_run_context *b, uint32_t p, void *data)
{
    bool is_written = b->launch.plan->is_written[p];
    bool in_place = !is_written && is_aligned(data, b->launch.plan->kernel->params[p].array.dtype);
    b->launch.buffers[p].data = in_place ? data : own_of(b, p, data);
    return in_place || b->launch.buffers[p].data;
}

/* An output that aliases an input starts with the contents of that input, and shares its memory. */
static bool set_output(tg_run_context *b, uint32_t p, void *const *data)
{
    const tg_plan *plan = b->launch.plan;
    const tg_param *param = &plan->kernel->params[p];
    tg_buffer *buffer = &b->launch.buffers[p];
    b->own[p].goes_back = !is_aligned(data[p], param->array.dtype);
    buffer->data = b->own[p].goes_back ? own_of(b, p, NULL) : data[p];
    if (b->own[p].goes_back && !buffer->data) return false;
    if (param->alias >= 0) {
        size_t bytes = tg_tensor_bytes(&param->array);
        if (bytes && (void *)buffer->data != data[param->alias])
            memmove(buffer->data, data[param->alias], bytes);
        b->launch.buffers[param->alias].data = buffer->data;
    } else if (plan->is_read[p]) {
        tg_launch_fill_memory(&b->launch, buffer->data, param->array.dtype, (size_t)buffer->count);
    }
    return true;
}

static bool is_aliased(const tg_kernel *k, uint32_t input)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input) return true;
    return false;
}

bool tg_buffers_set(tg_run_context *b, void *const *data)
{
    const tg_kernel *k = b->launch.plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_role role = k->params[p].role;
        if (role == TG_ROLE_OUTPUT && !set_output(b, p, data)) return false;
        if ((role == TG_ROLE_INPUT || role == TG_ROLE_PREFETCH) && !is_aliased(k, p) &&
            !set_input(b, p, data[p]))
            return false;
    }
    return true;
}

void tg_buffers_send_back(const tg_run_context *b, void *const *data)
{
    const tg_kernel *k = b->launch.plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        size_t bytes = tg_tensor_bytes(&k->params[p].array);
        if (k->params[p].role == TG_ROLE_OUTPUT && b->own[p].goes_back && bytes)
            memcpy(data[p], b->own[p].data, bytes);
    }
}
