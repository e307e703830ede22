/* The schema of modules: the fixed part is a text, the rest is made from the tables. */
#include "ir/schema.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "ir/op.h"
#include "ir/print.h"

/* -- notation -- */

/* Adds JSON in the notation used below: 'x' stands for "x", <x> for a reference to the definition x
 * of `$defs`, and <x*> for a list of those. */
static void put(tg_text *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'') {
            tg_text_put(out, "\"");
        } else if (*p == '<') {
            const char *const name = p + 1;
            const int length = (int)strcspn(name, "*>");
            const bool is_list = name[length] == '*';
            if (is_list) tg_text_put(out, "{\"type\": \"array\", \"items\": ");
            tg_text_add(out, "{\"$ref\": \"#/$defs/%.*s\"}", length, name);
            if (is_list) tg_text_put(out, "}");
            p = strchr(name, '>');
        } else {
            tg_text_put_bytes(out, p, 1);
        }
    }
}

/* The part of "$defs" that does not depend on the tables. */
static const char fixed_defs[] =
    "  'int': {'anyOf': [{'type': 'integer'}, "
    "{'type': 'string', 'pattern': '^(0|-?[1-9][0-9]*)$'}]},\n"
    "  'id': <int>,\n"
    "  'value': {'type': 'object', 'required': ['id', 'type'], 'additionalProperties': false,\n"
    "   'properties': {'id': <id>, 'type': <type>, 'space': {'type': 'string'}, "
    "'layout': {'type': 'string'}}},\n"
    "  'region': {'type': 'object', 'additionalProperties': false,\n"
    "   'properties': {'args': <value*>, 'ops': <op*>, 'yield': <id*>}},\n"
    "  'location': {'type': 'object', 'additionalProperties': false,\n"
    "   'properties': {'file': {'type': 'string'}, 'line': <int>, 'function': {'type': 'string'}, "
    "'caller': {'type': 'integer', 'minimum': 1}, 'skipped': {'type': 'string'}, "
    "'variable': {'type': 'string'}}},\n"
    "  'axis': {'type': 'object', 'required': ['size'], 'additionalProperties': false,\n"
    "   'properties': {'size': {'anyOf': [{'const': 'dynamic'}, <int>]},\n"
    "    'semantics': {'enum': ['parallel', 'arbitrary', 'thread']}, 'name': {'type': "
    "'string'}}},\n"
    "  'block_dim': {'anyOf': [{'const': 'squeezed'},\n"
    "   {'type': 'object', 'required': ['blocked'], 'additionalProperties': false,\n"
    "    'properties': {'blocked': <int>}},\n"
    "   {'type': 'object', 'required': ['element'], 'additionalProperties': false,\n"
    "    'properties': {'element': <int>, "
    "'pad': {'type': 'array', 'items': <int>, 'minItems': 2, 'maxItems': 2}}}]},\n"
    "  'index_dim': {'anyOf': [\n"
    "   {'type': 'array', 'prefixItems': [{'const': 'at'}], 'minItems': 1, 'maxItems': 1},\n"
    "   {'type': 'array', 'minItems': 4, 'maxItems': 4, 'prefixItems': [{'const': 'slice'},\n"
    "    {'anyOf': [{'type': 'null'}, <int>]}, <int>, <int>]}]},\n"
    "  'element': {'anyOf': [{'type': 'boolean'}, {'type': 'number'}, "
    "{'type': 'string', 'pattern':\n"
    "   '^(0|-?[1-9][0-9]*|nan|-?inf|bits:[0-9a-fA-F]+|"
    "-?0x[0-9a-fA-F]*\\\\.?[0-9a-fA-F]*p[-+]?[0-9]+)$'}]},\n"
    "  'data': {'anyOf': [<element>, <element*>]},\n"
    "  'kernel': {'type': 'object', 'required': ['name', 'grid', 'params', 'body'],\n"
    "   'additionalProperties': false,\n"
    "   'properties': {'name': {'type': 'string'}, 'loc': <int>, "
    "'dialect': {'enum': ['xla', 'triton']},\n"
    "    'grid': <axis*>, 'params': <param*>, 'body': <region>}},\n";

/* -- from the tables -- */

static void put_type(tg_text *out)
{
    tg_text_put(out, "  \"type\": {\"type\": \"string\", \"pattern\":\n   \"^(ref<)?(");
    for (int d = 0; d < TG_DT_COUNT; d++) tg_text_add(out, "%s%s", d ? "|" : "", tg_dtypes[d].name);
    for (int d = TG_DT_COUNT + 1; d < TG_DT_MEMORY_COUNT; d++)
        tg_text_add(out, "|%s", tg_dtypes[d].name);
    tg_text_put(out, ")\\\\[((0|[1-9][0-9]*)(,(0|[1-9][0-9]*))*)?\\\\]>?$\"},\n");
}

