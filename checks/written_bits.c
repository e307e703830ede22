/* Words that lie wholly in a marked range are set by plain stores, because every writer stores the
 * same bits; the two words at its ends are set atomically if there are other threads. */
#include "checks/written_bits.h"

#include <stdlib.h>
#include <string.h>

static size_t word_count(const tg_param *param)
{
    return (size_t)(tg_type_count(&param->array) / 64 + 1);
}

bool tg_written_init(tg_written *written, const tg_kernel *kernel)
{
    *written = (tg_written){.param_count = kernel->param_count};
    written->width = calloc(kernel->param_count + 1, sizeof *written->width);
    if (!written->width) return false;
    written->bits = calloc(kernel->param_count + 1, sizeof *written->bits);
    for (uint32_t p = 0; written->bits && p < kernel->param_count; p++) {
        const tg_param *param = &kernel->params[p];
        if (param->role != TG_ROLE_OUTPUT || param->alias >= 0) continue;
        written->bits[p] = calloc(word_count(param), sizeof *written->bits[p]);
        written->width[p] = tg_dtypes[param->array.dtype].bytes;
        if (!written->bits[p]) return false;
    }
    return written->bits != NULL;
}

void tg_written_free(tg_written *written)
{
    for (uint32_t p = 0; written->bits && p < written->param_count; p++) free(written->bits[p]);
    free(written->bits);
    free(written->width);
    *written = (tg_written){0};
}

void tg_written_reset(tg_written *written, const tg_kernel *kernel, bool is_shared)
{
    written->is_shared = is_shared;
    for (uint32_t p = 0; p < written->param_count; p++)
        if (written->bits[p])
            memset(written->bits[p], 0, word_count(&kernel->params[p]) * sizeof *written->bits[p]);
}

/* The locked instruction is the most expensive part, so it only runs if the word lacks some of the
 * bits. */
static void set_bits(uint64_t *word, uint64_t bits, bool is_shared)
{
    if (!is_shared)
        *word |= bits;
    else if (bits == ~UINT64_C(0))
        __atomic_store_n(word, bits, __ATOMIC_RELAXED);
    else if (bits & ~__atomic_load_n(word, __ATOMIC_RELAXED))
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static void set_words(uint64_t *from, const uint64_t *to)
{
    for (; from < to; from++) __atomic_store_n(from, ~UINT64_C(0), __ATOMIC_RELAXED);
}

static inline void mark_range(uint64_t *bits, int64_t first, int64_t count, bool is_shared)
{
    const uint64_t begin = (uint64_t)first, last = begin + (uint64_t)count - 1;
    uint64_t *from = bits + begin / 64, *to = bits + last / 64;
    if (begin % 64 == 0 && last % 64 == 63) { /* most blocks do */
        set_words(from, to + 1);
        return;
    }
    const uint64_t head = ~UINT64_C(0) << (begin % 64), tail = ~UINT64_C(0) >> (63 - last % 64);
    if (from == to) {
        set_bits(from, head & tail, is_shared);
        return;
    }
    set_bits(from, head, is_shared);
    set_words(from + 1, to);
    set_bits(to, tail, is_shared);
}

static inline void mark_run(uint64_t *bits, int64_t first, int64_t stride, int64_t count,
                            bool is_shared)
{
    if (stride == 1) {
        mark_range(bits, first, count, is_shared);
        return;
    }
    for (int64_t i = 0; i < count; i++) mark_range(bits, first + i * stride, 1, is_shared);
}

static void mark_own(void *bits, int64_t first, int64_t stride, int64_t count)
{
    mark_run(bits, first, stride, count, false);
}

static void mark_shared(void *bits, int64_t first, int64_t stride, int64_t count)
{
    mark_run(bits, first, stride, count, true);
}

void tg_written_accessed(const tg_written *written, const tg_access_event *event)
{
    uint64_t *bits = written->bits[event->param];
    if (!bits) return;
    if (event->width != written->width[event->param])
        tg_access_runs(event, written->width[event->param],
                       written->is_shared ? mark_shared : mark_own, bits);
    else if (written->is_shared)
        tg_access_own_runs(event, mark_shared, bits);
    else
        tg_access_own_runs(event, mark_own, bits);
}

int64_t tg_written_missing(const tg_written *written, uint32_t param, int64_t count, int64_t *first)
{
    const uint64_t *bits = written->bits[param];
    int64_t missing = 0;
    int64_t w = 0;
    for (; bits && (w + 4) * 64 <= count; w += 4) /* usually nothing is missing */
        if ((bits[w] & bits[w + 1] & bits[w + 2] & bits[w + 3]) != ~UINT64_C(0)) break;
    for (; bits && w * 64 < count; w++) {
        uint64_t gaps = ~bits[w];
        if (count - w * 64 < 64) gaps &= ~(~UINT64_C(0) << (count - w * 64));
        if (!gaps) continue;
        if (!missing) *first = w * 64 + __builtin_ctzll(gaps);
        missing += __builtin_popcountll(gaps);
    }
    return missing;
}

bool tg_written_is(const tg_written *written, uint32_t param, int64_t element)
{
    return written->bits[param][element / 64] >> (element % 64) & 1;
}
