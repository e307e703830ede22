#include "verify/common.h"

#include <inttypes.h>
#include <string.h>

bool tg_type_is_sound(const tg_type *type)
{
    if ((unsigned)type->dtype >= TG_DT_MEMORY_COUNT || type->dtype == TG_DT_COUNT ||
        type->rank < 0 || type->rank > TG_MAX_RANK)
        return false;
    int64_t count = 1;
    for (int d = 0; d < type->rank; d++) {
        int64_t extent = type->shape[d];
        if (extent < 0 || extent > TG_MOST_ELEMENTS) return false;
        if (extent != 0 && count > TG_MOST_ELEMENTS / extent) return false;
        count *= extent ? extent : 1;
    }
    return true;
}

bool tg_is_int_scalar(const tg_type *type)
{
    return !type->is_ref && type->rank == 0 && tg_is_int(type->dtype);
}
static const char *domain_text(tg_domain domain)
{
    switch (domain) {
    case TG_DOMAIN_FLOAT: return "floats";
    case TG_DOMAIN_INT: return "integers";
    case TG_DOMAIN_NUM: return "integers or floats";
    case TG_DOMAIN_BITS: return "integers or bools";
    case TG_DOMAIN_ANY: return "any dtype";
    }
    return "";
}

bool tg_verify_domain(const tg_verifier *v, uint32_t operand, tg_domain domain)
{
    const tg_type *type = tg_in(v, operand);
    if (tg_domain_has(domain, type->dtype)) return true;
    return tg_mistyped(v, "operand %" PRIu32 " is %s, but must hold %s", operand,
                       tg_show(type).text, domain_text(domain));
}

bool tg_verify_result(const tg_verifier *v, const tg_type *expected)
{
    const tg_type *found = tg_out(v, 0);
    if (tg_same_type(found, expected)) return true;
    return tg_mistyped(v, "the result is %s, but must be %s", tg_show(found).text,
                       tg_show(expected).text);
}

bool tg_verify_axis(const tg_verifier *v, const tg_type *type, int *axis)
{
    int64_t found = tg_op_int(v->op, TG_ATTR_axis, -1);
    if (found < 0 || found >= type->rank)
        return tg_illegal(v, "axis %" PRId64 " is no dimension of %s", found, tg_show(type).text);
    *axis = (int)found;
    return true;
}

bool tg_verify_length(const tg_verifier *v, tg_attr_id id, int64_t count)
{
    int64_t found = tg_op_attr(v->op, id)->count;
    if (found == count) return true;
    return tg_illegal(v, "%s has %" PRId64 " entries, but must have %" PRId64, tg_attrs[id].name,
                      found, count);
}

bool tg_verify_entries(const tg_verifier *v, tg_attr_id id, int64_t least)
{
    const tg_attr *list = tg_op_attr(v->op, id);
    bool ok = true;
    for (int64_t i = 0; i < list->count; i++) {
        if (list->as.ints[i] >= least && list->as.ints[i] <= TG_MOST_ELEMENTS) continue;
        ok = tg_illegal(
            v, "%s has the entry %" PRId64 ", but entries lie between %" PRId64 " and 2^47",
            tg_attrs[id].name, list->as.ints[i], least);
    }
    return ok;
}

bool tg_verify_dims(const tg_verifier *v, tg_attr_id id, int rank, tg_dim_order order,
                    const char *whose)
{
    const tg_attr *list = tg_op_attr(v->op, id);
    const char *name = tg_attrs[id].name;
    if (list->count > rank)
        return tg_illegal(v, "%s names %" PRId64 " dimensions, but %s has %d", name, list->count,
                          whose, rank);
    bool seen[TG_MAX_RANK] = {false};
    for (int64_t i = 0; i < list->count; i++) {
        int64_t dim = list->as.ints[i];
        if (dim < 0 || dim >= rank)
            return tg_illegal(v, "%s names dimension %" PRId64 ", but %s has %d", name, dim, whose,
                              rank);
        if (seen[dim]) return tg_illegal(v, "%s names dimension %" PRId64 " twice", name, dim);
        if (order == TG_ASCENDING && i > 0 && dim < list->as.ints[i - 1])
            return tg_illegal(v, "%s is not in ascending order: %" PRId64 " follows %" PRId64, name,
                              dim, list->as.ints[i - 1]);
        seen[dim] = true;
    }
    return true;
}

bool tg_has_dim(const tg_op *op, tg_attr_id id, int dim)
{
    const tg_attr *list = tg_op_attr(op, id);
    for (int64_t i = 0; i < list->count; i++)
        if (list->as.ints[i] == dim) return true;
    return false;
}

bool tg_verify_starts(const tg_verifier *v, uint32_t first, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = first; i < first + count; i++)
        if (!tg_is_int_scalar(tg_in(v, i)))
            ok = tg_mistyped(v, "operand %" PRIu32 " is %s, but a start must be an integer scalar",
                             i, tg_show(tg_in(v, i)).text);
    return ok;
}

bool tg_verify_same_types(const tg_verifier *v, const tg_path *list, tg_value_list found,
                          tg_value_list expected)
{
    if (found.count != expected.count) {
        tg_verifier whole = tg_verifier_at(v, list ? list : v->at);
        return tg_mistyped(&whole,
                           "there are %" PRIu32 " values, but must be %" PRIu32 ": one %s per %s",
                           found.count, expected.count, found.what, expected.what);
    }
    bool ok = true;
    for (uint32_t i = 0; i < found.count; i++) {
        const tg_type *type = tg_type_of(v->kernel, found.ids[i]);
        const tg_type *wanted = tg_type_of(v->kernel, expected.ids[i]);
        if (tg_same_type(type, wanted)) continue;
        tg_path entry = {list, NULL, i};
        tg_verifier here = tg_verifier_at(v, list ? &entry : v->at);
        ok = tg_mistyped(&here, "%s %" PRIu32 " is %s, but must be %s like the %s", found.what, i,
                         tg_show(type).text, tg_show(wanted).text, expected.what);
    }
    return ok;
}

bool tg_verify_name(const tg_verifier *v, const char *what, tg_name_at *name_at, uint32_t index)
{
    const char *name = name_at(v, index);
    for (uint32_t earlier = 0; name && earlier < index; earlier++) {
        const char *other = name_at(v, earlier);
        if (other && strcmp(other, name) == 0)
            return tg_illegal(v, "the name \"%s\" is that of %s %" PRIu32 " already", name, what,
                              earlier);
    }
    return true;
}

void tg_check_followers(const tg_verifier *v)
{
    if (tg_op_int(v->op, TG_ATTR_followers, 0) < 0)
        tg_illegal(v, "`followers` must not be negative");
}
