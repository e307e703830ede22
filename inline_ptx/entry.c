#include "inline_ptx/entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/load.h"
#include "emulator/lines.h"
#include "inline_ptx/body.h"
#include "inline_ptx/check.h"

static const char head[] = ".version 8.6\n"
                           ".target sm_90a\n"
                           ".address_size 64\n"
                           ".visible .entry inline_ptx(.param .u64 operands, .param .u64 results,\n"
                           "    .param .u32 instances, .param .u32 first, .param .u32 end)\n"
                           "{\n"
                           "    .reg .pred %outside;\n"
                           "    .reg .b32 %instances, %end, %number, %block, %size, %index;\n"
                           "    .reg .b64 %operands, %results, %at;\n"
                           "    ld.param.u64 %operands, [operands];\n"
                           "    ld.param.u64 %results, [results];\n"
                           "    ld.param.u32 %instances, [instances];\n"
                           "    ld.param.u32 %number, [first];\n"
                           "    ld.param.u32 %end, [end];\n"
                           "    mov.u32 %block, %ctaid.x;\n"
                           "    mov.u32 %size, %ntid.x;\n"
                           "    mov.u32 %index, %tid.x;\n"
                           "    mad.lo.u32 %index, %block, %size, %index;\n"
                           "    add.u32 %number, %number, %index;\n"
                           "    setp.ge.u32 %outside, %number, %end;\n"
                           "    @%outside ret;\n";

/* The address of the cell of register `number` of an array. */
static void put_address(tg_text *to, const char *array, uint32_t number)
{
    tg_text_add(to, "    mad.lo.u32 %%index, %%instances, %" PRIu32 ", %%number;\n", number);
    tg_text_add(to, "    mad.wide.u32 %%at, %%index, 8, %s;\n", array);
}

static char *entry_text(const tg_inline_ptx *ptx, tg_inline_ptx_entry *out)
{
    tg_text text = {0};
    tg_text_put(&text, head);
    tg_inline_ptx_declare(ptx, &text);
    for (uint32_t i = ptx->out_register_count; i < ptx->register_count; i++) {
        put_address(&text, "%operands", i - ptx->out_register_count);
        tg_text_add(&text, "    ld.global.b%u $%" PRIu32 ", [%%at];\n", ptx->registers[i].bits, i);
    }
    out->first_line = tg_inline_ptx_put(ptx, &text);
    out->last_line = out->first_line;
    for (const char *at = ptx->text; *at; at++) out->last_line += *at == '\n';
    for (uint32_t i = 0; i < ptx->out_register_count; i++) {
        put_address(&text, "%results", i);
        tg_text_add(&text, "    st.global.b%u [%%at], $%" PRIu32 ";\n", ptx->registers[i].bits, i);
    }
    tg_text_put(&text, "    ret;\n}\n");
    return tg_text_finish(&text);
}

/* The emulator says "LINE:COLUMN: MESSAGE" of the whole text. */
static void tell(const tg_inline_ptx_entry *entry, const tg_diags *diags, char *problem)
{
    unsigned line = 0;
    int used = 0;
    const char *message = diags->count ? diags->list[0].message : "the text cannot be read";
    if (sscanf(message, "%u:%*u: %n", &line, &used) == 1 && line >= entry->first_line)
        snprintf(problem, TG_INLINE_PTX_PROBLEM, "line %u of the text: %s",
                 line - entry->first_line + 1, message + used);
    else
        snprintf(problem, TG_INLINE_PTX_PROBLEM, "%s", message);
}

tg_status tg_inline_ptx_load(const tg_inline_ptx *ptx, tg_inline_ptx_entry *out,
                             char problem[TG_INLINE_PTX_PROBLEM])
{
    *out = (tg_inline_ptx_entry){0};
    TG_TRY(tg_inline_ptx_check(ptx, problem));
    char *text = entry_text(ptx, out);
    tg_diags diags = {0};
    tg_status status = text ? tg_emu_module_load(text, strlen(text), NULL, &out->module, &diags)
                            : TG_ERR_NO_MEMORY;
    if (status != TG_OK) tell(out, &diags, problem);
    free(text);
    tg_diags_free(&diags);
    const uint32_t line =
        status == TG_OK ? tg_emu_line_special(out->module, out->first_line, out->last_line) : 0;
    if (!line) return status;
    snprintf(problem, TG_INLINE_PTX_PROBLEM,
             "line %u of the text: which thread an element belongs to is not said here, so that a "
             "special register "
             "has no value",
             line - out->first_line + 1);
    tg_emu_module_free(out->module);
    out->module = NULL;
    return TG_ERR_UNSUPPORTED;
}
