#include "gpu_backend/device/gpu_module.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_IDLE = 32,         /* modules kept without users */
    FREE_SHARED = 48 * 1024 /* bytes of dynamic shared memory that every entry may use */
};

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

static void drop(const tg_gpu *gpu, tg_gpu_module *module)
{
    if (module->module) gpu->driver->module_unload(module->module);
    free(module->text);
    free(module->name);
    free(module);
}

/* ---- by the driver ---- */

/* `image` is a cubin or PTX.  Sets *module to NULL if the driver rejects it, and `log` to its log
 * without the last line end. */
static int hand_over(tg_gpu *gpu, const void *image, char *log, size_t size, tg_cu_module *module)
{
    tg_cu_jit_option options[] = {TG_CU_JIT_ERROR_LOG_BUFFER,
                                  TG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    /* The driver takes the size as the pointer's value, and may overwrite it with the length
     * used. */
    void *values[] = {log, (void *)(uintptr_t)(size - 1)};
    memset(log, 0, size);
    const int code = gpu->driver->module_load(module, image, 2, options, values);
    if (code) *module = NULL; /* the driver may leave anything there */
    for (size_t n = strlen(log); n && log[n - 1] == '\n'; n--) log[n - 1] = 0;
    return code;
}

/* `note`: what ptxas reported before; "" if nothing. */
static tg_status compile(tg_gpu *gpu, const tg_ptx *ptx, const char *note, tg_cu_module *module,
                         tg_diags *diags)
{
    char log[8192], doing[16384];
    const int code = hand_over(gpu, ptx->text, log, sizeof log, module);
    snprintf(doing, sizeof doing, "making %s ready on the GPU%s%s%s%s", ptx->entry,
             *log ? ", of which the driver's compiler says \"" : "", log, *log ? "\"" : "", note);
    return code ? tg_gpu_check(gpu, code, doing, "cuModuleLoadDataEx", diags) : TG_OK;
}

/* ---- by ptxas ---- */

/* sm_90a and the like: a text with instructions that no other chip has. */
static bool is_for_one_chip(const tg_ptx *ptx)
{
    const size_t length = strlen(ptx->target);
    return length && ptx->target[length - 1] == 'a';
}

static void chip_of(const tg_gpu *gpu, const tg_ptx *ptx, char out[32])
{
    snprintf(out, 32, "sm_%d%d%s", gpu->info.major, gpu->info.minor,
             is_for_one_chip(ptx) ? "a" : "");
}

/* One attempt.  Errors are part of the outcome; the diagnoses are dropped. */
static void attempt(const tg_gpu *gpu, const tg_gpu_modules *modules, const tg_ptx *ptx, int level,
                    tg_ptxas_result *out)
{
    char target[32];
    tg_diags ignored = {0};
    const tg_ptxas_job job = {ptx->text, target, level, modules->ptxas_seconds};
    chip_of(gpu, ptx, target);
    tg_ptxas_assemble(modules->ptxas, &job, out, &ignored);
    tg_diags_free(&ignored);
}

/* What ptxas reported about a text, for a diagnosis; "" if nothing. */
typedef struct note {
    char text[512];
} note;

/* Leaves *module NULL and returns TG_OK if the driver should compile the text instead; `why` then
 * has the reason. */
static tg_status assemble(tg_gpu *gpu, const tg_gpu_modules *modules, const tg_ptx *ptx, note *why,
                          tg_cu_module *module, tg_diags *diags)
{
    tg_ptxas_result result;
    char log[1024];
    attempt(gpu, modules, ptx, 3, &result);
    if (result.outcome == TG_PTXAS_TIMED_OUT) { /* less optimisation can take far less time */
        tg_ptxas_result_free(&result);
        attempt(gpu, modules, ptx, 1, &result);
    }
    /* A driver older than this ptxas may reject the cubin, although the text is valid. */
    if (result.outcome == TG_PTXAS_ASSEMBLED) hand_over(gpu, result.cubin, log, sizeof log, module);
    const bool is_late = result.outcome == TG_PTXAS_TIMED_OUT;
    if (result.outcome == TG_PTXAS_REFUSED && result.log)
        snprintf(why->text, sizeof why->text, ", of which ptxas says \"%.*s\"",
                 (int)strcspn(result.log, "\n"), result.log);
    tg_ptxas_result_free(&result);
    if (!is_late) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%s has not assembled %s within %.0f s, and at -O1 neither",
                   modules->ptxas->path, ptx->entry, modules->ptxas_seconds);
}

