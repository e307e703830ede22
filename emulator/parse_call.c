#include "emulator/parse_call.h"

#include "emulator/call.h"
#include "emulator/call_scope.h"
#include "emulator/function.h"
#include "emulator/operands.h"
#include "emulator/parse_body.h"
#include "emulator/parse_variable.h"
#include "emulator/system_call.h"
#include "emulator/warp.h"

/* MOST_CALLS also bounds calls of functions without instructions. */
enum { MOST_DEPTH = 32, MOST_CALLS = 1 << 14 };

/* -- the call as written -- */

static tg_status parse_argument(tg_emu_parser *p, tg_emu_arguments *out)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_argument one = {.token = p->reader.token};
    tg_emu_found found = {0};
    if (out->count == TG_EMU_MAX_ARGUMENTS)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &one.token, "more than %d arguments",
                              TG_EMU_MAX_ARGUMENTS);
    if (one.token.kind == TG_EMU_TOKEN_NAME) TG_TRY(tg_emu_look_up(p, &one.token, &found));
    if (!found.symbol || !found.symbol->is_param)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &one.token,
                              "%s is no .param variable, which alone is passed to functions here",
                              tg_emu_token_text(&one.token, text));
    one.symbol = found.symbol;
    out->list[out->count++] = one;
    return tg_emu_next(&p->reader);
}

/* (a, b) */
static tg_status parse_arguments(tg_emu_parser *p, tg_emu_arguments *out)
{
    TG_TRY(tg_emu_expect(&p->reader, '('));
    while (!tg_emu_is_mark(&p->reader.token, ')')) {
        if (out->count) TG_TRY(tg_emu_expect(&p->reader, ','));
        TG_TRY(parse_argument(p, out));
    }
    return tg_emu_next(&p->reader);
}

/* {(results),} name {, (arguments)} */
static tg_status parse_written(tg_emu_parser *p, tg_emu_call *out)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (tg_emu_is_mark(&p->reader.token, '(')) {
        TG_TRY(parse_arguments(p, &out->results));
        TG_TRY(tg_emu_expect(&p->reader, ','));
    }
    out->name = p->reader.token;
    if (out->name.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &out->name,
                              "expected the name of a function before %s",
                              tg_emu_token_text(&out->name, text));
    if (out->name.text[0] == '%')
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &out->name,
                              "a call of a function whose address is in a register");
    TG_TRY(tg_emu_next(&p->reader));
    if (!tg_emu_is_mark(&p->reader.token, ',')) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    return parse_arguments(p, &out->arguments);
}

/* -- the function -- */

/* Gives a variable of the call the name of the function's parameter. */
static tg_status bind(tg_emu_parser *p, const tg_emu_declared *d, const tg_emu_argument *to)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_symbol symbol = *to->symbol;
    const size_t bytes = d->is_open ? 0 : d->count * tg_emu_types[d->type].bytes;
    TG_TRY(tg_emu_check_argument(p, to, bytes));
    if (symbol.address % d->alignment)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &to->token, "%s lacks the alignment %zu",
                              tg_emu_token_text(&to->token, text), d->alignment);
    symbol.name = d->name.text;
    symbol.length = d->name.length;
    return tg_emu_names_add(&p->names, &symbol) ? TG_OK : tg_emu_no_memory(p);
}

/* (.param .b32 a, .param .b64 b) */
static tg_status bind_all(tg_emu_parser *p, const tg_emu_arguments *to, size_t *count)
{
    *count = 0;
    if (!tg_emu_is_mark(&p->reader.token, '(')) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    while (!tg_emu_is_mark(&p->reader.token, ')')) {
        tg_emu_declared declared;
        if (*count) TG_TRY(tg_emu_expect(&p->reader, ','));
        if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "param"))
            return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &p->reader.token,
                                  "parameters of functions are .param variables here");
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_declared(p, &declared));
        if (*count < to->count) TG_TRY(bind(p, &declared, &to->list[*count]));
        ++*count;
    }
    return tg_emu_next(&p->reader);
}

/* From behind .func to the end of the body. */
static tg_status parse_function(tg_emu_parser *p, const tg_emu_call *call)
{
    size_t results, arguments;
    TG_TRY(bind_all(p, &call->results, &results));
    TG_TRY(tg_emu_next(&p->reader)); /* its name */
    TG_TRY(bind_all(p, &call->arguments, &arguments));
    if (results != call->results.count || arguments != call->arguments.count)
        return tg_emu_fail_counts(p, call, arguments, results);
    TG_TRY(tg_emu_pass_attributes(p));
    return tg_emu_parse_block(p);
}

