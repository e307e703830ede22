/* Relayouts. */
#include "api/errors.h"
#include "api/layout_impl.h"
#include "layout/relayout/shuffles.h"

/* Elements that move this far, each once: moves are in the order of the elements. */
static int64_t elements_by(const tg_moves *moves, tg_reach reach)
{
    int64_t count = 0, last = -1;
    for (size_t i = 0; i < moves->count; i++) {
        if (moves->list[i].reach != reach || moves->list[i].element == last) continue;
        last = moves->list[i].element;
        count++;
    }
    return count;
}

static int64_t first_by(const tg_moves *moves, tg_reach reach)
{
    for (size_t i = 0; i < moves->count; i++)
        if (moves->list[i].reach == reach) return moves->list[i].element;
    return -1;
}

static void count_moves(const tg_moves *moves, int element_bytes, tg_layout_plan *out)
{
    const size_t *by = moves->by_reach;
    out->kept = (int64_t)by[TG_REACH_NONE];
    out->registers = (int64_t)by[TG_REACH_THREAD];
    out->shuffled = (int64_t)by[TG_REACH_WARP];
    out->shared = (int64_t)by[TG_REACH_BLOCK];
    out->global = (int64_t)by[TG_REACH_GRID];
    out->sent = (int64_t)by[TG_REACH_MESH];
    out->shared_bytes = element_bytes * elements_by(moves, TG_REACH_BLOCK);
    out->global_bytes = element_bytes * elements_by(moves, TG_REACH_GRID);
    out->sent_bytes = element_bytes * out->sent;
    out->element = moves->furthest == TG_REACH_NONE ? -1 : first_by(moves, moves->furthest);
}

static tg_status plan(const tg_axe *from, const tg_axe *to, int element_bytes, tg_layout_plan *out,
                      tg_diags *diags)
{
    tg_moves moves;
    tg_shuffles shuffles;
    *out = (tg_layout_plan){.element = -1};
    if (element_bytes < 1 || element_bytes > 16)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "an element has 1 to 16 bytes, not %d",
                       element_bytes);
    TG_TRY(tg_moves_between(from, to, &moves, diags));
    const tg_status status = tg_shuffles_of(&moves, &shuffles, diags);
    if (status == TG_OK) {
        count_moves(&moves, element_bytes, out);
        out->shuffles = shuffles.count;
        out->least = shuffles.least;
        tg_shuffles_free(&shuffles);
    }
    tg_moves_free(&moves);
    return status;
}

tg_status tg_layout_plan_between(const tg_layout *from, const tg_layout *to, int element_bytes,
                                 tg_layout_plan *out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status =
        plan(&from->axe, &to->axe, element_bytes, out, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}
