/* The loops of a group. */
#ifndef TG_INTERP_EXEC_GEOMETRY_H
#define TG_INTERP_EXEC_GEOMETRY_H

#include "interp/state/launch.h"

static inline const tg_operand *tg_group_operand(const tg_group *g, uint32_t i)
{
    return i < g->input_count ? &g->inputs[i] : &g->outputs[i - g->input_count];
}

static inline uint32_t tg_group_operand_count(const tg_group *g)
{
    return g->input_count + g->output_count;
}

/* Computes the loops of a group with operands in the given storage, inputs first, then outputs;
 * geo->stride must have room for them all. */
void tg_geometry_make(const tg_group *g, const uint8_t *storage, tg_geometry *geo);

#endif