/* -- in place of the call -- */

static tg_status check_depth(tg_emu_parser *p, const tg_emu_call *call,
                             const tg_emu_function *function)
{
    char text[TG_EMU_TOKEN_TEXT];
    unsigned depth = 0;
    for (const tg_emu_inlined *at = p->inlined; at; at = at->caller, depth++)
        if (at->function == function)
            return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &call->name, "%s calls itself",
                                  tg_emu_token_text(&call->name, text));
    if (depth == MOST_DEPTH || ++p->calls > MOST_CALLS)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &call->name,
                              "calls more than %d deep, or more than %d of them", MOST_DEPTH,
                              MOST_CALLS);
    return TG_OK;
}

/* Lets the function's `ret` go on behind its body. */
static void resolve_returns(tg_emu_parser *p, const tg_emu_inlined *inlined)
{
    for (uint32_t at = inlined->last_return; at != TG_EMU_NO_RETURN;) {
        tg_emu_inst *inst = &p->entry->code[at];
        at = inst->target;
        inst->target = (uint32_t)p->entry->code_count;
    }
}

/* Parses the body where the reader of the function is, with none of the caller's names. */
static tg_status put_body(tg_emu_parser *p, const tg_emu_call *call,
                          const tg_emu_function *function)
{
    tg_emu_inlined inlined = {function, p->inlined, TG_EMU_NO_RETURN};
    const tg_emu_reader reader = p->reader;
    const unsigned floor = p->names.floor;
    const size_t first_pending = p->first_pending;
    const uint32_t file = p->source_file, line = p->source_line;
    TG_TRY(check_depth(p, call, function));
    p->inlined = &inlined;
    p->reader = function->reader;
    p->first_pending = p->pending_count;
    tg_emu_names_open(&p->names);
    p->names.floor = p->names.depth;
    const tg_status status = parse_function(p, call);
    p->inlined = inlined.caller;
    TG_TRY(status);
    resolve_returns(p, &inlined);
    tg_emu_names_close(&p->names);
    p->names.floor = floor;
    p->first_pending = first_pending;
    p->reader = reader;
    p->source_file = file;
    p->source_line = line;
    return TG_OK;
}

/* @p call ...: a branch over the body for the threads that do not call.  Its index is *out. */
static tg_status skip_body(tg_emu_parser *p, const tg_emu_inst *inst, const tg_emu_token *at,
                           uint32_t *out)
{
    tg_emu_inst branch = *inst;
    branch.is_guard_flipped = !inst->is_guard_flipped;
    branch.exec = tg_emu_exec_branch;
    branch.is_control = true;
    *out = (uint32_t)p->entry->code_count;
    return tg_emu_add_inst(p, &branch, at);
}

/* The body, and before it the instruction that begins the call. */
static tg_status put_function(tg_emu_parser *p, const tg_emu_call *call,
                              const tg_emu_function *function)
{
    const tg_emu_entry *e = p->entry;
    tg_emu_call_scope *scope = tg_arena_take(&p->module->arena, 1, sizeof *scope);
    if (!scope) return tg_emu_no_memory(p);
    const tg_emu_inst begin = {.exec = tg_emu_exec_begin_call,
                               .data = scope,
                               .line = call->name.line,
                               .column = call->name.column,
                               .source_file = p->source_file,
                               .source_line = p->source_line};
    TG_TRY(tg_emu_add_inst(p, &begin, &call->name));
    scope->first_register = e->register_count;
    scope->local_offset = e->local_bytes;
    TG_TRY(put_body(p, call, function));
    scope->register_count = e->register_count - scope->first_register;
    scope->local_bytes = e->local_bytes - scope->local_offset;
    return TG_OK;
}

tg_status tg_emu_parse_call(tg_emu_parser *p, const tg_emu_statement *s, const tg_emu_inst *inst)
{
    tg_emu_call call = {0};
    const tg_emu_function *function;
    uint32_t skip = 0;
    if (s->modifier_count > 1 ||
        (s->modifier_count && !tg_emu_is(&s->modifiers[0], TG_EMU_TOKEN_DOT, "uni")))
        return tg_emu_unknown(p, s);
    TG_TRY(parse_written(p, &call));
    TG_TRY(tg_emu_function_find(p, &call.name, &function));
    if (!function) return tg_emu_add_system_call(p, &call, inst);
    if (inst->is_guarded) TG_TRY(skip_body(p, inst, &s->opcode, &skip));
    TG_TRY(put_function(p, &call, function));
    if (inst->is_guarded) p->entry->code[skip].target = (uint32_t)p->entry->code_count;
    return TG_OK;
}
