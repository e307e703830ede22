#include "verify/attrs.h"

#include <inttypes.h>

#include "verify/report.h"

static int spelling_count(tg_attr_id id)
{
    int count = 1;
    for (const char *p = tg_attrs[id].names; *p; p++) count += *p == ' ';
    return count;
}

static bool check_attr_value(const tg_verifier *v, const tg_attr *attr)
{
    const char *name = tg_attrs[attr->id].name;
    int64_t value = attr->as.integer;
    if (tg_attrs[attr->id].kind == TG_ATTR_KIND_NAME)
        return (value >= 0 && value < spelling_count(attr->id)) ||
               tg_illegal(v, "%s is none of: %s", name, tg_attrs[attr->id].names);
    switch (attr->id) {
    case TG_ATTR_multiple:
    case TG_ATTR_keys:
        return value >= 1 ||
               tg_illegal(v, "%s is %" PRId64 ", but must be at least 1", name, value);
    case TG_ATTR_exponent_bits:
        return (value >= 1 && value <= 11) ||
               tg_illegal(v, "%s is %" PRId64 ", but must be 1 to 11", name, value);
    case TG_ATTR_mantissa_bits:
        return (value >= 0 && value <= 52) ||
               tg_illegal(v, "%s is %" PRId64 ", but must be 0 to 52", name, value);
    default: return true;
    }
}

bool tg_verify_attrs(const tg_verifier *v)
{
    const tg_op *op = v->op;
    tg_attr_id known[TG_MAX_OP_ATTRS];
    bool seen[TG_ATTR_COUNT] = {false}, allowed[TG_ATTR_COUNT] = {false}, ok = true;
    int needed, count = tg_op_attrs(op->code, known, &needed);
    for (int i = 0; i < count; i++) allowed[known[i]] = true;
    for (uint32_t a = 0; a < op->attr_count; a++) {
        const tg_attr *attr = &op->attrs[a];
        if ((unsigned)attr->id >= TG_ATTR_COUNT) {
            ok = tg_illegal(v, "has an attribute of unknown number %d", (int)attr->id);
            continue;
        }
        const char *name = tg_attrs[attr->id].name;
        if (!allowed[attr->id])
            ok = tg_illegal(v, "has no use for the attribute '%s'", name);
        else if (seen[attr->id])
            ok = tg_illegal(v, "has the attribute '%s' twice", name);
        else
            ok &= check_attr_value(v, attr);
        seen[attr->id] = true;
    }
    for (int i = 0; i < needed; i++)
        if (!seen[known[i]])
            ok = tg_illegal(v, "lacks the attribute '%s'", tg_attrs[known[i]].name);
    return ok;
}
