/* Canonical form and equality. */
#include <string.h>

#include "layout/canonical.h"
#include "layout/equal.h"
#include "layouts/law.h"

static model m, n;

outcome law_canonical(chance *c, tg_axe *shown)
{
    tg_axe once, twice;
    random_layout(c, &any_layout, shown);
    tg_axe_copy(shown, &once);
    tg_axe_canonize(&once);
    model_of(shown, &m);
    model_of(&once, &n);
    if (!model_same(&m, &n)) return BROKEN;
    tg_axe_copy(&once, &twice);
    tg_axe_canonize(&twice);
    return iters_same(&once.d, &twice.d) && iters_same(&once.r, &twice.r) &&
                   memcmp(once.offset, twice.offset, sizeof once.offset) == 0
               ? KEPT
               : BROKEN;
}

static void split_iter(chance *c, tg_iters *iters)
{
    if (!iters->count) return;
    const int k = (int)pick(c, 0, iters->count - 1);
    const tg_iter it = iters->list[k];
    const int64_t inner = pick(c, 1, it.extent);
    if (it.extent % inner) return;
    for (int i = iters->count; i > k + 1; i--) iters->list[i] = iters->list[i - 1];
    iters->count++;
    iters->list[k] = (tg_iter){it.extent / inner, it.stride * inner, it.axis};
    iters->list[k + 1] = (tg_iter){inner, it.stride, it.axis};
}

/* What often, but not always, leaves the map as it is. */
static void change(chance *c, tg_axe *axe)
{
    tg_iters *r = &axe->r;
    for (int64_t times = pick(c, 1, 3); times > 0; times--) switch (pick(c, 0, 5)) {
        case 0: split_iter(c, &axe->d); break;
        case 1: split_iter(c, r); break;
        case 2: /* another order of the copies */
            if (r->count > 1) {
                const tg_iter first = r->list[0];
                r->list[0] = r->list[r->count - 1];
                r->list[r->count - 1] = first;
            }
            break;
        case 3: /* copies from the other end */
            if (r->count && r->list[0].stride) {
                axe->offset[r->list[0].axis] += (r->list[0].extent - 1) * r->list[0].stride;
                r->list[0].stride = -r->list[0].stride;
            }
            break;
        case 4: /* another swizzle, or none */
            if (one_in(c, 2)) axe->swizzle.bits = 0;
            if (axe->swizzle.bits) axe->swizzle.base = (int)pick(c, 0, 4);
            break;
        default: /* a little longer */
            if (r->count && one_in(c, 4)) r->list[0].extent++;
            break;
        }
}

/* Of the elements that both models have, the first that differs, or -1. */
static int64_t first_difference(void)
{
    const int64_t sizes[] = {m.size, n.size}, size = m.size < n.size ? m.size : n.size;
    m.size = n.size = size;
    const int64_t found = model_difference(&m, &n);
    m.size = sizes[0];
    n.size = sizes[1];
    return found == size ? -1 : found;
}

outcome law_equal(chance *c, tg_axe *shown)
{
    tg_axe other;
    bool equal;
    wish w = any_layout;
    w.most_size = 24;
    random_layout(c, &w, shown);
    if (one_in(c, 8)) {
        random_layout(c, &w, &other);
    } else {
        tg_axe_copy(shown, &other);
        change(c, &other);
    }
    model_of(shown, &m);
    model_of(&other, &n);
    if (tg_axe_equal(shown, &other, &equal, NULL) != TG_OK) return BROKEN;
    int64_t element;
    if (tg_axe_first_difference(shown, &other, &element, NULL) != TG_OK) return BROKEN;
    if (element != first_difference()) return BROKEN;
    return equal == model_same(&m, &n) ? KEPT : BROKEN;
}
