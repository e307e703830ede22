/* Reports of runs. */
#include <stdlib.h>

#include "api/api_impl.h"
#include "api/mesh_report.h"
#include "base/text.h"
#include "plan/program_text.h"

void tg_report_free(tg_report *report)
{
    if (!report) return;
    tg_findings_free(&report->findings);
    free(report->result.covered);
    free(report->result.costs);
    free(report->hint);
    tg_report_mesh_free(report->mesh);
    free(report);
}

size_t tg_report_finding_count(const tg_report *report) { return report->findings.count; }

static const char *op_name(const tg_found_place *at)
{
    return at->op == TG_OP_COUNT ? "" : tg_ops[at->op].name;
}

static size_t count_callers(const tg_module *module, uint32_t loc)
{
    size_t count = 0;
    while ((loc = module->locs[loc].caller) != 0) count++;
    return count;
}

/* How many devices have a finding, and the name of the first; "" if the run was not on a mesh. */
static size_t devices_of(const tg_report *report, size_t index, const char **name)
{
    const tg_report_mesh *m = report->mesh;
    const int first = !m || m->is_single ? 0 : m->found_on[index].list[0];
    *name = m ? m->names[first] : "";
    return !m ? 0 : m->is_single ? 1 : m->found_on[index].count;
}

tg_finding tg_report_finding(const tg_report *report, size_t index)
{
    const tg_found *found = &report->findings.list[index];
    const tg_loc *loc = &report->module->locs[found->at.loc];
    const tg_finding_info *info = &tg_finding_infos[found->kind];
    const char *device;
    const size_t devices = devices_of(report, index, &device);
    return (tg_finding){.kind = info->name,
                        .level = tg_level_names[tg_finding_level(found->kind, report->target)],
                        .kernel = report->kernel->name,
                        .op = op_name(&found->at),
                        .param = found->param ? found->param->name : "",
                        .file = loc->file,
                        .function = loc->function,
                        .line = loc->line,
                        .rank = report->kernel->axis_count,
                        .program = found->at.has_program ? found->at.program : NULL,
                        .count = found->count,
                        .message = found->message,
                        .first = found->has_elements ? found->first : -1,
                        .last = found->has_elements ? found->last : -1,
                        .order = found->replay[0] ? found->replay : report->order,
                        .related_count = found->related_count,
                        .hint = found->assumed && report->hint ? report->hint : "",
                        .caller_count = count_callers(report->module, found->at.loc),
                        .device = device,
                        .device_count = devices,
                        .advice = found->advice,
                        .variable = loc->variable};
}

static tg_caller caller_of(const tg_loc *locs, uint32_t loc, size_t index)
{
    const tg_loc *called = &locs[loc];
    for (; index > 0; index--) called = &locs[called->caller];
    const tg_loc *at = &locs[called->caller];
    return (tg_caller){
        .file = at->file, .function = at->function, .line = at->line, .skipped = called->skipped};
}

tg_caller tg_report_caller(const tg_report *report, size_t finding, size_t index)
{
    return caller_of(report->module->locs, report->findings.list[finding].at.loc, index);
}

tg_caller tg_report_related_caller(const tg_report *report, size_t finding, size_t related,
                                   size_t index)
{
    const tg_found *found = &report->findings.list[finding];
    return caller_of(report->module->locs, found->related[related].at.loc, index);
}

tg_related tg_report_related(const tg_report *report, size_t index, size_t related)
{
    const tg_found_related *other = &report->findings.list[index].related[related];
    const tg_loc *loc = &report->module->locs[other->at.loc];
    return (tg_related){.role = other->role,
                        .op = op_name(&other->at),
                        .param = other->param ? other->param->name : "",
                        .file = loc->file,
                        .function = loc->function,
                        .line = loc->line,
                        .program = other->at.has_program ? other->at.program : NULL,
                        .variable = loc->variable,
                        .caller_count = count_callers(report->module, other->at.loc)};
}

char *tg_report_program(const tg_report *report, const int64_t *program)
{
    char name[TG_PROGRAM_TEXT];
    tg_text text = {0};
    tg_text_put(&text, tg_program_print(report->kernel, report->grid, program, name));
    return tg_text_finish(&text);
}

size_t tg_finding_kind_count(void) { return TG_FINDING_KIND_COUNT; }

tg_finding_kind_info tg_finding_kind_get(size_t index)
{
    const tg_finding_info *info = &tg_finding_infos[index];
    return (tg_finding_kind_info){info->name, tg_level_names[info->level[TG_TARGET_ANY]],
                                  info->means};
}

size_t tg_report_output_count(const tg_report *report) { return report->result.covered_count; }

static tg_coverage_part part_of(const tg_written_by *by)
{
    return (tg_coverage_part){
        .count = by->count,
        .first = by->count ? by->first : -1,
        .programs = {by->programs[0], by->programs[1]},
    };
}

tg_output_coverage tg_report_output(const tg_report *report, size_t index)
{
    const tg_covered *covered = &report->result.covered[index];
    const tg_param *param = &report->kernel->params[covered->param];
    return (tg_output_coverage){.name = param->name,
                                .dims = param->array.rank,
                                .shape = param->array.shape,
                                .rank = report->kernel->axis_count,
                                .none = part_of(&covered->by[0]),
                                .one = part_of(&covered->by[1]),
                                .several = part_of(&covered->by[2])};
}

size_t tg_report_memory_cost_count(const tg_report *report) { return report->result.cost_count; }

static tg_report_swizzle swizzle_of(const tg_swizzle *s)
{
    return (tg_report_swizzle){.bits = s->bits, .base = s->base, .shift = s->shift};
}

tg_memory_access_cost tg_report_memory_cost(const tg_report *report, size_t index)
{
    const tg_cost_site *site = &report->result.costs[index];
    const tg_loc *loc = &report->module->locs[site->loc];
    return (tg_memory_access_cost){
        .op = tg_ops[site->op].name,
        .param = site->param == UINT32_MAX ? "" : report->kernel->params[site->param].name,
        .file = loc->file,
        .function = loc->function,
        .line = loc->line,
        .space = site->space == TG_COST_SHARED ? "shared" : "global",
        .warps = site->warps,
        .is_assumed = site->is_assumed,
        .narrowest_bytes = site->narrowest,
        .widest_bytes = site->widest,
        .accesses = site->accesses,
        .instructions = site->instructions,
        .cost = site->cost,
        .least = site->least,
        .used_bytes = site->bytes,
        .worst_cost = site->worst.cost,
        .worst_least = site->worst.least,
        .rank = report->kernel->axis_count,
        .program = site->program,
        .swizzle_bytes = swizzle_of(&site->swizzle.bytes),
        .swizzle_elements = swizzle_of(&site->swizzle.elements),
        .swizzle_after = site->swizzle.after,
        .swizzle_before = site->swizzle.before,
        .swizzle_least = site->swizzle.least};
}

tg_run_stats tg_report_stats(const tg_report *report)
{
    return (tg_run_stats){.programs = report->result.programs,
                          .threads = report->result.threads,
                          .seconds = report->result.seconds,
                          .order = report->order,
                          .isa = report->isa,
                          .profile = report->profile,
                          .backend = report->backend,
                          .instructions = report->result.instructions};
}
