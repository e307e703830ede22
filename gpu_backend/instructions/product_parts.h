/* Elements of the matrices of a product beside the threads. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_PRODUCT_PARTS_H
#define TG_GPU_BACKEND_INSTRUCTIONS_PRODUCT_PARTS_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/whole.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* A factor or the sum: a ref, or a value.  It must not move, as `whole` must not. */
typedef struct tg_ptx_matrix {
    const tg_async_place *place;
    tg_ptx_whole whole; /* of a ref */
} tg_ptx_matrix;

void tg_ptx_matrix_begin(tg_ptx_emitter *em, const tg_async_place *place, tg_ptx_matrix *out);

/* The linear index of element (row, column), .b32. */
tg_ptx_reg tg_ptx_matrix_number(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                                tg_ptx_reg column);

/* An element of memory as a carrier, by its linear index; *at is where it is. */
tg_ptx_reg tg_ptx_matrix_read(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg number,
                              tg_ptx_element *at);

/* An element of a factor, converted to a dtype; and its bits, as memory holds them, in .b32 or .b64. */
tg_ptx_reg tg_ptx_matrix_factor(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                                tg_ptx_reg column, tg_dtype as);
tg_ptx_reg tg_ptx_matrix_bits(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                              tg_ptx_reg column);

#endif
