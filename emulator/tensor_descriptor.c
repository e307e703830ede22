#include "emulator/tensor_descriptor.h"

#include <stddef.h>

/* By kind: the formats that codes of factors stand for, from 0 on, the code of d's dtype. */
static const struct {
    int first_code, count;
    tg_emu_tensor_format formats[2];
    unsigned d;
} kinds[TG_EMU_TENSOR_KINDS] = {
    [TG_EMU_TENSOR_F16] = {0, 2, {TG_EMU_TENSOR_OF_F16, TG_EMU_TENSOR_OF_BF16}, 1},
    [TG_EMU_TENSOR_TF32] = {2, 1, {TG_EMU_TENSOR_OF_TF32}, 1},
    [TG_EMU_TENSOR_F8F6F4] = {0, 2, {TG_EMU_TENSOR_OF_E4M3, TG_EMU_TENSOR_OF_E5M2}, 1},
    [TG_EMU_TENSOR_I8] = {0, 2, {TG_EMU_TENSOR_OF_U8, TG_EMU_TENSOR_OF_S8}, 2},
};

unsigned tg_emu_tensor_bytes(tg_emu_tensor_format format)
{
    return format == TG_EMU_TENSOR_OF_TF32 ? 4 : format <= TG_EMU_TENSOR_OF_BF16 ? 2 : 1;
}

static unsigned field(uint32_t bits, unsigned first, unsigned count)
{
    return bits >> first & ((1u << count) - 1);
}

static bool read_format(uint32_t bits, unsigned first, unsigned kind, uint8_t *out)
{
    const int code = (int)field(bits, first, 3) - kinds[kind].first_code;
    if (code < 0 || code >= kinds[kind].count) return false;
    *out = (uint8_t)kinds[kind].formats[code];
    return true;
}

/* PTX ISA, "Matrix shape": of integers n is a multiple of 16 from 32 on. */
static const char *check_shape(unsigned kind, uint32_t m, uint32_t n)
{
    const uint32_t step = m == 128 || (kind == TG_EMU_TENSOR_I8 && n > 32) ? 16 : 8;
    if (m != 64 && m != 128) return "m is neither 64 nor 128";
    if (n == 0 || n > 256 || n % step) return "n is not a multiple of 8, or 16, up to 256";
    return NULL;
}

const char *tg_emu_tensor_read(uint32_t bits, tg_emu_tensor_product_kind kind,
                               tg_emu_tensor_product *out)
{
    enum { MEANINGLESS = 1u << 6 | 1u << 23 | 1u << 29 };
    const bool is_a_held = out->is_a_in_tensor_memory;
    if (field(bits, 0, 3)) return "sparse matrices are not understood";
    if (bits & MEANINGLESS) return "a bit is set that has no meaning";
    if (field(bits, 3, 1)) return "saturation is not understood";
    if (field(bits, 13, 2)) return "negated factors are not understood";
    if (field(bits, 30, 2)) return "shifts are those of tcgen05.mma.ws";
    if (field(bits, 4, 2) != kinds[kind].d)
        return field(bits, 4, 2) ? "the sum has a dtype that products of this kind do not have"
                                 : "sums of f16 are not understood";
    if (!read_format(bits, 7, kind, &out->formats[0]) ||
        !read_format(bits, 10, kind, &out->formats[1]))
        return "a factor has a dtype that products of this kind do not have";
    if (kind == TG_EMU_TENSOR_F16 && out->formats[0] != out->formats[1])
        return "one factor is of f16, the other of bf16";
    out->is_mn_major[0] = field(bits, 15, 1);
    out->is_mn_major[1] = field(bits, 16, 1);
    if (kind == TG_EMU_TENSOR_TF32 && (out->is_mn_major[0] || out->is_mn_major[1]))
        return "an MN-major factor of tf32 needs a swizzle that is not understood";
    if (is_a_held && out->is_mn_major[0]) return "a factor in tensor memory is K-major";
    out->n = field(bits, 17, 6) * 8;
    out->m = field(bits, 24, 5) * 16;
    if (is_a_held && out->m != 128) return "a factor in tensor memory with m 64 is not understood";
    return check_shape(kind, out->m, out->n);
}
