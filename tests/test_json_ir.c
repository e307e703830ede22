/* The JSON loader: what it accepts, and with which diagnosis it rejects the rest. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "loaders/json_ir.h"
#include "loaders/json_locate.h"
#include "loaders/json_scan.h"

/* Texts are written with ' for ", which makes them readable here. */
#define OPEN "{'tilegrind': '0.1', 'kernels': [{'name': 'k', 'grid': [], 'params': "
#define CLOSE "}]}"
#define BODY(text) OPEN "[], 'body': " text CLOSE
#define OPS(text) BODY("{'ops': [" text "]}")
#define PARAM(text) OPEN "[" text "], 'body': {}" CLOSE
#define X "'name': 'x', 'role': 'input', 'type': 'f32[8,4]'"
#define C0 "{'op': 'constant', 'out': [{'id': 0, 'type': 'f32[]'}], 'value': 1}"
#define CONSTANT(type, value)                                                                      \
    OPS("{'op': 'constant', 'out': [{'id': 0, 'type': '" type "'}], 'value': " value "}")
#define OP0 "/kernels/0/body/ops/0"
#define OP1 "/kernels/0/body/ops/1"

static char *in_quotes(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    for (char *p = copy; *p; p++)
        if (*p == '\'') *p = '"';
    return copy;
}

static tg_module *load(const char *text, tg_status wanted)
{
    tg_diags diags = {0};
    tg_module *module;
    tg_status status = tg_json_load(text, strlen(text), &module, &diags);
    cr_expect_eq(status, wanted, "%s: %s", tg_status_name(status),
                 diags.count ? diags.list[0].message : "");
    cr_expect_eq(module == NULL, status != TG_OK);
    tg_diags_free(&diags);
    return module;
}

static tg_module *load_quoted(const char *text)
{
    char *json = in_quotes(text);
    tg_module *module = load(json, TG_OK);
    free(json);
    return module;
}

/* The first diagnosis: its status, its path, a part of its message, and the text at its offset
 * (NULL: the end of the text). */
typedef struct reject_case {
    const char *text;
    tg_status status;
    const char *at, *message, *found;
} reject_case;

static void check_rejected(const reject_case *c)
{
    tg_diags diags = {0};
    tg_module *module;
    char *text = in_quotes(c->text), *found = in_quotes(c->found ? c->found : "");
    tg_status status = tg_json_load(text, strlen(text), &module, &diags);
    cr_expect_eq(status, c->status, "%s: %s", c->text, tg_status_name(status));
    cr_expect_null(module);
    cr_assert_gt(diags.count, 0, "%s: nothing reported", c->text);
    const tg_diag *first = &diags.list[0];
    cr_expect_eq(first->status, c->status, "%s", c->text);
    cr_expect_str_eq(first->where, c->at, "%s: reported at %s", c->text, first->where);
    cr_expect_not_null(strstr(first->message, c->message), "%s: %s", c->text, first->message);
    cr_assert(first->offset >= 0 && (size_t)first->offset <= strlen(text), "%s", c->text);
    const char *at = text + first->offset;
    cr_expect_eq(strncmp(at, found, strlen(found)), 0, "%s: offset at %s", c->text, at);
    if (!c->found) cr_expect_str_eq(at, "", "%s: offset at %s", c->text, at);
    tg_diags_free(&diags);
    free(text);
    free(found);
}

static void check_all_rejected(const reject_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) check_rejected(&cases[i]);
}

#define CHECK_ALL(cases) check_all_rejected(cases, sizeof(cases) / sizeof *(cases))

