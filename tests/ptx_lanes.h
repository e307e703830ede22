/* Lanes in the emulator: operands worth trying, and the comparison with the library's carriers. */
#ifndef TG_TESTS_PTX_LANES_H
#define TG_TESTS_PTX_LANES_H

#include "emulator/emulator.h"
#include "ptx_kernel.h"

/* Runs the lane over `count` elements of arrays of carriers; `out` has 4 or 8 bytes an element.  The seed moves what is
 * approximate.  False where there is no such lane. */
static inline bool ptx_run_seeded(const ptx_lane *lane, size_t count, const void *const *in,
                                  void *out, uint64_t seed)
{
    char *const text = ptx_module(lane);
    if (text == NULL) return false;
    tg_diags diags = {0};
    tg_emu_module *module = NULL;
    tg_emu_memory *const memory = tg_emu_memory_new();
    char name[64];
    ptx_name(lane, name, sizeof name);
    cr_assert_eq(tg_emu_module_load(text, strlen(text), name, &module, &diags), TG_OK, "%s: %s",
                 name, diags.count > 0 ? diags.list[0].message : "");
    struct {
        uint64_t pointer[PTX_MAX_OPERANDS + 1];
    } params = {0};
    unsigned char block[8 * (PTX_MAX_OPERANDS + 2)] = {0};
    const size_t out_bytes = count * (ptx_bytes(lane->result) == 8 ? 8 : 4);
    for (uint32_t k = 0; k < lane->count; k++) {
        const size_t bytes = count * ptx_bytes(lane->in[k]);
        params.pointer[k] = tg_emu_alloc(memory, bytes, 8, "in");
        memcpy(tg_emu_host(memory, params.pointer[k], bytes), in[k], bytes);
    }
    params.pointer[lane->count] = tg_emu_alloc(memory, out_bytes, 8, "out");
    memcpy(block, params.pointer, 8 * (lane->count + 1));
    const uint32_t lanes = (uint32_t)count;
    memcpy(block + 8 * (lane->count + 1), &lanes, sizeof lanes);
    const tg_emu_launch launch = {.grid = {1, 1, 1},
                                  .block = {PTX_THREADS, 1, 1},
                                  .params = block,
                                  .param_bytes = tg_emu_param_bytes(module, 0),
                                  .seed = seed};
    tg_emu_result result = {0};
    cr_assert_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_OK, "%s", name);
    cr_assert(!result.trapped, "%s: line %u: %s", name, result.trap.at.line, result.trap.text);
    memcpy(out, tg_emu_host(memory, params.pointer[lane->count], out_bytes), out_bytes);
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
    free(text);
    return true;
}

static inline bool ptx_run(const ptx_lane *lane, size_t count, const void *const *in, void *out)
{
    return ptx_run_seeded(lane, count, in, out, 0);
}

/* -- operands: codes are elements' bits in memory -- */

enum { PTX_MAX_LANES = 1 << 18 };

typedef struct ptx_codes {
    size_t count;
    uint64_t list[PTX_MAX_LANES];
} ptx_codes;

static inline void ptx_add(ptx_codes *codes, uint64_t code)
{
    cr_assert_lt(codes->count, PTX_MAX_LANES);
    codes->list[codes->count++] = code;
}

/* Leaves every `step`-th one of the codes. */
static inline void ptx_keep_each(ptx_codes *codes, int step)
{
    const size_t all = codes->count;
    codes->count = 0;
    for (size_t k = 0; k < all; k += (size_t)step) codes->list[codes->count++] = codes->list[k];
}

static inline void ptx_add_int_edges(ptx_codes *codes, tg_dtype d)
{
    ptx_add(codes, 0);
    for (int k = 0; k < tg_dtypes[d].bits; k++) {
        const uint64_t power = (uint64_t)1 << k;
        ptx_add(codes, power);
        ptx_add(codes, 0 - power);
        ptx_add(codes, power - 1);
    }
}

/* Mantissas at the ends and in the middle, at exponents where something changes: at the ends, about 1, where
 * units are halves and ones, and where ints of each width end. */
static inline void ptx_add_float_edges(ptx_codes *codes, tg_dtype d)
{
    const tg_dtype_info *const f = &tg_dtypes[d];
    const int top = (1 << f->exp_bits) - 1,
              far[] = {-2, -1, 0, 1, 6, 7, 8, 14, 15, 16, 30, 31, 32, 62, 63, 64};
    const uint64_t ones = ((uint64_t)1 << f->man_bits) - 1,
                   mantissas[] = {0, 1, (ones + 1) / 2, ones};
    for (size_t k = 0; k < sizeof far / sizeof *far + 9; k++) {
        const int ends[] = {0,
                            1,
                            2,
                            top - 2,
                            top - 1,
                            top,
                            f->bias + f->man_bits - 1,
                            f->bias + f->man_bits,
                            f->bias + f->man_bits + 1};
        const int exponent = k < 9 ? ends[k] : f->bias + far[k - 9];
        for (size_t m = 0; exponent <= top && m < 8; m++)
            ptx_add(codes, (uint64_t)(m & 1) << (f->bits - 1) | (uint64_t)exponent << f->man_bits |
                               mantissas[m / 2]);
    }
}

