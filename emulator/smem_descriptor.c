#include "emulator/smem_descriptor.h"

enum { UNIT = TG_EMU_SMEM_UNIT, CORE = TG_EMU_SMEM_CORE, ROW_BIT = 7 };

static uint32_t field(uint64_t bits, unsigned first, unsigned count)
{
    return (uint32_t)(bits >> first) & ((1u << count) - 1);
}

/* The swizzle exchanges units within each row of 128 bytes, by the number of the row: bits 4 and up of
 * an address are combined with bits 7 and up. */
static uint32_t swizzled(const tg_emu_smem_descriptor *d, uint32_t address)
{
    const uint32_t row = address >> ROW_BIT & ((1u << d->swizzle_bits) - 1);
    return address ^ row * UNIT;
}

const char *tg_emu_smem_read(uint64_t bits, unsigned version, tg_emu_smem_descriptor *out)
{
    static const struct {
        unsigned code, bits;
    } modes[] = {{0, 0}, {6, 1}, {4, 2}, {2, 3}};
    enum { MODES = sizeof modes / sizeof *modes };
    unsigned mode = 0;
    while (mode < MODES && modes[mode].code != field(bits, 61, 3)) mode++;
    if (mode == MODES) return "the swizzle mode is none of those that are understood";
    *out = (tg_emu_smem_descriptor){field(bits, 0, 14) * UNIT, field(bits, 16, 14) * UNIT,
                                    field(bits, 32, 14) * UNIT, modes[mode].bits};
    if (field(bits, 46, 3) != version) return "bits 46 to 48 are those of another instruction";
    if (field(bits, 14, 2) || field(bits, 30, 2) || field(bits, 52, 9))
        return "a bit is set that has no meaning";
    if (field(bits, 49, 3)) return "a base offset other than 0 is not understood";
    if (swizzled(out, out->start) != out->start)
        return "the pattern of the swizzle does not begin at a multiple of its size";
    return NULL;
}

uint32_t tg_emu_smem_k_major(const tg_emu_smem_descriptor *d, unsigned mn, unsigned unit)
{
    const uint32_t pitch = (uint32_t)UNIT << d->swizzle_bits,
                   across = d->swizzle_bits ? UNIT : d->leading;
    return swizzled(d, d->start + mn % CORE * pitch + mn / CORE * d->stride + unit * across);
}

uint32_t tg_emu_smem_mn_major(const tg_emu_smem_descriptor *d, unsigned unit, unsigned k)
{
    const unsigned row = 1u << d->swizzle_bits; /* units of a row */
    const uint32_t next_units = d->swizzle_bits ? d->leading : d->stride,
                   next_k = d->swizzle_bits ? d->stride : d->leading;
    return swizzled(d, d->start + unit % row * UNIT + unit / row * next_units +
                           k % CORE * row * UNIT + k / CORE * next_k);
}
