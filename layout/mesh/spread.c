#include "layout/mesh/spread.h"

#include <inttypes.h>

#include "layout/canonical.h"
#include "layout/print.h"

/* Whether each digit of `term` is a digit of `iter`. */
static bool is_part_of(const tg_iter *term, const tg_iter *iter)
{
    if (iter->axis != TG_AXIS_gpuid || iter->stride < 1 || term->stride % iter->stride != 0)
        return false;
    const int64_t below = term->stride / iter->stride;
    return iter->extent % term->extent == 0 && iter->extent / term->extent % below == 0;
}

static bool overlap(const tg_iter *a, const tg_iter *b)
{
    return a->stride < b->stride * b->extent && b->stride < a->stride * a->extent;
}

static tg_status check_term(const tg_spread *spread, const tg_axe *canonical, int t,
                            tg_diags *diags)
{
    const tg_iter *term = &spread->terms.list[t];
    const long long extent = term->extent, stride = term->stride;
    int64_t end;
    if (term->axis != TG_AXIS_gpuid || extent < 2 || stride < 1 ||
        __builtin_mul_overflow(term->extent, term->stride, &end))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "terms are along 2 devices or more, on axis gpuid, with a stride above 0");
    bool found = false;
    for (int i = 0; i < canonical->r.count; i++) found |= is_part_of(term, &canonical->r.list[i]);
    if (!found)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "terms are along %lld:%lld@gpuid, where the layout has no copies", extent,
                       stride);
    for (int i = 0; i < t; i++)
        if (overlap(term, &spread->terms.list[i]))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "terms are along %lld:%lld@gpuid and %lld:%lld@gpuid, which overlap",
                           (long long)spread->terms.list[i].extent,
                           (long long)spread->terms.list[i].stride, extent, stride);
    return TG_OK;
}

static tg_status check_ids(const tg_spread *spread, tg_diags *diags)
{
    const tg_range range = tg_axe_range(&spread->layout, TG_AXIS_gpuid);
    if (!spread->id_count) return TG_OK;
    if (range.least < 0 || range.most >= spread->id_count)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout has devices %lld to %lld, but the table has %d ids",
                       (long long)range.least, (long long)range.most, spread->id_count);
    for (int p = 0; p < spread->id_count; p++) {
        if (spread->ids[p] < 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the id of a device is %d; it is at least 0", spread->ids[p]);
        for (int q = 0; q < p; q++)
            if (spread->ids[p] == spread->ids[q])
                return tg_fail(diags, TG_ERR_INVALID, NULL, "two devices have id %d",
                               spread->ids[p]);
    }
    return TG_OK;
}

tg_status tg_spread_check(const tg_spread *spread, tg_diags *diags)
{
    tg_axe canonical;
    TG_TRY(tg_axe_check(&spread->layout, diags));
    tg_axe_copy(&spread->layout, &canonical);
    tg_axe_canonize(&canonical);
    for (int t = 0; t < spread->terms.count; t++) TG_TRY(check_term(spread, &canonical, t, diags));
    return check_ids(spread, diags);
}

void tg_spread_print(const tg_spread *spread, tg_text *out)
{
    tg_axe_print(&spread->layout, out);
    for (int t = 0; t < spread->terms.count; t++) {
        const tg_iter *term = &spread->terms.list[t];
        if (t)
            tg_text_put(out, ",");
        else
            tg_text_add(out, " | %s over [", tg_reduction_names[spread->reduction]);
        tg_text_add(out, "%" PRId64 ":%" PRId64 "@gpuid", term->extent, term->stride);
    }
    if (spread->terms.count) tg_text_put(out, "]");
    for (int p = 0; p < spread->id_count; p++)
        tg_text_add(out, "%s%d", p ? "," : " | devices [", spread->ids[p]);
    if (spread->id_count) tg_text_put(out, "]");
}

void tg_spread_print_json(const tg_spread *spread, tg_text *out)
{
    tg_text_put(out, "{\"layout\":");
    tg_axe_print_json(&spread->layout, out);
    for (int t = 0; t < spread->terms.count; t++) {
        const tg_iter *term = &spread->terms.list[t];
        if (t)
            tg_text_put(out, ",");
        else
            tg_text_add(out, ",\"terms\":{\"reduction\":\"%s\",\"over\":[",
                        tg_reduction_names[spread->reduction]);
        tg_text_add(out, "[%" PRId64 ",%" PRId64 ",\"gpuid\"]", term->extent, term->stride);
    }
    if (spread->terms.count) tg_text_put(out, "]}");
    for (int p = 0; p < spread->id_count; p++)
        tg_text_add(out, "%s%d", p ? "," : ",\"devices\":[", spread->ids[p]);
    tg_text_put(out, spread->id_count ? "]}" : "}");
}

tg_status tg_spread_from_sharding(const tg_mesh *mesh, const tg_sharding *sharding,
                                  const tg_shape *shape, tg_spread *out, tg_diags *diags)
{
    TG_TRY(tg_sharding_to_axe(mesh, sharding, shape, &out->layout, diags));
    out->terms.count = 0;
    for (int i = 0; i < sharding->unreduced.count; i++) {
        const tg_part *part = &sharding->unreduced.list[i];
        if (part->size > 1)
            tg_iters_put(&out->terms, part->size, tg_part_stride(mesh, part), TG_AXIS_gpuid);
    }
    tg_iters_fuse(&out->terms);
    out->reduction = sharding->reduction;
    out->id_count = mesh->has_ids ? mesh->device_count : 0;
    for (int p = 0; p < out->id_count; p++) out->ids[p] = mesh->ids[p];
    return TG_OK;
}

tg_status tg_spread_to_sharding(const tg_spread *spread, const tg_mesh *mesh, const tg_shape *shape,
                                tg_sharding *out, tg_diags *diags)
{
    TG_TRY(tg_spread_check(spread, diags));
    for (int p = 0; p < mesh->device_count; p++)
        if ((spread->id_count && spread->id_count != mesh->device_count) ||
            (spread->id_count ? spread->ids[p] : p) != tg_mesh_device(mesh, p))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "device %d of the mesh is not at that position in the placement", p);
    TG_TRY(tg_sharding_from_axe(&spread->layout, mesh, shape, out, diags));
    for (int t = 0; t < spread->terms.count; t++)
        TG_TRY(tg_parts_of_iter(mesh, &spread->terms.list[t], &out->unreduced, diags));
    tg_parts_sort(&out->unreduced);
    out->reduction = spread->terms.count ? spread->reduction : TG_REDUCTION_SUM;
    return tg_sharding_check(mesh, out, diags);
}
