#include "emulator/wgmma_read.h"

#include "emulator/find.h"

enum { UNIT = TG_EMU_SMEM_UNIT, ROWS = TG_EMU_WGMMA_ROWS, UNITS = TG_EMU_WGMMA_BYTES / UNIT };

/* A unit of shared memory; NULL after a trap. */
static const unsigned char *find(tg_emu_exec *exec, const tg_emu_wgmma_part *part, uint32_t address)
{
    const bool has_clocks = exec->sync.clocks.rows != NULL;
    const tg_emu_visit visit = {
        .actor = part->actor,
        .step = has_clocks ? tg_emu_clock_step(&exec->sync.clocks, part->actor) : 0,
        .thread = exec->warp->first_tid,
        .inst = (uint32_t)(part->inst - exec->entry->code),
        .touch = TG_EMU_READ,
        .is_copy = true};
    return tg_emu_find_range(exec, part->inst, 0, exec->warp->cta, address, UNIT, &visit);
}

/* Rows first ... first + count - 1 of a K-major matrix. */
static bool read_k_major(tg_emu_exec *exec, const tg_emu_wgmma_part *part,
                         const tg_emu_smem_descriptor *d, unsigned first, unsigned count,
                         unsigned char (*to)[TG_EMU_WGMMA_BYTES])
{
    for (unsigned row = 0; row < count; row++)
        for (unsigned unit = 0; unit < UNITS; unit++) {
            const unsigned char *from = find(exec, part, tg_emu_smem_k_major(d, first + row, unit));
            if (!from) return false;
            memcpy(to[row] + (size_t)unit * UNIT, from, UNIT);
        }
    return true;
}

/* The same of an MN-major matrix, whose elements have 16 bits: of each index of k, units of neighbours along
 * mn. */
static bool read_mn_major(tg_emu_exec *exec, const tg_emu_wgmma_part *part,
                          const tg_emu_smem_descriptor *d, unsigned first, unsigned count,
                          unsigned char (*to)[TG_EMU_WGMMA_BYTES])
{
    enum { BYTES = 2, EACH = UNIT / BYTES };
    for (unsigned k = 0; k < TG_EMU_WGMMA_BYTES / BYTES; k++)
        for (unsigned row = 0; row < count; row += EACH) {
            const unsigned char *from =
                find(exec, part, tg_emu_smem_mn_major(d, (first + row) / EACH, k));
            if (!from) return false;
            for (unsigned i = 0; i < EACH; i++)
                memcpy(to[row + i] + (size_t)k * BYTES, from + (size_t)i * BYTES, BYTES);
        }
    return true;
}

/* A lane (lane = 4 group + place) has the 4 bytes at 4 place of rows `group` and `group` + 8, for the lower
 * half of k, then for the upper one. */
static void take_registers(const tg_emu_wgmma_part *part, unsigned char (*to)[TG_EMU_WGMMA_BYTES])
{
    enum { PLACES = 4, BYTES = 4, HALF = 8 };
    for (unsigned reg = 0; reg < TG_EMU_WGMMA_LHS_REGISTERS; reg++)
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            memcpy(to[lane / PLACES + HALF * (reg % 2)] + lane % PLACES * BYTES +
                       (size_t)reg / 2 * UNIT,
                   &part->registers[reg][lane], BYTES);
}

bool tg_emu_wgmma_read(tg_emu_exec *exec, const tg_emu_wgmma_part *part, tg_emu_wgmma_bytes *out)
{
    const tg_emu_wgmma_form *f = part->inst->data;
    const unsigned first = tg_emu_wgmma_warp_number(exec) % TG_EMU_WARPGROUP * ROWS;
    if (f->in_registers)
        take_registers(part, out->lhs);
    else if (!(f->lhs_mn_major ? read_mn_major : read_k_major)(exec, part, &part->lhs, first, ROWS,
                                                               out->lhs))
        return false;
    return (f->rhs_mn_major ? read_mn_major : read_k_major)(exec, part, &part->rhs, 0, f->columns,
                                                            out->rhs);
}
