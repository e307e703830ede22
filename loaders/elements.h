/* What all tensor files share: shapes within our limits, and elements as files hold them.
 * In a file a bool is a byte 0 or 1, and an int or float of less than 8 bits the lowest bits of one, as
 * ml_dtypes has it. */
#ifndef TG_LOADERS_ELEMENTS_H
#define TG_LOADERS_ELEMENTS_H

#include "ir/tensor.h"

/* Appends an extent to the shape of `type`.  Returns NULL, or what is wrong with it: at most 8
 * dimensions and 2^47 elements (an extent of 0 counting as 1), as tg_type_parse demands. */
const char *tg_elements_add_extent(tg_type *type, int64_t extent);

/* The dtype that numpy or ml_dtypes, or safetensors, calls `name`; TG_DT_COUNT if there is none. */
tg_dtype tg_dtype_by_numpy(const char *name);
tg_dtype tg_dtype_by_safetensors(const char *name);

bool tg_host_is_big_endian(void);

/* Reverses the bytes of each of `count` elements of `width` bytes. */
void tg_elements_swap(void *data, size_t width, size_t count);

/* Turns elements as a file holds them, in the host's byte order, into those of a tensor, in place.
 * TG_ERR_INVALID where a byte is no bool, or has bits above those of its dtype (signed ints may come sign-extended). */
tg_status tg_elements_from_file(tg_tensor *tensor, tg_diags *diags);

/* Whether a file holds other bytes than memory (small signed ints, whose sign bits are cut off), and those
 * bytes. */
bool tg_elements_differ_in_file(tg_dtype dtype);
void tg_elements_to_file(void *to, const void *from, size_t count, tg_dtype dtype);

#endif
