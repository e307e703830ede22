/* Layouts of Mosaic GPU: tilings, layouts in registers and in tensor memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/equal.h"
#include "layout/mosaic/convert.h"
#include "layout/mosaic/fragment_text.h"
#include "layout/print.h"
#include "layouts/judge.h"

static tg_status read_fragment(const char *text, tg_fragment *out, tg_diags *diags)
{
    return tg_fragment_read(text, strlen(text), out, diags);
}

static tg_status read_shape(const char *text, tg_shape *out, tg_diags *diags)
{
    return tg_shape_read(text, strlen(text), out, diags);
}

static tg_status read_tiling(const char *text, tg_tiling *out, tg_diags *diags)
{
    return tg_tiling_read(text, strlen(text), out, diags);
}

static void print_shape(const tg_shape *shape, tg_text *out)
{
    tg_integers_print(shape->extent, shape->rank, out);
}

/* A tuple that may be longer than a shape. */
static tg_status read_integers(const char *text, tg_integers *out, tg_diags *diags)
{
    out->rank = 0;
    for (const char *at = text; *at;) {
        char *end;
        const long long value = strtoll(at, &end, 10);
        if (end == at) {
            at++;
            continue;
        }
        if (out->rank == TG_INTEGERS_MAX)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "too many integers");
        out->at[out->rank++] = value;
        at = end;
    }
    return TG_OK;
}

/* ---- tilings ---- */

typedef tg_status tile_fn(const tg_tiling *, const tg_shape *, tg_integers *, tg_diags *);
typedef tg_status untile_fn(const tg_tiling *, const tg_integers *, tg_shape *, tg_diags *);

static tg_status tile(tile_fn *fn, const char *const *in, tg_text *out, tg_diags *diags)
{
    tg_tiling tiling;
    tg_shape shape;
    tg_integers tiled;
    TG_TRY(read_tiling(in[0], &tiling, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(fn(&tiling, &shape, &tiled, diags));
    tg_integers_print(tiled.at, tiled.rank, out);
    return TG_OK;
}

static tg_status untile(untile_fn *fn, const char *const *in, tg_text *out, tg_diags *diags)
{
    tg_tiling tiling;
    tg_shape shape;
    tg_integers tiled;
    TG_TRY(read_tiling(in[0], &tiling, diags));
    TG_TRY(read_integers(in[1], &tiled, diags));
    TG_TRY(fn(&tiling, &tiled, &shape, diags));
    print_shape(&shape, out);
    return TG_OK;
}

tg_status judged_tile_shape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return tile(tg_tiling_tile_shape, in, out, diags);
}

tg_status judged_tile_strides(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return tile(tg_tiling_tile_strides, in, out, diags);
}

tg_status judged_tile_indices(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return tile(tg_tiling_tile_indices, in, out, diags);
}

tg_status judged_untile_shape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return untile(tg_tiling_untile_shape, in, out, diags);
}

tg_status judged_untile_indices(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return untile(tg_tiling_untile_indices, in, out, diags);
}

tg_status judged_tiling_canonical(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tiling tiling;
    (void)count;
    TG_TRY(read_tiling(in[0], &tiling, diags));
    tg_tiling_canonize(&tiling);
    tg_tiling_print(&tiling, out);
    return TG_OK;
}

/* ---- layouts ---- */

tg_status judged_fragment(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    tg_fragment_print(&f, out);
    return TG_OK;
}

tg_status judged_fragment_canonical(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    tg_tiled_canonize(&f.tiled);
    tg_fragment_print(&f, out);
    return TG_OK;
}

tg_status judged_fragment_reduce(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f, reduced;
    tg_shape rank, axes;
    int list[TG_SHAPE_MAX_RANK];
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &rank, diags));
    TG_TRY(read_shape(in[2], &axes, diags));
    for (int i = 0; i < axes.rank; i++) list[i] = (int)axes.extent[i];
    TG_TRY(
        tg_fragment_reduce(&f, (int)rank.extent[0], list, axes.rank, count > 3, &reduced, diags));
    tg_fragment_print(&reduced, out);
    return TG_OK;
}

tg_status judged_fragment_reshape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f, reshaped;
    tg_shape from, to;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &from, diags));
    TG_TRY(read_shape(in[2], &to, diags));
    TG_TRY(tg_fragment_reshape(&f, &from, &to, &reshaped, diags));
    tg_fragment_print(&reshaped, out);
    return TG_OK;
}

tg_status judged_fragment_registers(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape;
    tg_integers registers;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_tiled_registers(&f.tiled, &shape, &registers, diags));
    tg_integers_print(registers.at, registers.rank, out);
    return TG_OK;
}

tg_status judged_fragment_shape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape;
    tg_integers registers;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_integers(in[1], &registers, diags));
    TG_TRY(tg_tiled_shape_of(&f.tiled, &registers, &shape, diags));
    print_shape(&shape, out);
    return TG_OK;
}

tg_status judged_fragment_element(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape, at;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_tiled_element(&f.tiled, &shape, atoll(in[2]), atoll(in[3]), &at, diags));
    print_shape(&at, out);
    return TG_OK;
}

tg_status judged_fragment_fits(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_fragment_fits(&f, &shape, count > 2 ? atoi(in[2]) : 0, diags));
    tg_text_put(out, "true");
    return TG_OK;
}

tg_status judged_tmem_columns(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape;
    int64_t columns;
    (void)count;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_tmem_columns(&f.tiled, &shape, atoi(in[2]), &columns, diags));
    tg_text_add(out, "%" PRId64, columns);
    return TG_OK;
}

static tg_status to_axe(const char *const *in, const char *bits, tg_axe *out, tg_diags *diags)
{
    tg_fragment f;
    tg_shape shape;
    TG_TRY(read_fragment(in[0], &f, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    return tg_fragment_to_axe(&f, &shape, bits ? atoi(bits) : 0, out, diags);
}

tg_status judged_fragment_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    TG_TRY(to_axe(in, count > 2 ? in[2] : NULL, &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

tg_status judged_fragment_is(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, other;
    bool same;
    TG_TRY(to_axe(in, count > 3 ? in[3] : NULL, &axe, diags));
    TG_TRY(judge_read(in[2], &other, diags));
    TG_TRY(tg_axe_equal(&axe, &other, &same, diags));
    tg_text_put(out, same ? "true" : "false");
    return TG_OK;
}

tg_status judged_fragment_of_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_fragment f;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_fragment_from_axe(&axe, &shape, &f, diags));
    tg_fragment_print(&f, out);
    return TG_OK;
}
