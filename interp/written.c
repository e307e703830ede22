/* Which elements of an output were stored: a bit each.  Words that lie wholly in a marked range are set
 * plainly (every writer would write the same), the two at its ends atomically. */
#include "interp/machine.h"

static void set_bits(uint64_t *word, uint64_t bits) { __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }

void tg_mark_written(uint64_t *written, int64_t first, int64_t count)
{
    if (count <= 0) return;
    int64_t last = first + count - 1, from = first / 64, to = last / 64;
    uint64_t head = ~UINT64_C(0) << (first % 64), tail = ~UINT64_C(0) >> (63 - last % 64);
    if (from == to) {
        set_bits(&written[from], head & tail);
        return;
    }
    set_bits(&written[from], head);
    for (int64_t w = from + 1; w < to; w++) __atomic_store_n(&written[w], ~UINT64_C(0), __ATOMIC_RELAXED);
    set_bits(&written[to], tail);
}

int64_t tg_count_unwritten(const uint64_t *written, int64_t count, int64_t *first)
{
    int64_t missing = 0;
    for (int64_t w = 0; w * 64 < count; w++) {
        uint64_t gaps = ~written[w];
        if (count - w * 64 < 64) gaps &= ~(~UINT64_C(0) << (count - w * 64));
        if (!gaps) continue;
        if (!missing) *first = w * 64 + __builtin_ctzll(gaps);
        missing += __builtin_popcountll(gaps);
    }
    return missing;
}
