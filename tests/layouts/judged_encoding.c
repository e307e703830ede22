/* Encodings of Triton, as linear layouts. */
#include <stdlib.h>
#include <string.h>

#include "layout/linear/convert.h"
#include "layout/linear/encoded.h"
#include "layout/linear/mma.h"
#include "layout/linear/print.h"
#include "layout/linear/read.h"
#include "layout/print.h"
#include "layouts/judge.h"

static tg_status to_linear(const char *text, const char *shape_text, tg_linear *out,
                           tg_diags *diags)
{
    static tg_encoding encoding;
    tg_shape shape;
    TG_TRY(tg_encoding_read(text, strlen(text), &encoding, diags));
    TG_TRY(tg_shape_read(shape_text, strlen(shape_text), &shape, diags));
    return tg_encoding_to_linear(&encoding, &shape, out, diags);
}

tg_status judged_encoding(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_linear linear;
    (void)count;
    TG_TRY(to_linear(in[0], in[1], &linear, diags));
    tg_linear_print(&linear, out);
    return TG_OK;
}

tg_status judged_encoding_same(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_linear a, b;
    (void)count;
    TG_TRY(to_linear(in[0], in[2], &a, diags));
    TG_TRY(to_linear(in[1], in[2], &b, diags));
    tg_text_put(out, tg_linear_same(&a, &b) ? "true" : "false");
    return TG_OK;
}

tg_status judged_mma_scales(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_shape shape, warps;
    tg_linear linear;
    (void)count;
    TG_TRY(tg_shape_read(in[0], strlen(in[0]), &shape, diags));
    TG_TRY(tg_shape_read(in[2], strlen(in[2]), &warps, diags));
    TG_TRY(tg_mma_scales_to_linear(&shape, atoi(in[1]), &warps, &linear, diags));
    tg_linear_print(&linear, out);
    return TG_OK;
}

tg_status judged_linear_from_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_linear linear;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(tg_shape_read(in[1], strlen(in[1]), &shape, diags));
    TG_TRY(tg_linear_from_axe(&axe, &shape, &linear, diags));
    tg_linear_print(&linear, out);
    return TG_OK;
}

/* A linear layout, or an encoding with a shape. */
tg_status judged_linear_to_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_linear linear;
    TG_TRY(count == 2 ? to_linear(in[0], in[1], &linear, diags)
                      : tg_linear_read(in[0], strlen(in[0]), &linear, diags));
    TG_TRY(tg_linear_to_axe(&linear, &axe, &shape, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}
