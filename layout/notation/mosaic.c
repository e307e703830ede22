/* The notation of Mosaic GPU. */
#include "layout/mosaic/convert.h"
#include "layout/mosaic/fragment_text.h"
#include "layout/notation/forms.h"

enum { CELL_BITS = 32 };

/* Strided and splat layouts say their shape.  In tensor memory, vectors fill their columns. */
tg_status tg_notation_read_mosaic(const char *text, size_t length, tg_notation_context *context,
                                  tg_axe *out, tg_diags *diags)
{
    tg_fragment fragment;
    int bits = 0;
    TG_TRY(tg_fragment_read(text, length, &fragment, diags));
    const bool has_shape =
        fragment.kind == TG_FRAGMENT_STRIDED || fragment.kind == TG_FRAGMENT_SPLAT;
    if (has_shape && !context->shape.rank) context->shape = fragment.shape;
    if (!has_shape && !context->shape.rank)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the shape of the array is needed");
    if (fragment.kind == TG_FRAGMENT_TMEM) {
        const int64_t elements = tg_tiled_vector_length(&fragment.tiled);
        bits = elements <= CELL_BITS ? CELL_BITS / (int)elements : 1;
    }
    return tg_fragment_to_axe(&fragment, &context->shape, bits, out, diags);
}

tg_status tg_notation_print_mosaic(const tg_axe *axe, const tg_notation_context *context,
                                   tg_text *out, tg_diags *diags)
{
    tg_fragment fragment;
    if (!context->shape.rank)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the shape of the array is needed");
    TG_TRY(tg_fragment_from_axe(axe, &context->shape, &fragment, diags));
    tg_fragment_print(&fragment, out);
    return TG_OK;
}
