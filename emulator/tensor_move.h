/* tcgen05.ld and tcgen05.st: a warp moves a part of tensor memory to or from its registers.
 *
 * A warp reaches 32 lanes only, those of its place among four warps.  A load's registers are undefined until
 * tcgen05.wait::ld. */
#ifndef TG_EMULATOR_TENSOR_MOVE_H
#define TG_EMULATOR_TENSOR_MOVE_H

#include "emulator/tensor_ops.h"

/* Name, lanes, columns of 32 bits of one repetition (.x1), the most repetitions. */
#define TG_EMU_TENSOR_SHAPES(X)                                                                    \
    X(32x32b, 32, 1, 128)                                                                          \
    X(16x64b, 16, 2, 128)                                                                          \
    X(16x128b, 16, 4, 64)                                                                          \
    X(16x256b, 16, 8, 32)
#define X(name, lanes, columns, most) TG_EMU_TENSOR_##name,
typedef enum tg_emu_tensor_shape {
    TG_EMU_TENSOR_SHAPES(X) TG_EMU_TENSOR_SHAPE_COUNT
} tg_emu_tensor_shape;
#undef X

enum { TG_EMU_TENSOR_REGISTERS = 128 }; /* of a thread, at most */

/* inst->data.  in[0]: the address, without inst->immediate. */
typedef struct tg_emu_tensor_registers {
    tg_emu_tensor_shape shape;
    uint32_t lanes, columns; /* of the whole part */
    uint32_t count;
    tg_emu_slot slots[TG_EMU_TENSOR_REGISTERS];
} tg_emu_tensor_registers;

tg_emu_exec_fn tg_emu_exec_tensor_load, tg_emu_exec_tensor_store;

/* The load or store takes place: between tensor memory and op->values. */
tg_emu_step tg_emu_tensor_move(tg_emu_exec *exec, tg_emu_tensor_op *op);
/* The registers of a load of the current warp get their values. */
void tg_emu_tensor_deliver(tg_emu_exec *exec, const tg_emu_tensor_op *op);

#endif
