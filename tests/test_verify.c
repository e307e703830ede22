/* The verifier: a table of what it rejects, where and why, and good kernels that it accepts. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/verify.h"
#include "loaders/json_ir.h"

/* -- from the tables below to JSON -- */

typedef struct text {
    char chars[1 << 15];
    size_t used;
} text;

TG_PRINTF(2, 3)
static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->chars + t->used, sizeof t->chars - t->used, format, args);
    va_end(args);
    cr_assert_lt(t->used, sizeof t->chars);
}

/* The tables write JSON with ' for ". */
static void use_double_quotes(text *t)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->chars[i] == '\'') t->chars[i] = '"';
}

/* Copies the next word of `*list` to `word`; false at the end. */
static bool next_word(const char **list, char word[64])
{
    *list += strspn(*list, " ");
    const size_t length = strcspn(*list, " ");
    cr_assert_lt(length, 64);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length != 0;
}

/* Puts a VALUE for every type in `types`, with ids from `first` on. */
static void put_values(text *t, const char *types, int first)
{
    char type[64];
    for (int i = 0; next_word(&types, type); i++)
        put(t, "%s{'id':%d,'type':'%s'}", i ? "," : "", first + i, type);
}

/* An op among the values it needs: operand i has id i and the i-th type of `ins`; a ref is a
 * scratch param, a value comes from an op before.  Result i has id 50 + i.  `more` is further JSON
 * of the op. */
typedef struct op_case {
    const char *op, *ins, *outs, *more;
    tg_status status;
    const char *at;      /* path below the op's own */
    const char *message; /* part of it; "" for an op that is accepted */
} op_case;

static bool is_ref(const char *type) { return strncmp(type, "ref<", 4) == 0; }

static void put_params(text *t, const char *types)
{
    char type[64], separator = ' ';
    for (int i = 0; next_word(&types, type); i++) {
        if (!is_ref(type)) continue;
        put(t, "%c{'name':'p%d','role':'scratch','type':'%.*s'}", separator, i,
            (int)strlen(type) - 5, type + 4);
        separator = ',';
    }
}

static void put_ref_args(text *t, const char *types)
{
    char type[64], separator = ' ';
    for (int i = 0; next_word(&types, type); i++) {
        if (!is_ref(type)) continue;
        put(t, "%c{'id':%d,'type':'%s'}", separator, i, type);
        separator = ',';
    }
}

/* Returns how many ops it puts. */
static int put_operands(text *t, const char *types)
{
    char type[64];
    int count = 0;
    for (int i = 0; next_word(&types, type); i++) {
        if (is_ref(type)) continue;
        put(t, "{'op':'undefined','out':[{'id':%d,'type':'%s'}]},", i, type);
        count++;
    }
    return count;
}

static int word_count(const char *list)
{
    char word[64];
    int count = 0;
    while (next_word(&list, word)) count++;
    return count;
}

/* Writes a module around the op; returns the op's place in the body. */
static int put_op_module(text *t, const op_case *c)
{
    put(t, "{'tilegrind':'0.1','kernels':[{'name':'k','grid':[{'size':4}],'params':[");
    put_params(t, c->ins);
    put(t, "],'body':{'args':[");
    put_ref_args(t, c->ins);
    put(t, "],'ops':[");
    const int place = put_operands(t, c->ins);
    put(t, "{'op':'%s','in':[", c->op);
    for (int i = 0; i < word_count(c->ins); i++) put(t, "%s%d", i ? "," : "", i);
    put(t, "],'out':[");
    put_values(t, c->outs, 50);
    put(t, "]%s%s}]}}]}", c->more[0] ? "," : "", c->more);
    use_double_quotes(t);
    return place;
}

/* -- checking -- */

static tg_module *load(const text *t)
{
    tg_diags diags = {0};
    tg_module *module = NULL;
    const tg_status status = tg_json_load(t->chars, t->used, &module, &diags);
    cr_assert_eq(status, TG_OK, "%s: %s\n%s", diags.count ? diags.list[0].where : "",
                 diags.count ? diags.list[0].message : "no diagnosis", t->chars);
    tg_diags_free(&diags);
    return module;
}

static bool is_reported(const tg_diags *diags, tg_status status, const char *at,
                        const char *message)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->list[i].status == status && strcmp(diags->list[i].where, at) == 0 &&
            strstr(diags->list[i].message, message))
            return true;
    return false;
}

/* Expects the problem among those reported, or with TG_OK none at all. */
static void expect(const tg_module *module, tg_status status, const char *at, const char *message,
                   const char *about)
{
    tg_diags diags = {0};
    const tg_status found = tg_module_verify(module, &diags);
    const char *where = diags.count ? diags.list[0].where : "";
    const char *first = diags.count ? diags.list[0].message : "accepted";
    if (status == TG_OK) {
        cr_expect_eq(found, TG_OK, "%s\n  at %s: %s", about, where, first);
        cr_expect_eq(diags.count, 0, "%s\n  at %s: %s", about, where, first);
    } else {
        cr_expect_neq(found, TG_OK, "%s\n  wanted at %s: %s", about, at, message);
        cr_expect(is_reported(&diags, status, at, message),
                  "%s\n  wanted %s at %s: %s\n  found %s at %s: %s", about, tg_status_name(status),
                  at, message, tg_status_name(found), where, first);
    }
    tg_diags_free(&diags);
}

/* -- making modules wrong at random -- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static int64_t odd_number(uint64_t *state)
{
    static const int64_t numbers[] = {-1, 0, 1, 2,         3,         4,
                                      7,  8, 9, INT64_MIN, INT64_MAX, (int64_t)1 << 47};
    return numbers[next_random(state) % (sizeof numbers / sizeof numbers[0])];
}

static void spoil_attr(tg_attr *attr, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INTS:
        if (attr->count && pick % 2)
            attr->as.ints[pick % (uint64_t)attr->count] = odd_number(state);
        else if (attr->count)
            attr->count--;
        break;
    case TG_ATTR_KIND_INDEX:
        if (!attr->count) break;
        tg_index_dim *dim = &attr->as.index[pick % (uint64_t)attr->count];
        *dim = (tg_index_dim){pick % 3 == 0 ? TG_INDEX_AT : TG_INDEX_SLICE, pick % 2,
                              odd_number(state), odd_number(state), odd_number(state)};
        break;
    case TG_ATTR_KIND_TEXT: attr->count = attr->count ? attr->count - 1 : 0; break;
    case TG_ATTR_KIND_DATA: attr->as.data.count = odd_number(state); break;
    default: attr->as.integer = odd_number(state);
    }
}

static void spoil_op(tg_kernel *k, tg_op *op, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    switch (next_random(state) % 6) {
    case 0: op->code = (tg_opcode)(pick % (TG_OP_COUNT + 1)); break;
    case 1: op->in_count -= op->in_count > 0; break;
    case 2: op->out_count -= op->out_count > 0; break;
    case 3:
        if (op->in_count) op->in[pick % op->in_count] = next_random(state) % k->value_count;
        break;
    default:
        if (op->attr_count) spoil_attr(&op->attrs[pick % op->attr_count], state);
    }
}

static void spoil_type(tg_type *type, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    if (pick % 4 == 0)
        type->rank = (int)(pick % 11) - 1;
    else if (pick % 4 == 1)
        type->dtype = (tg_dtype)(pick % (TG_DT_COUNT + 1));
    else if (pick % 4 == 2)
        type->is_ref = !type->is_ref;
    else
        type->shape[pick % TG_MAX_RANK] = odd_number(state);
}

/* Changes a few things in the first kernel, so that every id still names a value. */
static void spoil_module(tg_module *module, uint64_t seed)
{
    uint64_t state = seed;
    tg_kernel *k = &module->kernels[0];
    for (int changes = 0; changes < 3; changes++) {
        const uint32_t pick = next_random(&state);
        if (k->value_count && pick % 8 == 0)
            spoil_type(&k->values[next_random(&state) % k->value_count].type, &state);
        else
            spoil_op(k, &k->body.ops[k->body.op_count - 1 - pick % (k->body.op_count + 1) / 2],
                     &state);
    }
}

/* Verifies spoilt copies: no outcome is expected but a return.  Meant for builds with sanitizers.
 */
static void survive(const text *t, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        tg_diags diags = {0};
        tg_module *module = load(t);
        spoil_module(module, seed);
        const tg_status status = tg_module_verify(module, &diags);
        cr_assert_eq(status == TG_OK, diags.count == 0, "seed %u", (unsigned)seed);
        tg_diags_free(&diags);
        tg_module_free(module);
    }
}

/* -- running the tables -- */

static void check_op_case(const op_case *c)
{
    static text t;
    char at[128], about[512];
    t.used = 0;
    const int place = put_op_module(&t, c);
    tg_module *module = load(&t);
    snprintf(at, sizeof at, "/kernels/0/body/ops/%d%s", place, c->at);
    snprintf(about, sizeof about, "%s (%s) -> (%s) %s", c->op, c->ins, c->outs, c->more);
    expect(module, c->status, at, c->message, about);
    tg_module_free(module);
    survive(&t, 10);
}

static void check_op_cases(const op_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) check_op_case(&cases[i]);
}

#define CHECK_ALL(cases) check_op_cases(cases, sizeof cases / sizeof cases[0])
#define TYPE(at, message) TG_ERR_TYPE, at, message
#define INVALID(at, message) TG_ERR_INVALID, at, message
#define GOOD TG_OK, "", ""

/* -- the rules of the table -- */

