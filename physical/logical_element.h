/* Elements of memory that a physical run holds where its layout says, as the kernel that was written
 * counts them, and the threads that move them. */
#ifndef TG_PHYSICAL_LOGICAL_ELEMENT_H
#define TG_PHYSICAL_LOGICAL_ELEMENT_H

#include "physical/held.h"

/* The memory of a param of a kernel that tg_physical_new has made. */
typedef struct tg_laid_out {
    const tg_param *param; /* of the kernel that was written */
    tg_axe address;        /* of its elements, on axis m */
} tg_laid_out;

/* Returns false if the elements of the param are in logical order. */
bool tg_laid_out_find(const tg_kernel *kernel, uint32_t param, tg_laid_out *out);

/* The first element at an address that one is at; 0 if memory runs out. */
int64_t tg_laid_out_element(const tg_laid_out *memory, int64_t address);

/* A thread that holds what an op loads from an address, or stores there. */
typedef struct tg_mover {
    int64_t thread; /* in its block */
    int64_t others; /* threads that hold a copy */
} tg_mover;

/* Finds the first of them.  `held` is of the kernel that was written, and the op may be of the kernel
 * made from it, whose values have the same numbers.  Returns false if that is not known: the value has no
 * layout on threads, or the run decides what is accessed. */
bool tg_mover_find(tg_held *held, const tg_op *op, int64_t address, tg_mover *out);

#endif
