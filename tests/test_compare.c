#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "ir/bits.h"

static const tg_tolerance same_bits = {0};

/* A tensor over patterns of the dtype; free with tg_tensor_free. */
static tg_tensor tensor_of(tg_dtype dtype, const uint64_t *bits, int64_t count)
{
    tg_type type = {.dtype = dtype, .rank = 1, .shape = {count}};
    tg_tensor t;
    cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
    for (int64_t i = 0; i < count; i++)
        tg_bits_store(dtype, bits[i], (char *)t.data + (size_t)i * tg_dtypes[dtype].bytes);
    return t;
}

static tg_comparison compare_one(tg_dtype dtype, uint64_t got, uint64_t want,
                                 tg_tolerance tolerance)
{
    tg_comparison c;
    tg_tensor a = tensor_of(dtype, &got, 1), b = tensor_of(dtype, &want, 1);
    cr_assert_eq(tg_compare(&a, &b, &tolerance, &c), TG_OK);
    tg_tensor_free(&a);
    tg_tensor_free(&b);
    return c;
}

typedef struct ulp_row {
    tg_dtype dtype;
    uint64_t a, b, ulps;
} ulp_row;

Test(compare, distances)
{
    static const ulp_row rows[] = {
        {TG_DT_bool, 1, 0, 1},
        {TG_DT_i4, 7, 8, 15}, /* 7 and -8 */
        {TG_DT_u4, 15, 0, 15},
        {TG_DT_i8, 0x7f, 0x80, 255},
        {TG_DT_i64, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX},
        {TG_DT_u64, UINT64_MAX, 1, UINT64_MAX - 1},
        {TG_DT_f32, 0x3f800000, 0x3f800001, 1},
        {TG_DT_f32, 0x00000001, 0x80000001, 2}, /* across both zeros */
        {TG_DT_f32, 0x00000000, 0x80000000, 0},
        {TG_DT_f32, 0x7f7fffff, 0x7f800000, 1}, /* the greatest and inf */
        {TG_DT_f32, 0x7fc00000, 0x3f800000, UINT64_MAX},
        {TG_DT_f32, 0x7fc00000, 0xffc12345, 0}, /* two NaNs */
        {TG_DT_f64, 0x8000000000000001, 1, 2},
        {TG_DT_f64, 0xffefffffffffffff, 0x7fefffffffffffff, 0xffdffffffffffffe},
        {TG_DT_f16, 0x3c00, 0x3bff, 1},
        {TG_DT_bf16, 0x3f80, 0x3f82, 2},
        {TG_DT_f8e4m3fn, 0x7e, 0x7f, UINT64_MAX}, /* 448 and NaN */
        {TG_DT_f8e4m3fn, 0x7f, 0xff, 0},
        {TG_DT_f8e5m2, 0x7b, 0x7c, 1},
        {TG_DT_f8e4m3fnuz, 0x80, 0x00, UINT64_MAX}, /* NaN and 0 */
        {TG_DT_f8e4m3fnuz, 0x81, 0x01, 2},
        {TG_DT_f8e8m0fnu, 0xfe, 0x00, 254},
        {TG_DT_f8e8m0fnu, 0xff, 0xfe, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ulp_row *r = &rows[i];
        uint64_t a, b;
        tg_bits_store(r->dtype, r->a, &a);
        tg_bits_store(r->dtype, r->b, &b);
        cr_assert_eq(tg_ulp_distance(r->dtype, &a, &b), r->ulps, "row %zu", i);
        cr_assert_eq(tg_ulp_distance(r->dtype, &b, &a), r->ulps, "row %zu the other way", i);
    }
}

/* In every float dtype of 16 bits or fewer, each value is one step from the next greater one. */
Test(compare, neighbours_are_one_step_apart)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_dtype dtype = (tg_dtype)d;
        if (!tg_is_float(dtype) || tg_dtypes[d].bits > 16) continue;
        uint64_t sign =
            tg_dtypes[d].special == TG_SPECIAL_E8M0 ? 256 : (uint64_t)1 << (tg_dtypes[d].bits - 1);
        for (uint64_t bits = 0; bits + 1 < sign; bits++) {
            uint64_t next = bits + 1;
            if (tg_bits_is_nan(dtype, next)) break;
            cr_assert_lt(tg_bits_value(dtype, bits), tg_bits_value(dtype, next));
            cr_assert_eq(tg_ulp_distance(dtype, &bits, &next), 1, "%s %llx", tg_dtypes[d].name,
                         (unsigned long long)bits);
        }
    }
}

