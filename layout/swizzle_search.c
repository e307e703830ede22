#include "layout/swizzle_search.h"

enum { BANK_BITS_END = 7 }; /* the bits of an address that choose the bank are below it */

typedef struct search {
    const tg_placement *const *placements;
    int widths[16], count;
    int vector_bits; /* of the widest access */
    int64_t end;     /* no access reaches beyond */
    tg_diags *diags;
} search;

/* Whether the access stays below the end of memory. */
static bool apply(const search *s, const tg_swizzle *swizzle, tg_warp_access *access)
{
    for (int lane = 0; lane < TG_LANES; lane++) {
        if (!(access->active >> lane & 1)) continue;
        if (swizzle->bits) access->address[lane] = tg_swizzle_apply(swizzle, access->address[lane]);
        if (access->address[lane] > s->end - access->bytes) return false;
    }
    return true;
}

/* Sums the wavefronts of all accesses of one placement.  False if one leaves the memory, or the sum
 * reaches `most`. */
static bool add_cost(const search *s, int which, const tg_swizzle *swizzle, int64_t most,
                     int64_t *wavefronts, int64_t *least)
{
    const tg_placement *p = s->placements[which];
    const int bytes = s->widths[which];
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r += bytes / p->element_bytes) {
            tg_warp_access access;
            tg_bank_cost cost;
            tg_placement_access(p, w, r, bytes, &access);
            if (!apply(s, swizzle, &access)) return false;
            if (tg_warp_access_banks(&access, &cost, NULL) != TG_OK) return false;
            *wavefronts += cost.wavefronts;
            *least += cost.least;
            if (*wavefronts >= most) return false;
        }
    return true;
}

static bool cost_of(const search *s, const tg_swizzle *swizzle, int64_t most, int64_t *wavefronts,
                    int64_t *least)
{
    *wavefronts = *least = 0;
    for (int i = 0; i < s->count; i++)
        if (!add_cost(s, i, swizzle, most, wavefronts, least)) return false;
    return true;
}

static tg_status prepare(search *s, const int *widths)
{
    if (s->count < 1 || s->count > (int)(sizeof s->widths / sizeof *s->widths))
        return tg_fail(s->diags, TG_ERR_INVALID, NULL, "a swizzle serves 1 to 16 accesses, not %d",
                       s->count);
    for (int i = 0; i < s->count; i++) {
        const tg_placement *p = s->placements[i];
        tg_conflicts conflicts;
        TG_TRY(tg_placement_conflicts(p, widths[i], &conflicts, s->diags));
        s->widths[i] = conflicts.bytes;
        if (p->element_bytes != s->placements[0]->element_bytes)
            return tg_fail(s->diags, TG_ERR_INVALID, NULL,
                           "one access has elements of %d bytes, another of %d", p->element_bytes,
                           s->placements[0]->element_bytes);
        const int bits = __builtin_ctz((unsigned)conflicts.bytes);
        if (bits > s->vector_bits) s->vector_bits = bits;
        for (int64_t k = 0; k < p->warps * p->registers * TG_LANES; k++)
            if (p->byte[k] + p->element_bytes > s->end) s->end = p->byte[k] + p->element_bytes;
    }
    return TG_OK;
}

static void try_all(const search *s, tg_swizzle_found *out)
{
    const int address_bits = s->end > 1 ? 64 - __builtin_clzll((unsigned long long)s->end - 1) : 0;
    for (int bits = 1; bits <= BANK_BITS_END - s->vector_bits; bits++)
        for (int base = s->vector_bits; base + bits <= BANK_BITS_END; base++)
            for (int shift = bits; base + bits + shift <= address_bits; shift++) {
                const tg_swizzle swizzle = {bits, base, shift, TG_AXIS_byte};
                int64_t wavefronts, least;
                if (!cost_of(s, &swizzle, out->after, &wavefronts, &least)) continue;
                out->after = wavefronts;
                out->bytes = swizzle;
                if (wavefronts == out->least) return;
            }
}

tg_status tg_swizzle_search_within(const tg_placement *const *placements, const int *widths,
                                   int count, int64_t bytes, tg_swizzle_found *out, tg_diags *diags)
{
    search s = {.placements = placements, .count = count, .end = bytes, .diags = diags};
    const tg_swizzle none = {0};
    *out = (tg_swizzle_found){0};
    TG_TRY(prepare(&s, widths));
    if (!cost_of(&s, &none, INT64_MAX, &out->before, &out->least)) return TG_ERR_INVALID;
    out->after = out->before;
    if (out->before == out->least) return TG_OK;
    try_all(&s, out);
    if (out->after == out->before)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%lld wavefronts could be %lld, but no swizzle makes them fewer",
                       (long long)out->before, (long long)out->least);
    out->elements = out->bytes;
    out->elements.base -= __builtin_ctz((unsigned)placements[0]->element_bytes);
    out->elements.axis = TG_AXIS_m;
    return TG_OK;
}

tg_status tg_swizzle_search(const tg_placement *const *placements, const int *widths, int count,
                            tg_swizzle_found *out, tg_diags *diags)
{
    return tg_swizzle_search_within(placements, widths, count, 0, out, diags);
}
