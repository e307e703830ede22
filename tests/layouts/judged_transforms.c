/* Transforms of references to shared memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/map.h"
#include "layout/mosaic/transforms_text.h"
#include "layout/print.h"
#include "layouts/judge.h"

static tg_status read_list(const char *text, tg_transforms *out, tg_diags *diags)
{
    return tg_transforms_read(text, strlen(text), out, diags);
}

static tg_status read_shape(const char *text, tg_shape *out, tg_diags *diags)
{
    return tg_shape_read(text, strlen(text), out, diags);
}

tg_status judged_transforms(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_transforms list;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    tg_transforms_print(&list, out);
    return TG_OK;
}

tg_status judged_transforms_shape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_transforms list;
    tg_shape shape, physical;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_transforms_shape(&list, &shape, atoi(in[2]), &physical, diags));
    tg_integers_print(physical.extent, physical.rank, out);
    return TG_OK;
}

tg_status judged_transforms_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_transforms list;
    tg_shape shape;
    tg_axe axe;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_transforms_to_axe(&list, &shape, atoi(in[2]), &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

/* The address of an element, in elements. */
tg_status judged_transforms_address(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_transforms list;
    tg_shape shape, at;
    tg_axe axe;
    tg_coordinate where;
    int64_t x;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(read_shape(in[3], &at, diags));
    TG_TRY(tg_transforms_to_axe(&list, &shape, atoi(in[2]), &axe, diags));
    TG_TRY(tg_shape_index(&shape, &at, &x, diags));
    tg_axe_map(&axe, x, 0, &where);
    tg_text_add(out, "%" PRId64, where.at[TG_AXIS_m]);
    return TG_OK;
}

tg_status judged_transforms_transpose(const char *const *in, int count, tg_text *out,
                                      tg_diags *diags)
{
    tg_transforms list, moved;
    tg_shape permutation;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &permutation, diags));
    TG_TRY(tg_transforms_transpose(&list, &permutation, &moved, diags));
    tg_transforms_print(&moved, out);
    return TG_OK;
}

tg_status judged_transforms_collapse(const char *const *in, int count, tg_text *out,
                                     tg_diags *diags)
{
    tg_transforms list, joined;
    tg_shape shape, groups;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(read_shape(in[2], &groups, diags));
    TG_TRY(tg_transforms_collapse(&list, &shape, &groups, &joined, diags));
    tg_transforms_print(&joined, out);
    return TG_OK;
}

tg_status judged_transforms_slice(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_transforms list;
    tg_shape shape, first, extent;
    (void)count;
    TG_TRY(read_list(in[0], &list, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(read_shape(in[3], &first, diags));
    TG_TRY(read_shape(in[4], &extent, diags));
    TG_TRY(tg_transforms_check_slice(&list, &shape, atoi(in[2]), &first, &extent, diags));
    tg_text_put(out, "true");
    return TG_OK;
}

tg_status judged_tile_transpose(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_shape tile, permutation, moved;
    (void)count;
    TG_TRY(read_shape(in[0], &tile, diags));
    TG_TRY(read_shape(in[1], &permutation, diags));
    TG_TRY(tg_tile_transpose(&tile, &permutation, &moved, diags));
    tg_integers_print(moved.extent, moved.rank, out);
    return TG_OK;
}

tg_status judged_tile_collapse(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_shape tile, shape, groups, joined;
    (void)count;
    TG_TRY(read_shape(in[0], &tile, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(read_shape(in[2], &groups, diags));
    TG_TRY(tg_tile_collapse(&tile, &shape, &groups, &joined, diags));
    tg_integers_print(joined.extent, joined.rank, out);
    return TG_OK;
}

tg_status judged_tile_swizzle(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_shape shape, tile;
    int bytes;
    (void)count;
    TG_TRY(read_shape(in[0], &shape, diags));
    TG_TRY(read_shape(in[1], &tile, diags));
    TG_TRY(tg_tile_swizzle(&tile, shape.rank, atoi(in[2]), atoi(in[3]), &bytes, diags));
    tg_text_add(out, "%d", bytes);
    return TG_OK;
}
