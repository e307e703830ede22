/* Whether the text of an op gives the same bits on every GPU. */
#ifndef TG_INLINE_PTX_EXACTNESS_H
#define TG_INLINE_PTX_EXACTNESS_H

#include "ir/ir.h"

/* Sets *line to the text's first line, from 1, with an instruction whose result may be another one on a
 * GPU: an approximation, or a float operation without a rounding, which may be fused with others; 0: all
 * are exact.  The op must have been verified.  Returns TG_OK or TG_ERR_NO_MEMORY. */
tg_status tg_inline_ptx_inexact_line(const tg_kernel *kernel, const tg_op *op, uint32_t *line);

#endif
