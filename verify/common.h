/* Queries and checks that many rules share.  Functions that begin with tg_verify report problems
 * and return whether there were none. */
#ifndef TG_VERIFY_COMMON_H
#define TG_VERIFY_COMMON_H

#include "verify/report.h"

/* Whether dtype, rank and extents are within their bounds, so that other code can use the type. */
bool tg_type_is_sound(const tg_type *type);

bool tg_is_int_scalar(const tg_type *type);

/* Whether the list `id` contains `dim`. */
bool tg_has_dim(const tg_op *op, tg_attr_id id, int dim);

/* Checks that item number `index`, a `what`, does not have the same name as an earlier item.  An
 * item may have no name. */
typedef const char *tg_name_at(const tg_verifier *v, uint32_t index);
bool tg_verify_name(const tg_verifier *v, const char *what, tg_name_at *name_at, uint32_t index);

/* Checks that the operand's dtype is in `domain`. */
bool tg_verify_domain(const tg_verifier *v, uint32_t operand, tg_domain domain);

/* Checks that result 0 has the type `expected`. */
bool tg_verify_result(const tg_verifier *v, const tg_type *expected);

/* Checks that the attribute `axis` is a dimension of `type`; writes it to `*axis`. */
bool tg_verify_axis(const tg_verifier *v, const tg_type *type, int *axis);

/* Checks that the list `id` has `count` entries. */
bool tg_verify_length(const tg_verifier *v, tg_attr_id id, int64_t count);

/* Checks that every entry of the list `id` is at least `least` and at most TG_MOST_ELEMENTS. */
bool tg_verify_entries(const tg_verifier *v, tg_attr_id id, int64_t least);

/* Checks that the list `id` has distinct dimensions below `rank`, which is the rank of `whose`. */
typedef enum tg_dim_order { TG_ANY_ORDER, TG_ASCENDING } tg_dim_order;
bool tg_verify_dims(const tg_verifier *v, tg_attr_id id, int rank, tg_dim_order order,
                    const char *whose);

/* Checks that `count` operands from `first` on are integer scalars, like the starts of a block. */
bool tg_verify_starts(const tg_verifier *v, uint32_t first, uint32_t count);

/* Checks that two lists of values have equal types.  Reports problems at `list` and the entry, or
 * at the op itself if `list` is NULL.  `what` names an entry of a list. */
typedef struct tg_value_list {
    const char *what;
    const tg_value_id *ids;
    uint32_t count;
} tg_value_list;
bool tg_verify_same_types(const tg_verifier *v, const tg_path *list, tg_value_list found,
                          tg_value_list expected);

/* Checks the attribute `followers` of a wait. */
void tg_check_followers(const tg_verifier *v);

#endif
