/* Kernels whose memory and values are held where their layouts say, instead of in logical order.
 *
 * The rewritten kernel says so itself, in ops that every backend has:
 *
 *   scratch, alloc, scoped   the memory is as long as its layout reaches; each use refers to it by a
 *                            view_layout
 *   input, output            the block is copied to memory of its own when the program begins, and
 *                            uses refer to that; what is written is copied back when the program ends
 *   layout_cast              the value goes to the registers of all threads that hold it, and is read
 *                            from there
 *
 * A kernel whose layouts give each element a place of its own computes the same bits either way. */
#ifndef TG_PHYSICAL_PHYSICAL_H
#define TG_PHYSICAL_PHYSICAL_H

#include "ir/ir.h"

/* Rewrites the kernels of a verified module.  The new module refers to `module` and must not outlive
 * it; kernels, params and locations keep their numbers.
 *
 * TG_ERR_UNSUPPORTED, with the place of the op, for what copies of a block cannot stand for: atomics on
 * it, writes to an input, writes by the other name of its memory, and threads that share it; and for a
 * product whose result is held as its instruction cannot have it.  TG_ERR_NO_MEMORY.  The caller frees
 * *out with tg_module_destroy. */
tg_status tg_physical_new(const tg_module *module, tg_module **out, tg_diags *diags);

#endif
