/* Where elements of values are: memory spaces and layouts of the builder of the public interface. */
#include <string.h>

#include "api/build.h"
#include "layout/read.h"

bool tg_api_layout(tg_builder *b, const char *text, const tg_axe **out)
{
    tg_axe *layout = tg_build_take(&b->build, 1, sizeof *layout);
    tg_diags wrong = {0};
    if (!layout) return false;
    const tg_status status = tg_axe_read(text, strlen(text), layout, &wrong);
    if (status != TG_OK)
        tg_api_wrong(b, "layout \"%s\": %s", text,
                     wrong.count ? wrong.list[0].message : "memory ran out");
    tg_diags_free(&wrong);
    *out = layout;
    return status == TG_OK;
}

void tg_builder_place(tg_builder *b, tg_value_id value, const char *space, const char *layout)
{
    const tg_axe *read = NULL;
    if (!tg_api_builds(b)) return;
    if (!b->build.kernel) {
        tg_api_wrong(b, "tg_builder_place: no kernel is open");
        return;
    }
    if (!tg_api_is_text_or_null(b, space, "the space of a reference") || !tg_api_sees(b, value) ||
        (layout && !tg_api_layout(b, layout, &read)))
        return;
    tg_build_place(&b->build, value, space, read);
}