Test(json_ir, rejects_malformed_text)
{
    static const reject_case cases[] = {
        {"", TG_ERR_SYNTAX, "", "ends too early", NULL},
        {" \n", TG_ERR_SYNTAX, "", "ends too early", NULL},
        {"\xef\xbb\xbf{}", TG_ERR_SYNTAX, "", "byte order mark", "\xef"},
        {"{} {}", TG_ERR_SYNTAX, "", "text follows", "{}"},
        {"{} x", TG_ERR_SYNTAX, "", "text follows", "x"},
        {"[1,]", TG_ERR_SYNTAX, "/1", "missing or unknown", "]"},
        {"[1 2]", TG_ERR_SYNTAX, "/0", "',' or ']'", "2"},
        {"{'a': 1,}", TG_ERR_SYNTAX, "", "key in quotes", "}"},
        {"{a: 1}", TG_ERR_SYNTAX, "", "key in quotes", "a"},
        {"{'a' 1}", TG_ERR_SYNTAX, "/a", "':' is missing", "1"},
        {"{'a': 1 'b': 2}", TG_ERR_SYNTAX, "/a", "',' or '}'", "'b'"},
        {"{'a': [1, {'b': tru}]}", TG_ERR_SYNTAX, "/a/1/b", "missing or unknown", "tru}"},
        {"[01]", TG_ERR_SYNTAX, "/0", "starts with 0", "1]"},
        {"[+1]", TG_ERR_SYNTAX, "/0", "missing or unknown", "+1"},
        {"[1.]", TG_ERR_SYNTAX, "/0", "behind its point", "]"},
        {"[.5]", TG_ERR_SYNTAX, "/0", "missing or unknown", ".5"},
        {"[1e]", TG_ERR_SYNTAX, "/0", "exponent", "]"},
        {"[-]", TG_ERR_SYNTAX, "/0", "lacks its digits", "]"},
        {"[NaN]", TG_ERR_SYNTAX, "/0", "missing or unknown", "NaN"},
        {"['abc", TG_ERR_SYNTAX, "/0", "not closed", NULL},
        {"['a\\", TG_ERR_SYNTAX, "/0", "not closed", "\\"},
        {"['\\x41']", TG_ERR_SYNTAX, "/0", "escape is unknown", "\\x41"},
        {"['\\u12g4']", TG_ERR_SYNTAX, "/0", "four hexadecimal", "\\u12g4"},
        {"['\\u0000']", TG_ERR_SYNTAX, "/0", "\\u0000", "\\u0000"},
        {"['\\ud800']", TG_ERR_SYNTAX, "/0", "lacks the second", "\\ud800"},
        {"['\\ud800\\u0041']", TG_ERR_SYNTAX, "/0", "lacks the second", "\\ud800"},
        {"['\\udc00']", TG_ERR_SYNTAX, "/0", "lacks the first", "\\udc00"},
        {"['\t']", TG_ERR_SYNTAX, "/0", "control character", "\t"},
        {"['\xff']", TG_ERR_SYNTAX, "/0", "not UTF-8", "\xff"},
        {"['\xc0\xaf']", TG_ERR_SYNTAX, "/0", "not UTF-8", "\xc0"},
        {"['\xed\xa0\x80']", TG_ERR_SYNTAX, "/0", "not UTF-8", "\xed"},
        {"['\xf4\x90\x80\x80']", TG_ERR_SYNTAX, "/0", "not UTF-8", "\xf4"},
        {"['\xe2\x82']", TG_ERR_SYNTAX, "/0", "not UTF-8", "\xe2"},
        {"{'a': 1, 'b': {'c': 0, 'd': 1, '\\u0063': 2}}", TG_ERR_SYNTAX, "/b/c", "twice",
         "'\\u0063'"},
        {"[1000000000000000000000000000000000000000000000000000000000000000]", TG_ERR_UNSUPPORTED,
         "/0", "longer than 63", "1000"},
    };
    CHECK_ALL(cases);
}

