/* Costs of one access to memory, by counting. */
#include "layouts/access_model.h"

#include <string.h>

#include "layout/collision.h"
#include "layouts/law.h"

/* Addresses as kernels make them: strides, few distinct ones, any. */
static void random_access(chance *c, int most_bytes, tg_warp_access *out)
{
    int widths = 1;
    while (1 << widths <= most_bytes) widths++;
    out->bytes = 1 << pick(c, 0, widths - 1);
    out->active = one_in(c, 2) ? UINT32_MAX : (uint32_t)pick(c, 0, UINT32_MAX);
    const int64_t base = pick(c, 0, 64),
                  stride = one_in(c, 2) ? 1 << pick(c, 0, 6) : pick(c, 0, 40);
    const int64_t span = pick(c, 1, 200);
    const int kind = (int)pick(c, 0, 2);
    for (int lane = 0; lane < TG_LANES; lane++) {
        const int64_t at = kind == 0   ? lane * stride
                           : kind == 1 ? pick(c, 0, span)
                                       : lane % 8 * stride + lane / 8 * pick(c, 0, 1) * stride;
        out->address[lane] = (base + at) * out->bytes;
    }
    if (one_in(c, 20)) out->address[pick(c, 0, TG_LANES - 1)] += one_in(c, 2) ? 1 : -1000;
}

static bool is_valid(const tg_warp_access *a)
{
    for (int lane = 0; lane < TG_LANES; lane++)
        if (a->active >> lane & 1 && (a->address[lane] < 0 || a->address[lane] % a->bytes))
            return false;
    return true;
}

enum { MOST_WORDS = 1 << 15, MOST_ADDRESS = 4 * MOST_WORDS };

int count_phase(const tg_warp_access *a, int first, int lanes, bool *is_used)
{
    static uint8_t touched[MOST_WORDS];
    int words[32] = {0}, most = 0;
    *is_used = false;
    for (int lane = first; lane < first + lanes; lane++)
        for (int byte = 0; a->active >> lane & 1 && byte < a->bytes; byte++) {
            const int64_t word = (a->address[lane] + byte) / 4;
            words[word % 32] += !touched[word];
            touched[word] = 1;
            *is_used = true;
        }
    for (int lane = first; lane < first + lanes; lane++)
        for (int byte = 0; a->active >> lane & 1 && byte < a->bytes; byte++)
            touched[(a->address[lane] + byte) / 4] = 0;
    for (int bank = 0; bank < 32; bank++)
        if (words[bank] > most) most = words[bank];
    return most;
}

/* Two lanes that take part, of one phase, have words there, in one bank, that are not the same. */
static bool is_collision(const tg_warp_access *a, const tg_collision *found)
{
    const int lanes = a->bytes <= 4 ? 32 : 128 / a->bytes;
    for (int i = 0; i < 2; i++) {
        const int lane = found->lane[i];
        const int64_t within = found->byte[i] - a->address[lane];
        if (!(a->active >> lane & 1) || within < 0 || within >= a->bytes) return false;
        if (found->byte[i] / 4 % 32 != found->bank) return false;
    }
    return found->byte[0] / 4 != found->byte[1] / 4 &&
           found->lane[0] / lanes == found->lane[1] / lanes;
}

static outcome try_banks(const tg_warp_access *a)
{
    tg_collision found;
    tg_bank_cost got;
    int wavefronts = 0, least = 0;
    const int phases = a->bytes <= 4 ? 1 : a->bytes / 4;
    if (tg_warp_access_banks(a, &got, NULL) != TG_OK)
        return is_valid(a) && a->bytes <= 16 ? BROKEN : REFUSED;
    if (!is_valid(a)) return BROKEN;
    for (int p = 0; p < phases; p++) {
        bool is_used;
        wavefronts += count_phase(a, p * 32 / phases, 32 / phases, &is_used);
        least += is_used;
    }
    if (got.wavefronts != wavefronts || got.least != least) return BROKEN;
    if (!tg_collision_find(a, &found)) return wavefronts == least ? KEPT : BROKEN;
    return wavefronts > least && is_collision(a, &found) ? KEPT : BROKEN;
}

static int count_blocks(const tg_warp_access *a, int size)
{
    static uint8_t touched[MOST_ADDRESS];
    int count = 0;
    memset(touched, 0, sizeof touched);
    for (int lane = 0; lane < TG_LANES; lane++)
        for (int byte = 0; a->active >> lane & 1 && byte < a->bytes; byte++) {
            uint8_t *seen = &touched[(a->address[lane] + byte) / size];
            count += !*seen;
            *seen = 1;
        }
    return count;
}

static outcome try_sectors(const tg_warp_access *a)
{
    tg_sector_cost got;
    if (tg_warp_access_sectors(a, &got, NULL) != TG_OK) return is_valid(a) ? BROKEN : REFUSED;
    if (!is_valid(a)) return BROKEN;
    const int bytes = count_blocks(a, 1);
    return got.sectors == count_blocks(a, 32) && got.lines == count_blocks(a, 128) &&
                   got.bytes == bytes && got.least == (bytes + 31) / 32
               ? KEPT
               : BROKEN;
}

outcome law_conflicts(chance *c, tg_axe *shown)
{
    tg_warp_access a;
    (void)shown;
    random_access(c, 32, &a);
    return a.bytes <= 16 && !one_in(c, 4) ? try_banks(&a) : try_sectors(&a);
}
