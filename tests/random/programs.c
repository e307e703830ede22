#include "lower/lower.h"
#include "random/programs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/bits.h"
#include "random/maker.h"
#include "random/runs.h"
#include "base/float_env.h"

enum { MOST_ARRAYS = 16, MOST_PARAMS = 24 };

/* One kernel under test, its arrays, and the bits that the first run gave. */
typedef struct trial {
    tg_module *module;
    tg_plan *plan;           /* of its kernel */
    void *data[MOST_PARAMS]; /* of each parameter, NULL of scratch */
    tg_array arrays[MOST_ARRAYS];
    tg_dtype dtypes[MOST_ARRAYS];
    size_t bytes[MOST_ARRAYS], array_count, output_bytes;
    bool is_output[MOST_ARRAYS];
    unsigned char *first;
    char *first_text; /* what that run printed; NULL: none so far */
    bool is_refused;  /* as PTX, `why` */
    char *why;
    size_t why_size;
} trial;

TG_PRINTF(2, 3) static bool fails(trial *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->why, t->why_size, format, args);
    va_end(args);
    return false;
}

/* ---- arrays ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Moderate numbers for the most part, and any pattern now and then; of the NaNs only the plain one. */
static uint64_t element_bits(tg_dtype dtype, uint64_t *state)
{
    const uint64_t dice = next_random(state), any = next_random(state);
    const double moderate = (double)(int64_t)(any % 257) / 16 - 8;
    if (dtype == TG_DT_bool) return any & 1;
    if (!tg_is_float(dtype)) return dice % 4 ? any % 100 : any;
    const uint64_t bits = dice % 4 ? tg_bits_round(dtype, moderate) : any;
    return tg_bits_is_nan(dtype, bits) ? tg_bits_round(dtype, (double)NAN) : bits;
}

/* Copies beside the program keep what is in a byte beyond the bits of a narrow dtype, the copy of a block
 * in a physical run does not: with layouts, there is nothing. */
static void fill(tg_dtype dtype, void *data, size_t bytes, uint64_t seed)
{
    const size_t size = tg_dtypes[dtype].bytes;
    const int bits = tg_dtypes[dtype].bits;
    const uint64_t all =
        seed >= RANDOM_LAYOUTS && bits < 8 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    uint64_t state = seed;
    for (size_t at = 0; at < bytes; at += size)
        tg_bits_store(dtype, element_bits(dtype, &state) & all, (char *)data + at);
}

static bool add_array(trial *t, const tg_param_info *param, uint64_t seed)
{
    const tg_dtype dtype = tg_dtype_by_name(param->dtype);
    size_t bytes = tg_dtypes[dtype].bytes, i = t->array_count++;
    for (int d = 0; d < param->rank; d++) bytes *= (size_t)param->shape[d];
    tg_dltensor tensor = {.data = malloc(bytes), .device = {1, 0}, .ndim = param->rank};
    tensor.dtype = tg_dtype_to_dlpack(param->dtype);
    tensor.shape = (int64_t *)param->shape;
    t->arrays[i] = (tg_array){param->name, tensor};
    t->dtypes[i] = dtype;
    t->bytes[i] = bytes;
    t->is_output[i] = strcmp(param->role, "output") == 0;
    if (!tensor.data) return fails(t, "memory is exhausted");
    if (t->is_output[i])
        t->output_bytes += bytes;
    else
        fill(dtype, tensor.data, bytes, seed + i);
    return true;
}

static bool add_arrays(trial *t, uint64_t seed)
{
    for (size_t p = 0; p < tg_module_param_count(t->module, NULL); p++) {
        tg_param_info param = tg_module_param(t->module, NULL, p);
        if (strcmp(param.role, "scratch") == 0) continue;
        if (!add_array(t, &param, seed)) return false;
        t->data[p] = t->arrays[t->array_count - 1].tensor.data;
    }
    t->first = malloc(t->output_bytes);
    return t->first || fails(t, "memory is exhausted");
}

/* ---- runs ---- */

/* What a NaN carries besides being one may depend on the instruction set. */
static bool is_same(tg_dtype dtype, const void *a, const void *b)
{
    return memcmp(a, b, tg_dtypes[dtype].bytes) == 0 ||
           (tg_bits_is_nan(dtype, tg_bits_load(dtype, a)) &&
            tg_bits_is_nan(dtype, tg_bits_load(dtype, b)));
}

