#include "layout/placement.h"

#include <stdlib.h>
#include <string.h>

static int64_t *row_of(const tg_placement *p, int64_t warp, int64_t reg)
{
    return &p->byte[(warp * p->registers + reg) * TG_LANES];
}

/* ---- order ---- */

typedef struct column {
    const tg_placement *of;
    int64_t reg;
} column;

/* By the address in the first lane, then by those in all others. */
static int compare(const void *a, const void *b)
{
    const column *x = a, *y = b;
    for (int64_t w = 0; w < x->of->warps; w++)
        for (int lane = 0; lane < TG_LANES; lane++) {
            const int64_t u = row_of(x->of, w, x->reg)[lane], v = row_of(y->of, w, y->reg)[lane];
            if (u != v) return u < v ? -1 : 1;
        }
    return 0;
}

/* Sorts the columns, and keeps one of those that are the same; returns how many there are. */
static int64_t sort_columns(const tg_placement *p, column *columns)
{
    int64_t count = 0;
    for (int64_t r = 0; r < p->registers; r++) columns[r] = (column){p, r};
    qsort(columns, (size_t)p->registers, sizeof *columns, compare);
    for (int64_t r = 0; r < p->registers; r++)
        if (!count || compare(&columns[count - 1], &columns[r]) != 0) columns[count++] = columns[r];
    return count;
}

tg_status tg_placement_sort(tg_placement *p, tg_diags *diags)
{
    column *columns = malloc((size_t)p->registers * sizeof *columns);
    tg_placement sorted = *p;
    tg_status status = columns ? TG_OK : tg_no_memory(diags);
    const int64_t count = columns ? sort_columns(p, columns) : 1;
    if (status == TG_OK)
        status = tg_placement_begin(p->warps, count, p->element_bytes, &sorted, diags);
    for (int64_t w = 0; status == TG_OK && w < p->warps; w++)
        for (int64_t r = 0; r < count; r++)
            memcpy(row_of(&sorted, w, r), row_of(p, w, columns[r].reg), TG_LANES * sizeof *p->byte);
    free(columns);
    if (status != TG_OK) return status;
    tg_placement_free(p);
    *p = sorted;
    return TG_OK;
}

/* ---- width ---- */

/* Whether all lanes have accesses of `bytes`, or, of some registers in a row, nothing at all. */
static bool fits(const tg_placement *p, int bytes)
{
    const int64_t run = bytes / p->element_bytes;
    if (p->registers % run) return false;
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r++)
            for (int lane = 0; lane < TG_LANES; lane++) {
                const int64_t first = row_of(p, w, r - r % run)[lane], at = row_of(p, w, r)[lane];
                if (first < 0 && at < 0) continue;
                if (first < 0 || first % bytes || at != first + r % run * p->element_bytes)
                    return false;
            }
    return true;
}

int tg_placement_vector(const tg_placement *p, int most)
{
    int bytes = p->element_bytes;
    while (2 * bytes <= most && fits(p, 2 * bytes)) bytes *= 2;
    return bytes;
}

void tg_placement_access(const tg_placement *p, int64_t warp, int64_t reg, int bytes,
                         tg_warp_access *out)
{
    const int64_t *row = row_of(p, warp, reg);
    out->active = 0;
    out->bytes = bytes;
    for (int lane = 0; lane < TG_LANES; lane++) {
        out->address[lane] = row[lane] < 0 ? 0 : row[lane];
        if (row[lane] >= 0) out->active |= UINT32_C(1) << lane;
    }
}

static tg_status choose_width(const tg_placement *p, int bytes, int *out, tg_diags *diags)
{
    *out = bytes ? bytes : tg_placement_vector(p, TG_MOST_VECTOR_BYTES);
    if (*out % p->element_bytes)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "%d bytes are no elements of %d", *out,
                       p->element_bytes);
    if (!fits(p, *out))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "registers in a row are not %d bytes in a row, at a multiple of it", *out);
    return TG_OK;
}

/* ---- costs ---- */

static void tally(const tg_bank_cost *cost, int64_t warp, int64_t reg, tg_conflicts *out)
{
    out->wavefronts += cost->wavefronts;
    out->least += cost->least;
    if (cost->wavefronts <= out->worst) return;
    out->worst = cost->wavefronts;
    out->worst_warp = warp;
    out->worst_reg = reg;
}

tg_status tg_placement_conflicts(const tg_placement *p, int bytes, tg_conflicts *out,
                                 tg_diags *diags)
{
    *out = (tg_conflicts){0};
    TG_TRY(choose_width(p, bytes, &out->bytes, diags));
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r += out->bytes / p->element_bytes) {
            tg_warp_access access;
            tg_bank_cost cost;
            tg_placement_access(p, w, r, out->bytes, &access);
            TG_TRY(tg_warp_access_banks(&access, &cost, diags));
            out->accesses += access.active != 0;
            tally(&cost, w, r, out);
        }
    return TG_OK;
}

tg_status tg_placement_sectors(const tg_placement *p, int bytes, tg_sectors *out, tg_diags *diags)
{
    *out = (tg_sectors){0};
    TG_TRY(choose_width(p, bytes, &out->bytes, diags));
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r += out->bytes / p->element_bytes) {
            tg_warp_access access;
            tg_sector_cost cost;
            tg_placement_access(p, w, r, out->bytes, &access);
            TG_TRY(tg_warp_access_sectors(&access, &cost, diags));
            out->accesses += access.active != 0;
            out->sectors += cost.sectors;
            out->lines += cost.lines;
            out->least += cost.least;
            out->distinct_bytes += cost.bytes;
        }
    return TG_OK;
}
