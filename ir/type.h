/* Element types, value types, and basic queries about them. */
#ifndef TG_IR_TYPE_H
#define TG_IR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TG_MAX_RANK = 8 };

typedef enum tg_dtype {
#define TG_DTYPE(id, ...) TG_DT_##id,
#define TG_SEMAPHORE(id, counts)
#include "ir/dtypes.def"
    TG_DT_COUNT, /* the number of dtypes that values may have; also stands for "no dtype" */
#define TG_DTYPE(...)
#define TG_SEMAPHORE(id, counts) TG_DT_##id,
#include "ir/dtypes.def"
    TG_DT_MEMORY_COUNT /* the number of all dtypes, with those that only memory has */
} tg_dtype;

typedef enum tg_dtype_kind {
    TG_KIND_BOOL,
    TG_KIND_SINT,
    TG_KIND_UINT,
    TG_KIND_FLOAT,
    TG_KIND_SEMAPHORE
} tg_dtype_kind;

typedef enum tg_float_special {
    TG_SPECIAL_NONE,
    TG_SPECIAL_IEEE,
    TG_SPECIAL_FN,
    TG_SPECIAL_FNUZ,
    TG_SPECIAL_E8M0,
    TG_SPECIAL_FINITE
} tg_float_special;

/* The C types in which values are held while a program runs.  Narrow floats are held as f32 and
 * rounded to their own format after every op; 2-bit and 4-bit ints are held as 8-bit ints and
 * wrapped after every op.  A bool is a byte with the value 0 or 1. */
/* clang-format off */
#define TG_CARRIERS(X)                                                                             \
    X(b8, uint8_t) X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t)                   \
    X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t) X(f32, float) X(f64, double)
/* clang-format on */

typedef enum tg_carrier {
#define X(id, type) TG_C_##id,
    TG_CARRIERS(X)
#undef X
        TG_C_COUNT
} tg_carrier;

typedef struct tg_dtype_info {
    const char *name;        /* spelling in JSON and text */
    const char *numpy;       /* name in numpy or ml_dtypes */
    const char *safetensors; /* name in safetensors; "" if that format has none */
    tg_dtype_kind kind;
    tg_carrier carrier;
    tg_float_special special;
    uint8_t bits, bytes, exp_bits, man_bits;
    int16_t bias;
    uint8_t dlpack; /* type code in DLPack */
} tg_dtype_info;

extern const tg_dtype_info tg_dtypes[TG_DT_MEMORY_COUNT];
extern const uint8_t tg_carrier_bytes[TG_C_COUNT];

/* Returns the dtype of that name, or TG_DT_COUNT if values cannot have such a dtype. */
tg_dtype tg_dtype_by_name(const char *name);

/* The type of an SSA value: a block of `dtype[shape]`, or a reference to memory of that shape.
 * Rank 0 is a scalar.  Entries of `shape` at and beyond `rank` are 0. */
typedef struct tg_type {
    tg_dtype dtype;
    bool is_ref;
    int rank;
    int64_t shape[TG_MAX_RANK];
} tg_type;

bool tg_same_shape(const tg_type *a, const tg_type *b);
bool tg_same_type(const tg_type *a, const tg_type *b);

/* The number of elements of a block.  It cannot overflow: shapes are checked when they are made
 * (tg_type_parse). */
int64_t tg_type_count(const tg_type *t);

/* Row-major strides in elements. */
void tg_dense_strides(int rank, const int64_t *shape, int64_t *stride);

/* Computes strides that view `shape`/`stride` as `new_shape`, which has as many elements (not 0),
 * in the same row-major order.  Returns false if there are no such strides. */
bool tg_reshape_strides(int rank, const int64_t *shape, const int64_t *stride, int new_rank,
                        const int64_t *new_shape, int64_t *new_stride);

/* Prints a type: "f32[8,128]", "i32[]", "ref<f32[8]>".  Writes at most `size` bytes, including the
 * NUL.  Returns `out`. */
enum { TG_TYPE_TEXT = 256 };
char *tg_type_print(const tg_type *t, char *out, size_t size);

/* Prints the coordinates of an element in its tensor, "[3, 0, 17]", from its row-major index.
 * Returns `out`. */
enum { TG_INDEX_TEXT = 176 };
char *tg_index_print(const tg_type *type, int64_t element, char out[TG_INDEX_TEXT]);

/* Reads the format of tg_type_print.  Returns NULL on success, else what is wrong (static text). */
const char *tg_type_parse(const char *text, tg_type *out);

static inline bool tg_is_float(tg_dtype d) { return tg_dtypes[d].kind == TG_KIND_FLOAT; }
static inline bool tg_is_signed(tg_dtype d) { return tg_dtypes[d].kind == TG_KIND_SINT; }
static inline bool tg_is_unsigned(tg_dtype d) { return tg_dtypes[d].kind == TG_KIND_UINT; }
static inline bool tg_is_int(tg_dtype d) { return tg_is_signed(d) || tg_is_unsigned(d); }
static inline bool tg_is_semaphore(tg_dtype d) { return tg_dtypes[d].kind == TG_KIND_SEMAPHORE; }
static inline tg_carrier tg_carrier_of(tg_dtype d) { return tg_dtypes[d].carrier; }

/* Whether memory and carrier hold the same bytes, so that memory can be used in place. */
static inline bool tg_is_native(tg_dtype d)
{
    return tg_dtypes[d].bits == 8 * tg_carrier_bytes[tg_carrier_of(d)] || d == TG_DT_bool;
}

#endif
