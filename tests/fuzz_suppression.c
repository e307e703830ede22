/* Whatever the bytes are, reading them as suppressions ends in blocks or in diagnoses; and the blocks answer for a finding. */
#include <stdlib.h>
#include <string.h>

#include "report/suppression.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void ask(const tg_suppression_list *list)
{
    static tg_loc locs[] = {{"", "", 0}, {"some/where.py", "f", 16}, {"else.py", "g", 2}};
    static tg_param param = {.name = "o_ref"};
    const tg_module module = {.loc_count = 3, .locs = locs};
    const tg_kernel kernel = {.name = "sum_rows"};
    tg_found found = {.kind = TG_FINDING_RACE, .param = &param, .related_count = 1};
    found.at = (tg_found_place){.op = TG_OP_store, .loc = 1};
    found.related[0].at = (tg_found_place){.op = TG_OP_load, .loc = 2};
    for (size_t i = 0; i < list->count; i++)
        if (tg_suppression_covers(&list->rules[i], &module, &kernel, &found) &&
            !tg_suppression_concerns(&list->rules[i], kernel.name))
            abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    tg_diags diags = {0};
    tg_suppression_list list = {0};
    char *text = malloc(size ? size : 1); /* exactly the bytes, so that reading beyond them shows */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    const tg_status status = tg_suppression_list_read(&list, text, size, "f", &diags);
    if ((status == TG_OK) != (diags.count == 0) || (status != TG_OK && list.count)) abort();
    ask(&list);
    tg_suppression_list_free(&list);
    tg_diags_free(&diags);
    free(text);
    return 0;
}
