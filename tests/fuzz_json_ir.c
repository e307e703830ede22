/* Whatever the bytes are, loading them ends in a module or a diagnosis; and what is printed of a
 * module loads again and prints the same. */
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "loaders/json_ir.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static tg_module *load(const char *text, size_t length, tg_diags *diags)
{
    tg_module *module;
    tg_status status = tg_json_load(text, length, &module, diags);
    if ((status == TG_OK) != (module != NULL)) abort();
    if ((status == TG_OK) != (diags->count == 0)) abort();
    return module;
}

/* Each diagnosis points into the text. */
static void check_diags(const tg_diags *diags, size_t length)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->list[i].offset < 0 || (size_t)diags->list[i].offset > length) abort();
}

static void check_round_trip(const tg_module *module)
{
    tg_diags diags = {0};
    char *first = tg_print_json(module), *text = tg_print_text(module);
    if (!first || !text) abort();
    tg_module *again = load(first, strlen(first), &diags);
    if (!again) abort();
    char *second = tg_print_json(again);
    if (!second || strcmp(first, second) != 0) abort();
    tg_module_destroy(again);
    tg_diags_free(&diags);
    free(first);
    free(second);
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    tg_diags diags = {0};
    char *text = malloc(size ? size : 1); /* exactly the bytes, so that reading beyond them shows */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    tg_module *module = load(text, size, &diags);
    if (module)
        check_round_trip(module);
    else
        check_diags(&diags, size);
    tg_module_destroy(module);
    tg_diags_free(&diags);
    free(text);
    return 0;
}
