#include "layout/mesh/collective.h"

/* Bytes of what a device holds, where dimensions are padded to whole blocks. */
static tg_status bytes_held(const tg_sharding *sharding, const tg_shape *shape,
                            int64_t element_bytes, int64_t *out, tg_diags *diags)
{
    *out = element_bytes;
    for (int d = 0; d < shape->rank; d++) {
        const int64_t blocks = tg_parts_size(&sharding->dims[d]);
        const int64_t extent = (shape->extent[d] - 1) / blocks + 1;
        if (__builtin_mul_overflow(*out, extent, out))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the bytes that a device holds do not fit in 63 bits");
    }
    return TG_OK;
}

static int64_t group_size(const tg_collective *step)
{
    int64_t size = tg_parts_size(&step->group);
    for (int d = 0; d < step->after.rank; d++) size *= tg_parts_size(&step->axes[d]);
    return size;
}

static int devices_that_move(const tg_mesh *mesh, const tg_mesh *other, const tg_sharding *before,
                             const tg_collective *step)
{
    int count = 0;
    const tg_mesh *to = step->other_devices ? other : mesh;
    for (int p = 0; p < mesh->device_count; p++) {
        const int source = tg_collective_source(mesh, before, &step->after, p);
        count += tg_mesh_device(mesh, source) != tg_mesh_device(to, p);
    }
    return count;
}

/* Of a group of n: `rounds` blocks go over each link of the ring, `pair` over each link between
 * two. */
static tg_status fill(int64_t block, int64_t sent, int64_t rounds, int64_t pair, tg_traffic *out,
                      tg_diags *diags)
{
    if (__builtin_mul_overflow(block, sent, &out->sent) ||
        __builtin_mul_overflow(block, rounds, &out->ring_link) ||
        __builtin_mul_overflow(block, pair, &out->pair_link))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the bytes of a step do not fit in 63 bits");
    out->received = out->sent;
    return TG_OK;
}

tg_status tg_collective_traffic(const tg_mesh *mesh, const tg_mesh *other,
                                const tg_sharding *before, const tg_collective *step,
                                const tg_shape *shape, int64_t element_bytes, tg_traffic *out,
                                tg_diags *diags)
{
    if (element_bytes < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an element has %lld bytes; it has at least 1",
                       (long long)element_bytes);
    const int64_t n = group_size(step);
    int64_t held, after;
    *out = (tg_traffic){0};
    TG_TRY(bytes_held(before, shape, element_bytes, &held, diags));
    TG_TRY(bytes_held(&step->after, shape, element_bytes, &after, diags));
    if (step->kind == TG_ALL_SLICE || step->kind == TG_TO_TERMS) return TG_OK;
    out->devices = mesh->device_count;
    if (step->kind == TG_COLLECTIVE_PERMUTE) {
        out->devices = devices_that_move(mesh, other, before, step);
        return fill(held, out->devices > 0, out->devices > 0, out->devices > 0, out, diags);
    }
    if (n == 1) out->devices = 0;
    if (n == 1) return TG_OK;
    /* The block of one device in a buffer of all: elements that it does not divide are padded. */
    const int64_t elements = held / element_bytes;
    const int64_t block = ((elements - 1) / n + 1) * element_bytes;
    switch (step->kind) {
    case TG_ALL_GATHER: return fill(held, n - 1, n - 1, 1, out, diags);
    case TG_REDUCE_SCATTER: return fill(after, n - 1, n - 1, 1, out, diags);
    case TG_ALL_REDUCE: return fill(block, 2 * (n - 1), 2 * (n - 1), 2, out, diags);
    default: break;
    }
    /* A block of an all-to-all that goes k devices far goes over k links: n (n - 1) / 2 in all,
     * over n links for each of n devices. */
    return fill(block, n - 1, n * (n - 1) / 2, 1, out, diags);
}
