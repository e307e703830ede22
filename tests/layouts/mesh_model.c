#include "layouts/mesh_model.h"

#include <string.h>

/* ---- random ones ---- */

static void random_ids(chance *c, tg_mesh *mesh)
{
    bool identity = true;
    for (int p = 0; p < mesh->device_count; p++) mesh->ids[p] = p;
    for (int p = mesh->device_count - 1; p > 0; p--) {
        const int q = (int)pick(c, 0, p), id = mesh->ids[p];
        mesh->ids[p] = mesh->ids[q];
        mesh->ids[q] = id;
    }
    for (int p = 0; p < mesh->device_count; p++) identity &= mesh->ids[p] == p;
    mesh->has_ids = !identity;
}

void random_mesh(chance *c, int most_devices, bool ids, tg_mesh *out)
{
    static const char *const names[] = {"x", "y", "data_1", "a b"};
    tg_mesh_begin(out);
    const int count = (int)pick(c, 0, 4);
    for (int a = 0; a < count; a++) {
        const int room = most_devices / out->device_count;
        const int limit = one_in(c, 3) ? 8 : count > 2 ? 2 : 4, most = room < limit ? room : limit;
        const int size = (int)pick(c, one_in(c, 6) || most < 2 ? 1 : 2, most);
        tg_mesh_add(out, names[a], strlen(names[a]), size, -1, NULL);
    }
    if (ids && one_in(c, 3)) random_ids(c, out);
}

/* Cuts each axis into digits, and gives each to a list: 0 .. rank - 1, unreduced, replicated, none. */
void random_sharding(chance *c, const tg_mesh *mesh, int rank, sharding_wish w, tg_sharding *out)
{
    tg_parts lists[TG_SHAPE_MAX_RANK + 3] = {0};
    const int lists_used = rank + 3;
    for (int a = 0; a < mesh->axis_count; a++)
        for (int pre = 1, left = mesh->axes[a].size; pre == 1 || left > 1;) {
            int size = left;
            if (w.sub_axes && one_in(c, 2)) size = (int)pick(c, left > 1 ? 2 : 1, left);
            if (left % size != 0) size = left;
            const int list = (int)pick(c, 0, (rank && !one_in(c, 3) ? rank : lists_used) - 1);
            tg_parts_insert(&lists[list], (int)pick(c, 0, lists[list].count),
                            (tg_part){a, pre, size});
            pre *= size;
            left /= size;
            if (mesh->axes[a].size == 1) break;
        }
    tg_sharding_begin(out, rank);
    for (int d = 0; d < rank; d++) {
        for (int i = 0; i < lists[d].count; i++) tg_parts_add(&out->dims[d], lists[d].list[i]);
        out->open[d] = w.wishes && one_in(c, 4);
        if (w.wishes && (out->open[d] || out->dims[d].count) && one_in(c, 4))
            out->priority[d] = (int)pick(c, 0, 3);
    }
    tg_parts_sort(&lists[rank]);
    tg_parts_sort(&lists[rank + 1]);
    if (w.unreduced) tg_parts_copy(&lists[rank], &out->unreduced);
    if (w.wishes) tg_parts_copy(&lists[rank + 1], &out->replicated);
    if (out->unreduced.count) out->reduction = (tg_reduction)pick(c, 0, TG_REDUCTION_COUNT - 1);
}

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

void random_shape(chance *c, const tg_sharding *a, const tg_sharding *b, tg_shape *out)
{
    int64_t size = 1;
    out->rank = a->rank;
    for (int d = 0; d < a->rank; d++) {
        const int64_t x = mesh_blocks(&a->dims[d]), y = b ? mesh_blocks(&b->dims[d]) : 1;
        out->extent[d] = x / gcd(x, y) * y;
        size *= out->extent[d];
    }
    for (int d = 0; d < a->rank; d++) {
        const int64_t times = pick(c, 1, 3);
        if (size * times > 96) continue;
        out->extent[d] *= times;
        size *= times;
    }
}

/* ---- by definition ---- */

static int stride_of(const tg_mesh *mesh, const tg_part *part)
{
    int stride = mesh->axes[part->axis].size / (part->pre * part->size);
    for (int a = part->axis + 1; a < mesh->axis_count; a++) stride *= mesh->axes[a].size;
    return stride;
}

int mesh_digit(const tg_mesh *mesh, const tg_part *part, int position)
{
    return position / stride_of(mesh, part) % part->size;
}

int mesh_with_digit(const tg_mesh *mesh, const tg_part *part, int position, int digit)
{
    return position + (digit - mesh_digit(mesh, part, position)) * stride_of(mesh, part);
}

int mesh_index(const tg_mesh *mesh, const tg_parts *parts, int position)
{
    int index = 0;
    for (int i = 0; i < parts->count; i++)
        index = index * parts->list[i].size + mesh_digit(mesh, &parts->list[i], position);
    return index;
}

