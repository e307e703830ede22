#include "checks/memory_cost/cost.h"

static bool is_active(const tg_warp_access *a, int lane) { return a->active >> lane & 1; }

bool tg_instruction_is_worse(const tg_instruction_cost *a, const tg_instruction_cost *b)
{
    const int64_t x = (int64_t)a->cost * b->least, y = (int64_t)b->cost * a->least;
    return x != y ? x > y : a->cost > b->cost;
}

/* ---- the two lanes ---- */

/* Whether two lanes of a phase have different words in one bank: as vectors are aligned, either all
 * of their words share banks, pair by pair, or none do. */
static bool are_in_conflict(const tg_warp_access *a, int one, int other)
{
    const int64_t apart = a->address[one] / TG_WORD_BYTES - a->address[other] / TG_WORD_BYTES;
    return apart != 0 && apart % TG_BANKS == 0;
}

static bool are_apart(const tg_warp_access *a, int one, int other)
{
    const int64_t apart = a->address[other] - a->address[one];
    return apart != 0 && apart != (int64_t)(other - one) * a->bytes;
}

static bool find_conflict(const tg_warp_access *a, int *lanes)
{
    const int phases = a->bytes > TG_WORD_BYTES ? a->bytes / TG_WORD_BYTES : 1;
    for (int one = 0; one < TG_LANES; one++)
        for (int other = one + 1; is_active(a, one) && other < TG_LANES; other++) {
            const bool is_same_phase = one * phases / TG_LANES == other * phases / TG_LANES;
            if (!is_active(a, other) || !is_same_phase || !are_in_conflict(a, one, other)) continue;
            lanes[0] = one;
            lanes[1] = other;
            return true;
        }
    return false;
}

/* Two active lanes without one in between that are not beside each other. */
static bool find_gap(const tg_warp_access *a, int *lanes)
{
    int before = -1;
    for (int lane = 0; lane < TG_LANES; lane++) {
        if (!is_active(a, lane)) continue;
        if (before >= 0 && are_apart(a, before, lane)) {
            lanes[0] = before;
            lanes[1] = lane;
            return true;
        }
        before = lane;
    }
    return false;
}

static void explain(const tg_warp_access *a, tg_cost_space space, tg_instruction_cost *out)
{
    out->lanes[0] = out->lanes[1] = -1;
    if (space == TG_COST_SHARED ? find_conflict(a, out->lanes) : find_gap(a, out->lanes)) {
        for (int i = 0; i < 2; i++) out->byte[i] = a->address[out->lanes[i]];
        return;
    }
    out->byte[0] = out->byte[1] = a->address[__builtin_ctz(a->active)];
}

/* ---- sums ---- */

void tg_access_cost_add(tg_access_cost *sum, tg_cost_space space, const tg_warp_access *access)
{
    tg_instruction_cost one = {0};
    if (!access->active) return;
    if (space == TG_COST_SHARED) {
        tg_bank_cost banks;
        if (tg_warp_access_banks(access, &banks, NULL) != TG_OK) return;
        one.cost = banks.wavefronts;
        one.least = banks.least;
    } else {
        tg_sector_cost sectors;
        if (tg_warp_access_sectors(access, &sectors, NULL) != TG_OK) return;
        one.cost = sectors.sectors;
        one.least = sectors.least;
        sum->bytes += sectors.bytes;
    }
    sum->instructions++;
    sum->cost += one.cost;
    sum->least += one.least;
    if (sum->worst.cost && !tg_instruction_is_worse(&one, &sum->worst)) return;
    explain(access, space, &one);
    sum->worst = one;
}
