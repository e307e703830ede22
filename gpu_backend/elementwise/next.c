#include "gpu_backend/elementwise/next.h"

#include <stdbool.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/text/template.h"
#include "ir/type.h"

/* $a and $b are the operands.  The magnitude grows if a moves away from zero.  If a is
 * zero, the sign is that of b. */
static const char sign_rows[] = "setp.eq.$t $p0, $a, $zero;"
                                "selp.$t $x0, $b, $a, $p0;"
                                "and.$u $r, $x0, $sign;";
static const char away_rows[] = "setp.lt.$t $p0, $a, $b;"
                                "setp.ne.$s $p1, $c, 0;"
                                "xor.pred $r, $p0, $p1;";
/* $c is the neighbour.  The result is b if both are equal, NaN if either is NaN. */
static const char result_rows[] = "setp.eq.$t $p0, $a, $b;"
                                  "selp.$t $x0, $b, $c, $p0;"
                                  "setp.nan.$t $p1, $a, $b;"
                                  "selp.$t $r, $nan, $x0, $p1;";

tg_ptx_reg tg_ptx_nextafter(const tg_ptx_lane_op *l)
{
    tg_ptx_writer *const w = l->w;
    const tg_dtype d = l->dtype;
    const bool wide = tg_ptx_is_wide(d);
    const tg_ptx_class bits = wide ? TG_PTX_B64 : TG_PTX_B32, class = tg_ptx_class_of(d);
    const int width = wide ? 64 : 32;
    const tg_ptx_reg sign = tg_ptx_expand(w, d, bits, sign_rows, 2, l->in);
    const tg_ptx_reg operands[3] = {l->in[0], l->in[1], sign};
    const tg_ptx_reg away = tg_ptx_expand(w, d, TG_PTX_PRED, away_rows, 3, operands);
    const tg_ptx_reg step = tg_ptx_result(w, bits, "selp.b%d $, 1, -1, %s;", width, away.name);
    const tg_ptx_reg size = tg_ptx_expand(w, d, class, "and.$u $r, $a, $size;", 1, l->in);
    const tg_ptx_reg code = tg_ptx_to_memory(w, d, size);
    const tg_ptx_reg next =
        tg_ptx_result(w, bits, "add.s%d $, %s, %s;", width, code.name, step.name);
    const tg_ptx_reg value = tg_ptx_from_memory(w, d, next);
    const tg_ptx_reg neighbour =
        tg_ptx_result(w, class, "or.b%d $, %s, %s;", width, value.name, sign.name);
    const tg_ptx_reg in[3] = {l->in[0], l->in[1], neighbour};
    const tg_ptx_reg result = tg_ptx_expand(w, d, class, result_rows, 3, in);
    return tg_dtypes[d].special == TG_SPECIAL_FNUZ ? tg_ptx_finish(w, d, result) : result;
}