int mesh_with_index(const tg_mesh *mesh, const tg_parts *parts, int position, int index)
{
    for (int i = parts->count - 1; i >= 0; i--) {
        const int size = parts->list[i].size;
        position = mesh_with_digit(mesh, &parts->list[i], position, index % size);
        index /= size;
    }
    return position;
}

int64_t mesh_blocks(const tg_parts *parts)
{
    int64_t blocks = 1;
    for (int i = 0; i < parts->count; i++) blocks *= parts->list[i].size;
    return blocks;
}

bool mesh_holds(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shape,
                int position, const tg_shape *element, int64_t *at)
{
    *at = 0;
    for (int d = 0; d < shape->rank; d++) {
        const int64_t block = shape->extent[d] / mesh_blocks(&sharding->dims[d]);
        const int64_t first = block * mesh_index(mesh, &sharding->dims[d], position);
        const int64_t i = element->extent[d] - first;
        if (i < 0 || i >= block) return false;
        *at = *at * block + i;
    }
    return true;
}

static void coordinate(const tg_shape *shape, int64_t x, tg_shape *out)
{
    out->rank = shape->rank;
    for (int d = shape->rank - 1; d >= 0; d--) {
        out->extent[d] = x % shape->extent[d];
        x /= shape->extent[d];
    }
}

bool mesh_is_model(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shape,
                   const model *m)
{
    for (int64_t x = 0; x < m->size; x++) {
        int holders = 0;
        tg_shape element;
        coordinate(shape, x, &element);
        for (int p = 0; p < mesh->device_count; p++) {
            place at = {{0}};
            at.at[TG_AXIS_gpuid] = p;
            if (!mesh_holds(mesh, sharding, shape, p, &element, &at.at[TG_AXIS_m])) continue;
            holders++;
            if (!model_has(m, x, &at)) return false;
        }
        if (m->start[x + 1] - m->start[x] != holders) return false;
    }
    return true;
}

/* Of the digits that all axes are cut into, gives those from `i` on to all dimensions in all orders. */
static bool try_dims(const tg_mesh *mesh, const tg_shape *shape, const model *m,
                     const tg_parts *digits, int i, tg_sharding *sharding)
{
    if (i == digits->count) {
        for (int d = 0; d < shape->rank; d++)
            if (shape->extent[d] % mesh_blocks(&sharding->dims[d]) != 0) return false;
        return mesh_is_model(mesh, sharding, shape, m);
    }
    if (try_dims(mesh, shape, m, digits, i + 1, sharding)) return true;
    for (int d = 0; d < shape->rank; d++)
        for (int at = 0; at <= sharding->dims[d].count; at++) {
            tg_parts_insert(&sharding->dims[d], at, digits->list[i]);
            const bool found = try_dims(mesh, shape, m, digits, i + 1, sharding);
            tg_parts_remove(&sharding->dims[d], at);
            if (found) return true;
        }
    return false;
}

/* Cuts axes from `axis` on, the first of which has `pre` above what is left, in all ways into primes. */
static bool try_cuts(const tg_mesh *mesh, const tg_shape *shape, const model *m, int axis, int pre,
                     tg_parts *digits, tg_sharding *sharding)
{
    if (axis == mesh->axis_count) return try_dims(mesh, shape, m, digits, 0, sharding);
    const int left = mesh->axes[axis].size / pre;
    if (left == 1) return try_cuts(mesh, shape, m, axis + 1, 1, digits, sharding);
    for (int prime = 2; prime <= left; prime++) {
        bool is_prime = left % prime == 0;
        for (int k = 2; k < prime; k++) is_prime &= prime % k != 0;
        if (!is_prime) continue;
        tg_parts_put(digits, (tg_part){axis, pre, prime});
        const bool found = try_cuts(mesh, shape, m, axis, pre * prime, digits, sharding);
        digits->count--;
        if (found) return true;
    }
    return false;
}

bool mesh_any_is_model(const tg_mesh *mesh, const tg_shape *shape, const model *m)
{
    tg_parts digits = {0};
    tg_sharding sharding;
    tg_sharding_begin(&sharding, shape->rank);
    return try_cuts(mesh, shape, m, 0, 1, &digits, &sharding);
}

bool mesh_same_blocks(const tg_mesh *mesh, const tg_sharding *a, const tg_sharding *b)
{
    if (a->rank != b->rank) return false;
    if (mesh_blocks(&a->unreduced) != mesh_blocks(&b->unreduced)) return false;
    if (mesh_blocks(&a->unreduced) > 1 && a->reduction != b->reduction) return false;
    for (int d = 0; d < a->rank; d++)
        if (mesh_blocks(&a->dims[d]) != mesh_blocks(&b->dims[d])) return false;
    for (int p = 0; p < mesh->device_count; p++) {
        if (mesh_index(mesh, &a->unreduced, p) != mesh_index(mesh, &b->unreduced, p)) return false;
        for (int d = 0; d < a->rank; d++)
            if (mesh_index(mesh, &a->dims[d], p) != mesh_index(mesh, &b->dims[d], p)) return false;
    }
    return true;
}
