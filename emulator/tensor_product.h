/* tcgen05.mma: d (m, n) in tensor memory becomes a b, or that is added to it.  a is (m, k), b (n, k), and k
 * fills 32 bytes.  tcgen05.commit: an arrival behind the products of its thread. */
#ifndef TG_EMULATOR_TENSOR_PRODUCT_H
#define TG_EMULATOR_TENSOR_PRODUCT_H

#include "emulator/tensor_ops.h"

/* inst->flags of tcgen05.mma: the kind, and */
enum { TG_EMU_TENSOR_A_IN_TENSOR_MEMORY = 8 };

/* in: the address of d, a, the descriptor of b, the instruction descriptor, whether d is read. */
tg_emu_exec_fn tg_emu_exec_tensor_product;
/* in[0]: the mbarrier */
tg_emu_exec_fn tg_emu_exec_tensor_commit;

tg_emu_step tg_emu_tensor_multiply(tg_emu_exec *exec, tg_emu_tensor_op *op);

#endif
