/* Arrays in memory: the inputs and outputs of kernels, and the contents of files. */
#ifndef TG_IR_TENSOR_H
#define TG_IR_TENSOR_H

#include "base/diag.h"
#include "ir/type.h"

/* A dense row-major array of `type` with elements of tg_dtypes[].bytes each (i4, u4 and bool: one
 * per byte; i4 sign-extended).  Owns `data`, which is aligned to 64 bytes, until tg_tensor_free. */
typedef struct tg_tensor {
    tg_type type; /* never a ref */
    void *data;   /* NULL only if there are no elements */
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

/* Adds `tensor` under a copy of `name`; takes ownership of it, also on failure.  TG_ERR_INVALID if
 * the name exists already. */
tg_status tg_tensors_add(tg_tensors *tensors, const char *name, tg_tensor *tensor);
tg_tensor *tg_tensors_find(const tg_tensors *tensors, const char *name); /* NULL if absent */
void tg_tensors_free(tg_tensors *tensors);

#endif
