#include "gpu_backend/elementwise/fma.h"

#include "gpu_backend/elementwise/convert.h"
#include "gpu_backend/text/template.h"
#include "ir/type.h"

static const char once[] = "fma.rn.$t $r, $a, $b, $c;";

/* Rounded to odd: truncated, with the last bit set if anything was cut off, which is so where the
 * sums to both sides differ.  The product of two narrow floats is exact. */
static const char to_odd[] = "mul.rn.f64 $x0, $a, $b;"
                             "add.rz.f64 $x1, $x0, $c;"
                             "add.rm.f64 $x2, $x0, $c;"
                             "add.rp.f64 $x3, $x0, $c;"
                             "setp.neu.f64 $p0, $x2, $x3;"
                             "or.b64 $x4, $x1, 1;"
                             "selp.f64 $r, $x4, $x1, $p0;";

static tg_ptx_reg of_narrow(const tg_ptx_lane_op *l)
{
    tg_ptx_reg in[3];
    for (int i = 0; i < 3; i++) in[i] = tg_ptx_convert(l->w, l->dtype, TG_DT_f64, l->in[i]);
    const tg_ptx_reg odd = tg_ptx_expand(l->w, TG_DT_f64, TG_PTX_F64, to_odd, 3, in);
    return tg_ptx_convert(l->w, TG_DT_f64, l->dtype, odd);
}

tg_ptx_reg tg_ptx_fma(const tg_ptx_lane_op *l)
{
    if (l->dtype != TG_DT_f32 && l->dtype != TG_DT_f64) return of_narrow(l);
    return tg_ptx_expand(l->w, l->dtype, tg_ptx_class_of(l->dtype), once, 3, l->in);
}
