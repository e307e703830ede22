#include "interp/memory/last_writer.h"

#include <string.h>

static void look_at_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    tg_last_writer *w = context;
    const int64_t away = w->element - first;
    const bool is_there =
        stride == 0 ? away == 0 : away % stride == 0 && away / stride >= 0 && away / stride < count;
    if (!is_there) return;
    w->inst = w->touch->inst;
    memcpy(w->program, w->touch->program, sizeof w->program);
}

static void touched(void *context, const tg_touch *touch)
{
    tg_last_writer *w = context;
    const tg_param *param = &w->kernel->params[w->param];
    if (touch->param != w->param && (int64_t)touch->param != param->alias) return;
    w->touch = touch;
    tg_touch_runs(touch, tg_dtypes[param->array.dtype].bytes, look_at_run, w);
}

tg_last_writer tg_last_writer_of(const tg_kernel *kernel, uint32_t param, int64_t element)
{
    return (tg_last_writer){.kernel = kernel, .param = param, .element = element};
}

tg_observer tg_last_writer_observer(tg_last_writer *writer)
{
    return (tg_observer){
        .wants = TG_TOUCH_WRITE | TG_TOUCH_ATOMIC, .context = writer, .touched = touched};
}
