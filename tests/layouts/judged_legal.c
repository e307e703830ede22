/* What instructions demand.  A description is a text of key=value, with spaces between; a value is an
 * integer or a tuple without spaces. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/equal.h"
#include "layout/legal/datapath.h"
#include "layout/legal/descriptor.h"
#include "layout/legal/ldmatrix.h"
#include "layout/legal/tcgen05.h"
#include "layout/legal/tma.h"
#include "layout/legal/wgmma.h"
#include "layout/print.h"
#include "layouts/judge.h"

/* The text of a value, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
        if ((at == text || at[-1] == ' ') && at[length] == '=') return at + length + 1;
    return NULL;
}

static int64_t number_of(const char *text, const char *key, int64_t otherwise)
{
    const char *value = value_of(text, key);
    return value ? strtoll(value, NULL, 10) : otherwise;
}

static void tuple_of(const char *text, const char *key, int64_t *out)
{
    const char *value = value_of(text, key);
    tg_shape tuple;
    if (!value || tg_shape_read(value, strcspn(value, " "), &tuple, NULL) != TG_OK) return;
    for (int i = 0; i < tuple.rank; i++) out[i] = tuple.extent[i];
}

/* "legal", or the rules that are broken: with "all", each. */
static tg_status tell(tg_status status, tg_text *out)
{
    if (status == TG_OK) tg_text_put(out, "legal");
    return status;
}

static tg_status tell_all(const tg_diags *diags, tg_text *out)
{
    for (size_t i = 0; i < diags->count; i++)
        tg_text_add(out, "%s%.*s", i ? " " : "", (int)strcspn(diags->list[i].message, ":"),
                    diags->list[i].message);
    return TG_OK;
}

tg_status judged_legal_tma(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tma t;
    tg_shape size;
    const char *text = in[0], *value = value_of(text, "size");
    TG_TRY(tg_shape_read(value, strcspn(value, " "), &size, diags));
    tg_tma_begin(&size, (int)number_of(text, "bits", 32), &t);
    tuple_of(text, "stride", t.stride);
    tuple_of(text, "box", t.box);
    tuple_of(text, "step", t.element_stride);
    t.swizzle = (int)number_of(text, "swizzle", 0);
    t.address = number_of(text, "address", 0);
    t.shared_address = number_of(text, "shared", 0);
    t.is_mosaic = number_of(text, "mosaic", 0) != 0;
    if (count < 2) return tell(tg_tma_check(&t, false, diags), out);
    tg_diags each = {0};
    tg_tma_check(&t, true, &each);
    tell_all(&each, out);
    tg_diags_free(&each);
    return TG_OK;
}

static tg_wgmma_operand operand_of(const char *text, const char *swizzle, const char *tile,
                                   const char *address, const char *mn, int bits)
{
    tg_wgmma_operand o = {.swizzle = (int)number_of(text, swizzle, 128)};
    int64_t extents[TG_SHAPE_MAX_RANK] = {8, bits ? o.swizzle * 8 / bits : 0};
    tuple_of(text, tile, extents);
    o.tile_rows = extents[0];
    o.tile_columns = extents[1];
    o.address = number_of(text, address, 0);
    o.is_mn_major = number_of(text, mn, 0) != 0;
    return o;
}

tg_status judged_legal_wgmma(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    const char *text = in[0];
    tg_wgmma w = {.m = number_of(text, "m", 64),
                  .n = number_of(text, "n", 128),
                  .k = number_of(text, "k", 64),
                  .bits = (int)number_of(text, "bits", 16),
                  .is_integer = number_of(text, "integer", 0) != 0,
                  .is_mosaic = number_of(text, "mosaic", 0) != 0};
    w.a = operand_of(text, "a_swizzle", "a_tile", "a_address", "a_mn", w.bits);
    w.b = operand_of(text, "b_swizzle", "b_tile", "b_address", "b_mn", w.bits);
    w.a.in_registers = number_of(text, "a_registers", 0) != 0;
    w.b.in_registers = number_of(text, "b_registers", 0) != 0;
    if (count < 2) return tell(tg_wgmma_check(&w, false, diags), out);
    tg_diags each = {0};
    tg_wgmma_check(&w, true, &each);
    tell_all(&each, out);
    tg_diags_free(&each);
    return TG_OK;
}

tg_status judged_legal_tcgen05(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    const char *text = in[0], *shape = value_of(text, "shape");
    tg_tcgen05 t = {.ctas = (int)number_of(text, "ctas", 1),
                    .m = number_of(text, "m", 128),
                    .n = number_of(text, "n", 128),
                    .k = number_of(text, "k", 64),
                    .bits = (int)number_of(text, "bits", 16),
                    .is_integer = number_of(text, "integer", 0) != 0,
                    .columns = number_of(text, "columns", 0),
                    .repeat = number_of(text, "repeat", 1),
                    .warp = number_of(text, "warp", 0),
                    .lane = number_of(text, "lane", 0),
                    .column = number_of(text, "column", 0)};
    if (value_of(text, "columns")) t.of = TG_TCGEN05_OF_ALLOC;
    if (shape) {
        t.of = TG_TCGEN05_OF_MOVE;
        t.rows = atoi(shape);
        t.shape_bits = atoi(strchr(shape, 'x') + 1);
    }
    if (count < 2) return tell(tg_tcgen05_check(&t, false, diags), out);
    tg_diags each = {0};
    tg_tcgen05_check(&t, true, &each);
    tell_all(&each, out);
    tg_diags_free(&each);
    return TG_OK;
}

/* Rows of a matrix are `pitch` bytes apart, from `address` on. */
tg_status judged_legal_ldmatrix(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_ldmatrix l = {.count = (int)number_of(in[0], "count", 4)};
    const int64_t address = number_of(in[0], "address", 0), pitch = number_of(in[0], "pitch", 16);
    (void)count;
    for (int i = 0; i < TG_LDMATRIX_LANES; i++) l.address[i] = address + i * pitch;
    return tell(tg_ldmatrix_check(&l, false, diags), out);
}

/* Layout, mn, k, bytes of an element, "K" or "MN". */
tg_status judged_descriptor(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_descriptor d;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(tg_descriptor_derive(&axe, atoll(in[1]), atoll(in[2]), atoi(in[3]),
                                strcmp(in[4], "MN") == 0, &d, diags));
    tg_text_add(out, "start %" PRId64 " LBO %" PRId64 " SBO %" PRId64 " swizzle %d 0x%016" PRIx64,
                d.start, d.leading, d.stride, d.swizzle, tg_descriptor_encode(&d));
    return TG_OK;
}

tg_status judged_datapath(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    TG_TRY(tg_datapath_to_axe(in[0][0], atoll(in[1]), count > 2 ? atoi(in[2]) : 0, &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

tg_status judged_datapath_is(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, other;
    bool same;
    (void)count;
    TG_TRY(tg_datapath_to_axe(in[0][0], atoll(in[1]), atoi(in[2]), &axe, diags));
    TG_TRY(judge_read(in[3], &other, diags));
    TG_TRY(tg_axe_equal(&axe, &other, &same, diags));
    tg_text_put(out, same ? "true" : "false");
    return TG_OK;
}
