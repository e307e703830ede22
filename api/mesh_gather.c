#include "api/mesh_gather.h"

#include <stdlib.h>
#include <string.h>

#include "interp/elementwise/elementwise.h"
#include "ir/bits.h"
#include "report/compare.h"

/* ---- terms ---- */

enum { STRIP = 1024, CARRIER = 8 /* bytes of the widest */ };

typedef struct reducer {
    tg_elementwise_call call;
    tg_elementwise_fn *load, *store; /* NULL: memory is as the carrier */
    size_t bytes;
} reducer;

static reducer reducer_of(const tg_mesh_array *array)
{
    static const tg_opcode ops[TG_REDUCTION_COUNT] = {[TG_REDUCTION_SUM] = TG_OP_add,
                                                      [TG_REDUCTION_MAX] = TG_OP_max,
                                                      [TG_REDUCTION_MIN] = TG_OP_min};
    const tg_dtype dtype = array->param->array.dtype;
    const tg_elementwise *lanes = tg_elementwise_get("baseline");
    return (reducer){.call = tg_elementwise_op(lanes, ops[array->spread.reduction], dtype, dtype),
                     .load = tg_elementwise_load(lanes, dtype),
                     .store = tg_elementwise_store(lanes, dtype),
                     .bytes = tg_dtypes[dtype].bytes};
}

/* into = into op from, on at most STRIP elements. */
static void reduce_strip(const reducer *r, char *into, const char *from, size_t count)
{
    _Alignas(64) char a[STRIP * CARRIER], b[STRIP * CARRIER];
    const void *source = into, *other = from;
    if (r->load) {
        r->load(a, &source, 0, count, 0);
        r->load(b, &other, 0, count, 0);
        source = a;
        other = b;
    }
    const void *operands[] = {source, other};
    void *result = r->load ? a : into;
    r->call.compute(result, operands, 0, count, 0);
    const void *again = result;
    if (r->call.finish) r->call.finish(result, &again, 0, count, 0);
    if (r->store) r->store(into, &again, 0, count, 0);
}

static void reduce(const reducer *r, tg_tensor *into, const tg_tensor *from)
{
    const int64_t count = tg_type_count(&into->type);
    for (int64_t i = 0; i < count; i += STRIP) {
        const size_t at = (size_t)i * r->bytes;
        reduce_strip(r, (char *)into->data + at, (const char *)from->data + at,
                     (size_t)(count - i < STRIP ? count - i : STRIP));
    }
}

static tg_tensor *part_at(const tg_mesh_array *array, int position)
{
    return &array->parts[tg_mesh_array_device(array, position)];
}

/* Positions ascend, and the first term of a reduction is at its root. */
static void reduce_terms(const tg_mesh_array *array, int devices)
{
    const reducer r = reducer_of(array);
    for (int p = 0; p < devices; p++)
        if (array->shares.root[p] != p)
            reduce(&r, part_at(array, array->shares.root[p]), part_at(array, p));
}

/* ---- copies ---- */

static bool same_element(tg_dtype dtype, const char *a, const char *b)
{
    const uint64_t x = tg_bits_load(dtype, a), y = tg_bits_load(dtype, b);
    return x == y || (tg_bits_is_nan(dtype, x) && tg_bits_is_nan(dtype, y));
}

/* Takes note of an element whose copies at two positions differ. */
static void note(const tg_mesh_array *array, int64_t place, const int *positions, bool *differs,
                 tg_copies_differ *out)
{
    const tg_dtype dtype = array->param->array.dtype;
    const int64_t element = array->shares.base[positions[0]] + array->shares.offset[place];
    if (differs[element]) return;
    differs[element] = true;
    if (!out->count || element > out->last) out->last = element;
    if (!out->count++ || element < out->first) {
        out->first = element;
        for (int i = 0; i < 2; i++) {
            const char *data = part_at(array, positions[i])->data;
            out->devices[i] = tg_mesh_array_device(array, positions[i]);
            tg_element_print(dtype, data + (size_t)place * tg_dtypes[dtype].bytes, out->values[i]);
        }
    }
}

static void compare(const tg_mesh_array *array, int first, int other, bool *differs,
                    tg_copies_differ *out)
{
    const tg_tensor *a = part_at(array, first), *b = part_at(array, other);
    const size_t bytes = tg_dtypes[a->type.dtype].bytes;
    if (memcmp(a->data, b->data, tg_tensor_bytes(&a->type)) == 0) return;
    for (int64_t m = 0; m < array->shares.place_count; m++)
        if (!same_element(a->type.dtype, (const char *)a->data + (size_t)m * bytes,
                          (const char *)b->data + (size_t)m * bytes))
            note(array, m, (int[]){first, other}, differs, out);
}

/* The first position with the same elements, reduced ones only. */
static int first_copy(const tg_shares *shares, int position)
{
    int p = 0;
    while (shares->base[p] != shares->base[position] || shares->root[p] != p) p++;
    return p;
}

tg_status tg_mesh_gather(tg_mesh_array *array, int devices, void *whole, tg_copies_differ *out,
                         tg_diags *diags)
{
    *out = (tg_copies_differ){0};
    bool *differs = calloc((size_t)tg_iters_size(&array->spread.layout.d), sizeof *differs);
    if (!differs) return tg_no_memory(diags);
    if (array->spread.terms.count) reduce_terms(array, devices);
    for (int p = 0; p < devices; p++) {
        if (array->shares.root[p] != p) continue;
        const int first = first_copy(&array->shares, p);
        if (first == p)
            tg_mesh_array_give(array, p, part_at(array, p)->data, whole);
        else
            compare(array, first, p, differs, out);
    }
    free(differs);
    return TG_OK;
}

/* ---- what became of it ---- */

tg_status tg_mesh_tell(const tg_mesh_array *array, tg_mesh_output *out, tg_diags *diags)
{
    tg_text text = {0};
    tg_spread_print(&array->spread, &text);
    const int64_t blocks = tg_iters_size(&array->spread.layout.d) / array->shares.place_count;
    const int64_t terms = tg_iters_size(&array->spread.terms);
    *out =
        (tg_mesh_output){.name = array->param->name,
                         .layout = tg_text_finish(&text),
                         .blocks = blocks,
                         .copies = array->shares.device_count / blocks / terms,
                         .terms = terms,
                         .reduction = terms > 1 ? tg_reduction_names[array->spread.reduction] : ""};
    return out->layout ? TG_OK : tg_no_memory(diags);
}
