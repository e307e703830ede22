/* The blocks of a cluster, each of which is a CTA with its own part of the scratch.  All CTAs have their
 * parts at the same addresses. */
#ifndef TG_GPU_BACKEND_EMIT_CLUSTER_H
#define TG_GPU_BACKEND_EMIT_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "ir/ir.h"

/* The number of blocks of a program's cluster; 1: no cluster. */
uint32_t tg_ptx_count_blocks(const tg_kernel *kernel);

/* The elements of scratch that a block has.  Scratch of no block is the first one's. */
int64_t tg_ptx_part(const tg_ptx_emitter *em, const tg_param *param);

/* Makes the ref of a param one to scratch in a cluster: to all parts of it. */
void tg_ptx_cluster_start(tg_ptx_emitter *em, tg_ptx_ref *ref, const tg_param *param);

/* Whether dimension d of the ref goes from block to block. */
static inline bool tg_ptx_is_block_dim(const tg_ptx_ref *ref, int d)
{
    return ref->part && ref->stride[d] >= ref->part;
}

/* Moves the ref to an index in dimension d. */
void tg_ptx_ref_move(tg_ptx_emitter *em, tg_ptx_ref *ref, int64_t stride, tg_ptx_uniform index);

/* Refuses an access, or another view, of elements of several blocks: `extent` has the extents of the
 * ref that are accessed. */
void tg_ptx_one_block(tg_ptx_emitter *em, const tg_ptx_ref *ref, int rank, const int64_t *extent);

/* The address of the ref's memory in its block; its space is the ref's. */
tg_ptx_uniform tg_ptx_ref_base(tg_ptx_emitter *em, const tg_ptx_ref *ref);

/* 1 or 0: whether the ref is to memory of the own block; of the same block as another one. */
tg_ptx_uniform tg_ptx_is_own(tg_ptx_emitter *em, const tg_ptx_ref *ref);
tg_ptx_uniform tg_ptx_same_block(tg_ptx_emitter *em, const tg_ptx_ref *a, const tg_ptx_ref *b);

/* Whether the ref is to shared memory, of whichever block. */
static inline bool tg_ptx_is_in_shared(const tg_ptx_ref *ref)
{
    return ref->space != TG_PTX_GLOBAL;
}

/* The scope in which the threads of a program order their accesses: "cta" or "cluster". */
const char *tg_ptx_scope(const tg_ptx_emitter *em);

#endif
