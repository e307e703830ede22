/* Finds the params whose memory is read or written. */
#ifndef TG_LOWER_EFFECTS_H
#define TG_LOWER_EFFECTS_H

#include "lower/impl.h"

/* Fills in is_read and is_written of the plan. */
void tg_lower_note_accesses(tg_lowerer *l);

#endif
