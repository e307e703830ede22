#include "layout/linear/addresses.h"

#include "layout/linear/apply.h"
#include "layout/linear/invert.h"

static int bits_of(const tg_linear_dims *dims, const char *name)
{
    const int dim = tg_linear_find_dim(dims, name);
    return dim < 0 ? 0 : dims->list[dim].bits;
}

/* The bits of an index of an in dimension, 0 if there is none. */
static uint64_t in_bits(const tg_linear *linear, const char *name, int64_t index)
{
    const int dim = tg_linear_find_dim(&linear->in, name);
    return dim < 0 ? 0 : tg_linear_column(&linear->in, dim, index);
}

tg_status tg_linear_placement(const tg_linear *registers, const tg_linear *memory,
                              int element_bytes, tg_placement *out, tg_diags *diags)
{
    tg_linear to_memory;
    int offset;
    *out = (tg_placement){0};
    TG_TRY(tg_linear_invert_and_compose(registers, memory, &to_memory, diags));
    TG_TRY(tg_linear_need_dim(&to_memory.out, "offset", &offset, diags));
    const int64_t warps = INT64_C(1) << bits_of(&to_memory.in, "warp");
    if (bits_of(&to_memory.in, "lane") > 5)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a warp has 32 lanes, not 2^%d",
                       bits_of(&to_memory.in, "lane"));
    const int lanes = 1 << bits_of(&to_memory.in, "lane");
    TG_TRY(tg_placement_begin(warps, INT64_C(1) << bits_of(&to_memory.in, "register"),
                              element_bytes, out, diags));
    for (int64_t w = 0; w < out->warps; w++)
        for (int64_t r = 0; r < out->registers; r++)
            for (int lane = 0; lane < lanes; lane++) {
                const uint64_t in = in_bits(&to_memory, "warp", w) |
                                    in_bits(&to_memory, "register", r) |
                                    in_bits(&to_memory, "lane", lane);
                const int64_t at =
                    tg_linear_part(&to_memory.out, tg_linear_apply(&to_memory, in), offset);
                out->byte[(w * out->registers + r) * TG_LANES + lane] = at * element_bytes;
            }
    return TG_OK;
}
