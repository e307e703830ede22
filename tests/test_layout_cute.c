/* CuTe layouts that no text makes. */
#include <criterion/criterion.h>

#include "layout/cute/convert.h"

static bool refuses(const tg_cute *cute, tg_status status, const char *reason)
{
    tg_diags diags = {0};
    const tg_status got = tg_cute_check(cute, &diags);
    const bool same = got == status && strcmp(diags.list[0].message, reason) == 0;
    tg_diags_free(&diags);
    return same;
}

Test(layout_cute, nothing_is_no_layout)
{
    tg_cute cute;
    tg_cute_begin(&cute);
    cr_expect(refuses(&cute, TG_ERR_INVALID, "there is no tuple"));
    tg_cute_close(&cute, tg_cute_open(&cute));
    cr_expect(refuses(&cute, TG_ERR_INVALID, "a tuple is empty"));
}

Test(layout_cute, what_has_no_room_is_remembered)
{
    tg_cute cute, twice;
    tg_cute_begin(&cute);
    const int tuple = tg_cute_open(&cute);
    for (int i = 0; i < 1000; i++) {
        const int inner = tg_cute_open(&cute);
        tg_cute_put(&cute, 1, 0);
        tg_cute_close(&cute, inner);
    }
    tg_cute_close(&cute, tuple);
    cr_expect(refuses(&cute, TG_ERR_UNSUPPORTED, "a tuple has more than 64 integers"));
    tg_cute_begin(&twice);
    tg_cute_put_node(&twice, &cute, 1);
    for (int i = 0; i < 1000; i++) tg_cute_put_node(&twice, &cute, 1);
    cr_expect(refuses(&twice, TG_ERR_UNSUPPORTED, "a tuple has more than 64 integers"));
}

Test(layout_cute, a_stride_that_no_text_has)
{
    tg_cute cute;
    tg_cute_begin(&cute);
    tg_cute_put(&cute, 1, INT64_MIN);
    cr_expect(
        refuses(&cute, TG_ERR_INVALID, "stride -9223372036854775808 does not fit in 61 bits"));
}

Test(layout_cute, a_mode_with_its_place)
{
    tg_cute cute;
    tg_cute_begin(&cute);
    const int tuple = tg_cute_open(&cute);
    tg_cute_put(&cute, 4, 1);
    tg_cute_put(&cute, 3, 7);
    tg_cute_close(&cute, tuple);
    cute.offset = 5;
    tg_cute_take(&cute, tg_tuple_element(&cute.shape, 0, 1), &cute);
    cr_expect_eq(tg_cute_check(&cute, NULL), TG_OK);
    cr_expect_eq(tg_cute_size(&cute), 3);
    cr_expect_eq(tg_cute_map(&cute, 2), 19);
}

Test(layout_cute, no_axis_of_memory)
{
    tg_cute cute;
    tg_axe axe;
    const tg_shape shape = {.rank = 1, .extent = {4}};
    tg_cute_begin(&cute);
    tg_cute_put(&cute, 4, 1);
    cr_expect_eq(tg_cute_to_axe(&cute, &shape, TG_AXIS_NONE, &axe, NULL), TG_ERR_INVALID);
}