/* ---- modules ---- */

/* A text for one chip alone runs on no later one either. */
static tg_status check_chip(const tg_gpu *gpu, const tg_ptx *ptx, tg_diags *diags)
{
    char chip[32];
    chip_of(gpu, ptx, chip);
    if (!is_for_one_chip(ptx) || strcmp(chip, ptx->target) == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s is for %s alone, and %s is an sm_%d%d",
                   ptx->entry, ptx->target, gpu->info.name, gpu->info.major, gpu->info.minor);
}

static tg_status make(tg_gpu *gpu, const tg_gpu_modules *modules, const tg_ptx *ptx,
                      tg_gpu_module *module, tg_diags *diags)
{
    note why = {""};
    TG_TRY(check_chip(gpu, ptx, diags));
    if (modules->ptxas) TG_TRY(assemble(gpu, modules, ptx, &why, &module->module, diags));
    if (!module->module) TG_TRY(compile(gpu, ptx, why.text, &module->module, diags));
    const int code = gpu->driver->module_entry(&module->entry, module->module, ptx->entry);
    char doing[128];
    snprintf(doing, sizeof doing, "looking for the entry %s", ptx->entry);
    return tg_gpu_check(gpu, code, doing, "cuModuleGetFunction", diags);
}

static tg_gpu_module *find(const tg_gpu_modules *modules, const tg_ptx *ptx, uint64_t hash)
{
    for (tg_gpu_module *m = modules->first; m; m = m->next)
        if (m->hash == hash && strcmp(m->text, ptx->text) == 0 && strcmp(m->name, ptx->entry) == 0)
            return m;
    return NULL;
}

static char *copy_of(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* A module with the text, not yet loaded; NULL if memory runs out. */
static tg_gpu_module *new_module(const tg_gpu *gpu, const tg_ptx *ptx, uint64_t hash)
{
    tg_gpu_module *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    *module = (tg_gpu_module){.hash = hash,
                              .text = copy_of(ptx->text),
                              .name = copy_of(ptx->entry),
                              .most_shared = FREE_SHARED,
                              .users = 1};
    if (module->text && module->name) return module;
    drop(gpu, module);
    return NULL;
}

tg_status tg_gpu_module_load(tg_gpu *gpu, tg_gpu_modules *modules, const tg_ptx *ptx,
                             tg_gpu_module **out, tg_diags *diags)
{
    const uint64_t hash = hash_of(ptx->text);
    *out = find(modules, ptx, hash);
    if (*out) {
        (*out)->users++;
        return TG_OK;
    }
    tg_gpu_module *module = new_module(gpu, ptx, hash);
    if (!module) return tg_no_memory(diags);
    const tg_status status = make(gpu, modules, ptx, module, diags);
    if (status != TG_OK) {
        drop(gpu, module);
        return status;
    }
    module->next = modules->first;
    modules->first = module;
    *out = module;
    return TG_OK;
}

/* Unloads modules without users, except the MOST_IDLE most recent ones. */
static void tidy(tg_gpu *gpu, tg_gpu_modules *modules)
{
    unsigned idle = 0;
    for (tg_gpu_module **at = &modules->first; *at;) {
        tg_gpu_module *const module = *at;
        if (module->users == 0 && ++idle > MOST_IDLE) {
            *at = module->next;
            drop(gpu, module);
        } else {
            at = &module->next;
        }
    }
}

void tg_gpu_module_unload(tg_gpu *gpu, tg_gpu_modules *modules, tg_gpu_module *module)
{
    module->users--;
    tidy(gpu, modules);
}

void tg_gpu_module_unload_all(tg_gpu *gpu, tg_gpu_modules *modules)
{
    while (modules->first) {
        tg_gpu_module *const module = modules->first;
        modules->first = module->next;
        drop(gpu, module);
    }
}

tg_status tg_gpu_module_share(tg_gpu *gpu, tg_gpu_module *module, size_t bytes, tg_diags *diags)
{
    if (bytes <= module->most_shared) return TG_OK;
    if (bytes > (size_t)gpu->info.most_shared_bytes)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s wants %zu bytes of shared memory; %s gives a CTA up to %d", module->name,
                       bytes, gpu->info.name, gpu->info.most_shared_bytes);
    const int code = gpu->driver->entry_set(
        module->entry, TG_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (code)
        return tg_gpu_check(gpu, code, "asking for shared memory", "cuFuncSetAttribute", diags);
    module->most_shared = bytes;
    return TG_OK;
}
