/* Loops over elements, and from an element's number to its index and address. */
#include <inttypes.h>

#include "gpu_backend/emit/emitter.h"

/* ---- loops ---- */

/* Numbers of elements, and with them what an index is multiplied with, are signed numbers of 32 bits. */
static void check_count(tg_ptx_emitter *em, int64_t count)
{
    if (count > INT32_MAX) tg_ptx_refuse(em, TG_PTX_REFUSES_ELEMENTS, "%" PRId64, count);
}

tg_ptx_loop tg_ptx_loop_begin(tg_ptx_emitter *em, int64_t count)
{
    tg_ptx_writer *w = &em->w;
    tg_ptx_loop loop = {tg_ptx_new(w, TG_PTX_B32), count, tg_ptx_new_label(w), tg_ptx_new_label(w)};
    check_count(em, count);
    tg_ptx_move(w, loop.element, em->tid);
    if (count < em->threads) {
        tg_ptx_reg p = tg_ptx_new(w, TG_PTX_PRED);
        tg_ptx_row(w, "setp.ge.u32 %s, %s, %" PRId64 ";", p.name, loop.element.name, count);
        tg_ptx_row(w, "@%s bra $L%u;", p.name, loop.done);
    }
    if (count > em->threads) tg_ptx_label(w, loop.head);
    return loop;
}

void tg_ptx_loop_end(tg_ptx_emitter *em, const tg_ptx_loop *loop)
{
    tg_ptx_writer *w = &em->w;
    if (loop->count > em->threads) {
        tg_ptx_reg p = tg_ptx_new(w, TG_PTX_PRED);
        tg_ptx_row(w, "add.u32 %s, %s, %u;", loop->element.name, loop->element.name, em->threads);
        tg_ptx_row(w, "setp.lt.u32 %s, %s, %" PRId64 ";", p.name, loop->element.name, loop->count);
        tg_ptx_row(w, "@%s bra $L%u;", p.name, loop->head);
    }
    if (loop->count < em->threads) tg_ptx_label(w, loop->done);
}

tg_ptx_loop tg_ptx_serial_begin(tg_ptx_emitter *em, int64_t count)
{
    tg_ptx_writer *w = &em->w;
    tg_ptx_loop loop = {tg_ptx_new(w, TG_PTX_B32), count, tg_ptx_new_label(w), 0};
    check_count(em, count);
    tg_ptx_row(w, "mov.b32 %s, 0;", loop.element.name);
    tg_ptx_label(w, loop.head);
    return loop;
}

void tg_ptx_serial_end(tg_ptx_emitter *em, const tg_ptx_loop *loop)
{
    tg_ptx_writer *w = &em->w;
    tg_ptx_reg p = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_row(w, "add.u32 %s, %s, 1;", loop->element.name, loop->element.name);
    tg_ptx_row(w, "setp.lt.u32 %s, %s, %" PRId64 ";", p.name, loop->element.name, loop->count);
    tg_ptx_row(w, "@%s bra $L%u;", p.name, loop->head);
}

tg_ptx_loop tg_ptx_alone_begin(tg_ptx_emitter *em, int64_t count)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg other = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t done = tg_ptx_new_label(w);
    tg_ptx_row(w, "setp.ne.u32 %s, %s, 0;", other.name, em->tid.name);
    tg_ptx_row(w, "@%s bra $L%u;", other.name, done);
    tg_ptx_loop loop = tg_ptx_serial_begin(em, count);
    loop.done = done;
    return loop;
}

void tg_ptx_alone_end(tg_ptx_emitter *em, const tg_ptx_loop *loop)
{
    tg_ptx_serial_end(em, loop);
    tg_ptx_label(&em->w, loop->done);
}

/* ---- index ---- */

static bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

/* number / by, in a register of its own */
static tg_ptx_reg quotient(tg_ptx_emitter *em, tg_ptx_reg number, int64_t by)
{
    if (by == 1) return number;
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    if (is_power_of_two(by))
        tg_ptx_row(&em->w, "shr.u32 %s, %s, %d;", r.name, number.name,
                   __builtin_ctzll((unsigned long long)by));
    else
        tg_ptx_row(&em->w, "div.u32 %s, %s, %" PRId64 ";", r.name, number.name, by);
    return r;
}

static tg_ptx_reg remainder_of(tg_ptx_emitter *em, tg_ptx_reg number, int64_t by)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    if (is_power_of_two(by))
        tg_ptx_row(&em->w, "and.b32 %s, %s, %" PRId64 ";", r.name, number.name, by - 1);
    else
        tg_ptx_row(&em->w, "rem.u32 %s, %s, %" PRId64 ";", r.name, number.name, by);
    return r;
}

void tg_ptx_unravel(tg_ptx_emitter *em, tg_ptx_reg element, int rank, const int64_t *shape,
                    tg_ptx_reg *index)
{
    int first = 0;
    while (first < rank && shape[first] == 1) first++;
    tg_ptx_reg left = element;
    for (int d = rank - 1; d > first; d--) {
        if (shape[d] == 1) continue;
        index[d] = remainder_of(em, left, shape[d]);
        left = quotient(em, left, shape[d]);
    }
    if (first < rank) index[first] = left;
}

/* base + index * step, in a register of its own */
static tg_ptx_reg advanced(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg index, int64_t step)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    if (step >= INT32_MIN && step <= INT32_MAX) {
        tg_ptx_row(&em->w, "mad.wide.s32 %s, %s, %" PRId64 ", %s;", r.name, index.name, step,
                   base.name);
        return r;
    }
    tg_ptx_reg wide = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", wide.name, index.name);
    tg_ptx_row(&em->w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", r.name, wide.name, step, base.name);
    return r;
}

tg_ptx_reg tg_ptx_address_of(tg_ptx_emitter *em, tg_ptx_reg base, int rank, const int64_t *shape,
                             const int64_t *stride, const tg_ptx_reg *index, int64_t bytes)
{
    for (int d = 0; d < rank; d++)
        if (shape[d] != 1 && stride[d] != 0) base = advanced(em, base, index[d], stride[d] * bytes);
    return base;
}
