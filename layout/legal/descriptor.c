#include "layout/legal/descriptor.h"

#include <inttypes.h>

#include "layout/canonical.h"

enum { CHUNK = 16, ATOM_ROWS = 8, K_BYTES = 32, FIELD_BITS = 14, FIELD = (1 << FIELD_BITS) - 1 };
enum { LEADING_AT = 16, STRIDE_AT = 32, MODE_AT = 62, ROW_SHIFT = 3, CHUNK_LOG = 4 };

/* A matrix, taken apart as a form demands: the index of mn is (outer, inner), that of k too. */
typedef struct quad {
    int64_t outer, inner, k_outer, k_inner;
} quad;

static quad extents_of(int64_t mn, int64_t k, int bytes, int swizzle, bool is_mn_major)
{
    const int64_t chunk = CHUNK / bytes;
    const int64_t run = is_mn_major ? swizzle / bytes : ATOM_ROWS;
    const int64_t k_run = is_mn_major ? ATOM_ROWS : swizzle > CHUNK ? k : chunk;
    return (quad){mn / run, run, k / k_run, k_run};
}

/* ---- the layout, in bytes ---- */

typedef struct cursor {
    const tg_iters *d;
    int at;
    int64_t left; /* of the extent of the iter */
} cursor;

/* The stride of the next `extent` digits, if they have one: 0 if there is one digit only. */
static bool take(cursor *c, int64_t extent, int64_t *stride)
{
    *stride = 0;
    if (extent == 1) return true;
    if (c->at == c->d->count || c->left % extent != 0) return false;
    c->left /= extent;
    *stride = c->d->list[c->at].stride * c->left;
    if (c->left == 1 && ++c->at < c->d->count) c->left = c->d->list[c->at].extent;
    return true;
}

static tg_status no_stride(const char *what, int64_t extent, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s, %" PRId64 " digits, have no one stride",
                   what, extent);
}

static tg_status strides_of(const tg_iters *d, const quad *extents, quad *out, tg_diags *diags)
{
    cursor c = {d, 0, d->count ? d->list[0].extent : 1};
    if (!take(&c, extents->outer, &out->outer))
        return no_stride("atoms along MN", extents->outer, diags);
    if (!take(&c, extents->inner, &out->inner))
        return no_stride("elements of an atom along MN", extents->inner, diags);
    if (!take(&c, extents->k_outer, &out->k_outer))
        return no_stride("atoms along K", extents->k_outer, diags);
    if (!take(&c, extents->k_inner, &out->k_inner))
        return no_stride("elements of an atom along K", extents->k_inner, diags);
    return TG_OK;
}

static int log2_of(int power)
{
    int log = 0;
    for (; power > 1; power /= 2) log++;
    return log;
}

static tg_status swizzle_of(const tg_axe *axe, int bytes, int *out, tg_diags *diags)
{
    const tg_swizzle *s = &axe->swizzle;
    const int base = s->axis == TG_AXIS_byte ? CHUNK_LOG : CHUNK_LOG - log2_of(bytes);
    *out = CHUNK;
    if (s->bits == 0) return TG_OK;
    *out = CHUNK << (s->bits > 3 ? 3 : s->bits);
    if (s->bits <= 3 && s->base == base && s->shift == ROW_SHIFT) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "swizzle Sw<%d,%d,%d>@%s is none of the instruction's, Sw<1 to 3,%d,%d>",
                   s->bits, s->base, s->shift, tg_axes[s->axis].name, base, ROW_SHIFT);
}

static tg_status to_bytes(int64_t *stride, int scale, tg_diags *diags)
{
    if (!__builtin_mul_overflow(*stride, scale, stride)) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "an address in bytes does not fit in 63 bits");
}

