/* Sums of products in tensor memory, which tcgen05 makes beside the threads.
 *
 * A scratch in tensor memory is held there if the kernel uses it as tcgen05 can: products start with it as
 * their sum, and copies move it, or a part of its columns, to and from registers.  Its row i is in lane i; of 64
 * rows, 16 are in each 32 lanes.  Its columns are one after the other.
 *
 * The first thread of a team starts products.  Their factors are copied to shared memory first, where the
 * team has memory of its own for them; an mbarrier of the team says when products have read them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_H
#define TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

typedef struct tg_ptx_tensor {
    bool *is_held; /* per param */
    int64_t
        *columns; /* per param: the first of its columns; per ref: its first column in the param */
    int64_t *of_ref;
    uint32_t allocated;  /* columns, a power of two; 0: nothing is held */
    bool has_other;      /* also products and copies among them that the threads do themselves */
    size_t staged_bytes; /* for factors, of each team */
    size_t
        offset; /* in shared memory: the factors of all teams, then their mbarriers, the address */
    tg_ptx_reg address; /* .b32: of the first column */
    tg_ptx_reg phase;   /* .b32: the parity of the phase that the team's next products complete */
} tg_ptx_tensor;

/* Whether the memory of a ref is held there. */
bool tg_ptx_tensor_has(const tg_ptx_emitter *em, uint32_t root);

/* Bytes of shared memory for all teams. */
size_t tg_ptx_tensor_bytes(const tg_ptx_emitter *em);

/* At the beginning of the kernel: allocates.  At the end of it: frees. */
void tg_ptx_tensor_begin(tg_ptx_emitter *em);
void tg_ptx_tensor_end(tg_ptx_emitter *em);

/* An address in the shared memory of the team: of its factors (byte `offset`), of its mbarrier. */
tg_ptx_reg tg_ptx_tensor_staged(tg_ptx_emitter *em, int64_t offset);
tg_ptx_reg tg_ptx_tensor_mbarrier(tg_ptx_emitter *em);

/* The team's first thread commits its products to the team's mbarrier; all wait for those of the last such
 * commit. */
void tg_ptx_tensor_commit(tg_ptx_emitter *em);
void tg_ptx_tensor_wait(tg_ptx_emitter *em);

/* At the end of a chain: all products of the team are over. */
void tg_ptx_tensor_end_chain(tg_ptx_emitter *em);

/* What the team has done is before what it does with tensor memory behind its next barrier or wait; the reverse
 * behind those before. */
void tg_ptx_tensor_before(tg_ptx_emitter *em);
void tg_ptx_tensor_after(tg_ptx_emitter *em);

#endif
