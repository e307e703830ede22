#include "checks/memory_planes.h"

#include <stdlib.h>

#include "checks/access_box.h"

/* ---- setup and cleanup ---- */

bool tg_memory_planes_init(tg_memory_planes *memory, const tg_kernel *kernel)
{
    *memory = (tg_memory_planes){.kernel = kernel};
    if (pthread_mutex_init(&memory->lock, NULL) != 0) return false;
    memory->plane = calloc(kernel->param_count + 1, sizeof *memory->plane);
    memory->width = calloc(kernel->param_count + 1, sizeof *memory->width);
    if (memory->plane && memory->width) return true;
    tg_memory_planes_free(memory);
    return false;
}

static void clear(tg_memory_planes *memory)
{
    for (uint32_t p = 0; memory->plane && p < memory->kernel->param_count; p++)
        tg_plane_free(&memory->plane[p]);
}

void tg_memory_planes_free(tg_memory_planes *memory)
{
    clear(memory);
    free(memory->plane);
    free(memory->width);
    pthread_mutex_destroy(&memory->lock);
}

static size_t element_bytes(const tg_memory_planes *memory, uint32_t param)
{
    return tg_dtypes[memory->kernel->params[param].array.dtype].bytes;
}

void tg_memory_planes_watch(tg_memory_planes *memory, uint32_t param)
{
    memory->width[tg_param_owner(memory->kernel, param)] = element_bytes(memory, param);
}

void tg_memory_planes_narrow(tg_memory_planes *memory, const tg_plan *plan)
{
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_access_plan *a = tg_inst_accesses(&plan->body.list[i]);
        if (!a || a->root == UINT32_MAX) continue;
        size_t *width = &memory->width[tg_param_owner(memory->kernel, a->root)];
        if (tg_dtypes[a->dtype].bytes < *width) *width = tg_dtypes[a->dtype].bytes;
    }
}

bool tg_memory_planes_begin(tg_memory_planes *memory)
{
    clear(memory);
    for (uint32_t p = 0; p < memory->kernel->param_count; p++) {
        const tg_param *param = &memory->kernel->params[p];
        const size_t width = memory->width[p];
        if (!width) continue;
        const int64_t places =
            tg_type_count(&param->array) * (int64_t)(element_bytes(memory, p) / width);
        if (!tg_plane_init(&memory->plane[p], places, tg_plane_run_of(param, width), 0))
            return false;
    }
    return true;
}

bool tg_memory_planes_are_complete(const tg_memory_planes *memory)
{
    for (uint32_t p = 0; p < memory->kernel->param_count; p++)
        if (memory->plane[p].is_incomplete) return false;
    return true;
}

/* ---- accesses ---- */

int64_t tg_memory_planes_element(const tg_memory_planes *memory, uint32_t param, int64_t place)
{
    const uint32_t owner = tg_param_owner(memory->kernel, param);
    return place / (int64_t)(element_bytes(memory, owner) / memory->width[owner]);
}

/* Context for updating a plane run by run. */
typedef struct passing {
    tg_plane *plane;
    tg_plane_fn *next;
    tg_plane_visitor *visit;
    void *context;
} passing;

static void update_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const passing *p = context;
    tg_plane_update_strided(p->plane, first, stride, count, p->next, p->context);
}

static void visit_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const passing *p = context;
    tg_plane_visit_strided(p->plane, first, stride, count, p->visit, p->context);
}

void tg_memory_planes_update(tg_memory_planes *memory, const tg_access_event *event,
                             tg_plane_fn *next, void *context)
{
    const uint32_t owner = tg_param_owner(memory->kernel, event->param);
    passing p = {.plane = &memory->plane[owner], .next = next, .context = context};
    if (event->width != memory->width[owner]) {
        tg_access_runs(event, memory->width[owner], update_run, &p);
        return;
    }
    const tg_plane_box box = tg_access_box(event);
    tg_plane_update_box(p.plane, &box, next, context);
}

void tg_memory_planes_visit(const tg_memory_planes *memory, const tg_access_event *event,
                            tg_plane_visitor *visit, void *context)
{
    const uint32_t owner = tg_param_owner(memory->kernel, event->param);
    passing p = {.plane = &memory->plane[owner], .visit = visit, .context = context};
    tg_access_runs(event, memory->width[owner], visit_run, &p);
}