static void put_param(tg_text *out)
{
    put(out, "  'param': {'type': 'object', 'required': ['name', 'role', 'type'],\n"
             "   'additionalProperties': false,\n"
             "   'properties': {'name': {'type': 'string'}, 'role': {'enum': [");
    for (int role = 0; role < TG_ROLE_COUNT; role++)
        tg_text_add(out, "%s\"%s\"", role ? ", " : "", tg_role_names[role]);
    put(out,
        "]},\n"
        "    'type': <type>, 'block': <block_dim*>,\n"
        "    'index_map': <region>, 'alias': {'type': 'string'}, 'space': {'type': 'string'}, "
        "'layout': {'type': 'string'}, 'partly_written': {'type': 'boolean'}, 'arrivals': "
        "{'type': 'integer', 'minimum': "
        "1}, 'shared': {'type': 'boolean'}, 'cluster': {'type': 'integer', 'minimum': 1}}},\n");
}

/* {"enum": ["even", "away"]} */
static void put_names(tg_text *out, tg_attr_id attr)
{
    tg_text_put(out, "{\"enum\": [\"");
    for (const char *p = tg_attrs[attr].names; *p; p++) {
        if (*p == ' ')
            tg_text_put(out, "\", \"");
        else
            tg_text_put_bytes(out, p, 1);
    }
    tg_text_put(out, "\"]}");
}

static void put_attr(tg_text *out, tg_attr_id attr)
{
    tg_text_add(out, ",\n     \"%s\": ", tg_attrs[attr].name);
    switch (tg_attrs[attr].kind) {
    case TG_ATTR_KIND_INT: put(out, "<int>"); break;
    case TG_ATTR_KIND_BOOL: put(out, "{'type': 'boolean'}"); break;
    case TG_ATTR_KIND_INTS: put(out, "<int*>"); break;
    case TG_ATTR_KIND_TEXT: put(out, "{'type': 'string'}"); break;
    case TG_ATTR_KIND_NAME: put_names(out, attr); break;
    case TG_ATTR_KIND_INDEX: put(out, "<index_dim*>"); break;
    case TG_ATTR_KIND_DATA: put(out, "<data>"); break;
    }
}

/* Puts a list of `least` to `most` entries (TG_ANY_COUNT: no bound) of the definition `items` of
 * `$defs`. */
static void put_list(tg_text *out, const char *key, const char *items, int least, int most)
{
    tg_text_add(out, ",\n     \"%s\": {\"type\": \"array\", \"items\": ", key);
    tg_text_add(out, "{\"$ref\": \"#/$defs/%s\"}", items);
    if (least > 0) tg_text_add(out, ", \"minItems\": %d", least);
    if (most != TG_ANY_COUNT) tg_text_add(out, ", \"maxItems\": %d", most);
    tg_text_put(out, "}");
}

static void put_required(tg_text *out, const tg_op_info *op, const tg_attr_id *attrs, int needed)
{
    tg_text_put(out, "    \"required\": [\"op\"");
    if (op->in_min > 0) tg_text_put(out, ", \"in\"");
    if (op->out_count > 0) tg_text_put(out, ", \"out\"");
    if (op->region_count != 0) tg_text_put(out, ", \"regions\"");
    for (int a = 0; a < needed; a++) tg_text_add(out, ", \"%s\"", tg_attrs[attrs[a]].name);
    tg_text_put(out, "],\n");
}

static void put_op(tg_text *out, tg_opcode code)
{
    const tg_op_info *op = &tg_ops[code];
    tg_attr_id attrs[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(code, attrs, &needed);
    put(out, "   {'type': 'object', 'additionalProperties': false, 'description': ");
    tg_text_quote(out, op->means);
    tg_text_put(out, ",\n");
    put_required(out, op, attrs, needed);
    tg_text_add(out, "    \"properties\": {\"op\": {\"const\": \"%s\"}", op->name);
    put(out, ", 'loc': <int>");
    put_list(out, "in", "id", op->in_min, op->in_max);
    put_list(out, "out", "value", op->out_count, op->out_count);
    put_list(out, "regions", "region", op->region_count == TG_ANY_COUNT ? 1 : op->region_count,
             op->region_count);
    for (int a = 0; a < count; a++) put_attr(out, attrs[a]);
    tg_text_put(out, "}}");
}

static void put_ops(tg_text *out)
{
    tg_text_put(out, "  \"op\": {\"oneOf\": [\n");
    for (int code = 0; code < TG_OP_COUNT; code++) {
        if (code) tg_text_put(out, ",\n");
        put_op(out, (tg_opcode)code);
    }
    tg_text_put(out, "]}\n");
}

char *tg_schema_json(void)
{
    tg_text out = {0};
    put(&out, "{'$schema': 'https://json-schema.org/draft/2020-12/schema',\n"
              " 'title': 'Tilegrind module',\n"
              " 'type': 'object', 'required': ['tilegrind', 'kernels'],\n"
              " 'additionalProperties': false,\n"
              " 'properties': {'tilegrind': {'const': '" TG_IR_VERSION "'},\n"
              "  'locations': <location*>,\n"
              "  'kernels': {'type': 'array', 'minItems': 1, 'items': <kernel>}},\n"
              " '$defs': {\n");
    put(&out, fixed_defs);
    put_type(&out);
    put_param(&out);
    put_ops(&out);
    tg_text_put(&out, " }\n}\n");
    return tg_text_finish(&out);
}
