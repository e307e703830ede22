/* Plans of the collectives that move an array from one layout on a mesh to another. */
#include <stdlib.h>

#include "api/errors.h"
#include "api/mesh_layout.h"
#include "api/mesh_layout_impl.h"
#include "layout/mesh/relayout.h"

typedef struct planned_step {
    char *text;
    const char *kind;
    tg_traffic traffic;
} planned_step;

struct tg_mesh_plan {
    size_t count;
    planned_step *steps;
};

/* What both ends of a plan are. */
typedef struct ends {
    tg_mesh meshes[2];
    tg_sharding from, to;
    const tg_shape *shape;
} ends;

static tg_status read_ends(const tg_mesh_layout *from, const tg_mesh_layout *to, ends *out,
                           tg_diags *diags)
{
    out->shape = &from->shape;
    bool same = from->shape.rank == to->shape.rank;
    for (int d = 0; same && d < from->shape.rank; d++)
        same = from->shape.extent[d] == to->shape.extent[d];
    if (!same)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the layouts are of arrays of other shapes");
    TG_TRY(tg_api_mesh_sharding(from, to, &out->meshes[0], &out->from, diags));
    return tg_api_mesh_sharding(to, from, &out->meshes[1], &out->to, diags);
}

static tg_status fill_step(const ends *e, const tg_sharding *before, const tg_collective *step,
                           bool is_moved, int64_t element_bytes, planned_step *out, tg_diags *diags)
{
    tg_text text = {0};
    const tg_mesh *mesh = &e->meshes[is_moved];
    tg_collective_print(mesh, step, &text);
    out->text = tg_text_finish(&text);
    out->kind = tg_collective_names[step->kind];
    if (!out->text) return tg_no_memory(diags);
    return tg_collective_traffic(mesh, &e->meshes[1], before, step, e->shape, element_bytes,
                                 &out->traffic, diags);
}

static tg_status fill_steps(const ends *e, const tg_collectives *list, int64_t element_bytes,
                            tg_mesh_plan *out, tg_diags *diags)
{
    const tg_sharding *before = &e->from;
    bool is_moved = false;
    out->steps = calloc(list->count + 1, sizeof *out->steps);
    if (!out->steps) return tg_no_memory(diags);
    for (size_t i = 0; i < list->count; i++) {
        const tg_collective *step = &list->list[i];
        out->count = i + 1;
        TG_TRY(fill_step(e, before, step, is_moved, element_bytes, &out->steps[i], diags));
        is_moved |= step->other_devices;
        before = &step->after;
    }
    return TG_OK;
}

/* No padding: a whole array has none. */
static tg_status plan(const tg_mesh_layout *from, const tg_mesh_layout *to, int64_t element_bytes,
                      ends *e, tg_mesh_plan *out, tg_diags *diags)
{
    tg_collectives list = {0};
    TG_TRY(read_ends(from, to, e, diags));
    tg_status status = tg_relayout_plan(&e->meshes[0], &e->from, &e->meshes[1], &e->to, e->shape,
                                        false, &list, diags);
    if (status == TG_OK) status = fill_steps(e, &list, element_bytes, out, diags);
    tg_collectives_free(&list);
    return status;
}

tg_status tg_mesh_plan_new(const tg_mesh_layout *from, const tg_mesh_layout *to,
                           int64_t element_bytes, tg_mesh_plan **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    ends *e = calloc(1, sizeof *e);
    *out = calloc(1, sizeof **out);
    const tg_status status =
        e && *out ? plan(from, to, element_bytes, e, *out, diags) : tg_no_memory(diags);
    free(e);
    tg_diags_free(&unwanted);
    if (status == TG_OK) return TG_OK;
    tg_mesh_plan_free(*out);
    *out = NULL;
    return status;
}

void tg_mesh_plan_free(tg_mesh_plan *plan)
{
    for (size_t i = 0; plan && i < plan->count; i++) free(plan->steps[i].text);
    if (plan) free(plan->steps);
    free(plan);
}

size_t tg_mesh_plan_step_count(const tg_mesh_plan *plan) { return plan->count; }

tg_mesh_step tg_mesh_plan_step(const tg_mesh_plan *plan, size_t step)
{
    const planned_step *s = &plan->steps[step];
    return (tg_mesh_step){.kind = s->kind,
                          .text = s->text,
                          .devices = s->traffic.devices,
                          .sent = s->traffic.sent,
                          .ring_link = s->traffic.ring_link,
                          .pair_link = s->traffic.pair_link};
}
