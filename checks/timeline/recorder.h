/* The detector that writes the timeline of a run (checks/timeline/events.h).  It finds nothing. */
#ifndef TG_CHECKS_TIMELINE_RECORDER_H
#define TG_CHECKS_TIMELINE_RECORDER_H

#include "checks/timeline/events.h"

/* For tg_run_settings.detector; `timeline` must outlive it. */
tg_added_detector tg_timeline_detector(tg_timeline *timeline);

#endif
