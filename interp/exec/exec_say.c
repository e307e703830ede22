/* Instructions with output: debug_print, and checks in the kernel, which make findings. */
#include "interp/state/handlers.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"

#include <stdlib.h>

#include "report/print.h"

static tg_view printed_view(const void *context, const struct tg_inst_print *print, uint32_t i)
{
    const tg_machine *m = context;
    return tg_operand_view(m, &print->in[i]);
}

void tg_exec_print(tg_machine *m, const tg_inst *inst)
{
    if (!m->launch->print) return;
    char *text = tg_print_values(inst->as.print, printed_view, m, "\n");
    pthread_mutex_lock(&m->launch->atomics); /* one call at a time */
    m->launch->print(m->launch->print_context, text ? text : "(out of memory)\n");
    pthread_mutex_unlock(&m->launch->atomics);
    free(text);
}

void tg_exec_check(tg_machine *m, const tg_inst *inst)
{
    if (tg_operand_int(m, &inst->as.print->condition)) return;
    char *text = tg_print_values(inst->as.print, printed_view, m, "");
    tg_machine_found(m, tg_finding_of_check(inst->as.print->source), inst, NULL, "%s",
                     text ? text : "(out of memory)");
    free(text);
}
