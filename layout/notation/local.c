/* Notations of layouts within a device. */
#include <stdlib.h>
#include <string.h>

#include "layout/cute/convert.h"
#include "layout/cute/text.h"
#include "layout/linear/convert.h"
#include "layout/linear/encoded.h"
#include "layout/linear/print.h"
#include "layout/linear/read.h"
#include "layout/notation/forms.h"
#include "layout/print.h"
#include "layout/read.h"

static tg_status need_shape(const tg_notation_context *context, tg_diags *diags)
{
    if (context->shape.rank) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "the shape of the array is needed");
}

tg_status tg_notation_read_axe(const char *text, size_t length, tg_notation_context *context,
                               tg_axe *out, tg_diags *diags)
{
    (void)context;
    return tg_axe_read(text, length, out, diags);
}

tg_status tg_notation_print_axe(const tg_axe *axe, const tg_notation_context *context, tg_text *out,
                                tg_diags *diags)
{
    (void)context, (void)diags;
    tg_axe_print(axe, out);
    return TG_OK;
}

static int64_t mode_size(const tg_cute *cute, int i)
{
    return tg_tuple_product(&cute->shape, tg_tuple_element(&cute->shape, 0, i));
}

/* The sizes of the modes. */
static tg_status shape_of(const tg_cute *cute, tg_shape *out, tg_diags *diags)
{
    const int modes = tg_cute_rank(cute);
    if (modes > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%d modes are more than %d dimensions",
                       modes, TG_SHAPE_MAX_RANK);
    out->rank = modes;
    for (int i = 0; i < modes; i++) out->extent[i] = mode_size(cute, i);
    return TG_OK;
}

tg_status tg_notation_read_cute(const char *text, size_t length, tg_notation_context *context,
                                tg_axe *out, tg_diags *diags)
{
    tg_cute cute;
    TG_TRY(tg_cute_read(text, length, &cute, diags));
    if (!context->shape.rank) TG_TRY(shape_of(&cute, &context->shape, diags));
    return tg_cute_to_axe(&cute, &context->shape, TG_AXIS_m, out, diags);
}

tg_status tg_notation_print_cute(const tg_axe *axe, const tg_notation_context *context,
                                 tg_text *out, tg_diags *diags)
{
    tg_cute cute;
    TG_TRY(need_shape(context, diags));
    TG_TRY(tg_cute_from_axe(axe, &context->shape, &cute, diags));
    tg_cute_print(&cute, out);
    return TG_OK;
}

/* Threads are lanes if they are those of a warp, else threads of a block. */
tg_status tg_notation_read_tv(const char *text, size_t length, tg_notation_context *context,
                              tg_axe *out, tg_diags *diags)
{
    tg_cute cute;
    TG_TRY(tg_cute_read(text, length, &cute, diags));
    TG_TRY(need_shape(context, diags));
    const bool is_warp = tg_cute_rank(&cute) == 2 && mode_size(&cute, 0) <= 32;
    const tg_cute_axes axes = {1, {is_warp ? TG_AXIS_lane : TG_AXIS_tx}, TG_AXIS_reg};
    return tg_cute_to_axe_tv(&cute, &context->shape, &axes, out, diags);
}

tg_status tg_notation_print_tv(const tg_axe *axe, const tg_notation_context *context, tg_text *out,
                               tg_diags *diags)
{
    tg_cute cute;
    tg_cute_axes axes;
    TG_TRY(need_shape(context, diags));
    TG_TRY(tg_cute_from_axe_tv(axe, &context->shape, &cute, &axes, diags));
    tg_cute_print(&cute, out);
    return TG_OK;
}

/* Whether a text is one of Triton's encodings, but not one that has its bases written. */
static bool is_encoding(const char *text, size_t length)
{
    static const char *const with_bases[] = {"#ttg.linear", "#ttg.shared_linear"};
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at])) at++;
    for (size_t i = 0; i < sizeof with_bases / sizeof *with_bases; i++) {
        const size_t size = strlen(with_bases[i]);
        if (length - at >= size && memcmp(text + at, with_bases[i], size) == 0) return false;
    }
    return at < length && text[at] == '#';
}

static tg_status read_encoding(const char *text, size_t length, const tg_notation_context *context,
                               tg_linear *out, tg_diags *diags)
{
    tg_encoding *encoding = calloc(1, sizeof *encoding);
    if (!encoding) return tg_no_memory(diags);
    tg_status status = tg_encoding_read(text, length, encoding, diags);
    if (status == TG_OK) status = need_shape(context, diags);
    if (status == TG_OK) status = tg_encoding_to_linear(encoding, &context->shape, out, diags);
    free(encoding);
    return status;
}

tg_status tg_notation_read_linear(const char *text, size_t length, tg_notation_context *context,
                                  tg_axe *out, tg_diags *diags)
{
    tg_linear linear;
    if (is_encoding(text, length))
        TG_TRY(read_encoding(text, length, context, &linear, diags));
    else
        TG_TRY(tg_linear_read(text, length, &linear, diags));
    return tg_linear_to_axe(&linear, out, &context->shape, diags);
}

tg_status tg_notation_print_linear(const tg_axe *axe, const tg_notation_context *context,
                                   tg_text *out, tg_diags *diags)
{
    tg_linear linear;
    TG_TRY(need_shape(context, diags));
    TG_TRY(tg_linear_from_axe(axe, &context->shape, &linear, diags));
    tg_linear_print(&linear, out);
    return TG_OK;
}
