/* Costs of accesses: conflicts of banks, sectors, swizzles against them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/linear/addresses.h"
#include "layout/linear/encoded.h"
#include "layout/placement.h"
#include "layout/map.h"
#include "layout/swizzle_search.h"
#include "layouts/judge.h"

/* A layout of lanes: lane x has its vector at the place of element x, of m in elements or of byte. */
static tg_status read_access(const char *text, int element_bytes, int bytes, tg_warp_access *out,
                             tg_diags *diags)
{
    tg_axe axe;
    TG_TRY(judge_read(text, &axe, diags));
    const int64_t lanes = tg_iters_size(&axe.d);
    *out = (tg_warp_access){.bytes = bytes};
    for (int64_t lane = 0; lane < lanes && lane < TG_LANES; lane++) {
        tg_coordinate at;
        tg_axe_map(&axe, lane, 0, &at);
        out->address[lane] = at.at[TG_AXIS_m] * element_bytes + at.at[TG_AXIS_byte];
        out->active |= UINT32_C(1) << lane;
    }
    return TG_OK;
}

tg_status judged_bank_cost(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_warp_access access;
    tg_bank_cost cost;
    (void)count;
    TG_TRY(read_access(in[0], atoi(in[1]), atoi(in[2]), &access, diags));
    TG_TRY(tg_warp_access_banks(&access, &cost, diags));
    tg_text_add(out, "%d/%d", cost.wavefronts, cost.least);
    return TG_OK;
}

tg_status judged_banks(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_warp_access access;
    (void)count;
    TG_TRY(read_access(in[0], atoi(in[1]), 1, &access, diags));
    for (int lane = 0; lane < TG_LANES && access.active >> lane & 1; lane++)
        tg_text_add(out, "%s%" PRId64, lane ? " " : "",
                    access.address[lane] / TG_WORD_BYTES % TG_BANKS);
    return TG_OK;
}

tg_status judged_sector_cost(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_warp_access access;
    tg_sector_cost cost;
    (void)count;
    TG_TRY(read_access(in[0], atoi(in[1]), atoi(in[2]), &access, diags));
    TG_TRY(tg_warp_access_sectors(&access, &cost, diags));
    const int permille = 1000 * cost.bytes / (TG_SECTOR_BYTES * cost.sectors);
    tg_text_add(out, "%d sectors, %d lines, %d.%d %%", cost.sectors, cost.lines, permille / 10,
                permille % 10);
    return TG_OK;
}

/* Layout of registers, layout of memory, bytes of an element, width of the access (0: the widest). */
tg_status judged_axe_conflicts(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe registers, memory;
    tg_placement p;
    tg_conflicts cost;
    (void)count;
    TG_TRY(judge_read(in[0], &registers, diags));
    TG_TRY(judge_read(in[1], &memory, diags));
    TG_TRY(tg_placement_of(&registers, &memory, atoi(in[2]), &p, diags));
    tg_status status = tg_placement_sort(&p, diags);
    if (status == TG_OK) status = tg_placement_conflicts(&p, atoi(in[3]), &cost, diags);
    tg_placement_free(&p);
    TG_TRY(status);
    tg_text_add(out, "%" PRId64 "/%" PRId64 " of %d bytes", cost.wavefronts, cost.least,
                cost.bytes);
    return TG_OK;
}

static tg_status placement_of(const char *const *in, int element_bytes, tg_placement *out,
                              tg_diags *diags)
{
    static tg_encoding encoding;
    tg_linear linear[2];
    tg_shape shape;
    TG_TRY(tg_shape_read(in[2], strlen(in[2]), &shape, diags));
    for (int i = 0; i < 2; i++) {
        TG_TRY(tg_encoding_read(in[i], strlen(in[i]), &encoding, diags));
        TG_TRY(tg_encoding_to_linear(&encoding, &shape, &linear[i], diags));
    }
    return tg_linear_placement(&linear[0], &linear[1], element_bytes, out, diags);
}

/* Encoding of registers, of memory, shape, bits of an element -> Triton's number of conflicts. */
tg_status judged_triton_conflicts(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_placement p;
    tg_conflicts cost;
    (void)count;
    TG_TRY(placement_of(in, atoi(in[3]) / 8, &p, diags));
    tg_status status = tg_placement_sort(&p, diags);
    if (status == TG_OK) status = tg_placement_conflicts(&p, 0, &cost, diags);
    tg_placement_free(&p);
    TG_TRY(status);
    if (cost.wavefronts % cost.least)
        tg_text_add(out, "%" PRId64 "/%" PRId64, cost.wavefronts, cost.least);
    else
        tg_text_add(out, "%" PRId64, cost.wavefronts / cost.least - 1);
    return TG_OK;
}

/* Memory, bytes of an element, layouts of registers -> swizzle of elements, wavefronts before and after. */
tg_status judged_swizzle_search(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe registers, memory;
    tg_placement p[8] = {0};
    const tg_placement *list[8];
    const int widths[8] = {0};
    tg_swizzle_found found;
    tg_status status = judge_read(in[0], &memory, diags);
    for (int i = 2; status == TG_OK && i < count; i++) {
        list[i - 2] = &p[i - 2];
        status = judge_read(in[i], &registers, diags);
        if (status == TG_OK)
            status = tg_placement_of(&registers, &memory, atoi(in[1]), &p[i - 2], diags);
        if (status == TG_OK) status = tg_placement_sort(&p[i - 2], diags);
    }
    if (status == TG_OK) status = tg_swizzle_search(list, widths, count - 2, &found, diags);
    for (int i = 0; i < 8; i++) tg_placement_free(&p[i]);
    TG_TRY(status);
    tg_text_add(out, "Sw<%d,%d,%d>: %" PRId64 " -> %" PRId64 ", least %" PRId64,
                found.elements.bits, found.elements.base, found.elements.shift, found.before,
                found.after, found.least);
    return TG_OK;
}
