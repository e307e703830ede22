/* Threads on other axes. */
#include <string.h>

#include "layout/threads_axes.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static model m, n;

#define BIT(axis) (UINT32_C(1) << TG_AXIS_##axis)

static const tg_axis_set chains[] = {BIT(tx),
                                     BIT(warp) | BIT(lane),
                                     BIT(wgid) | BIT(wid_in_wg) | BIT(lane),
                                     BIT(wgid) | BIT(tid_in_wg),
                                     BIT(lane),
                                     BIT(tid_in_wg),
                                     BIT(wid_in_wg) | BIT(lane),
                                     BIT(warp),
                                     BIT(wgid) | BIT(wid_in_wg)};
enum { CHAINS = sizeof chains / sizeof *chains };

static tg_axis axis_among(chance *c, tg_axis_set set)
{
    for (;;) {
        const int a = (int)pick(c, 0, TG_AXIS_COUNT - 1);
        if (set >> a & 1) return (tg_axis)a;
    }
}

static void random_threads(chance *c, tg_axis_set set, int most, tg_iters *out)
{
    for (int64_t times = pick(c, 0, most); times > 0; times--) {
        const int64_t power = INT64_C(1) << pick(c, 0, 6);
        const int64_t extent = one_in(c, 3) ? pick(c, 1, 5) : INT64_C(1) << pick(c, 0, 3);
        const int64_t stride = one_in(c, 4) ? pick(c, 1, 40) : power;
        if (one_in(c, 4))
            tg_iters_put(out, extent, stride, TG_AXIS_reg);
        else
            tg_iters_put(out, extent, one_in(c, 6) ? -stride : stride, axis_among(c, set));
    }
}

/* The room of each axis, counted by hand. */
static int64_t room_of(int axis)
{
    switch (axis) {
    case TG_AXIS_lane: return 32;
    case TG_AXIS_wid_in_wg: return 4;
    case TG_AXIS_tid_in_wg: return 128;
    default: return INT64_MAX;
    }
}

static bool are_threads(const model *of)
{
    for (int i = 0; i < of->start[of->size]; i++)
        for (int a = TG_AXIS_tx; a <= TG_AXIS_lane; a++)
            if (of->list[i].at[a] < 0 || of->list[i].at[a] >= room_of(a)) return false;
    return true;
}

/* The place with its thread on tx alone. */
static place on_tx(const place *p)
{
    place q = *p;
    q.at[TG_AXIS_tx] += 128 * p->at[TG_AXIS_wgid] + 32 * p->at[TG_AXIS_warp] +
                        32 * p->at[TG_AXIS_wid_in_wg] + p->at[TG_AXIS_tid_in_wg] +
                        p->at[TG_AXIS_lane];
    for (int a = TG_AXIS_wgid; a <= TG_AXIS_lane; a++) q.at[a] = 0;
    return q;
}

static bool have_same_threads(void)
{
    if (m.size != n.size || m.start[m.size] != n.start[n.size]) return false;
    for (int64_t x = 0; x < m.size; x++) {
        if (m.start[x + 1] != n.start[x + 1]) return false;
        for (int i = m.start[x]; i < m.start[x + 1]; i++) {
            const place p = on_tx(&m.list[i]);
            int k = n.start[x];
            for (; k < n.start[x + 1]; k++) {
                const place q = on_tx(&n.list[k]);
                if (place_same(&p, &q)) break;
            }
            if (k == n.start[x + 1]) return false;
        }
    }
    return true;
}

static bool uses_only(const tg_axe *axe, tg_axis_set set)
{
    for (int a = TG_AXIS_tx; a <= TG_AXIS_lane; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (!(set >> a & 1) && (range.least || range.most)) return false;
    }
    return true;
}

/* The thread of a place on the axes of a chain; false if there is no such coordinate. */
static bool on_chain(const place *p, tg_axis_set set, place *out)
{
    *out = on_tx(p);
    int64_t t = out->at[TG_AXIS_tx];
    out->at[TG_AXIS_tx] = 0;
    if (set & BIT(tx)) {
        out->at[TG_AXIS_tx] = t;
        return true;
    }
    if (set & BIT(tid_in_wg)) {
        out->at[TG_AXIS_tid_in_wg] = t % 128;
        t /= 128;
    } else {
        if (!(set & BIT(lane)) && t % 32) return false;
        out->at[TG_AXIS_lane] = t % 32;
        t /= 32;
        if (set & BIT(wid_in_wg)) {
            out->at[TG_AXIS_wid_in_wg] = t % 4;
            t /= 4;
        }
    }
    const int outer = set & BIT(wgid) ? TG_AXIS_wgid : TG_AXIS_warp;
    if (!(set >> outer & 1)) return t == 0;
    out->at[outer] = t;
    return true;
}

/* Without copies: whether some D takes each element to its thread on the chain. */
static bool has_form(tg_axis_set set)
{
    static place by[MODEL_MOST];
    place first;
    for (int64_t x = 0; x < m.size; x++) {
        if (!on_chain(&m.list[x], set, &by[x])) return false;
        if (x == 0) first = by[0];
        for (int a = 0; a < TG_AXIS_COUNT; a++) by[x].at[a] -= first.at[a];
    }
    return is_regular(by, m.size);
}

outcome law_threads(chance *c, tg_axe *shown)
{
    tg_axe out;
    const tg_axis_set from = chains[pick(c, 0, CHAINS - 1)], to = chains[pick(c, 0, CHAINS - 1)];
    tg_axe_begin(shown);
    random_threads(c, from, 4, &shown->d);
    if (one_in(c, 2)) random_threads(c, from, 2, &shown->r);
    while (tg_iters_size(&shown->d) > 256) shown->d.count--;
    while (tg_iters_size(&shown->r) > 16) shown->r.count--;
    for (int a = TG_AXIS_tx; a <= TG_AXIS_lane; a++) { /* mostly from 0 on */
        const tg_range range = tg_axe_range(shown, (tg_axis)a);
        if (range.least < 0 && !one_in(c, 16)) shown->offset[a] -= range.least;
        if (from >> a & 1 && one_in(c, 3)) shown->offset[a] += pick(c, 0, 40);
    }
    model_of(shown, &m);
    const tg_status status = tg_axe_move_threads(shown, to, &out, NULL);
    if (!are_threads(&m)) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (shown->r.count == 0 && has_form(to) != (status == TG_OK)) return BROKEN;
    if (status != TG_OK) return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    if (tg_axe_check(&out, NULL) != TG_OK) return BROKEN;
    model_of(&out, &n);
    return uses_only(&out, to) && are_threads(&n) && have_same_threads() ? KEPT : BROKEN;
}
