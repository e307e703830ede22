/* Costs of layouts in memory, by counting, and swizzles against them. */
#include <stdlib.h>
#include <string.h>

#include "layout/swizzle_search.h"
#include "layouts/access_model.h"
#include "layouts/law.h"

static model m, n;

enum { MOST_SLOTS = 1 << 13 };

/* Digits of lanes, registers, warps and copies, for some elements. */
static void random_registers(chance *c, tg_axe *out)
{
    int64_t next[4] = {1, 1, 1, 1};
    static const tg_axis axes[] = {TG_AXIS_lane, TG_AXIS_reg, TG_AXIS_warp, TG_AXIS_reg};
    static const int64_t most[] = {32, 16, 4, 16};
    tg_axe_begin(out);
    for (int64_t i = pick(c, 1, 6); i > 0; i--) {
        const int a = (int)pick(c, 0, 3), use = a == 3 ? 1 : a;
        const int64_t extent = one_in(c, 8) ? 3 : INT64_C(1) << pick(c, 0, 3);
        if (next[use] * extent > most[use]) continue;
        tg_iters_put(one_in(c, 10) ? &out->r : &out->d, extent, next[use], axes[a]);
        next[use] *= extent;
    }
    if (one_in(c, 20) && out->d.count) out->d.list[0].stride = 0;
    for (int i = 0; i < out->d.count; i++)
        if (!out->d.list[i].stride) out->d.list[i].axis = TG_AXIS_NONE;
}

/* Memory of as many elements: row-major in some order of dimensions, perhaps with a pitch. */
static void random_memory(chance *c, const tg_axe *registers, tg_axe *out)
{
    int order[TG_AXE_MAX_ITERS];
    const int count = registers->d.count;
    int64_t step = 1;
    tg_axe_begin(out);
    tg_iters_copy(&registers->d, &out->d);
    for (int i = 0; i < count; i++) order[i] = count - 1 - i;
    for (int i = count - 1; i > 0 && one_in(c, 2); i--) {
        const int j = (int)pick(c, 0, i), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < count; i++) {
        tg_iter *it = &out->d.list[order[i]];
        *it = (tg_iter){it->extent, step, TG_AXIS_m};
        step *= it->extent;
        if (one_in(c, 10)) step++;
    }
}

/* The address of a place of registers, in elements: -1 none, -2 several. */
typedef struct slots {
    int64_t address[4][16][32];
} slots;

static void fill_slots(slots *s)
{
    memset(s, -1, sizeof *s);
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++) {
            const place *p = &m.list[i];
            int64_t *to = &s->address[p->at[TG_AXIS_warp]][p->at[TG_AXIS_reg]][p->at[TG_AXIS_lane]];
            const int64_t at = n.list[n.start[x]].at[TG_AXIS_m];
            *to = *to == -1 ? at : -2;
        }
}

static bool has_several(const slots *s)
{
    for (int w = 0; w < 4; w++)
        for (int r = 0; r < 16; r++)
            for (int l = 0; l < 32; l++)
                if (s->address[w][r][l] == -2) return true;
    return false;
}

/* Whether all groups of `run` registers are `run` elements in a row, aligned, or nothing. */
static bool is_vector(const slots *s, int64_t registers, int64_t run)
{
    if (registers % run) return false;
    for (int w = 0; w < 4; w++)
        for (int64_t r = 0; r < registers; r++)
            for (int l = 0; l < 32; l++) {
                const int64_t first = s->address[w][r / run * run][l], at = s->address[w][r][l];
                const bool is_none = first == -1 && at == -1;
                if (!is_none && (first == -1 || first % run || at != first + r % run)) return false;
            }
    return true;
}

