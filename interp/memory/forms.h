/* Elements as they are in memory, from carriers. */
#ifndef TG_INTERP_MEMORY_FORMS_H
#define TG_INTERP_MEMORY_FORMS_H

#include "interp/state/machine.h"

enum { TG_FORM_CHUNK = 512 }; /* elements converted at a time, in m->strips */

/* Converts up to TG_FORM_CHUNK carriers, `stride` apart; returns the elements, one behind the other.  They
 * are in m->strips, or the carriers themselves if there is nothing to do. */
const unsigned char *tg_memory_form(tg_machine *m, tg_dtype dtype, const unsigned char *from,
                                    int64_t stride, int64_t count);

#endif
