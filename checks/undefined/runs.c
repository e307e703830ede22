#include "checks/undefined/runs.h"

#include <string.h>

/* Elements with a stride.  Contiguous elements are copied by memcpy, and a single element for all
 * is common. */
#define MOVE(n, type)                                                                              \
    case n:                                                                                        \
        for (int64_t i = 0; from_stride == 0 && to_stride == 1 && i < count; i++)                  \
            ((type *)to)[i] = *(const type *)from;                                                 \
        if (from_stride == 0 && to_stride == 1) return;                                            \
        for (int64_t i = 0; i < count; i++)                                                        \
            ((type *)to)[i * to_stride] = ((const type *)from)[i * from_stride];                   \
        return;

static void move_run(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                     int64_t count, size_t bytes)
{
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) {
        MOVE(1, uint8_t)
        MOVE(2, uint16_t)
        MOVE(4, uint32_t)
        MOVE(8, uint64_t)
    default: return;
    }
}

/* Rows of a view of at least one dimension, from some element on, in parts of at most one row. */
typedef struct part {
    int64_t index[TG_MAX_RANK], extent, stride; /* the extent and stride of a row */
    int last;
} part;

static part part_at(const tg_view *view, int64_t first)
{
    part p = {.extent = 1, .stride = 1, .last = view->rank - 1};
    for (int d = view->rank - 1; d >= 0; d--) {
        p.index[d] = first % view->shape[d];
        first /= view->shape[d];
    }
    if (p.last < 0) return p;
    p.extent = view->shape[p.last];
    p.stride = view->stride[p.last];
    return p;
}

static int64_t part_offset(const part *p, const tg_view *view)
{
    int64_t offset = 0;
    for (int d = 0; d <= p->last; d++) offset += p->index[d] * view->stride[d];
    return offset;
}

static int64_t part_length(const part *p, int64_t left)
{
    const int64_t in_row = p->last < 0 ? 1 : p->extent - p->index[p->last];
    return in_row < left ? in_row : left;
}

static void part_advance(part *p, const tg_view *view, int64_t count)
{
    if (p->last < 0) return;
    p->index[p->last] += count;
    for (int d = p->last; d > 0 && p->index[d] == view->shape[d]; d--) {
        p->index[d] = 0;
        p->index[d - 1]++;
    }
}

void tg_take_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, void *to)
{
    part p = part_at(view, first);
    for (int64_t done = 0, n; done < count; done += n) {
        n = part_length(&p, count - done);
        const int64_t offset = part_offset(&p, view) * (int64_t)bytes;
        move_run((unsigned char *)to + done * (int64_t)bytes, 1,
                 (const unsigned char *)view->data + offset, p.stride, n, bytes);
        part_advance(&p, view, n);
    }
}

void tg_put_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, const void *from)
{
    part p = part_at(view, first);
    for (int64_t done = 0, n; done < count; done += n) {
        n = part_length(&p, count - done);
        const int64_t offset = part_offset(&p, view) * (int64_t)bytes;
        move_run((unsigned char *)(uintptr_t)view->data + offset, p.stride,
                 (const unsigned char *)from + done * (int64_t)bytes, 1, n, bytes);
        part_advance(&p, view, n);
    }
}