Test(json_ir, rejects_modules_and_kernels)
{
    static const reject_case cases[] = {
        {"[]", TG_ERR_INVALID, "", "expected an object, found a list", "[]"},
        {"{}", TG_ERR_INVALID, "", "\"tilegrind\" is missing", "{}"},
        {"{'tilegrind': '9.0'}", TG_ERR_UNSUPPORTED, "/tilegrind", "version \"9.0\"", "'9.0'"},
        {"{'tilegrind': 0.1}", TG_ERR_INVALID, "/tilegrind", "expected a string", "0.1"},
        {"{'tilegrind': '0.1'}", TG_ERR_INVALID, "", "\"kernels\" is missing", "{"},
        {"{'tilegrind': '0.1', 'kernels': []}", TG_ERR_INVALID, "/kernels", "at least one", "[]"},
        {"{'tilegrind': '0.1', 'kernels': [3]}", TG_ERR_INVALID, "/kernels/0", "found a number",
         "3"},
        {"{'tilegrind': '0.1', 'kernel': []}", TG_ERR_INVALID, "/kernel", "unknown key", "[]"},
        {"{'tilegrind': '0.1', 'locations': [{'line': -1}], 'kernels': []}", TG_ERR_INVALID,
         "/locations/0/line", "-1 is less than 0", "-1"},
        {"{'tilegrind': '0.1', 'kernels': [{'name': 'k'}]}", TG_ERR_INVALID, "/kernels/0",
         "\"grid\" is missing", "{'name'"},
        {BODY("{}, 'loc': 1"), TG_ERR_INVALID, "/kernels/0/loc", "no locations", "1}"},
        {BODY("{}, 'dialect': 'cuda'"), TG_ERR_INVALID, "/kernels/0/dialect", "xla triton",
         "'cuda'"},
        {BODY("{}, 'Grid': 1"), TG_ERR_INVALID, "/kernels/0/Grid", "unknown key", "1"},
        {"{'tilegrind': '0.1', 'kernels': [{'name': 'k', 'grid': [{'size': -2}], 'params': [], "
         "'body': {}}]}",
         TG_ERR_INVALID, "/kernels/0/grid/0/size", "less than 0", "-2"},
        {"{'tilegrind': '0.1', 'kernels': [{'name': 'k', 'grid': [{'size': 1, 'semantics': 'x'}], "
         "'params': [], 'body': {}}]}",
         TG_ERR_INVALID, "/kernels/0/grid/0/semantics", "parallel arbitrary", "'x'"},
        {"{'tilegrind': '0.1', 'kernels': [{'name': 'k', 'grid': [{}], 'params': [], 'body': {}}]}",
         TG_ERR_INVALID, "/kernels/0/grid/0", "\"size\" is missing", "{}"},
        {"{'tilegrind': '0.1', 'kernels': [{'name': 'k', 'grid': "
         "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "
         "'params': [], 'body': {}}]}",
         TG_ERR_UNSUPPORTED, "/kernels/0/grid", "17 axes", "[0,0"},
    };
    CHECK_ALL(cases);
}

Test(json_ir, rejects_params)
{
    static const reject_case cases[] = {
        {PARAM("{'role': 'input', 'type': 'f32[]'}"), TG_ERR_INVALID, "/kernels/0/params/0",
         "\"name\" is missing", "{'role'"},
        {PARAM("{'name': 'x', 'role': 'in', 'type': 'f32[]'}"), TG_ERR_INVALID,
         "/kernels/0/params/0/role", "none of: prefetch", "'in'"},
        {PARAM("{'name': 'x', 'role': 'input', 'type': 'f33[]'}"), TG_ERR_INVALID,
         "/kernels/0/params/0/type", "unknown dtype", "'f33[]'"},
        {PARAM("{'name': 'x', 'role': 'input', 'type': 'ref<f32[]>'}"), TG_ERR_INVALID,
         "/kernels/0/params/0/type", "found a reference", "'ref<"},
        {PARAM("{" X ", 'block': [{'blocked': 2}]}"), TG_ERR_TYPE, "/kernels/0/params/0/block",
         "1 entries for an array of 2", "[{'blocked'"},
        {PARAM("{" X ", 'block': [{'blocked': -2}, 'squeezed']}"), TG_ERR_INVALID,
         "/kernels/0/params/0/block/0/blocked", "-2 is not in", "-2"},
        {PARAM("{" X ", 'block': ['squeeze', 'squeezed']}"), TG_ERR_INVALID,
         "/kernels/0/params/0/block/0", "expected {\"blocked\": N}", "'squeeze'"},
        {PARAM("{" X ", 'block': [{'element': 2, 'pad': [1]}, 'squeezed']}"), TG_ERR_INVALID,
         "/kernels/0/params/0/block/0/pad", "[LOW, HIGH]", "[1]"},
        {PARAM("{" X ", 'block': [{'blocked': 2, 'pad': [1, 1]}, 'squeezed']}"), TG_ERR_INVALID,
         "/kernels/0/params/0/block/0/pad", "unknown key", "[1, 1]"},
        {PARAM("{" X ", 'block': [{'blocked': 100000000}, {'blocked': 100000000}]}"),
         TG_ERR_INVALID, "/kernels/0/params/0/block", "too large", "[{"},
        {PARAM("{'name': 's', 'role': 'scratch', 'type': 'f32[2]', 'block': [{'blocked': 2}]}"),
         TG_ERR_INVALID, "/kernels/0/params/0/block", "only inputs and outputs", "[{"},
        {PARAM("{" X ", 'alias': 'x'}"), TG_ERR_INVALID, "/kernels/0/params/0/alias",
         "only outputs", "'x'}"},
        {PARAM("{'name': 'o', 'role': 'output', 'type': 'f32[2]', 'alias': 'i'}"), TG_ERR_INVALID,
         "/kernels/0/params/0/alias", "no parameter \"i\"", "'i'"},
        {PARAM("{" X ", 'index_map': {'yield': [5]}}"), TG_ERR_INVALID,
         "/kernels/0/params/0/index_map/yield/0", "value 5 is not defined", "5]"},
        {PARAM("{" X ", 'memory': 'smem'}"), TG_ERR_INVALID, "/kernels/0/params/0/memory",
         "unknown key", "'smem'"},
    };
    CHECK_ALL(cases);
}

