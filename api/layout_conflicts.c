/* Costs of accesses to memory, and swizzles against conflicts of banks. */
#include "api/errors.h"
#include "api/layout_impl.h"
#include "api/layout_made.h"
#include "layout/collision.h"
#include "layout/map.h"
#include "layout/swizzle_search.h"

enum { MOST_HOLDERS = 16, MOST_SEARCHED = 1 << 14 };

/* ---- placements ---- */

/* Element i is held by thread i. */
static void hold_by_threads(const tg_axe *memory, tg_axe *out)
{
    tg_axe_begin(out);
    tg_iters_put(&out->d, tg_iters_size(&memory->d), 1, TG_AXIS_tx);
}

static tg_status place(const tg_axe *memory, const tg_layout *holders, int element_bytes,
                       tg_placement *out, tg_diags *diags)
{
    tg_axe threads;
    if (!holders) hold_by_threads(memory, &threads);
    TG_TRY(tg_placement_of(holders ? &holders->axe : &threads, memory, element_bytes, out, diags));
    const tg_status status = tg_placement_sort(out, diags);
    if (status != TG_OK) tg_placement_free(out);
    return status;
}

/* ---- what an access costs ---- */

/* An element at that byte: there is one. */
static int64_t element_at(const tg_axe *memory, int element_bytes, int64_t byte)
{
    tg_coordinate at;
    for (int64_t x = 0;; x++) {
        tg_axe_map(memory, x, 0, &at);
        if (at.at[TG_AXIS_m] * element_bytes + at.at[TG_AXIS_byte] == byte) return x;
    }
}

/* Two elements of an access with conflicts. */
static void find_collision(const tg_axe *memory, int element_bytes, const tg_warp_access *access,
                           tg_layout_cost *out)
{
    tg_collision found;
    out->elements[0] = out->elements[1] = -1;
    if (!tg_collision_find(access, &found)) return;
    for (int i = 0; i < 2; i++) {
        const int64_t begin = access->address[found.lane[i]], within = found.byte[i] - begin;
        out->lanes[i] = found.lane[i];
        out->elements[i] =
            element_at(memory, element_bytes, found.byte[i] - within % element_bytes);
    }
    out->bank = found.bank;
}

static tg_status cost_of(const tg_axe *memory, const tg_placement *p, int access_bytes,
                         tg_layout_cost *out, tg_diags *diags)
{
    tg_conflicts banks;
    tg_sectors sectors;
    tg_warp_access worst;
    TG_TRY(tg_placement_conflicts(p, access_bytes, &banks, diags));
    TG_TRY(tg_placement_sectors(p, access_bytes, &sectors, diags));
    *out = (tg_layout_cost){.access_bytes = banks.bytes,
                            .widest_bytes = tg_placement_vector(p, TG_MOST_VECTOR_BYTES),
                            .accesses = banks.accesses,
                            .wavefronts = banks.wavefronts,
                            .least_wavefronts = banks.least,
                            .sectors = sectors.sectors,
                            .lines = sectors.lines,
                            .least_sectors = sectors.least,
                            .distinct_bytes = sectors.distinct_bytes,
                            .warp = banks.worst_warp};
    tg_placement_access(p, banks.worst_warp, banks.worst_reg, banks.bytes, &worst);
    find_collision(memory, p->element_bytes, &worst, out);
    return TG_OK;
}

tg_status tg_layout_conflicts(const tg_layout *memory, const tg_layout *holders, int element_bytes,
                              int access_bytes, tg_layout_cost *out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_placement p;
    *out = (tg_layout_cost){.elements = {-1, -1}};
    tg_status status = place(&memory->axe, holders, element_bytes, &p, diags);
    if (status == TG_OK) {
        status = cost_of(&memory->axe, &p, access_bytes, out, diags);
        tg_placement_free(&p);
    }
    tg_diags_free(&unwanted);
    return status;
}

/* ---- a swizzle ---- */

typedef struct question {
    const tg_layout *const *holders;
    size_t count;
    int element_bytes, access_bytes;
    tg_diags *diags;
} question;

/* The placements of all accesses in one memory. */
typedef struct accesses {
    int count;
    tg_placement list[MOST_HOLDERS];
} accesses;

