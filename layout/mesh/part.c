#include "layout/mesh/part.h"

#include <string.h>

tg_part tg_part_whole(const tg_mesh *mesh, int axis)
{
    return (tg_part){axis, 1, mesh->axes[axis].size};
}

bool tg_part_is_whole(const tg_mesh *mesh, const tg_part *part)
{
    return part->size == mesh->axes[part->axis].size;
}

int64_t tg_part_end(const tg_part *part) { return (int64_t)part->pre * part->size; }

int tg_part_compare(const tg_part *a, const tg_part *b)
{
    if (a->axis != b->axis) return a->axis < b->axis ? -1 : 1;
    if (a->pre != b->pre) return a->pre < b->pre ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

bool tg_part_same(const tg_part *a, const tg_part *b) { return tg_part_compare(a, b) == 0; }

bool tg_part_overlaps(const tg_part *a, const tg_part *b)
{
    if (tg_part_same(a, b)) return true;
    return a->axis == b->axis && a->pre < tg_part_end(b) && b->pre < tg_part_end(a);
}

/* Ends of digits, in order, must each divide the next. */
bool tg_part_coexists(const tg_part *a, const tg_part *b)
{
    if (a->axis != b->axis) return true;
    int64_t ends[] = {a->pre, tg_part_end(a), b->pre, tg_part_end(b)};
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && ends[k] < ends[k - 1]; k--) {
            const int64_t end = ends[k];
            ends[k] = ends[k - 1];
            ends[k - 1] = end;
        }
    return ends[1] % ends[0] == 0 && ends[2] % ends[1] == 0 && ends[3] % ends[2] == 0;
}

bool tg_part_before(const tg_part *part, const tg_part *other, tg_part *out)
{
    *out = *part;
    if (!tg_part_coexists(part, other)) return false;
    if (!tg_part_overlaps(part, other)) return true;
    out->size = other->pre / part->pre;
    return part->pre < other->pre;
}

int tg_part_stride(const tg_mesh *mesh, const tg_part *part)
{
    const int below = (int)(mesh->axes[part->axis].size / tg_part_end(part));
    return tg_mesh_stride(mesh, part->axis) * below;
}

void tg_parts_put(tg_parts *parts, tg_part part) { parts->list[parts->count++] = part; }

void tg_parts_add(tg_parts *parts, tg_part part)
{
    tg_part *last = parts->count ? &parts->list[parts->count - 1] : NULL;
    if (last && last->axis == part.axis && tg_part_end(last) == part.pre && last->size > 1)
        last->size *= part.size;
    else
        tg_parts_put(parts, part);
}

void tg_parts_insert(tg_parts *parts, int at, tg_part part)
{
    for (int i = parts->count++; i > at; i--) parts->list[i] = parts->list[i - 1];
    parts->list[at] = part;
}

void tg_parts_remove(tg_parts *parts, int at)
{
    parts->count--;
    for (int i = at; i < parts->count; i++) parts->list[i] = parts->list[i + 1];
}

void tg_parts_copy(const tg_parts *from, tg_parts *to)
{
    to->count = from->count;
    memcpy(to->list, from->list, (size_t)from->count * sizeof *from->list);
}

bool tg_parts_same(const tg_parts *a, const tg_parts *b) { return tg_parts_compare(a, b) == 0; }

int tg_parts_find(const tg_parts *parts, const tg_part *part)
{
    for (int i = 0; i < parts->count; i++)
        if (tg_part_same(&parts->list[i], part)) return i;
    return -1;
}

int64_t tg_parts_size(const tg_parts *parts)
{
    int64_t size = 1;
    for (int i = 0; i < parts->count; i++) size *= parts->list[i].size;
    return size;
}

void tg_parts_sort(tg_parts *parts)
{
    tg_parts sorted = {0};
    for (int i = 0; i < parts->count; i++) {
        int at = 0;
        while (at < sorted.count && tg_part_compare(&sorted.list[at], &parts->list[i]) < 0) at++;
        tg_parts_insert(&sorted, at, parts->list[i]);
    }
    parts->count = 0;
    for (int i = 0; i < sorted.count; i++) tg_parts_add(parts, sorted.list[i]);
}

int tg_parts_compare(const tg_parts *a, const tg_parts *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = 0; i < a->count; i++) {
        const int compared = tg_part_compare(&a->list[i], &b->list[i]);
        if (compared) return compared;
    }
    return 0;
}

bool tg_parts_truncate(tg_parts *parts, const tg_parts *others)
{
    for (int i = 0; i < parts->count; i++) {
        tg_part kept = parts->list[i];
        bool any = true;
        for (int k = 0; any && k < others->count; k++)
            any = tg_part_before(&kept, &others->list[k], &kept);
        if (any && tg_part_same(&kept, &parts->list[i])) continue;
        parts->count = i;
        if (any) tg_parts_put(parts, kept);
        return true;
    }
    return false;
}

int tg_parts_index(const tg_mesh *mesh, const tg_parts *parts, int position)
{
    int index = 0;
    for (int i = 0; i < parts->count; i++) {
        const tg_part *part = &parts->list[i];
        index = index * part->size + position / tg_part_stride(mesh, part) % part->size;
    }
    return index;
}

int tg_parts_position(const tg_mesh *mesh, const tg_parts *parts, int index)
{
    int position = 0;
    for (int i = parts->count - 1; i >= 0; i--) {
        const tg_part *part = &parts->list[i];
        position += index % part->size * tg_part_stride(mesh, part);
        index /= part->size;
    }
    return position;
}

void tg_parts_rest(const tg_mesh *mesh, const tg_parts *used, tg_parts *out)
{
    tg_parts sorted;
    tg_parts_copy(used, &sorted);
    tg_parts_sort(&sorted);
    out->count = 0;
    for (int a = 0; a < mesh->axis_count; a++) {
        int reached = 1;
        for (int i = 0; i < sorted.count; i++) {
            const tg_part *part = &sorted.list[i];
            if (part->axis != a) continue;
            if (part->pre > reached) tg_parts_put(out, (tg_part){a, reached, part->pre / reached});
            reached = (int)tg_part_end(part);
        }
        const int left = mesh->axes[a].size / reached;
        if (left > 1) tg_parts_put(out, (tg_part){a, reached, left});
    }
}

void tg_part_print(const tg_mesh *mesh, const tg_part *part, tg_text *out)
{
    tg_text_add(out, "\"%s\"", mesh->axes[part->axis].name);
    if (!tg_part_is_whole(mesh, part)) tg_text_add(out, ":(%d)%d", part->pre, part->size);
}

void tg_parts_print(const tg_mesh *mesh, const tg_parts *parts, tg_text *out)
{
    tg_text_put(out, "{");
    for (int i = 0; i < parts->count; i++) {
        if (i) tg_text_put(out, ", ");
        tg_part_print(mesh, &parts->list[i], out);
    }
    tg_text_put(out, "}");
}
