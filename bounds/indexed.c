/* Elements at indices, which are exact. */
#include "bounds/indexed.h"

#include "bounds/models.h"
#include "bounds/rules_impl.h"

/* The spelling of scatter's attribute `combine`. */
typedef enum combine { SET, ADD, SUB, MUL, MIN, MAX } combine;

/* Adds the attributes of a gather to the op on companions; what it fills with becomes f64. */
static void add_attrs(tg_bound *b, tg_companion which)
{
    const tg_op *op = b->op;
    for (uint32_t a = 0; a < op->attr_count; a++) {
        const tg_attr *attr = &op->attrs[a];
        if (attr->id != TG_ATTR_fill) {
            const tg_op one = {.attr_count = 1, .attrs = &op->attrs[a]};
            tg_build_attrs_of(b->to, &one);
            continue;
        }
        const bool is_wide = tg_carrier_of(tg_bound_dtype(b, op->out[0])) == TG_C_f64;
        const double fill = is_wide ? *(const double *)attr->as.data.bytes
                                    : (double)*(const float *)attr->as.data.bytes;
        tg_build_number(b->to, TG_ATTR_fill, TG_DT_f64, which == TG_COMPANION_BOUND ? 0 : fill);
    }
}

void tg_bound_rule_gather(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_type type = tg_bound_type(b, op->out[0]);
    if (!tg_bound_is_off(b, op->in[0])) tg_bound_settle(b, op->in[1]);
    for (int c = 0; c < b->companions; c++) {
        const tg_value_id from = tg_bound_companion(b, (tg_companion)c, op->in[0]);
        tg_build_in(b->to, from);
        tg_build_in(b->to, op->in[1]);
        add_attrs(b, (tg_companion)c);
        tg_bound_set(b, (tg_companion)c, tg_build_result(b->to, TG_OP_gather, &type));
    }
}

/* Emits the current op on other elements, which are combined otherwise. */
static tg_value_id scattered(tg_bound *b, tg_value_id into, tg_value_id what, combine how)
{
    static const char *const names[] = {"set", "add", "sub", "mul", "min", "max"};
    const tg_op *op = b->op;
    const tg_type type = tg_bound_type(b, op->out[0]);
    tg_build_in(b->to, into);
    tg_build_in(b->to, op->in[1]);
    tg_build_in(b->to, what);
    for (uint32_t a = 0; a < op->attr_count; a++) {
        const tg_op one = {.attr_count = 1, .attrs = &op->attrs[a]};
        if (op->attrs[a].id != TG_ATTR_combine) tg_build_attrs_of(b->to, &one);
    }
    tg_build_name(b->to, TG_ATTR_combine, names[how]);
    return tg_build_result(b->to, TG_OP_scatter, &type);
}

/* A sum in any order of an element and its updates: of m updates m roundings. */
static tg_value_id of_sums(tg_bound *b, tg_value_id e, tg_value_id e_updates)
{
    const tg_op *op = b->op;
    const tg_value_id size = tg_bound_size(b, op->in[0]), sizes = tg_bound_size(b, op->in[2]),
                      none = tg_bound_number(b, size, 0), ones = tg_bound_number(b, sizes, 1),
                      count = scattered(b, none, ones, ADD),
                      passed = scattered(b, e, e_updates, ADD),
                      all = tg_bound_2(b, TG_OP_add, scattered(b, size, sizes, ADD), passed);
    return tg_bound_model_of(b)->sum_of(b, passed, all, count);
}

/* A product in any order of an element and its updates, of m updates m roundings: as
 * tg_bound_rule_product. */
static tg_value_id of_products(tg_bound *b, tg_value_id e, tg_value_id e_updates)
{
    const tg_op *op = b->op;
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    const double half_units = 2 * b->contract->ulp,
                 least = tg_contract_flushes(b->contract, dtype)
                             ? tg_bound_least_normal(dtype)
                             : half_units * tg_bound_half_least(dtype);
    const tg_value_id
        far = tg_bound_add(b, tg_bound_size(b, op->in[0]), e),
        others = tg_bound_add(b, tg_bound_size(b, op->in[2]), e_updates),
        count = scattered(b, tg_bound_number(b, far, 0), tg_bound_number(b, others, 1), ADD),
        product = scattered(b, far, others, MUL),
        most = scattered(b, tg_bound_2(b, TG_OP_max, far, tg_bound_number(b, far, 1)),
                         tg_bound_2(b, TG_OP_max, others, tg_bound_number(b, others, 1)), MUL),
        z = tg_bound_1(b, TG_OP_abs, tg_bound_real(b, op->out[0])),
        share = tg_bound_scaled(b, count,
                                TG_BOUND_SLACK * half_units * tg_bound_half_unit(dtype) + 0x1p-50),
        rest = tg_bound_2(b, TG_OP_sub, tg_bound_number(b, share, 1), share),
        chain = tg_bound_2(b, TG_OP_div, share, rest),
        tiny = tg_bound_scaled(b, tg_bound_2(b, TG_OP_mul, count, most), 4 * least),
        bound = tg_bound_add(b,
                             tg_bound_add(b, tg_bound_2(b, TG_OP_sub, product, z),
                                          tg_bound_2(b, TG_OP_mul, product, chain)),
                             tiny),
        fits = tg_bound_2(b, TG_OP_and,
                          tg_bound_compare(b, TG_OP_le, most, tg_bound_greatest(dtype) / 4),
                          tg_bound_compare(b, TG_OP_lt, share, 0.5));
    return tg_bound_select(b, tg_bound_compare(b, TG_OP_eq, count, 0),
                           tg_bound_only_if(b, fits, bound), e);
}

void tg_bound_rule_scatter(tg_bound *b)
{
    const tg_op *op = b->op;
    const combine how = (combine)tg_op_int(op, TG_ATTR_combine, 0);
    const tg_value_id e = tg_bound_solid(b, tg_bound_of(b, op->in[0]), op->in[0]),
                      e_updates = tg_bound_solid(b, tg_bound_of(b, op->in[2]), op->in[2]);
    switch (how) {
    case SET: tg_bound_set(b, TG_COMPANION_BOUND, scattered(b, e, e_updates, SET)); break;
    case ADD:
    case SUB: tg_bound_set(b, TG_COMPANION_BOUND, of_sums(b, e, e_updates)); break;
    case MIN:
    case MAX: tg_bound_set(b, TG_COMPANION_BOUND, scattered(b, e, e_updates, MAX)); break;
    case MUL: tg_bound_set(b, TG_COMPANION_BOUND, of_products(b, e, e_updates)); break;
    }
}
