#include "bounds/updates.h"

#include <math.h>

#include "bounds/rules_impl.h"

/* The spelling of atomic_rmw's attribute `kind`. */
typedef enum kind { XCHG, ADD, MAX, MIN } kind;

/* A kernel with more updates of an element has no bound. */
#define MOST_UPDATES 0x1p20

bool tg_bound_is_update(const tg_bound *b, const tg_op *op)
{
    return b->contract && (op->code == TG_OP_add_update || op->code == TG_OP_atomic_rmw) &&
           tg_is_float(tg_bound_dtype(b, op->in[0]));
}

/* ---- how often ---- */

static double runs_in(const tg_region *region, const tg_op *op);

/* Returns how often a region of `above` runs the op, while `above` runs once: 0 if it is not there,
 * infinity where that is not known. */
static double runs_below(const tg_op *above, const tg_op *op)
{
    const bool repeats = above->code == TG_OP_for || above->code == TG_OP_while;
    for (uint32_t r = 0; r < above->region_count; r++) {
        const double runs = runs_in(&above->regions[r], op);
        if (runs > 0) return repeats ? (double)INFINITY : runs;
    }
    return 0;
}

static double runs_in(const tg_region *region, const tg_op *op)
{
    for (uint32_t i = 0; i < region->op_count; i++) {
        if (&region->ops[i] == op) return 1;
        const double runs = runs_below(&region->ops[i], op);
        if (runs > 0) return runs;
    }
    return 0;
}

static double element_count(const tg_type *type)
{
    double count = 1;
    for (int d = 0; d < type->rank; d++) count *= (double)type->shape[d];
    return count;
}

/* Returns how many updates of all programs may change one element by this op: one of each, or as many
 * as it has values where arrays say at which index. */
static double updates_by(const tg_bound *b, const tg_op *op)
{
    const tg_kernel *k = b->from;
    const tg_access access = tg_op_access(op);
    double count = runs_in(&k->body, op);
    for (int a = 0; a < k->axis_count; a++)
        count *= k->axes[a].size < 0 ? (double)INFINITY : (double)k->axes[a].size;
    for (uint32_t i = 0; i < access.index_count; i++)
        if (k->values[op->in[access.first_index + i]].type.rank > 0)
            return count * element_count(&k->values[op->in[1]].type);
    return count;
}

static double updates_in(const tg_bound *b, const tg_region *region)
{
    double count = 0;
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        if (tg_bound_is_update(b, op)) count += updates_by(b, op);
        for (uint32_t r = 0; r < op->region_count; r++) count += updates_in(b, &op->regions[r]);
    }
    return count;
}

/* ---- adding ---- */

/* Emits the current op as an atomic `how` on a companion's memory. */
static tg_value_id update(tg_bound *b, tg_companion which, const char *how, tg_value_id value)
{
    const tg_op *op = b->op;
    const tg_type type = tg_bound_type(b, op->in[1]);
    tg_build_in(b->to, tg_bound_companion(b, which, op->in[0]));
    tg_build_in(b->to, value);
    for (uint32_t i = 2; i < op->in_count; i++) tg_build_in(b->to, op->in[i]);
    tg_build_name(b->to, TG_ATTR_kind, how);
    for (uint32_t a = 0; a < op->attr_count; a++) {
        const tg_op one = {.attr_count = 1, .attrs = &op->attrs[a]};
        if (op->attrs[a].id != TG_ATTR_kind) tg_build_attrs_of(b->to, &one);
    }
    return tg_build_result(b->to, TG_OP_atomic_rmw, &type);
}

/* Of m additions to z of x1, ..., xm in any order, each partial sum is no farther from 0 than
 * |z| + sum |xi|, so that their roundings are at most g(m) (|z| + sum |xi|).  When x is added,
 * |z| <= |old| + the sum of |xi| before x.  So each addition brings e + 2 g(m) (|x| + e), and
 * 2 u |old|.  No partial sum overflows where both are small enough. */
static tg_value_id of_addition(tg_bound *b, tg_value_id old, double count)
{
    const tg_value_id x = b->op->in[1], e = tg_bound_of(b, x);
    const tg_dtype dtype = tg_bound_dtype(b, x);
    const double unit = 2 * b->contract->ulp * tg_bound_half_unit(dtype),
                 share = TG_BOUND_SLACK * 2 * tg_bound_of_chain(count, unit) + count * 0x1p-52,
                 most = tg_bound_greatest(dtype) / (2 * count + 2),
                 flushed =
                     tg_contract_flushes(b->contract, dtype) ? 2 * tg_bound_least_normal(dtype) : 0;
    const tg_value_id size = tg_bound_add(b, tg_bound_size(b, x), e),
                      before = tg_bound_1(b, TG_OP_abs, old),
                      own = tg_bound_add(b, tg_bound_scaled(b, size, share),
                                         tg_bound_scaled(b, before, 2 * TG_BOUND_SLACK * unit)),
                      all = tg_bound_plus_number(b, tg_bound_add(b, e, own), flushed),
                      fits = tg_bound_2(b, TG_OP_and, tg_bound_compare(b, TG_OP_le, size, most),
                                        tg_bound_compare(b, TG_OP_le, before, most));
    return tg_bound_only_if(b, fits, all);
}

