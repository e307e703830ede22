#include "prepared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"

/* Kernels that some executable of XLA uses. */
static tg_prepared *cache;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- keys ---- */

/* The texts of a recipe, each preceded by its length (0 for an absent one: empty ones are refused).
 * Returns NULL if memory runs out. */
static char *key_of(const tg_recipe *recipe, size_t *length)
{
    const tg_ffi_span parts[] = {recipe->module,       recipe->order,   recipe->compat,
                                 recipe->profile,      recipe->backend, recipe->findings,
                                 recipe->checks,       recipe->search,  recipe->fail_on,
                                 recipe->suppressions, recipe->target,  recipe->max_steps,
                                 recipe->tensor_core};
    enum { COUNT = sizeof parts / sizeof *parts };
    size_t total = 0, at = 0;
    for (int i = 0; i < COUNT; i++) total += sizeof parts[i].len + parts[i].len;
    char *key = malloc(total);
    for (int i = 0; key && i < COUNT; i++) {
        memcpy(key + at, &parts[i].len, sizeof parts[i].len);
        at += sizeof parts[i].len;
        if (parts[i].len) memcpy(key + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    *length = total;
    return key;
}

/* ---- preparing ---- */

static bool set_dtype(tg_slot_type *slot)
{
    static const struct {
        const char *name;
        int number;
        unsigned bits;
    } dtypes[] = {
#define BITS_BOOL(bits) 8 /* XLA stores each bool in a byte */
#define BITS_SINT(bits) bits
#define BITS_UINT(bits) bits
#define BITS_FLOAT(bits) bits
#define TG_DTYPE(id, kind, bits, ...) {#id, TG_FFI_##id, BITS_##kind(bits)},
#include "ir/dtypes.def"
    };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(dtypes[i].name, slot->info.dtype) != 0) continue;
        slot->dtype = dtypes[i].number;
        slot->bits = dtypes[i].bits;
        return true;
    }
    return false;
}

static tg_status set_param(tg_prepared *p, tg_slot_type *slot, tg_param_info info)
{
    slot->info = info;
    if (strcmp(info.role, "scratch") == 0) return TG_OK;
    if (!set_dtype(slot)) return TG_ERR_UNSUPPORTED; /* XLA has no buffers of this dtype */
    slot->is_result = strcmp(info.role, "output") == 0;
    slot->count = 1;
    for (int d = 0; d < info.rank; d++) slot->count *= (size_t)info.shape[d];
    *(slot->is_result ? &p->ret_count : &p->arg_count) += 1;
    return TG_OK;
}

static char *text_of(tg_ffi_span span)
{
    char *text = malloc(span.len + 1);
    if (!text) return NULL;
    if (span.len) memcpy(text, span.ptr, span.len);
    text[span.len] = '\0';
    return text;
}

static tg_status set_executable(tg_prepared *p, const tg_recipe *recipe,
                                void (*print)(void *context, const char *text), tg_errors *errors)
{
    char *order = text_of(recipe->order), *compat = text_of(recipe->compat);
    char *profile = text_of(recipe->profile), *backend = text_of(recipe->backend);
    char *checks = text_of(recipe->checks), *target = text_of(recipe->target);
    char *max_steps = text_of(recipe->max_steps), *tensor_core = text_of(recipe->tensor_core);
    tg_run_options options = {.size = sizeof options,
                              .order = order,
                              .compat = compat,
                              .profile = profile,
                              .backend = backend,
                              .print = print,
                              .progress = tg_interrupts_progress,
                              .max_findings = p->known ? SIZE_MAX : 0, /* room for others */
                              .checks = recipe->checks.ptr ? checks : NULL,
                              .target = recipe->target.ptr ? target : NULL,
                              .tensor_core = recipe->tensor_core.ptr ? tensor_core : NULL};
    tg_status status = TG_ERR_NO_MEMORY;
    if (max_steps) options.max_steps = strtoll(max_steps, NULL, 10);
    if (order && compat && profile && backend && checks && target && max_steps && tensor_core)
        status = tg_executable_new(p->module, NULL, &options, &p->executable, errors);
    free(order);
    free(compat);
    free(profile);
    free(backend);
    free(checks);
    free(target);
    free(max_steps);
    free(tensor_core);
    return status;
}