Test(verify, table_rules)
{
    static const op_case cases[] = {
        {"add", "f32[8] f32[8]", "f32[8]", "", GOOD},
        {"neg", "i32[2,4]", "i32[2,4]", "", GOOD},
        {"add", "f32[8] f32[4]", "f32[8]", "",
         TYPE("", "operand 1 is f32[4], but operand 0 is f32[8]")},
        {"add", "f32[8] f16[8]", "f32[8]", "", TYPE("", "operand 1 is f16[8]")},
        {"add", "f32[8] f32[8]", "f32[4]", "",
         TYPE("", "the result is f32[4], but must be f32[8]")},
        {"add", "f32[8]", "f32[8]", "", INVALID("", "has 1 operands, but takes 2")},
        {"add", "f32[8] f32[8] f32[8]", "f32[8]", "", INVALID("", "has 3 operands, but takes 2")},
        {"add", "f32[8] f32[8]", "f32[8] f32[8]", "", INVALID("", "has 2 results, but takes 1")},
        {"add", "f32[8] f32[8]", "", "", INVALID("", "has 0 results, but takes 1")},
        {"add", "bool[8] bool[8]", "bool[8]", "",
         TYPE("", "operand 0 is bool[8], but must hold integers or floats")},
        {"add", "ref<f32[8]> f32[8]", "f32[8]", "",
         TYPE("", "operand 0 is ref<f32[8]>, but must be a value")},
        {"add", "f32[8] f32[8]", "ref<f32[8]>", "",
         TYPE("", "result 0 is ref<f32[8]>, but must be a value")},
        {"exp", "i32[8]", "i32[8]", "", TYPE("", "must hold floats")},
        {"and", "f32[8] f32[8]", "f32[8]", "", TYPE("", "must hold integers or bools")},
        {"and", "bool[8] bool[8]", "bool[8]", "", GOOD},
        {"shift_left", "bool[] bool[]", "bool[]", "", TYPE("", "must hold integers")},
        {"neg", "f32[8]", "f32[8]", "'regions':[{}]", INVALID("", "has 1 regions, but takes 0")},
        {"lt", "f32[8] f32[8]", "bool[8]", "", GOOD},
        {"lt", "f32[8] f32[8]", "f32[8]", "",
         TYPE("", "the result is f32[8], but must be bool[8]")},
        {"lt", "f32[8] i32[8]", "bool[8]", "", TYPE("", "they must agree")},
        {"is_finite", "i32[8]", "bool[8]", "", TYPE("", "must hold floats")},
        {"convert", "f32[8]", "f8e4m3fn[8]", "", GOOD},
        {"convert", "f32[8]", "i32[4]", "", TYPE("", "the result is i32[4], but must be i32[8]")},
        {"reduce_sum", "f32[8,4]", "f32[8]", "'axes':[1]", GOOD},
        {"reduce_sum", "f32[8,4]", "f32[]", "'axes':[0,1]", GOOD},
        {"reduce_sum", "f32[8,4]", "f32[8,4]", "'axes':[]", GOOD},
        {"reduce_sum", "f32[8,4]", "f32[4]", "'axes':[1]",
         TYPE("", "the result is f32[4], but must be f32[8]")},
        {"reduce_sum", "f32[8,4]", "f32[8]", "'axes':[2]",
         INVALID("", "axes names dimension 2, but the operand has 2")},
        {"reduce_sum", "f32[8,4]", "f32[]", "'axes':[1,0]", INVALID("", "not in ascending order")},
        {"reduce_sum", "f32[8,4]", "f32[8]", "'axes':[1,1]", INVALID("", "dimension 1 twice")},
        {"reduce_sum", "f32[8,4]", "f32[]", "'axes':[0,1,1]",
         INVALID("", "axes names 3 dimensions, but the operand has 2")},
        {"reduce_sum", "bool[8]", "bool[]", "'axes':[0]", TYPE("", "must hold integers or floats")},
        {"reduce_xor", "f32[8]", "f32[]", "'axes':[0]", TYPE("", "must hold integers or bools")},
        {"cumsum", "f32[8,4]", "f32[8,4]", "'axis':0,'reverse':true", GOOD},
        {"cumsum", "f32[8,4]", "f32[8,4]", "'axis':2",
         INVALID("", "axis 2 is no dimension of f32[8,4]")},
        {"cummax", "f32[8,4]", "f32[8]", "'axis':0", TYPE("", "the result is f32[8]")},
    };
    CHECK_ALL(cases);
}

/* -- elements and literals -- */

Test(verify, values)
{
    static const op_case cases[] = {
        {"pow", "f32[8] f32[8]", "f32[8]", "", GOOD},
        {"pow", "f32[8] i32[8]", "f32[8]", "", GOOD},
        {"pow", "i32[8] f32[8]", "i32[8]", "",
         TYPE("", "the exponent is f32[8], but the base is i32[8]")},
        {"pow", "f32[8] f16[8]", "f32[8]", "", TYPE("", "the exponent is f16[8]")},
        {"pow", "f32[8] i32[]", "f32[8]", "", TYPE("", "the exponent is i32[]")},
        {"pow", "f32[8] f32[8]", "f16[8]", "",
         TYPE("", "the result is f16[8], but must be f32[8]")},
        {"pow", "bool[8] i32[8]", "bool[8]", "", TYPE("", "must hold integers or floats")},
        {"select", "bool[8] f32[8] f32[8]", "f32[8]", "", GOOD},
        {"select", "bool[] f32[8] f32[8]", "f32[8]", "", GOOD},
        {"select", "i32[8] f32[8] f32[8] f32[8]", "f32[8]", "", GOOD},
        {"select", "i32[] f32[8]", "f32[8]", "", GOOD},
        {"select", "f32[8] f32[8] f32[8]", "f32[8]", "",
         TYPE("", "operand 0 is f32[8], but must be bool or i32")},
        {"select", "bool[8] f32[8] f32[8] f32[8]", "f32[8]", "",
         INVALID("", "has 3 cases, but a bool chooses between 2")},
        {"select", "bool[4] f32[8] f32[8]", "f32[8]", "",
         TYPE("", "operand 0 is bool[4], but must be a scalar")},
        {"select", "bool[8] f32[8] f32[]", "f32[8]", "", TYPE("", "cases must agree")},
        {"select", "bool[8] f32[8] f32[8]", "i32[8]", "", TYPE("", "the result is i32[8]")},
        {"clamp", "f32[] f32[8] f32[8]", "f32[8]", "", GOOD},
        {"clamp", "f32[4] f32[8] f32[8]", "f32[8]", "", TYPE("", "operand 0 is f32[4]")},
        {"clamp", "f32[] f32[8] i32[]", "f32[8]", "", TYPE("", "operand 2 is i32[]")},
        {"clamp", "bool[] bool[8] bool[]", "bool[8]", "",
         TYPE("", "operand 1 is bool[8], but must hold")},
        {"clamp", "f32[] f32[8] f32[]", "f32[]", "", TYPE("", "the result is f32[]")},
        {"constant", "", "f32[8]", "'value':1.5", GOOD},
        {"constant", "", "i32[3]", "'value':[1,2,3]", GOOD},
        {"iota", "", "f32[8,4]", "'axis':1", GOOD},
        {"iota", "", "i32[8]", "'axis':1", INVALID("", "axis 1 is no dimension of i32[8]")},
        {"iota", "", "i32[]", "'axis':0", INVALID("", "axis 0 is no dimension of i32[]")},
        {"iota", "", "bool[8]", "'axis':0", TYPE("", "must hold integers or floats")},
        {"undefined", "", "bool[8]", "", GOOD},
        {"undefined", "", "ref<f32[8]>", "", TYPE("", "result 0 is ref<f32[8]>")},
        {"reduce_precision", "f16[8]", "f16[8]", "'exponent_bits':5,'mantissa_bits':0", GOOD},
        {"reduce_precision", "f32[8]", "f32[8]", "'exponent_bits':0,'mantissa_bits':3",
         INVALID("", "exponent_bits is 0, but must be 1 to 11")},
        {"reduce_precision", "f32[8]", "f32[8]", "'exponent_bits':8,'mantissa_bits':53",
         INVALID("", "mantissa_bits is 53, but must be 0 to 52")},
        {"reduce_precision", "i32[8]", "i32[8]", "'exponent_bits':8,'mantissa_bits':5",
         TYPE("", "operand 0 is i32[8]")},
        {"bitcast", "f32[8]", "u32[8]", "", GOOD},
        {"bitcast", "f32[8]", "u8[8,4]", "", GOOD},
        {"bitcast", "u8[8,4]", "f32[8]", "", GOOD},
        {"bitcast", "i4[2]", "u8[]", "", GOOD},
        {"bitcast", "f32[8]", "u32[4]", "", TYPE("", "the result is u32[4], but must be u32[8]")},
        {"bitcast", "f32[8]", "u8[8]", "", TYPE("", "the result is u8[8], but must be u8[8,4]")},
        {"bitcast", "u8[8,3]", "f32[8]", "", TYPE("", "u8[8,3] cannot be read as f32")},
        {"bitcast", "u8[]", "u32[]", "", TYPE("", "u8[] cannot be read as u32")},
        {"bitcast", "bool[8]", "u8[8]", "", TYPE("", "a bool has no bits to read")},
        {"argmax", "f32[8,4]", "i32[8]", "'axis':1", GOOD},
        {"argmin", "bool[8]", "u64[]", "'axis':0", GOOD},
        {"argmax", "f32[8,4]", "f32[8]", "'axis':1", TYPE("", "must hold i32, i64, u32 or u64")},
        {"argmax", "f32[8,4]", "i16[8]", "'axis':1", TYPE("", "the result is i16[8]")},
        {"argmax", "f32[8,4]", "i32[8]", "'axis':0",
         TYPE("", "the result is i32[8], but must be i32[4]")},
        {"argmin", "f32[8,4]", "i32[8]", "'axis':-1", INVALID("", "axis -1 is no dimension")},
        {"argmin", "f32[8,0]", "i32[8]", "'axis':1", TYPE("", "no elements to choose from")},
        {"integer_pow", "f32[8]", "f32[8]", "'exponent':-2", GOOD},
        {"round", "f32[8]", "f32[8]", "'rounding':'away'", GOOD},
        {"assume_multiple", "i32[]", "i32[]", "'multiple':8", GOOD},
        {"assume_multiple", "i32[]", "i32[]", "'multiple':0",
         INVALID("", "multiple is 0, but must be at least 1")},
        {"assume_multiple", "f32[]", "f32[]", "'multiple':8", TYPE("", "must hold integers")},
    };
    CHECK_ALL(cases);
}

/* -- shapes -- */

