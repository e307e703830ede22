/* Regions, and all that the table ir/ops.def says of an op. */
#include "verify/impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- reporting -- */

TG_PRINTF(3, 0)
static bool report(const tg_check *check, tg_status status, const char *format, va_list args)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    if (check->op)
        tg_fail(check->diags, status, check->at, "%s: %s", tg_ops[check->op->code].name, message);
    else
        tg_fail(check->diags, status, check->at, "%s", message);
    return false;
}

bool tg_mistyped(const tg_check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(check, TG_ERR_TYPE, format, args);
    va_end(args);
    return false;
}

bool tg_illegal(const tg_check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(check, TG_ERR_INVALID, format, args);
    va_end(args);
    return false;
}

tg_type_text tg_show(const tg_type *type)
{
    tg_type_text shown;
    tg_type_print(type, shown.text, sizeof shown.text);
    return shown;
}

/* -- questions that many rules ask -- */

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

static bool in_domain(tg_dtype dtype, tg_domain domain)
{
    switch (domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(dtype);
    case TG_DOMAIN_INT: return tg_is_int(dtype);
    case TG_DOMAIN_NUM: return tg_is_float(dtype) || tg_is_int(dtype);
    case TG_DOMAIN_BITS: return tg_is_int(dtype) || dtype == TG_DT_bool;
    case TG_DOMAIN_ANY: return true;
    }
    return false;
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

bool tg_check_domain(const tg_check *check, uint32_t operand, tg_domain domain)
{
    const tg_type *type = tg_in(check, operand);
    if (in_domain(type->dtype, domain)) return true;
    return tg_mistyped(check, "operand %" PRIu32 " is %s, but must hold %s", operand,
                       tg_show(type).text, domain_text(domain));
}

bool tg_check_result(const tg_check *check, const tg_type *expected)
{
    const tg_type *found = tg_out(check, 0);
    if (tg_same_type(found, expected)) return true;
    return tg_mistyped(check, "the result is %s, but must be %s", tg_show(found).text,
                       tg_show(expected).text);
}

bool tg_check_axis(const tg_check *check, const tg_type *type, int *axis)
{
    int64_t found = tg_op_int(check->op, TG_ATTR_axis, -1);
    if (found < 0 || found >= type->rank)
        return tg_illegal(check, "axis %" PRId64 " is no dimension of %s", found,
                          tg_show(type).text);
    *axis = (int)found;
    return true;
}

bool tg_check_length(const tg_check *check, tg_attr_id id, int64_t count)
{
    int64_t found = tg_op_attr(check->op, id)->count;
    if (found == count) return true;
    return tg_illegal(check, "%s has %" PRId64 " entries, but must have %" PRId64,
                      tg_attrs[id].name, found, count);
}

bool tg_check_entries(const tg_check *check, tg_attr_id id, int64_t least)
{
    const tg_attr *list = tg_op_attr(check->op, id);
    bool ok = true;
    for (int64_t i = 0; i < list->count; i++) {
        if (list->as.ints[i] >= least && list->as.ints[i] <= TG_MOST_ELEMENTS) continue;
        ok = tg_illegal(
            check, "%s has the entry %" PRId64 ", but entries lie between %" PRId64 " and 2^47",
            tg_attrs[id].name, list->as.ints[i], least);
    }
    return ok;
}

bool tg_check_dims(const tg_check *check, tg_attr_id id, int rank, tg_order order,
                   const char *whose)
{
    const tg_attr *list = tg_op_attr(check->op, id);
    const char *name = tg_attrs[id].name;
    if (list->count > rank)
        return tg_illegal(check, "%s names %" PRId64 " dimensions, but %s has %d", name,
                          list->count, whose, rank);
    bool seen[TG_MAX_RANK] = {false};
    for (int64_t i = 0; i < list->count; i++) {
        int64_t dim = list->as.ints[i];
        if (dim < 0 || dim >= rank)
            return tg_illegal(check, "%s names dimension %" PRId64 ", but %s has %d", name, dim,
                              whose, rank);
        if (seen[dim]) return tg_illegal(check, "%s names dimension %" PRId64 " twice", name, dim);
        if (order == TG_ASCENDING && i > 0 && dim < list->as.ints[i - 1])
            return tg_illegal(check, "%s is not in ascending order: %" PRId64 " follows %" PRId64,
                              name, dim, list->as.ints[i - 1]);
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

bool tg_check_starts(const tg_check *check, uint32_t first, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = first; i < first + count; i++)
        if (!tg_is_int_scalar(tg_in(check, i)))
            ok = tg_mistyped(check,
                             "operand %" PRIu32 " is %s, but a start must be an integer scalar", i,
                             tg_show(tg_in(check, i)).text);
    return ok;
}

bool tg_check_same_types(const tg_check *check, const tg_path *list, tg_value_list found,
                         tg_value_list expected)
{
    if (found.count != expected.count) {
        tg_check whole = tg_check_at(check, list ? list : check->at);
        return tg_mistyped(&whole,
                           "there are %" PRIu32 " values, but must be %" PRIu32 ": one %s per %s",
                           found.count, expected.count, found.what, expected.what);
    }
    bool ok = true;
    for (uint32_t i = 0; i < found.count; i++) {
        const tg_type *type = tg_type_of(check->kernel, found.ids[i]);
        const tg_type *wanted = tg_type_of(check->kernel, expected.ids[i]);
        if (tg_same_type(type, wanted)) continue;
        tg_path entry = {list, NULL, i};
        tg_check here = tg_check_at(check, list ? &entry : check->at);
        ok = tg_mistyped(&here, "%s %" PRIu32 " is %s, but must be %s like the %s", found.what, i,
                         tg_show(type).text, tg_show(wanted).text, expected.what);
    }
    return ok;
}

/* -- the rules of the table -- */

static bool check_operands_agree(const tg_check *check)
{
    const tg_type *first = tg_in(check, 0);
    bool ok = tg_check_domain(check, 0, tg_ops[check->op->code].domain);
    for (uint32_t i = 1; i < check->op->in_count; i++)
        if (!tg_same_type(tg_in(check, i), first))
            ok = tg_mistyped(check,
                             "operand %" PRIu32 " is %s, but operand 0 is %s; they must agree", i,
                             tg_show(tg_in(check, i)).text, tg_show(first).text);
    return ok;
}

static void check_same(const tg_check *check)
{
    if (check_operands_agree(check)) tg_check_result(check, tg_in(check, 0));
}

static void check_predicate(const tg_check *check)
{
    if (!check_operands_agree(check)) return;
    tg_type expected = *tg_in(check, 0);
    expected.dtype = TG_DT_bool;
    tg_check_result(check, &expected);
}

static void check_retype(const tg_check *check)
{
    tg_type expected = *tg_in(check, 0);
    expected.dtype = tg_out(check, 0)->dtype;
    if (tg_check_domain(check, 0, tg_ops[check->op->code].domain))
        tg_check_result(check, &expected);
}

static void check_reduce(const tg_check *check)
{
    const tg_type *operand = tg_in(check, 0);
    bool ok = tg_check_domain(check, 0, tg_ops[check->op->code].domain);
    ok &= tg_check_dims(check, TG_ATTR_axes, operand->rank, TG_ASCENDING, "the operand");
    if (!ok) return;
    tg_type expected = {.dtype = operand->dtype};
    for (int d = 0; d < operand->rank; d++)
        if (!tg_has_dim(check->op, TG_ATTR_axes, d))
            expected.shape[expected.rank++] = operand->shape[d];
    tg_check_result(check, &expected);
}

static void check_scan(const tg_check *check)
{
    int axis;
    check_same(check);
    tg_check_axis(check, tg_in(check, 0), &axis);
}

/* A row of ops.def with the rule OWN but without its function does not link. */
typedef void own_check(const tg_check *check);
static own_check *const own_checks[TG_OP_COUNT] = {
#define TG_CHECK_OWN(id) [TG_OP_##id] = tg_check_##id,
#define TG_OP(id, in_min, in_max, out, regions, rule, ...) TG_CHECK_##rule(id)
#include "ir/ops.def"
};

static void check_rule(const tg_check *check)
{
    switch (tg_ops[check->op->code].rule) {
    case TG_RULE_SAME: check_same(check); break;
    case TG_RULE_PREDICATE: check_predicate(check); break;
    case TG_RULE_RETYPE: check_retype(check); break;
    case TG_RULE_REDUCE: check_reduce(check); break;
    case TG_RULE_SCAN: check_scan(check); break;
    case TG_RULE_OWN: own_checks[check->op->code](check); break;
    }
}

/* -- attributes -- */

static int spelling_count(tg_attr_id id)
{
    int count = 1;
    for (const char *p = tg_attrs[id].names; *p; p++) count += *p == ' ';
    return count;
}

static bool check_attr_value(const tg_check *check, const tg_attr *attr)
{
    const char *name = tg_attrs[attr->id].name;
    int64_t value = attr->as.integer;
    switch (attr->id) {
    case TG_ATTR_multiple:
    case TG_ATTR_keys:
        return value >= 1 ||
               tg_illegal(check, "%s is %" PRId64 ", but must be at least 1", name, value);
    case TG_ATTR_exponent_bits:
        return (value >= 1 && value <= 11) ||
               tg_illegal(check, "%s is %" PRId64 ", but must be 1 to 11", name, value);
    case TG_ATTR_mantissa_bits:
        return (value >= 0 && value <= 52) ||
               tg_illegal(check, "%s is %" PRId64 ", but must be 0 to 52", name, value);
    case TG_ATTR_rounding:
    case TG_ATTR_precision:
    case TG_ATTR_mode:
    case TG_ATTR_combine:
    case TG_ATTR_kind:
        return (value >= 0 && value < spelling_count(attr->id)) ||
               tg_illegal(check, "%s is none of: %s", name, tg_attrs[attr->id].names);
    default: return true;
    }
}

/* Whether the attributes are those of the table, each once and within its own bounds. */
static bool check_attrs(const tg_check *check)
{
    const tg_op *op = check->op;
    tg_attr_id known[TG_MAX_OP_ATTRS];
    bool seen[TG_ATTR_COUNT] = {false}, allowed[TG_ATTR_COUNT] = {false}, ok = true;
    int needed, count = tg_op_attrs(op->code, known, &needed);
    for (int i = 0; i < count; i++) allowed[known[i]] = true;
    for (uint32_t a = 0; a < op->attr_count; a++) {
        const tg_attr *attr = &op->attrs[a];
        if ((unsigned)attr->id >= TG_ATTR_COUNT) {
            ok = tg_illegal(check, "has an attribute of unknown number %d", (int)attr->id);
            continue;
        }
        const char *name = tg_attrs[attr->id].name;
        if (!allowed[attr->id])
            ok = tg_illegal(check, "has no use for the attribute '%s'", name);
        else if (seen[attr->id])
            ok = tg_illegal(check, "has the attribute '%s' twice", name);
        else
            ok &= check_attr_value(check, attr);
        seen[attr->id] = true;
    }
    for (int i = 0; i < needed; i++)
        if (!seen[known[i]])
            ok = tg_illegal(check, "lacks the attribute '%s'", tg_attrs[known[i]].name);
    return ok;
}

/* -- counts -- */

static bool check_count(const tg_check *check, const char *what, uint32_t found, int least,
                        int most)
{
    if (most == TG_ANY_COUNT) most = TG_MAX_OPERANDS;
    if (found >= (uint32_t)least && found <= (uint32_t)most) return true;
    const char *bound = least == most ? "" : found < (uint32_t)least ? "at least " : "at most ";
    return tg_illegal(check, "has %" PRIu32 " %s, but takes %s%d", found, what, bound,
                      found < (uint32_t)least ? least : most);
}

static bool check_counts(const tg_check *check)
{
    const tg_op *op = check->op;
    const tg_op_info *info = &tg_ops[op->code];
    const bool any_results = info->out_count == TG_ANY_COUNT;
    const bool any_regions = info->region_count == TG_ANY_COUNT;
    bool ok = check_count(check, "operands", op->in_count, info->in_min, info->in_max);
    ok &= check_count(check, "results", op->out_count, any_results ? 0 : info->out_count,
                      info->out_count);
    ok &= check_count(check, "regions", op->region_count, any_regions ? 1 : info->region_count,
                      info->region_count);
    return ok;
}

/* -- refs and values -- */

static bool is_memory_op(tg_opcode code)
{
    tg_attr_id attrs[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(code, attrs, &needed);
    for (int i = 0; i < count; i++)
        if (attrs[i] == TG_ATTR_index) return true;
    return false;
}

/* How many of the first operands of an op are refs. */
static uint32_t ref_operands(tg_opcode code)
{
    switch (code) {
    case TG_OP_dma_start: return 3;
    case TG_OP_dma_wait: return 2;
    case TG_OP_semaphore_signal:
    case TG_OP_semaphore_wait:
    case TG_OP_semaphore_read: return 1;
    default: return is_memory_op(code) || tg_is_view_op(code);
    }
}

/* Refs are made by params, scoped, alloc and views; only the first operands of ops on memory take them. */
static bool check_refs(const tg_check *check)
{
    const tg_opcode code = check->op->code;
    const uint32_t refs = ref_operands(code);
    bool ok = true;
    for (uint32_t i = 0; i < check->op->in_count; i++) {
        const tg_type *type = tg_in(check, i);
        const bool wants_ref = i < refs;
        if (type->is_ref != wants_ref)
            ok = tg_mistyped(check, "operand %" PRIu32 " is %s, but must be a %s", i,
                             tg_show(type).text, wants_ref ? "ref" : "value; load it first");
    }
    for (uint32_t i = 0; i < check->op->out_count; i++) {
        const tg_type *type = tg_out(check, i);
        const bool gives_ref = code == TG_OP_alloc || tg_is_view_op(code);
        if (type->is_ref != gives_ref)
            ok = tg_mistyped(check, "result %" PRIu32 " is %s, but must be a %s", i,
                             tg_show(type).text, gives_ref ? "ref" : "value");
    }
    return ok;
}

/* -- ops and regions -- */

/* Index maps are evaluated ahead of the body, any number of times and in any order. */
static void check_index_map_op(const tg_check *check)
{
    const unsigned traits = tg_ops[check->op->code].traits;
    if (check->op->code == TG_OP_program_id)
        tg_illegal(check, "is not allowed in an index map, whose arguments are the program ids");
    else if (traits & (TG_TRAIT_WRITES | TG_TRAIT_ATOMIC) || check->op->code == TG_OP_debug_print ||
             check->op->code == TG_OP_check)
        tg_illegal(check, "has an effect, which is not allowed in an index map");
}

static void check_nested_regions(const tg_check *check)
{
    tg_path regions = {check->at, "regions", 0};
    for (uint32_t r = 0; r < check->op->region_count; r++) {
        tg_path here = {&regions, NULL, r};
        tg_check inside = tg_check_at(check, &here);
        inside.op = NULL;
        inside.depth++;
        tg_check_region(&inside, &check->op->regions[r]);
    }
}

static void check_op(const tg_check *check)
{
    if ((unsigned)check->op->code >= TG_OP_COUNT) {
        tg_fail(check->diags, TG_ERR_INVALID, check->at, "no operation has the number %d",
                (int)check->op->code);
        return;
    }
    if (check->op->loc >= check->module->loc_count)
        tg_illegal(check, "loc is %" PRIu32 ", but there are %" PRIu32 " locations", check->op->loc,
                   check->module->loc_count - 1);
    bool ok = check_attrs(check);
    ok &= check_counts(check);
    ok &= check_refs(check);
    if (check->in_index_map) check_index_map_op(check);
    if (ok) check_rule(check);
    check_nested_regions(check);
}

void tg_check_region(const tg_check *check, const tg_region *region)
{
    if (check->depth > TG_MAX_NESTING) {
        tg_illegal(check, "regions are nested deeper than %d", TG_MAX_NESTING);
        return;
    }
    tg_path ops = {check->at, "ops", 0};
    for (uint32_t i = 0; i < region->op_count; i++) {
        tg_path here = {&ops, NULL, i};
        tg_check inside = tg_check_at(check, &here);
        inside.op = &region->ops[i];
        check_op(&inside);
    }
}