Test(compare, rounding_gives_every_value_back)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_dtype dtype = (tg_dtype)d;
        if (!tg_is_float(dtype) || tg_dtypes[d].bits > 16) continue;
        for (uint64_t bits = 0; bits >> tg_dtypes[d].bits == 0; bits++) {
            uint64_t back = tg_bits_round(dtype, tg_bits_value(dtype, bits));
            if (tg_bits_is_nan(dtype, bits))
                cr_assert(tg_bits_is_nan(dtype, back));
            else
                cr_assert_eq(back, bits, "%s %llx", tg_dtypes[d].name, (unsigned long long)bits);
        }
    }
}

Test(compare, counts_and_places)
{
    static const uint64_t got[6] = {0x3f800000, 0x7fc00000, 0x80000000,
                                    0x40000003, 0x40400001, 0x7f800000};
    static const uint64_t want[6] = {0x3f800000, 0xffc00001, 0x00000000,
                                     0x40000000, 0x40400000, 0x7f800000};
    tg_comparison c;
    tg_tensor a = tensor_of(TG_DT_f32, got, 6), b = tensor_of(TG_DT_f32, want, 6);
    cr_assert_eq(tg_compare(&a, &b, &same_bits, &c), TG_OK);
    cr_assert_eq(c.count, 6);
    cr_assert_eq(c.differing, 3, "-0, and two numbers; NaNs agree");
    cr_assert_eq(c.first, 2);
    cr_assert_eq(c.worst, 3);
    cr_assert_eq(c.worst_ulps, 3);
    cr_assert_eq(c.failing, 3);
    cr_assert_not(c.agree);
    tg_tolerance ulp = {.kind = TG_TOLERANCE_ULP, .ulps = 2};
    cr_assert_eq(tg_compare(&a, &b, &ulp, &c), TG_OK);
    cr_assert_eq(c.failing, 1);
    cr_assert_eq(c.first_failing, 3);
    ulp.ulps = 3;
    cr_assert_eq(tg_compare(&a, &b, &ulp, &c), TG_OK);
    cr_assert(c.agree);
    tg_tensor_free(&a);
    tg_tensor_free(&b);
}

Test(compare, tolerances)
{
    const tg_tolerance any_ulp = {.kind = TG_TOLERANCE_ULP, .ulps = UINT64_MAX};
    const tg_tolerance half = {.kind = TG_TOLERANCE_CLOSE, .rtol = 0.5};
    const tg_tolerance ten = {.kind = TG_TOLERANCE_CLOSE, .atol = 10};
    const uint64_t one = 0x3f800000, two = 0x40000000, inf = 0x7f800000, nan = 0x7fc00000,
                   most = 0x7f7fffff;
    cr_assert_not(compare_one(TG_DT_f32, nan, one, any_ulp).agree, "NaN is not near a number");
    cr_assert(compare_one(TG_DT_f32, nan, 0xffc00001, same_bits).agree);
    cr_assert_not(compare_one(TG_DT_f32, 0, 0x80000000, same_bits).agree);
    cr_assert(compare_one(TG_DT_f32, one, two, half).agree, "1 is half of 2 away from 2");
    cr_assert_not(compare_one(TG_DT_f32, two, one, half).agree, "2 is all of 1 away from 1");
    cr_assert_not(compare_one(TG_DT_f32, inf, most, half).agree);
    cr_assert_not(compare_one(TG_DT_f32, inf, 0xff800000, half).agree);
    cr_assert(compare_one(TG_DT_f32, inf, inf, ten).agree);
    cr_assert_not(compare_one(TG_DT_f32, nan, one, ten).agree);
    cr_assert_not(compare_one(TG_DT_f32, one, nan, ten).agree);
    cr_assert(compare_one(TG_DT_i8, 0xff, 9, ten).agree, "-1 and 9");
    cr_assert_not(compare_one(TG_DT_i8, 0xfe, 9, ten).agree);
    cr_assert_not(compare_one(TG_DT_u64, UINT64_MAX, 0, ten).agree);
    cr_assert_not(compare_one(TG_DT_bool, 1, 0, same_bits).agree);
    cr_assert(compare_one(TG_DT_f8e8m0fnu, 0x80, 0x7f,
                          (tg_tolerance){.kind = TG_TOLERANCE_CLOSE, .rtol = 1})
                  .agree);
}

