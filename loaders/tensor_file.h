/* Tensors from and to files of any format, told apart by the ending of the name: .npy, .npz,
 * .safetensors. */
#ifndef TG_LOADERS_TENSOR_FILE_H
#define TG_LOADERS_TENSOR_FILE_H

#include "ir/tensor.h"

/* Whether the ending of `path` is one that we know. */
bool tg_tensor_file_known(const char *path);

/* Whether files with the ending of `path` hold tensors by name. */
bool tg_tensor_file_is_archive(const char *path);

/* Reads one tensor.
 *   key     its name in the archive; NULL for .npy, and for an archive that holds just one
 *   expect  as in tg_npy_read_header; TG_DT_COUNT: any dtype
 * TG_ERR_USAGE for an unknown ending or a key that does not go with it, TG_ERR_TYPE for another
 * dtype than expected, else as the format's own reader.  The caller frees *out; it is empty after a failure. */
tg_status tg_tensor_file_load(const char *path, const char *key, tg_dtype expect, tg_tensor *out,
                              tg_diags *diags);

/* Reads all tensors of a file and adds them to `out`; that of a .npy file is named as the file without folder
 * and ending. */
tg_status tg_tensor_file_load_all(const char *path, tg_tensors *out, tg_diags *diags);

/* Writes all tensors; a .npy file takes exactly one.  Archives of .npz are deflated. */
tg_status tg_tensor_file_save(const char *path, const tg_tensors *tensors, tg_diags *diags);

#endif
