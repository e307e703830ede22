/* What one access of a warp costs: conflicts of banks in shared memory, sectors of global memory.
 *
 * Shared memory has 32 banks of 4-byte words; word w is in bank w mod 32.  An access of v bytes a lane is
 * done in max(1, v / 4) phases, of as many lanes in a row; a phase takes as many wavefronts as there are
 * distinct words in the bank that has most.  (The usual model, and that of Triton, whose number of
 * conflicts is wavefronts / least - 1; hardware may join phases.)
 *
 * Global memory is read by sectors of 32 bytes, 4 of them in a line. */
#ifndef TG_LAYOUT_CONFLICTS_H
#define TG_LAYOUT_CONFLICTS_H

#include <stdint.h>

#include "base/diag.h"

enum {
    TG_LANES = 32,
    TG_BANKS = 32,
    TG_WORD_BYTES = 4,
    TG_SECTOR_BYTES = 32,
    TG_LINE_BYTES = 128,
    TG_MOST_VECTOR_BYTES = 16 /* that an instruction moves for a lane in shared memory */
};

typedef struct tg_warp_access {
    int64_t address[TG_LANES]; /* in bytes, from 0 on; a multiple of `bytes` */
    uint32_t active;           /* bit i: lane i takes part */
    int bytes;                 /* of each lane: 1, 2, 4, 8, 16; in global memory also 32 */
} tg_warp_access;

typedef struct tg_bank_cost {
    int wavefronts;
    int least; /* phases with an active lane: what it takes without conflicts */
} tg_bank_cost;

typedef struct tg_sector_cost {
    int sectors, lines;
    int least; /* sectors that as many bytes fill */
    int bytes; /* distinct ones */
} tg_sector_cost;

/* TG_ERR_INVALID with the lane if an address is negative or not aligned, or for a width that there is
 * not. */
tg_status tg_warp_access_banks(const tg_warp_access *access, tg_bank_cost *out, tg_diags *diags);
tg_status tg_warp_access_sectors(const tg_warp_access *access, tg_sector_cost *out,
                                 tg_diags *diags);

#endif