Test(verify, shapes)
{
    static const op_case cases[] = {
        {"broadcast_in_dim", "f32[8,1]", "f32[2,8,4]", "'dims':[1,2]", GOOD},
        {"broadcast_in_dim", "f32[]", "f32[8]", "'dims':[]", GOOD},
        {"broadcast_in_dim", "f32[8]", "f32[8,8]", "'dims':[]",
         INVALID("", "dims has 0 entries, but must have 1")},
        {"broadcast_in_dim", "f32[8]", "f32[8]", "'dims':[1]",
         INVALID("", "dims names dimension 1, but the result has 1")},
        {"broadcast_in_dim", "f32[8,8]", "f32[8,8]", "'dims':[1,0]",
         INVALID("", "not in ascending order")},
        {"broadcast_in_dim", "f32[8,8]", "f32[8,8]", "'dims':[1,1]",
         INVALID("", "dimension 1 twice")},
        {"broadcast_in_dim", "f32[4]", "f32[8]", "'dims':[0]",
         TYPE("", "dimension 0 of f32[4] does not fit dimension 0 of f32[8]")},
        {"broadcast_in_dim", "f32[8]", "i32[8]", "'dims':[0]",
         TYPE("", "must hold f32 like the operand")},
        {"reshape", "f32[8,4]", "f32[32]", "", GOOD},
        {"reshape", "f32[8,4]", "f32[16]", "",
         TYPE("", "f32[8,4] has 32 elements, but the result f32[16] has 16")},
        {"reshape", "f32[8]", "i32[8]", "", TYPE("", "must hold f32")},
        {"transpose", "f32[8,4,2]", "f32[2,8,4]", "'permutation':[2,0,1]", GOOD},
        {"transpose", "f32[8,4]", "f32[8,4]", "'permutation':[1,0]",
         TYPE("", "the result is f32[8,4], but must be f32[4,8]")},
        {"transpose", "f32[8,4]", "f32[4,8]", "'permutation':[1]",
         INVALID("", "permutation has 1 entries")},
        {"transpose", "f32[8,4]", "f32[4,8]", "'permutation':[1,1]",
         INVALID("", "dimension 1 twice")},
        {"transpose", "f32[8,4]", "f32[4,8]", "'permutation':[1,2]", INVALID("", "dimension 2")},
        {"rev", "f32[8,4]", "f32[8,4]", "'axes':[0,1]", GOOD},
        {"rev", "f32[8,4]", "f32[8,4]", "'axes':[-1]", INVALID("", "dimension -1")},
        {"rev", "f32[8,4]", "f32[4,8]", "'axes':[0]", TYPE("", "the result is f32[4,8]")},
        {"slice", "f32[8]", "f32[3]", "'start':[1],'stride':[3]", GOOD},
        {"slice", "f32[8]", "f32[0]", "'start':[8],'stride':[1]", GOOD},
        {"slice", "f32[8]", "f32[4]", "'start':[1],'stride':[3]",
         TYPE("", "4 elements from 1 by 3 reach beyond dimension 0")},
        {"slice", "f32[8]", "f32[1]", "'start':[8],'stride':[1]", TYPE("", "1 elements from 8")},
        {"slice", "f32[8]", "f32[0]", "'start':[9],'stride':[1]", TYPE("", "0 elements from 9")},
        {"slice", "f32[8]", "f32[3]", "'start':[0],'stride':[0]",
         INVALID("", "stride has the entry 0")},
        {"slice", "f32[8]", "f32[3]", "'start':[-1],'stride':[1]",
         INVALID("", "start has the entry -1")},
        {"slice", "f32[8]", "f32[3]", "'start':[0,0],'stride':[1]",
         INVALID("", "start has 2 entries")},
        {"slice", "f32[8]", "f32[3,1]", "'start':[0],'stride':[1]",
         TYPE("", "must have 1 dimensions")},
        {"slice", "f32[8]", "f64[3]", "'start':[0],'stride':[1]", TYPE("", "must hold f32")},
        {"dynamic_slice", "f32[8,4] i32[] i64[]", "f32[2,4]", "", GOOD},
        {"dynamic_slice", "f32[8,4] i32[]", "f32[2,4]", "",
         INVALID("", "has 1 starts, but f32[8,4] takes 2")},
        {"dynamic_slice", "f32[8] f32[]", "f32[2]", "",
         TYPE("", "operand 1 is f32[], but a start must be an integer scalar")},
        {"dynamic_slice", "f32[8] i32[1]", "f32[2]", "", TYPE("", "operand 1 is i32[1]")},
        {"dynamic_slice", "f32[8] i32[]", "f32[9]", "",
         TYPE("", "the result is f32[9], but must have the dtype and rank of f32[8]")},
        {"dynamic_slice", "f32[8] i32[]", "f32[2,2]", "", TYPE("", "the result is f32[2,2]")},
        {"dynamic_update_slice", "f32[8] f32[2] i32[]", "f32[8]", "", GOOD},
        {"dynamic_update_slice", "f32[8] f32[9] i32[]", "f32[8]", "",
         TYPE("", "the update is f32[9]")},
        {"dynamic_update_slice", "f32[8] i32[2] i32[]", "f32[8]", "",
         TYPE("", "the update is i32[2]")},
        {"dynamic_update_slice", "f32[8] f32[2]", "f32[8]", "", INVALID("", "has 0 starts")},
        {"dynamic_update_slice", "f32[8] f32[2] i32[]", "f32[2]", "",
         TYPE("", "the result is f32[2], but must be f32[8]")},
        {"concatenate", "f32[8,1] f32[8,3]", "f32[8,4]", "'axis':1", GOOD},
        {"concatenate", "f32[8]", "f32[8]", "'axis':0", GOOD},
        {"concatenate", "f32[8,1] f32[4,3]", "f32[8,4]", "'axis':1",
         TYPE("", "operand 1 is f32[4,3], but must agree with f32[8,1] in all but dimension 1")},
        {"concatenate", "f32[8] i32[8]", "f32[16]", "'axis':0", TYPE("", "operand 1 is i32[8]")},
        {"concatenate", "f32[8] f32[8]", "f32[16]", "'axis':1",
         INVALID("", "axis 1 is no dimension")},
        {"concatenate", "f32[8] f32[8]", "f32[15]", "'axis':0",
         TYPE("", "the result is f32[15], but must be f32[16]")},
        {"concatenate", "", "f32[16]", "'axis':0",
         INVALID("", "has 0 operands, but takes at least 1")},
        {"pad", "f32[4] f32[]", "f32[10]", "'low':[1],'high':[2],'interior':[1]", GOOD},
        {"pad", "f32[4] f32[]", "f32[1]", "'low':[-1],'high':[-2],'interior':[0]", GOOD},
        {"pad", "f32[0] f32[]", "f32[3]", "'low':[1],'high':[2],'interior':[5]", GOOD},
        {"pad", "f32[4] f32[]", "f32[9]", "'low':[1],'high':[2],'interior':[1]",
         TYPE("", "dimension 0 of the result f32[9] must be 10")},
        {"pad", "f32[4] f32[]", "f32[0]", "'low':[-3],'high':[-2],'interior':[0]",
         TYPE("", "gives no legal extent")},
        {"pad", "f32[4] f32[]", "f32[4]", "'low':[0],'high':[0],'interior':[-1]",
         INVALID("", "interior has the entry -1")},
        {"pad", "f32[4] f32[]", "f32[4]", "'low':[],'high':[0],'interior':[0]",
         INVALID("", "low has 0 entries")},
        {"pad", "f32[4] f32[1]", "f32[4]", "'low':[0],'high':[0],'interior':[0]",
         TYPE("", "operand 1 is f32[1], but must be the scalar f32[]")},
        {"pad", "f32[4] i32[]", "f32[4]", "'low':[0],'high':[0],'interior':[0]",
         TYPE("", "operand 1 is i32[]")},
        {"tile", "f32[8,4]", "f32[16,4]", "'reps':[2,1]", GOOD},
        {"tile", "f32[8,4]", "f32[8,4]", "'reps':[2,1]",
         TYPE("", "the result is f32[8,4], but must be f32[16,4]")},
        {"tile", "f32[8,4]", "f32[16,4]", "'reps':[2]", INVALID("", "reps has 1 entries")},
        {"tile", "f32[8]", "f32[8]", "'reps':[-1]", INVALID("", "reps has the entry -1")},
    };
    CHECK_ALL(cases);
}

/* -- gather and dot_general -- */

#define GATHER(offset, collapsed, map, operand_batch, indices_batch, sizes)                        \
    "'offset_dims':" offset ",'collapsed_dims':" collapsed ",'start_index_map':" map               \
    ",'operand_batch':" operand_batch ",'indices_batch':" indices_batch ",'slice_sizes':" sizes    \
    ",'mode':'clip'"

Test(verify, gathers)
{
    static const op_case cases[] = {
        /* rows of a table */
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"), GOOD},
        /* single elements by two components */
        {"gather", "f32[8,4] i64[3,5,2]", "f32[3,5]",
         GATHER("[]", "[0,1]", "[1,0]", "[]", "[]", "[1,1]"), GOOD},
        /* along an axis, batch by batch */
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[0]", "[1,1]"), GOOD},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         "'fill':0,"
         "'offset_dims':[],'collapsed_dims':[0],'start_index_map':[0],'operand_batch':[],"
         "'indices_batch':[],'slice_sizes':[1],'mode':'fill'",
         GOOD},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         GATHER("[]", "[0]", "[0]", "[]", "[]", "[1]") ",'fill':0",
         INVALID("", "has a fill value, but mode is not")},
        {"gather", "f32[8,4] i32[3,1]", "f32[4,3]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         TYPE("", "the result is f32[4,3], but must be f32[3,4]")},
        {"gather", "f32[8,4] f32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"), TYPE("", "the indices are f32[3,1]")},
        {"gather", "f32[8] i32[]", "f32[]", GATHER("[]", "[0]", "[0]", "[]", "[]", "[1]"),
         TYPE("", "the indices are i32[]")},
        {"gather", "f32[8,4] i32[3,2]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         TYPE("", "must have the 1 components of start_index_map")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[2,4]"),
         INVALID("", "slice size 2 of the collapsed dimension 0 must be 1")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,5]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,5]"),
         TYPE("", "slice size 5 exceeds dimension 1 of f32[8,4]")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]", GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1]"),
         INVALID("", "slice_sizes has 1 entries, but must have 2")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]", GATHER("[]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "offset_dims has 0 entries, but must have 1")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[2]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "offset_dims names dimension 2, but the result has 2")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[2]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "collapsed_dims names dimension 2")},
        {"gather", "f32[8,4] i32[3,2]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0,0]", "[]", "[]", "[1,4]"),
         INVALID("", "start_index_map names dimension 0 twice")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[0,1]", "[1]", "[0]", "[0]", "[1,1]"),
         INVALID("", "dimension 0 stands in both collapsed_dims and operand_batch")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[0]", "[0]", "[0]", "[1,1]"),
         INVALID("", "dimension 0 stands in both start_index_map and operand_batch")},
        {"gather", "f32[6,8] i32[5,3,1]", "f32[5,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[0]", "[1,1]"),
         TYPE("", "batch dimension 0 of f32[6,8] differs from 0 of the indices i32[5,3,1]")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[]", "[1,1]"),
         INVALID("", "indices_batch has 0 entries, but must have 1")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[2]", "[1,1]"),
         INVALID("", "indices_batch names dimension 2")},
        {"gather", "f32[1,1,1,1,1] i32[1,1,1,1,5]", "f32[1]",
         GATHER("[4,5,6,7,8]", "[]", "[0,1,2,3,4]", "[]", "[]", "[1,1,1,1,1]"),
         TYPE("", "the result would have 9 dimensions")},
    };
    CHECK_ALL(cases);
}

