/* The record that a debug_print leaves: the index of its instruction in the plan's body and the
 * program index, u64 each; then the operands, row-major, in carriers, each padded to a multiple of
 * 8 bytes. */
#ifndef TG_GPU_BACKEND_TEXT_RECORD_H
#define TG_GPU_BACKEND_TEXT_RECORD_H

#include <stddef.h>

#include "plan/plan.h"

/* Bytes of a record before its operands, and bytes before the first record (ptx.h). */
enum { TG_PTX_RECORD_HEAD = 16, TG_PTX_PRINTS_HEAD = 16 };

/* Bytes of one operand, and of the whole record. */
size_t tg_ptx_printed_bytes(const tg_operand *operand);
size_t tg_ptx_record_bytes(const struct tg_inst_print *print);

#endif
