/* What the sets of accesses tell when a run is over. */
#ifndef TG_CHECKS_RACES_REPORT_H
#define TG_CHECKS_RACES_REPORT_H

#include "interp/state/detector.h"

/* The detector's report: a finding for each two places of the source that conflict. */
bool tg_races_report(void *state, tg_run_end *run);

#endif
