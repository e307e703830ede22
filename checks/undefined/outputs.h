/* Findings when a run is over: what outputs keep. */
#ifndef TG_CHECKS_UNDEFINED_OUTPUTS_H
#define TG_CHECKS_UNDEFINED_OUTPUTS_H

#include "checks/undefined/shadow.h"

/* The report of the detectors. */
bool tg_undefined_report(void *state, tg_run_end *run);

#endif