static bool costs_agree(const slots *s, const tg_placement *p, int element_bytes)
{
    int64_t run = 1, wavefronts = 0, least = 0;
    tg_conflicts got;
    if (tg_placement_conflicts(p, 0, &got, NULL) != TG_OK) return false;
    while (2 * run * element_bytes <= 16 && is_vector(s, p->registers, 2 * run)) run *= 2;
    if (got.bytes != run * element_bytes) return false;
    for (int w = 0; w < 4; w++)
        for (int64_t r = 0; r < p->registers; r += run) {
            tg_warp_access a = {.bytes = (int)run * element_bytes};
            for (int l = 0; l < 32; l++) {
                if (s->address[w][r][l] < 0) continue;
                a.address[l] = s->address[w][r][l] * element_bytes;
                a.active |= UINT32_C(1) << l;
            }
            const int phases = a.bytes <= 4 ? 1 : a.bytes / 4;
            for (int phase = 0; phase < phases; phase++) {
                bool is_used;
                wavefronts += count_phase(&a, phase * 32 / phases, 32 / phases, &is_used);
                least += is_used;
            }
        }
    return got.wavefronts == wavefronts && got.least == least;
}

static int64_t address_of(const tg_placement *p, int64_t reg, int lane_of_warps)
{
    return p->byte[(lane_of_warps / 32 * p->registers + reg) * 32 + lane_of_warps % 32];
}

static bool same_register(const tg_placement *a, int64_t r, const tg_placement *b, int64_t q)
{
    for (int l = 0; l < 32 * (int)a->warps; l++)
        if (address_of(a, r, l) != address_of(b, q, l)) return false;
    return true;
}

static bool has_register(const tg_placement *a, const tg_placement *b, int64_t q)
{
    for (int64_t r = 0; r < a->registers; r++)
        if (same_register(a, r, b, q)) return true;
    return false;
}

/* Sorting keeps each register once, in the order of the first lane. */
static bool sorts(tg_placement *p)
{
    tg_placement copy;
    const size_t size = (size_t)(p->warps * p->registers) * 32 * sizeof *p->byte;
    if (tg_placement_begin(p->warps, p->registers, p->element_bytes, &copy, NULL) != TG_OK)
        return false;
    memcpy(copy.byte, p->byte, size);
    bool is_sorted = tg_placement_sort(p, NULL) == TG_OK && p->warps == copy.warps;
    for (int64_t r = 0; is_sorted && r < copy.registers; r++)
        is_sorted &= has_register(p, &copy, r);
    for (int64_t r = 0; is_sorted && r < p->registers; r++) is_sorted &= has_register(&copy, p, r);
    for (int64_t r = 1; is_sorted && r < p->registers; r++) {
        is_sorted &= address_of(p, r - 1, 0) <= address_of(p, r, 0);
        for (int64_t q = 0; q < r; q++) is_sorted &= !same_register(p, q, p, r);
    }
    tg_placement_free(&copy);
    return is_sorted;
}

outcome law_placement(chance *c, tg_axe *shown)
{
    static slots s;
    tg_axe memory;
    tg_placement p;
    const int element_bytes = 1 << pick(c, 0, 3);
    random_registers(c, shown);
    random_memory(c, shown, &memory);
    model_of(shown, &m);
    model_of(&memory, &n);
    fill_slots(&s);
    if (tg_placement_of(shown, &memory, element_bytes, &p, NULL) != TG_OK)
        return has_several(&s) ? REFUSED : BROKEN;
    const bool agree = !has_several(&s) && costs_agree(&s, &p, element_bytes) && sorts(&p);
    tg_placement_free(&p);
    return agree ? KEPT : BROKEN;
}

/* ---- swizzles ---- */

/* Another holder of the same elements: digits of the first, dealt out again. */
static void deal_again(chance *c, const tg_axe *of, tg_axe *out)
{
    int64_t lanes = 1, registers = 1;
    tg_axe_copy(of, out);
    for (int i = 0; i < out->d.count; i++) {
        tg_iter *it = &out->d.list[i];
        const bool is_lane = lanes * it->extent <= 32 && one_in(c, 2);
        int64_t *next = is_lane ? &lanes : &registers;
        *it = (tg_iter){it->extent, *next, is_lane ? TG_AXIS_lane : TG_AXIS_reg};
        *next *= it->extent;
    }
}

