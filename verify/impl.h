/* What the files of the verifier share.
 *
 *   verify.c      module, kernels, axes
 *   params.c      params: roles, names, aliases
 *   mapping.c     their blocks and index maps
 *   ops.c         regions, and what ops.def says of every op
 *   attrs.c       attributes
 *   rules.c       how types relate: the rules that many ops share, and the table of those of one op
 *   value.c, shape.c, gather.c, dot.c, memory.c, semaphore.c, control.c   rules of single ops
 *   common.c      questions that many rules ask
 *   report.c      how problems are told
 *
 * A check reports what it finds and goes on; one that others build upon returns false when they
 * have nothing left to check.  Types and shapes are TG_ERR_TYPE, all else is TG_ERR_INVALID. */
#ifndef TG_VERIFY_IMPL_H
#define TG_VERIFY_IMPL_H

#include "ir/ir.h"

/* The most elements of a block or array, as in tg_type_parse. */
#define TG_MOST_ELEMENTS ((int64_t)1 << 47)

/* What is being checked; all borrowed. */
typedef struct tg_verifier {
    const tg_module *module;
    const tg_kernel *kernel;
    const tg_op *op;   /* NULL outside of ops */
    const tg_path *at; /* of the op, or of what else is checked */
    tg_diags *diags;
    bool in_index_map;
    int depth; /* regions around the op */
} tg_verifier;

/* The same verifier at another place. */
static inline tg_verifier tg_verifier_at(const tg_verifier *v, const tg_path *at)
{
    tg_verifier moved = *v;
    moved.at = at;
    return moved;
}

static inline const tg_type *tg_in(const tg_verifier *v, uint32_t operand)
{
    return tg_type_of(v->kernel, v->op->in[operand]);
}

static inline const tg_type *tg_out(const tg_verifier *v, uint32_t result)
{
    return tg_type_of(v->kernel, v->op->out[result]);
}

#endif
