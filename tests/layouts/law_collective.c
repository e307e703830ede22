/* Plans of collectives, run on devices whose elements are numbers. */
#include <string.h>

#include "base/splitmix.h"
#include "layout/mesh/relayout.h"
#include "layouts/law.h"
#include "layouts/mesh_model.h"

enum { MOST_DEVICES = 12, MOST_ELEMENTS = 1024 };

/* What the devices hold, by their ids: an array of shape `block`.  A sum of numbers stands for a set of
 * terms: numbers are random, so that sums of other sets are others. */
typedef struct machine {
    const tg_mesh *mesh; /* that counts the positions */
    tg_shape block;
    uint64_t held[MOST_DEVICES][MOST_ELEMENTS];
} machine;

static machine now, next;
static tg_mesh from_mesh, to_mesh;

static int64_t size_of(const tg_shape *shape)
{
    int64_t size = 1;
    for (int d = 0; d < shape->rank; d++) size *= shape->extent[d];
    return size;
}

static int64_t index_of(const tg_shape *shape, const int64_t *at)
{
    int64_t index = 0;
    for (int d = 0; d < shape->rank; d++) index = index * shape->extent[d] + at[d];
    return index;
}

static void coordinate_of(const tg_shape *shape, int64_t index, int64_t *at)
{
    for (int d = shape->rank - 1; d >= 0; d--) {
        at[d] = index % shape->extent[d];
        index /= shape->extent[d];
    }
}

static int id_of(const tg_mesh *mesh, int position)
{
    return mesh->has_ids ? mesh->ids[position] : position;
}

static uint64_t *held_at(machine *m, int position) { return m->held[id_of(m->mesh, position)]; }

/* Term u of element x. */
static uint64_t number(int64_t x, int u)
{
    return tg_splitmix((uint64_t)(x * 64 + u + 1) * TG_SPLITMIX_STEP);
}

static void block_of(const tg_sharding *sharding, const tg_shape *shape, tg_shape *out)
{
    out->rank = shape->rank;
    for (int d = 0; d < shape->rank; d++)
        out->extent[d] = shape->extent[d] / mesh_blocks(&sharding->dims[d]);
}

/* The element of the array that is at an index of what a position holds. */
static int64_t element_at(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shape,
                          const tg_shape *block, int position, int64_t i)
{
    int64_t at[TG_SHAPE_MAX_RANK];
    coordinate_of(block, i, at);
    for (int d = 0; d < shape->rank; d++)
        at[d] += block->extent[d] * mesh_index(mesh, &sharding->dims[d], position);
    return index_of(shape, at);
}

static void load(const tg_sharding *from, const tg_shape *shape)
{
    now.mesh = &from_mesh;
    block_of(from, shape, &now.block);
    for (int p = 0; p < from_mesh.device_count; p++)
        for (int64_t i = 0; i < size_of(&now.block); i++)
            held_at(&now, p)[i] = number(element_at(&from_mesh, from, shape, &now.block, p, i),
                                         mesh_index(&from_mesh, &from->unreduced, p));
}

/* ---- the steps, by their definition ---- */

static void slice(const tg_collective *step)
{
    for (int d = 0; d < now.block.rank; d++) next.block.extent[d] /= mesh_blocks(&step->axes[d]);
    for (int p = 0; p < now.mesh->device_count; p++)
        for (int64_t i = 0; i < size_of(&next.block); i++) {
            int64_t at[TG_SHAPE_MAX_RANK];
            coordinate_of(&next.block, i, at);
            for (int d = 0; d < now.block.rank; d++)
                at[d] += next.block.extent[d] * mesh_index(now.mesh, &step->axes[d], p);
            held_at(&next, p)[i] = held_at(&now, p)[index_of(&now.block, at)];
        }
}

