/* Arrays in memory: what kernels are launched on and files hold. */
#ifndef TG_IR_TENSOR_H
#define TG_IR_TENSOR_H

#include "base/diag.h"
#include "ir/type.h"

/* A dense row-major array of `type`, elements stored in tg_dtypes[].bytes each (i4, u4 and bool: one a
 * byte; i4 sign-extended).  Owns `data`, aligned to 64 bytes, through tg_tensor_free. */
typedef struct tg_tensor {
    tg_type type; /* never a ref */
    void *data;   /* NULL only where there are no elements */
} tg_tensor;

/* Allocates without initialising the elements.  TG_ERR_NO_MEMORY leaves *out empty. */
tg_status tg_tensor_new(const tg_type *type, tg_tensor *out);
void tg_tensor_free(tg_tensor *tensor);
size_t tg_tensor_bytes(const tg_type *type);

/* Named tensors, as an archive holds them.  Zero-initialise; free with tg_tensors_free. */
typedef struct tg_tensors {
    struct tg_named_tensor {
        char *name;
        tg_tensor tensor;
    } * list;
    size_t count, capacity;
} tg_tensors;

/* Takes `tensor` (also on failure) under a copy of `name`.  TG_ERR_INVALID where the name is taken. */
tg_status tg_tensors_add(tg_tensors *tensors, const char *name, tg_tensor *tensor);
tg_tensor *tg_tensors_find(const tg_tensors *tensors, const char *name); /* NULL if absent */
void tg_tensors_free(tg_tensors *tensors);

#endif
