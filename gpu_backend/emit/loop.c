#include "gpu_backend/emit/loop.h"

#include <inttypes.h>

#include "gpu_backend/emit/refuse.h"

/* Linear indices of elements, and so the factors that indices are multiplied with, must fit in
 * signed 32 bits. */
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
