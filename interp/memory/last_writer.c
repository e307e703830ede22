#include "interp/memory/last_writer.h"

#include <string.h>

static void look_at_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    tg_last_writer *w = context;
    const int64_t away = w->element - first;
    const bool is_there =
        stride == 0 ? away == 0 : away % stride == 0 && away / stride >= 0 && away / stride < count;
    if (!is_there) return;
    w->inst = w->event->inst;
    memcpy(w->program, w->event->program, sizeof w->program);
}

static void accessed(void *context, const tg_access_event *event)
{
    tg_last_writer *w = context;
    const tg_param *param = &w->kernel->params[w->param];
    if (event->param != w->param && (int64_t)event->param != param->alias) return;
    w->event = event;
    tg_access_runs(event, tg_dtypes[param->array.dtype].bytes, look_at_run, w);
}

tg_last_writer tg_last_writer_of(const tg_kernel *kernel, uint32_t param, int64_t element)
{
    return (tg_last_writer){.kernel = kernel, .param = param, .element = element};
}

tg_observer tg_last_writer_observer(tg_last_writer *writer)
{
    return (tg_observer){
        .wants = TG_ACCESS_WRITE | TG_ACCESS_ATOMIC, .context = writer, .accessed = accessed};
}
