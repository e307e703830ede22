#include "interp/state/found.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tg_found tg_machine_finding(const tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                            const tg_param *param)
{
    tg_found found = {.kind = kind,
                      .param = param,
                      .at = {.op = inst ? inst->op : TG_OP_COUNT,
                             .loc = inst ? inst->loc : m->launch->plan->kernel->loc,
                             .has_program = true},
                      .program_index = m->program_index,
                      .count = 1};
    memcpy(found.at.program, m->program, sizeof found.at.program);
    return found;
}

void tg_machine_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                      const tg_param *param, const char *format, ...)
{
    tg_found found = tg_machine_finding(m, kind, inst, param);
    va_list args;
    va_start(args, format);
    vsnprintf(found.message, sizeof found.message, format, args);
    va_end(args);
    tg_findings_add(m->launch->findings, &found);
}
