/* The instructions mov, cvta, ld and st. */
#include "emulator/decode_memory.h"

#include <assert.h>
#include <string.h>

#include "emulator/decoders.h"
#include "emulator/exec_memory.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/parse_register.h"

/* -- addresses -- */

static tg_status check_variable(tg_emu_parser *p, const tg_emu_operand *o, const tg_emu_symbol *v,
                                tg_emu_space space, unsigned bytes)
{
    static const char *const names[] = {".global", ".const", ".shared", ".param", ".local"};
    char text[TG_EMU_TOKEN_TEXT];
    if (v->space != space)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "%s is in %s memory, not %s",
                              tg_emu_token_text(&o->token, text),
                              names[v->is_param ? TG_EMU_PARAM : v->space], names[space]);
    if (v->is_dynamic) return TG_OK;
    if (o->offset < 0 || (uint64_t)o->offset + bytes > v->bytes)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &o->token,
                              "%u bytes at offset %lld of %s, which has %zu", bytes,
                              (long long)o->offset, tg_emu_token_text(&o->token, text), v->bytes);
    return TG_OK;
}

/* Whether addresses in the space may have 32 bits. */
static bool is_short(tg_emu_space space) { return space == TG_EMU_SHARED || space == TG_EMU_LOCAL; }

tg_status tg_emu_address(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_space space,
                         unsigned bytes, tg_emu_inst *inst)
{
    tg_emu_found found;
    char text[TG_EMU_TOKEN_TEXT];
    if (o->kind != TG_EMU_OPERAND_ADDRESS)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected an address in brackets");
    if (o->element_count)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->elements[0].token,
                              "coordinates belong to copies of tensors");
    TG_TRY(tg_emu_look_up(p, &o->token, &found));
    const tg_emu_symbol *symbol = found.symbol;
    inst->immediate = o->offset;
    if (symbol->kind == TG_EMU_SYMBOL_VARIABLE || symbol->kind == TG_EMU_SYMBOL_PARAM) {
        TG_TRY(check_variable(p, o, symbol, space, bytes));
        inst->immediate += (int64_t)symbol->address;
        if (symbol->is_dynamic) TG_TRY(tg_emu_use_dynamic(p, UINT32_MAX, 0));
        return tg_emu_constant_slot(p, 0, 8, &inst->in[inst->in_count++]);
    }
    if (space == TG_EMU_PARAM || symbol->kind == TG_EMU_SYMBOL_LABEL)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "%s is no variable of .param memory",
                              tg_emu_token_text(&o->token, text));
    const tg_emu_type_info *type = &tg_emu_types[symbol->type];
    bool is_narrow = type->bytes == 4 && is_short(space);
    if (type->kind == 'f' || type->kind == 'p' || (type->bytes != 8 && !is_narrow))
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token,
                              "%s is a register of type .%s, which is no address",
                              tg_emu_token_text(&o->token, text), type->name);
    if (is_narrow) inst->flags |= TG_EMU_MEMORY_NARROW;
    inst->in[inst->in_count++] = found.slot;
    return TG_OK;
}

/* -- mov -- */

static tg_status mov_special(tg_emu_parser *p, const tg_emu_statement *s, tg_emu_type type,
                             tg_emu_slot *out)
{
    static const struct {
        const char *name;
        bool has_axes;
        uint32_t first;
    } specials[] = {{"%tid", true, TG_EMU_TID},
                    {"%ntid", true, TG_EMU_NTID},
                    {"%ctaid", true, TG_EMU_CTAID},
                    {"%nctaid", true, TG_EMU_NCTAID},
                    {"%laneid", false, TG_EMU_LANEID},
                    {"%warpid", false, TG_EMU_WARPID},
                    {"%clusterid", true, TG_EMU_CLUSTERID},
                    {"%nclusterid", true, TG_EMU_NCLUSTERID},
                    {"%cluster_ctaid", true, TG_EMU_CLUSTER_CTAID},
                    {"%cluster_nctaid", true, TG_EMU_CLUSTER_NCTAID},
                    {"%cluster_ctarank", false, TG_EMU_CLUSTER_CTARANK},
                    {"%cluster_nctarank", false, TG_EMU_CLUSTER_NCTARANK}};
    const tg_emu_operand *o = &s->operands[1];
    char text[TG_EMU_TOKEN_TEXT];
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (!tg_emu_is(&o->token, TG_EMU_TOKEN_NAME, specials[i].name)) continue;
        uint32_t axis = 0;
        if (specials[i].has_axes != (o->member.kind == TG_EMU_TOKEN_DOT)) break;
        if (specials[i].has_axes) {
            if (o->member.length != 1 || o->member.text[0] < 'x' || o->member.text[0] > 'z') break;
            axis = (uint32_t)(o->member.text[0] - 'x');
        }
        if (tg_emu_types[type].bytes != 4 || tg_emu_types[type].kind == 'f')
            return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "special registers are 32 bits wide");
        *out = (tg_emu_slot){TG_EMU_FRAME, (specials[i].first + axis) * TG_EMU_SPECIAL_BYTES, 0};
        return TG_OK;
    }
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &o->token,
                          "%s is not among the special registers that are understood",
                          tg_emu_token_text(&o->token, text));
}

