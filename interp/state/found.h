/* Findings of the program in flight. */
#ifndef TG_INTERP_STATE_FOUND_H
#define TG_INTERP_STATE_FOUND_H

#include "interp/state/machine.h"

/* A finding without a message.  `inst`: NULL where it is about no instruction; `param`: NULL where
 * about none. */
tg_found tg_machine_finding(const tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                            const tg_param *param);

/* Reports a finding; the message is a format. */
TG_PRINTF(5, 6)
void tg_machine_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                      const tg_param *param, const char *format, ...);

#endif
