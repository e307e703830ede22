/* Reads and writes tensor files.  The ending of the name gives the format: .npy, .npz or
 * .safetensors. */
#ifndef TG_LOADERS_TENSOR_FILE_H
#define TG_LOADERS_TENSOR_FILE_H

#include "ir/tensor.h"

/* Whether we know the ending of `path`. */
bool tg_tensor_file_known(const char *path);

/* Whether files with the ending of `path` hold tensors by name. */
bool tg_tensor_file_is_archive(const char *path);

/* Reads one tensor.
 *   key     its name in the archive; NULL for .npy, and for an archive that holds only one
 *   expect  as in tg_npy_read_header; TG_DT_COUNT: any dtype
 * Returns TG_ERR_USAGE for an unknown ending or a key that does not go with it, TG_ERR_TYPE for
 * another dtype than expected, else the status of the format's own reader.  The caller frees *out;
 * it is empty after a failure. */
tg_status tg_tensor_file_load(const char *path, const char *key, tg_dtype expect, tg_tensor *out,
                              tg_diags *diags);

/* Reads all tensors of a file and adds them to `out`; the tensor of a .npy file gets the name of
 * the file without folder and ending. */
tg_status tg_tensor_file_load_all(const char *path, tg_tensors *out, tg_diags *diags);

/* Writes all tensors; a .npy file takes exactly one.  Archives of .npz are deflated. */
tg_status tg_tensor_file_save(const char *path, const tg_tensors *tensors, tg_diags *diags);

#endif
