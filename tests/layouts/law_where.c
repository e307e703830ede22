/* Backward, and whether elements share places. */
#include <string.h>

#include "layout/where.h"
#include "layouts/law.h"

static model m;

/* Often a place that has an element, or one that is next to it. */
static void random_place(chance *c, place *out)
{
    *out = m.list[pick(c, 0, m.start[m.size] - 1)];
    for (int64_t times = pick(c, 0, 2); times > 0; times--) {
        const tg_axis axes[] = {TG_AXIS_m, TG_AXIS_lane, TG_AXIS_reg, TG_AXIS_line};
        out->at[axes[pick(c, 0, 3)]] += pick(c, -2, 2);
    }
}

outcome law_where(chance *c, tg_axe *shown)
{
    tg_element_list found;
    tg_coordinate at;
    place p;
    wish w = any_layout;
    w.injective = one_in(c, 3);
    random_layout(c, &w, shown);
    model_of(shown, &m);
    random_place(c, &p);
    memcpy(at.at, p.at, sizeof at.at);
    if (tg_axe_where(shown, &at, &found, NULL) != TG_OK) return BROKEN;
    size_t next = 0;
    bool right = true;
    for (int64_t x = 0; x < m.size; x++)
        if (model_has(&m, x, &p)) right = right && next < found.count && found.list[next++] == x;
    right = right && next == found.count;
    tg_element_list_free(&found);
    return right ? KEPT : BROKEN;
}

static bool any_shared(void)
{
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++)
            for (int64_t y = x + 1; y < m.size; y++)
                if (model_has(&m, y, &m.list[i])) return true;
    return false;
}

outcome law_injective(chance *c, tg_axe *shown)
{
    tg_shared_place shared;
    bool injective;
    wish w = any_layout;
    w.most_size = 24;
    w.zero = one_in(c, 4);
    w.injective = one_in(c, 4);
    random_layout(c, &w, shown);
    model_of(shown, &m);
    if (tg_axe_is_injective(shown, &injective, &shared, NULL) != TG_OK) return BROKEN;
    if (injective == any_shared()) return BROKEN;
    if (injective) return KEPT;
    place p;
    memcpy(p.at, shared.at.at, sizeof p.at);
    const int64_t a = shared.element[0], b = shared.element[1];
    return 0 <= a && a < b && b < m.size && model_has(&m, a, &p) && model_has(&m, b, &p) ? KEPT
                                                                                         : BROKEN;
}
