#include "interp/memory/extent.h"

#include "interp/state/index_walk.h"

/* Sorts dimensions by falling strides, and merges those that can be one. */
static void arrange(tg_extent *r)
{
    for (int d = 1; d < r->rank; d++)
        for (int e = d; e > 0 && r->stride[e] > r->stride[e - 1]; e--) {
            int64_t count = r->count[e], stride = r->stride[e];
            r->count[e] = r->count[e - 1], r->stride[e] = r->stride[e - 1];
            r->count[e - 1] = count, r->stride[e - 1] = stride;
        }
    int kept = 0;
    for (int d = 1; d < r->rank; d++) {
        if (r->stride[kept] == r->count[d] * r->stride[d]) {
            r->count[kept] *= r->count[d];
            r->stride[kept] = r->stride[d];
        } else {
            kept++;
            r->count[kept] = r->count[d];
            r->stride[kept] = r->stride[d];
        }
    }
    r->rank = kept + 1;
}

static tg_extent extent_of(const unsigned char *data, int64_t origin, int rank, const int64_t *low,
                           const int64_t *high, const int64_t *stride, size_t bytes)
{
    tg_extent r = {.rank = 0};
    for (int d = 0; d < rank; d++) {
        if (low[d] >= high[d]) return (tg_extent){.rank = 0};
        origin += low[d] * stride[d];
        if (high[d] - low[d] == 1) continue;
        r.count[r.rank] = high[d] - low[d];
        r.stride[r.rank++] = stride[d] * (int64_t)bytes;
    }
    r.count[r.rank] = (int64_t)bytes;
    r.stride[r.rank++] = 1;
    r.first = data + origin * (int64_t)bytes;
    arrange(&r);
    return r;
}

tg_extent tg_ref_extent(const tg_ref *ref, int rank, size_t bytes)
{
    if (ref->is_nothing) return (tg_extent){.rank = 0};
    return extent_of(ref->data, ref->origin, rank, ref->low, ref->high, ref->stride, bytes);
}

tg_extent tg_box_extent(const tg_box *box, size_t bytes)
{
    return extent_of(box->data, box->origin, box->rank, box->low, box->high, box->stride, bytes);
}

/* Bytes from the first to the last one of the dimensions from `d` on, both included. */
static int64_t span(const tg_extent *r, int d)
{
    int64_t bytes = 1;
    for (; d < r->rank; d++) bytes += (r->count[d] - 1) * r->stride[d];
    return bytes;
}

int64_t tg_extent_span(const tg_extent *extent) { return span(extent, 0); }

/* The first byte in [low, high) of the dimensions from `d` on, based at `base`; INT64_MAX if there
 * is none.  If dimensions do not overlap, at most two inner runs are searched. */
static int64_t first_byte(const tg_extent *r, int d, int64_t base, int64_t low, int64_t high)
{
    if (base >= high || base + span(r, d) <= low) return INT64_MAX;
    if (base >= low) return base;
    if (d == r->rank - 1) return low;
    const int64_t stride = r->stride[d], inner = span(r, d + 1);
    int64_t from = low - base - inner < 0 ? 0 : (low - base - inner) / stride + 1;
    int64_t to = (high - base - 1) / stride;
    if (to > r->count[d] - 1) to = r->count[d] - 1;
    for (int64_t i = from; i <= to; i++) {
        const int64_t at = first_byte(r, d + 1, base + i * stride, low, high);
        if (at != INT64_MAX) return at;
    }
    return INT64_MAX;
}

const unsigned char *tg_extents_meet(const tg_extent *a, const tg_extent *b)
{
    if (!a->rank || !b->rank) return NULL;
    const int64_t shift = (int64_t)((uintptr_t)a->first - (uintptr_t)b->first);
    if (shift >= span(b, 0) || shift + span(a, 0) <= 0) return NULL;
    const int last = a->rank - 1;
    tg_index_walk run;
    if (!tg_index_begin(&run, last, a->count)) return NULL;
    do {
        const int64_t at = shift + tg_index_offset(&run, a->stride);
        const int64_t byte = first_byte(b, 0, 0, at, at + a->count[last]);
        if (byte != INT64_MAX) return a->first + (byte - shift);
    } while (tg_index_next(&run));
    return NULL;
}