/* The layout on one axis of memory, canonical, with strides in bytes. */
static tg_status in_bytes(const tg_axe *axe, int bytes, tg_axe *out, tg_diags *diags)
{
    tg_axis axis = axe->swizzle.bits ? axe->swizzle.axis : TG_AXIS_NONE;
    tg_axe_copy(axe, out);
    tg_axe_canonize(out);
    if (out->r.count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "an element has %" PRId64 " copies",
                       tg_iters_size(&out->r));
    for (int a = 0; axis == TG_AXIS_NONE && a < TG_AXIS_COUNT; a++)
        if (out->offset[a]) axis = (tg_axis)a;
    if (axis == TG_AXIS_NONE && out->d.count) axis = out->d.list[0].axis;
    if (axis != TG_AXIS_m && axis != TG_AXIS_byte)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the layout is not on axis m or byte of linear memory, but on %s",
                       axis == TG_AXIS_NONE ? "none" : tg_axes[axis].name);
    const int scale = axis == TG_AXIS_m ? bytes : 1;
    for (int i = 0; i < out->d.count; i++) {
        tg_iter *it = &out->d.list[i];
        if (it->axis != axis)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "iter %" PRId64 ":%" PRId64 "@%s is not on axis %s", it->extent,
                           it->stride, it->axis == TG_AXIS_NONE ? "none" : tg_axes[it->axis].name,
                           tg_axes[axis].name);
        TG_TRY(to_bytes(&it->stride, scale, diags));
    }
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (out->offset[a] && a != (int)axis)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "an offset is on axis %s",
                           tg_axes[a].name);
    out->offset[TG_AXIS_byte] = out->offset[axis];
    return to_bytes(&out->offset[TG_AXIS_byte], scale, diags);
}

/* ---- the forms ---- */

static tg_status check_size(int64_t mn, int64_t k, int bytes, bool is_mn_major, tg_diags *diags)
{
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an element has %d bytes; it has 1, 2 or 4",
                       bytes);
    if (is_mn_major && bytes != 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a matrix that is contiguous along MN has elements of 2 bytes, not of %d",
                       bytes);
    if (mn < ATOM_ROWS || mn % ATOM_ROWS != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "M or N is %" PRId64 "; it is a multiple of %d",
                       mn, ATOM_ROWS);
    if (k != K_BYTES / bytes)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "K of one instruction is %d elements of %d bytes, not %" PRId64,
                       K_BYTES / bytes, bytes, k);
    return TG_OK;
}

static tg_status expect_stride(const char *what, int64_t stride, int64_t wanted, tg_diags *diags)
{
    if (stride == wanted) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the stride of %s is %" PRId64 " bytes, not %" PRId64, what, stride, wanted);
}

/* The strides that are fixed; the others are leading and stride. */
static tg_status match(const quad *s, int bytes, tg_descriptor *out, tg_diags *diags)
{
    if (out->is_mn_major) {
        TG_TRY(expect_stride("elements along MN", s->inner, bytes, diags));
        TG_TRY(expect_stride("the 8 rows of an atom, along K", s->k_inner, out->swizzle, diags));
    } else {
        TG_TRY(expect_stride("the 8 rows of an atom, along MN", s->inner, out->swizzle, diags));
        TG_TRY(expect_stride("elements along K", s->k_inner, bytes, diags));
    }
    const bool swaps = out->is_mn_major && out->swizzle > CHUNK;
    out->leading = swaps ? s->outer : s->k_outer;
    out->stride = swaps ? s->k_outer : s->outer;
    return TG_OK;
}