#define SCATTER(offset, collapsed, map, operand_batch, indices_batch)                              \
    "'offset_dims':" offset ",'collapsed_dims':" collapsed ",'start_index_map':" map               \
    ",'operand_batch':" operand_batch ",'indices_batch':" indices_batch ",'mode':'drop'"

#define ADD ",'combine':'add'"

Test(verify, scatters)
{
    static const op_case cases[] = {
        {"scatter", "f32[8,4] i32[3,1] f32[3,4]", "f32[8,4]",
         SCATTER("[1]", "[0]", "[0]", "[]", "[]") ADD, GOOD},
        {"scatter", "f32[8,4] i32[3,1] f32[2,3,4]", "f32[8,4]",
         SCATTER("[0,2]", "[]", "[0]", "[]", "[]") ADD, GOOD},
        {"scatter", "f32[6,0] i32[6,3,1] f32[6,3]", "f32[6,0]",
         SCATTER("[]", "[1]", "[1]", "[0]", "[0]") ADD, GOOD},
        {"scatter", "bool[8] i32[3,1] bool[3]", "bool[8]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ",'combine':'max'", GOOD},
        {"scatter", "bool[8] i32[3,1] bool[3]", "bool[8]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "operand 0 is bool[8], but \"add\" takes integers or floats")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[3]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the result is f32[3], but must be f32[8]")},
        {"scatter", "f32[8] i32[3,1] f32[4]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the updates are f32[4], but must be f32[3]")},
        {"scatter", "f32[8] i32[3,1] f16[3]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the updates are f16[3], but must hold f32 in 1 dimensions")},
        {"scatter", "f32[8] i32[3,1] f32[3,9]", "f32[8]",
         SCATTER("[1]", "[]", "[0]", "[]", "[]") ADD,
         TYPE("", "a slice of 9 elements exceeds dimension 0 of f32[8]")},
        {"scatter", "f32[8] f32[3,1] f32[3]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the indices are f32[3,1]")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]",
         SCATTER("[0]", "[0]", "[0]", "[]", "[]") ADD,
         INVALID("", "offset_dims has 1 entries, but must have 0")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]", SCATTER("[]", "[1]", "[0]", "[]", "[]") ADD,
         INVALID("", "collapsed_dims names dimension 1")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]",
         "'offset_dims':[],'collapsed_dims':[0],'start_index_map':[0],'operand_batch':[],"
         "'indices_batch':[],'mode':'fill','combine':'set'",
         INVALID("", "has no mode \"fill\"")},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ",'slice_sizes':[1]",
         INVALID("", "has no mode \"drop\"")},
    };
    CHECK_ALL(cases);
}

Test(verify, sorts)
{
    static const op_case cases[] = {
        {"sort", "f32[8,4]", "f32[8,4]", "'axis':1,'keys':1", GOOD},
        {"sort", "f32[8] bool[8] i4[8]", "f32[8] bool[8] i4[8]", "'axis':0,'keys':2,'total':true",
         GOOD},
        {"sort", "f32[8]", "f32[8]", "'axis':1,'keys':1", INVALID("", "axis 1 is no dimension")},
        {"sort", "f32[8]", "f32[8]", "'axis':0,'keys':2",
         INVALID("", "keys is 2, but there are 1 operands")},
        {"sort", "f32[8]", "f32[8]", "'axis':0,'keys':0",
         INVALID("", "keys is 0, but must be at least 1")},
        {"sort", "f32[8] f32[4]", "f32[8] f32[4]", "'axis':0,'keys':1",
         TYPE("", "operand 1 is f32[4], but must have the shape of f32[8]")},
        {"sort", "f32[8] i32[8]", "f32[8]", "'axis':0,'keys':1", TYPE("", "there are 1 values")},
        {"sort", "f32[8] i32[8]", "f32[8] f32[8]", "'axis':0,'keys':1",
         TYPE("", "result 1 is f32[8], but must be i32[8]")},
    };
    CHECK_ALL(cases);
}

#define DOT(lhs_contract, rhs_contract, lhs_batch, rhs_batch)                                      \
    "'lhs_contract':" lhs_contract ",'rhs_contract':" rhs_contract ",'lhs_batch':" lhs_batch       \
    ",'rhs_batch':" rhs_batch

