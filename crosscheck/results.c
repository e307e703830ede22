/* The cross-check for users: options in, results out. */
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "crosscheck/crosscheck.h"
#include "ir/bits.h"
#include "report/compare.h"

struct tg_crosscheck {
    size_t count;
    char **backends; /* of each outcome */
    tg_cross_outcome *outcomes;
};

/* ---- options ---- */

static tg_status read_profile(const tg_crosscheck_options *o, bool *is_fast, tg_diags *diags)
{
    const char *profile = o->profile ? o->profile : "reference";
    *is_fast = strcmp(profile, "fast") == 0;
    if (!*is_fast && strcmp(profile, "reference") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "profile \"%s\" is none of reference and fast",
                       profile);
    /* Bounds are about what PTX does in profile fast, against the interpreter's reference. */
    for (size_t i = 0; *is_fast && i < o->backend_count; i++)
        if ((strcmp(o->backends[i], "cpu") == 0) != (i == 0))
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "profile fast takes cpu as the first backend, and only there");
    return TG_OK;
}

int tg_crosscheck_is_triton_ptx(const char *backend, uint64_t *seed)
{
    static const char name[] = "triton-ptx";
    const size_t length = sizeof name - 1;
    char *end;
    *seed = 0;
    if (strncmp(backend, name, length) != 0) return false;
    if (!backend[length]) return true;
    if (backend[length] != ':' || strspn(backend + length + 1, "0123456789") == 0) return false;
    *seed = strtoull(backend + length + 1, &end, 10);
    return !*end;
}

/* A case's own PTX is compared with the interpreter, in profile reference. */
static tg_status check_backends(const tg_crosscheck_options *o, bool is_fast, tg_diags *diags)
{
    uint64_t seed;
    for (size_t i = 0; i < o->backend_count; i++) {
        if (!tg_crosscheck_is_triton_ptx(o->backends[i], &seed)) continue;
        if (i == 0 || is_fast || strcmp(o->backends[0], "cpu") != 0)
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "backend triton-ptx is compared with cpu, the first backend, and in "
                           "profile reference");
    }
    return TG_OK;
}

/* Bounds of profile fast are about exact sums. */
static tg_status read_tensor_core(const tg_crosscheck_options *o, tg_crosscheck_settings *out,
                                  tg_diags *diags)
{
    tg_setting setting = tg_setting_default;
    if (o->tensor_core && !tg_setting_read_tensor_core(&setting, o->tensor_core))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "tensor core \"%s\" is none of exact, sm90, sm100", o->tensor_core);
    out->tensor_core = setting.tensor_core;
    if (out->is_fast && out->tensor_core != TG_TENSOR_CORE_EXACT)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "profile fast is compared with exact sums, not with those of tensor core "
                       "\"%s\"",
                       o->tensor_core);
    return TG_OK;
}

/* Reads options of which an older program may know less. */
static tg_status read_options(const tg_crosscheck_options *options, tg_crosscheck_settings *out,
                              tg_diags *diags)
{
    tg_crosscheck_options own = {.size = sizeof own};
    memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
    *out = (tg_crosscheck_settings){.backends = own.backends, .count = own.backend_count};
    if (own.backend_count < 2)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a cross-check takes at least two backends");
    TG_TRY(read_profile(&own, &out->is_fast, diags));
    TG_TRY(check_backends(&own, out->is_fast, diags));
    return read_tensor_core(&own, out, diags);
}

/* ---- results ---- */

static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Room for the outcome of each backend but the first; NULL without memory. */
static tg_crosscheck *make(const tg_crosscheck_settings *settings)
{
    tg_crosscheck *check = calloc(1, sizeof *check);
    if (!check) return NULL;
    check->count = settings->count - 1;
    check->backends = calloc(check->count, sizeof *check->backends);
    check->outcomes = calloc(check->count, sizeof *check->outcomes);
    bool is_whole = check->backends && check->outcomes;
    for (size_t i = 0; i < check->count && is_whole; i++)
        is_whole = (check->backends[i] = copy_of(settings->backends[i + 1])) != NULL;
    if (is_whole) return check;
    tg_crosscheck_free(check);
    return NULL;
}

