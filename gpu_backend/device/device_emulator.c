#include "gpu_backend/device/device_emulator.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "emulator/emulator.h"
#include "gpu_backend/emit/refusal.h"
#include "gpu_backend/text/ptx.h"

typedef struct emulator {
    tg_device device;
    tg_emu_memory *memory;
    size_t taken; /* allocations not yet freed */
    uint64_t seed;
} emulator;

static emulator *emulator_of(tg_device *device) { return (emulator *)(void *)device; }

static tg_status load(tg_device *device, const tg_ptx *ptx, void **module, tg_diags *diags)
{
    tg_emu_module *loaded = NULL;
    (void)device;
    const tg_status status =
        tg_emu_module_load(ptx->text, strlen(ptx->text), ptx->entry, &loaded, diags);
    *module = loaded;
    return status;
}

static void unload(tg_device *device, void *module)
{
    (void)device;
    tg_emu_module_free(module);
}

static uint32_t resident(tg_device *device, void *module, const tg_ptx *ptx)
{
    enum { MANY = 1024 };
    (void)device, (void)module, (void)ptx;
    return MANY;
}

static tg_status alloc(tg_device *device, size_t bytes, const char *name, uint64_t *address,
                       tg_diags *diags)
{
    enum { ALIGN = 256 }; /* the alignment that cuMemAlloc promises */
    emulator *e = emulator_of(device);
    *address = tg_emu_alloc(e->memory, bytes ? bytes : 1, ALIGN, name);
    if (*address) {
        e->taken++;
        return TG_OK;
    }
    return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "the emulator has no %zu bytes left for %s",
                   bytes, name);
}

/* The emulator keeps an index and a name for each freed allocation, to report accesses to it.
 * Between runs these are not needed, and a long-lived runner would collect them without bound; so
 * once nothing is allocated, the memory is replaced by a new one. */
static void release(tg_device *device, uint64_t address)
{
    emulator *e = emulator_of(device);
    if (!tg_emu_release(e->memory, address) || --e->taken > 0) return;
    tg_emu_memory *fresh = tg_emu_memory_new();
    if (!fresh) return;
    tg_emu_memory_free(e->memory);
    e->memory = fresh;
}

static tg_status no_such_memory(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_INTERNAL, NULL, "a copy outside the memory of the emulator");
}

static tg_status write_to(tg_device *device, uint64_t to, const void *from, size_t bytes,
                          tg_diags *diags)
{
    void *host = tg_emu_host(emulator_of(device)->memory, to, bytes);
    if (!host) return no_such_memory(diags);
    if (bytes) memcpy(host, from, bytes);
    return TG_OK;
}

static tg_status read_from(tg_device *device, void *to, uint64_t from, size_t bytes,
                           tg_diags *diags)
{
    const void *host = tg_emu_host(emulator_of(device)->memory, from, bytes);
    if (!host) return no_such_memory(diags);
    if (bytes) memcpy(to, host, bytes);
    return TG_OK;
}

static int tell(void *context, uint64_t done, uint64_t total)
{
    const tg_device_launch *launch = context;
    return launch->progress(launch->context, (int64_t)done, (int64_t)total);
}

static tg_status run(tg_device *device, void *module, const tg_ptx *ptx,
                     const tg_device_launch *launch, tg_diags *diags)
{
    emulator *e = emulator_of(device);
    tg_device_launch told = *launch;
    tg_emu_launch l = {.entry = tg_emu_entry_find(module, ptx->entry),
                       .grid = {launch->ctas, 1, 1},
                       .block = {ptx->threads, 1, 1},
                       .shared_bytes = ptx->shared_bytes,
                       .params = launch->params,
                       .param_bytes = launch->param_count * sizeof *launch->params,
                       .seed = e->seed,
                       .is_published = ptx->is_published,
                       .is_nearest = !ptx->is_fast,
                       .races = true,
                       .progress = launch->progress ? tell : NULL,
                       .context = &told};
    tg_emu_result result = {0};
    TG_TRY(tg_emu_run(module, e->memory, &l, &result, diags));
    device->instructions += result.thread_instructions;
    device->global_loads += result.global_loads;
    if (!result.trapped) return TG_OK;
    char text[1024];
    if (result.trap.kind == TG_EMU_TRAP_DEADLOCK)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the GPU backend does not support %s: %s",
                       tg_ptx_refusal_text(TG_PTX_REFUSES_DEADLOCKS), result.trap.text);
    if (result.trap.kind ==
        TG_EMU_TRAP_DIVISION_BY_ZERO) /* divisions of our own text are guarded */
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the GPU backend does not support %s: %s",
                       tg_ptx_refusal_text(TG_PTX_REFUSES_INLINE_TRAP), result.trap.text);
    tg_emu_trap_line(module, l.entry, &result.trap, text, sizeof text);
    return tg_fail(diags, TG_ERR_INTERNAL, NULL, "the emulator trapped in %s: %s", ptx->entry,
                   text);
}

static void free_emulator(tg_device *device)
{
    tg_emu_memory_free(emulator_of(device)->memory);
    free(device);
}

tg_device *tg_device_emulator(uint64_t seed)
{
    static const tg_device_kind kind = {"emulator", load,     unload,    resident, alloc,
                                        release,    write_to, read_from, run,      free_emulator};
    emulator *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->device.kind = &kind;
    e->seed = seed;
    e->memory = tg_emu_memory_new();
    if (e->memory) return &e->device;
    free(e);
    return NULL;
}