Test(json_ir, rejects_operations)
{
    static const reject_case cases[] = {
        {OPS("{'in': []}"), TG_ERR_INVALID, OP0, "\"op\" is missing", "{'in'"},
        {OPS("{'op': 'muladd'}"), TG_ERR_INVALID, OP0 "/op", "unknown operation \"muladd\"",
         "'muladd'"},
        {OPS("{'op': 7}"), TG_ERR_INVALID, OP0 "/op", "expected a string", "7"},
        {OPS("7"), TG_ERR_INVALID, OP0, "expected an object", "7"},
        {OPS("{'op': 'add', 'axis': 0}"), TG_ERR_INVALID, OP0 "/axis", "add has no attribute",
         "0}"},
        {OPS("{'op': 'add', 'axle': 0}"), TG_ERR_INVALID, OP0 "/axle", "unknown key", "0}"},
        {OPS("{'op': 'add', 'in': [1]}"), TG_ERR_INVALID, OP0 "/in/0", "value 1 is not defined",
         "1]"},
        {OPS("{'op': 'add', 'in': [-1]}"), TG_ERR_INVALID, OP0 "/in/0", "less than 0", "-1]"},
        {OPS("{'op': 'add', 'in': [1.5]}"), TG_ERR_INVALID, OP0 "/in/0", "not an integer", "1.5"},
        {OPS("{'op': 'add', 'in': 1}"), TG_ERR_INVALID, OP0 "/in", "expected a list", "1}"},
        {OPS("{'op': 'neg', 'in': [0], 'out': [{'id': 0, 'type': 'f32[]'}]}"), TG_ERR_INVALID,
         OP0 "/in/0", "not defined before its use", "0]"},
        {OPS(C0 ", " C0), TG_ERR_INVALID, OP1 "/out/0", "already defined", "{'id': 0"},
        {OPS("{'op': 'scoped', 'regions': [{'ops': [" C0 "]}]}, {'op': 'neg', 'in': [0]}"),
         TG_ERR_INVALID, OP1 "/in/0", "region that has ended", "0]}"},
        {OPS("{'op': 'for', 'regions': [{'args': [{'id': 0, 'type': 'i32[]'}]}, {'yield': [0]}]}"),
         TG_ERR_INVALID, OP0 "/regions/1/yield/0", "region that has ended", "0]"},
        {OPS("{'op': 'iota', 'out': [{'id': 0}], 'axis': 0}"), TG_ERR_INVALID, OP0 "/out/0",
         "\"type\" is missing", "{'id'"},
        {OPS("{'op': 'iota', 'out': [{'id': 0, 'type': 'i32[4', 'x': 1}], 'axis': 0}"),
         TG_ERR_INVALID, OP0 "/out/0/x", "unknown key", "1}"},
        {OPS("{'op': 'iota', 'out': [{'id': 0, 'type': 'i32[4'}], 'axis': 0}"), TG_ERR_INVALID,
         OP0 "/out/0/type", "malformed shape", "'i32[4'"},
        {OPS("{'op': 'iota', 'loc': 4}"), TG_ERR_INVALID, OP0, "\"axis\" is missing", "{'op'"},
        {OPS("{'op': 'iota', 'axis': 0, 'loc': 4}"), TG_ERR_INVALID, OP0 "/loc", "no locations",
         "4}"},
        {OPS("{'op': 'scoped', 'regions': {}}"), TG_ERR_INVALID, OP0 "/regions", "expected a list",
         "{}"},
        {BODY("{'ops': {}}"), TG_ERR_INVALID, "/kernels/0/body/ops", "expected a list", "{}"},
        {BODY("{'yields': []}"), TG_ERR_INVALID, "/kernels/0/body/yields", "unknown key", "[]"},
    };
    CHECK_ALL(cases);
}

