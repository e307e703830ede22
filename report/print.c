/* The text of a debug_print or check: the format with its operands inserted. */
#include "report/print.h"

#include "report/print_block.h"
#include "report/print_scalar.h"

static tg_print_options options_of(const tg_op *op)
{
    return (tg_print_options){
        .precision = (int)tg_op_int(op, TG_ATTR_print_precision, 8),
        .threshold = tg_op_int(op, TG_ATTR_print_threshold, 1000),
        .edge_items = tg_op_int(op, TG_ATTR_print_edge_items, 3),
        .width = tg_op_int(op, TG_ATTR_print_width, 75),
        .suppress = tg_op_int(op, TG_ATTR_print_suppress, 0) != 0,
    };
}

char *tg_print_values(const struct tg_inst_print *print, tg_print_view_fn *view,
                      const void *context, const char *end)
{
    const tg_print_options options = options_of(print->source);
    const char *format = print->format;
    tg_text text = {0};
    tg_format_piece piece;
    for (uint32_t next = 0; !tg_format_next(&format, &piece) && piece.kind != TG_FORMAT_END;) {
        if (piece.kind == TG_FORMAT_TEXT) {
            tg_text_put_bytes(&text, piece.text, piece.length);
            continue;
        }
        const tg_dtype dtype = print->in[next].dtype;
        const tg_view value = view(context, print, next++);
        if (value.rank > 0)
            tg_print_block(&text, dtype, &value, &options);
        else
            tg_print_scalar(&text, dtype, value.data, &piece.spec);
    }
    tg_text_put(&text, end);
    return tg_text_finish(&text);
}
