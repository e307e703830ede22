/* Whatever the bytes are, reading them as a layout, as text and as JSON, ends in a layout or in diagnoses; what was
 * read is printed as what reads as the same. */
#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/print.h"
#include "layout/read.h"
#include "loaders/layout_json.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef tg_status reads(const char *text, size_t length, tg_axe *out, tg_diags *diags);
typedef void prints(const tg_axe *axe, tg_text *out);

static void read_and_print(const char *text, size_t size, reads *read, prints *print)
{
    tg_axe axe, again;
    tg_diags diags = {0};
    if (read(text, size, &axe, &diags) == TG_OK) {
        tg_text out = {0};
        bool equal = false;
        print(&axe, &out);
        char *printed = tg_text_finish(&out);
        if (!printed || read(printed, strlen(printed), &again, NULL) != TG_OK) abort();
        if (tg_axe_equal(&axe, &again, &equal, NULL) == TG_OK && !equal) abort();
        tg_axe_canonize(&again);
        if (tg_axe_check(&again, NULL) != TG_OK) abort();
        free(printed);
    } else if (!diags.count) {
        abort();
    }
    tg_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size ? size : 1); /* exactly the bytes, so that reading beyond them shows */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    read_and_print(text, size, tg_axe_read, tg_axe_print);
    read_and_print(text, size, tg_axe_read_json, tg_axe_print_json);
    free(text);
    return 0;
}
