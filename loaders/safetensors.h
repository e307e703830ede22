/* The .safetensors format: eight bytes, little-endian, tell the length of a JSON header; it names each
 * tensor's dtype, shape and place among the bytes that follow.
 *
 * Read strictly: the header is at most 100 MB of strict JSON, unknown members and dtypes are refused, and
 * the tensors cover the bytes after the header without gap or overlap.  "__metadata__" (texts by name) is
 * checked and dropped.  The format has no name for i4, u4 and some fp8 kinds. */
#ifndef TG_LOADERS_SAFETENSORS_H
#define TG_LOADERS_SAFETENSORS_H

#include "ir/tensor.h"
#include "base/file.h"

/* Reads the tensors in the order of the header and adds them to `out`: all, or the one named `only`
 * unless that is NULL.  TG_ERR_IO, TG_ERR_SYNTAX (malformed), TG_ERR_INVALID (sizes or offsets that do not
 * agree, a name that `out` has, no tensor `only`), TG_ERR_UNSUPPORTED (a dtype we lack) or
 * TG_ERR_NO_MEMORY.  After a failure `out` holds what was read before. */
tg_status tg_safetensors_load(const char *path, const char *only, tg_tensors *out, tg_diags *diags);

/* As tg_safetensors_load, from a file in memory, which is borrowed. */
tg_status tg_safetensors_read(const void *data, size_t size, const char *only, tg_tensors *out,
                              tg_diags *diags);

/* Writes all tensors, those of wide elements first and then by name, as the format's own library does,
 * so that each is aligned.  TG_ERR_UNSUPPORTED names a dtype that the format lacks. */
tg_status tg_safetensors_save(const char *path, const tg_tensors *tensors, tg_diags *diags);

#endif
