#include "run/merge.h"

static bool is_race(const tg_found *f)
{
    return f->kind == TG_FINDING_RACE || f->kind == TG_FINDING_RACE_SAME_VALUE;
}

/* Returns the source location of the other side of a race. */
static uint32_t other_loc(const tg_found *f) { return f->related_count ? f->related[0].at.loc : 0; }

/* Races whose only cause is an axis without declared semantics are one finding per parameter. */
static bool is_same_race(const tg_found *a, const tg_found *b)
{
    if (a->assumed && b->assumed) return true;
    const uint32_t here = a->at.loc, there = other_loc(a);
    return (b->at.loc == here && other_loc(b) == there) ||
           (b->at.loc == there && other_loc(b) == here);
}

static bool is_same(const tg_found *a, const tg_found *b)
{
    if (a->param != b->param) return false;
    if (is_race(a) && is_race(b)) return is_same_race(a, b);
    return a->kind == b->kind && a->at.op == b->at.op && a->at.loc == b->at.loc;
}

/* Returns the equal finding among the first `count`. */
static tg_found *find(tg_findings *list, size_t count, const tg_found *found)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(&list->list[i], found)) return &list->list[i];
    return NULL;
}

static bool is_raced_for(const tg_findings *list, const tg_param *param)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_race(&list->list[i]) && list->list[i].param == param) return true;
    return false;
}

static bool is_undefined(const tg_found *f)
{
    return f->kind == TG_FINDING_UNDEFINED_OUTPUT || f->kind == TG_FINDING_UNDEFINED_CONDITION ||
           f->kind == TG_FINDING_UNDEFINED_ADDRESS;
}

/* Returns whether the finding is about values that a program read too early from memory for which
 * several programs race. */
static bool follows_from_race(const tg_findings *list, const tg_found *found)
{
    for (uint32_t i = 0; is_undefined(found) && i < found->related_count; i++)
        if (found->related[i].param && is_raced_for(list, found->related[i].param)) return true;
    return false;
}

void tg_findings_merge(tg_findings *into, const tg_findings *from, const tg_order *order)
{
    const size_t before = into->count;
    for (size_t i = 0; i < from->count; i++) {
        tg_found found = from->list[i];
        tg_found *known = find(into, before, &found);
        tg_order_print(order, found.replay, sizeof found.replay);
        if (!known && !follows_from_race(into, &found))
            tg_findings_add(into, &found);
        else if (known && found.kind == TG_FINDING_RACE &&
                 known->kind == TG_FINDING_RACE_SAME_VALUE)
            *known = found;
    }
}
