/* Loops over elements. */
#ifndef TG_GPU_BACKEND_EMIT_LOOP_H
#define TG_GPU_BACKEND_EMIT_LOOP_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* `element` is the .b32 register of the element's number, `count` how many there are. */
typedef struct tg_ptx_loop {
    tg_ptx_reg element;
    int64_t count;
    uint32_t head, done;
} tg_ptx_loop;

/* A loop over `count` elements by all threads; nothing is run for count 0.  No barrier may stand
 * inside. */
tg_ptx_loop tg_ptx_loop_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_loop_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop of one thread, or of all threads in step, over 0 .. count-1, `count` being at least 1. */
tg_ptx_loop tg_ptx_serial_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_serial_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

/* A loop of the first thread alone over 0 .. count-1, one after the other; the others wait at the
 * next barrier. */
tg_ptx_loop tg_ptx_alone_begin(tg_ptx_emitter *em, int64_t count);
void tg_ptx_alone_end(tg_ptx_emitter *em, const tg_ptx_loop *loop);

#endif
