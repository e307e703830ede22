/* The text of an op as PTX in which $0, $1 ... are the names of registers: `$` is a letter of names
 * there. */
#ifndef TG_INLINE_PTX_BODY_H
#define TG_INLINE_PTX_BODY_H

#include "base/text.h"
#include "inline_ptx/registers.h"

/* Writes declarations of the registers, for a scope that the caller has begun. */
void tg_inline_ptx_declare(const tg_inline_ptx *ptx, tg_text *to);

/* Writes the text, on lines of its own and in a scope of its own.  Before it the caller sets the registers of
 * operands; after it, it finds the results in theirs.  Returns the number of the text's first line in what `to`
 * holds, from 1. */
uint32_t tg_inline_ptx_put(const tg_inline_ptx *ptx, tg_text *to);

#endif
