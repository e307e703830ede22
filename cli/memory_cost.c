#include "cli/memory_cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/style.h"

static const char *unit_of(const tg_memory_access_cost *c)
{
    return strcmp(c->space, "shared") == 0 ? "wavefronts" : "sectors";
}

/* ---- text ---- */

/* "1 sector", "1,024 wavefronts" */
static void print_count(int64_t count, const char *unit)
{
    char number[TG_NUMBER_TEXT];
    printf("%s %.*s", tg_number_text(count, number), (int)strlen(unit) - (count == 1), unit);
}

static void print_where(const tg_memory_access_cost *c)
{
    printf("  memory cost of %s", c->op);
    fputs(c->param[0] ? " of " : " of scoped memory", stdout);
    tg_put_clean(stdout, c->param);
    if (!c->file[0]) return;
    fputs(" at ", stdout);
    tg_put_clean(stdout, c->file);
    printf(":%" PRId64, c->line);
}

static void print_one(const tg_memory_access_cost *c)
{
    char least[TG_NUMBER_TEXT];
    print_where(c);
    printf(", %s: ", c->space);
    print_count(c->cost, unit_of(c));
    printf(", %s at least (%.1fx); %d", tg_number_text(c->least, least),
           (double)c->cost / (double)c->least, c->narrowest_bytes);
    if (c->widest_bytes > c->narrowest_bytes) printf(" to %d", c->widest_bytes);
    printf(" byte%s a lane\n", c->widest_bytes > 1 ? "s" : "");
}

void tg_cli_print_memory_cost(const tg_report *report)
{
    int64_t warps = 0;
    for (size_t i = 0; i < tg_report_memory_cost_count(report); i++) {
        const tg_memory_access_cost c = tg_report_memory_cost(report, i);
        print_one(&c);
        if (c.is_assumed) warps = c.warps;
    }
    if (warps)
        printf("  assumed: the elements of a block go over the lanes of %" PRId64
               " warp%s in turn\n",
               warps, warps == 1 ? "" : "s");
}

/* ---- JSON ---- */

static void json_three(tg_json_out *json, const char *key, const tg_report_swizzle *s)
{
    if (!s->bits) return;
    tg_emit_open(json, key, '[');
    tg_emit_int(json, NULL, s->bits);
    tg_emit_int(json, NULL, s->base);
    tg_emit_int(json, NULL, s->shift);
    tg_emit_close(json, ']');
}

static void json_swizzle(tg_json_out *json, const tg_memory_access_cost *c)
{
    if (!c->swizzle_bytes.bits) return;
    tg_emit_open(json, "swizzle", '{');
    json_three(json, "bytes", &c->swizzle_bytes);
    json_three(json, "elements", &c->swizzle_elements);
    tg_emit_int(json, "before", c->swizzle_before);
    tg_emit_int(json, "after", c->swizzle_after);
    tg_emit_int(json, "least", c->swizzle_least);
    tg_emit_close(json, '}');
}

static void json_worst(tg_json_out *json, const tg_memory_access_cost *c)
{
    tg_emit_open(json, "worst", '{');
    tg_emit_int(json, "cost", c->worst_cost);
    tg_emit_int(json, "least", c->worst_least);
    tg_cli_json_program(json, c->program, c->rank);
    tg_emit_close(json, '}');
}

static void json_one(tg_json_out *json, const tg_memory_access_cost *c)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "op", c->op);
    tg_emit_text(json, "param", c->param);
    tg_emit_text(json, "file", c->file);
    tg_emit_int(json, "line", c->line);
    tg_emit_text(json, "function", c->function);
    tg_emit_text(json, "space", c->space);
    tg_emit_int(json, "warps", c->warps);
    tg_emit_bool(json, "assumed", c->is_assumed);
    tg_emit_int(json, "narrowest_bytes", c->narrowest_bytes);
    tg_emit_int(json, "widest_bytes", c->widest_bytes);
    tg_emit_int(json, "accesses", c->accesses);
    tg_emit_int(json, "instructions", c->instructions);
    tg_emit_text(json, "unit", unit_of(c));
    tg_emit_int(json, "cost", c->cost);
    tg_emit_int(json, "least", c->least);
    if (strcmp(c->space, "global") == 0) tg_emit_int(json, "used_bytes", c->used_bytes);
    json_worst(json, c);
    json_swizzle(json, c);
    tg_emit_close(json, '}');
}

void tg_cli_json_memory_cost(tg_json_out *json, const tg_report *report)
{
    const size_t count = tg_report_memory_cost_count(report);
    if (!count) return;
    tg_emit_open(json, "memory_cost", '[');
    for (size_t i = 0; i < count; i++) {
        const tg_memory_access_cost c = tg_report_memory_cost(report, i);
        json_one(json, &c);
    }
    tg_emit_close(json, ']');
}
