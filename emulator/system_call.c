#include "emulator/system_call.h"

#include <string.h>

#include "emulator/find.h"
#include "emulator/local.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/parse_body.h"
#include "emulator/print_format.h"
#include "emulator/trapping.h"

enum { MOST = 5 };

/* What a function takes and gives; in `found`, addresses of the variables in local memory. */
typedef struct system_call {
    const char *name;
    tg_emu_exec_fn *exec;
    uint8_t argument_count, result_count;
    uint8_t bytes[MOST]; /* of each argument */
    uint64_t arguments[MOST], result;
} system_call;

/* -- memory -- */

/* A byte, or an aligned number, at a generic address; NULL after a trap. */
static const unsigned char *at_generic(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                       uint64_t address, unsigned bytes)
{
    unsigned char *data;
    if (address >> TG_EMU_BLOCK_BITS == TG_EMU_LOCAL_WINDOW >> TG_EMU_BLOCK_BITS)
        return tg_emu_local_find_lane(exec, inst, lane, address - TG_EMU_LOCAL_WINDOW, bytes,
                                      TG_EMU_READ, &data)
                   ? data
                   : NULL;
    if (address >> TG_EMU_BLOCK_BITS == TG_EMU_SHARED_WINDOW >> TG_EMU_BLOCK_BITS)
        return tg_emu_find_address(exec, inst, lane, TG_EMU_SHARED, address - TG_EMU_SHARED_WINDOW,
                                   bytes, TG_EMU_READ);
    return tg_emu_find_address(exec, inst, lane, TG_EMU_GLOBAL, address, bytes, TG_EMU_READ);
}

/* Appends the characters from a generic address to a NUL.  Returns false after a trap. */
static bool read_string(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint64_t address,
                        tg_text *out)
{
    for (;; address++) {
        const unsigned char *c = at_generic(exec, inst, lane, address, 1);
        if (!c) return false;
        if (!*c) return true;
        tg_text_put_bytes(out, (const char *)c, 1);
    }
}

/* An argument of the call.  Returns false after a trap. */
static bool read_argument(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, unsigned i,
                          uint64_t *out)
{
    const system_call *call = inst->data;
    unsigned char *data;
    if (!tg_emu_local_find_lane(exec, inst, lane, call->arguments[i], call->bytes[i], TG_EMU_READ,
                                &data))
        return false;
    *out = 0;
    memcpy(out, data, call->bytes[i]);
    return true;
}

static bool read_string_argument(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                 unsigned i, tg_text *out)
{
    uint64_t address;
    return read_argument(exec, inst, lane, i, &address) &&
           read_string(exec, inst, lane, address, out);
}

/* -- vprintf: its second argument points to the values, each aligned to its size -- */

typedef struct values {
    tg_emu_exec *exec;
    const tg_emu_inst *inst;
    unsigned lane;
    uint64_t next;
} values;

static bool next_value(void *context, unsigned bytes, uint64_t *out)
{
    values *v = context;
    const uint64_t address = (v->next + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *data = at_generic(v->exec, v->inst, v->lane, address, bytes);
    if (!data) return false;
    v->next = address + bytes;
    *out = 0;
    memcpy(out, data, bytes);
    return true;
}

static bool next_string(void *context, tg_text *out)
{
    values *v = context;
    uint64_t address;
    return next_value(v, sizeof address, &address) &&
           read_string(v->exec, v->inst, v->lane, address, out);
}

/* Returns false after a trap, or without memory. */
static bool print_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, tg_text *format,
                       tg_text *out)
{
    const system_call *call = inst->data;
    values v = {.exec = exec, .inst = inst, .lane = lane};
    const tg_emu_print_values from = {next_value, next_string, &v};
    unsigned char *result;
    size_t problem;
    if (!read_string_argument(exec, inst, lane, 0, format) ||
        !read_argument(exec, inst, lane, 1, &v.next))
        return false;
    const char *text = format->data ? format->data : "";
    const int count = tg_emu_print_format(text, &from, out, &problem);
    if (count == TG_EMU_PRINT_UNKNOWN)
        (void)tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_PRINT,
                             "vprintf has no conversion %.8s", text + problem);
    if (count < 0) return false;
    if (call->result_count == 0) return true;
    if (!tg_emu_local_find_lane(exec, inst, lane, call->result, sizeof count, TG_EMU_WRITE,
                                &result))
        return false;
    memcpy(result, &count, sizeof count);
    return true;
}

