/* Instruction descriptors of tcgen05.mma: 32 bits in a register that say what is multiplied (PTX ISA,
 * "Instruction descriptor"), for products of two dense factors:
 *   4-5    dtype of d: 0 f16, 1 f32, 2 s32
 *   7-9    of a, 10-12 of b, by the kind of the instruction
 *   15     a is MN-major, 16 b is
 *   17-22  n / 8
 *   24-28  m / 16 */
#ifndef TG_EMULATOR_TENSOR_DESCRIPTOR_H
#define TG_EMULATOR_TENSOR_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_emu_tensor_format {
    TG_EMU_TENSOR_OF_F16,
    TG_EMU_TENSOR_OF_BF16,
    TG_EMU_TENSOR_OF_TF32,
    TG_EMU_TENSOR_OF_E4M3,
    TG_EMU_TENSOR_OF_E5M2,
    TG_EMU_TENSOR_OF_U8,
    TG_EMU_TENSOR_OF_S8
} tg_emu_tensor_format;

/* What a tcgen05.mma multiplies. */
typedef enum tg_emu_tensor_product_kind {
    TG_EMU_TENSOR_F16,
    TG_EMU_TENSOR_TF32,
    TG_EMU_TENSOR_F8F6F4,
    TG_EMU_TENSOR_I8,
    TG_EMU_TENSOR_KINDS
} tg_emu_tensor_product_kind;

/* A tcgen05.mma: `factors` and where a is from its operands, the rest from its instruction descriptor but
 * for `accumulates`. */
typedef struct tg_emu_tensor_product {
    uint64_t factors[2]; /* descriptors of shared memory, or of A an address of tensor memory */
    uint32_t m, n;
    uint8_t formats[2]; /* tg_emu_tensor_format of A and B */
    bool is_mn_major[2];
    bool is_a_in_tensor_memory;
    bool accumulates;
} tg_emu_tensor_product;

/* Bytes of an element. */
unsigned tg_emu_tensor_bytes(tg_emu_tensor_format format);

/* Reads the descriptor of an instruction of a kind, with out->is_a_in_tensor_memory set.  Returns NULL, or what
 * is wrong with it. */
const char *tg_emu_tensor_read(uint32_t bits, tg_emu_tensor_product_kind kind,
                               tg_emu_tensor_product *out);

#endif
