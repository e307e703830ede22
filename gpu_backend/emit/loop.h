/* Loops over elements. */
#ifndef TG_GPU_BACKEND_EMIT_LOOP_H
#define TG_GPU_BACKEND_EMIT_LOOP_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* `element` is a .b32 register with the element's linear index; `count` is the number of
 * elements. */
typedef struct tg_ptx_loop {
    tg_ptx_reg element;
    int64_t count;
    uint32_t head, done;
} tg_ptx_loop;

/* A loop over `count` elements, shared by all threads.  With count 0 the body does not run.  The
 * body must not contain a barrier. */
tg_ptx_loop tg_ptx_loop_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_loop_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop over 0 .. count-1 that one thread runs, or all threads in step.  `count` is at least 1. */
tg_ptx_loop tg_ptx_serial_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_serial_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop over 0 .. count-1, in order, that only the first thread runs; the other threads wait at
 * the next barrier. */
tg_ptx_loop tg_ptx_alone_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_alone_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

#endif