static tg_emu_step exec_vprintf(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        tg_text format = {0}, out = {0};
        if (!(mask >> lane & 1)) continue;
        const bool is_done = print_lane(exec, inst, lane, &format, &out);
        if (is_done && out.length && exec->launch->print)
            exec->launch->print(exec->launch->context, out.data, out.length);
        exec->no_memory |= format.failed || out.failed;
        tg_text_drop(&format);
        tg_text_drop(&out);
        if (!is_done || exec->no_memory) return TG_EMU_TRAPPED;
    }
    return TG_EMU_ON;
}

/* -- __assertfail: message, file, line, function, bytes of a character -- */

static tg_emu_step exec_assertfail(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const unsigned lane = tg_emu_first_lane(mask);
    tg_text message = {0}, file = {0};
    uint64_t line;
    if (read_string_argument(exec, inst, lane, 0, &message) &&
        read_string_argument(exec, inst, lane, 1, &file) &&
        read_argument(exec, inst, lane, 2, &line))
        (void)tg_emu_trap_at(exec, inst, mask, TG_EMU_TRAP_ASSERTION, "%s (%s:%u)",
                             message.data ? message.data : "", file.data ? file.data : "",
                             (unsigned)line);
    tg_text_drop(&message);
    tg_text_drop(&file);
    return TG_EMU_TRAPPED;
}

/* -- the call -- */

static tg_status take(tg_emu_parser *p, const tg_emu_argument *argument, size_t bytes,
                      uint64_t *out)
{
    TG_TRY(tg_emu_check_argument(p, argument, bytes));
    *out = argument->symbol->address;
    return TG_OK;
}

static tg_status add(tg_emu_parser *p, const tg_emu_call *call, const system_call *as,
                     const tg_emu_inst *inst)
{
    system_call *data = tg_arena_copy(&p->module->arena, as, sizeof *as);
    if (!data) return tg_emu_no_memory(p);
    if (call->arguments.count != as->argument_count || call->results.count > as->result_count)
        return tg_emu_fail_counts(p, call, as->argument_count, as->result_count);
    for (size_t i = 0; i < as->argument_count; i++)
        TG_TRY(take(p, &call->arguments.list[i], as->bytes[i], &data->arguments[i]));
    data->result_count = (uint8_t)call->results.count;
    if (data->result_count)
        TG_TRY(take(p, &call->results.list[0], sizeof(uint32_t), &data->result));
    tg_emu_inst made = *inst;
    made.exec = as->exec;
    made.data = data;
    made.flags = TG_EMU_MEMORY_OF(TG_EMU_GLOBAL, 1, 1);
    return tg_emu_add_inst(p, &made, &call->name);
}

tg_status tg_emu_add_system_call(tg_emu_parser *p, const tg_emu_call *call, const tg_emu_inst *inst)
{
    static const system_call calls[] = {{.name = "vprintf",
                                         .exec = exec_vprintf,
                                         .argument_count = 2,
                                         .result_count = 1,
                                         .bytes = {8, 8}},
                                        {.name = "__assertfail",
                                         .exec = exec_assertfail,
                                         .argument_count = 5,
                                         .bytes = {8, 8, 4, 8, 8}}};
    char text[TG_EMU_TOKEN_TEXT];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (tg_emu_is(&call->name, TG_EMU_TOKEN_NAME, calls[i].name))
            return add(p, call, &calls[i], inst);
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &call->name,
                          "%s has no body in this text, and of the functions without one only "
                          "vprintf and __assertfail are understood",
                          tg_emu_token_text(&call->name, text));
}
