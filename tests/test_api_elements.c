/* Element types and elements as texts. */
#include <criterion/criterion.h>
#include <string.h>

#include "tilegrind/arrays.h"

Test(api_elements, dtypes_there_and_back)
{
    static const char *const names[] = {"bool", "i4", "u8", "i64", "bf16", "f16", "f64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_str_eq(tg_dtype_from_dlpack(tg_dtype_to_dlpack(names[i])), names[i]);
    cr_assert_null(tg_dtype_from_dlpack((tg_dldtype){0}));
}

static void check_parsed(const char *dtype, const char *text, const char *expected)
{
    char out[TG_ELEMENT_TEXT];
    uint64_t element = 0;
    const tg_dldtype dl = tg_dtype_to_dlpack(dtype);
    cr_assert_eq(tg_element_parse(dl, text, &element), TG_OK, "%s %s", dtype, text);
    tg_element_text(dl, &element, out, sizeof out);
    out[strcspn(out, " ")] = '\0';
    cr_assert_str_eq(out, expected);
}

Test(api_elements, texts_of_elements_are_parsed)
{
    static const char *const wrong[][2] = {{"i8", "128"},  {"i8", "-129"},
                                           {"i4", "8"},    {"u8", "-1"},
                                           {"u8", "256"},  {"bool", "2"},
                                           {"i32", ""},    {"i32", "1x"},
                                           {"f32", "one"}, {"i64", "99999999999999999999"}};
    uint64_t element = 5;
    check_parsed("i8", "-128", "-128");
    check_parsed("i4", "-8", "-8");
    check_parsed("u64", "0xffffffffffffffff", "18446744073709551615");
    check_parsed("bool", "1", "true");
    check_parsed("f32", "0.5", "0.5");
    check_parsed("bf16", "1e300", "inf");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(tg_element_parse(tg_dtype_to_dlpack(wrong[i][0]), wrong[i][1], &element),
                     TG_ERR_INVALID, "%s %s", wrong[i][0], wrong[i][1]);
    cr_assert_eq(tg_element_parse((tg_dldtype){0}, "1", &element), TG_ERR_INVALID);
    cr_assert_eq(element, 5);
}
