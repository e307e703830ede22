/* The builder of the public interface: ops, and what is added to them. */
#include <stdlib.h>
#include <string.h>

#include "api/build.h"
#include "base/float_env.h"
#include "ir/bits.h"
#include "ir/literal.h"

/* ---- attributes ---- */

/* The innermost open region of a body or index map; NULL, noted, where none takes ops. */
static tg_api_level *level_of(tg_builder *b, const char *call)
{
    if (b->build.kernel && (b->in_body || b->depth > 1)) return &b->levels[b->depth - 1];
    tg_api_wrong(b, "%s: no region is open that takes ops", call);
    return NULL;
}

static const char *const kind_names[] = {[TG_ATTR_KIND_INT] = "an integer",
                                         [TG_ATTR_KIND_BOOL] = "a truth value",
                                         [TG_ATTR_KIND_INTS] = "a list",
                                         [TG_ATTR_KIND_TEXT] = "a text",
                                         [TG_ATTR_KIND_NAME] = "one of some names",
                                         [TG_ATTR_KIND_INDEX] = "an index",
                                         [TG_ATTR_KIND_DATA] = "elements"};

/* The level whose next op gets the attribute of that name, which is of `kind`, for the first
 * time; NULL, noted, where it cannot. */
static tg_api_level *begin_attr(tg_builder *b, const char *name, tg_attr_kind kind, tg_attr_id *id)
{
    tg_api_level *level = tg_api_builds(b) ? level_of(b, "tg_builder_attr") : NULL;
    if (!level) return NULL;
    *id = name ? tg_attr_by_name(name) : TG_ATTR_COUNT;
    if (*id == TG_ATTR_COUNT)
        tg_api_wrong(b, "there is no attribute \"%s\"", name ? name : "");
    else if (tg_attrs[*id].kind != kind &&
             !(kind == TG_ATTR_KIND_TEXT && tg_attrs[*id].kind == TG_ATTR_KIND_NAME))
        tg_api_wrong(b, "attribute \"%s\" is %s", name, kind_names[tg_attrs[*id].kind]);
    else if (level->has_attr[*id])
        tg_api_wrong(b, "attribute \"%s\" is given twice", name);
    else
        level->has_attr[*id] = true;
    return b->status == TG_OK ? level : NULL;
}

void tg_builder_attr_int(tg_builder *b, const char *name, int64_t value)
{
    tg_attr_id id;
    if (begin_attr(b, name, TG_ATTR_KIND_INT, &id)) tg_build_int(&b->build, id, value);
}

/* A false flag is the same as none: one form for one meaning. */
void tg_builder_attr_bool(tg_builder *b, const char *name, int value)
{
    tg_attr_id id;
    if (begin_attr(b, name, TG_ATTR_KIND_BOOL, &id) && value) tg_build_int(&b->build, id, true);
}

void tg_builder_attr_ints(tg_builder *b, const char *name, const int64_t *values, size_t count)
{
    tg_attr_id id;
    if (!begin_attr(b, name, TG_ATTR_KIND_INTS, &id)) return;
    if (count > TG_MAX_OPERANDS)
        tg_api_wrong(b, "attribute \"%s\" has more than %d entries", name, (int)TG_MAX_OPERANDS);
    else
        tg_build_ints(&b->build, id, values, (int64_t)count);
}

void tg_builder_attr_text(tg_builder *b, const char *name, const char *text)
{
    tg_attr_id id;
    if (!begin_attr(b, name, TG_ATTR_KIND_TEXT, &id) || !tg_api_is_text(b, text, name)) return;
    if (tg_attrs[id].kind == TG_ATTR_KIND_TEXT)
        tg_build_text(&b->build, id, text);
    else if (tg_attr_name_index(id, text) >= 0)
        tg_build_name(&b->build, id, text);
    else
        tg_api_wrong(b, "attribute \"%s\": \"%s\" is none of: %s", name, text, tg_attrs[id].names);
}

/* ---- literal elements ---- */

/* Begins an attribute of `count` elements of a dtype that values have. */
static bool begin_data(tg_builder *b, const char *name, const char *dtype, int64_t count,
                       tg_attr_id *id, tg_dtype *out)
{
    tg_api_level *level = begin_attr(b, name, TG_ATTR_KIND_DATA, id);
    if (!level) return false;
    *out = dtype ? tg_dtype_by_name(dtype) : TG_DT_COUNT;
    if (*out == TG_DT_COUNT)
        return tg_api_wrong(b, "attribute \"%s\": there is no dtype \"%s\"", name,
                            dtype ? dtype : "");
    level->data_dtype = *out;
    level->data_count = count;
    return true;
}