Test(json_ir, rejects_attributes)
{
    static const reject_case cases[] = {
        {OPS("{'op': 'iota', 'axis': '1e3'}"), TG_ERR_INVALID, OP0 "/axis", "decimal integer",
         "'1e3'"},
        {OPS("{'op': 'iota', 'axis': '007'}"), TG_ERR_INVALID, OP0 "/axis", "short form", "'007'"},
        {OPS("{'op': 'iota', 'axis': 9007199254740993}"), TG_ERR_INVALID, OP0 "/axis", "rounded",
         "9007199254740993"},
        {OPS("{'op': 'iota', 'axis': '9223372036854775808'}"), TG_ERR_INVALID, OP0 "/axis",
         "64 bits", "'9223"},
        {OPS("{'op': 'iota', 'axis': 1e400}"), TG_ERR_INVALID, OP0 "/axis", "the integer", "1e400"},
        {OPS("{'op': 'rev', 'axes': [0, null]}"), TG_ERR_INVALID, OP0 "/axes/1", "found null",
         "null"},
        {OPS("{'op': 'round', 'rounding': 'up'}"), TG_ERR_INVALID, OP0 "/rounding", "even away",
         "'up'"},
        {OPS("{'op': 'cumsum', 'axis': 0, 'reverse': 1}"), TG_ERR_INVALID, OP0 "/reverse",
         "true or false", "1}"},
        {OPS("{'op': 'debug_print', 'format': []}"), TG_ERR_INVALID, OP0 "/format", "a string",
         "[]"},
        {OPS("{'op': 'load', 'index': [['slice', 0, 1]]}"), TG_ERR_INVALID, OP0 "/index/0",
         "[\"slice\", START, SIZE, STRIDE]", "['slice'"},
        {OPS("{'op': 'load', 'index': [[]]}"), TG_ERR_INVALID, OP0 "/index/0", "[\"at\"]", "[]"},
        {OPS("{'op': 'load', 'index': [['slice', null, null, 1]]}"), TG_ERR_INVALID,
         OP0 "/index/0/2", "found null", "null, 1"},
        {OPS("{'op': 'constant', 'value': 1}"), TG_ERR_INVALID, OP0 "/value", "no result", "1}"},
        {CONSTANT("f32[3]", "[1, 2]"), TG_ERR_TYPE, OP0 "/value", "2 elements for a result of 3",
         "[1, 2]"},
        {CONSTANT("f32[]", "null"), TG_ERR_INVALID, OP0 "/value", "element of f32, found null",
         "null"},
        {CONSTANT("f32[2]", "[1, 0.1]"), TG_ERR_INVALID, OP0 "/value/1", "not exact", "0.1"},
        {CONSTANT("f32[]", "1e400"), TG_ERR_INVALID, OP0 "/value", "exceeds", "1e400"},
        {CONSTANT("f32[]", "'0x1.0000001p+0'"), TG_ERR_INVALID, OP0 "/value", "not exact", "'0x1."},
        {CONSTANT("f32[]", "'1.5'"), TG_ERR_INVALID, OP0 "/value", "not a hex float", "'1.5'"},
        {CONSTANT("f32[]", "'bits:7fc0'"), TG_ERR_INVALID, OP0 "/value", "not as many bits",
         "'bits"},
        {CONSTANT("f32[]", "true"), TG_ERR_INVALID, OP0 "/value", "dtype is not bool", "true"},
        {CONSTANT("f8e4m3fn[]", "'inf'"), TG_ERR_INVALID, OP0 "/value", "not exact", "'inf'"},
        {CONSTANT("f8e4m3fn[]", "480"), TG_ERR_INVALID, OP0 "/value", "not exact", "480"},
        {CONSTANT("f4e2m1fn[]", "8"), TG_ERR_INVALID, OP0 "/value", "not exact", "8}"},
        {CONSTANT("f4e2m1fn[]", "'nan'"), TG_ERR_INVALID, OP0 "/value", "no value of its dtype",
         "'nan'}"},
        {CONSTANT("i2[]", "2"), TG_ERR_INVALID, OP0 "/value", "out of range", "2}"},
        {CONSTANT("f8e8m0fnu[]", "0"), TG_ERR_INVALID, OP0 "/value", "not exact", "0}"},
        {CONSTANT("f8e4m3fnuz[]", "-0.0"), TG_ERR_INVALID, OP0 "/value", "not exact", "-0.0"},
        {CONSTANT("i8[]", "128"), TG_ERR_INVALID, OP0 "/value", "out of range", "128"},
        {CONSTANT("i4[]", "-9"), TG_ERR_INVALID, OP0 "/value", "out of range", "-9"},
        {CONSTANT("u8[]", "-1"), TG_ERR_INVALID, OP0 "/value", "out of range", "-1"},
        {CONSTANT("u64[]", "18446744073709551615"), TG_ERR_INVALID, OP0 "/value", "needs quotes",
         "1844"},
        {CONSTANT("u64[]", "'18446744073709551616'"), TG_ERR_INVALID, OP0 "/value", "64 bits",
         "'1844"},
        {CONSTANT("bool[]", "1"), TG_ERR_INVALID, OP0 "/value", "true or false", "1}"},
    };
    CHECK_ALL(cases);
}

