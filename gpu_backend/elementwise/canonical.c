#include "gpu_backend/elementwise/canonical.h"

#include "gpu_backend/elementwise/narrow.h"
#include "gpu_backend/text/template.h"

tg_ptx_reg tg_ptx_wrap(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    const int bits = tg_dtypes[dtype].bits;
    if (bits == 32) return value;
    if (tg_is_signed(dtype))
        return tg_ptx_result(w, TG_PTX_B32, "bfe.s32 $, %s, 0, %d;", value.name, bits);
    return tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x%x;", value.name, (1u << bits) - 1);
}

tg_ptx_reg tg_ptx_finish(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    if (tg_is_float(dtype))
        return tg_ptx_is_narrow(dtype) ? tg_ptx_round_narrow(w, dtype, value) : value;
    return tg_ptx_is_wide(dtype) ? value : tg_ptx_wrap(w, dtype, value);
}
