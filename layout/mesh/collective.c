#include "layout/mesh/collective.h"

#include <stdlib.h>

#include "base/list.h"
#include "layout/mesh/shardy.h"

const char *const tg_collective_names[TG_COLLECTIVE_COUNT] = {
    [TG_ALL_SLICE] = "all_slice",
    [TG_COLLECTIVE_PERMUTE] = "collective_permute",
    [TG_ALL_TO_ALL] = "all_to_all",
    [TG_ALL_GATHER] = "all_gather",
    [TG_ALL_REDUCE] = "all_reduce",
    [TG_REDUCE_SCATTER] = "reduce_scatter",
    [TG_TO_TERMS] = "replicated_to_unreduced"};

tg_collective *tg_collectives_add(tg_collectives *steps, tg_collective_kind kind,
                                  const tg_sharding *after)
{
    if (steps->count == steps->room) {
        tg_collective *grown = tg_list_grow(steps->list, steps->count, &steps->room, sizeof *grown);
        if (!grown) return NULL;
        steps->list = grown;
    }
    tg_collective *step = &steps->list[steps->count++];
    step->kind = kind;
    for (int d = 0; d < after->rank; d++) step->axes[d].count = 0;
    step->group.count = 0;
    step->from = step->to = 0;
    step->other_devices = false;
    tg_sharding_copy(after, &step->after);
    return step;
}

void tg_collectives_free(tg_collectives *steps)
{
    free(steps->list);
    *steps = (tg_collectives){0};
}

int tg_collective_source(const tg_mesh *mesh, const tg_sharding *before, const tg_sharding *after,
                         int position)
{
    tg_parts used, rest_before, rest_after;
    int source = 0;
    for (int d = 0; d < after->rank; d++)
        source += tg_parts_position(mesh, &before->dims[d],
                                    tg_parts_index(mesh, &after->dims[d], position));
    source += tg_parts_position(mesh, &before->unreduced,
                                tg_parts_index(mesh, &after->unreduced, position));
    tg_sharding_used(before, true, &used);
    tg_parts_rest(mesh, &used, &rest_before);
    tg_sharding_used(after, true, &used);
    tg_parts_rest(mesh, &used, &rest_after);
    return source +
           tg_parts_position(mesh, &rest_before, tg_parts_index(mesh, &rest_after, position));
}

void tg_collective_print(const tg_mesh *mesh, const tg_collective *step, tg_text *out)
{
    const tg_collective_kind kind = step->kind;
    tg_text_put(out, tg_collective_names[kind]);
    if (kind == TG_ALL_SLICE || kind == TG_ALL_GATHER || kind == TG_REDUCE_SCATTER)
        for (int d = 0; d < step->after.rank; d++) {
            tg_text_put(out, d ? ", " : " [");
            tg_parts_print(mesh, &step->axes[d], out);
        }
    if (kind == TG_ALL_SLICE || kind == TG_ALL_GATHER || kind == TG_REDUCE_SCATTER)
        tg_text_put(out, step->after.rank ? "]" : " []");
    if (step->group.count) {
        tg_text_put(out, " ");
        tg_parts_print(mesh, &step->group, out);
    }
    if (kind == TG_ALL_TO_ALL) tg_text_add(out, ": %d->%d", step->from, step->to);
    tg_text_put(out, step->other_devices ? " to other devices -> " : " -> ");
    tg_shardy_print_axes(mesh, &step->after, out);
}