/* `depth` regions inside each other, the body included. */
static char *nested_regions(int depth)
{
    tg_text text = {0};
    tg_text_put(&text, OPEN "[], 'body': ");
    for (int d = 1; d < depth; d++) tg_text_put(&text, "{'ops': [{'op': 'scoped', 'regions': [");
    tg_text_put(&text, "{'ops': [{'op': 'load', 'index': [['at']]}]}");
    for (int d = 1; d < depth; d++) tg_text_put(&text, "]}]}");
    tg_text_put(&text, CLOSE);
    char *quoted = in_quotes(text.data);
    tg_text_drop(&text);
    return quoted;
}

Test(json_ir, bounds_the_nesting)
{
    char *fits = nested_regions(TG_MAX_NESTING), *deep = nested_regions(TG_MAX_NESTING + 1);
    char *deeper = nested_regions(TG_MAX_NESTING * 100);
    tg_module_destroy(load(fits, TG_OK));
    load(deep, TG_ERR_UNSUPPORTED);
    load(deeper, TG_ERR_UNSUPPORTED);
    free(fits);
    free(deep);
    free(deeper);
}

static char *many_operands(int count)
{
    tg_text text = {0};
    tg_text_put(&text, OPEN "[], 'body': {'ops': [" C0 ", {'op': 'select', 'in': [0");
    for (int i = 1; i < count; i++) tg_text_put(&text, ",0");
    tg_text_put(&text, "]}]}" CLOSE);
    char *quoted = in_quotes(text.data);
    tg_text_drop(&text);
    return quoted;
}