/* The address of a variable in its own space. */
static tg_status mov_variable(tg_emu_parser *p, const tg_emu_operand *o, const tg_emu_symbol *v,
                              tg_emu_type type, tg_emu_slot *out)
{
    unsigned bytes = tg_emu_types[type].bytes;
    if (tg_emu_types[type].kind == 'f' || !(bytes == 8 || (bytes == 4 && is_short(v->space))))
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "an address has 64 bits%s",
                              v->space == TG_EMU_SHARED ? ", in shared memory also 32" : "");
    if (!v->is_dynamic) return tg_emu_constant_slot(p, v->address, bytes, out);
    memset(p->recent, 0,
           sizeof p->recent); /* this constant changes later: no other operand may share it */
    TG_TRY(tg_emu_constant_slot(p, 0, bytes, out));
    memset(p->recent, 0, sizeof p->recent);
    return tg_emu_use_dynamic(p, out->offset, bytes);
}

/* Which registers a pack reads: it checks by itself whether they have been written. */
static tg_status keep_registers(tg_emu_parser *p, tg_emu_inst *inst)
{
    uint32_t *registers = tg_arena_take(&p->module->arena, inst->in_count, sizeof *registers);
    if (!registers) return tg_emu_no_memory(p);
    for (unsigned i = 0; i < inst->in_count; i++) {
        registers[i] = inst->in[i].reg;
        inst->in[i].reg = 0;
    }
    inst->data = registers;
    return TG_OK;
}

/* A part of an unpacked register; _ is nowhere. */
static tg_status part_out(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type part,
                          tg_emu_inst *inst)
{
    if (o->kind != TG_EMU_OPERAND_SINK) return tg_emu_out(p, o, part, inst);
    return tg_emu_new_register(p, part, &o->token, &inst->out[inst->out_count++]);
}

/* mov.b64 d, {a, b} and mov.b64 {a, b}, d; also b16 and b32, and four elements */
static tg_status mov_vector(tg_emu_parser *p, tg_emu_statement *s, tg_emu_type type, bool packs,
                            tg_emu_inst *inst)
{
    const tg_emu_operand *vector = &s->operands[packs ? 1 : 0],
                         *whole = &s->operands[packs ? 0 : 1];
    unsigned count = (unsigned)vector->element_count,
             bytes = tg_emu_types[type].bytes / (count ? count : 1);
    tg_emu_type part = bytes == 4 ? TG_EMU_B32 : bytes == 2 ? TG_EMU_B16 : TG_EMU_B8;
    if (tg_emu_types[type].kind != 'b' || !(count == 2 || count == 4) || bytes < 1 || bytes > 4)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &vector->token, "'%s' has no vector of %u elements",
                              s->name, count);
    for (unsigned i = 0; i < count; i++)
        TG_TRY(packs ? tg_emu_in(p, &vector->elements[i], part, inst)
                     : part_out(p, &vector->elements[i], part, inst));
    inst->exec = packs ? tg_emu_exec_pack : tg_emu_exec_unpack;
    inst->flags = bytes;
    if (packs) TG_TRY(keep_registers(p, inst));
    return packs ? tg_emu_out(p, whole, type, inst) : tg_emu_in(p, whole, type, inst);
}

