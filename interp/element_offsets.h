/* Index maps that give the offsets of elements where the indices of blocks are wanted. */
#ifndef TG_INTERP_ELEMENT_OFFSETS_H
#define TG_INTERP_ELEMENT_OFFSETS_H

#include "plan/plan.h"
#include "report/finding.h"
#include "plan/grid.h"

/* Adds to the findings about blocks outside of an array, and about elements that nobody wrote, that this is what the index map of
 * the parameter does, where that is so: what it gives over the whole grid is, taken as offsets of elements, exactly the
 * blocks of the array, each of them at least once and nothing besides.  Looked at are maps that are linear in the places of
 * programs, over grids of up to 2^20 of these.  False where memory was short. */
bool tg_element_offsets_tell(const tg_plan *plan, const tg_grid *grid, tg_findings *findings);

#endif
