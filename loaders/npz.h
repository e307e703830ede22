/* The .npz format: a zip archive of .npy files, each member NAME.npy the array NAME.
 *
 * Read: stored and deflated members, zip64.  An archive is not trusted: a member's stated size must
 * be one that its compressed bytes can give and that its npy header asks for, before anything is
 * allocated; the members together must fit the archive, so that none is counted twice.
 * Written: the same tensors give the same bytes; members are dated 1980-01-01. */
#ifndef TG_LOADERS_NPZ_H
#define TG_LOADERS_NPZ_H

#include "ir/tensor.h"

#define TG_NPZ_LIMIT                                                                               \
    ((uint64_t)64 << 30) /* bytes of all arrays together, where no limit is given */

/* Tells the dtype to expect of the array `name`, as in tg_npy_read_header. */
typedef tg_dtype tg_npz_expect(void *context, const char *name);

typedef struct tg_npz_opts {
    uint64_t limit;        /* bytes of all arrays read; 0: TG_NPZ_LIMIT */
    const char *only;      /* read this array alone; NULL: all */
    tg_npz_expect *expect; /* NULL: none is expected */
    void *context;         /* for `expect` */
} tg_npz_opts;

/* Reads arrays in the order of the archive and adds them to `out`.  `opts` may be NULL.
 * TG_ERR_IO where the file cannot be read, TG_ERR_SYNTAX where archive or array is malformed,
 * TG_ERR_INVALID for names that are taken twice, no plain file names or absent (`only`), wrong checksums,
 * sizes that cannot be, and archives over the limit, TG_ERR_UNSUPPORTED for encryption and
 * other compression.  After a failure `out` holds what was read before. */
tg_status tg_npz_load(const char *path, const tg_npz_opts *opts, tg_tensors *out, tg_diags *diags);

/* As tg_npz_load, from an archive in memory, which is borrowed. */
tg_status tg_npz_read(const void *data, size_t size, const tg_npz_opts *opts, tg_tensors *out,
                      tg_diags *diags);

/* Writes all tensors in their order, deflated or stored.  The file appears whole or not at all. */
tg_status tg_npz_save(const char *path, const tg_tensors *tensors, bool deflate, tg_diags *diags);

#endif
