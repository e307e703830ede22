/* The .npz format: a zip archive of .npy files; member NAME.npy is the array NAME.
 *
 * Read: stored and deflated members, zip64.  An archive is not trusted.  Before anything is
 * allocated, a member's stated size must be possible for its compressed bytes and match its npy
 * header; all members together must fit into the archive, so that no bytes are used twice.
 * Written: the same tensors give the same bytes; members are dated 1980-01-01. */
#ifndef TG_LOADERS_NPZ_H
#define TG_LOADERS_NPZ_H

#include "ir/tensor.h"

#define TG_NPZ_LIMIT ((uint64_t)64 << 30) /* default limit for the bytes of all arrays together */

/* Returns the expected dtype of the array `name`, as in tg_npy_read_header. */
typedef tg_dtype tg_npz_expect(void *context, const char *name);

typedef struct tg_npz_opts {
    uint64_t limit;        /* bytes of all arrays read; 0: TG_NPZ_LIMIT */
    const char *only;      /* read only this array; NULL: all */
    tg_npz_expect *expect; /* NULL: any dtype */
    void *context;         /* for `expect` */
} tg_npz_opts;

/* Reads arrays in the order of the archive and adds them to `out`.  `opts` may be NULL.  Returns
 * TG_ERR_IO if the file cannot be read, TG_ERR_SYNTAX if an archive or array is malformed,
 * TG_ERR_INVALID for names that occur twice, are not plain file names or are missing (`only`),
 * wrong checksums, impossible sizes, and archives over the limit, TG_ERR_UNSUPPORTED for encryption
 * and other compression.  After a failure `out` holds the arrays read before. */
tg_status tg_npz_load(const char *path, const tg_npz_opts *opts, tg_tensors *out, tg_diags *diags);

/* Like tg_npz_load, from an archive in memory, which the caller still owns. */
tg_status tg_npz_read(const void *data, size_t size, const tg_npz_opts *opts, tg_tensors *out,
                      tg_diags *diags);

/* Writes all tensors in their order, deflated or stored.  The file is written completely or not at
 * all. */
tg_status tg_npz_save(const char *path, const tg_tensors *tensors, bool deflate, tg_diags *diags);

#endif
