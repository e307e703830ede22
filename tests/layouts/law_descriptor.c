/* Descriptors of matrices: read back, they give the addresses of the layout. */
#include <string.h>

#include "layout/legal/descriptor.h"
#include "layouts/law.h"

static model m;

/* A matrix of (mn, k) elements, contiguous along one of them. */
typedef struct matrix {
    int bytes, swizzle;
    int64_t mn, k;
    bool is_mn_major;
    tg_axis axis; /* of its layout */
} matrix;

static int64_t random_step(chance *c, int64_t unit)
{
    static const int64_t odd[] = {16, 8, 1, -16};
    if (one_in(c, 12)) return odd[pick(c, 0, 3)];
    if (one_in(c, 24)) return 1 << pick(c, 16, 20);
    return unit * pick(c, 1, 5);
}

static void put(tg_axe *axe, const matrix *x, int64_t extent, int64_t bytes)
{
    const int64_t scale = x->axis == TG_AXIS_m ? x->bytes : 1;
    tg_iters_put(&axe->d, extent, bytes % scale ? bytes : bytes / scale, x->axis);
}

/* Mostly of a form that a descriptor has. */
static void random_matrix(chance *c, matrix *x, tg_axe *out)
{
    x->bytes = 1 << pick(c, 0, 2);
    x->swizzle = 16 << pick(c, 0, 3);
    x->is_mn_major = one_in(c, 2);
    if (x->is_mn_major && !one_in(c, 12)) x->bytes = 2;
    x->axis = one_in(c, 3) ? TG_AXIS_byte : TG_AXIS_m;
    x->k = 32 / x->bytes;
    const int64_t atom = x->swizzle > 16 ? 8 * x->swizzle : 16;
    const int64_t run = x->is_mn_major ? x->swizzle / x->bytes : 8;
    const int64_t atoms = pick(c, 1, !x->is_mn_major ? 6 : x->bytes == 1 ? 1 : 3);
    const int64_t row = one_in(c, 16) ? 2 * x->swizzle : x->swizzle;
    x->mn = atoms * run;
    tg_axe_begin(out);
    put(out, x, atoms, random_step(c, atom));
    if (x->is_mn_major) {
        put(out, x, run, x->bytes);
        put(out, x, x->k / 8, random_step(c, atom));
        put(out, x, 8, row);
    } else {
        put(out, x, 8, row);
        if (x->swizzle == 16) put(out, x, 2, random_step(c, 16));
        put(out, x, x->swizzle > 16 ? x->k : x->k / 2, x->bytes);
    }
    const int64_t scale = x->axis == TG_AXIS_m ? x->bytes : 1;
    if (one_in(c, 2)) out->offset[x->axis] = pick(c, 0, 3) * atom / scale;
    if (one_in(c, 4)) out->offset[x->axis] += pick(c, 0, 8) * 16 / scale;
    if (one_in(c, 24)) out->offset[x->axis] -= 1;
    const int bits = x->swizzle == 16 ? 0 : x->swizzle == 32 ? 1 : x->swizzle == 64 ? 2 : 3;
    const int shrink = x->axis == TG_AXIS_byte ? 0 : x->bytes == 1 ? 0 : x->bytes == 2 ? 1 : 2;
    out->swizzle = (tg_swizzle){bits, 4 - shrink, 3, x->axis};
    if (one_in(c, 24)) out->swizzle.base++;
    if (one_in(c, 24)) out->swizzle.bits = (int)pick(c, 0, 3);
}

/* The row of 128 bytes of an address is added, without carry, to its chunk of 16. */
static int64_t swizzled(int64_t address, int swizzle)
{
    if (address < 0) return address;
    return address ^ (address / 128 % (swizzle / 16) * 16);
}

/* The address that the instruction reads, as the canonical forms of the PTX ISA say. */
static int64_t read_at(const matrix *x, int swizzle, int64_t start, int64_t leading, int64_t stride,
                       int64_t mn, int64_t k)
{
    const int64_t chunk = 16 / x->bytes;
    int64_t at = start;
    if (!x->is_mn_major && swizzle == 16)
        at += mn % 8 * 16 + mn / 8 * stride + k % chunk * x->bytes + k / chunk * leading;
    else if (!x->is_mn_major)
        at += mn % 8 * swizzle + mn / 8 * stride + k * x->bytes;
    else if (swizzle == 16)
        at += mn % chunk * x->bytes + mn / chunk * stride + k % 8 * 16 + k / 8 * leading;
    else
        at += mn * x->bytes % swizzle + mn * x->bytes / swizzle * leading + k % 8 * swizzle +
              k / 8 * stride;
    return swizzled(at, swizzle);
}