Test(verify, dots)
{
    static const op_case cases[] = {
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"), GOOD},
        {"dot_general", "bf16[3,8,4] f16[2,4,3]", "f32[3,8,2]", DOT("[2]", "[1]", "[0]", "[2]"),
         GOOD},
        {"dot_general", "i8[8] u8[8]", "i32[]",
         DOT("[0]", "[0]", "[]", "[]") ",'precision':'highest'", GOOD},
        {"dot_general", "f32[8] f32[2]", "f32[8,2]", DOT("[]", "[]", "[]", "[]"), GOOD},
        {"dot_general", "f32[8,4] f32[5,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "dimension 1 of f32[8,4] and dimension 0 of f32[5,2] must agree")},
        {"dot_general", "f32[3,4] f32[2,4]", "f32[3]", DOT("[1]", "[1]", "[0]", "[0]"),
         TYPE("", "(lhs_batch, rhs_batch)")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[2,8]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "the result is f32[2,8], but must be f32[8,2]")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[1]", "[]", "[]", "[]"),
         INVALID("", "rhs_contract has 0 entries, but must have 1")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[2]", "[0]", "[]", "[]"),
         INVALID("", "lhs_contract names dimension 2, but the left operand has 2")},
        {"dot_general", "f32[4,4] f32[4,4]", "f32[4]", DOT("[1,1]", "[0,1]", "[]", "[]"),
         INVALID("", "lhs_contract names dimension 1 twice")},
        {"dot_general", "f32[4,4] f32[4,4]", "f32[4]", DOT("[1]", "[0]", "[1]", "[1]"),
         INVALID("", "dimension 1 of the left operand is both contracted and batch")},
        {"dot_general", "f32[8,4] i32[4,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "both must hold floats or both integers")},
        {"dot_general", "bool[8,4] bool[4,2]", "i32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "operand 0 is bool[8,4]")},
        {"dot_general", "f32[8,4] f32[4,2]", "i32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "the result is i32[8,2], but must hold floats")},
        {"dot_general", "f32[1,1,1,1,1] f32[1,1,1,1]", "f32[]", DOT("[]", "[]", "[]", "[]"),
         TYPE("", "more than 8 dimensions")},
    };
    CHECK_ALL(cases);
}

/* -- memory -- */

#define WHOLE_8 "'index':[['slice',0,8,1]]"
#define AT "'index':[['at']]"

Test(verify, memory)
{
    static const op_case cases[] = {
        {"load", "ref<f32[8]>", "f32[8]", WHOLE_8, GOOD},
        {"load", "ref<f32[]>", "f32[]", "'index':[]", GOOD},
        {"load", "ref<f32[8]> i32[]", "f32[4]", "'index':[['slice',null,4,2]]", GOOD},
        {"load", "ref<f32[8,4]> i32[3,1] i32[5]", "f32[3,5]", "'index':[['at'],['at']]", GOOD},
        {"load", "ref<f32[8,4,2]> i32[3] i32[]", "f32[3,4]",
         "'index':[['at'],['slice',0,4,1],['at']]", GOOD},
        {"load", "ref<f32[8]> bool[16]", "f32[16]", "'index':[['slice',0,16,1]],'mask':true", GOOD},
        {"load", "ref<f32[8]> bool[] f32[8]", "f32[8]", WHOLE_8 ",'mask':true,'other':true", GOOD},
        {"load", "ref<f32[8]>", "f32[0]", "'index':[['slice',0,0,1]]", GOOD},
        {"load", "f32[8]", "f32[8]", WHOLE_8, TYPE("", "operand 0 is f32[8], but must be a ref")},
        {"load", "ref<f32[8]>", "f32[4]", WHOLE_8,
         TYPE("", "the result is f32[4], but must be f32[8]")},
        {"load", "ref<f32[8]>", "i32[8]", WHOLE_8, TYPE("", "the result is i32[8]")},
        {"load", "ref<f32[8,4]>", "f32[8]", WHOLE_8,
         INVALID("", "index has 1 entries, but ref<f32[8,4]> has 2 dimensions")},
        {"load", "ref<f32[8]>", "f32[4]", "'index':[['slice',0,4,0]]",
         INVALID("", "index 0 has the stride 0")},
        {"load", "ref<f32[8]>", "f32[4]", "'index':[['slice',0,-4,1]]",
         INVALID("", "index 0 has the size -4")},
        {"load", "ref<f32[8]>", "f32[4]", "'index':[['slice',-1,4,1]]",
         INVALID("", "index 0 starts at -1")},
        {"load", "ref<f32[8]>", "f32[4]", "'index':[['slice',null,4,1]]",
         INVALID("", "has 1 operands, but its index, mask and other ask for 2")},
        {"load", "ref<f32[8]> i32[]", "f32[8]", WHOLE_8,
         INVALID("", "has 2 operands, but its index, mask and other ask for 1")},
        {"load", "ref<f32[8]> f32[]", "f32[]", AT,
         TYPE("", "operand 1 is f32[], but the position of dimension 0")},
        {"load", "ref<f32[8]> i32[4]", "f32[4]", "'index':[['slice',null,4,1]]",
         TYPE("", "operand 1 is i32[4], but the start of dimension 0 must be an integer scalar")},
        {"load", "ref<f32[8]> ref<i32[]>", "f32[]", AT,
         TYPE("", "operand 1 is ref<i32[]>, but must be a value")},
        {"load", "ref<f32[8,4]> i32[3] i32[5]", "f32[3]", "'index':[['at'],['at']]",
         TYPE("", "positions do not broadcast together")},
        {"load", "ref<f32[8]> i32[8]", "f32[8]", WHOLE_8 ",'mask':true",
         TYPE("", "mask is i32[8], but must be bool")},
        {"load", "ref<f32[8]> bool[4]", "f32[8]", WHOLE_8 ",'mask':true",
         TYPE("", "mask is bool[4]")},
        {"load", "ref<f32[8]> bool[8] i32[]", "f32[8]", WHOLE_8 ",'mask':true,'other':true",
         TYPE("", "other is i32[]")},
        {"load", "ref<f32[8]> bool[8] f32[4]", "f32[8]", WHOLE_8 ",'mask':true,'other':true",
         TYPE("", "other is f32[4]")},
        {"load", "ref<f32[8]> f32[]", "f32[8]", WHOLE_8 ",'other':true",
         INVALID("", "has 'other', but no mask")},
        {"load", "ref<f32[1,1]>", "f32[1]",
         "'index':[['slice',0,16777216,1],['slice',0,16777217,1]]", TYPE("", "too many elements")},
        {"store", "ref<f32[8]> f32[8]", "", WHOLE_8, GOOD},
        {"store", "ref<f32[8]> f32[] i32[]", "", AT, GOOD},
        {"store", "ref<f32[8]> i32[8]", "", WHOLE_8,
         TYPE("", "store: value is i32[8], but the access has type f32[8]")},
        {"store", "ref<f32[8]> f32[]", "", WHOLE_8,
         TYPE("", "value is f32[], but the access has type f32[8]")},
        {"store", "ref<f32[8]> f32[8]", "f32[8]", WHOLE_8,
         INVALID("", "has 1 results, but takes 0")},
        {"store", "ref<f32[8]> f32[8] f32[8]", "", WHOLE_8 ",'mask':true",
         TYPE("", "mask is f32[8]")},
        {"swap", "ref<f32[8]> f32[8] bool[8]", "f32[8]", WHOLE_8 ",'mask':true", GOOD},
        {"swap", "ref<f32[8]> f16[8]", "f32[8]", WHOLE_8, TYPE("", "value is f16[8]")},
        {"swap", "ref<f32[8]> f32[8]", "f32[4]", WHOLE_8, TYPE("", "the result is f32[4]")},
        {"add_update", "ref<f32[8]> f32[8]", "", WHOLE_8, GOOD},
        {"add_update", "ref<bool[8]> bool[8]", "", WHOLE_8,
         TYPE("", "operand 0 is ref<bool[8]>, but must hold")},
        {"add_update", "ref<f32[8]> f32[4]", "", WHOLE_8, TYPE("", "value is f32[4]")},
        {"atomic_rmw", "ref<i32[8]> i32[8]", "i32[8]", WHOLE_8 ",'kind':'xor'", GOOD},
        {"atomic_rmw", "ref<f32[8]> f32[] i32[] bool[]", "f32[]", AT ",'kind':'max','mask':true",
         GOOD},
        {"atomic_rmw", "ref<bool[8]> bool[8]", "bool[8]", WHOLE_8 ",'kind':'xchg'", GOOD},
        {"atomic_rmw", "ref<f32[8]> f32[8]", "f32[8]", WHOLE_8 ",'kind':'and'",
         TYPE("", "must hold integers or bools")},
        {"atomic_rmw", "ref<bool[8]> bool[8]", "bool[8]", WHOLE_8 ",'kind':'add'",
         TYPE("", "must hold integers or floats")},
        {"atomic_rmw", "ref<i32[8]> i32[8]", "i64[8]", WHOLE_8 ",'kind':'add'",
         TYPE("", "the result is i64[8]")},
        {"atomic_cas", "ref<i32[8]> i32[] i32[] i32[]", "i32[]", AT, GOOD},
        {"atomic_cas", "ref<i32[8]> i32[8] i32[8]", "i32[8]", WHOLE_8,
         TYPE("", "the access is i32[8], but must be one element")},
        {"atomic_cas", "ref<i32[]> i32[] i64[]", "i32[]", "'index':[]", TYPE("", "value is i64[]")},
        {"atomic_cas", "ref<i32[]> i32[]", "i32[]", "'index':[]",
         INVALID("", "has 2 operands, but takes at least 3")},
        {"view", "ref<f32[8,4]> i32[]", "ref<f32[4]>", "'index':[['at'],['slice',0,4,1]]", GOOD},
        {"view", "ref<f32[8]> i32[]", "ref<f32[4]>", "'index':[['slice',null,4,2]]", GOOD},
        {"view", "ref<f32[8]>", "f32[4]", "'index':[['slice',0,4,1]]",
         TYPE("", "result 0 is f32[4], but must be a ref")},
        {"view", "ref<f32[8]>", "ref<f32[5]>", "'index':[['slice',0,4,1]]",
         TYPE("", "the result is ref<f32[5]>, but must be ref<f32[4]>")},
        {"view", "ref<f32[8]> i32[4]", "ref<f32[4]>", AT,
         TYPE("",
              "operand 1 is i32[4], but the position of dimension 0 must be an integer scalar")},
        {"view", "ref<f32[8]>", "ref<f32[4]>", "'index':[['slice',5,4,1]]",
         TYPE("", "4 elements from 5 by 1 reach beyond dimension 0 of ref<f32[8]>")},
        {"view", "ref<f32[8]> i32[]", "ref<f32[9]>", "'index':[['slice',null,9,1]]",
         TYPE("", "9 elements from 0")},
        {"view_transpose", "ref<f32[8,4]>", "ref<f32[4,8]>", "'permutation':[1,0]", GOOD},
        {"view_transpose", "ref<f32[8,4]>", "ref<f32[8,4]>", "'permutation':[1,0]",
         TYPE("", "the result is ref<f32[8,4]>, but must be ref<f32[4,8]>")},
        {"view_transpose", "ref<f32[8,4]>", "ref<f32[4,8]>", "'permutation':[0,0]",
         INVALID("", "permutation")},
        {"view_transpose", "f32[8,4]", "ref<f32[4,8]>", "'permutation':[1,0]",
         TYPE("", "operand 0 is f32[8,4], but must be a ref")},
        {"view_reshape", "ref<f32[8,4]>", "ref<f32[2,16]>", "", GOOD},
        {"view_reshape", "ref<f32[8,4]>", "ref<f32[2,15]>", "",
         TYPE("", "must have the dtype and element count of ref<f32[8,4]>")},
        {"view_reshape", "ref<f32[8,4]>", "ref<i32[2,16]>", "",
         TYPE("", "must have the dtype and element count")},
        {"view_reshape", "ref<f32[8,4]>", "f32[2,16]", "",
         TYPE("", "result 0 is f32[2,16], but must be a ref")},
        {"view_bitcast", "ref<f32[8]>", "ref<i32[8]>", "", GOOD},
        {"view_bitcast", "ref<f32[8,4]>", "ref<i8[32,4]>", "", GOOD},
        {"view_bitcast", "ref<f16[2,8,4]>", "ref<f64[2,2,4]>", "", GOOD},
        {"view_bitcast", "ref<f32[8]>", "ref<i16[16]>", "", TYPE("", "needs two dimensions")},
        {"view_bitcast", "ref<f16[7,4]>", "ref<f32[3,4]>", "",
         TYPE("", "dimension 0 of ref<f16[7,4]> is no multiple of 2 elements")},
        {"view_bitcast", "ref<f32[8,4]>", "ref<i8[8,16]>", "",
         TYPE("", "the result is ref<i8[8,16]>, but must be ref<i8[32,4]>")},
        {"view_bitcast", "ref<i4[8]>", "ref<u4[8]>", "",
         TYPE("", "only dtypes of whole bytes can be seen as one another")},
        {"view_bitcast", "ref<bool[8]>", "ref<u8[8]>", "", TYPE("", "only dtypes of whole bytes")},
        {"alloc", "", "ref<f32[8,4]>", "", GOOD},
        {"alloc", "", "f32[8,4]", "", TYPE("", "result 0 is f32[8,4], but must be a ref")},
    };
    CHECK_ALL(cases);
}

/* -- grid, control, printing -- */

#define ARG(id, type) "{'id':" id ",'type':'" type "'}"
#define REGION(args, yield) "{'args':[" args "],'yield':[" yield "]}"

Test(verify, control)
{
    static const op_case cases[] = {
        {"program_id", "", "i32[]", "'axis':0", GOOD},
        {"num_programs", "", "i64[]", "'axis':0", GOOD},
        {"program_id", "", "i32[]", "'axis':1",
         INVALID("", "axis 1 is none of the 1 axes of the grid")},
        {"num_programs", "", "i32[]", "'axis':-1", INVALID("", "axis -1")},
        {"program_id", "", "u32[]", "'axis':0",
         TYPE("", "the result is u32[], but must be i32[] or i64[]")},
        {"program_id", "", "i32[1]", "'axis':0", TYPE("", "the result is i32[1]")},
        {"for", "i32[] i32[] i32[] f32[8]", "f32[8]",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[8]") "],'yield':[91]}]",
         GOOD},
        {"for", "i32[] i32[] i32[]", "", "'regions':[{'args':[" ARG("90", "i32[]") "]}]", GOOD},
        {"for", "i32[] i32[]", "", "'regions':[{}]",
         INVALID("", "has 2 operands, but takes at least 3")},
        {"for", "f32[] f32[] f32[]", "", "'regions':[{'args':[" ARG("90", "f32[]") "]}]",
         TYPE("", "the lower bound is f32[], but must be an integer scalar")},
        {"for", "i32[] i64[] i32[]", "", "'regions':[{'args':[" ARG("90", "i32[]") "]}]",
         TYPE("", "the upper bound is i64[], but the lower bound is i32[]")},
        {"for", "i32[] i32[] i32[2]", "", "'regions':[{'args':[" ARG("90", "i32[]") "]}]",
         TYPE("", "the step is i32[2]")},
        {"for", "i32[] i32[] i32[]", "", "'regions':[{'args':[" ARG("90", "i64[]") "]}]",
         TYPE("/regions/0/args/0", "argument 0 is i64[], but must be i32[]")},
        {"for", "i32[] i32[] i32[] f32[8]", "f32[8]",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[4]") "],'yield':[3]}]",
         TYPE("/regions/0/args/1", "argument 1 is f32[4], but must be f32[8]")},
        {"for", "i32[] i32[] i32[] f32[8]", "f32[8]",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[8]") "],'yield':[90]}]",
         TYPE("/regions/0/yield/0", "yield 0 is i32[], but must be f32[8] like the carry")},
        {"for", "i32[] i32[] i32[] f32[8]", "f32[8]",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[8]") "]}]",
         TYPE("/regions/0/yield", "there are 0 values, but must be 1: one yield per carry")},
        {"for", "i32[] i32[] i32[] f32[8]", "f32[4]",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[8]") "],'yield':[91]}]",
         TYPE("", "result 0 is f32[4], but must be f32[8] like the carry")},
        {"for", "i32[] i32[] i32[] f32[8]", "",
         "'regions':[{'args':[" ARG("90", "i32[]") "," ARG("91", "f32[8]") "],'yield':[91]}]",
         TYPE("", "there are 0 values, but must be 1: one result per carry")},
        {"for", "i32[] i32[] i32[]", "",
         "'regions':[{'args':[" ARG("90", "i32[]") "],'ops':[{'op':'neg','in':[90],'out':[" ARG(
             "91", "f32[]") "]}]}]",
         TYPE("/regions/0/ops/0", "neg: the result is f32[], but must be i32[]")},
        {"while", "f32[] bool[]", "f32[] bool[]",
         "'regions':[" REGION(ARG("90", "f32[]") "," ARG("91", "bool[]"), "91") "," REGION(
             ARG("92", "f32[]") "," ARG("93", "bool[]"), "92,93") "]",
         GOOD},
        {"while", "bool[]", "bool[]", "'regions':[" REGION(ARG("90", "bool[]"), "90") "]",
         INVALID("", "has 1 regions, but takes 2")},
        {"while", "bool[2]", "bool[2]",
         "'regions':[" REGION(ARG("90", "bool[2]"), "90") "," REGION(ARG("91", "bool[2]"),
                                                                     "91") "]",
         TYPE("/regions/0/yield", "the condition yields bool[2], but must yield bool[]")},
        {"while", "bool[]", "bool[]",
         "'regions':[" REGION(ARG("90", "bool[]"), "") "," REGION(ARG("91", "bool[]"), "91") "]",
         TYPE("/regions/0/yield", "the condition yields 0 values")},
        {"while", "bool[]", "bool[]",
         "'regions':[" REGION(ARG("90", "i32[]"), "0") "," REGION(ARG("91", "bool[]"), "91") "]",
         TYPE("/regions/0/args/0", "argument 0 is i32[], but must be bool[]")},
        {"while", "bool[]", "bool[]",
         "'regions':[" REGION(ARG("90", "bool[]"), "90") "," REGION("", "0") "]",
         TYPE("/regions/1/args", "there are 0 values, but must be 1: one argument per carry")},
        {"while", "bool[]", "bool[]",
         "'regions':[" REGION(ARG("90", "bool[]"), "90") "," REGION(ARG("91", "bool[]"),
                                                                    "91,91") "]",
         TYPE("/regions/1/yield", "there are 2 values, but must be 1: one yield per carry")},
        {"switch", "i32[]", "", "'regions':[{}]", GOOD},
        {"switch", "bool[]", "", "'regions':[{},{}]", GOOD},
        {"switch", "bool[]", "bool[]", "'regions':[{'yield':[0]},{'yield':[0]}]", GOOD},
        {"switch", "i32[]", "", "", INVALID("", "has 0 regions, but takes at least 1")},
        {"switch", "bool[]", "", "'regions':[{},{},{}]",
         INVALID("", "has 3 regions, but a bool chooses between 2")},
        {"switch", "i64[]", "", "'regions':[{}]",
         TYPE("", "operand 0 is i64[], but must be bool[] or i32[]")},
        {"switch", "i32[2]", "", "'regions':[{}]", TYPE("", "operand 0 is i32[2]")},
        {"switch", "i32[]", "", "'regions':[{'args':[" ARG("90", "i32[]") "]}]",
         INVALID("", "region 0 takes 1 arguments, but a branch takes none")},
        {"switch", "i32[]", "i32[]", "'regions':[{'yield':[0]},{}]",
         TYPE("/regions/1/yield", "there are 0 values, but must be 1: one yield per result")},
        {"switch", "i32[]", "f32[]", "'regions':[{'yield':[0]}]",
         TYPE("/regions/0/yield/0", "yield 0 is i32[], but must be f32[] like the result")},
        {"scoped", "", "", "'regions':[{'args':[" ARG("90", "ref<f32[8]>") "]}]", GOOD},
        {"scoped", "", "", "'regions':[{'args':[" ARG("90", "f32[8]") "]}]",
         TYPE("/regions/0/args/0", "argument 0 is f32[8], but must be a ref")},
        {"scoped", "", "ref<f32[8]>",
         "'regions':[{'args':[" ARG("90", "ref<f32[8]>") "],'yield':[90]}]",
         TYPE("", "result 0 is ref<f32[8]>, but must be a value")},
        {"scoped", "", "f32[8]", "'regions':[{'args':[" ARG("90", "ref<f32[8]>") "],'yield':[90]}]",
         TYPE("/regions/0/yield/0", "yield 0 is ref<f32[8]>, but must be f32[8]")},
        {"check", "bool[]", "", "'format':'x'", GOOD},
        {"check", "bool[] f32[8]", "", "'format':'x is {}'", GOOD},
        {"check", "bool[8]", "", "'format':'x'",
         TYPE("", "operand 0 is bool[8], but must be bool[]")},
        {"check", "i32[]", "", "'format':'x'", TYPE("", "operand 0 is i32[]")},
        {"check", "bool[] f32[8]", "", "'format':'x'",
         INVALID("", "format has 0 places {}, but there are 1 operands")},
        {"debug_print", "f32[8] i32[]", "", "'format':'x {} {{i}} = {}'", GOOD},
        {"debug_print", "f32[8]", "", "'format':'x'",
         INVALID("", "format has 0 places {}, but there are 1 operands")},
        {"debug_print", "", "", "'format':'{}'",
         INVALID("", "format has 1 places {}, but there are 0 operands")},
        {"debug_print", "f32[8]", "", "'format':'{x}'", INVALID("", "lone brace")},
        {"debug_print", "f32[] i32[] bf16[]", "", "'format':'{:>+8.3f} {:#010x} {!s:^9}'", GOOD},
        {"debug_print", "f32[8]", "", "'format':'{:5}'",
         INVALID("", "place 0 of the format, for f32[8], has a block takes no specification")},
        {"debug_print", "f32[] f32[]", "", "'format':'{} {:d}'",
         INVALID("", "place 1 of the format, for f32[], has a type for integers on a float")},
        {"debug_print", "i32[]", "", "'format':'{:.3}'", INVALID("", "a precision on an integer")},
        {"debug_print", "i32[]", "", "'format':'{:,x}'", INVALID("", "commas among digits")},
        {"debug_print", "i32[]", "", "'format':'{:s}'", INVALID("", "the type s on a number")},
        {"debug_print", "i32[]", "", "'format':'{!s:+}'", INVALID("", "written as text")},
        {"debug_print", "f32[]", "", "'format':'{:.}'", INVALID("", "a point without a precision")},
        {"debug_print", "f32[]", "", "'format':'{:5q}'",
         INVALID("", "a specification that is not supported")},
        {"debug_print", "f32[]", "", "'format':'{:200000}'", INVALID("", "a width above 100000")},
        {"debug_print", "f32[]", "", "'format':'{:.200000f}'",
         INVALID("", "a precision above 100000")},
        {"debug_print", "f32[]", "", "'format':'{:5'",
         INVALID("", "a specification that is not supported")},
        {"debug_print", "f32[8]", "", "'format':'{}','print_edge_items':0",
         INVALID("", "print_edge_items is 0; legal is 1 and more")},
        {"debug_print", "f32[8]", "", "'format':'{}','print_precision':101",
         INVALID("", "print_precision is 101; legal is 0 and more, up to 100")},
        {"debug_print", "", "", "'format':'}'", INVALID("", "lone brace")},
    };
    CHECK_ALL(cases);
}

