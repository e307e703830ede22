/* Arrays that the library keeps: made in memory or read from files, handed to kernels by name,
 * written, compared.
 *
 *   tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
 *   if (tg_arrays_read(inputs, "inputs.npz", NULL, errors) == TG_OK &&
 *       tg_arrays_run(module, NULL, inputs, NULL, NULL, outputs, &report, errors) == TG_OK)
 *       tg_arrays_write(outputs, "outputs.npz", errors);
 *
 * All of them are row-major, on the CPU.  An element takes whole bytes: one of 2 or 4 bits the low
 * bits of a byte, a signed one with its sign above them. */
#ifndef TILEGRIND_ARRAYS_H
#define TILEGRIND_ARRAYS_H

#include "tilegrind/comparison.h"
#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays by name, in an order.  Of one thread as long as it is changed. */
typedef struct tg_tensors tg_arrays;

TG_API tg_arrays *tg_arrays_new(void); /* empty; NULL without memory */
TG_API void tg_arrays_free(tg_arrays *arrays);
TG_API size_t tg_arrays_count(const tg_arrays *arrays);

/* An array with its name; index < count.  Its elements may be written.  Name and elements live as
 * long as `arrays`; the shape, until an array is added. */
TG_API tg_array tg_arrays_get(const tg_arrays *arrays, size_t index);

/* The index of an array; tg_arrays_count where there is none of that name. */
TG_API size_t tg_arrays_find(const tg_arrays *arrays, const char *name);

/* Adds a copy of an array.  TG_ERR_USAGE where its name is taken or missing, or where it is not on
 * the CPU, not row-major, of an unknown dtype, without data, or too large; TG_ERR_NO_MEMORY. */
TG_API tg_status tg_arrays_add(tg_arrays *arrays, const tg_array *array, tg_errors *errors);

/* Adds an array of zeros of a type, "f32[8,128]".  TG_ERR_USAGE where the name is taken or the type
 * is none; TG_ERR_NO_MEMORY. */
TG_API tg_status tg_arrays_add_zeros(tg_arrays *arrays, const char *name, const char *type,
                                     tg_errors *errors);

/* ---- files ---- */

/* Whether the ending of a file's name is one that is read and written: .npy, .npz, .safetensors. */
TG_API int tg_arrays_can_read(const char *path);

typedef struct tg_arrays_read_options {
    size_t size; /* sizeof(tg_arrays_read_options): lets the struct grow */
    /* Asked of arrays by their names: the dtype that the reader wants, NULL to leave the array out.
     *  In .npz it says what elements are whose dtype numpy does not know, and an array of another
     *  one is TG_ERR_TYPE; other files have their dtypes.  NULL: all
     * arrays are taken as they are. */
    const char *(*dtype)(void *context, const char *name);
    void *context;
} tg_arrays_read_options;

/* Adds the arrays of a file; that of a .npy file is named as the file without folder and ending.
 * TG_ERR_IO where it cannot be read, TG_ERR_USAGE for another ending or a name that is taken,
 * TG_ERR_SYNTAX, _INVALID, _TYPE and _UNSUPPORTED for what it holds, TG_ERR_NO_MEMORY; then nothing
 * is added. */
TG_API tg_status tg_arrays_read(tg_arrays *arrays, const char *path,
                                const tg_arrays_read_options *options, tg_errors *errors);

/* Adds one array of a file under `name`.
 *   key    its name in the file; NULL: of a file that has just one
 *   dtype  the one that it must have (TG_ERR_TYPE), or NULL
 * Else as tg_arrays_read; TG_ERR_USAGE for an unknown dtype as well. */
TG_API tg_status tg_arrays_read_one(tg_arrays *arrays, const char *name, const char *path,
                                    const char *key, const char *dtype, tg_errors *errors);

/* Writes all arrays; a .npy file takes one.  The file appears whole or not at all.  TG_ERR_IO,
 * TG_ERR_USAGE for another ending or number, TG_ERR_NO_MEMORY. */
TG_API tg_status tg_arrays_write(const tg_arrays *arrays, const char *path, tg_errors *errors);

/* Writes one array in the format .npy, whatever the file is called.  TG_ERR_IO, TG_ERR_USAGE for
 * what tg_arrays_add does not take, TG_ERR_NO_MEMORY. */
TG_API tg_status tg_array_write_npy(const tg_array *array, const char *path, tg_errors *errors);

/* ---- runs ---- */

/* What runs a kernel in the place of tg_run: a function that calls it, or tg_check. */
typedef struct tg_run_hook {
    size_t size; /* sizeof(tg_run_hook): lets the struct grow */
    tg_status (*run)(void *context, const tg_module *module, const char *kernel,
                     const tg_array *arrays, size_t array_count, const tg_run_options *options,
                     tg_report **report, tg_errors *errors);
    void *context;
} tg_run_hook;

/* Runs a kernel as tg_run does, on arrays by the names of its parameters.
 *   inputs   an array for each prefetch and input parameter, and no other; only read
 *   hook     NULL: tg_run
 *   outputs  empty; gets a new array for each output parameter, in their order, also where the run
 *            fails
 * TG_ERR_USAGE with every input that is missing, unknown or of another type, else what the hook
 * returns. */
TG_API tg_status tg_arrays_run(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                               const tg_run_options *options, const tg_run_hook *hook,
                               tg_arrays *outputs, tg_report **report, tg_errors *errors);

/* ---- elements ---- */

/* The name of a dtype, "bf16"; NULL for one that is not known.  The way back of tg_dtype_to_dlpack.
 */
TG_API const char *tg_dtype_from_dlpack(tg_dldtype dtype);

/* An element in memory as text, exactly: "3", "true", "0.100000001 = 0x1.99999ap-4 [3dcccccd]", the
 * last being its bits.  Writes at most `size` bytes, NUL included, and returns `out`; "" for an
 * unknown dtype. */
TG_API char *tg_element_text(tg_dldtype dtype, const void *element, char *out, size_t size);

/* Puts the element of a dtype that a text says into memory: an integer as in C, with 0x and the
 * like, or a float, rounded to the
 * nearest.  TG_ERR_INVALID, and nothing is written, where the text is no such number, or the dtype
 * not known. */
TG_API tg_status tg_element_parse(tg_dldtype dtype, const char *text, void *element);

/* The text of an array's element by its row-major number, as tg_element_text gives it; and its
 * index, "[3, 0, 17]", for which 22 bytes a dimension have room. */
TG_API char *tg_array_element_text(const tg_array *array, int64_t element, char *out, size_t size);
TG_API char *tg_array_index_text(const tg_array *array, int64_t element, char *out, size_t size);

/* Compares two arrays of one type bit by bit.  TG_OK, also where they differ; TG_ERR_TYPE where the
 * types do, TG_ERR_USAGE for what tg_arrays_add does not take; *out is zeroed then. */
TG_API tg_status tg_array_compare(const tg_array *got, const tg_array *want, tg_comparison *out,
                                  tg_errors *errors);

/* A comparison in one line: "2 of 12 elements differ, most at [0, 3] by 1 ULP: got ..., want ...;
 * the first at ...", or "12 elements are equal".  Of the arrays that were compared.  Writes at most
 * `size` bytes, NUL included; returns `out`. */
TG_API char *tg_comparison_text(const tg_comparison *comparison, const tg_array *got,
                                const tg_array *want, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
