/* Findings at the end of a run: outputs that keep undefined values. */
#ifndef TG_CHECKS_UNDEFINED_OUTPUTS_H
#define TG_CHECKS_UNDEFINED_OUTPUTS_H

#include "checks/undefined/shadow.h"

/* tg_detector.report. */
bool tg_undefined_report(void *state, tg_run_end *run);

#endif