tg_status tg_emu_decode_mov(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const copies[] = {
        [0] = "mov.pred", [2] = "mov.b16", [4] = "mov.b32", [8] = "mov.b64"};
    tg_emu_type type = tg_emu_take_type(s);
    TG_TRY(tg_emu_all_taken(p, s));
    if (type == TG_EMU_NONE || tg_emu_types[type].bytes == 1 || type == TG_EMU_F16 ||
        type == TG_EMU_BF16)
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_want_operands(p, s, 2));
    const tg_emu_operand *from = &s->operands[1];
    if (from->kind == TG_EMU_OPERAND_VECTOR) return mov_vector(p, s, type, true, inst);
    if (s->operands[0].kind == TG_EMU_OPERAND_VECTOR) return mov_vector(p, s, type, false, inst);
    inst->exec = tg_emu_form_find(p->isa, copies[tg_emu_types[type].bytes])->exec;
    TG_TRY(tg_emu_out(p, &s->operands[0], type, inst));
    tg_emu_found found = {NULL, {0, 0, 0}};
    if (from->kind == TG_EMU_OPERAND_NAME) {
        found = tg_emu_names_find(&p->names, from->token.text, from->token.length);
        if (!found.symbol && from->token.text[0] == '%' && !from->is_flipped &&
            from->second.kind == TG_EMU_TOKEN_END) {
            static const char *const plain[] = {"%laneid", "%warpid", "%cluster_ctarank",
                                                "%cluster_nctarank"};
            bool is_special = from->member.kind == TG_EMU_TOKEN_DOT;
            for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
                is_special |= tg_emu_is(&from->token, TG_EMU_TOKEN_NAME, plain[i]);
            if (is_special) return mov_special(p, s, type, &inst->in[inst->in_count++]);
        }
    }
    if (found.symbol && found.symbol->kind == TG_EMU_SYMBOL_VARIABLE)
        return mov_variable(p, from, found.symbol, type, &inst->in[inst->in_count++]);
    return tg_emu_in(p, from, type, inst);
}

/* -- cvta -- converts between generic addresses and those of a space; for global and constant
 * memory they are the same. */

tg_status tg_emu_decode_cvta(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool is_to = tg_emu_take(s, "to"), is_shared = tg_emu_take(s, "shared"),
               is_local = !is_shared && tg_emu_take(s, "local");
    const uint64_t window = is_local ? TG_EMU_LOCAL_WINDOW : TG_EMU_SHARED_WINDOW;
    if (!is_shared && !is_local && !tg_emu_take(s, "global") && !tg_emu_take(s, "const"))
        return tg_emu_unknown(p, s);
    if (!tg_emu_take(s, "u64")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 2));
    TG_TRY(tg_emu_out(p, &s->operands[0], TG_EMU_U64, inst));
    TG_TRY(tg_emu_in(p, &s->operands[1], TG_EMU_U64, inst));
    inst->exec =
        is_shared || is_local ? tg_emu_exec_offset : tg_emu_form_find(p->isa, "mov.b64")->exec;
    inst->immediate = (int64_t)(is_to ? UINT64_C(0) - window : window);
    return TG_OK;
}

/* -- ld and st -- */

typedef struct memory_form {
    tg_emu_space space;
    tg_emu_type type;
    unsigned count; /* elements of a vector */
    bool is_strong, is_cluster, has_policy;
} memory_form;

bool tg_emu_take_scope(tg_emu_statement *s)
{
    return tg_emu_take(s, "cta") || tg_emu_take(s, "cluster") || tg_emu_take(s, "gpu") ||
           tg_emu_take(s, "sys");
}

bool tg_emu_take_shared(tg_emu_statement *s, bool *is_cluster)
{
    *is_cluster = tg_emu_take(s, "shared::cluster");
    return *is_cluster || tg_emu_take(s, "shared") || tg_emu_take(s, "shared::cta");
}

