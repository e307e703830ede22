/* Findings about the program that a machine runs. */
#ifndef TG_INTERP_STATE_FOUND_H
#define TG_INTERP_STATE_FOUND_H

#include "interp/state/machine.h"

/* Returns a finding without a message.  `inst` is NULL if it is about no instruction, `param` if it
 * is about no parameter. */
tg_found tg_machine_finding(const tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                            const tg_param *param);

/* Adds a finding to those of the launch; the message is a printf format. */
TG_PRINTF(5, 6)
void tg_machine_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                      const tg_param *param, const char *format, ...);

#endif
