/* PTX text that stands in an op: which registers its operands and results are in.
 *
 * Elements of up to 16 bits share registers of 32 bits, first ones lowest, as long as one instance of
 * the text has several elements.  An element alone in a wider register has zeros above it. */
#ifndef TG_INLINE_PTX_REGISTERS_H
#define TG_INLINE_PTX_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"

enum {
    TG_INLINE_PTX_MOST_REGISTERS = 128,
    TG_INLINE_PTX_MOST_VALUES = 64,
    TG_INLINE_PTX_MOST_PACKED = 64,
    TG_INLINE_PTX_PROBLEM = 240
};

/* A result or an operand. */
typedef struct tg_inline_ptx_value {
    tg_dtype dtype;
    uint32_t first, count; /* its registers */
    uint32_t each;         /* elements in one of them */
} tg_inline_ptx_value;

/* A register; the text calls number k of them $k. */
typedef struct tg_inline_ptx_register {
    uint8_t bits; /* 16, 32 or 64 */
    uint8_t same; /* of an operand: the register that it is one with; else its own number */
} tg_inline_ptx_register;

/* Results first, then operands. */
typedef struct tg_inline_ptx {
    const char *text; /* borrowed */
    uint32_t packed;  /* elements of one instance */
    uint32_t out_count, value_count;
    tg_inline_ptx_value values[TG_INLINE_PTX_MOST_VALUES];
    uint32_t out_register_count, register_count;
    tg_inline_ptx_register registers[TG_INLINE_PTX_MOST_REGISTERS];
} tg_inline_ptx;

/* Reads the attributes of an op inline_ptx.  Returns TG_OK, or TG_ERR_INVALID with what is wrong in
 * `problem`. */
tg_status tg_inline_ptx_read(const tg_kernel *kernel, const tg_op *op, tg_inline_ptx *out,
                             char problem[TG_INLINE_PTX_PROBLEM]);

#endif
