/* Rules of single ops on elements and literals. */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

/* pow(a, b): b has a's type, or holds integers if a holds floats. */
void tg_verify_op_pow(const tg_verifier *v)
{
    const tg_type *base = tg_in(v, 0), *exponent = tg_in(v, 1);
    bool ok = tg_verify_domain(v, 0, TG_DOMAIN_NUM);
    const bool raised_to_int = tg_is_float(base->dtype) && tg_is_int(exponent->dtype);
    if (ok &&
        (!tg_same_shape(base, exponent) || (exponent->dtype != base->dtype && !raised_to_int)))
        ok = tg_mistyped(v,
                         "the exponent is %s, but the base is %s; it must have the same type, "
                         "or integers of that shape for a float base",
                         tg_show(exponent).text, tg_show(base).text);
    if (ok) tg_verify_result(v, base);
}

/* select(which, case 0, case 1, ...). */
void tg_verify_op_select(const tg_verifier *v)
{
    const tg_type *which = tg_in(v, 0), *first = tg_in(v, 1);
    const uint32_t cases = v->op->in_count - 1;
    bool ok = true;
    if (which->dtype != TG_DT_bool && which->dtype != TG_DT_i32)
        tg_mistyped(v, "operand 0 is %s, but must be bool or i32", tg_show(which).text);
    if (which->dtype == TG_DT_bool && cases != 2)
        tg_illegal(v, "has %" PRIu32 " cases, but a bool chooses between 2", cases);
    if (which->rank != 0 && !tg_same_shape(which, first))
        tg_mistyped(v, "operand 0 is %s, but must be a scalar or have the shape of the cases, %s",
                    tg_show(which).text, tg_show(first).text);
    for (uint32_t i = 2; i < v->op->in_count; i++)
        if (!tg_same_type(tg_in(v, i), first))
            ok = tg_mistyped(v, "operand %" PRIu32 " is %s, but operand 1 is %s; cases must agree",
                             i, tg_show(tg_in(v, i)).text, tg_show(first).text);
    if (ok) tg_verify_result(v, first);
}

/* clamp(low, x, high). */
void tg_verify_op_clamp(const tg_verifier *v)
{
    const tg_type *clamped = tg_in(v, 1);
    tg_verify_domain(v, 1, TG_DOMAIN_NUM);
    for (uint32_t i = 0; i < 3; i += 2) {
        const tg_type *bound = tg_in(v, i);
        if (bound->dtype != clamped->dtype || (bound->rank != 0 && !tg_same_shape(bound, clamped)))
            tg_mistyped(
                v, "operand %" PRIu32 " is %s, but must be a scalar or block like operand 1, %s", i,
                tg_show(bound).text, tg_show(clamped).text);
    }
    tg_verify_result(v, clamped);
}

void tg_verify_op_constant(const tg_verifier *v)
{
    const tg_type *result = tg_out(v, 0);
    const int64_t found = tg_op_attr(v->op, TG_ATTR_value)->as.data.count;
    const int64_t wanted = tg_type_count(result);
    if (found != 1 && found != wanted)
        tg_mistyped(v, "value has %" PRId64 " elements, but %s has %" PRId64 " (or give 1 for all)",
                    found, tg_show(result).text, wanted);
}

void tg_verify_op_iota(const tg_verifier *v)
{
    int axis;
    const tg_type *result = tg_out(v, 0);
    tg_verify_axis(v, result, &axis);
    if (result->dtype == TG_DT_bool)
        tg_mistyped(v, "the result is %s, but must hold integers or floats", tg_show(result).text);
}

/* Any type that a value can have. */
void tg_verify_op_undefined(const tg_verifier *v) { (void)v; }

/* Computes the type of the operand's bits read as `dtype`; false if they cannot be divided
 * evenly. */
static bool bitcast_type(const tg_type *operand, tg_dtype dtype, tg_type *out)
{
    const int from = tg_dtypes[operand->dtype].bits, to = tg_dtypes[dtype].bits;
    *out = *operand;
    out->dtype = dtype;
    if (from == to) return true;
    if (from > to) {
        if (operand->rank == TG_MAX_RANK || from % to != 0) return false;
        out->shape[out->rank++] = from / to;
        return true;
    }
    if (operand->rank == 0 || operand->shape[operand->rank - 1] * from != to) return false;
    out->shape[--out->rank] = 0;
    return true;
}

void tg_verify_op_bitcast(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    tg_type expected;
    if ((operand->dtype == TG_DT_bool) != (result->dtype == TG_DT_bool))
        tg_mistyped(
            v, "the operand is %s and the result %s, but a bool has no bits to read; convert it",
            tg_show(operand).text, tg_show(result).text);
    else if (!bitcast_type(operand, result->dtype, &expected))
        tg_mistyped(v, "%s cannot be read as %s; the last dimension must make up the wider element",
                    tg_show(operand).text, tg_dtypes[result->dtype].name);
    else
        tg_verify_result(v, &expected);
}

static void check_arg(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0), *result = tg_out(v, 0);
    tg_type expected = {.dtype = result->dtype};
    int axis;
    switch (result->dtype) {
    case TG_DT_i32:
    case TG_DT_i64:
    case TG_DT_u32:
    case TG_DT_u64: break;
    default:
        tg_mistyped(v, "the result is %s, but must hold i32, i64, u32 or u64",
                    tg_show(result).text);
    }
    if (!tg_verify_axis(v, operand, &axis)) return;
    if (operand->shape[axis] == 0)
        tg_mistyped(v, "axis %d of %s has no elements to choose from", axis, tg_show(operand).text);
    for (int d = 0; d < operand->rank; d++)
        if (d != axis) expected.shape[expected.rank++] = operand->shape[d];
    tg_verify_result(v, &expected);
}

void tg_verify_op_argmax(const tg_verifier *v) { check_arg(v); }
void tg_verify_op_argmin(const tg_verifier *v) { check_arg(v); }
