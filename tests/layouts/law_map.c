/* Forward, and the bounds of coordinates. */
#include <string.h>

#include "layout/map.h"
#include "layouts/law.h"

static model m;

static bool maps_each(const tg_axe *axe)
{
    const int64_t copies = tg_iters_size(&axe->r);
    for (int64_t x = 0; x < m.size; x++)
        for (int64_t r = 0; r < copies; r++) {
            tg_coordinate at;
            place p;
            tg_axe_map(axe, x, r, &at);
            memcpy(p.at, at.at, sizeof p.at);
            if (!model_has(&m, x, &p)) return false;
        }
    return tg_iters_size(&axe->d) == m.size;
}

/* A layout without copies has one place for each element. */
static bool maps_many(chance *c, tg_axe *axe)
{
    static int64_t out[MODEL_MOST];
    axe->r.count = 0;
    model_of(axe, &m);
    const int64_t first = pick(c, 0, m.size - 1), count = pick(c, 0, m.size - first);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        tg_axe_map_many(axe, (tg_axis)a, first, count, out);
        for (int64_t i = 0; i < count; i++)
            if (out[i] != m.list[first + i].at[a]) return false;
    }
    return true;
}

outcome law_map(chance *c, tg_axe *shown)
{
    random_layout(c, &any_layout, shown);
    model_of(shown, &m);
    return maps_each(shown) && maps_many(c, shown) ? KEPT : BROKEN;
}

outcome law_bounds(chance *c, tg_axe *shown)
{
    wish w = any_layout;
    w.swizzle = false;
    random_layout(c, &w, shown);
    model_of(shown, &m);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        int64_t least = m.list[0].at[a], most = least;
        for (int i = 0; i < m.start[m.size]; i++) {
            if (m.list[i].at[a] < least) least = m.list[i].at[a];
            if (m.list[i].at[a] > most) most = m.list[i].at[a];
        }
        const tg_range range = tg_axe_range(shown, (tg_axis)a);
        if (range.least != least || range.most != most) return BROKEN;
        if (tg_axe_span(shown, (tg_axis)a) != most - least + 1) return BROKEN;
    }
    return KEPT;
}
