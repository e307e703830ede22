/* A tensor in the registers of warps, and its places in memory: the accesses that move it. */
#ifndef TG_LAYOUT_PLACEMENT_H
#define TG_LAYOUT_PLACEMENT_H

#include "layout/axe.h"
#include "layout/conflicts.h"

/* Where, in bytes, the element is that a register of a lane of a warp holds: at
 * (warp * registers + reg) * TG_LANES + lane; -1 if it holds none. */
typedef struct tg_placement {
    int64_t warps, registers;
    int element_bytes;
    int64_t *byte;
} tg_placement;

/* `registers` takes an element to lane (or tx, tid_in_wg), reg (or, if that is not used, m), and
 * other thread axes, of which each coordinate is a warp.  `memory` takes it to m, in elements, or
 * to byte, in one copy.
 *
 * TG_ERR_INVALID if one layout has more elements than the other, if a register holds two elements,
 * or for an address below 0; TG_ERR_UNSUPPORTED for other axes, a swizzle of registers, or more
 * than TG_AXE_MOST_POINTS registers; TG_ERR_NO_MEMORY.  The caller frees `out`. */
tg_status tg_placement_of(const tg_axe *registers, const tg_axe *memory, int element_bytes,
                          tg_placement *out, tg_diags *diags);

/* Room for a placement without elements.  The same errors. */
tg_status tg_placement_begin(int64_t warps, int64_t registers, int element_bytes, tg_placement *out,
                             tg_diags *diags);

void tg_placement_free(tg_placement *placement);

/* Sorts the registers by the address that they have in the first lane, and leaves out those whose
 * addresses another one has in all lanes: as a compiler may order them.  TG_ERR_NO_MEMORY. */
tg_status tg_placement_sort(tg_placement *placement, tg_diags *diags);

/* The widest access, in bytes: registers in a row that, in all lanes, are in a row in memory, at a
 * multiple of the width.  A power of two times the size of an element, at most `most`; at least one
 * element. */
int tg_placement_vector(const tg_placement *placement, int most);

/* The access of `bytes` a lane from register `reg` on.  A lane takes part if it has all
 * elements. */
void tg_placement_access(const tg_placement *placement, int64_t warp, int64_t reg, int bytes,
                         tg_warp_access *out);

/* All accesses of one width. */
typedef struct tg_conflicts {
    int bytes;                     /* a lane, an access */
    int64_t accesses;              /* with an active lane */
    int64_t wavefronts, least;     /* sums */
    int worst;                     /* wavefronts of one access */
    int64_t worst_warp, worst_reg; /* the first such */
} tg_conflicts;

typedef struct tg_sectors {
    int bytes;
    int64_t accesses, sectors, lines, least;
    int64_t distinct_bytes; /* within each access */
} tg_sectors;

/* In shared memory, and in global memory.  `bytes` 0: the widest that fits.  TG_ERR_INVALID for a
 * width that is no multiple of the element, or that the addresses do not allow. */
tg_status tg_placement_conflicts(const tg_placement *placement, int bytes, tg_conflicts *out,
                                 tg_diags *diags);
tg_status tg_placement_sectors(const tg_placement *placement, int bytes, tg_sectors *out,
                               tg_diags *diags);

#endif
