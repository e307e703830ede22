#include "verify/numeric.h"

#include "verify/common.h"

/* The values of the attribute `rounding`. */
enum { EVEN, AWAY, ZERO };

static bool is_float_in(const tg_verifier *v) { return tg_is_float(tg_in(v, 0)->dtype); }

static bool has_zero(tg_dtype dtype) { return tg_dtypes[dtype].special != TG_SPECIAL_E8M0; }

static bool is_between_floats(const tg_verifier *v)
{
    const tg_dtype to = tg_out(v, 0)->dtype;
    return is_float_in(v) && tg_is_float(to) && has_zero(tg_in(v, 0)->dtype) && has_zero(to);
}

static void check_convert(const tg_verifier *v)
{
    const int64_t rounding = tg_op_int(v->op, TG_ATTR_rounding, EVEN);
    const bool saturates = tg_op_int(v->op, TG_ATTR_saturate, 0) != 0;
    if (rounding == AWAY) tg_illegal(v, "rounding is \"away\", but must be \"even\" or \"zero\"");
    if ((rounding == ZERO || saturates) && !is_between_floats(v))
        tg_mistyped(v,
                    "from %s to %s, but rounding toward zero and saturate are for floats that have "
                    "a zero",
                    tg_show(tg_in(v, 0)).text, tg_show(tg_out(v, 0)).text);
    else if (saturates && tg_dtypes[tg_out(v, 0)->dtype].bits > tg_dtypes[tg_in(v, 0)->dtype].bits)
        tg_mistyped(v, "from %s to %s, but saturate is for results that are not wider",
                    tg_show(tg_in(v, 0)).text, tg_show(tg_out(v, 0)).text);
}

void tg_verify_numeric(const tg_verifier *v)
{
    if (v->op->code == TG_OP_convert) check_convert(v);
    if (v->op->code == TG_OP_round && tg_op_int(v->op, TG_ATTR_rounding, EVEN) == ZERO)
        tg_illegal(v, "rounding is \"zero\", but must be \"even\" or \"away\"");
    if (tg_op_attr(v->op, TG_ATTR_nan) && !is_float_in(v))
        tg_mistyped(v, "operand 0 is %s, but nan is for floats", tg_show(tg_in(v, 0)).text);
}