Test(compare, steps_at_the_greatest_element)
{
    const uint64_t wanted[] = {0x3f800000, 0x2f800000, 0x7f800000};
    const uint64_t given[] = {0x3f800000, 0x34000000, 0x7f800000};
    tg_tensor want = tensor_of(TG_DT_f32, wanted, 3), got = tensor_of(TG_DT_f32, given, 3);
    tg_tolerance t = {.kind = TG_TOLERANCE_ULP, .ulps = 4};
    tg_comparison c;
    cr_assert_eq(tg_compare(&got, &want, &t, &c), TG_OK);
    cr_assert_not(c.agree, "2^-23 is far from 2^-32");
    t.scale_ulps = 1;
    cr_assert_eq(tg_compare(&got, &want, &t, &c), TG_OK);
    cr_assert(c.agree, "but one step of 2^-23 at 1; the infinity does not count");
    tg_tensor_free(&want);
    tg_tensor_free(&got);
}

Test(compare, differences_at_the_seams_of_runs)
{
    const int64_t count = 5000;
    uint64_t *zeros = calloc((size_t)count, sizeof *zeros);
    tg_comparison c;
    tg_tensor a = tensor_of(TG_DT_u16, zeros, count), b = tensor_of(TG_DT_u16, zeros, count);
    for (int64_t i = 0; i < count; i += 1023) ((uint16_t *)a.data)[i] = (uint16_t)(i + 1);
    ((uint16_t *)a.data)[count - 1] = 60000;
    cr_assert_eq(tg_compare(&a, &b, &same_bits, &c), TG_OK);
    cr_assert_eq(c.differing, 6);
    cr_assert_eq(c.first, 0);
    cr_assert_eq(c.worst, count - 1);
    cr_assert_eq(c.worst_ulps, 60000);
    tg_tensor_free(&a);
    tg_tensor_free(&b);
    free(zeros);
}

Test(compare, tensors_without_elements_and_of_other_types)
{
    tg_comparison c;
    tg_tensor none = {.type = {.dtype = TG_DT_f32, .rank = 2, .shape = {0, 4}}};
    tg_tensor other = {.type = {.dtype = TG_DT_i32, .rank = 2, .shape = {0, 4}}};
    cr_assert_eq(tg_compare(&none, &none, &same_bits, &c), TG_OK);
    cr_assert(c.agree);
    cr_assert_eq(c.count, 0);
    cr_assert_eq(tg_compare(&none, &other, &same_bits, &c), TG_ERR_TYPE);
    cr_assert_not(c.agree);
}

Test(compare, prints)
{
    char text[TG_ELEMENT_TEXT], index[TG_INDEX_TEXT], line[TG_COMPARISON_TEXT];
    cr_assert_str_eq(tg_element_print(TG_DT_f32, &(uint32_t){0x3dcccccd}, text),
                     "0.100000001 = 0x1.99999ap-4 [3dcccccd]");
    cr_assert_str_eq(tg_element_print(TG_DT_bf16, &(uint16_t){0xc000}, text), "-2 [c000]");
    cr_assert_str_eq(tg_element_print(TG_DT_f8e4m3fn, &(uint8_t){0x7f}, text), "nan [7f]");
    cr_assert_str_eq(tg_element_print(TG_DT_i4, &(int8_t){-8}, text), "-8");
    cr_assert_str_eq(tg_element_print(TG_DT_i64, &(int64_t){INT64_MIN}, text),
                     "-9223372036854775808");
    cr_assert_str_eq(tg_element_print(TG_DT_bool, &(uint8_t){1}, text), "true");
    tg_type type = {.dtype = TG_DT_u8, .rank = 3, .shape = {2, 3, 4}};
    cr_assert_str_eq(tg_index_print(&type, 23, index), "[1, 2, 3]");
    cr_assert_str_eq(tg_index_print(&(tg_type){.dtype = TG_DT_u8}, 0, index), "[]");
    static const uint64_t got[3] = {5, 6, 9}, want[3] = {5, 7, 7};
    tg_comparison c;
    tg_tensor a = tensor_of(TG_DT_u8, got, 3), b = tensor_of(TG_DT_u8, want, 3);
    cr_assert_eq(tg_compare(&a, &b, &same_bits, &c), TG_OK);
    cr_assert_str_eq(tg_comparison_print(&c, &a, &b, line),
                     "2 of 3 elements differ, most at [2] by 2 ULP: got 9, want 7; the first at "
                     "[1]: got 6, want 7");
    tg_tensor_free(&a);
    tg_tensor_free(&b);
}
