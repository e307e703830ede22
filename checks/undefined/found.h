/* Findings where an element whose shadow is set decides something. */
#ifndef TG_CHECKS_UNDEFINED_FOUND_H
#define TG_CHECKS_UNDEFINED_FOUND_H

#include "checks/undefined/shadow.h"

/* Reports that `word` matters here; `format` says what it belongs to. */
TG_PRINTF(6, 7)
void tg_shadow_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                     const tg_param *param, uint32_t word, const char *format, ...);

/* Reports undefined positions of a load or store of a box, and returns the word of the first
 * one. */
uint32_t tg_shadow_positions(tg_machine *m, const tg_inst *inst, const tg_access_plan *a);
void tg_shadow_bad_mask(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, uint32_t word);
void tg_shadow_bad_position(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                            uint32_t word);

#endif