/* -- kernels -- */

typedef struct kernel_case {
    const char *kernels; /* JSON */
    tg_status status;
    const char *at, *message;
} kernel_case;

#define GRID "'grid':[{'size':4}]"
#define KERNEL(text) "{'name':'k'," text "}"
#define NOTHING "'params':[],'body':{}"
#define BODY(args) "'body':{'args':[" args "]}"
#define PARAM(name, role, type, rest)                                                              \
    "{'name':'" name "','role':'" role "','type':'" type "'" rest "}"
#define INDEX_MAP(args, ops, yield)                                                                \
    ",'index_map':{'args':[" args "],'ops':[" ops "],'yield':[" yield "]}"
#define I32 ARG("10", "i32[]")
#define BLOCK_8 ",'block':[{'blocked':8}]"

/* A kernel with one input, given by what follows its type, and the body's argument. */
#define ONE(type, rest, ref)                                                                       \
    KERNEL(GRID ",'params':[" PARAM("x", "input", type, rest) "]," BODY(ARG("0", ref)))
/* A kernel with two params and the body's arguments. */
#define TWO(first, second, ref0, ref1)                                                             \
    KERNEL(GRID ",'params':[" first "," second "]," BODY(ARG("0", ref0) "," ARG("1", ref1)))
/* An input in blocks of 8, given by the ops of its index map over value 10 and what it yields. */
#define MAPPED(ops, yield) ONE("f32[32]", BLOCK_8 INDEX_MAP(I32, ops, yield), "ref<f32[8]>")
/* An output whose index map takes the prefetch param n as value 11. */
#define PREFETCHED(type, ref, ops, yield)                                                          \
    TWO(PARAM("n", "prefetch", type, ""),                                                          \
        PARAM("y", "output", "f32[32]", INDEX_MAP(I32 "," ARG("11", ref), ops, yield)),            \
        "ref<" type ">", "ref<f32[32]>")

