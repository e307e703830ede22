/* All detectors, and the names of checks and traps. */
#ifndef TG_CHECKS_CHECKS_H
#define TG_CHECKS_CHECKS_H

#include "interp/state/detector.h"

/* One number per detector, in the order of report/checks.def. */
enum {
#define TG_DETECTOR(id) TG_DETECTOR_NUMBER_##id,
#include "report/checks.def"
    TG_DETECTOR_COUNT
};
#define TG_DETECTOR(id) extern const tg_detector tg_detector_##id;
#include "report/checks.def"
extern const tg_detector *const tg_detectors[TG_DETECTOR_COUNT];

/* Reads "none", "all", or names separated by commas.  Returns TG_ERR_USAGE, with a diagnosis, for
 * any other text. */
tg_status tg_checks_parse(const char *text, unsigned *checks, tg_diags *diags);

/* Returns the check that makes findings of this kind; 0 if every run makes them or there is no such
 * kind. */
unsigned tg_check_of(const char *kind);

/* Reads "none", or "nan" and "inf" separated by commas.  Returns TG_ERR_USAGE, with a diagnosis,
 * for any other text. */
tg_status tg_traps_parse(const char *text, unsigned *traps, tg_diags *diags);

#endif
