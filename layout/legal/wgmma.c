#include "layout/legal/wgmma.h"

#include <inttypes.h>

enum { M_UNIT = 64, N_UNIT = 8, MOST_N = 256, K_BITS = 256, CHUNK_BYTES = 16, TILE_ROWS = 8 };

const tg_demand tg_wgmma_rules[TG_WGMMA_RULE_COUNT] = {
#define TG_WGMMA_RULE(id, demands, source) [TG_WGMMA_##id] = {"wgmma_" #id, demands, source},
#include "layout/legal/wgmma.def"
};

/* ---- of the instruction ---- */

static bool keeps_bits(const tg_wgmma *w, tg_text *found)
{
    tg_text_add(found, "they have %d", w->bits);
    return w->bits == 8 || w->bits == 16 || w->bits == 32;
}

static bool keeps_m(const tg_wgmma *w, tg_text *found)
{
    tg_text_add(found, "M is %" PRId64, w->m);
    return w->m > 0 && w->m % M_UNIT == 0;
}

static bool keeps_n(const tg_wgmma *w, tg_text *found)
{
    tg_text_add(found, "N is %" PRId64, w->n);
    return w->n > 0 && w->n % N_UNIT == 0 && w->n <= MOST_N;
}

static bool keeps_n_integer(const tg_wgmma *w, tg_text *found)
{
    tg_text_add(found, "N is %" PRId64, w->n);
    return !w->is_integer || w->n == 8 || w->n == 24 ||
           (w->n > 0 && w->n % 16 == 0 && w->n <= MOST_N);
}

/* Whether K elements are whole units. */
static bool is_k_multiple(const tg_wgmma *w, int64_t unit_bits, tg_text *found)
{
    tg_text_add(found, "K is %" PRId64 " elements of %d bits", w->k, w->bits);
    return w->k > 0 && (__int128)w->k * w->bits % unit_bits == 0;
}

static bool keeps_k(const tg_wgmma *w, tg_text *found) { return is_k_multiple(w, K_BITS, found); }

static bool is_swizzle(int bytes)
{
    return bytes == 16 || bytes == 32 || bytes == 64 || bytes == 128;
}

static bool keeps_k_group(const tg_wgmma *w, tg_text *found)
{
    const int bytes = w->b.swizzle;
    tg_text_add(found, "the swizzle is of %d bytes, ", bytes);
    return !w->is_mosaic || !is_swizzle(bytes) || is_k_multiple(w, bytes * 8, found);
}

/* ---- of the operands ---- */

/* Whether a rule holds of both operands; tells of the first of which it does not. */
static bool both_keep(const tg_wgmma *w, bool (*keeps)(const tg_wgmma *, const tg_wgmma_operand *),
                      const tg_wgmma_operand **not_of, const char **name)
{
    const tg_wgmma_operand *operands[] = {&w->a, &w->b};
    for (int i = 0; i < 2; i++) {
        *not_of = operands[i];
        *name = i ? "B" : "A";
        if (!keeps(w, operands[i])) return false;
    }
    return true;
}

static bool has_swizzle(const tg_wgmma *w, const tg_wgmma_operand *o)
{
    (void)w;
    return o->in_registers || is_swizzle(o->swizzle);
}

static bool keeps_swizzle(const tg_wgmma *w, tg_text *found)
{
    const tg_wgmma_operand *o;
    const char *name;
    if (both_keep(w, has_swizzle, &o, &name)) return true;
    tg_text_add(found, "that of %s is of %d bytes", name, o->swizzle);
    return false;
}

static bool has_order(const tg_wgmma *w, const tg_wgmma_operand *o)
{
    return !o->is_mn_major || o->in_registers || w->bits == 16;
}

static bool keeps_major(const tg_wgmma *w, tg_text *found)
{
    const tg_wgmma_operand *o;
    const char *name;
    if (both_keep(w, has_order, &o, &name)) return true;
    tg_text_add(found, "%s is contiguous along %c, with elements of %d bits", name,
                o == &w->a ? 'M' : 'N', w->bits);
    return false;
}

static bool keeps_registers(const tg_wgmma *w, tg_text *found)
{
    tg_text_put(found, w->b.in_registers ? "B is in registers" : "A is contiguous along M");
    return !w->b.in_registers && !(w->a.in_registers && w->a.is_mn_major);
}

static bool has_address(const tg_wgmma *w, const tg_wgmma_operand *o)
{
    (void)w;
    return o->in_registers || o->address % CHUNK_BYTES == 0;
}

static bool keeps_address(const tg_wgmma *w, tg_text *found)
{
    const tg_wgmma_operand *o;
    const char *name;
    if (both_keep(w, has_address, &o, &name)) return true;
    tg_text_add(found, "%s begins at %" PRId64, name, o->address);
    return false;
}

static bool has_tile(const tg_wgmma *w, const tg_wgmma_operand *o)
{
    return o->in_registers || !is_swizzle(o->swizzle) ||
           (o->tile_rows == TILE_ROWS && (__int128)o->tile_columns * w->bits == o->swizzle * 8);
}

static bool keeps_tile(const tg_wgmma *w, tg_text *found)
{
    const tg_wgmma_operand *o;
    const char *name;
    if (both_keep(w, has_tile, &o, &name)) return true;
    tg_text_add(found,
                "%s has tiles of %" PRId64 " rows of %" PRId64
                " elements of %d bits, and a swizzle of %d bytes",
                name, o->tile_rows, o->tile_columns, w->bits, o->swizzle);
    return false;
}

static bool is_swizzled(const tg_wgmma *w, const tg_wgmma_operand *o)
{
    return !w->is_mosaic || o->in_registers || o->swizzle > CHUNK_BYTES;
}

static bool keeps_unswizzled(const tg_wgmma *w, tg_text *found)
{
    const tg_wgmma_operand *o;
    const char *name;
    if (both_keep(w, is_swizzled, &o, &name)) return true;
    tg_text_add(found, "%s has none", name);
    return false;
}

static bool keeps_same(const tg_wgmma *w, tg_text *found)
{
    tg_text_add(found, "A has one of %d bytes, B of %d", w->a.swizzle, w->b.swizzle);
    return !w->is_mosaic || w->a.in_registers || w->a.swizzle == w->b.swizzle;
}

static bool (*const keeps[])(const tg_wgmma *, tg_text *) = {
#define TG_WGMMA_RULE(id, demands, source) [TG_WGMMA_##id] = keeps_##id,
#include "layout/legal/wgmma.def"
};

tg_status tg_wgmma_check(const tg_wgmma *wgmma, bool all, tg_diags *diags)
{
    tg_status status = TG_OK;
    for (int i = 0; i < TG_WGMMA_RULE_COUNT; i++) {
        tg_text found = {0};
        if (keeps[i](wgmma, &found)) {
            tg_text_drop(&found);
            continue;
        }
        status = tg_demand_broken(&tg_wgmma_rules[i], &found, diags);
        if (!all) break;
    }
    return status;
}
