#include "gpu_backend/emit/cluster.h"

#include <stddef.h>

#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

static int64_t blocks_of(const tg_param *param)
{
    int64_t blocks = 1;
    for (int64_t d = 0; d < param->cluster; d++) blocks *= param->array.shape[d];
    return blocks;
}

uint32_t tg_ptx_count_blocks(const tg_kernel *k)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].cluster) return (uint32_t)blocks_of(&k->params[p]);
    return 1;
}

int64_t tg_ptx_part(const tg_ptx_emitter *em, const tg_param *param)
{
    const int64_t count = tg_type_count(&param->array);
    return em->blocks > 1 ? count / blocks_of(param) : count;
}

void tg_ptx_cluster_start(tg_ptx_emitter *em, tg_ptx_ref *ref, const tg_param *param)
{
    if (em->blocks == 1) return;
    ref->is_of_cluster = true;
    ref->part = tg_ptx_part(em, param);
    ref->rank = tg_ptx_known(0);
    if (ref->space == TG_PTX_SHARED) ref->space = TG_PTX_CLUSTER;
}

void tg_ptx_ref_move(tg_ptx_emitter *em, tg_ptx_ref *ref, int64_t stride, tg_ptx_uniform index)
{
    if (ref->part && stride >= ref->part)
        ref->rank = tg_ptx_add(em, ref->rank, tg_ptx_mul(em, index, stride / ref->part));
    else
        ref->origin = tg_ptx_add(em, ref->origin, tg_ptx_mul(em, index, stride));
}

void tg_ptx_one_block(tg_ptx_emitter *em, const tg_ptx_ref *ref, int rank, const int64_t *extent)
{
    for (int d = 0; d < rank; d++)
        if (tg_ptx_is_block_dim(ref, d) && extent[d] > 1)
            tg_ptx_refuse(em, TG_PTX_REFUSES_BLOCKS, "%s", tg_ops[em->inst->op].name);
}

/* A block that exists, also where the ref is to one that does not, which has been reported. */
static tg_ptx_uniform rank_of(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    return tg_ptx_within(em, ref->rank, tg_ptx_known(0), tg_ptx_known(em->blocks - 1));
}

/* Workspaces in global memory follow one another. */
static tg_ptx_uniform in_global(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    const tg_ptx_uniform far = tg_ptx_sub(em, rank_of(em, ref), tg_ptx_held(em->rank));
    return tg_ptx_add(em, ref->base, tg_ptx_mul(em, far, (int64_t)em->workspace_bytes));
}

tg_ptx_uniform tg_ptx_ref_base(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    tg_ptx_writer *w = &em->w;
    if (!ref->is_of_cluster) return ref->base;
    if (ref->space == TG_PTX_GLOBAL) return in_global(em, ref);
    const tg_ptx_reg wide = tg_ptx_uniform_reg(em, rank_of(em, ref)),
                     base = tg_ptx_uniform_reg(em, ref->base), rank = tg_ptx_new(w, TG_PTX_B32),
                     there = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "cvt.u32.u64 %s, %s;", rank.name, wide.name);
    tg_ptx_row(w, "mapa.shared::cluster.u64 %s, %s, %s;", there.name, base.name, rank.name);
    return tg_ptx_held_multiple(there, tg_ptx_multiple_of(ref->base));
}

tg_ptx_uniform tg_ptx_is_own(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    return ref->is_of_cluster ? tg_ptx_are_equal(em, ref->rank, tg_ptx_held(em->rank))
                              : tg_ptx_known(1);
}

tg_ptx_uniform tg_ptx_same_block(tg_ptx_emitter *em, const tg_ptx_ref *a, const tg_ptx_ref *b)
{
    return a->is_of_cluster && b->is_of_cluster ? tg_ptx_are_equal(em, a->rank, b->rank)
                                                : tg_ptx_known(1);
}

const char *tg_ptx_scope(const tg_ptx_emitter *em) { return em->blocks > 1 ? "cluster" : "cta"; }
