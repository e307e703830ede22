#include "layout/mesh/reshard.h"

#include "layout/multiples.h"

/* Where parts that dimension `from` holds go to another, which wants them and more behind them,
 * `from` is divided by these too, so that one all-to-all moves all.  Returns the dimension that
 * wants them, and the range of parts in its list; or -1. */
static int wants_behind(const tg_reshard *r, int from, int *first, int *end)
{
    const tg_parts *in = &r->in[from];
    int to, at, other, ignored;
    if (!in->count || r->out[from].count) return -1;
    if (!tg_reshard_wants(r, &in->list[in->count - 1], &to, &at)) return -1;
    const tg_parts *out = &r->out[to];
    if (r->in[to].count || at + 1 == out->count || tg_reshard_has(r, &out->list[at + 1])) return -1;
    int i = in->count - 1;
    for (int k = at; i >= 0 && k >= 0 && tg_part_same(&in->list[i], &out->list[k]); k--) i--;
    for (; i >= 0; i--) /* none of the others may go there too */
        if (tg_reshard_wants(r, &in->list[i], &other, &ignored) && other == to) return -1;
    *first = at + 1;
    for (*end = *first; *end < out->count && !tg_reshard_has(r, &out->list[*end]);) ++*end;
    return to;
}

/* Blocks that the last parts of `in` and those that end at `out[at]` have in common. */
static int64_t common_blocks(const tg_parts *in, const tg_parts *out, int at)
{
    int64_t blocks = 1;
    for (int i = in->count - 1; i >= 0 && at >= 0; i--, at--) {
        if (!tg_part_same(&in->list[i], &out->list[at])) break;
        blocks *= in->list[i].size;
    }
    return blocks;
}

static bool slice_behind(tg_reshard *r, int from, tg_parts *sliced)
{
    int first, end;
    const int to = wants_behind(r, from, &first, &end);
    if (to < 0) return false;
    int64_t added = 1, blocks;
    for (int i = first; i < end; i++) added *= r->out[to].list[i].size;
    if (__builtin_mul_overflow(tg_parts_size(&r->now.dims[from]), added, &blocks) ||
        r->shape->extent[from] % blocks != 0)
        return false;
    r->capacity[to] /= common_blocks(&r->in[from], &r->out[to], first - 1) * added;
    for (int i = first; i < end; i++) {
        const tg_part part = r->out[to].list[i];
        tg_parts_put(&r->in[from], part);
        tg_parts_add(&sliced[from], part);
        tg_parts_add(&r->now.dims[from], part);
    }
    return true;
}

/* Divides a dimension by the parts that it wants and that no dimension has, as its capacity allows;
 * the others go to `available`. */
static bool slice_in_place(tg_reshard *r, int d, tg_parts *sliced, tg_parts *available)
{
    tg_parts *in = &r->in[d], *out = &r->out[d];
    bool any = false;
    for (int i = 0; i < out->count;) {
        tg_part within, left;
        if (tg_reshard_has(r, &out->list[i])) {
            i++;
            continue;
        }
        if (!tg_reshard_fit(&out->list[i], &r->capacity[d], &within, &left)) {
            tg_parts_put(available, out->list[i++]);
            continue;
        }
        any = true;
        tg_parts_add(sliced, within);
        tg_parts_add(&r->now.dims[d], within);
        if (!in->count && i == 0) {
            tg_parts_remove(out, 0);
        } else {
            tg_parts_put(in, within);
            out->list[i++] = within;
        }
        if (left.size == 1) continue;
        tg_parts_insert(out, i++, left);
        tg_parts_put(available, left);
    }
    return any;
}

tg_status tg_reshard_slice(tg_reshard *r, tg_diags *diags)
{
    tg_parts sliced[TG_SHAPE_MAX_RANK], available = {0};
    bool any = false;
    for (int d = 0; d < r->now.rank; d++) {
        const int64_t in = tg_parts_size(&r->in[d]), out = tg_parts_size(&r->out[d]);
        r->capacity[d] = out / tg_gcd(in, out);
        sliced[d].count = 0;
    }
    for (int d = 0; d < r->now.rank; d++) any |= slice_behind(r, d, sliced);
    for (int d = 0; d < r->now.rank; d++) any |= slice_in_place(r, d, &sliced[d], &available);
    tg_reshard_distribute(r, &available, false, false, sliced);
    for (int d = 0; d < r->now.rank; d++) any |= sliced[d].count > 0;
    if (!any) return TG_OK;
    tg_collective *step = tg_collectives_add(r->steps, TG_ALL_SLICE, &r->now);
    if (!step) return tg_no_memory(diags);
    for (int d = 0; d < r->now.rank; d++) tg_parts_copy(&sliced[d], &step->axes[d]);
    return TG_OK;
}