static void to_carrier(tg_dtype dtype, const void *element, void *out)
{
    const uint64_t bits = tg_bits_load(dtype, element);
    if (tg_is_float(dtype))
        tg_bits_to_carrier(dtype, bits, out);
    else
        tg_bits_store(dtype, bits, out); /* memory and carrier are the same */
}

void tg_builder_attr_data(tg_builder *b, const char *name, const char *dtype_name,
                          const void *elements, size_t count)
{
    tg_attr_id id;
    tg_dtype dtype;
    if (!begin_data(b, name, dtype_name, (int64_t)count, &id, &dtype)) return;
    const size_t size = tg_carrier_bytes[tg_carrier_of(dtype)], bytes = tg_dtypes[dtype].bytes;
    char *carriers = tg_build_take(&b->build, count, size);
    const tg_environment saved = tg_environment_enter();
    for (size_t i = 0; carriers && i < count; i++)
        to_carrier(dtype, (const char *)elements + i * bytes, carriers + i * size);
    tg_environment_leave(saved);
    if (carriers) tg_build_data(&b->build, id, dtype, carriers, (int64_t)count);
}

void tg_builder_attr_number(tg_builder *b, const char *name, const char *dtype_name, double number)
{
    tg_attr_id id;
    tg_dtype dtype;
    uint64_t carrier;
    if (!begin_data(b, name, dtype_name, 1, &id, &dtype)) return;
    const tg_environment saved = tg_environment_enter();
    const bool is_bool = dtype == TG_DT_bool && (number == 0 || number == 1);
    const char *wrong =
        tg_is_float(dtype) || is_bool ? NULL : tg_literal_from_number(dtype, number, &carrier);
    if (wrong)
        tg_api_wrong(b, "attribute \"%s\": the element %s (%s)", name, wrong, dtype_name);
    else
        tg_build_number(&b->build, id, dtype, number);
    tg_environment_leave(saved);
}

/* ---- indices ---- */

static void add_dim(tg_builder *b, tg_index_dim dim)
{
    tg_api_level *level = tg_api_builds(b) ? level_of(b, "an index") : NULL;
    if (!level) return;
    if (level->index_rank == TG_MAX_RANK) {
        tg_api_wrong(b, "an index has more than %d dimensions", (int)TG_MAX_RANK);
        return;
    }
    level->has_attr[TG_ATTR_index] = true;
    level->index[level->index_rank++] = dim;
}

void tg_builder_slice(tg_builder *b, int64_t start, int64_t size, int64_t stride)
{
    add_dim(b, (tg_index_dim){TG_INDEX_SLICE, true, start, size, stride});
}

void tg_builder_slice_from_operand(tg_builder *b, int64_t size, int64_t stride)
{
    add_dim(b, (tg_index_dim){TG_INDEX_SLICE, false, 0, size, stride});
}

void tg_builder_position(tg_builder *b) { add_dim(b, (tg_index_dim){.kind = TG_INDEX_AT}); }

void tg_builder_whole(tg_builder *b, tg_value_id ref)
{
    tg_api_level *level = tg_api_builds(b) ? level_of(b, "tg_builder_whole") : NULL;
    if (!level || !tg_api_sees(b, ref)) return;
    const tg_type type = tg_build_type(&b->build, ref);
    level->has_attr[TG_ATTR_index] = true; /* of rank 0 too */
    for (int d = 0; d < type.rank; d++) tg_builder_slice(b, 0, type.shape[d], 1);
}

/* ---- ops ---- */

void tg_builder_add_region(tg_builder *b, tg_region_id id)
{
    tg_region region;
    tg_api_level *level = tg_api_builds(b) ? level_of(b, "tg_builder_add_region") : NULL;
    if (!level || !tg_api_take_region(b, id, &region)) return;
    if (++level->region_count > TG_MAX_OPERANDS)
        tg_api_wrong(b, "an op has more than %d regions", (int)TG_MAX_OPERANDS);
    else
        tg_build_region(&b->build, region);
}

