/* Definitions shared by the files of the verifier.
 *
 *   verify.c      module, kernels, axes
 *   params.c      params: roles, names, aliases
 *   mapping.c     blocks and index maps of params
 *   ops.c         regions, and the rules of ops.def for all ops
 *   attrs.c       attributes
 *   rules.c       relations between types: the rules that many ops share, and the table of the
 *                 rules of single ops
 *   value.c, shape.c, gather.c, dot.c, memory.c, semaphore.c, control.c   rules of single ops
 *   instruction.c  instructions that ops name
 *   numeric.c     rounding, saturation and NaN
 *   layout.c      layouts and memory spaces of values and params; rules of ops about them
 *   common.c      queries and checks that many rules share
 *   report.c      reports problems
 *
 * A check reports what it finds and goes on; a check that others depend on returns false if they
 * cannot check anything after it.  Problems of types and shapes are TG_ERR_TYPE, all others
 * TG_ERR_INVALID. */
#ifndef TG_VERIFY_IMPL_H
#define TG_VERIFY_IMPL_H

#include "ir/ir.h"

/* The most elements of a block or array, as in tg_type_parse. */
#define TG_MOST_ELEMENTS ((int64_t)1 << 47)

/* The position of the check in the module.  Owns nothing. */
typedef struct tg_verifier {
    const tg_module *module;
    const tg_kernel *kernel;
    const tg_op *op;   /* NULL outside of ops */
    const tg_path *at; /* the path of the op, or of the other object that is checked */
    tg_diags *diags;
    bool in_index_map;
    int depth; /* the number of regions around the op */
} tg_verifier;

/* The same verifier at another path. */
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
