/* Axe layouts: canonical form, equality, map. */
#include <string.h>

#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/print.h"
#include "layout/read.h"
#include "layouts/judged_parts.h"
#include "loaders/layout_json.h"

tg_status judge_read(const char *text, tg_axe *out, tg_diags *diags)
{
    return tg_axe_read(text, strlen(text), out, diags);
}

tg_status judged_axe_text(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

tg_status judged_axe_rows(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    tg_axe_print_rows(&axe, out);
    return TG_OK;
}

tg_status judged_axe_json(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    (void)count;
    TG_TRY(tg_axe_read_json(in[0], strlen(in[0]), &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

tg_status judged_axe_canonical(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    tg_axe_canonize(&axe);
    tg_axe_print(&axe, out);
    return TG_OK;
}

tg_status judged_axe_equal(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe a, b;
    bool equal;
    (void)count;
    TG_TRY(judge_read(in[0], &a, diags));
    TG_TRY(judge_read(in[1], &b, diags));
    TG_TRY(tg_axe_equal(&a, &b, &equal, diags));
    tg_text_put(out, equal ? "true" : "false");
    return TG_OK;
}

static tg_status element(const char *at, const char *shape, int64_t *out, tg_diags *diags)
{
    tg_shape coordinate, of;
    TG_TRY(tg_shape_read(at, strlen(at), &coordinate, diags));
    *out = coordinate.extent[0];
    if (!shape) return TG_OK;
    TG_TRY(tg_shape_read(shape, strlen(shape), &of, diags));
    return tg_shape_index(&of, &coordinate, out, diags);
}

/* Each place as 8@lane 6@warp; an axis with 0 is not named. */
tg_status judged_axe_map(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    int64_t x;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(element(in[1], count > 2 ? in[2] : NULL, &x, diags));
    for (int64_t r = 0; r < tg_iters_size(&axe.r); r++) {
        tg_coordinate at;
        tg_axe_map(&axe, x, r, &at);
        if (r) tg_text_put(out, " | ");
        judge_print_place(&at, out);
    }
    return TG_OK;
}
