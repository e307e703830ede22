/* What tcgen05 does beside the threads, from the moment that an instruction starts it.
 *
 * Loads and stores of a warp take place in any order; the warp's tcgen05.wait ends them.  Products of a
 * thread, and the arrivals to which it commits them, take place in their order. */
#ifndef TG_EMULATOR_TENSOR_OPS_H
#define TG_EMULATOR_TENSOR_OPS_H

#include "emulator/exec.h"
#include "emulator/tensor_descriptor.h"
#include "emulator/tensor_memory.h"

typedef enum tg_emu_tensor_kind {
    TG_EMU_TENSOR_LOAD,
    TG_EMU_TENSOR_STORE,
    TG_EMU_TENSOR_PRODUCT,
    TG_EMU_TENSOR_COMMIT
} tg_emu_tensor_kind;

struct tg_emu_tensor_op {
    tg_emu_tensor_kind kind;
    const tg_emu_inst *inst;
    uint32_t thread, warp, lane; /* who started it: of a load or store, the first of the warp */
    tg_emu_tensor_actor own;     /* accesses tensor memory, or arrives */
    tg_emu_tensor_actor reader;  /* of a product: reads shared memory */
    uint32_t address;            /* of tensor memory, or of an mbarrier */
    uint32_t cta;                /* of a commit: the rank of the mbarrier's */
    bool is_done;
    uint32_t *values; /* of a load or store: for each register its 32 lanes */
    tg_emu_tensor_product product;
};

/* An access by one of its actors. */
tg_emu_visit tg_emu_tensor_visit(const tg_emu_exec *exec, const tg_emu_tensor_op *op,
                                 tg_emu_tensor_actor actor, tg_emu_touch touch);

/* Adds an operation, and sets the actors of it.  Takes op->values.  If very many have started, the first of
 * them takes place. */
tg_emu_step tg_emu_tensor_start(tg_emu_exec *exec, tg_emu_tensor_op *op);

/* Does one of them, if there is any; returns whether there was.  It may trap. */
bool tg_emu_tensor_do_one(tg_emu_exec *exec);

/* Does all of them. */
tg_emu_step tg_emu_tensor_do_all(tg_emu_exec *exec);

/* Called now and then, with a seed: they may take place at any time. */
tg_emu_step tg_emu_tensor_go_on(tg_emu_exec *exec);

/* tcgen05.wait: ends the loads, or stores, of the warp.  inst->flags: the kind. */
tg_emu_exec_fn tg_emu_exec_tensor_wait;

/* Called when a CTA begins, and when the launch ends. */
void tg_emu_tensor_forget(tg_emu_exec *exec);
void tg_emu_tensor_free(tg_emu_exec *exec);

#endif
