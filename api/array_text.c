/* Elements and comparisons of arrays as text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/arrays.h"
#include "api/errors.h"
#include "ir/bits.h"
#include "report/compare.h"

char *tg_element_text(tg_dldtype dtype, const void *element, char *out, size_t size)
{
    char text[TG_ELEMENT_TEXT] = "";
    const tg_dtype own = tg_api_dtype(dtype);
    if (own != TG_DT_COUNT) tg_element_print(own, element, text);
    snprintf(out, size, "%s", text);
    return out;
}

static bool parse_signed(const char *text, unsigned width, uint64_t *bits)
{
    char *end;
    const long long value = strtoll(text, &end, 0);
    *bits = (uint64_t)value;
    return end != text && !*end && !errno &&
           (width == 64 || (value >> (width - 1)) == (value < 0 ? -1 : 0));
}

static bool parse_unsigned(const char *text, unsigned width, uint64_t *bits)
{
    char *end;
    *bits = strtoull(text, &end, 0);
    return end != text && !*end && !errno && text[0] != '-' && (width == 64 || *bits >> width == 0);
}

static bool parse_float(const char *text, tg_dtype dtype, uint64_t *bits)
{
    char *end;
    *bits = tg_bits_round(dtype, strtod(text, &end));
    return end != text && !*end;
}

tg_status tg_element_parse(tg_dldtype dtype, const char *text, void *element)
{
    uint64_t bits;
    const tg_dtype own = tg_api_dtype(dtype);
    if (own == TG_DT_COUNT) return TG_ERR_INVALID;
    errno = 0;
    const unsigned width = tg_dtypes[own].bits;
    const bool is_number = tg_is_float(own)    ? parse_float(text, own, &bits)
                           : tg_is_signed(own) ? parse_signed(text, width, &bits)
                                               : parse_unsigned(text, width, &bits);
    if (!is_number) return TG_ERR_INVALID;
    tg_bits_store(own, bits, element);
    return TG_OK;
}

/* The array as a tensor; empty where it is none of ours. */
static tg_tensor tensor_of(const tg_array *array)
{
    tg_diags unwanted = {0};
    tg_tensor tensor;
    tg_api_tensor_of(array, &tensor, &unwanted);
    tg_diags_free(&unwanted);
    return tensor;
}

char *tg_array_element_text(const tg_array *array, int64_t element, char *out, size_t size)
{
    const tg_tensor tensor = tensor_of(array);
    char text[TG_ELEMENT_TEXT] = "";
    const tg_dtype dtype = tensor.type.dtype;
    const size_t at = (size_t)element * tg_dtypes[dtype].bytes;
    if (tensor.data) tg_element_print(dtype, (const char *)tensor.data + at, text);
    snprintf(out, size, "%s", text);
    return out;
}

char *tg_array_index_text(const tg_array *array, int64_t element, char *out, size_t size)
{
    char text[TG_INDEX_TEXT];
    const tg_tensor tensor = tensor_of(array);
    snprintf(out, size, "%s", tg_index_print(&tensor.type, element, text));
    return out;
}

tg_status tg_array_compare(const tg_array *got, const tg_array *want, tg_comparison *out,
                           tg_errors *errors)
{
    static const tg_tolerance bits = {.kind = TG_TOLERANCE_BITS};
    char a[TG_TYPE_TEXT], b[TG_TYPE_TEXT];
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_tensor x, y;
    *out = (tg_comparison){0};
    tg_status status = tg_api_tensor_of(got, &x, diags);
    if (status == TG_OK) status = tg_api_tensor_of(want, &y, diags);
    if (status == TG_OK && tg_compare(&x, &y, &bits, out) != TG_OK)
        status = tg_fail(diags, TG_ERR_TYPE, NULL, "%s is compared with %s",
                         tg_type_print(&x.type, a, sizeof a), tg_type_print(&y.type, b, sizeof b));
    tg_diags_free(&unwanted);
    return status;
}

char *tg_comparison_text(const tg_comparison *comparison, const tg_array *got, const tg_array *want,
                         char *out, size_t size)
{
    char text[TG_COMPARISON_TEXT];
    const tg_tensor x = tensor_of(got), y = tensor_of(want);
    snprintf(out, size, "%s", tg_comparison_print(comparison, &x, &y, text));
    return out;
}