/* All wavefronts of accesses of `width` bytes, at addresses after the swizzle. */
static int64_t count_swizzled(const tg_placement *p, int width, const tg_swizzle *s, int64_t end,
                              bool *stays)
{
    int64_t sum = 0;
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r += width / p->element_bytes) {
            tg_warp_access a = {.bytes = width};
            for (int l = 0; l < 32; l++) {
                int64_t at = p->byte[(w * p->registers + r) * 32 + l];
                if (at < 0) continue;
                for (int i = 0; i < s->bits; i++)
                    if (at >> (s->base + s->shift + i) & 1) at ^= INT64_C(1) << (s->base + i);
                a.address[l] = at;
                a.active |= UINT32_C(1) << l;
                *stays &= at + width <= end;
            }
            const int phases = width <= 4 ? 1 : width / 4;
            for (int phase = 0; phase < phases && *stays; phase++) {
                bool is_used;
                sum += count_phase(&a, phase * 32 / phases, 32 / phases, &is_used);
            }
        }
    return sum;
}

static int64_t end_of(const tg_placement *p)
{
    int64_t end = 0;
    for (int64_t i = 0; i < p->warps * p->registers * 32; i++)
        if (p->byte[i] + p->element_bytes > end) end = p->byte[i] + p->element_bytes;
    return end;
}

/* Whether a swizzle of the found kind is better than `most`. */
static bool any_better(const tg_placement *p, const int *width, int64_t end, int64_t most)
{
    for (int bits = 1; bits <= 5; bits++)
        for (int base = 0; base + bits <= 7; base++)
            for (int shift = bits; shift <= 12; shift++) {
                const tg_swizzle s = {bits, base, shift, TG_AXIS_byte};
                bool stays = 1 << base >= width[0] && 1 << base >= width[1];
                int64_t sum = 0;
                for (int i = 0; i < 2 && stays; i++)
                    sum += count_swizzled(&p[i], width[i], &s, end, &stays);
                if (stays && sum < most) return true;
            }
    return false;
}

static bool is_right(chance *c, const tg_placement *p, tg_status status,
                     const tg_swizzle_found *found)
{
    const int width[] = {tg_placement_vector(&p[0], 16), tg_placement_vector(&p[1], 16)};
    const tg_swizzle none = {0};
    const int64_t end = end_of(&p[0]);
    bool stays = true;
    int64_t before = 0, after = 0;
    for (int i = 0; i < 2; i++) before += count_swizzled(&p[i], width[i], &none, end, &stays);
    for (int i = 0; i < 2; i++)
        after += count_swizzled(&p[i], width[i], &found->bytes, end, &stays);
    if (found->before != before || !stays) return false;
    if (status == TG_OK && (found->after != after || after > before)) return false;
    if (status == TG_OK && found->bytes.bits && after == before) return false;
    if (found->elements.bits != found->bytes.bits) return false;
    /* To try all others takes long. */
    return !one_in(c, 50) || found->least == before ||
           !any_better(p, width, end, status == TG_OK ? after : before);
}

outcome law_swizzle(chance *c, tg_axe *shown)
{
    tg_axe memory, again;
    tg_placement p[2] = {0};
    const tg_placement *list[] = {&p[0], &p[1]};
    const int widths[2] = {0}, element_bytes = 1 << pick(c, 0, 3);
    tg_swizzle_found found = {0};
    random_registers(c, shown);
    shown->r.count = 0;
    for (int i = 0; i < shown->d.count; i++)
        if (shown->d.list[i].axis == TG_AXIS_NONE) return KEPT;
    random_memory(c, shown, &memory);
    deal_again(c, shown, &again);
    if (tg_placement_of(shown, &memory, element_bytes, &p[0], NULL) != TG_OK) return BROKEN;
    tg_status status = tg_placement_of(&again, &memory, element_bytes, &p[1], NULL);
    if (status == TG_OK) status = tg_placement_sort(&p[0], NULL);
    if (status == TG_OK) status = tg_placement_sort(&p[1], NULL);
    if (status == TG_OK) status = tg_swizzle_search(list, widths, 2, &found, NULL);
    const bool right = is_right(c, p, status, &found);
    tg_placement_free(&p[0]);
    tg_placement_free(&p[1]);
    return !right ? BROKEN : status == TG_OK ? KEPT : REFUSED;
}
