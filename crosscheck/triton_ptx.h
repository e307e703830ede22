/* The PTX that a case has of its kernel (docs/case.md), made by another compiler, beside the interpreter. */
#ifndef TG_CROSSCHECK_TRITON_PTX_H
#define TG_CROSSCHECK_TRITON_PTX_H

#include "api/case.h"
#include "crosscheck/crosscheck.h"

/* Runs the PTX of the case in the emulator, on copies of the inputs, and compares what it leaves there with
 * the outputs of `first`, the interpreter's run.
 *   seed     the emulator's order of CTAs and warps
 *   outputs  equal bit by bit, or WITHIN as far as the case lets its outputs differ from what it
 *            expects.  Memory that the kernel only reads must be as it was
 *   traps    are DIFFERENT, with the line of the kernel's source
 * A case without PTX, and PTX that the emulator does not understand, are REFUSED.  Returns
 * TG_ERR_NO_MEMORY, or TG_OK with what was found. */
tg_status tg_triton_ptx_check(const tg_case *c, uint64_t seed, const tg_case_run *first,
                              tg_cross_outcome *out);

#endif
