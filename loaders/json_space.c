#include "loaders/json_space.h"

#include <inttypes.h>
#include <string.h>

#include "layout/read.h"

/* A problem of the layout as a whole has no offset. */
static void tell(tg_json_reader *r, const tg_path *at, const char *text, const tg_diag *wrong)
{
    if (wrong->offset < 0)
        tg_json_problem(r, TG_ERR_INVALID, at, "layout \"%s\": %s", text, wrong->message);
    else
        tg_json_problem(r, TG_ERR_INVALID, at, "layout \"%s\": at offset %" PRId64 ": %s", text,
                        wrong->offset, wrong->message);
}

/* The first problem of a layout is told at the member; its offset in the text is part of it. */
static bool read_layout(tg_json_reader *r, const cJSON *item, const tg_path *at, const tg_axe **out)
{
    const char *text = tg_json_text(r, item, at);
    tg_axe *layout = text ? tg_json_take(r, 1, sizeof *layout) : NULL;
    if (!layout) return false;
    tg_diags wrong = {0};
    const tg_status status = tg_axe_read(text, strlen(text), layout, &wrong);
    if (status == TG_OK)
        *out = layout;
    else if (wrong.count == 0)
        tg_json_no_memory(r);
    else
        tell(r, at, text, &wrong.list[0]);
    tg_diags_free(&wrong);
    return status == TG_OK;
}

bool tg_json_read_space(tg_json_reader *r, const cJSON *owner, const tg_path *at, char **space,
                        const tg_axe **layout)
{
    const cJSON *named = tg_json_member(owner, "space"), *laid = tg_json_member(owner, "layout");
    bool fine = true;
    if (named) {
        *space = tg_json_text_copy(r, named, &(tg_path){.up = at, .key = "space"});
        fine = *space != NULL;
    }
    if (laid) fine &= read_layout(r, laid, &(tg_path){.up = at, .key = "layout"}, layout);
    return fine;
}
