#include "layouts/judged_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/print.h"

tg_status judge_read_shape(const char *text, tg_shape *out, tg_diags *diags)
{
    return tg_shape_read(text, strlen(text), out, diags);
}

tg_status judge_read_integer(const char *text, int64_t *out, tg_diags *diags)
{
    tg_shape one;
    TG_TRY(judge_read_shape(text, &one, diags));
    *out = one.extent[0];
    return TG_OK;
}

tg_status judge_read_axis(const char *text, tg_axis *out, tg_diags *diags)
{
    *out = tg_axis_find(text, strlen(text));
    if (*out != TG_AXIS_NONE) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no axis \"%s\"", text);
}

tg_status judge_read_dims(const char *text, uint32_t *out, tg_diags *diags)
{
    tg_shape dims;
    TG_TRY(judge_read_shape(text, &dims, diags));
    *out = 0;
    for (int i = 0; i < dims.rank; i++) *out |= UINT32_C(1) << dims.extent[i];
    return TG_OK;
}

tg_status judge_read_place(const char *text, tg_coordinate *out, tg_diags *diags)
{
    memset(out, 0, sizeof *out);
    while (*text) {
        char *end;
        tg_axis axis;
        char name[32] = "m";
        const int64_t value = strtoll(text, &end, 10);
        if (end == text) return tg_fail(diags, TG_ERR_SYNTAX, NULL, "no place: %s", text);
        size_t length = 0;
        if (*end == '@') {
            length = strcspn(++end, " ");
            if (length >= sizeof name) length = sizeof name - 1;
            memcpy(name, end, length);
            name[length] = 0;
        }
        TG_TRY(judge_read_axis(name, &axis, diags));
        out->at[axis] = value;
        text = end + length + strspn(end + length, " ");
    }
    return TG_OK;
}

void judge_print_place(const tg_coordinate *at, tg_text *out)
{
    bool begun = false;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!at->at[a]) continue;
        tg_text_add(out, "%s%" PRId64 "@%s", begun ? " " : "", at->at[a], tg_axes[a].name);
        begun = true;
    }
    if (!begun) tg_text_put(out, "0");
}

tg_status judge_print_canonical(tg_axe *axe, tg_status status, tg_text *out)
{
    if (status != TG_OK) return status;
    tg_axe_canonize(axe);
    tg_axe_print(axe, out);
    return TG_OK;
}
