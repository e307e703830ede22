/* Lowers ops on semaphores, copies that run beside the program, and groups of such ops. */
#ifndef TG_LOWER_SEMAPHORE_H
#define TG_LOWER_SEMAPHORE_H

#include "lower/impl.h"

void tg_lower_op_semaphore(tg_lowerer *l, const tg_op *op);

/* All of what the value refers to; or the value. */
tg_async_place tg_lower_place(tg_lowerer *l, tg_value_id value);

void tg_lower_op_dma_wait(tg_lowerer *l, const tg_op *op);
void tg_lower_op_dma_start(tg_lowerer *l, const tg_op *op);
void tg_lower_op_dot_arrive(tg_lowerer *l, const tg_op *op);
void tg_lower_op_async_group(tg_lowerer *l, const tg_op *op);
void tg_lower_op_proxy_fence(tg_lowerer *l, const tg_op *op);

#endif