static void free_all(accesses *a)
{
    for (int i = 0; i < a->count; i++) tg_placement_free(&a->list[i]);
}

static tg_status place_all(const question *q, const tg_axe *memory, accesses *out)
{
    tg_status status = TG_OK;
    *out = (accesses){0};
    for (size_t i = 0; status == TG_OK && i < q->count; i++) {
        status = place(memory, q->holders[i], q->element_bytes, &out->list[i], q->diags);
        out->count += status == TG_OK;
    }
    if (status != TG_OK) free_all(out);
    return status;
}

static tg_status add_costs(const question *q, const accesses *a, tg_layout_swizzled *out)
{
    int64_t count = 0;
    *out = (tg_layout_swizzled){0};
    for (int i = 0; i < a->count; i++) {
        tg_conflicts banks;
        TG_TRY(tg_placement_conflicts(&a->list[i], q->access_bytes, &banks, q->diags));
        out->before += banks.wavefronts;
        out->least += banks.least;
        count += banks.accesses;
    }
    out->after = out->before;
    if (count <= MOST_SEARCHED) return TG_OK;
    return tg_fail(q->diags, TG_ERR_UNSUPPORTED, NULL,
                   "a swizzle is not searched for more than %d accesses: these are %lld",
                   MOST_SEARCHED, (long long)count);
}

/* A swizzle of memory that has none; found->after tells whether it helps. */
static tg_status search(const question *q, const accesses *a, tg_swizzle_found *found)
{
    const tg_placement *list[MOST_HOLDERS];
    int widths[MOST_HOLDERS];
    for (int i = 0; i < a->count; i++) {
        list[i] = &a->list[i];
        widths[i] = q->access_bytes;
    }
    const tg_status status = tg_swizzle_search(list, widths, a->count, found, NULL);
    return status == TG_ERR_UNSUPPORTED ? TG_OK : status; /* none helps */
}

/* What the accesses cost, and if `found` is not NULL, the best swizzle. */
static tg_status cost_together(const question *q, const tg_axe *memory, tg_layout_swizzled *out,
                               tg_swizzle_found *found)
{
    accesses a;
    TG_TRY(place_all(q, memory, &a));
    tg_status status = add_costs(q, &a, out);
    if (status == TG_OK && found) status = search(q, &a, found);
    free_all(&a);
    return status;
}

/* Gives `memory` the best swizzle. */
static tg_status improve(const question *q, tg_axe *memory, tg_layout_swizzled *out)
{
    tg_swizzle_found found;
    tg_layout_swizzled plain;
    if (q->count < 1 || q->count > MOST_HOLDERS)
        return tg_fail(q->diags, TG_ERR_USAGE, NULL, "a swizzle serves 1 to %d accesses, not %zu",
                       MOST_HOLDERS, q->count);
    TG_TRY(cost_together(q, memory, out, NULL));
    if (out->before == out->least) return TG_OK;
    memory->swizzle = (tg_swizzle){0};
    TG_TRY(cost_together(q, memory, &plain, &found));
    if (found.after >= out->before)
        return tg_fail(q->diags, TG_ERR_UNSUPPORTED, NULL,
                       "%lld wavefronts could be %lld, but no swizzle makes them fewer",
                       (long long)out->before, (long long)out->least);
    if (found.bytes.bits)
        memory->swizzle =
            tg_axe_range(memory, TG_AXIS_byte).most > 0 ? found.bytes : found.elements;
    out->after = found.after;
    out->least = found.least;
    return TG_OK;
}

tg_status tg_layout_swizzle_for(const tg_layout *memory, const tg_layout *const *holders,
                                size_t count, int element_bytes, int access_bytes, tg_layout **out,
                                tg_layout_swizzled *wavefronts, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const question q = {holders, count, element_bytes, access_bytes, diags};
    *wavefronts = (tg_layout_swizzled){0};
    tg_status status = tg_layout_new(out, diags);
    if (status == TG_OK) {
        tg_axe_copy(&memory->axe, &(*out)->axe);
        status = improve(&q, &(*out)->axe, wavefronts);
    }
    return tg_layout_made(out, status, &unwanted);
}