static bool take_space(tg_emu_statement *s, bool is_load, memory_form *form)
{
    tg_emu_space *out = &form->space;
    *out = TG_EMU_GLOBAL;
    if (tg_emu_take(s, "global")) return true;
    *out = TG_EMU_SHARED;
    if (tg_emu_take_shared(s, &form->is_cluster)) return true;
    *out = TG_EMU_LOCAL;
    if (tg_emu_take(s, "local")) return true;
    *out = TG_EMU_PARAM;
    if (tg_emu_take(s, "param")) return true;
    *out = TG_EMU_CONST;
    return is_load && tg_emu_take(s, "const");
}

/* {.ca, .cg, ...}{.nc}{.L1::...}{.L2::...}: hints to caches, of which only .L2::cache_hint takes an operand */
static void take_cache(tg_emu_statement *s, bool may_be_nc, bool is_load, memory_form *out)
{
    static const char *const of_loads[] = {"ca", "cg", "cs", "lu", "cv"},
                             *const of_stores[] = {"wb", "cg", "cs", "wt", "wb"},
                             *const hints[] = {"L1::evict_normal", "L1::evict_unchanged",
                                               "L1::evict_first",  "L1::evict_last",
                                               "L1::no_allocate",  "L2::evict_normal",
                                               "L2::evict_first",  "L2::evict_last",
                                               "L2::64B",          "L2::128B",
                                               "L2::256B"};
    for (size_t i = 0; i < sizeof of_loads / sizeof *of_loads; i++)
        if (tg_emu_take(s, is_load ? of_loads[i] : of_stores[i])) break;
    if (may_be_nc) (void)tg_emu_take(s, "nc");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) (void)tg_emu_take(s, hints[i]);
    out->has_policy = tg_emu_take(s, "L2::cache_hint");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) (void)tg_emu_take(s, hints[i]);
}

tg_status tg_emu_take_policy(tg_emu_parser *p, const tg_emu_operand *o)
{
    tg_emu_slot slot;
    return tg_emu_slot_in(p, o, TG_EMU_B64, &slot);
}

/* ld{.volatile | .relaxed.SCOPE}.SPACE{.nc}{.v2 | .v4}.TYPE */
static tg_status take_memory_form(tg_emu_parser *p, tg_emu_statement *s, bool is_load,
                                  memory_form *out)
{
    *out = (memory_form){.count = 1};
    if (tg_emu_take(s, "volatile"))
        out->is_strong = true;
    else if (tg_emu_take(s, "relaxed")) {
        out->is_strong = true;
        if (!tg_emu_take_scope(s)) return tg_emu_unknown(p, s);
    }
    if (!take_space(s, is_load, out))
        return s->modifier_count == 0
                   ? tg_emu_unknown(p, s)
                   : tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode,
                                    "'%s': a space must be named, as in .global", s->name);
    if (out->is_strong && out->space != TG_EMU_GLOBAL && out->space != TG_EMU_SHARED)
        return tg_emu_unknown(p, s);
    p->entry->waits |= is_load && out->is_strong;
    take_cache(s, is_load && out->space == TG_EMU_GLOBAL && !out->is_strong, is_load, out);
    if (tg_emu_take(s, "v2")) out->count = 2;
    if (out->count == 1 && tg_emu_take(s, "v4")) out->count = 4;
    out->type = tg_emu_take_type(s);
    bool is_type = out->type != TG_EMU_NONE && out->type != TG_EMU_PRED &&
                   out->type != TG_EMU_F16 && out->type != TG_EMU_BF16;
    if (!is_type || out->count * tg_emu_types[out->type].bytes > 16) return tg_emu_unknown(p, s);
    return tg_emu_all_taken(p, s);
}

/* .param variables of calls and functions are in local memory; those of an entry are only read. */
static tg_status place_param(tg_emu_parser *p, const tg_emu_operand *o, bool is_load,
                             memory_form *form)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (form->space != TG_EMU_PARAM || o->kind != TG_EMU_OPERAND_ADDRESS) return TG_OK;
    const tg_emu_found found = tg_emu_names_find(&p->names, o->token.text, o->token.length);
    if (found.symbol && found.symbol->is_param)
        form->space = TG_EMU_LOCAL;
    else if (!is_load)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &o->token,
                              "%s is no .param variable of a call or a function",
                              tg_emu_token_text(&o->token, text));
    return TG_OK;
}

