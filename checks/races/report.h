/* The report of the race detector: evaluates the access sets at the end of a run. */
#ifndef TG_CHECKS_RACES_REPORT_H
#define TG_CHECKS_RACES_REPORT_H

#include "interp/state/detector.h"

/* tg_detector.report: adds a finding for each pair of source locations that conflict. */
bool tg_races_report(void *state, tg_run_end *run);

#endif
