/* The device of a mesh that a call runs on. */
#ifndef TG_PYTHON_XLA_PLACE_H
#define TG_PYTHON_XLA_PLACE_H

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* Gives the findings of a report the device, if the call has the attributes "mesh", as Tilegrind reads it,
 * and "devices", the ids of its devices by position, "2,0,1,3".  Says nothing if the framework does not
 * tell the device, or the mesh does not have it. */
void tg_place_report(const tg_ffi_frame *frame, tg_report *report);

#endif
