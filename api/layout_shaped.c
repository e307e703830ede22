/* Layouts of arrays whose dimensions are grouped, cut, exchanged, reduced, repeated. */
#include "api/layout_made.h"
#include "layout/group.h"
#include "layout/permute.h"
#include "layout/reduce.h"
#include "layout/slice.h"

/* ---- groups ---- */

typedef struct group_call {
    const tg_layout *layout;
    const int64_t *shapes;
    const size_t *ranks;
    size_t count, *first;
} group_call;

static tg_status group(const void *call, tg_axe *out, tg_diags *diags)
{
    const group_call *c = call;
    tg_shape shape;
    tg_groups groups;
    TG_TRY(tg_layout_shape(c->shapes, *c->ranks, &shape, diags));
    TG_TRY(tg_axe_group(&c->layout->axe, &shape, &groups, diags));
    tg_axe_copy(&c->layout->axe, out);
    tg_iters_copy(&groups.d, &out->d);
    for (int i = 0; i <= groups.rank; i++) c->first[i] = (size_t)groups.first[i];
    return TG_OK;
}

tg_status tg_layout_group(const tg_layout *layout, const int64_t *shape, size_t rank,
                          tg_layout **out, size_t *first, tg_errors *errors)
{
    const group_call call = {layout, shape, &rank, 1, first};
    return tg_layout_make(group, &call, out, errors);
}

static tg_status group_many(const void *call, tg_axe *out, tg_diags *diags)
{
    const group_call *c = call;
    const int64_t *next = c->shapes;
    size_t *first = c->first;
    tg_shape shapes[TG_GROUP_MAX_SHAPES];
    tg_refinement refined;
    if (c->count > TG_GROUP_MAX_SHAPES)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "at most %d shapes group a layout at once",
                       TG_GROUP_MAX_SHAPES);
    for (size_t s = 0; s < c->count; next += c->ranks[s++])
        TG_TRY(tg_layout_shape(next, c->ranks[s], &shapes[s], diags));
    TG_TRY(tg_axe_group_many(&c->layout->axe, shapes, (int)c->count, &refined, diags));
    tg_axe_copy(&c->layout->axe, out);
    tg_iters_copy(&refined.d, &out->d);
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i <= c->ranks[s]; i++) *first++ = (size_t)refined.first[s][i];
    return TG_OK;
}

tg_status tg_layout_group_many(const tg_layout *layout, const int64_t *shapes, const size_t *ranks,
                               size_t count, tg_layout **out, size_t *first, tg_errors *errors)
{
    const group_call call = {layout, shapes, ranks, count, first};
    return tg_layout_make(group_many, &call, out, errors);
}

/* ---- parts and order ---- */

typedef struct part_call {
    const tg_layout *layout;
    const int64_t *shape, *first, *extent; /* first: the permutation, where it is one */
    size_t rank;
} part_call;

static tg_status slice(const void *call, tg_axe *out, tg_diags *diags)
{
    const part_call *c = call;
    tg_shape shape, first, extent;
    TG_TRY(tg_layout_shape(c->shape, c->rank, &shape, diags));
    TG_TRY(tg_layout_shape(c->first, c->rank, &first, diags));
    TG_TRY(tg_layout_shape(c->extent, c->rank, &extent, diags));
    return tg_axe_slice(&c->layout->axe, &shape, &first, &extent, out, diags);
}

tg_status tg_layout_slice(const tg_layout *layout, const int64_t *shape, const int64_t *first,
                          const int64_t *extent, size_t rank, tg_layout **out, tg_errors *errors)
{
    const part_call call = {layout, shape, first, extent, rank};
    return tg_layout_make(slice, &call, out, errors);
}

static tg_status permute(const void *call, tg_axe *out, tg_diags *diags)
{
    const part_call *c = call;
    tg_shape shape, permutation;
    TG_TRY(tg_layout_shape(c->shape, c->rank, &shape, diags));
    TG_TRY(tg_layout_shape(c->first, c->rank, &permutation, diags));
    return tg_axe_permute(&c->layout->axe, &shape, &permutation, out, diags);
}

tg_status tg_layout_permute(const tg_layout *layout, const int64_t *shape,
                            const int64_t *permutation, size_t rank, tg_layout **out,
                            tg_errors *errors)
{
    const part_call call = {layout, shape, permutation, NULL, rank};
    return tg_layout_make(permute, &call, out, errors);
}

/* ---- dimensions that go and come ---- */

typedef struct dims_call {
    const tg_layout *layout;
    const int64_t *shape, *dims;
    size_t rank, count;
    tg_status (*change)(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                        tg_diags *diags);
} dims_call;

static tg_status change(const void *call, tg_axe *out, tg_diags *diags)
{
    const dims_call *c = call;
    tg_shape shape;
    tg_dim_set dims = 0;
    TG_TRY(tg_layout_shape(c->shape, c->rank, &shape, diags));
    for (size_t i = 0; i < c->count; i++) {
        if (c->dims[i] < 0 || c->dims[i] >= shape.rank)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "there is no dimension %lld in a shape of rank %d",
                           (long long)c->dims[i], shape.rank);
        dims |= UINT32_C(1) << c->dims[i];
    }
    return c->change(&c->layout->axe, &shape, dims, out, diags);
}

tg_status tg_layout_reduce(const tg_layout *layout, const int64_t *shape, size_t rank,
                           const int64_t *dims, size_t count, tg_layout **out, tg_errors *errors)
{
    const dims_call call = {layout, shape, dims, rank, count, tg_axe_reduce};
    return tg_layout_make(change, &call, out, errors);
}

tg_status tg_layout_broadcast(const tg_layout *layout, const int64_t *shape, size_t rank,
                              const int64_t *dims, size_t count, tg_layout **out, tg_errors *errors)
{
    const dims_call call = {layout, shape, dims, rank, count, tg_axe_broadcast};
    return tg_layout_make(change, &call, out, errors);
}