/* All codes of dtypes of up to `all` bits, of wider ones those at edges. */
static inline void ptx_add_edges(ptx_codes *codes, tg_dtype d, int all)
{
    if (tg_dtypes[d].bits <= all)
        for (uint64_t c = 0; c < (uint64_t)1 << tg_dtypes[d].bits; c++) ptx_add(codes, c);
    else if (tg_is_float(d))
        ptx_add_float_edges(codes, d);
    else
        ptx_add_int_edges(codes, d);
}

/* Random codes; of floats one in three near 1, of ints every magnitude. */
static inline void ptx_add_random(ptx_codes *codes, tg_dtype d, uint64_t seed, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t code = random_bits(&seed);
        const tg_dtype_info *const f = &tg_dtypes[d];
        const uint64_t exponents = (((uint64_t)1 << f->exp_bits) - 1) << f->man_bits;
        if (tg_is_float(d) && k % 3 == 0)
            code = (code & ~exponents) | (uint64_t)(f->bias - 3 + (int)(k % 7)) << f->man_bits;
        if (!tg_is_float(d) && k % 3 != 0) code = (uint64_t)((int64_t)code >> code % 61);
        ptx_add(codes, code);
    }
}

/* Carriers of codes, as the library loads them; free() them. */
static inline void *ptx_carriers(tg_dtype d, const ptx_codes *codes)
{
    const size_t bytes = tg_dtypes[d].bytes, count = codes->count;
    unsigned char *const memory = malloc(count * 8), *const carriers = malloc(count * 8);
    for (size_t i = 0; i < count; i++) {
        const uint64_t code = d == TG_DT_bool ? codes->list[i] & 1 : codes->list[i];
        const uint8_t u8 = (uint8_t)code;
        const uint16_t u16 = (uint16_t)code;
        const uint32_t u32 = (uint32_t)code;
        const void *const of[9] = {[1] = &u8, [2] = &u16, [4] = &u32, [8] = &code};
        memcpy(memory + i * bytes, of[bytes], bytes);
    }
    const void *const src[1] = {memory};
    tg_elementwise_fn *const load = tg_elementwise_load(tg_elementwise_get("baseline"), d);
    if (load != NULL)
        load(carriers, src, 0, count, 0);
    else
        memcpy(carriers, memory, count * bytes);
    free(memory);
    return carriers;
}

/* -- comparison -- */

/* A carrier as its register holds it: ints extended to 32 bits. */
static inline uint64_t ptx_canonical(tg_dtype d, const void *carriers, size_t i)
{
    const size_t bytes = ptx_bytes(d);
    uint64_t bits = 0;
    for (size_t k = 0; k < bytes; k++)
        bits |= (uint64_t)((const uint8_t *)carriers)[i * bytes + k] << (8 * k);
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return tg_is_signed(d) && bytes < 4 ? (uint32_t)((bits ^ sign) - sign) : bits;
}

static inline bool ptx_is_nan(tg_dtype d, uint64_t bits)
{
    if (!tg_is_float(d)) return false;
    return ptx_bytes(d) == 8 ? (bits << 1) > (uint64_t)0x7ff << 53
                             : (uint32_t)(bits << 1) > (uint32_t)0xff << 24;
}

/* The lane gives what the library's `expected` carriers hold. */
static inline void ptx_check(const ptx_lane *lane, size_t count, const void *const *in,
                             const void *expected)
{
    const size_t bytes = ptx_bytes(lane->result) == 8 ? 8 : 4;
    unsigned char *const got = malloc(count * bytes);
    cr_assert(ptx_run(lane, count, in, got), "%s %s %s is missing", tg_ops[lane->op].name,
              tg_dtypes[lane->dtype].name, tg_dtypes[lane->second].name);
    for (size_t i = 0; i < count; i++) {
        uint64_t mine = 0, operand[2] = {0, 0};
        for (size_t k = 0; k < bytes; k++) mine |= (uint64_t)got[i * bytes + k] << (8 * k);
        const uint64_t right = ptx_canonical(lane->result, expected, i);
        if (mine == right || (ptx_is_nan(lane->result, mine) && ptx_is_nan(lane->result, right)))
            continue;
        for (uint32_t k = 0; k < lane->count && k < 2; k++)
            operand[k] = ptx_canonical(lane->in[k], in[k], i);
        cr_assert_fail("%s %s %s imm %lld: of %llx, %llx: %llx is right, not %llx",
                       tg_ops[lane->op].name, tg_dtypes[lane->dtype].name,
                       tg_dtypes[lane->second].name, (long long)lane->imm,
                       (unsigned long long)operand[0], (unsigned long long)operand[1],
                       (unsigned long long)right, (unsigned long long)mine);
    }
    free(got);
}

#endif