/* Returns how many elements device 0 gets from others. */
static int64_t gather(const tg_collective *step)
{
    int64_t got = 0;
    for (int d = 0; d < now.block.rank; d++) next.block.extent[d] *= mesh_blocks(&step->axes[d]);
    for (int p = 0; p < now.mesh->device_count; p++)
        for (int64_t i = 0; i < size_of(&next.block); i++) {
            int64_t at[TG_SHAPE_MAX_RANK];
            int q = p;
            coordinate_of(&next.block, i, at);
            for (int d = 0; d < now.block.rank; d++) {
                q = mesh_with_index(now.mesh, &step->axes[d], q,
                                    (int)(at[d] / now.block.extent[d]));
                at[d] %= now.block.extent[d];
            }
            got += p == 0 && q != 0;
            held_at(&next, p)[i] = held_at(&now, q)[index_of(&now.block, at)];
        }
    return got;
}

static int64_t all_to_all(const tg_collective *step)
{
    int64_t got = 0;
    const int64_t n = mesh_blocks(&step->group), rows = now.block.extent[step->from];
    next.block.extent[step->from] *= n;
    next.block.extent[step->to] /= n;
    for (int p = 0; p < now.mesh->device_count; p++)
        for (int64_t i = 0; i < size_of(&next.block); i++) {
            int64_t at[TG_SHAPE_MAX_RANK];
            coordinate_of(&next.block, i, at);
            const int q = mesh_with_index(now.mesh, &step->group, p, (int)(at[step->from] / rows));
            at[step->from] %= rows;
            at[step->to] += next.block.extent[step->to] * mesh_index(now.mesh, &step->group, p);
            got += p == 0 && q != 0;
            held_at(&next, p)[i] = held_at(&now, q)[index_of(&now.block, at)];
        }
    return got;
}

/* Returns how many devices get what another has, or -1 if two get it from one. */
static int permute(const tg_sharding *before, const tg_collective *step)
{
    bool sent[MOST_DEVICES] = {false};
    int moved = 0;
    if (step->other_devices) next.mesh = &to_mesh;
    for (int p = 0; p < now.mesh->device_count; p++) {
        const int q = tg_collective_source(now.mesh, before, &step->after, p);
        if (q < 0 || q >= now.mesh->device_count || sent[q]) return -1;
        sent[q] = true;
        moved += id_of(now.mesh, q) != id_of(next.mesh, p);
        memcpy(held_at(&next, p), held_at(&now, q), sizeof now.held[0]);
    }
    return moved;
}

static void reduce(const tg_parts *group)
{
    for (int p = 0; p < now.mesh->device_count; p++)
        for (int64_t i = 0; i < size_of(&now.block); i++) {
            uint64_t sum = 0;
            for (int k = 0; k < mesh_blocks(group); k++)
                sum += held_at(&now, mesh_with_index(now.mesh, group, p, k))[i];
            held_at(&next, p)[i] = sum;
        }
}

static void reduce_scatter(const tg_collective *step)
{
    for (int d = 0; d < now.block.rank; d++) {
        reduce(&step->axes[d]);
        memcpy(now.held, next.held, sizeof now.held);
    }
    slice(step);
}

static void to_terms(const tg_collective *step)
{
    for (int p = 0; p < now.mesh->device_count; p++)
        for (int64_t i = 0; i < size_of(&now.block); i++)
            held_at(&next, p)[i] = mesh_index(now.mesh, &step->group, p) ? 0 : held_at(&now, p)[i];
}

