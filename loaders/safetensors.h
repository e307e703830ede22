/* The .safetensors format: eight bytes, little-endian, give the length of a JSON header, which
 * gives each tensor's dtype, shape and byte range in the data that follow.
 *
 * Reading is strict: the header must be at most 100 MB of strict JSON, unknown members and dtypes
 * are rejected, and the tensors must cover the bytes after the header without gap or overlap.
 * "__metadata__" (texts by name) is checked and dropped.  The format has no name for i4, u4 and
 * some fp8 kinds. */
#ifndef TG_LOADERS_SAFETENSORS_H
#define TG_LOADERS_SAFETENSORS_H

#include "ir/tensor.h"
#include "base/file.h"

/* Reads the tensors in the order of the header and adds them to `out`: all if `only` is NULL, else
 * the one of that name.  Returns TG_ERR_IO, TG_ERR_SYNTAX (malformed), TG_ERR_INVALID (sizes or
 * offsets that do not agree, a name that `out` has already, no tensor `only`), TG_ERR_UNSUPPORTED
 * (a dtype that we lack) or TG_ERR_NO_MEMORY.  After a failure `out` holds the tensors read
 * before. */
tg_status tg_safetensors_load(const char *path, const char *only, tg_tensors *out, tg_diags *diags);

/* Like tg_safetensors_load, from a file in memory, which the caller still owns. */
tg_status tg_safetensors_read(const void *data, size_t size, const char *only, tg_tensors *out,
                              tg_diags *diags);

/* Writes all tensors, sorted by decreasing width of their elements and then by name, as the
 * format's own library does, so that each is aligned.  Returns TG_ERR_UNSUPPORTED for a dtype that
 * the format lacks. */
tg_status tg_safetensors_save(const char *path, const tg_tensors *tensors, tg_diags *diags);

#endif
