#include "layout/conflicts.h"

#include <stdbool.h>

enum { MOST_GLOBAL_BYTES = 32 };

static bool is_active(const tg_warp_access *access, int lane) { return access->active >> lane & 1; }

static tg_status check(const tg_warp_access *access, int most_bytes, tg_diags *diags)
{
    if (access->bytes < 1 || access->bytes > most_bytes || (access->bytes & (access->bytes - 1)))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "no instruction moves %d bytes a lane; it moves 1, 2, 4, .. up to %d",
                       access->bytes, most_bytes);
    for (int lane = 0; lane < TG_LANES; lane++)
        if (is_active(access, lane) &&
            (access->address[lane] < 0 || access->address[lane] % access->bytes))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "lane %d: address %lld is negative, or no multiple of %d", lane,
                           (long long)access->address[lane], access->bytes);
    return TG_OK;
}

/* A set of at most as many numbers as a warp has words. */
typedef struct set {
    int count;
    int64_t most; /* the greatest */
    int64_t list[TG_LANES * MOST_GLOBAL_BYTES / TG_WORD_BYTES];
} set;

/* Numbers mostly come in rising order: then there is nothing to search. */
static bool add(set *s, int64_t value)
{
    for (int i = s->count - 1; i >= 0 && value <= s->most; i--)
        if (s->list[i] == value) return false;
    if (s->count == 0 || value > s->most) s->most = value;
    s->list[s->count++] = value;
    return true;
}

/* The wavefronts of lanes first, .., first + count - 1; 0 if none is active. */
static int phase(const tg_warp_access *access, int first, int count)
{
    const int words = access->bytes > TG_WORD_BYTES ? access->bytes / TG_WORD_BYTES : 1;
    set seen = {0};
    int in_bank[TG_BANKS] = {0}, most = 0;
    for (int lane = first; lane < first + count; lane++)
        for (int w = 0; is_active(access, lane) && w < words; w++) {
            const int64_t word = access->address[lane] / TG_WORD_BYTES + w;
            if (!add(&seen, word)) continue;
            const int now = ++in_bank[word % TG_BANKS];
            if (now > most) most = now;
        }
    return most;
}

tg_status tg_warp_access_banks(const tg_warp_access *access, tg_bank_cost *out, tg_diags *diags)
{
    *out = (tg_bank_cost){0};
    TG_TRY(check(access, TG_MOST_VECTOR_BYTES, diags));
    const int phases = access->bytes > TG_WORD_BYTES ? access->bytes / TG_WORD_BYTES : 1;
    for (int p = 0; p < phases; p++) {
        const int cost = phase(access, p * (TG_LANES / phases), TG_LANES / phases);
        out->wavefronts += cost;
        out->least += cost > 0;
    }
    return TG_OK;
}

tg_status tg_warp_access_sectors(const tg_warp_access *access, tg_sector_cost *out, tg_diags *diags)
{
    set starts = {0}, sectors = {0}, lines = {0};
    *out = (tg_sector_cost){0};
    TG_TRY(check(access, MOST_GLOBAL_BYTES, diags));
    for (int lane = 0; lane < TG_LANES; lane++) {
        if (!is_active(access, lane)) continue;
        /* Aligned accesses of one width are the same bytes or none of them. */
        if (add(&starts, access->address[lane])) out->bytes += access->bytes;
        add(&sectors, access->address[lane] / TG_SECTOR_BYTES);
        add(&lines, access->address[lane] / TG_LINE_BYTES);
    }
    out->sectors = sectors.count;
    out->lines = lines.count;
    out->least = (out->bytes + TG_SECTOR_BYTES - 1) / TG_SECTOR_BYTES;
    return TG_OK;
}