/* Runs a step; false if it cannot be run, or its cost is another. */
static bool run(const tg_sharding *before, const tg_collective *step, const tg_shape *shape)
{
    tg_traffic cost;
    int64_t got = 0, after;
    int devices = -1;
    next.mesh = now.mesh;
    next.block = now.block;
    switch (step->kind) {
    case TG_ALL_SLICE: slice(step); break;
    case TG_ALL_GATHER: got = gather(step); break;
    case TG_ALL_TO_ALL: got = all_to_all(step); break;
    case TG_COLLECTIVE_PERMUTE: devices = permute(before, step); break;
    case TG_ALL_REDUCE: reduce(&step->group); break;
    case TG_REDUCE_SCATTER: reduce_scatter(step); break;
    default: to_terms(step); break;
    }
    if (tg_collective_traffic(now.mesh, &to_mesh, before, step, shape, 2, &cost, NULL) != TG_OK)
        return false;
    int64_t n = mesh_blocks(&step->group);
    for (int d = 0; d < shape->rank; d++) n *= mesh_blocks(&step->axes[d]);
    after = size_of(&next.block);
    if (step->kind == TG_COLLECTIVE_PERMUTE) got = devices ? after : 0;
    if (step->kind == TG_REDUCE_SCATTER) got = (n - 1) * after;
    if (step->kind == TG_ALL_REDUCE) got = 2 * (n - 1) * ((after + n - 1) / n);
    if (step->kind == TG_COLLECTIVE_PERMUTE && devices != cost.devices) return false;
    return cost.received == 2 * got && cost.sent == cost.received;
}

static void advance(void)
{
    now.mesh = next.mesh;
    now.block = next.block;
    memcpy(now.held, next.held, sizeof now.held);
}

static bool block_is(const tg_sharding *sharding, const tg_shape *shape)
{
    tg_shape block;
    block_of(sharding, shape, &block);
    for (int d = 0; d < shape->rank; d++)
        if (block.extent[d] * mesh_blocks(&sharding->dims[d]) != shape->extent[d] ||
            block.extent[d] != now.block.extent[d])
            return false;
    return true;
}

/* Whether the terms of each element are all on the devices that are to have it, each once, and devices
 * that are to hold copies hold the same. */
static bool arrived(const tg_sharding *from, const tg_sharding *to, const tg_shape *shape)
{
    const int64_t terms = mesh_blocks(&from->unreduced);
    for (int p = 0; p < now.mesh->device_count; p++) {
        for (int64_t i = 0; i < size_of(&now.block); i++) {
            const int64_t x = element_at(now.mesh, to, shape, &now.block, p, i);
            uint64_t sum = 0, wanted = 0;
            for (int u = 0; u < terms; u++) wanted += number(x, u);
            for (int k = 0; k < mesh_blocks(&to->unreduced); k++)
                sum += held_at(&now, mesh_with_index(now.mesh, &to->unreduced, p, k))[i];
            if (sum != wanted) return false;
        }
        for (int q = 0; q < p; q++) {
            bool copies =
                mesh_index(now.mesh, &to->unreduced, p) == mesh_index(now.mesh, &to->unreduced, q);
            for (int d = 0; d < shape->rank; d++)
                copies &=
                    mesh_index(now.mesh, &to->dims[d], p) == mesh_index(now.mesh, &to->dims[d], q);
            if (copies && memcmp(held_at(&now, p), held_at(&now, q),
                                 (size_t)size_of(&now.block) * sizeof(uint64_t)) != 0)
                return false;
        }
    }
    return true;
}

/* Whether terms along axes stay, by other digits than all or none of those of the other. */
static bool shares_terms(const tg_sharding *a, const tg_sharding *b)
{
    for (int i = 0; i < a->unreduced.count; i++)
        for (int k = 0; k < b->unreduced.count; k++) {
            const tg_part *x = &a->unreduced.list[i], *y = &b->unreduced.list[k];
            if (x->axis == y->axis && x->pre < y->pre * y->size && y->pre < x->pre * x->size)
                return true;
        }
    return false;
}

/* Whether all terms of b are terms of a. */
static bool adds_none(const tg_sharding *a, const tg_sharding *b)
{
    for (int p = 0; p < from_mesh.device_count; p++)
        for (int q = 0; q < p; q++)
            if (mesh_index(&from_mesh, &a->unreduced, p) ==
                    mesh_index(&from_mesh, &a->unreduced, q) &&
                mesh_index(&from_mesh, &b->unreduced, p) !=
                    mesh_index(&from_mesh, &b->unreduced, q))
                return false;
    return true;
}

