/* The verifier's own parts: what its files share.
 *
 *   verify.c      module, kernels, axes, params, block mappings, index maps
 *   ops.c         regions, and what ops.def says of every op: counts, attributes, rule, domain
 *   value.c       own rules of ops on elements and literals
 *   shape.c       own rules of ops that move elements
 *   gather.c      gather, scatter
 *   dot.c         dot_general
 *   memory.c      ops on refs
 *   semaphore.c   semaphores and the copies that signal them
 *   control.c     grid, control flow, debug_print
 *
 * A check reports what it finds and goes on; one that others build upon returns false when they
 * have nothing left to check.  Types and shapes are TG_ERR_TYPE, all else is TG_ERR_INVALID. */
#ifndef TG_VERIFY_IMPL_H
#define TG_VERIFY_IMPL_H

#include "verify/verify.h"

/* The most elements of a block or array, as in tg_type_parse. */
#define TG_MOST_ELEMENTS ((int64_t)1 << 47)

/* What is being checked; all borrowed. */
typedef struct tg_check {
    const tg_module *module;
    const tg_kernel *kernel;
    const tg_op *op;   /* NULL outside of ops */
    const tg_path *at; /* of the op, or of what else is checked */
    tg_diags *diags;
    bool in_index_map;
    int depth; /* regions around the op */
} tg_check;

/* Report a problem at check->at, after the name of the op; always false. */
TG_PRINTF(2, 3) bool tg_mistyped(const tg_check *check, const char *format, ...);
TG_PRINTF(2, 3) bool tg_illegal(const tg_check *check, const char *format, ...);

/* The same check at another place. */
static inline tg_check tg_check_at(const tg_check *check, const tg_path *at)
{
    tg_check moved = *check;
    moved.at = at;
    return moved;
}

/* A type as text, for use within one expression: tg_show(type).text. */
typedef struct tg_type_text {
    char text[TG_TYPE_TEXT];
} tg_type_text;
tg_type_text tg_show(const tg_type *type);

static inline const tg_type *tg_in(const tg_check *check, uint32_t operand)
{
    return tg_type_of(check->kernel, check->op->in[operand]);
}

static inline const tg_type *tg_out(const tg_check *check, uint32_t result)
{
    return tg_type_of(check->kernel, check->op->out[result]);
}

/* Whether dtype, rank and extents are within their bounds, so that the type can be used at all. */
bool tg_type_is_sound(const tg_type *type);

bool tg_is_int_scalar(const tg_type *type);

/* Whether the operand's dtype lies in `domain`. */
bool tg_check_domain(const tg_check *check, uint32_t operand, tg_domain domain);

/* Whether result 0 has the type `expected`. */
bool tg_check_result(const tg_check *check, const tg_type *expected);

/* Whether the attribute `axis` is a dimension of `type`; writes it to `axis`. */
bool tg_check_axis(const tg_check *check, const tg_type *type, int *axis);

/* Whether the list `id` has `count` entries. */
bool tg_check_length(const tg_check *check, tg_attr_id id, int64_t count);

/* Whether every entry of the list `id` is at least `least` and at most TG_MOST_ELEMENTS. */
bool tg_check_entries(const tg_check *check, tg_attr_id id, int64_t least);

/* Whether the list `id` holds distinct dimensions below `rank`, which is the rank of `whose`. */
typedef enum tg_order { TG_ANY_ORDER, TG_ASCENDING } tg_order;
bool tg_check_dims(const tg_check *check, tg_attr_id id, int rank, tg_order order,
                   const char *whose);

/* Whether `dim` stands in the list `id`. */
bool tg_has_dim(const tg_op *op, tg_attr_id id, int dim);

/* Whether `count` operands from `first` on are integer scalars, as starts of a block are. */
bool tg_check_starts(const tg_check *check, uint32_t first, uint32_t count);

/* Whether two lists of values have equal types.  Problems are reported at `list` and the entry, or
 * at the op itself where `list` is NULL.  `what` names an entry of a list. */
typedef struct tg_value_list {
    const char *what;
    const tg_value_id *ids;
    uint32_t count;
} tg_value_list;
bool tg_check_same_types(const tg_check *check, const tg_path *list, tg_value_list found,
                         tg_value_list expected);

/* Checks all ops of `region`, which lies at check->at, and those in the regions inside. */
void tg_check_region(const tg_check *check, const tg_region *region);

/* One function for each op with an OWN rule.  They are called when the counts of operands, results
 * and regions are those of ops.def, all needed attributes are there, and refs stand only where refs
 * may.  TG_CHECK_<rule> makes something of the rows with that rule. */
#define TG_CHECK_SAME(id)
#define TG_CHECK_PREDICATE(id)
#define TG_CHECK_RETYPE(id)
#define TG_CHECK_REDUCE(id)
#define TG_CHECK_SCAN(id)
#define TG_CHECK_OWN(id) void tg_check_##id(const tg_check *check);
#define TG_OP(id, in_min, in_max, out, regions, rule, ...) TG_CHECK_##rule(id)
#include "ir/ops.def"
#undef TG_CHECK_OWN

#endif
