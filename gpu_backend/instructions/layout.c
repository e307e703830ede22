#include "gpu_backend/instructions/layout.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/uniform.h"

/* ---- bits that move ---- */

/* A layout whose extents and strides are powers of two moves the bits of the number.  Those that move
 * equally far, to the left, are moved as one. */
typedef struct moved {
    int count;
    struct {
        int distance;
        uint64_t bits;
    } list[64];
} moved;

static bool is_power(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static int log2_of(int64_t power) { return __builtin_ctzll((unsigned long long)power); }

static void add_bits(moved *m, int distance, uint64_t bits)
{
    int i = 0;
    while (i < m->count && m->list[i].distance != distance) i++;
    if (i == m->count) {
        m->count++;
        m->list[i].distance = distance;
        m->list[i].bits = 0;
    }
    m->list[i].bits |= bits;
}

static bool find_moved(const tg_axe *layout, moved *m)
{
    int at = 0;
    m->count = 0;
    for (int k = layout->d.count - 1; k >= 0; k--) {
        const tg_iter it = layout->d.list[k];
        if (!is_power(it.extent) || (it.stride && !is_power(it.stride))) return false;
        if (it.stride) add_bits(m, log2_of(it.stride) - at, (uint64_t)(it.extent - 1) << at);
        at += log2_of(it.extent);
    }
    return true;
}

static tg_ptx_reg row(tg_ptx_emitter *em, const char *op, tg_ptx_reg a, uint64_t b)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "%s %s, %s, %" PRIu64 ";", op, r.name, a.name, b);
    return r;
}

static tg_ptx_uniform move_bits(tg_ptx_emitter *em, const moved *m, uint64_t all, tg_ptx_reg number,
                                tg_ptx_uniform sum)
{
    for (int i = 0; i < m->count; i++) {
        const int distance = m->list[i].distance;
        tg_ptx_reg part = number;
        if (m->list[i].bits != all) part = row(em, "and.b64", part, m->list[i].bits);
        if (distance)
            part = row(em, distance > 0 ? "shl.b64" : "shr.u64", part, (uint64_t)abs(distance));
        sum = tg_ptx_add(em, sum, tg_ptx_held(part));
    }
    return sum;
}

/* ---- digits ---- */

/* A sum over the digits of the number, in 32 bits if they are enough. */
static tg_ptx_uniform add_digits(tg_ptx_emitter *em, const tg_axe *layout, tg_ptx_uniform number,
                                 tg_ptx_uniform sum)
{
    const int count = layout->d.count;
    tg_ptx_reg digit[TG_AXE_MAX_ITERS], narrow = tg_ptx_new(&em->w, TG_PTX_B32);
    int64_t extent[TG_AXE_MAX_ITERS], stride[TG_AXE_MAX_ITERS];
    if (tg_iters_size(&layout->d) > INT32_MAX) {
        for (int k = count - 1; k >= 0; k--) {
            const tg_ptx_uniform by = tg_ptx_known(layout->d.list[k].extent);
            const tg_ptx_uniform last = k == 0 ? number : tg_ptx_rem(em, number, by);
            sum = tg_ptx_mul_add(em, last, layout->d.list[k].stride, sum);
            if (k > 0) number = tg_ptx_div(em, number, by);
        }
        return sum;
    }
    for (int k = 0; k < count; k++) {
        extent[k] = layout->d.list[k].extent;
        stride[k] = layout->d.list[k].stride;
    }
    tg_ptx_row(&em->w, "cvt.u32.u64 %s, %s;", narrow.name, tg_ptx_uniform_reg(em, number).name);
    tg_ptx_unravel(em, narrow, count, extent, digit);
    const tg_ptx_strided s = {count, extent, stride};
    return tg_ptx_held(tg_ptx_address_of(em, tg_ptx_uniform_reg(em, sum), &s, digit, 1));
}

/* ---- the map ---- */

/* v ^ ((v & mask) moved to where the swizzle has it) */
static tg_ptx_uniform swizzled(tg_ptx_emitter *em, const tg_swizzle *swizzle, tg_ptx_uniform v)
{
    const tg_ptx_reg from = tg_ptx_uniform_reg(em, v), to = tg_ptx_new(&em->w, TG_PTX_B64);
    const int right = swizzle->shift > 0 ? swizzle->shift : 0;
    const uint64_t mask = ((UINT64_C(1) << swizzle->bits) - 1) << (swizzle->base + right);
    const tg_ptx_reg bits = row(em, "and.b64", from, mask);
    const tg_ptx_reg shifted =
        row(em, right ? "shr.u64" : "shl.b64", bits, (uint64_t)abs(swizzle->shift));
    tg_ptx_row(&em->w, "xor.b64 %s, %s, %s;", to.name, from.name, shifted.name);
    return tg_ptx_held(to);
}

tg_ptx_uniform tg_ptx_laid_out(tg_ptx_emitter *em, const tg_axe *layout, tg_ptx_uniform number)
{
    const uint64_t all = (uint64_t)tg_iters_size(&layout->d) - 1;
    const tg_ptx_uniform offset = tg_ptx_known(layout->offset[TG_AXIS_m]);
    moved m;
    const tg_ptx_uniform sum = find_moved(layout, &m)
                                   ? move_bits(em, &m, all, tg_ptx_uniform_reg(em, number), offset)
                                   : add_digits(em, layout, number, offset);
    return layout->swizzle.bits ? swizzled(em, &layout->swizzle, sum) : sum;
}