tg_status tg_crosscheck_new(const tg_case *c, const tg_crosscheck_options *options,
                            tg_crosscheck **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_crosscheck_settings settings;
    tg_crosscheck *check = NULL;
    tg_status status = read_options(options, &settings, diags);
    if (status == TG_OK) {
        check = make(&settings);
        status = check ? tg_crosscheck_case(c, &settings, check->outcomes) : TG_ERR_NO_MEMORY;
        if (status != TG_OK) tg_no_memory(diags);
    }
    tg_diags_free(&unwanted);
    if (status != TG_OK) {
        tg_crosscheck_free(check);
        check = NULL;
    }
    *out = check;
    return status;
}

void tg_crosscheck_free(tg_crosscheck *check)
{
    if (!check) return;
    for (size_t i = 0; check->backends && i < check->count; i++) free(check->backends[i]);
    free(check->backends);
    free(check->outcomes);
    free(check);
}

size_t tg_crosscheck_count(const tg_crosscheck *check) { return check->count; }

tg_cross_result tg_crosscheck_get(const tg_crosscheck *check, size_t index)
{
    const tg_cross_outcome *o = &check->outcomes[index];
    tg_cross_result out = {.backend = check->backends[index],
                           .verdict = o->verdict,
                           .status = o->status,
                           .seconds = o->seconds,
                           .message = o->text,
                           .bound_output = o->bound_output,
                           .first_message = o->first_text};
    if (!o->bound_output) return out;
    out.bound_element = o->worst.element;
    out.off = o->worst.off;
    out.bound = o->worst.bound;
    return out;
}

/* ---- the first difference ---- */

static tg_cross_place place_of(const tg_first_place *place, int axes)
{
    if (!place->op) return (tg_cross_place){0};
    return (tg_cross_place){.op = place->op,
                            .file = place->at->line ? place->at->file : NULL,
                            .line = place->at->line,
                            .rank = axes,
                            .program = place->program,
                            .visit = place->visit};
}

static tg_cross_value value_of(tg_dtype dtype, uint64_t bits)
{
    uint64_t element;
    tg_cross_value out = {.bits = bits, .width = tg_dtypes[dtype].bits};
    tg_bits_store(dtype, bits, &element);
    tg_element_print(dtype, &element, out.text);
    return out;
}

static void put_element(const tg_first_difference *first, tg_cross_first *out)
{
    int64_t stride[TG_MAX_RANK];
    const tg_type *type = &first->type;
    tg_dense_strides(type->rank, type->shape, stride);
    out->output = first->output;
    out->dtype = tg_dtypes[type->dtype].name;
    out->rank = type->rank;
    for (int d = 0; d < type->rank; d++)
        out->index[d] = first->element / stride[d] % type->shape[d];
    out->differing = first->differing;
    out->want = value_of(type->dtype, first->bits[0]);
    out->got = value_of(type->dtype, first->bits[1]);
    out->ulps = first->ulps;
}

tg_cross_first tg_crosscheck_first(const tg_crosscheck *check, size_t index)
{
    static const char *const kinds[] = {[TG_FIRST_BLOCK] = "block",
                                        [TG_FIRST_PATH] = "path",
                                        [TG_FIRST_STORE] = "store",
                                        [TG_FIRST_NONE] = "none",
                                        [TG_FIRST_TOO_LONG] = "too-long"};
    const tg_cross_outcome *o = &check->outcomes[index];
    const tg_first_difference *first = &o->first;
    tg_cross_first out = {0};
    if (!o->has_first) return out;
    out.kind = kinds[first->kind];
    out.at = place_of(&first->place, first->kernel->axis_count);
    out.other = place_of(&first->other, first->kernel->axis_count);
    if (first->kind == TG_FIRST_BLOCK || first->kind == TG_FIRST_STORE) put_element(first, &out);
    return out;
}