static outcome judge_refusal(const tg_sharding *from, const tg_sharding *to)
{
    const bool other = shares_terms(from, to) && from->reduction != to->reduction;
    const bool adds = to->reduction != TG_REDUCTION_SUM && !adds_none(from, to);
    return other || adds ? REFUSED : BROKEN;
}

/* A sharding that is near another: some parts of one dimension are moved, exchanged or dropped. */
static void near(chance *c, const tg_sharding *from, tg_sharding *to)
{
    tg_sharding_copy(from, to);
    if (!to->rank) return;
    for (int64_t times = pick(c, 1, 4); times > 0; times--) {
        tg_parts *a = &to->dims[pick(c, 0, to->rank - 1)], *b = &to->dims[pick(c, 0, to->rank - 1)];
        if (!a->count) continue;
        const int at = (int)pick(c, 0, a->count - 1);
        const tg_part part = a->list[at];
        tg_parts_remove(a, at);
        if (!one_in(c, 4)) tg_parts_insert(b, (int)pick(c, 0, b->count), part);
    }
    for (int d = 0; d < to->rank; d++) {
        tg_parts merged = {0};
        for (int i = 0; i < to->dims[d].count; i++) tg_parts_add(&merged, to->dims[d].list[i]);
        tg_parts_copy(&merged, &to->dims[d]);
    }
}

static void random_pair(chance *c, tg_sharding *from, tg_sharding *to, tg_shape *shape)
{
    const int rank = (int)pick(c, one_in(c, 8) ? 0 : one_in(c, 3) ? 1 : 2, 3);
    const sharding_wish w = {one_in(c, 2), one_in(c, 2), false};
    do {
        random_mesh(c, one_in(c, 16) ? MOST_DEVICES : 8, true, &from_mesh);
        random_sharding(c, &from_mesh, rank, w, from);
        if (one_in(c, 2))
            near(c, from, to);
        else
            random_sharding(c, &from_mesh, rank, w, to);
        random_shape(c, from, to, shape);
    } while (size_of(shape) > MOST_ELEMENTS / 2 || (from_mesh.device_count < 4 && !one_in(c, 8)));
    to_mesh = from_mesh;
    if (!from_mesh.axis_count) from_mesh.has_ids = to_mesh.has_ids = false;
    if (one_in(c, 4) && to_mesh.has_ids) to_mesh.has_ids = false;
}

static outcome run_plan(const tg_sharding *from, const tg_sharding *to, const tg_shape *shape,
                        const tg_collectives *steps)
{
    const tg_sharding *before = from;
    load(from, shape);
    for (size_t i = 0; i < steps->count; i++) {
        const tg_collective *step = &steps->list[i];
        if (tg_sharding_check(now.mesh, &step->after, NULL) != TG_OK) return BROKEN;
        if (!run(before, step, shape)) return BROKEN;
        advance();
        if (!block_is(&step->after, shape)) return BROKEN;
        before = &step->after;
    }
    /* The positions are those of the target, except if each device has all. */
    for (int d = 0; now.mesh == &from_mesh && d < shape->rank; d++)
        if (mesh_blocks(&to->dims[d]) > 1 && !tg_mesh_same_devices(&from_mesh, &to_mesh))
            return BROKEN;
    return block_is(to, shape) && arrived(from, to, shape) ? KEPT : BROKEN;
}

outcome law_collective(chance *c, tg_axe *shown)
{
    tg_sharding from, to;
    tg_shape shape;
    tg_collectives steps = {0};
    random_pair(c, &from, &to, &shape);
    tg_sharding_to_axe(&from_mesh, &from, &shape, shown, NULL);
    const tg_status status =
        tg_relayout_plan(&from_mesh, &from, &to_mesh, &to, &shape, false, &steps, NULL);
    const outcome o = status == TG_OK            ? run_plan(&from, &to, &shape, &steps)
                      : status == TG_ERR_INVALID ? judge_refusal(&from, &to)
                                                 : BROKEN;
    tg_collectives_free(&steps);
    return o;
}