static bool compare_array(trial *t, size_t i, const unsigned char *want, const char *what)
{
    const tg_dtype dtype = t->dtypes[i];
    const size_t size = tg_dtypes[dtype].bytes;
    const unsigned char *found = t->arrays[i].tensor.data;
    if (memcmp(found, want, t->bytes[i]) == 0) return true;
    for (size_t at = 0; at < t->bytes[i]; at += size)
        if (!is_same(dtype, found + at, want + at))
            return fails(t, "%s: element %zu of %s is %llx, at first it was %llx", what, at / size,
                         t->arrays[i].name, (unsigned long long)tg_bits_load(dtype, found + at),
                         (unsigned long long)tg_bits_load(dtype, want + at));
    return true;
}

/* Keeps the outputs as those that others are held against, or compares with them. */
static bool compare(trial *t, bool keeps, const char *what)
{
    unsigned char *at = t->first;
    for (size_t i = 0; i < t->array_count; i++) {
        if (!t->is_output[i]) continue;
        if (keeps)
            memcpy(at, t->arrays[i].tensor.data, t->bytes[i]);
        else if (!compare_array(t, i, at, what))
            return false;
        at += t->bytes[i];
    }
    return true;
}

/* ---- what is printed ---- */

/* Tells the first line that differs. */
static bool fails_at_line(trial *t, const char *text, const char *what)
{
    const char *want = t->first_text, *line = text, *want_line = want;
    for (; *text && *text == *want; text++, want++)
        if (*text == '\n') line = text + 1, want_line = want + 1;
    return fails(t, "%s: prints \"%.*s\", at first it was \"%.*s\"", what, (int)strcspn(line, "\n"),
                 line, (int)strcspn(want_line, "\n"), want_line);
}
/* Only one order of the interpreter prints in the order in which devices do; others keep the lines. */
static bool compare_text(trial *t, char *text, const random_variant *v, const char *what)
{
    bool holds = text != NULL;
    if (!holds) fails(t, "memory is exhausted");
    if (holds && v->keeps) {
        free(t->first_text);
        t->first_text = text;
        return true;
    }
    if (holds && strcmp(v->order, "sequential") != 0 && !v->backend)
        holds = strlen(text) == strlen(t->first_text) ||
                fails(t, "%s: prints %zu bytes, at first %zu", what, strlen(text),
                      strlen(t->first_text));
    else if (holds)
        holds = strcmp(text, t->first_text) == 0 || fails_at_line(t, text, what);
    free(text);
    return holds;
}

/* ---- one run ---- */

/* On the plan that all variants share, or planned anew through the public interface. */
static bool run(trial *t, const tg_module *module, const random_variant *v, bool is_planned)
{
    char what[96];
    random_outcome ran = is_planned ? random_run_plan(t->plan, t->data, v)
                                    : random_run(module, t->arrays, t->array_count, v);
    snprintf(what, sizeof what, "%s, %s, %s, %s, %s", v->backend ? v->backend : "cpu", v->order,
             v->isa ? v->isa : "widest", v->profile, v->layouts ? v->layouts : "logical");
    t->is_refused = t->is_refused || ran.is_refused;
    if (!ran.holds || ran.is_refused) fails(t, "%s: %s", what, ran.why);
    if (ran.holds && ran.took_place && compare(t, v->keeps, what))
        return compare_text(t, ran.printed, v, what);
    free(ran.printed);
    return ran.holds && !ran.took_place;
}

