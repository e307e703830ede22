/* Writes the block that suppresses a finding. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/suppression.h"

/* Puts a text as the pattern that matches only that text; characters that a line of a suppression
 * file cannot hold become '?'. */
static void put_pattern(tg_text *out, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        const bool is_edge = i == 0 || i + 1 == length; /* the reader removes blanks there */
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f || (text[i] == ' ' && is_edge))
            tg_text_put(out, "?");
        else if (strchr("*?\\", text[i]))
            tg_text_add(out, "\\%c", text[i]);
        else
            tg_text_put_bytes(out, &text[i], 1);
    }
}

static void put_key(tg_text *out, const char *key, const char *text)
{
    if (!text[0]) return;
    tg_text_add(out, "    %s: ", key);
    put_pattern(out, text);
    tg_text_put(out, "\n");
}

/* Puts only the last part of an absolute path, because the directory of a source tree differs
 * between machines. */
static void put_place(tg_text *out, const char *key, const tg_loc *loc)
{
    if (!loc->file[0] || loc->line < 1) return;
    tg_text_add(out, "    %s: ", key);
    put_pattern(out, loc->file[0] == '/' ? strrchr(loc->file, '/') + 1 : loc->file);
    tg_text_add(out, ":%" PRId64 "\n", loc->line);
}

char *tg_suppression_print(const tg_module *module, const tg_kernel *kernel, const tg_found *found)
{
    tg_text out = {0};
    const char *kind = tg_finding_infos[found->kind].name;
    tg_text_add(&out, "{\n    %s in ", kind);
    put_pattern(&out, kernel->name);
    tg_text_put(&out, "\n");
    put_key(&out, "kind", kind);
    put_key(&out, "kernel", kernel->name);
    put_key(&out, "op", found->at.op == TG_OP_COUNT ? "" : tg_ops[found->at.op].name);
    put_key(&out, "param", found->param ? found->param->name : "");
    if (found->is_partial) put_key(&out, "written", "part");
    put_place(&out, "at", &module->locs[found->at.loc]);
    if (found->related_count) put_place(&out, "other", &module->locs[found->related[0].at.loc]);
    tg_text_put(&out, "}\n");
    return tg_text_finish(&out);
}
