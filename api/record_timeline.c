/* The timeline of a recording, for users. */
#include <stdio.h>

#include "api/record.h"
#include "checks/element_of_byte.h"
#include "interp/state/actors.h"

static const char *const kinds[] = {[TG_TIME_WORK] = "work",
                                    [TG_TIME_WAIT] = "wait",
                                    [TG_TIME_SIGNAL] = "signal",
                                    [TG_TIME_PHASE] = "phase",
                                    [TG_TIME_PRINT] = "print"};

static const char *kind_of(const tg_time_event *e)
{
    if (e->kind != TG_TIME_ASYNC) return kinds[e->kind];
    return e->inst->kind == TG_I_PRODUCT   ? "product"
           : e->inst->kind == TG_I_ARRIVAL ? "arrival"
                                           : "copy";
}

/* Some instructions of a plan come from no op of the kernel. */
static const char *op_of(const tg_inst *inst)
{
    return inst->op < TG_OP_COUNT ? tg_ops[inst->op].name : tg_inst_names[inst->kind];
}

static void print_place(const tg_recording *r, const tg_time_place *place,
                        char out[TG_RECORD_PLACE])
{
    char index[TG_INDEX_TEXT] = "";
    out[0] = '\0';
    if (place->param == UINT32_MAX) return;
    const tg_param *param = &r->kernel->params[place->param];
    if (place->byte >= 0 && param->array.rank)
        tg_element_of_byte(r->kernel, place->param, place->byte, index);
    snprintf(out, TG_RECORD_PLACE, "%.60s%.34s", param->name, index);
}

/* The step at which the event that has ended a wait, or completed a phase, did so. */
static int64_t told_at(const tg_time_event *by, const tg_time_event *told)
{
    const tg_inst *inst = told->inst;
    if (!by) return -1;
    if (by->kind != TG_TIME_ASYNC) return by->begin;
    const bool reads = inst->kind == TG_I_ASYNC_GROUP && inst->as.async_group->reads;
    return reads && by->read >= 0 ? by->read : by->happened;
}

tg_timeline_info tg_recording_timeline(const tg_recording *r)
{
    const tg_timeline *t = r->timeline;
    const bool is_whole = t->left_out == 0;
    return (tg_timeline_info){.event_count = t->count,
                              .steps = t->step,
                              .actors = tg_actor_count(&r->grid),
                              .left_out = t->left_out,
                              .left_since = is_whole ? -1 : t->first_left.begin,
                              .left_program = is_whole ? 0 : t->first_left.program,
                              .left_location = is_whole ? 0 : t->first_left.inst->loc};
}

/* What could have ended a wait has not if another program was faster. */
static int64_t teller_of(const tg_time_event *e)
{
    return e->kind == TG_TIME_WAIT && e->end == TG_TIME_NEVER ? TG_TIME_NONE : e->by;
}

tg_record_event tg_recording_event(const tg_recording *r, size_t index)
{
    const tg_time_event *e = &r->timeline->events[index];
    const int64_t by = teller_of(e);
    tg_record_event out = {.kind = kind_of(e),
                           .op = op_of(e->inst),
                           .location = e->inst->loc,
                           .program = e->program,
                           .chain = e->actor / r->grid.threads,
                           .thread = e->actor % r->grid.threads,
                           .begin = e->begin,
                           .end = e->end,
                           .by = by,
                           .by_step = told_at(tg_timeline_at(r->timeline, by), e),
                           .place_param =
                               e->place.param == UINT32_MAX ? -1 : (int64_t)e->place.param,
                           .owner = e->owner,
                           .number = e->number,
                           .read = e->read,
                           .happened = e->happened,
                           .text = e->text};
    print_place(r, &e->place, out.place);
    print_place(r, &e->source[0], out.source);
    print_place(r, &e->source[1], out.second);
    return out;
}