static void put_kernels(text *t, const char *kernels)
{
    t->used = 0;
    put(t, "{'tilegrind':'0.1','kernels':[%s]}", kernels);
    use_double_quotes(t);
}

static tg_module *load_kernels(const char *kernels)
{
    static text t;
    put_kernels(&t, kernels);
    return load(&t);
}

Test(verify, kernels)
{
    static const kernel_case cases[] = {
        {KERNEL("'grid':[]," NOTHING), GOOD},
        {KERNEL("'grid':[{'size':'dynamic','semantics':'arbitrary'},{'size':0}]," NOTHING), GOOD},
        {ONE("f32[32]", "", "ref<f32[32]>"), GOOD},
        {ONE("f32[32]", INDEX_MAP(I32, "", "10"), "ref<f32[32]>"), GOOD},
        {ONE("f32[32,4]", ",'block':[{'element':8,'pad':[1,2]},'squeezed']", "ref<f32[8]>"), GOOD},
        {MAPPED("", "10"), GOOD},
        {MAPPED("{'op':'num_programs','axis':0,'out':[" ARG("12", "i32[]") "]}", "12"), GOOD},
        {MAPPED("{'op':'convert','in':[10],'out':[" ARG("12", "i64[]") "]}", "12"), GOOD},
        {PREFETCHED("i32[4]", "ref<i32[4]>",
                    "{'op':'load','in':[11,10],'index':[['at']],'out':[" ARG("12", "i32[]") "]}",
                    "12"),
         GOOD},
        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("y", "output", "f32[32]", ",'alias':'x'"),
             "ref<f32[32]>", "ref<f32[32]>"),
         GOOD},

        {KERNEL("'grid':[]," NOTHING) "," KERNEL("'grid':[]," NOTHING),
         INVALID("/kernels/1", "the name \"k\" is that of kernel 0 already")},
        {KERNEL("'grid':[{'size':2,'name':'i'},{'size':2,'name':'i'}]," NOTHING),
         INVALID("/kernels/0/grid/1", "the name \"i\" is that of axis 0 already")},
        {KERNEL("'grid':[{'size':4294967296}]," NOTHING),
         INVALID("/kernels/0/grid/0", "size is 4294967296")},
        {KERNEL("'grid':[{'size':2147483647},{'size':2147483647},{'size':2147483647}]," NOTHING),
         INVALID("/kernels/0/grid", "more than 2^62 programs")},

        {TWO(PARAM("y", "output", "f32[32]", ""), PARAM("x", "input", "f32[32]", ""),
             "ref<f32[32]>", "ref<f32[32]>"),
         INVALID("/kernels/0/params/1", "role input follows role output")},
        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("x", "output", "f32[32]", ""),
             "ref<f32[32]>", "ref<f32[32]>"),
         INVALID("/kernels/0/params/1", "the name \"x\" is that of param 0 already")},
        {ONE("f32[32]", BLOCK_8, "ref<f32[32]>"),
         TYPE("/kernels/0/body/args/0",
              "argument 0 is ref<f32[32]>, but must be ref<f32[8]>, the block of param \"x\"")},
        {ONE("f32[32]", BLOCK_8, "f32[8]"),
         TYPE("/kernels/0/body/args/0", "argument 0 is f32[8], but must be ref<f32[8]>")},
        {ONE("f32[32,4]", ",'block':[{'blocked':8},'squeezed']", "ref<f32[8,1]>"),
         TYPE("/kernels/0/body/args/0", "but must be ref<f32[8]>")},
        {KERNEL(GRID ",'params':[" PARAM("x", "input", "f32[8]", "") "]," BODY("")),
         TYPE("/kernels/0/body", "the body takes 0 arguments, but there are 1 params")},
        {KERNEL("'grid':[],'params':[],'body':{'ops':[{'op':'undefined','out':[" I32
                "]}],'yield':[10]}"),
         TYPE("/kernels/0/body", "the body yields 1 values, but must yield none")},

        {ONE("f32[32]", ",'block':[{'blocked':0}]", "ref<f32[0]>"),
         INVALID("/kernels/0/params/0/block/0", "the block size is 0")},
        {ONE("f32[32,4]", ",'block':[{'blocked':8},{'element':0}]", "ref<f32[8,0]>"),
         INVALID("/kernels/0/params/0/block/1", "the block size is 0")},

        {ONE("f32[32]", INDEX_MAP(ARG("10", "i64[]"), "", "10"), "ref<f32[32]>"),
         TYPE("/kernels/0/params/0/index_map/args/0", "argument 0 is i64[], but must be i32[]")},
        {ONE("f32[32]", INDEX_MAP(I32 "," ARG("11", "i32[]"), "", "10"), "ref<f32[32]>"),
         TYPE("/kernels/0/params/0/index_map/args", "takes 1 arguments")},
        {ONE("f32[32,4]", INDEX_MAP(I32, "", "10"), "ref<f32[32,4]>"),
         TYPE("/kernels/0/params/0/index_map/yield", "yields 1 indices, but f32[32,4] has 2")},
        {PREFETCHED("i32[4]", "ref<i32[]>", "", "10"),
         TYPE("/kernels/0/params/1/index_map/args/1",
              "argument 1 is ref<i32[]>, but must be ref<i32[4]>")},
        {PREFETCHED("i32[]", "ref<i32[]>", "", "11"),
         TYPE("/kernels/0/params/1/index_map/yield/0", "yield 0 is ref<i32[]>, but must be i32[]")},
        {MAPPED("{'op':'convert','in':[10],'out':[" ARG("12", "f32[]") "]}", "12"),
         TYPE("/kernels/0/params/0/index_map/yield/0", "yield 0 is f32[], but must be i32[]")},
        {MAPPED("{'op':'program_id','axis':0,'out':[" ARG("12", "i32[]") "]}", "12"),
         INVALID("/kernels/0/params/0/index_map/ops/0",
                 "program_id: is not allowed in an index map")},
        {MAPPED("{'op':'debug_print','format':''}", "10"),
         INVALID("/kernels/0/params/0/index_map/ops/0", "debug_print: has an effect")},
        {PREFETCHED("i32[]", "ref<i32[]>",
                    "{'op':'switch','in':[10],'regions':[{'ops':["
                    "{'op':'store','in':[11,10],'index':[]}]}]}",
                    "10"),
         INVALID("/kernels/0/params/1/index_map/ops/0/regions/0/ops/0", "store: has an effect")},

        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("y", "output", "f32[16]", ",'alias':'x'"),
             "ref<f32[32]>", "ref<f32[16]>"),
         TYPE("/kernels/0/params/1", "the array is f32[16], but its alias \"x\" is f32[32]")},
        {TWO(PARAM("y", "output", "f32[8]", ""), PARAM("z", "output", "f32[8]", ",'alias':'y'"),
             "ref<f32[8]>", "ref<f32[8]>"),
         INVALID("/kernels/0/params/1", "alias must be an input or prefetch param")},
        {KERNEL(
             "'grid':[],'params':[" PARAM("x", "input", "f32[]", "") "," PARAM("y", "output", "f32[]", ",'alias':'x'") "," PARAM(
                 "z", "output", "f32[]",
                 ",'alias':'x'") "]," BODY(ARG("0",
                                               "ref<f32[]>") "," ARG("1",
                                                                     "ref<f32[]>") "," ARG("2",
                                                                                           "ref<"
                                                                                           "f32[]"
                                                                                           ">"))),
         INVALID("/kernels/0/params/2", "param 1 is aliased to the same param already")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg_module *module = load_kernels(cases[i].kernels);
        expect(module, cases[i].status, cases[i].at, cases[i].message, cases[i].kernels);
        tg_module_free(module);
    }
}

/* -- what the loader never lets through, but other makers of modules might -- */

/* Two axes; a prefetch, an input with block and index map, an output, a scratch param; a body whose
 * ops are constant, load, gather, round, constant and switch. */