static tg_status check_field(const char *what, int64_t value, int64_t unit, tg_diags *diags)
{
    if (value < 0 || value / CHUNK > FIELD)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s is %" PRId64 " bytes; it is at least 0 and below 2^18", what, value);
    if (value % unit != 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s is %" PRId64 " bytes, no multiple of %" PRId64, what, value, unit);
    return TG_OK;
}

/* The pattern of a swizzle begins at multiples of 8 rows; along K, an instruction may begin within the
 * first. */
static tg_status check_fields(const tg_descriptor *d, tg_diags *diags)
{
    const int64_t atom = d->swizzle > CHUNK ? (int64_t)ATOM_ROWS * d->swizzle : CHUNK;
    const bool begins_within = !d->is_mn_major && d->swizzle > CHUNK;
    const int64_t row = d->start % atom;
    TG_TRY(check_field("the leading offset", d->leading, atom, diags));
    TG_TRY(check_field("the stride offset", d->stride, atom, diags));
    TG_TRY(check_field("the start", d->start, begins_within ? CHUNK : atom, diags));
    if (begins_within && row + K_BYTES > d->swizzle)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "32 bytes from %" PRId64 " on are not in the first of 8 rows of %d bytes",
                       d->start, d->swizzle);
    return TG_OK;
}

tg_status tg_descriptor_derive(const tg_axe *axe, int64_t mn, int64_t k, int bytes,
                               bool is_mn_major, tg_descriptor *out, tg_diags *diags)
{
    tg_axe flat;
    quad strides;
    *out = (tg_descriptor){.is_mn_major = is_mn_major};
    TG_TRY(check_size(mn, k, bytes, is_mn_major, diags));
    if (tg_iters_size(&axe->d) % mn != 0 || tg_iters_size(&axe->d) / mn != k)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout has %" PRId64 " elements, the matrix %" PRId64 " times %" PRId64,
                       tg_iters_size(&axe->d), mn, k);
    TG_TRY(swizzle_of(axe, bytes, &out->swizzle, diags));
    TG_TRY(in_bytes(axe, bytes, &flat, diags));
    const quad extents = extents_of(mn, k, bytes, out->swizzle, is_mn_major);
    if (extents.outer * extents.inner != mn)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "M or N is %" PRId64 ", no multiple of the %" PRId64 " of an atom", mn,
                       extents.inner);
    TG_TRY(strides_of(&flat.d, &extents, &strides, diags));
    TG_TRY(match(&strides, bytes, out, diags));
    out->start = flat.offset[TG_AXIS_byte];
    return check_fields(out, diags);
}

/* ---- bits and addresses ---- */

static int mode_of(int swizzle) { return swizzle == CHUNK ? 0 : 8 - log2_of(swizzle); }

uint64_t tg_descriptor_encode(const tg_descriptor *d)
{
    return (uint64_t)(d->start / CHUNK & FIELD) |
           (uint64_t)(d->leading / CHUNK & FIELD) << LEADING_AT |
           (uint64_t)(d->stride / CHUNK & FIELD) << STRIDE_AT |
           (uint64_t)mode_of(d->swizzle) << MODE_AT;
}

static int64_t field(uint64_t bits, int at) { return (int64_t)(bits >> at & FIELD) * CHUNK; }

void tg_descriptor_decode(uint64_t bits, bool is_mn_major, tg_descriptor *out)
{
    const int mode = (int)(bits >> MODE_AT);
    *out = (tg_descriptor){is_mn_major, mode ? 256 >> mode : CHUNK, field(bits, 0),
                           field(bits, LEADING_AT), field(bits, STRIDE_AT)};
}

int64_t tg_descriptor_address(const tg_descriptor *d, int64_t mn, int64_t k, int bytes)
{
    const quad n = extents_of(INT64_MAX, K_BYTES / bytes, bytes, d->swizzle, d->is_mn_major);
    const bool swaps = d->is_mn_major && d->swizzle > CHUNK;
    const int64_t inner = d->is_mn_major ? bytes : d->swizzle;
    const int64_t k_inner = d->is_mn_major ? d->swizzle : bytes;
    const int64_t address = d->start + mn % n.inner * inner + k % n.k_inner * k_inner +
                            mn / n.inner * (swaps ? d->leading : d->stride) +
                            k / n.k_inner * (swaps ? d->stride : d->leading);
    const tg_swizzle swizzle = {log2_of(d->swizzle / CHUNK), CHUNK_LOG, ROW_SHIFT, TG_AXIS_byte};
    return tg_swizzle_apply(&swizzle, address);
}
