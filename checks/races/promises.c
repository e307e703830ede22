#include "checks/races/promises.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "interp/state/actors.h"

/* No atomic, and no op beside threads, has this place. */
static uint64_t place_of_promise(int64_t op) { return UINT64_MAX / 4 * 3 - (uint64_t)op; }

static uint64_t key_of(const tg_races *races, int64_t op, int64_t thread)
{
    return (uint64_t)(op * races->grid.threads + thread % races->grid.threads);
}

static bool add(tg_races *races, tg_race_promise new)
{
    tg_race_promise *list =
        tg_list_grow(races->promises, races->promise_count, &races->promise_room, sizeof *list);
    if (!list) return false;
    races->promises = list;
    list[races->promise_count++] = new;
    return true;
}

void tg_race_promised(tg_races *races, int64_t op, int64_t waiter, bool may_follow)
{
    const uint64_t key = key_of(races, op, waiter);
    const uint32_t epoch = tg_sync_epoch(&races->sync, waiter);
    if (tg_number_map_get(&races->promised, key) != UINT32_MAX) return;
    if (!tg_number_map_put(&races->promised, key, epoch) ||
        (may_follow && !add(races, (tg_race_promise){op, waiter, epoch})))
        races->is_incomplete = true;
    tg_sync_release(&races->sync, place_of_promise(op), waiter);
}

/* Of each pair of ops the one with the lowest programs, so that it is the same in every order. */
static bool is_before(const tg_race_reliance *a, const tg_race_reliance *b)
{
    return a->access.program != b->access.program ? a->access.program < b->access.program
                                                  : a->done.program < b->done.program;
}

static void note(tg_races *races, const tg_race_reliance *new)
{
    for (size_t i = 0; i < races->reliance_count; i++) {
        tg_race_reliance *old = &races->reliances[i];
        if (old->access.site != new->access.site || old->done.site != new->done.site ||
            old->param != new->param)
            continue;
        if (is_before(new, old)) *old = *new;
        return;
    }
    tg_race_reliance *list =
        tg_list_grow(races->reliances, races->reliance_count, &races->reliance_room, sizeof *list);
    if (!list) {
        races->is_incomplete = true;
        return;
    }
    races->reliances = list;
    list[races->reliance_count++] = *new;
}

static bool knows_of(tg_races *races, int64_t actor, int64_t waiter, uint32_t epoch)
{
    return waiter == actor || tg_sync_knows(&races->sync, actor, waiter, epoch);
}

/* Whether who accesses knows of such a wait, for the op itself or for one that comes behind it. */
static bool knows_of_promise(tg_races *races, const tg_race_access *access,
                             const tg_race_access *done)
{
    const int64_t threads = races->grid.threads,
                  first = tg_actor_chain(done->actor, &races->grid) * threads;
    for (int64_t waiter = first; waiter < first + threads; waiter++) {
        const uint64_t key = key_of(races, done->actor, waiter);
        const uint32_t epoch = tg_number_map_get(&races->promised, key);
        if (epoch != UINT32_MAX && knows_of(races, access->actor, waiter, epoch)) return true;
    }
    for (size_t i = 0; i < races->promise_count; i++) {
        const tg_race_promise *p = &races->promises[i];
        if (knows_of(races, access->actor, p->waiter, p->epoch) &&
            tg_sync_knows(&races->sync, p->op, done->actor, done->epoch))
            return true;
    }
    return false;
}

bool tg_race_relies_on_promise(tg_races *races, const tg_race_access *access,
                               const tg_race_access *done)
{
    const int64_t actors = tg_actor_count(&races->grid);
    const bool is_found_in_flight = /* see in_flight.c */
        tg_actor_starter(access->actor, actors) == tg_actor_starter(done->actor, actors) &&
        tg_actor_numbers_get(&races->elsewhere, done->actor) == UINT32_MAX;
    if (is_found_in_flight || !tg_sites_conflict(races->plan, done->site, access->site, true))
        return false;
    if (!knows_of_promise(races, access, done)) return false;
    note(races, &(tg_race_reliance){*access, *done, races->event->param});
    return true;
}

static tg_found_place place_of(const tg_races *races, const tg_race_access *access)
{
    const tg_inst *inst = tg_race_inst(races->plan, access->site);
    tg_found_place at = {.op = inst->op, .loc = inst->loc, .has_program = true};
    tg_grid_coordinates(&races->grid, access->program, at.program);
    return at;
}

void tg_race_promises_report(const tg_races *races, tg_findings *findings)
{
    for (size_t i = 0; i < races->reliance_count; i++) {
        const tg_race_reliance *r = &races->reliances[i];
        tg_found found = {.kind = TG_FINDING_WAIT_ONLY_PROMISED,
                          .param = &races->plan->kernel->params[r->param],
                          .at = place_of(races, &r->access),
                          .program_index = r->access.program,
                          .count = 1,
                          .other = r->done.site,
                          .related_count = 1};
        found.related[0] = (tg_found_related){.role = "the product was started by",
                                              .param = found.param,
                                              .at = place_of(races, &r->done)};
        snprintf(found.message, sizeof found.message,
                 "%s uses %s, which a product of another thread may still use: no wait but one "
                 "that is only promised has made sure of it",
                 tg_ops[found.at.op].name, found.param->name);
        tg_findings_add(findings, &found);
    }
}

void tg_race_promises_free(tg_races *races)
{
    free(races->reliances);
    races->reliances = NULL;
    races->reliance_count = races->reliance_room = 0;
    free(races->promises);
    races->promises = NULL;
    races->promise_count = races->promise_room = 0;
    tg_number_map_free(&races->promised);
}
