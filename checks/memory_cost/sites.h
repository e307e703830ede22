/* Sites: the accesses of one op to one memory from one source line, summed up over all programs.  The
 * result of tg_detector_memory_cost; the same in every order. */
#ifndef TG_CHECKS_MEMORY_COST_SITES_H
#define TG_CHECKS_MEMORY_COST_SITES_H

#include "checks/memory_cost/cost.h"
#include "layout/placement.h"

/* A swizzle of a memory, and what the accesses to it cost: of each site those of its witness. */
typedef struct tg_cost_swizzle {
    tg_swizzle bytes,
        elements; /* the same of addresses and, 0 bits if it cannot, of elements; bytes
                                   has 0 bits if there is none */
    int64_t before, after, least; /* wavefronts */
} tg_cost_swizzle;

typedef struct tg_cost_site {
    tg_opcode op;
    uint32_t loc;
    uint32_t param;  /* UINT32_MAX: scoped memory */
    uint32_t memory; /* its number, see tg_cost_memory_numbers */
    tg_cost_space space;
    int64_t warps;
    bool is_assumed;            /* of the standard distribution over `warps` */
    int narrowest, widest;      /* widths of instructions, by the bytes that they move for a lane */
    int64_t accesses, costly;   /* by programs; those that cost more than the least */
    int64_t instructions;       /* of warps */
    int64_t cost, least, bytes; /* sums; see tg_access_cost */
    /* The witness is the first access, by the first program, that has the instruction with the
     * greatest cost / least of all. */
    tg_instruction_cost worst;
    int64_t program_index;
    int64_t program[TG_MAX_AXES];
    int element_bytes; /* of the array */
    int64_t memory_bytes;
    bool is_row_major; /* addresses are those of the array */
    tg_cost_swizzle swizzle;
} tg_cost_site;

/* Adds the cost of an access by a program.  Returns whether it is the witness now. */
bool tg_cost_site_add(tg_cost_site *site, const tg_access_cost *cost, bool is_assumed,
                      int64_t program_index);

/* Adds the sites of another run of the kernel, on another device.  `list` is from malloc and may move.
 * Returns false if memory runs out. */
bool tg_cost_sites_merge(tg_cost_site **list, size_t *count, const tg_cost_site *from,
                         size_t from_count);

#endif
