/* Rules of semaphores and of the copies that signal them; see verify/rules.h for when they are
 * called. */
#ifndef TG_VERIFY_SEMAPHORE_H
#define TG_VERIFY_SEMAPHORE_H

#include "verify/impl.h"

void tg_verify_op_semaphore_signal(const tg_verifier *v);
void tg_verify_op_semaphore_wait(const tg_verifier *v);
void tg_verify_op_semaphore_read(const tg_verifier *v);
void tg_verify_op_dma_start(const tg_verifier *v);
void tg_verify_op_dma_wait(const tg_verifier *v);

#endif
