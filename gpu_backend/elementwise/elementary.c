#include "gpu_backend/elementwise/elementary.h"

#include <stddef.h>

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/elementwise/forms.h"
#include "gpu_backend/text/template.h"
#include "ir/op.h"
#include "ir/type.h"

static tg_ptx_form_variant plain_variant(tg_dtype dtype)
{
    if (dtype == TG_DT_f64) return TG_PTX_FORM_F64;
    return dtype == TG_DT_f32 ? TG_PTX_FORM_F32 : TG_PTX_FORM_F32_ODD;
}

/* The variant of pow for an integer exponent.  A base of f64 has variants for wide exponents; for
 * other bases the exponent is converted to i32. */
static tg_ptx_form_variant integer_variant(tg_dtype base, tg_dtype exponent)
{
    if (base == TG_DT_f32) return TG_PTX_FORM_F32_I32;
    if (base != TG_DT_f64) return TG_PTX_FORM_F32_ODD_I32;
    switch (exponent) {
    case TG_DT_u32: return TG_PTX_FORM_F64_U32;
    case TG_DT_i64: return TG_PTX_FORM_F64_I64;
    case TG_DT_u64: return TG_PTX_FORM_F64_U64;
    default: return TG_PTX_FORM_F64_I32;
    }
}

static tg_ptx_reg exponent_of(const tg_ptx_lane_op *l)
{
    const char *const far = tg_ptx_form_exponent(l->second);
    if (l->dtype == TG_DT_f64 || far == NULL) return l->in[1];
    return tg_ptx_expand(l->w, TG_DT_i32, TG_PTX_B32, far, 1, &l->in[1]);
}

bool tg_ptx_elementary(const tg_ptx_lane_op *l, tg_ptx_reg *out)
{
    if (!tg_is_float(l->dtype)) return false;
    const bool by_integer = l->op == TG_OP_pow && !tg_is_float(l->second);
    const char *const form = tg_ptx_form(l->op, by_integer ? integer_variant(l->dtype, l->second)
                                                           : plain_variant(l->dtype));
    if (form == NULL) return false;
    tg_ptx_need_table(l->w, tg_ptx_form_table(l->op));
    const tg_ptx_reg in[2] = {l->in[0], by_integer ? exponent_of(l) : l->in[l->count - 1]};
    *out = tg_ptx_finish(l->w, l->dtype,
                         tg_ptx_expand(l->w, l->dtype, tg_ptx_class_of(l->dtype), form, 2, in));
    return true;
}
