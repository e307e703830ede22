#include "checks/undefined/origins.h"

#include <stdio.h>
#include <string.h>

uint32_t tg_trail_origin_of(tg_undefined *all, uint32_t trail)
{
    for (;;) {
        const tg_trail t = tg_trails_get(&all->trails, trail);
        if (tg_trail_is_origin(&t)) return trail;
        trail = t.before;
    }
}

const char *tg_memory_name(const tg_undefined *all, uint32_t param)
{
    return param == UINT32_MAX ? "scoped memory" : all->plan->kernel->params[param].name;
}

/* An input whose memory is an output's too is known by the name of the output. */
static const char *name_of_memory(const tg_undefined *all, uint32_t input)
{
    const tg_kernel *k = all->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input)
            return k->params[p].name;
    return k->params[input].name;
}

char *tg_origin_print(tg_undefined *all, uint32_t trail, char out[TG_ORIGIN_TEXT])
{
    const tg_trail t = tg_trails_get(&all->trails, tg_trail_origin_of(all, trail));
    const char *name = tg_memory_name(all, t.param);
    const char *format = "%s";
    switch (t.kind) {
    case TG_TRAIL_OUTSIDE: format = "what lies outside of %s"; break;
    case TG_TRAIL_SCRATCH: format = "scratch %s, which no program had written"; break;
    case TG_TRAIL_OUTPUT: format = "output %s, which no program had written"; break;
    case TG_TRAIL_INPUT:
        name = name_of_memory(all, t.param);
        format = "%s, which nothing had written before the run";
        break;
    case TG_TRAIL_SCOPED: format = "%s, which no program had written"; break;
    case TG_TRAIL_MASKED: name = "a lane that the mask turns off, without `other`"; break;
    case TG_TRAIL_VALUE: name = "a value that is undefined"; break;
    default: name = "one of many origins, more than are kept apart"; break;
    }
    snprintf(out, TG_ORIGIN_TEXT, format, name);
    return out;
}

uint32_t tg_trail_first_op(tg_undefined *all, uint32_t trail)
{
    uint32_t first = trail;
    for (;;) {
        const tg_trail t = tg_trails_get(&all->trails, trail);
        if (tg_trail_is_origin(&t)) return first;
        if (t.kind == TG_TRAIL_OP) first = trail;
        trail = t.before;
    }
}

uint64_t tg_origin_number(tg_undefined *all, uint32_t trail)
{
    const tg_trail t = tg_trails_get(&all->trails, all->kind == TG_SHADOW_UNDEFINED
                                                       ? tg_trail_origin_of(all, trail)
                                                       : tg_trail_first_op(all, trail));
    uint32_t loc = 0;
    const tg_opcode op = tg_trail_op(&t, &loc);
    return (uint64_t)t.kind | (uint64_t)(t.param & 0xffff) << 8 | (uint64_t)op << 24 |
           (uint64_t)loc << 32;
}

static const char *role_of(const tg_trail *trail, tg_opcode op)
{
    switch (trail->kind) {
    case TG_TRAIL_LOST: return "comes from one of many origins";
    case TG_TRAIL_VALUE: return "comes from an undefined value";
    case TG_TRAIL_SCRATCH:
    case TG_TRAIL_INPUT:
    case TG_TRAIL_OUTPUT: return "comes from memory";
    case TG_TRAIL_OUTSIDE:
    case TG_TRAIL_MASKED:
    case TG_TRAIL_SCOPED: return "comes from";
    default: break;
    }
    if (tg_ops[op].traits & TG_TRAIT_WRITES) return "stored by";
    return tg_ops[op].traits & TG_TRAIT_READS ? "read by" : "computed by";
}

static tg_found_related related_of(const tg_undefined *all, const tg_trail *trail)
{
    const tg_kernel *k = all->plan->kernel;
    uint32_t loc = k->loc;
    const tg_opcode op = tg_trail_op(trail, &loc);
    const bool has_param = tg_trail_is_origin(trail) && trail->param != UINT32_MAX;
    return (tg_found_related){.role = role_of(trail, op),
                              .param = has_param ? &k->params[trail->param] : NULL,
                              .at = {.op = op, .loc = loc}};
}

/* Indices are widened to 64 bits where they are used; this is no op of the source. */
static bool is_widening(const tg_trail *trail, const tg_found *found)
{
    uint32_t loc = 0;
    return trail->kind == TG_TRAIL_OP && tg_trail_op(trail, &loc) == TG_OP_convert &&
           loc == found->at.loc;
}

/* If there are more source locations than a finding has room for, leaves out those in the
 * middle. */
void tg_trail_relate(tg_undefined *all, uint32_t trail, tg_found *found)
{
    enum { FIRST = TG_MOST_RELATED / 2 };
    for (uint32_t number = trail; number;) {
        const tg_trail t = tg_trails_get(&all->trails, number);
        if (found->related_count == TG_MOST_RELATED)
            memmove(&found->related[FIRST], &found->related[FIRST + 1],
                    (size_t)(--found->related_count - FIRST) * sizeof *found->related);
        if (number != trail || !is_widening(&t, found))
            found->related[found->related_count++] = related_of(all, &t);
        number = t.before;
    }
}
