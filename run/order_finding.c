#include "run/order_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/tensor.h"
#include "plan/program_text.h"

/* Returns the source location and program of the writer; the location of the kernel if no program
 * wrote. */
static tg_found_place place_of(const tg_order_account *a, const tg_last_writer *w)
{
    tg_found_place at = {.op = TG_OP_COUNT, .loc = a->kernel->loc};
    if (!w->inst) return at;
    at = (tg_found_place){.op = w->inst->op, .loc = w->inst->loc, .has_program = true};
    memcpy(at.program, w->program, sizeof at.program);
    return at;
}

static void relate(tg_found *found, const char *role, const tg_param *param,
                   const tg_found_place *at)
{
    found->related[found->related_count++] = (tg_found_related){role, param, *at};
}

static tg_found_place program_of(const tg_order_account *a, int64_t chain)
{
    tg_found_place at = {.op = TG_OP_COUNT, .loc = a->kernel->loc, .has_program = true};
    tg_grid_locate(a->grid, chain, 0, 0, at.program);
    return at;
}

/* Prints what decides the value; "" if only programs that run at the same time show the
 * difference. */
static void explain(const tg_order_account *a, char *out, size_t size)
{
    const int64_t *pair = a->pair;
    char programs[2][TG_PROGRAM_TEXT];
    for (int i = 0; pair && i < 2; i++) {
        const tg_found_place place = program_of(a, pair[i]);
        tg_program_print(a->kernel, a->grid->size, place.program, programs[i]);
    }
    *out = '\0';
    if (a->difference->is_rounding && pair)
        snprintf(out, size,
                 ": by rounding alone, as programs only add to it by atomics; %s and %s "
                 "do so the other way round",
                 programs[1], programs[0]);
    else if (a->difference->is_rounding)
        snprintf(out, size, ": by rounding alone, as programs only add to it by atomics");
    else if (pair)
        snprintf(out, size, ": it is decided by which of the programs %s and %s runs first",
                 programs[1], programs[0]);
}

static void describe(const tg_order_account *a, tg_found *found)
{
    const uint32_t p = a->difference->param;
    const tg_type *type = &found->param->array;
    const size_t at = (size_t)found->first * tg_dtypes[type->dtype].bytes;
    char index[TG_INDEX_TEXT], values[2][TG_ELEMENT_TEXT], order[TG_ORDER_TEXT], why[512];
    tg_order_print(&a->difference->order, order, sizeof order);
    explain(a, why, sizeof why);
    snprintf(found->message, sizeof found->message,
             "%s%s is %s in order sequential, but %s in order %s%s", found->param->name,
             tg_index_print(type, found->first, index),
             tg_element_print(type->dtype, (char *)a->sequential.data[p] + at, values[0]),
             tg_element_print(type->dtype, (char *)a->other.data[p] + at, values[1]), order, why);
}

/* Returns the axes on which two chains differ if none of these axes is declared; otherwise no
 * axes. */
static uint32_t assumed_of(const tg_order_account *a)
{
    int64_t at[TG_MAX_AXES];
    const uint32_t axes = tg_grid_differs(a->grid, tg_grid_locate(a->grid, a->pair[0], 0, 0, at),
                                          tg_grid_locate(a->grid, a->pair[1], 0, 0, at));
    return axes & ~tg_grid_assumed(a->grid, a->kernel) ? 0 : axes;
}

tg_found tg_order_finding(const tg_order_account *a)
{
    const tg_order_difference *d = a->difference;
    tg_found found = {.kind =
                          d->is_rounding ? TG_FINDING_ORDER_ROUNDING : TG_FINDING_ORDER_DEPENDENCE,
                      .param = &a->kernel->params[d->param],
                      .at = place_of(a, &a->sequential.writer),
                      .has_elements = true,
                      .first = d->comparison.first_failing,
                      .last = d->comparison.first_failing,
                      .program_index = INT64_MAX,
                      .count = d->comparison.failing};
    const tg_found_place other = place_of(a, &a->other.writer);
    if (a->other.writer.inst)
        relate(&found, "in the other order last written by", found.param, &other);
    for (int i = 0; a->pair && i < 2; i++) {
        const tg_found_place at = program_of(a, a->pair[i]);
        relate(&found, i ? "then" : "in the other order first", NULL, &at);
    }
    if (a->pair && !d->is_rounding) found.assumed = assumed_of(a);
    tg_order_print(&d->order, found.replay, sizeof found.replay);
    describe(a, &found);
    return found;
}