static int64_t address_of(const matrix *x, int64_t mn, int64_t k)
{
    const place *p = &m.list[m.start[mn * x->k + k]];
    return p->at[x->axis] * (x->axis == TG_AXIS_m ? x->bytes : 1);
}

static bool reads_all(const matrix *x, int swizzle, int64_t start, int64_t leading, int64_t stride)
{
    for (int64_t mn = 0; mn < x->mn; mn++)
        for (int64_t k = 0; k < x->k; k++)
            if (read_at(x, swizzle, start, leading, stride, mn, k) != address_of(x, mn, k))
                return false;
    return true;
}

/* Whether an atom of the swizzle begins there. */
static bool begins_atom(int64_t at, int swizzle)
{
    return at >= 0 && at < 1 << 18 && at % (swizzle > 16 ? 8 * swizzle : 16) == 0;
}

/* The offset, before the swizzle, of an element from the first; 0 if there is none. */
static int64_t offset_of(const matrix *x, int swizzle, int64_t mn, int64_t k)
{
    if (mn >= x->mn || k >= x->k) return 0;
    return swizzled(address_of(x, mn, k), swizzle) - swizzled(address_of(x, 0, 0), swizzle);
}

/* Whether some descriptor, of the swizzle of the layout, gives its addresses. */
static bool has_descriptor(const matrix *x, const tg_axe *axe)
{
    const int swizzle = 16 << axe->swizzle.bits;
    const int64_t chunk = 16 / x->bytes, start = swizzled(address_of(x, 0, 0), swizzle);
    const bool is_plain = swizzle == 16;
    int64_t leading = 0, stride = 0;
    if (!x->is_mn_major && is_plain) leading = offset_of(x, swizzle, 0, chunk);
    if (!x->is_mn_major) stride = offset_of(x, swizzle, 8, 0);
    if (x->is_mn_major && is_plain) {
        leading = offset_of(x, swizzle, 0, 8);
        stride = offset_of(x, swizzle, chunk, 0);
    }
    if (x->is_mn_major && !is_plain) {
        leading = offset_of(x, swizzle, swizzle / x->bytes, 0);
        stride = offset_of(x, swizzle, 0, 8);
    }
    if (x->is_mn_major && (x->bytes != 2 || x->mn % (swizzle / x->bytes) != 0)) return false;
    if (!begins_atom(leading, swizzle) || !begins_atom(stride, swizzle)) return false;
    const int64_t atom = 8 * swizzle, row = start % atom;
    const bool begins = x->is_mn_major || is_plain ? begins_atom(start, swizzle)
                                                   : begins_atom(start - row, swizzle) &&
                                                         start % 16 == 0 && row + 32 <= swizzle;
    return begins && reads_all(x, swizzle, start, leading, stride);
}

outcome law_descriptor(chance *c, tg_axe *shown)
{
    matrix x;
    tg_descriptor d, back;
    random_matrix(c, &x, shown);
    model_of(shown, &m);
    if (tg_descriptor_derive(shown, x.mn, x.k, x.bytes, x.is_mn_major, &d, NULL) != TG_OK)
        return has_descriptor(&x, shown) ? BROKEN : REFUSED;
    const uint64_t bits = tg_descriptor_encode(&d);
    const int swizzle = (int[]){16, 128, 64, 32}[bits >> 62];
    const int64_t start = (int64_t)(bits & 0x3fff) * 16;
    const int64_t leading = (int64_t)(bits >> 16 & 0x3fff) * 16;
    const int64_t stride = (int64_t)(bits >> 32 & 0x3fff) * 16;
    if (!reads_all(&x, swizzle, start, leading, stride)) return BROKEN;
    if (!has_descriptor(&x, shown)) return BROKEN;
    tg_descriptor_decode(bits, x.is_mn_major, &back);
    for (int64_t mn = 0; mn < x.mn; mn++)
        for (int64_t k = 0; k < x.k; k++)
            if (tg_descriptor_address(&back, mn, k, x.bytes) != address_of(&x, mn, k))
                return BROKEN;
    return KEPT;
}
