/* Descriptors of matrices in shared memory: where they say that units lie, against addresses worked out from the
 * pictures of the PTX ISA, and what is wrong with some. */
#include <criterion/criterion.h>
#include <string.h>

#include "emulator/smem_descriptor.h"

enum { NONE = 0, B128 = 2, B64 = 4, B32 = 6 };

static uint64_t bits_of(unsigned start, unsigned leading, unsigned stride, unsigned mode)
{
    return (uint64_t)(start / 16) | (uint64_t)(leading / 16) << 16 | (uint64_t)(stride / 16) << 32 |
           (uint64_t)mode << 61;
}

static tg_emu_smem_descriptor read(uint64_t bits)
{
    tg_emu_smem_descriptor d;
    const char *wrong = tg_emu_smem_read(bits, 0, &d);
    cr_assert_null(wrong, "%s", wrong);
    return d;
}

typedef struct place {
    unsigned mode, a, b, address;
} place;

/* Descriptors of start 4096, leading 512 and stride 2048. */
Test(smem_descriptor, k_major)
{
    static const place cases[] = {
        {NONE, 0, 0, 4096}, {NONE, 3, 0, 4144}, {NONE, 3, 1, 4656}, {NONE, 9, 1, 6672},
        {B32, 1, 1, 4144},  {B32, 4, 0, 4240},  {B32, 5, 1, 4256},  {B32, 12, 1, 6272},
        {B64, 1, 3, 4208},  {B64, 2, 0, 4240},  {B64, 7, 1, 4576},  {B64, 15, 0, 6640},
        {B128, 0, 7, 4208}, {B128, 1, 0, 4240}, {B128, 7, 7, 4992}, {B128, 13, 2, 6896},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tg_emu_smem_descriptor d = read(bits_of(4096, 512, 2048, cases[i].mode));
        cr_expect_eq(tg_emu_smem_k_major(&d, cases[i].a, cases[i].b), cases[i].address,
                     "case %zu: %u", i, tg_emu_smem_k_major(&d, cases[i].a, cases[i].b));
    }
}

/* Pairs of a unit along mn and a row along k. */
Test(smem_descriptor, mn_major)
{
    static const place cases[] = {
        {NONE, 0, 5, 4176}, {NONE, 2, 5, 8272},  {NONE, 2, 13, 8784}, {B32, 1, 0, 4112},
        {B32, 2, 0, 4608},  {B32, 3, 4, 4736},   {B32, 0, 8, 6144},   {B64, 3, 1, 4208},
        {B64, 5, 2, 4736},  {B64, 4, 9, 6720},   {B128, 7, 0, 4208},  {B128, 8, 0, 4672},
        {B128, 0, 3, 4528}, {B128, 9, 15, 7584},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tg_emu_smem_descriptor d = read(bits_of(4096, 512, 2048, cases[i].mode));
        cr_expect_eq(tg_emu_smem_mn_major(&d, cases[i].a, cases[i].b), cases[i].address,
                     "case %zu: %u", i, tg_emu_smem_mn_major(&d, cases[i].a, cases[i].b));
    }
}

/* Within a pattern all units have different addresses, in its own bytes: a permutation. */
Test(smem_descriptor, a_swizzle_permutes)
{
    static const unsigned modes[] = {NONE, B32, B64, B128};
    for (unsigned m = 0; m < 4; m++) {
        const tg_emu_smem_descriptor d = read(bits_of(2048, 128, 1024, modes[m]));
        bool seen[64] = {false};
        for (unsigned mn = 0; mn < 8; mn++)
            for (unsigned unit = 0; unit < 1u << m; unit++) {
                const uint32_t at = (tg_emu_smem_k_major(&d, mn, unit) - 2048) / 16;
                cr_assert_lt(at, 8u << m);
                cr_expect_not(seen[at], "mode %u, row %u, unit %u", m, mn, unit);
                seen[at] = true;
            }
    }
}

Test(smem_descriptor, what_is_wrong)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        {UINT64_C(1) << 61, "the swizzle mode"}, {UINT64_C(7) << 61, "the swizzle mode"},
        {UINT64_C(1) << 46, "bits 46 to 48"},    {UINT64_C(1) << 14, "no meaning"},
        {UINT64_C(1) << 31, "no meaning"},       {UINT64_C(1) << 60, "no meaning"},
        {UINT64_C(2) << 49, "base offset"},
    };
    tg_emu_smem_descriptor d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = tg_emu_smem_read(cases[i].bits, 0, &d);
        cr_assert_not_null(wrong, "case %zu", i);
        cr_expect_not_null(strstr(wrong, cases[i].text), "case %zu: %s", i, wrong);
    }
    cr_expect_null(tg_emu_smem_read(UINT64_C(1) << 46, 1, &d));
    cr_expect_not_null(tg_emu_smem_read(bits_of(128, 0, 0, B32), 0, &d));
    cr_expect_not_null(tg_emu_smem_read(bits_of(512, 0, 0, B128), 0, &d));
    cr_expect_null(tg_emu_smem_read(bits_of(1024 + 32, 0, 0, B128), 0, &d));
    cr_expect_null(tg_emu_smem_read(bits_of(512, 0, 0, B64), 0, &d));
}