static const random_variant variants[] = {
    {"sequential", NULL, "reference", true, NULL, NULL},
    {"reversed", NULL, "reference", false, NULL, NULL},
    {"shuffled:5", NULL, "reference", false, NULL, NULL},
    {"interleaved:9", NULL, "reference", false, NULL, NULL},
    {"parallel:1", NULL, "reference", false, NULL, NULL},
    {"parallel:2", NULL, "reference", false, NULL, NULL},
    {"sequential", "baseline", "reference", false, NULL, NULL},
    {"sequential", "avx2", "reference", false, NULL, NULL},
    {"sequential", NULL, "reference", false, "emulator", NULL},
    {"sequential", NULL, "reference", false, "emulator:3", NULL},
    {"parallel:3", NULL, "reference", false, "emulator:4", NULL},
    {"sequential", NULL, "reference", false, NULL, "physical"},
    {"shuffled:7", NULL, "reference", false, NULL, "physical"},
    {"sequential", NULL, "reference", false, "emulator", "physical"},
    {"sequential", NULL, "fast", true, NULL, NULL},
    {"reversed", NULL, "fast", false, NULL, NULL},
    {"shuffled:5", NULL, "fast", false, NULL, NULL},
    {"interleaved:9", NULL, "fast", false, NULL, NULL},
    {"parallel:2", NULL, "fast", false, NULL, NULL},
    {"sequential", "baseline", "fast", false, NULL, NULL},
    {"sequential", "avx2", "fast", false, NULL, NULL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- the properties ---- */

static tg_module *load(trial *t, const char *json)
{
    tg_module *module = NULL;
    tg_errors *errors = tg_errors_new();
    if (tg_module_load_text(json, strlen(json), &module, errors) != TG_OK) {
        tg_error e = tg_errors_get(errors, 0);
        fails(t, "does not verify: %s: %s", e.where, e.message);
    }
    tg_errors_free(errors);
    return module;
}

/* The first run's bits are kept. */
static bool survives_printing(trial *t)
{
    bool holds = false;
    char *once = tg_module_print(t->module, TG_TEXT_JSON, NULL), *twice = NULL;
    tg_module *again = once ? load(t, once) : NULL;
    if (again) twice = tg_module_print(again, TG_TEXT_JSON, NULL);
    if (twice && strcmp(once, twice) != 0)
        fails(t, "its JSON is read back as something else");
    else if (twice)
        holds = run(t, again, &(random_variant){"sequential", NULL, "reference", false, NULL, NULL},
                    false);
    else if (!once || again)
        fails(t, "memory is exhausted");
    tg_module_destroy(again);
    tg_text_free(once);
    tg_text_free(twice);
    return holds;
}

static bool plan(trial *t)
{
    tg_diags diags = {0};
    tg_environment saved = tg_environment_enter();
    tg_status status = tg_plan_new(t->module, &t->module->kernels[0], &t->plan, &diags);
    tg_environment_leave(saved);
    if (status != TG_OK) fails(t, "no plan: %s", diags.count ? diags.list[0].message : "");
    tg_diags_free(&diags);
    return status == TG_OK;
}

/* The emulator's variants as those of the GPU: the same orders of programs.  The first variant is kept, since it gives the bits. */
static random_variant on_gpu(random_variant v)
{
    if (v.backend) v.backend = "gpu";
    return v;
}

static bool is_asked(const random_variant *v, uint64_t seed, random_checks checks)
{
    if (v->layouts && seed < RANDOM_LAYOUTS) return false;
    if (checks == RANDOM_CPU) return !v->backend;
    return checks != RANDOM_GPU || v->backend || v == variants;
}

/* The first run, and those of PTX, plan the kernel themselves. */
static bool all_hold(trial *t, uint64_t seed, random_checks checks)
{
    if (!t->module || !add_arrays(t, seed) || !plan(t)) return false;
    for (int v = 0; v < VARIANTS; v++) {
        if (!is_asked(&variants[v], seed, checks)) continue;
        const random_variant variant = checks == RANDOM_GPU ? on_gpu(variants[v]) : variants[v];
        if (!run(t, t->module, &variant, v > 0 && !variant.backend && !variant.layouts))
            return false;
        if (v == 0 && !survives_printing(t)) return false;
    }
    return true;
}

char *random_program_json(uint64_t seed, int ops) { return random_json(RANDOM_TYPED, seed, ops); }

random_verdict random_program_check(uint64_t seed, int ops, random_checks checks, char *why,
                                    size_t size)
{
    trial t = {.why = why, .why_size = size};
    char *json = random_program_json(seed, ops);
    t.module = load(&t, json);
    const bool holds = all_hold(&t, seed, checks);
    for (size_t i = 0; i < t.array_count; i++) free(t.arrays[i].tensor.data);
    free(t.first);
    free(t.first_text);
    tg_plan_free(t.plan);
    tg_module_destroy(t.module);
    free(json);
    return !holds ? RANDOM_FAILS : t.is_refused ? RANDOM_REFUSED : RANDOM_HOLDS;
}

int random_program_shrink(uint64_t seed, int ops, random_checks checks)
{
    char why[256];
    for (int fewer = 0; fewer < ops; fewer++)
        if (random_program_check(seed, fewer, checks, why, sizeof why) == RANDOM_FAILS)
            return fewer;
    return ops;
}