/* Reads the suppression blocks of the attribute. */
static tg_status set_known(tg_prepared *p, tg_ffi_span text, tg_errors *errors)
{
    if (!text.ptr) return TG_OK;
    p->known = tg_suppressions_new();
    return p->known ? tg_suppressions_add_text(p->known, text.ptr, text.len, "suppressions", errors)
                    : TG_ERR_NO_MEMORY;
}

static tg_status prepare(tg_prepared *p, const tg_recipe *recipe,
                         void (*print)(void *context, const char *text), tg_errors *errors)
{
    p->policy = recipe->policy;
    p->is_tpu = recipe->target.len == 3 && memcmp(recipe->target.ptr, "tpu", 3) == 0;
    tg_status status =
        tg_module_load_text(recipe->module.ptr, recipe->module.len, &p->module, errors);
    if (status == TG_OK) status = set_known(p, recipe->suppressions, errors);
    if (status == TG_OK) status = set_executable(p, recipe, print, errors);
    if (status != TG_OK) return status;
    if (p->policy.kinds.ptr && !(p->kinds = text_of(p->policy.kinds))) return TG_ERR_NO_MEMORY;
    p->policy.kinds.ptr = p->kinds;
    p->param_count = tg_module_param_count(p->module, NULL);
    p->dynamic_count = p->arg_count = tg_module_dynamic_axes(p->module, NULL);
    p->params = calloc(p->param_count + 1, sizeof *p->params);
    if (!p->params) return TG_ERR_NO_MEMORY;
    for (size_t i = 0; i < p->param_count && status == TG_OK; i++)
        status = set_param(p, &p->params[i], tg_module_param(p->module, NULL, i));
    return status;
}

static void free_prepared(tg_prepared *p)
{
    if (!p) return;
    tg_executable_free(p->executable);
    tg_module_free(p->module);
    tg_suppressions_free(p->known);
    free(p->params);
    free(p->kinds);
    free(p->key);
    free(p);
}

/* ---- the cache ---- */

static tg_prepared *find(const char *key, size_t length)
{
    for (tg_prepared *p = cache; p; p = p->next)
        if (p->key_length == length && memcmp(p->key, key, length) == 0) return p;
    return NULL;
}

static tg_status get(const tg_recipe *recipe, void (*print)(void *context, const char *text),
                     tg_prepared **out, tg_errors *errors)
{
    size_t length;
    char *key = key_of(recipe, &length);
    if (!key) return TG_ERR_NO_MEMORY;
    *out = find(key, length);
    if (*out) {
        (*out)->users++;
        free(key);
        return TG_OK;
    }
    tg_prepared *p = calloc(1, sizeof *p);
    tg_status status = p ? prepare(p, recipe, print, errors) : TG_ERR_NO_MEMORY;
    if (status != TG_OK) {
        free_prepared(p);
        free(key);
        return status;
    }
    p->key = key;
    p->key_length = length;
    p->users = 1;
    p->next = cache;
    *out = cache = p;
    return TG_OK;
}

tg_status tg_prepared_get(const tg_recipe *recipe, void (*print)(void *context, const char *text),
                          tg_prepared **out, tg_errors *errors)
{
    pthread_mutex_lock(&cache_lock);
    tg_status status = get(recipe, print, out, errors);
    pthread_mutex_unlock(&cache_lock);
    return status;
}

void tg_prepared_drop(void *prepared)
{
    tg_prepared *p = prepared, **at = &cache;
    pthread_mutex_lock(&cache_lock);
    bool is_last = --p->users == 0;
    if (is_last) {
        while (*at != p) at = &(*at)->next;
        *at = p->next;
    }
    pthread_mutex_unlock(&cache_lock);
    if (is_last) free_prepared(p);
}