/* The op has the attributes that it needs, and none that it may not have. */
static bool suits(tg_builder *b, const tg_api_level *level, tg_opcode code)
{
    tg_attr_id ids[TG_MAX_OP_ATTRS];
    bool is_known[TG_ATTR_COUNT] = {false};
    int needed, count = tg_op_attrs(code, ids, &needed);
    for (int a = 0; a < count; a++) {
        is_known[ids[a]] = true;
        if (a < needed && !level->has_attr[ids[a]] && tg_attrs[ids[a]].kind != TG_ATTR_KIND_BOOL)
            return tg_api_wrong(b, "%s: attribute \"%s\" is missing", tg_ops[code].name,
                                tg_attrs[ids[a]].name);
    }
    for (int id = 0; id < TG_ATTR_COUNT; id++)
        if (level->has_attr[id] && !is_known[id])
            return tg_api_wrong(b, "%s has no attribute \"%s\"", tg_ops[code].name,
                                tg_attrs[id].name);
    return true;
}

/* Literal elements are of the first result's dtype, and one or as many as it has. */
static bool suits_data(tg_builder *b, const tg_api_level *level, tg_opcode code,
                       const char *const *types, size_t out_count)
{
    tg_type type;
    if (level->data_dtype == TG_DT_COUNT) return true;
    if (out_count == 0) return tg_api_wrong(b, "%s: there is no result", tg_ops[code].name);
    if (!tg_api_type(b, types[0], &type)) return false;
    if (type.dtype != level->data_dtype)
        return tg_api_wrong(b, "%s: elements of %s for a result of %s", tg_ops[code].name,
                            tg_dtypes[level->data_dtype].name, tg_dtypes[type.dtype].name);
    if (level->data_count == 1 || level->data_count == tg_type_count(&type)) return true;
    return tg_api_wrong(b, "%s: %lld elements for a result of %lld", tg_ops[code].name,
                        (long long)level->data_count, (long long)tg_type_count(&type));
}

/* What has been added is gone with the op. */
static void empty(tg_api_level *level)
{
    memset(level->has_attr, 0, sizeof level->has_attr);
    level->data_dtype = TG_DT_COUNT;
    level->index_rank = 0;
    level->region_count = 0;
}

void tg_builder_op(tg_builder *b, const char *op, const tg_value_id *in, size_t in_count,
                   const char *const *types, size_t out_count, tg_value_id *out)
{
    for (size_t i = 0; i < out_count; i++) out[i] = 0;
    tg_api_level *level = tg_api_builds(b) ? level_of(b, "tg_builder_op") : NULL;
    if (!level) return;
    const tg_opcode code = op ? tg_op_by_name(op) : TG_OP_COUNT;
    if (code == TG_OP_COUNT)
        tg_api_wrong(b, "there is no operation \"%s\"", op ? op : "");
    else if (in_count > TG_MAX_OPERANDS || out_count > TG_MAX_OPERANDS)
        tg_api_wrong(b, "%s: more than %d operands or results", op, (int)TG_MAX_OPERANDS);
    if (b->status != TG_OK || !suits(b, level, code) ||
        !suits_data(b, level, code, types, out_count))
        return;
    for (size_t i = 0; i < in_count; i++) {
        if (!tg_api_sees(b, in[i])) return;
        tg_build_in(&b->build, in[i]);
    }
    if (level->has_attr[TG_ATTR_index]) tg_build_index(&b->build, level->index, level->index_rank);
    for (size_t i = 0; i < out_count; i++) {
        tg_type type;
        if (!tg_api_type(b, types[i], &type)) return;
        out[i] = tg_api_new_value(b, &type);
        tg_build_out(&b->build, out[i]);
    }
    tg_build_op(&b->build, code);
    empty(level);
}

tg_value_id tg_builder_op1(tg_builder *b, const char *op, const tg_value_id *in, size_t in_count,
                           const char *type)
{
    char text[TG_TYPE_TEXT];
    tg_value_id out = 0;
    if (!tg_api_builds(b)) return 0;
    if (!type && (in_count == 0 || !b->build.kernel)) {
        tg_api_wrong(b, "%s: the type of the result is missing", op ? op : "");
        return 0;
    }
    if (!type && !tg_api_sees(b, in[0])) return 0;
    const tg_type like = type ? (tg_type){0} : tg_build_type(&b->build, in[0]);
    if (!type) type = tg_type_print(&like, text, sizeof text);
    tg_builder_op(b, op, in, in_count, &type, 1, &out);
    return out;
}