static const char spoilt[] = KERNEL(
    "'grid':[{'size':2},{'size':3}],'params':[" PARAM("n", "prefetch", "i32[4]", "") "," PARAM(
        "x", "input", "f32[32,4]",
        ",'block':[{'element':8,'pad':[1,1]},'squeezed']" INDEX_MAP(
            I32 "," ARG("11", "i32[]") "," ARG("12", "ref<i32[4]>"),
            "", "10,11")) "," PARAM("y", "output", "i32[4]", ",'alias':'n'") "," PARAM("s",
                                                                                       "scratch", "f32[8]", "") "],'body':{'args':[" ARG("0", "ref<i32[4]>") "," ARG("1", "ref<f32[8]>") "," ARG("2", "ref<i32[4]>") "," ARG("3", "ref<f32[8]>") "],'ops':["
                                                                                                                                                                                                                                                 "{'op':'constant','value':1,'out':[" ARG("20",
                                                                                                                                                                                                                                                                                          "i32[3,1]") "]},"
                                                                                                                                                                                                                                                                                                      "{'op':'load','in':[1],'index':[['slice',0,8,1]],'out':[" ARG("21",
                                                                                                                                                                                                                                                                                                                                                                    "f32[8]") "]},"
                                                                                                                                                                                                                                                                                                                                                                              "{'op':'gather','in':[21,20]," GATHER("[]", "[0]",
                                                                                                                                                                                                                                                                                                                                                                                                                    "[0]", "[]", "[]", "[1]") ",'out':[" ARG("22", "f32[3]") "]},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                             "{'op':'round','in':[22],'rounding':'even','out':[" ARG(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "23", "f32[3]") "]},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "{'op':'constant','value':1,'out':[" ARG("24",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "i32[]") "]},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "{'op':'switch','in':[24],'regions':[{'ops':["
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "{'op':'debug_print','in':[23],'format':'{}'}]}]}]}");

enum { OP_CONSTANT, OP_LOAD, OP_GATHER, OP_ROUND, OP_SECOND_CONSTANT, OP_SWITCH };
enum { PARAM_PREFETCH, PARAM_INPUT, PARAM_OUTPUT, PARAM_SCRATCH };

typedef struct spoil_case {
    void (*spoil)(tg_module *m, tg_kernel *k, tg_op *ops, tg_param *params);
    tg_status status;
    const char *at, *message;
} spoil_case;

#define SPOIL(name, ...)                                                                           \
    static void name(tg_module *m, tg_kernel *k, tg_op *ops, tg_param *params)                     \
    {                                                                                              \
        (void)m, (void)k, (void)ops, (void)params;                                                 \
        __VA_ARGS__;                                                                               \
    }
SPOIL(nothing, (void)0)
SPOIL(no_kernels, m->kernel_count = 0)
SPOIL(kernel_loc, k->loc = 1)
SPOIL(too_many_axes, k->axis_count = TG_MAX_AXES + 1)
SPOIL(negative_axis, k->axes[1].size = -2)
SPOIL(rank_9, k->values[k->body.args[0]].type.rank = 9)
SPOIL(unknown_dtype, k->values[k->body.args[0]].type.dtype = TG_DT_COUNT)
SPOIL(negative_extent, k->values[k->body.args[0]].type.shape[0] = -1)
SPOIL(vast_type, params[PARAM_SCRATCH].array.shape[0] = INT64_MAX)
SPOIL(unknown_role, params[PARAM_INPUT].role = TG_ROLE_COUNT)
SPOIL(array_is_ref, params[PARAM_INPUT].array.is_ref = true)
SPOIL(wrong_ref, params[PARAM_INPUT].ref.shape[0] = 9)
SPOIL(negative_pad, params[PARAM_INPUT].block[0].pad_low = -1)
SPOIL(pad_of_blocked, params[PARAM_INPUT].block[0].kind = TG_BLOCK_BLOCKED)
SPOIL(wide_squeezed, params[PARAM_INPUT].block[1].size = 2)
SPOIL(vast_block, params[PARAM_INPUT].block[0].size = (int64_t)1 << 47,
      params[PARAM_INPUT].block[1] = params[PARAM_INPUT].block[0])
SPOIL(scratch_block, params[PARAM_SCRATCH].has_block = true,
      params[PARAM_SCRATCH].block[0].size = 8)
SPOIL(prefetch_index_map, params[PARAM_PREFETCH].index_map = params[PARAM_INPUT].index_map)
SPOIL(input_alias, params[PARAM_INPUT].alias = 0)
SPOIL(alias_to_scratch, params[PARAM_OUTPUT].alias = PARAM_SCRATCH)
SPOIL(alias_to_nothing, params[PARAM_OUTPUT].alias = 77)
SPOIL(unknown_op, ops[OP_ROUND].code = TG_OP_COUNT)
SPOIL(op_loc, ops[OP_ROUND].loc = 9)
SPOIL(no_attribute, ops[OP_ROUND].attr_count = 0)
SPOIL(unknown_attribute, ops[OP_ROUND].attrs[0].id = TG_ATTR_COUNT)
SPOIL(foreign_attribute, ops[OP_ROUND].attrs[0].id = TG_ATTR_axis)
SPOIL(attribute_twice, ops[OP_GATHER].attrs[1] = ops[OP_GATHER].attrs[0])
SPOIL(unknown_spelling, ops[OP_ROUND].attrs[0].as.integer = 2)
SPOIL(too_few_elements, ops[OP_CONSTANT].attrs[0].as.data.count = 2)
SPOIL(unknown_index_kind, ops[OP_LOAD].attrs[0].as.index[0].kind = (tg_index_kind)7)
SPOIL(nested_in_itself, ops[OP_SWITCH].regions[0] = k->body, k->body.arg_count = 0)

Test(verify, spoilt_modules)
{
    static const spoil_case cases[] = {
        {nothing, GOOD},
        {no_kernels, INVALID("/kernels", "there must be at least one kernel")},
        {kernel_loc, INVALID("/kernels/0", "loc is 1, but there are 0 locations")},
        {too_many_axes, INVALID("/kernels/0", "has 17 axes")},
        {negative_axis, INVALID("/kernels/0/grid/1", "size is -2")},
        {rank_9, TYPE("/kernels/0", "has an impossible type")},
        {unknown_dtype, TYPE("/kernels/0", "has an impossible type")},
        {negative_extent, TYPE("/kernels/0", "has an impossible type")},
        {vast_type, TYPE("/kernels/0/params/3", "has an impossible type")},
        {unknown_role, INVALID("/kernels/0/params/1", "has no known role")},
        {array_is_ref, TYPE("/kernels/0/params/1", "the array is ref<f32[32,4]>")},
        {wrong_ref,
         TYPE("/kernels/0/params/1", "the ref is ref<f32[9]>, but the block gives ref<f32[8]>")},
        {negative_pad, INVALID("/kernels/0/params/1/block/0", "the padding is [-1, 1]")},
        {pad_of_blocked,
         INVALID("/kernels/0/params/1/block/0", "only an element dimension takes padding")},
        {wide_squeezed,
         INVALID("/kernels/0/params/1/block/1", "the size of a squeezed dimension is 2")},
        {vast_block, INVALID("/kernels/0/params/1", "the block has more than 2^47 elements")},
        {scratch_block, INVALID("/kernels/0/params/3", "role scratch takes no block")},
        {prefetch_index_map, INVALID("/kernels/0/params/0", "role prefetch takes no index_map")},
        {input_alias, INVALID("/kernels/0/params/1", "role input takes no alias")},
        {alias_to_scratch,
         INVALID("/kernels/0/params/2", "alias must be an input or prefetch param")},
        {alias_to_nothing,
         INVALID("/kernels/0/params/2", "alias must be an input or prefetch param")},
        {unknown_op, INVALID("/kernels/0/body/ops/3", "no operation has the number")},
        {op_loc, INVALID("/kernels/0/body/ops/3", "loc is 9")},
        {no_attribute, INVALID("/kernels/0/body/ops/3", "lacks the attribute 'rounding'")},
        {unknown_attribute, INVALID("/kernels/0/body/ops/3", "an attribute of unknown number")},
        {foreign_attribute,
         INVALID("/kernels/0/body/ops/3", "has no use for the attribute 'axis'")},
        {attribute_twice,
         INVALID("/kernels/0/body/ops/2", "has the attribute 'offset_dims' twice")},
        {unknown_spelling, INVALID("/kernels/0/body/ops/3", "rounding is none of: even away")},
        {too_few_elements,
         TYPE("/kernels/0/body/ops/0", "value has 2 elements, but i32[3,1] has 3")},
        {unknown_index_kind,
         INVALID("/kernels/0/body/ops/1", "index 0 is neither a slice nor a position")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg_module *module = load_kernels(spoilt);
        tg_kernel *k = &module->kernels[0];
        cases[i].spoil(module, k, k->body.ops, k->params);
        expect(module, cases[i].status, cases[i].at, cases[i].message, cases[i].message);
        tg_module_free(module);
    }
}

/* A region that contains itself is the deepest nesting of all. */
Test(verify, nesting_is_bounded)
{
    tg_diags diags = {0};
    tg_module *module = load_kernels(spoilt);
    tg_kernel *k = &module->kernels[0];
    nested_in_itself(module, k, k->body.ops, k->params);
    cr_expect_neq(tg_module_verify(module, &diags), TG_OK);
    bool found = false;
    for (size_t i = 0; i < diags.count; i++)
        found |= strstr(diags.list[i].message, "nested deeper") != NULL;
    cr_expect(found || diags.dropped > 0);
    tg_diags_free(&diags);
    tg_module_free(module);
}

/* -- all that is wrong -- */

Test(verify, reports_everything)
{
    tg_diags diags = {0};
    tg_module *module = load_kernels(
        KERNEL(GRID ",'params':[" PARAM("x", "scratch", "f32[8]", "") "],'body':{'args':[" ARG(
            "0",
            "ref<f32[4]>") "],'ops':[{'op':'add','in':[0,0],'out':[]},"
                           "{'op':'iota','axis':3,'out':[" ARG(
                               "1",
                               "bool[2]") "]}]}") "," KERNEL("'grid':[],'params':[],'body':{'ops':["
                                                             "{'op':'program_id','axis':0,'out':"
                                                             "[" ARG("1", "f32[]") "]}]}"));
    cr_expect_eq(tg_module_verify(module, &diags), TG_ERR_TYPE);
    const tg_diags *d = &diags;
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/args/0", "must be ref<f32[8]>"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/0/body/ops/0", "has 0 results"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/0", "operand 0 is ref<f32[4]>"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/0", "operand 1 is ref<f32[4]>"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/0/body/ops/1", "axis 3"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/1", "bool[2]"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/1", "the name \"k\""));
    cr_expect(
        is_reported(d, TG_ERR_INVALID, "/kernels/1/body/ops/0", "axis 0 is none of the 0 axes"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/1/body/ops/0", "f32[]"));
    cr_expect_eq(diags.count, 9);
    tg_diags_free(&diags);
    tg_module_free(module);
}

/* The status is that of this pass, also where earlier diagnoses are kept. */
Test(verify, status_is_of_this_pass)
{
    tg_diags diags = {0};
    tg_fail(&diags, TG_ERR_IO, NULL, "from before");
    tg_module *good = load_kernels(KERNEL("'grid':[],'params':[],'body':{}"));
    tg_module *bad =
        load_kernels(KERNEL("'grid':[],'params':[],'body':{'ops':[{'op':'undefined'}]}"));
    cr_expect_eq(tg_module_verify(good, &diags), TG_OK);
    cr_expect_eq(tg_module_verify(bad, &diags), TG_ERR_INVALID);
    cr_expect_eq(diags.worst, TG_ERR_IO);
    cr_expect_eq(diags.count, 2);
    tg_diags_free(&diags);
    tg_module_free(good);
    tg_module_free(bad);
}

Test(verify, survives_any_module)
{
    static text t;
    put_kernels(&t, spoilt);
    survive(&t, 3000);
}
