#include "interp/memory/mask.h"

#include <string.h>

#include "interp/state/fill.h"
#include "interp/memory/rows.h"

bool tg_mask_shows_memory(const tg_machine *m, const tg_access_plan *a)
{
    return tg_setting_loads_masked_off(&m->launch->setting) && !a->has_other;
}

static void blend(unsigned char *to, const uint8_t *mask, int64_t mask_stride,
                  const unsigned char *other, int64_t other_stride, int64_t count, size_t bytes)
{
    switch (bytes) {
#define X(n, type)                                                                                 \
    case n:                                                                                        \
        for (int64_t i = 0; i < count; i++) {                                                      \
            type old = ((type *)to)[i], instead = ((const type *)other)[i * other_stride];         \
            ((type *)to)[i] = mask[i * mask_stride] ? old : instead;                               \
        }                                                                                          \
        return;
        X(1, uint8_t)
        X(2, uint16_t)
        X(4, uint32_t)
        X(8, uint64_t)
#undef X
    default: return;
    }
}

void tg_apply_mask(const tg_machine *m, const tg_access_plan *a, const tg_operand *value,
                   const tg_operand *other)
{
    tg_view to = tg_box_view(m, value), mask = tg_box_view(m, &a->mask), instead = {0};
    size_t bytes = tg_carrier_bytes[tg_carrier_of(a->dtype)];
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = to.rank - 1;
    uint64_t undefined = 0;
    tg_rows rows;
    if (!tg_setting_zeroes_masked(&m->launch->setting))
        tg_launch_fill(m->launch, &undefined, a->dtype, 1);
    instead.data = &undefined;
    if (other) instead = tg_box_view(m, other);
    for (bool more = tg_rows_begin(&rows, to.rank, zeros, to.shape); more;
         more = tg_rows_next(&rows))
        blend((unsigned char *)to.data + tg_rows_offset(&rows, to.stride) * (int64_t)bytes,
              (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride), mask.stride[last],
              (const unsigned char *)instead.data +
                  tg_rows_offset(&rows, instead.stride) * (int64_t)bytes,
              instead.stride[last], to.shape[last], bytes);
}

/* Looks at each element of the mask in memory once, even if it is broadcast. */
bool tg_mask_is_full(const tg_machine *m, const tg_access_plan *a)
{
    tg_view mask = tg_box_view(m, &a->mask);
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = mask.rank - 1;
    tg_rows rows;
    for (int d = 0; d < mask.rank; d++)
        if (mask.stride[d] == 0 && mask.shape[d] > 1) mask.shape[d] = 1;
    for (bool more = tg_rows_begin(&rows, mask.rank, zeros, mask.shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *row = (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride);
        if (mask.stride[last] == 1) {
            if (memchr(row, 0, (size_t)mask.shape[last])) return false;
            continue;
        }
        for (int64_t i = 0; i < mask.shape[last]; i++)
            if (!row[i * mask.stride[last]]) return false;
    }
    return true;
}

static bool row_is_legal(const tg_rows *rows, const tg_box *box)
{
    for (int d = 0; d < box->rank - 1; d++)
        if (rows->index[d] < box->legal_low[d] || rows->index[d] >= box->legal_high[d])
            return false;
    return true;
}

static bool any_set(const uint8_t *mask, int64_t stride, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        if (mask[i * stride]) return true;
    return false;
}

/* Reports a masked access that reaches outside its ref where the mask is on. */
static void report_unmasked(tg_machine *m, const tg_inst *inst, const tg_access_plan *a,
                            const tg_box *box)
{
    tg_view mask = tg_box_view(m, &a->mask);
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, zeros, box->shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *row = (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride);
        int64_t stride = mask.stride[last], extent = box->shape[last];
        int64_t low = row_is_legal(&rows, box) ? box->legal_low[last] : extent;
        int64_t high = low == extent ? extent : box->legal_high[last];
        if (!any_set(row, stride, 0, low) && !any_set(row, stride, high, extent)) continue;
        tg_report_access(m, inst, a, box->bad_dim, box->bad_index);
        return;
    }
}

void tg_report_box(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, const tg_box *box)
{
    /* A masked access may reach over the end. */
    if (a->has_mask && tg_setting_pads_masked(&m->launch->setting)) return;
    if (a->has_mask)
        report_unmasked(m, inst, a, box);
    else
        tg_report_access(m, inst, a, box->bad_dim, box->bad_index);
}
