/* Layouts that are tiles and sums. */
#include "api/layout_made.h"
#include "layout/tile_of.h"

typedef struct tile_call {
    const tg_layout *a, *b;
    const int64_t *a_shape, *b_shape;
    size_t rank;
    tg_layout_join how;
    tg_status (*find)(const tg_shaped *whole, const tg_shaped *known, tg_joined how, tg_axe *out,
                      tg_diags *diags);
} tile_call;

static tg_status read_shapes(const tile_call *c, tg_shape *a, tg_shape *b, tg_diags *diags)
{
    TG_TRY(tg_layout_shape(c->a_shape, c->rank, a, diags));
    return tg_layout_shape(c->b_shape, c->rank, b, diags);
}

static tg_status tile(const void *call, tg_axe *out, tg_diags *diags)
{
    const tile_call *c = call;
    tg_shape a_shape, b_shape;
    TG_TRY(read_shapes(c, &a_shape, &b_shape, diags));
    const tg_shaped a = {&c->a->axe, &a_shape}, b = {&c->b->axe, &b_shape};
    return (c->how == TG_JOIN_SUM ? tg_axe_sum : tg_axe_tile)(&a, &b, out, diags);
}

tg_status tg_layout_tile(const tg_layout *outer, const int64_t *outer_shape, const tg_layout *inner,
                         const int64_t *inner_shape, size_t rank, tg_layout_join how,
                         tg_layout **out, tg_errors *errors)
{
    const tile_call call = {outer, inner, outer_shape, inner_shape, rank, how, NULL};
    return tg_layout_make(tile, &call, out, errors);
}

static tg_status tile_to(const void *call, tg_axe *out, tg_diags *diags)
{
    const tile_call *c = call;
    tg_shape inner_shape, shape;
    TG_TRY(read_shapes(c, &inner_shape, &shape, diags));
    const tg_shaped inner = {&c->a->axe, &inner_shape};
    return tg_axe_tile_to(&inner, &shape, TG_AXIS_m, out, diags);
}

tg_status tg_layout_tile_to(const tg_layout *inner, const int64_t *inner_shape,
                            const int64_t *shape, size_t rank, tg_layout **out, tg_errors *errors)
{
    const tile_call call = {inner, NULL, inner_shape, shape, rank, TG_JOIN_TILE, NULL};
    return tg_layout_make(tile_to, &call, out, errors);
}

static tg_status find_part(const void *call, tg_axe *out, tg_diags *diags)
{
    const tile_call *c = call;
    tg_shape whole_shape, known_shape;
    TG_TRY(read_shapes(c, &whole_shape, &known_shape, diags));
    const tg_shaped whole = {&c->a->axe, &whole_shape}, known = {&c->b->axe, &known_shape};
    return c->find(&whole, &known, c->how == TG_JOIN_SUM ? TG_JOINED_SUM : TG_JOINED_TILE, out,
                   diags);
}

tg_status tg_layout_outer_of(const tg_layout *whole, const int64_t *shape, const tg_layout *inner,
                             const int64_t *inner_shape, size_t rank, tg_layout_join how,
                             tg_layout **out, tg_errors *errors)
{
    const tile_call call = {whole, inner, shape, inner_shape, rank, how, tg_axe_outer_of};
    return tg_layout_make(find_part, &call, out, errors);
}

tg_status tg_layout_inner_of(const tg_layout *whole, const int64_t *shape, const tg_layout *outer,
                             const int64_t *outer_shape, size_t rank, tg_layout_join how,
                             tg_layout **out, tg_errors *errors)
{
    const tile_call call = {whole, outer, shape, outer_shape, rank, how, tg_axe_inner_of};
    return tg_layout_make(find_part, &call, out, errors);
}