Test(json_ir, bounds_the_operands)
{
    char *most = many_operands(TG_MAX_OPERANDS), *more = many_operands(TG_MAX_OPERANDS + 1);
    tg_module_destroy(load(most, TG_OK));
    load(more, TG_ERR_UNSUPPORTED);
    free(most);
    free(more);
}

static void check_place(const char *text, int64_t offset, const char *found)
{
    cr_assert_geq(offset, 0, "%s", found);
    cr_expect_eq(strncmp(text + offset, found, strlen(found)), 0, "%s", found);
}

Test(json_ir, goes_on_after_a_wrong_operation)
{
    char *text = in_quotes(OPS("{'op': 'nope', 'out': [{'id': 1, 'type': 'f32[]'}]}, "
                               "{'op': 'neg', 'in': [1], 'out': [{'id': 2, 'type': 'f99[]'}]}, "
                               "{'op': 'neg', 'in': [2], 'axis': 1}, {'op': 'neg', 'in': [3]}"));
    static const struct {
        const char *where, *found;
    } places[] = {{OP0 "/op", "\"nope\""},
                  {OP1 "/out/0/type", "\"f99[]\""},
                  {"/kernels/0/body/ops/2/axis", "1}"},
                  {"/kernels/0/body/ops/3/in/0", "3]"}};
    tg_diags diags = {0};
    tg_module *module;
    cr_expect_eq(tg_json_load(text, strlen(text), &module, &diags), TG_ERR_INVALID);
    cr_assert_eq(diags.count, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(diags.list[i].where, places[i].where);
        check_place(text, diags.list[i].offset, places[i].found);
    }
    tg_diags_free(&diags);
    free(text);
}

/* Far more problems than are kept: their number must not make it slow. */
Test(json_ir, survives_many_problems)
{
    tg_text text = {0};
    tg_text_put(&text, "{\"tilegrind\": \"0.1\", \"kernels\": [");
    for (int i = 0; i < 20000; i++) tg_text_put(&text, "0, ");
    tg_text_put(&text, "0]}");
    tg_diags diags = {0};
    tg_module *module;
    cr_expect_eq(tg_json_load(text.data, text.length, &module, &diags), TG_ERR_INVALID);
    cr_expect_eq(diags.count + diags.dropped, 20001);
    tg_diags_free(&diags);
    tg_text_drop(&text);
}

Test(json_ir, scans_objects_with_many_keys)
{
    tg_text text = {0};
    for (int i = 0; i < 100000; i++) tg_text_add(&text, "%s\"%d\": 0", i ? ", " : "{", i);
    tg_text_put(&text, "}");
    tg_diags diags = {0};
    cr_expect_eq(tg_json_scan(text.data, text.length, &diags), TG_OK);
    text.length--;
    tg_text_put(&text, ", \"77777\": 0}");
    cr_expect_eq(tg_json_scan(text.data, text.length, &diags), TG_ERR_SYNTAX);
    cr_assert_eq(diags.count, 1);
    cr_expect_str_eq(diags.list[0].where, "/77777");
    cr_expect_eq(diags.list[0].offset, (int64_t)text.length - 11);
    tg_diags_free(&diags);
    tg_text_drop(&text);
}

enum { MOST_STEPS = 4 };

/* Steps of digits are indices. */
static int64_t offset_at(const char *text, const char *const steps[MOST_STEPS])
{
    tg_path path[MOST_STEPS];
    int depth = 0;
    for (; depth < MOST_STEPS && steps[depth]; depth++) {
        const char *const step = steps[depth];
        const bool is_index = isdigit((unsigned char)*step);
        path[depth] = (tg_path){.up = depth ? &path[depth - 1] : NULL,
                                .key = is_index ? NULL : step,
                                .index = is_index ? strtoul(step, NULL, 10) : 0};
    }
    return tg_json_locate(text, strlen(text), depth ? &path[depth - 1] : NULL);
}

