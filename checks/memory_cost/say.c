#include "checks/memory_cost/say.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* a / b, with one decimal. */
static void say_ratio(int64_t a, int64_t b, tg_text *out)
{
    const int64_t tenths = (10 * a + b / 2) / b;
    tg_text_add(out, "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
}

static void say_costs(const tg_cost_site *site, const char *name, tg_text *out)
{
    const tg_instruction_cost *w = &site->worst;
    tg_text_add(
        out, "%s of %s takes %d %s where %d would do (", tg_ops[site->op].name, name, w->cost,
        site->space == TG_COST_SHARED ? "wavefronts of shared memory" : "sectors of global memory",
        w->least);
    say_ratio(w->cost, w->least, out);
    tg_text_put(out, "x)");
}

static void say_why(const tg_cost_site *site, tg_text *out)
{
    const tg_instruction_cost *w = &site->worst;
    const int64_t apart = w->byte[1] - w->byte[0], into = w->byte[0] % TG_SECTOR_BYTES;
    if (w->lanes[0] >= 0)
        tg_text_add(out, ": lanes %d and %d are %" PRId64 " bytes apart%s", w->lanes[0],
                    w->lanes[1], apart < 0 ? -apart : apart,
                    site->space == TG_COST_SHARED ? ", in the same bank" : "");
    else if (into)
        tg_text_add(out, ": it begins at byte %" PRId64 " of a sector", into);
    else
        tg_text_put(out, ": lanes in between take no part");
}

static void say_sums(const tg_cost_site *site, tg_text *out)
{
    const bool is_shared = site->space == TG_COST_SHARED;
    if (site->instructions > 1) {
        tg_text_add(out, "; in all %" PRId64 " where %" PRId64 " would do (", site->cost,
                    site->least);
        say_ratio(site->cost, site->least, out);
        tg_text_put(out, "x)");
    }
    if (!is_shared) {
        tg_text_put(out, "; ");
        say_ratio(100 * site->bytes, site->cost * TG_SECTOR_BYTES, out);
        tg_text_put(out, " % of the bytes of its sectors are used");
    }
    tg_text_add(out, "; vectors of %d", site->narrowest);
    if (site->widest > site->narrowest) tg_text_add(out, " to %d", site->widest);
    tg_text_add(out, " byte%s a lane", site->widest > 1 ? "s" : "");
    if (site->is_assumed)
        tg_text_add(out, "; assumed: elements go over the lanes of %" PRId64 " warp%s in turn",
                    site->warps, site->warps == 1 ? "" : "s");
}

static void say_advice(const tg_cost_site *site, const char *name, tg_text *out)
{
    const tg_cost_swizzle *s = &site->swizzle;
    const bool is_cure = s->after == s->least;
    if (!s->bytes.bits) return;
    tg_text_add(out, "a swizzle of %s that would %s it: ", name, is_cure ? "fix" : "lessen");
    if (s->elements.bits)
        tg_text_add(out, "Sw<%d,%d,%d> of its elements, ", s->elements.bits, s->elements.base,
                    s->elements.shift);
    tg_text_add(out,
                "Sw<%d,%d,%d>@byte; the accesses to it, one of each line, take %" PRId64
                " wavefronts then, not %" PRId64,
                s->bytes.bits, s->bytes.base, s->bytes.shift, s->after, s->before);
    if (!is_cure) tg_text_add(out, ", and %" PRId64 " at least", s->least);
}

/* Returns false if memory ran out. */
static bool take(tg_text *text, char *out, size_t size)
{
    const bool is_whole = !text->failed;
    const size_t length = text->length < size ? text->length : size - 1;
    if (length) memcpy(out, text->data, length);
    out[length] = '\0';
    tg_text_drop(text);
    return is_whole;
}

/* The elements of the two lanes, or the first one. */
static void set_elements(const tg_cost_site *site, tg_found *found)
{
    const int64_t a = site->worst.byte[0] / site->element_bytes,
                  b = site->worst.byte[1] / site->element_bytes;
    found->has_elements = true;
    found->first = a < b ? a : b;
    found->last = a < b ? b : a;
}

bool tg_cost_finding(const tg_kernel *kernel, const tg_cost_site *site, tg_found *out)
{
    const tg_param *param = site->param == UINT32_MAX ? NULL : &kernel->params[site->param];
    const char *name = param ? param->name : "scoped memory";
    tg_text text = {0}, advice = {0};
    *out = (tg_found){.kind = TG_FINDING_MEMORY_COST,
                      .param = param,
                      .at = {.op = site->op, .loc = site->loc, .has_program = true},
                      .program_index = site->program_index,
                      .count = site->costly};
    memcpy(out->at.program, site->program, sizeof out->at.program);
    if (param && site->is_row_major) set_elements(site, out);
    say_costs(site, name, &text);
    say_why(site, &text);
    say_sums(site, &text);
    say_advice(site, name, &advice);
    const bool is_whole = take(&text, out->message, sizeof out->message);
    return take(&advice, out->advice, sizeof out->advice) && is_whole;
}
