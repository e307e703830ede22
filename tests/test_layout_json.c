/* Layouts as JSON: what tables of expected results cannot say. */
#include <criterion/criterion.h>
#include <string.h>

#include "layout/print.h"
#include "loaders/layout_json.h"

static void expect_json(int64_t stride, const char *wanted)
{
    tg_axe axe;
    tg_text text = {0};
    tg_axe_begin(&axe);
    tg_iters_put(&axe.d, 2, stride, TG_AXIS_m);
    tg_axe_print_json(&axe, &text);
    char *json = tg_text_finish(&text);
    cr_expect_str_eq(json, wanted);
    free(json);
}

Test(layout_json, integers_from_2_to_the_53_on_are_strings)
{
    expect_json((INT64_C(1) << 53) - 1, "{\"D\":[[2,9007199254740991,\"m\"]]}");
    expect_json(INT64_C(1) << 53, "{\"D\":[[2,\"9007199254740992\",\"m\"]]}");
    expect_json(-(INT64_C(1) << 53), "{\"D\":[[2,\"-9007199254740992\",\"m\"]]}");
}

Test(layout_json, what_is_wrong_need_not_be_told)
{
    tg_axe axe;
    const char *text = "{\"D\":[[2,1,\"no axis\"]]}";
    cr_expect_eq(tg_axe_read_json(text, strlen(text), &axe, NULL), TG_ERR_INVALID);
}
