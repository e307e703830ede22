#include "report/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/bits.h"

/* ---- distance ---- */

/* Numbers the floats so that the next value has the next number; both zeros have number 0. */
static int64_t rank_of(const tg_dtype_info *info, uint64_t bits)
{
    if (info->special == TG_SPECIAL_E8M0) return (int64_t)bits;
    uint64_t sign = (uint64_t)1 << (info->bits - 1);
    int64_t magnitude = (int64_t)(bits & ~sign);
    return bits & sign ? -magnitude : magnitude;
}

static int64_t sign_extend(const tg_dtype_info *info, uint64_t bits)
{
    uint64_t sign = (uint64_t)1 << (info->bits - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static uint64_t apart(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Returns the distance of two bit patterns that are not both NaN. */
static uint64_t distance(tg_dtype dtype, uint64_t a, uint64_t b)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    if (info->kind == TG_KIND_BOOL) return !a != !b;
    if (info->kind == TG_KIND_UINT) return a > b ? a - b : b - a;
    if (info->kind == TG_KIND_SINT) return apart(sign_extend(info, a), sign_extend(info, b));
    if (tg_bits_is_nan(dtype, a) || tg_bits_is_nan(dtype, b)) return UINT64_MAX;
    return apart(rank_of(info, a), rank_of(info, b));
}

static bool both_nan(tg_dtype dtype, uint64_t a, uint64_t b)
{
    return tg_bits_is_nan(dtype, a) && tg_bits_is_nan(dtype, b);
}

uint64_t tg_ulp_distance(tg_dtype dtype, const void *a, const void *b)
{
    uint64_t bits_a = tg_bits_load(dtype, a), bits_b = tg_bits_load(dtype, b);
    return both_nan(dtype, bits_a, bits_b) ? 0 : distance(dtype, bits_a, bits_b);
}

/* ---- tolerances ---- */

/* Returns the magnitude of an element as a double; ints are rounded. */
static double magnitude_of(tg_dtype dtype, uint64_t bits)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    if (info->kind == TG_KIND_FLOAT) return fabs(tg_bits_value(dtype, bits));
    if (info->kind == TG_KIND_SINT) return (double)apart(sign_extend(info, bits), 0);
    return (double)bits;
}

static bool is_close(tg_dtype dtype, uint64_t got, uint64_t want, const tg_tolerance *t)
{
    double allowed = t->atol + t->rtol * magnitude_of(dtype, want);
    if (tg_dtypes[dtype].kind != TG_KIND_FLOAT)
        return (double)distance(dtype, got, want) <= allowed;
    double a = tg_bits_value(dtype, got), b = tg_bits_value(dtype, want);
    if (isinf(a) || isinf(b)) return a == b;
    return fabs(a - b) <= allowed; /* false for a NaN beside a number */
}

static bool is_within(tg_dtype dtype, uint64_t got, uint64_t want, uint64_t ulps,
                      const tg_tolerance *t)
{
    bool number_beside_nan = tg_bits_is_nan(dtype, got) != tg_bits_is_nan(dtype, want);
    switch (t->kind) {
    case TG_TOLERANCE_ULP:
        return !number_beside_nan && (ulps <= t->ulps || is_close(dtype, got, want, t));
    case TG_TOLERANCE_CLOSE: return is_close(dtype, got, want, t);
    default: return false;
    }
}

/* Returns the width of one step at the greatest finite element; 0 if the only finite values are
 * 0. */
static double step_at_greatest(const tg_tensor *want)
{
    const tg_dtype dtype = want->type.dtype;
    double greatest = 0;
    for (int64_t i = 0; i < tg_type_count(&want->type); i++) {
        const char *at = (const char *)want->data + (size_t)i * tg_dtypes[dtype].bytes;
        double size = magnitude_of(dtype, tg_bits_load(dtype, at));
        if (isfinite(size) && size > greatest) greatest = size;
    }
    return greatest > 0 ? ldexp(1.0, ilogb(greatest) - tg_dtypes[dtype].man_bits) : 0;
}

/* With `scale_ulps`: sets `atol` to the distance that they allow. */
static tg_tolerance with_scale(const tg_tolerance *t, const tg_tensor *want)
{
    tg_tolerance scaled = *t;
    if (t->kind != TG_TOLERANCE_ULP) return scaled;
    scaled.rtol = scaled.atol = 0;
    if (t->scale_ulps && tg_dtypes[want->type.dtype].kind == TG_KIND_FLOAT)
        scaled.atol = (double)t->scale_ulps * step_at_greatest(want);
    return scaled;
}

/* ---- comparing ---- */

/* Records a pair of elements with different bytes. */
static void note(tg_dtype dtype, int64_t index, uint64_t got, uint64_t want,
                 const tg_tolerance *tolerance, tg_comparison *out)
{
    if (got == want || both_nan(dtype, got, want)) return;
    uint64_t ulps = distance(dtype, got, want);
    if (out->differing++ == 0) out->first = index;
    if (out->worst < 0 || ulps > out->worst_ulps) {
        out->worst = index;
        out->worst_ulps = ulps;
    }
    if (is_within(dtype, got, want, ulps, tolerance)) return;
    if (out->failing++ == 0) out->first_failing = index;
}

static void compare_run(tg_dtype dtype, const char *got, const char *want, int64_t from, int64_t to,
                        const tg_tolerance *tolerance, tg_comparison *out)
{
    size_t width = tg_dtypes[dtype].bytes;
    for (int64_t i = from; i < to; i++) {
        const char *a = got + (size_t)i * width, *b = want + (size_t)i * width;
        note(dtype, i, tg_bits_load(dtype, a), tg_bits_load(dtype, b), tolerance, out);
    }
}

tg_status tg_compare(const tg_tensor *got, const tg_tensor *want, const tg_tolerance *tolerance,
                     tg_comparison *out)
{
    enum { RUN = 1024 }; /* compares runs of elements as bytes first, because most are equal */
    *out = (tg_comparison){0};
    if (!tg_same_type(&got->type, &want->type)) return TG_ERR_TYPE;
    tg_dtype dtype = got->type.dtype;
    size_t width = tg_dtypes[dtype].bytes;
    const tg_tolerance scaled = with_scale(tolerance, want);
    *out = (tg_comparison){
        .count = tg_type_count(&got->type), .first = -1, .worst = -1, .first_failing = -1};
    for (int64_t from = 0; from < out->count; from += RUN) {
        int64_t to = from + RUN < out->count ? from + RUN : out->count;
        size_t start = (size_t)from * width, bytes = (size_t)(to - from) * width;
        if (memcmp((char *)got->data + start, (char *)want->data + start, bytes) != 0)
            compare_run(dtype, got->data, want->data, from, to, &scaled, out);
    }
    out->agree = out->failing == 0;
    return TG_OK;
}

/* ---- printing ---- */

static void print_float(tg_dtype dtype, uint64_t bits, char *out)
{
    double value = tg_bits_value(dtype, bits);
    int digits = dtype == TG_DT_f64 ? 17 : 9; /* enough digits to distinguish any two values */
    int hex_digits = tg_dtypes[dtype].bits / 4;
    if (isnan(value) || isinf(value) || floor(value) == value)
        snprintf(out, TG_ELEMENT_TEXT, "%.*g [%0*" PRIx64 "]", digits, value, hex_digits, bits);
    else
        snprintf(out, TG_ELEMENT_TEXT, "%.*g = %a [%0*" PRIx64 "]", digits, value, value,
                 hex_digits, bits);
}

char *tg_element_print(tg_dtype dtype, const void *element, char out[TG_ELEMENT_TEXT])
{
    uint64_t bits = tg_bits_load(dtype, element);
    const tg_dtype_info *info = &tg_dtypes[dtype];
    switch (info->kind) {
    case TG_KIND_BOOL: snprintf(out, TG_ELEMENT_TEXT, "%s", bits ? "true" : "false"); break;
    case TG_KIND_SINT: snprintf(out, TG_ELEMENT_TEXT, "%" PRId64, sign_extend(info, bits)); break;
    case TG_KIND_UINT: snprintf(out, TG_ELEMENT_TEXT, "%" PRIu64, bits); break;
    case TG_KIND_FLOAT: print_float(dtype, bits, out); break;
    case TG_KIND_SEMAPHORE: *out = '\0'; break; /* never an element of a tensor */
    }
    return out;
}

static size_t print_pair(const tg_tensor *got, const tg_tensor *want, int64_t element, char *out,
                         size_t size)
{
    char a[TG_ELEMENT_TEXT], b[TG_ELEMENT_TEXT];
    tg_dtype dtype = got->type.dtype;
    size_t at = (size_t)element * tg_dtypes[dtype].bytes;
    return (size_t)snprintf(out, size, "got %s, want %s",
                            tg_element_print(dtype, (char *)got->data + at, a),
                            tg_element_print(dtype, (char *)want->data + at, b));
}

static void print_distance(uint64_t ulps, char out[48])
{
    if (ulps == UINT64_MAX)
        snprintf(out, 48, "as far as can be");
    else
        snprintf(out, 48, "by %" PRIu64 " ULP", ulps);
}

char *tg_comparison_print(const tg_comparison *c, const tg_tensor *got, const tg_tensor *want,
                          char out[TG_COMPARISON_TEXT])
{
    char index[TG_INDEX_TEXT], far[48];
    const size_t room = TG_COMPARISON_TEXT;
    if (c->differing == 0) {
        snprintf(out, room, "%" PRId64 " elements are equal", c->count);
        return out;
    }
    print_distance(c->worst_ulps, far);
    size_t used = (size_t)snprintf(
        out, room, "%" PRId64 " of %" PRId64 " elements differ, most at %s %s: ", c->differing,
        c->count, tg_index_print(&got->type, c->worst, index), far);
    used += print_pair(got, want, c->worst, out + used, room - used);
    if (c->first != c->worst) {
        used +=
            (size_t)snprintf(out + used, room - used,
                             "; the first at %s: ", tg_index_print(&got->type, c->first, index));
        print_pair(got, want, c->first, out + used, room - used);
    }
    return out;
}