static void add(tg_bound *b)
{
    const tg_value_id x = b->op->in[1];
    const double count = updates_in(b, &b->from->body);
    if (!(count <= MOST_UPDATES)) {
        tg_bound_refuse(b, "how many additions change an element is not known: in a loop, or in a "
                           "grid of dynamic size");
        return;
    }
    const tg_value_id old = update(b, TG_COMPANION_EXACT, "add", tg_bound_real(b, x));
    update(b, TG_COMPANION_BOUND, "add", of_addition(b, old, count));
}

/* Returns whether all updates of floats in a region are of one kind: other orders are then the same
 * sum, or the same extreme. */
static bool are_all(const tg_bound *b, const tg_region *region, int64_t how)
{
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        const int64_t found =
            op->code == TG_OP_add_update ? ADD : tg_op_int(op, TG_ATTR_kind, XCHG);
        if (tg_bound_is_update(b, op) && found != how) return false;
        for (uint32_t r = 0; r < op->region_count; r++)
            if (!are_all(b, &op->regions[r], how)) return false;
    }
    return true;
}

void tg_bound_rule_update(tg_bound *b)
{
    const tg_op *op = b->op;
    const int64_t how = op->code == TG_OP_add_update ? ADD : tg_op_int(op, TG_ATTR_kind, XCHG);
    const tg_value_id x = op->in[1];
    for (uint32_t i = 2; i < op->in_count; i++) tg_bound_settle(b, op->in[i]);
    if (!tg_bound_is_off(b, op->in[0])) {
        tg_bound_refuse(b, "what may be off goes to memory that is not an output's");
    } else if (!are_all(b, &b->from->body, how)) {
        tg_bound_refuse(b, "updates of several kinds have no rule");
    } else if (how == ADD) {
        add(b);
    } else if (how == MAX || how == MIN) {
        update(b, TG_COMPANION_EXACT, how == MAX ? "max" : "min", tg_bound_real(b, x));
        update(b, TG_COMPANION_BOUND, "max", tg_bound_solid(b, tg_bound_of(b, x), x));
    } else {
        tg_bound_refuse(b, "exchanges depend on the order of programs");
    }
    if (op->out_count == 0) return;
    /* What was there before depends on the order of programs. */
    tg_bound_set(b, TG_COMPANION_BOUND, tg_bound_number(b, op->out[0], (double)INFINITY));
}

/* ---- copies ---- */

static void store_all(tg_bound *b, tg_value_id ref, tg_value_id value)
{
    tg_build_in(b->to, ref);
    tg_build_in(b->to, value);
    tg_build_whole(b->to, ref);
    tg_build_op(b->to, TG_OP_store);
}

static tg_value_id load_all(tg_bound *b, tg_value_id ref)
{
    tg_type type = tg_build_type(b->to, ref);
    type.is_ref = false;
    tg_build_in(b->to, ref);
    tg_build_whole(b->to, ref);
    return tg_build_result(b->to, TG_OP_load, &type);
}

/* What a copy moves: all elements of a ref, or a value as it is. */
static tg_value_id moved(tg_bound *b, tg_value_id from)
{
    return tg_build_type(b->to, from).is_ref ? load_all(b, from) : from;
}

void tg_bound_copy(tg_bound *b)
{
    const tg_value_id from = b->op->in[0], to = b->op->in[1];
    if (tg_op_attr(b->op, TG_ATTR_kind)) {
        if (tg_bound_is_off(b, from) || tg_bound_is_off(b, to))
            tg_bound_refuse(b, "a copy combines what may be off with other elements");
        return;
    }
    if (!tg_bound_is_off(b, to)) {
        if (tg_bound_is_off(b, from))
            tg_bound_refuse(b, "what may be off goes to memory that is not an output's");
        return;
    }
    for (int c = 0; c < b->companions; c++) {
        tg_value_id value;
        if (tg_bound_is_off(b, from))
            value = moved(b, b->companion[c][from]);
        else
            value = tg_bound_convert(b, moved(b, from), TG_DT_f64);
        if (c == TG_COMPANION_BOUND && !tg_bound_is_off(b, from))
            value = tg_bound_number(b, value, 0);
        store_all(b, b->companion[c][to], value);
    }
}

void tg_bound_rule_copy(tg_bound *b) { (void)b; }
