/* Functions shared by all formats of tensor files: checks of shapes, and conversion of elements.
 * In a file a bool is a byte of 0 or 1, and an int or float of less than 8 bits is in the lowest
 * bits of a byte, as in ml_dtypes. */
#ifndef TG_LOADERS_ELEMENTS_H
#define TG_LOADERS_ELEMENTS_H

#include "ir/tensor.h"

/* Appends an extent to the shape of `type`.  Returns NULL, or what is wrong with it: there may be
 * at most 8 dimensions and 2^47 elements (an extent of 0 counts as 1), as in tg_type_parse. */
const char *tg_elements_add_extent(tg_type *type, int64_t extent);

/* Return the dtype that has this name in numpy or ml_dtypes, or in safetensors; TG_DT_COUNT if
 * there is none. */
tg_dtype tg_dtype_by_numpy(const char *name);
tg_dtype tg_dtype_by_safetensors(const char *name);

bool tg_host_is_big_endian(void);

/* Reverses the bytes of each of `count` elements of `width` bytes. */
void tg_elements_swap(void *data, size_t width, size_t count);

/* Converts elements from the form in files, but in the host's byte order, to that of tensors, in
 * place.  Returns TG_ERR_INVALID if a byte is not a valid bool, or has bits above those of its
 * dtype (signed ints may be sign-extended). */
tg_status tg_elements_from_file(tg_tensor *tensor, tg_diags *diags);

/* Whether elements of the dtype have other bytes in a file than in memory, which holds for small
 * signed ints: files do not have their sign-extension bits.  tg_elements_to_file writes the bytes
 * of the file. */
bool tg_elements_differ_in_file(tg_dtype dtype);
void tg_elements_to_file(void *to, const void *from, size_t count, tg_dtype dtype);

#endif
