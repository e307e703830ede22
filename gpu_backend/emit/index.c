#include "gpu_backend/emit/index.h"

#include <inttypes.h>
#include <stdbool.h>

static bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

/* number / by, in a new register */
static tg_ptx_reg quotient(tg_ptx_emitter *em, tg_ptx_reg number, int64_t by)
{
    if (by == 1) return number;
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    if (is_power_of_two(by))
        tg_ptx_row(&em->w, "shr.u32 %s, %s, %d;", r.name, number.name,
                   __builtin_ctzll((unsigned long long)by));
    else
        tg_ptx_row(&em->w, "div.u32 %s, %s, %" PRId64 ";", r.name, number.name, by);
    return r;
}

static tg_ptx_reg remainder_of(tg_ptx_emitter *em, tg_ptx_reg number, int64_t by)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    if (is_power_of_two(by))
        tg_ptx_row(&em->w, "and.b32 %s, %s, %" PRId64 ";", r.name, number.name, by - 1);
    else
        tg_ptx_row(&em->w, "rem.u32 %s, %s, %" PRId64 ";", r.name, number.name, by);
    return r;
}

void tg_ptx_unravel(tg_ptx_emitter *em, tg_ptx_reg element, int rank, const int64_t *shape,
                    tg_ptx_reg *index)
{
    int first = 0;
    while (first < rank && shape[first] == 1) first++;
    tg_ptx_reg left = element;
    for (int d = rank - 1; d > first; d--) {
        if (shape[d] == 1) continue;
        index[d] = remainder_of(em, left, shape[d]);
        left = quotient(em, left, shape[d]);
    }
    if (first < rank) index[first] = left;
}

/* base + index * step, in a new register */
static tg_ptx_reg advanced(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg index, int64_t step)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    if (step >= INT32_MIN && step <= INT32_MAX) {
        tg_ptx_row(&em->w, "mad.wide.s32 %s, %s, %" PRId64 ", %s;", r.name, index.name, step,
                   base.name);
        return r;
    }
    tg_ptx_reg wide = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", wide.name, index.name);
    tg_ptx_row(&em->w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", r.name, wide.name, step, base.name);
    return r;
}

tg_ptx_reg tg_ptx_address_of(tg_ptx_emitter *em, tg_ptx_reg base, const tg_ptx_strided *s,
                             const tg_ptx_reg *index, int64_t bytes)
{
    for (int d = 0; d < s->rank; d++)
        if (s->shape[d] != 1 && s->stride[d] != 0)
            base = advanced(em, base, index[d], s->stride[d] * bytes);
    return base;
}

tg_ptx_reg tg_ptx_address_in_row(tg_ptx_emitter *em, tg_ptx_reg base, int64_t count,
                                 tg_ptx_reg element, int64_t bytes)
{
    const int64_t one = 1;
    return tg_ptx_address_of(em, base, &(tg_ptx_strided){1, &count, &one}, &element, bytes);
}
