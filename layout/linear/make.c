#include "layout/linear/make.h"

tg_status tg_linear_strided(int64_t size, int64_t stride, const char *in, const char *out,
                            tg_linear *result, tg_diags *diags)
{
    int bits, low;
    tg_linear_begin(result);
    if (size == 0) return TG_OK;
    TG_TRY(tg_linear_size_bits(size, &bits, diags));
    TG_TRY(tg_linear_size_bits(stride, &low, diags));
    TG_TRY(tg_linear_add_dim(&result->in, in, bits, diags));
    TG_TRY(tg_linear_add_dim(&result->out, out, bits + low, diags));
    for (int i = 0; i < bits; i++) result->columns[i] = UINT64_C(1) << (i + low);
    return TG_OK;
}

tg_status tg_linear_identity(int64_t size, const char *in, const char *out, tg_linear *result,
                             tg_diags *diags)
{
    return tg_linear_strided(size, 1, in, out, result, diags);
}

tg_status tg_linear_zeros(int64_t size, const char *in, const char *out, int64_t out_size,
                          tg_linear *result, tg_diags *diags)
{
    int bits, out_bits;
    tg_linear_begin(result);
    if (size == 0) return TG_OK;
    TG_TRY(tg_linear_size_bits(size, &bits, diags));
    TG_TRY(tg_linear_size_bits(out_size, &out_bits, diags));
    TG_TRY(tg_linear_add_dim(&result->in, in, bits, diags));
    return tg_linear_add_dim(&result->out, out, out_bits, diags);
}
