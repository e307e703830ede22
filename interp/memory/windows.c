#include "interp/memory/windows.h"

#include <stdlib.h>
#include <string.h>

#include "interp/state/index_walk.h"
#include "ir/tensor.h"

typedef struct window {
    unsigned char *data; /* as large as the array; NULL: the parameter has no window */
    bool is_fetched;
    int64_t origin; /* of the block in the window, in elements */
    int64_t since;  /* index of the program for which it was fetched */
} window;

struct tg_windows {
    window *inputs; /* per parameter */
};

bool tg_param_has_window(const tg_param *param)
{
    static const char *const left[] = {"any", "hbm", "host"};
    if (param->role != TG_ROLE_INPUT && param->role != TG_ROLE_OUTPUT) return false;
    for (size_t i = 0; param->space && i < sizeof left / sizeof *left; i++)
        if (strcmp(param->space, left[i]) == 0) return false;
    return true;
}

static bool needs_window(const tg_kernel *k, uint32_t input)
{
    if (k->params[input].role != TG_ROLE_INPUT || !tg_param_has_window(&k->params[input]))
        return false;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input) return true;
    return false;
}

bool tg_windows_are_needed(const tg_kernel *kernel)
{
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (needs_window(kernel, p)) return true;
    return false;
}

bool tg_windows_init(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    m->windows = calloc(1, sizeof *m->windows);
    if (!m->windows) return false;
    m->windows->inputs = calloc(k->param_count + 1, sizeof *m->windows->inputs);
    for (uint32_t p = 0; m->windows->inputs && p < k->param_count; p++) {
        if (!needs_window(k, p)) continue;
        const size_t bytes = tg_tensor_bytes(&k->params[p].array);
        m->windows->inputs[p].data = malloc(bytes ? bytes : 1);
        if (!m->windows->inputs[p].data) return false;
    }
    return m->windows->inputs != NULL;
}

void tg_windows_free(tg_machine *m)
{
    if (!m->windows) return;
    for (uint32_t p = 0; m->windows->inputs && p < m->launch->plan->kernel->param_count; p++)
        free(m->windows->inputs[p].data);
    free(m->windows->inputs);
    free(m->windows);
}

void tg_windows_begin(tg_machine *m)
{
    for (uint32_t p = 0; p < m->launch->plan->kernel->param_count; p++)
        m->windows->inputs[p].is_fetched = false;
}

/* Copies the elements of the block, row by row. */
static void fetch(window *w, const tg_ref *ref, const tg_type *block)
{
    const size_t bytes = tg_dtypes[block->dtype].bytes;
    const int last = block->rank - 1;
    int64_t first = ref->origin, shape[TG_MAX_RANK] = {0};
    tg_index_walk row;
    if (ref->is_nothing) return;
    for (int d = 0; d < block->rank; d++) {
        first += ref->low[d] * ref->stride[d];
        shape[d] = ref->high[d] - ref->low[d];
        if (shape[d] <= 0) return;
    }
    const int64_t count = block->rank > 0 ? shape[last] : 1;
    const int64_t stride = block->rank > 0 ? ref->stride[last] : 1;
    tg_index_begin(&row, block->rank > 0 ? last : 0, shape);
    do {
        const int64_t at = first + tg_index_offset(&row, ref->stride);
        for (int64_t i = 0; i < count; i++)
            memcpy(w->data + (size_t)(at + i * stride) * bytes,
                   ref->data + (size_t)(at + i * stride) * bytes, bytes);
    } while (tg_index_next(&row));
}

void tg_windows_start(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        window *w = &m->windows->inputs[p];
        tg_ref *ref = &m->refs[p];
        if (!w->data) continue;
        if (!w->is_fetched || w->origin != ref->origin) {
            fetch(w, ref, &k->params[p].ref);
            w->is_fetched = !ref->is_nothing;
            w->origin = ref->origin;
            w->since = m->program_index;
        }
        ref->data = w->data;
    }
}

unsigned char *tg_window_memory(const tg_machine *m, uint32_t param, int64_t *since)
{
    const window *w = m->windows ? &m->windows->inputs[param] : NULL;
    *since = w && w->data ? w->since : INT64_MAX;
    return w && w->data ? w->data : tg_machine_memory(m, param);
}