Test(json_ir, locates_values)
{
    static const char text[] =
        " {\"a\": [1, {\"b\\u00e9\": \"]\\\"\"}, [], 22 ], \"c/d\": {\"e\": true}, \"\": 5}";
    static const struct {
        const char *steps[MOST_STEPS], *found;
    } cases[] = {{{NULL}, "{\"a\""},  {{"a"}, "[1"},
                 {{"a", "0"}, "1,"},  {{"a", "1", "b\xc3\xa9"}, "\"]"},
                 {{"a", "2"}, "[],"}, {{"a", "3"}, "22"},
                 {{"c/d"}, "{\"e"},   {{"c/d", "e"}, "true"},
                 {{""}, "5}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_place(text, offset_at(text, cases[i].steps), cases[i].found);
    static const char *const absent[][MOST_STEPS] = {
        {"b"}, {"a", "4"}, {"a", "x"}, {"a", "0", "0"},  {"a", ""},
        {"0"}, {"c"},      {"c", "d"}, {"c/d", "e", "f"}};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        cr_expect_eq(offset_at(text, absent[i]), -1, "%zu", i);
}

Test(json_ir, computes_refs_of_blocks)
{
    tg_module *m = load_quoted(PARAM("{'name': 'a', 'role': 'input', 'type': 'f32[8,4,6]', "
                                     "'block': [{'blocked': 2}, 'squeezed', "
                                     "{'element': 5, 'pad': [1, 2]}]}, {'name': 'b', 'role': "
                                     "'output', 'type': 'f32[8]', 'alias': 'a'}"));
    char text[TG_TYPE_TEXT];
    cr_assert_not_null(m);
    const tg_param *a = &m->kernels[0].params[0], *b = &m->kernels[0].params[1];
    cr_expect_str_eq(tg_type_print(&a->ref, text, sizeof text), "ref<f32[2,5]>");
    cr_expect(a->has_block && a->block[1].kind == TG_BLOCK_SQUEEZED && a->block[1].size == 1);
    cr_expect(a->block[2].pad_low == 1 && a->block[2].pad_high == 2);
    cr_expect_str_eq(tg_type_print(&b->ref, text, sizeof text), "ref<f32[8]>");
    cr_expect(!b->has_block && b->alias == 0 && a->alias == -1 && b->index_map == NULL);
    tg_module_destroy(m);
}

Test(json_ir, keeps_elements_in_carriers)
{
    tg_module *m = load_quoted(OPS(
        "{'op': 'constant', 'out': [{'id': 7, 'type': 'bf16[2]'}], 'value': [1.5, '-inf']},"
        "{'op': 'constant', 'out': [{'id': 8, 'type': 'u64[4]'}], 'value': '18446744073709551615'},"
        "{'op': 'constant', 'out': [{'id': 9, 'type': 'i4[1]'}], 'value': [-8]}"));
    cr_assert_not_null(m);
    const tg_op *ops = m->kernels[0].body.ops;
    const tg_data *floats = &tg_op_attr(&ops[0], TG_ATTR_value)->as.data;
    const tg_data *splat = &tg_op_attr(&ops[1], TG_ATTR_value)->as.data;
    const tg_data *small = &tg_op_attr(&ops[2], TG_ATTR_value)->as.data;
    cr_expect(floats->count == 2 && ((float *)floats->bytes)[0] == 1.5f);
    cr_expect(((float *)floats->bytes)[1] < -3e38f);
    cr_expect(splat->count == 1 && *(uint64_t *)splat->bytes == UINT64_MAX);
    cr_expect(small->count == 1 && *(int8_t *)small->bytes == -8);
    cr_expect_eq(m->kernels[0].values[ops[1].out[0]].id, 8);
    tg_module_destroy(m);
}

Test(json_ir, names_the_file)
{
    tg_diags diags = {0};
    tg_module *module;
    cr_expect_eq(tg_json_load_file("tests/data/json/no-such-file.json", &module, &diags),
                 TG_ERR_IO);
    cr_assert_eq(diags.count, 1);
    cr_expect_str_eq(diags.list[0].file, "tests/data/json/no-such-file.json");
    tg_diags_free(&diags);
    cr_expect_eq(tg_json_load_file("tests/data/json/add.json", &module, &diags), TG_OK);
    cr_assert_not_null(module);
    cr_expect_str_eq(module->kernels[0].name, "add");
    tg_module_destroy(module);
    tg_diags_free(&diags);
}
