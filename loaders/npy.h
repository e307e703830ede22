/* The .npy format: one array per file.
 *
 * Read: versions 1.0, 2.0 and 3.0, C and Fortran order (transposed to row-major), both byte orders.
 * Written: version 1.0, C order, the host's byte order.
 *
 * dtypes that numpy itself has are bool, i1...i8, u1...u8, f2, f4, f8.  For those of ml_dtypes,
 * np.save writes a descr that loses the name: '<V2' for bfloat16, '<V1' for the fp8 and 4-bit
 * kinds, '<f1' for float8_e5m2; np.load gives back raw void elements for the first two and raises
 * for '<f1'.  With the plain name as descr ('bfloat16', 'float8_e4m3fn', 'int4', without a byte
 * order), np.load gives that dtype if ml_dtypes has been imported, and otherwise raises "descr is
 * not a valid dtype descriptor".  So we write the plain name, which means little-endian.  We read
 * both forms; the caller must give the dtype of raw void elements.  (Tested with numpy 2.4,
 * ml_dtypes 0.6.) */
#ifndef TG_LOADERS_NPY_H
#define TG_LOADERS_NPY_H

#include "ir/tensor.h"
#include "base/file.h"

/* The contents of an array's header. */
typedef struct tg_npy_header {
    tg_type type;
    bool fortran_order, big_endian;
} tg_npy_header;

/* Reads the header.
 *   expect  dtype of raw void elements, else a dtype that the file must have; TG_DT_COUNT: any
 * Returns TG_ERR_SYNTAX if it is malformed, TG_ERR_UNSUPPORTED for dtypes that we lack, TG_ERR_TYPE
 * if it contradicts `expect`, or if `expect` has no dtype for void elements. */
tg_status tg_npy_read_header(tg_source *source, tg_dtype expect, tg_npy_header *out,
                             tg_diags *diags);

/* Reads header and elements, which must end where the source does; this is checked before memory
 * for the elements is allocated.  The caller frees *out with tg_tensor_free; it is empty after a
 * failure. */
tg_status tg_npy_read(tg_source *source, tg_dtype expect, tg_tensor *out, tg_diags *diags);
tg_status tg_npy_load(const char *path, tg_dtype expect, tg_tensor *out, tg_diags *diags);

/* Makes the header for elements of `type`; returns its length, a multiple of 64. */
enum { TG_NPY_HEADER = 512 };
size_t tg_npy_make_header(const tg_type *type, char out[TG_NPY_HEADER]);

/* Returns the elements as a file holds them: `tensor->data` itself, or a converted copy if they
 * differ.  Sets *made to the copy, which the caller frees with free().  NULL if memory runs out or
 * there are no elements. */
const void *tg_npy_elements(const tg_tensor *tensor, void **made);

tg_status tg_npy_save(const char *path, const tg_tensor *tensor, tg_diags *diags);

#endif
