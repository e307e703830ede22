/* What an access costs: the sums over the instructions of its warps, and the costliest of them. */
#ifndef TG_CHECKS_MEMORY_COST_COST_H
#define TG_CHECKS_MEMORY_COST_COST_H

#include "checks/memory_cost/memory.h"
#include "layout/conflicts.h"

/* One instruction: wavefronts of shared memory, or sectors of global memory. */
typedef struct tg_instruction_cost {
    int cost, least;
    /* Two of its lanes: in conflict, or the first two that are not beside each other; -1: all are
     * beside each other. */
    int lanes[2];
    int64_t byte[2]; /* the addresses of these two, or of the first lane */
} tg_instruction_cost;

typedef struct tg_access_cost {
    int width;                 /* bytes that an instruction moves for a lane */
    int64_t instructions;      /* with an active lane */
    int64_t cost, least;       /* sums */
    int64_t bytes;             /* global memory: distinct ones, within each instruction */
    tg_instruction_cost worst; /* the first with the greatest cost / least; cost 0: none */
} tg_access_cost;

/* Adds an instruction, whose addresses are multiples of its width. */
void tg_access_cost_add(tg_access_cost *sum, tg_cost_space space, const tg_warp_access *access);

/* Whether a costs more of what it would have to than b; if both the same, more at all. */
bool tg_instruction_is_worse(const tg_instruction_cost *a, const tg_instruction_cost *b);

#endif