static void set_memory(const memory_form *form, tg_emu_inst *inst)
{
    const tg_emu_type_info *type = &tg_emu_types[form->type];
    inst->flags |= TG_EMU_MEMORY_OF(form->space, type->bytes, form->count);
    if (type->kind == 's') inst->flags |= TG_EMU_MEMORY_SIGNED;
    if (form->is_strong) inst->flags |= TG_EMU_MEMORY_STRONG;
    if (form->is_cluster) inst->flags |= TG_EMU_MEMORY_CLUSTER;
}

/* The elements of a vector operand, or the operand itself. */
static tg_status elements_of(tg_emu_parser *p, const tg_emu_operand *o, unsigned count,
                             const tg_emu_operand **out)
{
    *out = o->kind == TG_EMU_OPERAND_VECTOR ? o->elements : o;
    size_t found = o->kind == TG_EMU_OPERAND_VECTOR ? o->element_count : 1;
    if (found == count && (count == 1 || o->kind == TG_EMU_OPERAND_VECTOR)) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected %u element%s here", count,
                          count == 1 ? "" : "s");
}

static unsigned log2_of(unsigned bytes) { return bytes == 8 ? 3 : bytes / 2; }

tg_status tg_emu_decode_load(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    memory_form form;
    const tg_emu_operand *elements;
    TG_TRY(take_memory_form(p, s, true, &form));
    TG_TRY(tg_emu_want_operands(p, s, 2u + form.has_policy));
    if (form.has_policy) TG_TRY(tg_emu_take_policy(p, &s->operands[2]));
    TG_TRY(elements_of(p, &s->operands[0], form.count, &elements));
    for (unsigned i = 0; i < form.count; i++) {
        tg_emu_type declared;
        TG_TRY(tg_emu_register(p, &elements[i], form.type, TG_EMU_OR_WIDER,
                               &inst->out[inst->out_count++], &declared));
        inst->flags |= log2_of(tg_emu_types[declared].bytes) << (TG_EMU_MEMORY_REGISTERS + 2 * i);
    }
    const unsigned bytes = form.count * tg_emu_types[form.type].bytes;
    assert(bytes > 0);
    TG_TRY(place_param(p, &s->operands[1], true, &form));
    TG_TRY(tg_emu_address(p, &s->operands[1], form.space, bytes, inst));
    set_memory(&form, inst);
    inst->exec = form.space == TG_EMU_PARAM ? tg_emu_exec_load_param : tg_emu_exec_load;
    if (form.space == TG_EMU_PARAM && inst->immediate % bytes)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &s->operands[1].token,
                              "a parameter read at offset %lld, not a multiple of %u",
                              (long long)inst->immediate, bytes);
    return TG_OK;
}

tg_status tg_emu_decode_store(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    memory_form form;
    const tg_emu_operand *elements;
    TG_TRY(take_memory_form(p, s, false, &form));
    TG_TRY(tg_emu_want_operands(p, s, 2u + form.has_policy));
    if (form.has_policy) TG_TRY(tg_emu_take_policy(p, &s->operands[2]));
    TG_TRY(place_param(p, &s->operands[0], false, &form));
    TG_TRY(tg_emu_address(p, &s->operands[0], form.space,
                          form.count * tg_emu_types[form.type].bytes, inst));
    TG_TRY(elements_of(p, &s->operands[1], form.count, &elements));
    for (unsigned i = 0; i < form.count; i++) {
        tg_emu_type declared = form.type;
        uint64_t bits;
        tg_emu_slot *slot = &inst->in[inst->in_count++];
        if (elements[i].kind == TG_EMU_OPERAND_NUMBER) {
            TG_TRY(tg_emu_number_bits(p, &elements[i], form.type, &bits));
            declared = tg_emu_types[form.type].bytes == 1 ? TG_EMU_B16 : form.type;
            TG_TRY(tg_emu_constant_slot(p, bits, tg_emu_types[declared].bytes, slot));
        } else {
            TG_TRY(tg_emu_register(p, &elements[i], form.type, TG_EMU_OR_WIDER, slot, &declared));
        }
        inst->flags |= log2_of(tg_emu_types[declared].bytes) << (TG_EMU_MEMORY_REGISTERS + 2 * i);
    }
    set_memory(&form, inst);
    inst->exec = tg_emu_exec_store;
    return TG_OK;
}
