#include "gpu_backend/emit/place.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "ir/op.h"

/* Writes a name from a kernel file; replaces characters that PTX strings and comments cannot
 * contain. */
static void put_name(tg_text *to, const char *name)
{
    for (const char *c = name; *c; c++) {
        const bool is_plain = (unsigned char)*c >= ' ' && *c != '"' && *c != '\\' && *c != 127;
        tg_text_add(to, "%c", is_plain ? *c : '?');
    }
}

/* The number of a file, from 1; 0 if memory runs out. */
static uint32_t number_of(tg_ptx_emitter *em, const char *file)
{
    for (uint32_t i = 0; i < em->file_count; i++)
        if (strcmp(em->files[i], file) == 0) return i + 1;
    if (!em->files)
        em->files = tg_arena_take(&em->arena, em->plan->module->loc_count, sizeof *em->files);
    if (!em->files) {
        em->status = TG_ERR_NO_MEMORY;
        return 0;
    }
    em->files[em->file_count++] = file;
    return em->file_count;
}

void tg_ptx_place(tg_ptx_emitter *em, uint32_t loc)
{
    const tg_loc *at = &em->plan->module->locs[loc];
    if (loc == em->loc) return;
    em->loc = loc;
    if (at->line > 0 && at->line <= INT32_MAX) {
        em->file = number_of(em, at->file);
        tg_text_add(&em->w.text, "    .loc %u %" PRId64 " 0\n", em->file, at->line);
    } else if (em->file) { /* line 0: the rows that follow have no source line */
        tg_text_add(&em->w.text, "    .loc %u 0 0\n", em->file);
    }
}

void tg_ptx_put_files(const tg_ptx_emitter *em, tg_text *to)
{
    for (uint32_t i = 0; i < em->file_count; i++) {
        tg_text_add(to, ".file %u \"", i + 1);
        put_name(to, em->files[i]);
        tg_text_put(to, "\"\n");
    }
}

void tg_ptx_comment(tg_ptx_emitter *em, const tg_inst *inst)
{
    const tg_loc *loc = &em->plan->module->locs[inst->loc];
    tg_text_add(&em->w.text, "\n    // %s", tg_ops[inst->op].name);
    if (loc->line) {
        tg_text_put(&em->w.text, ", ");
        put_name(&em->w.text, loc->file);
        tg_text_add(&em->w.text, ":%" PRId64, loc->line);
    }
    tg_text_put(&em->w.text, "\n");
    tg_ptx_place(em, inst->loc);
}
