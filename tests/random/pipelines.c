#include "random/pipelines.h"

const char *const pipe_names[PIPE_ACTS] = {
    "barrier_wait",    "barrier_arrive", "barrier_expect", "dma_start",         "dma_commit",
    "dma_wait_groups", "dot_start",      "dot_commit",     "dot_wait_groups",   "dot_arrive",
    "proxy_fence",     "load",           "store",          "an element-wise op"};

uint32_t pipe_draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

bool pipe_takes_place(const pipe_kernel *k, const pipe_op *op, int step, int turn)
{
    const int i = step * k->turns + turn;
    return turn >= op->from_turn && turn < op->to_turn && i >= op->from_total && i < op->to_total &&
           i != op->skipped;
}

int pipe_block(const pipe_place *place, int i)
{
    return place->base + (i + place->offset) % place->modulus;
}

void pipe_input(int chain, int row, pipe_value out)
{
    for (int e = 0; e < 4; e++) out[e / 2][e % 2] = (chain * 37 + row * 11 + e * 5) % 61 - 20;
}

int pipe_memory_of(const pipe_kernel *k, pipe_kind kind)
{
    int m = 0;
    while (k->memories[m].kind != kind) m++;
    return m;
}
