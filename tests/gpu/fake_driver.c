/* A driver of NVIDIA GPUs without a GPU: a shared library for TILEGRIND_LIBCUDA whose device memory is on the heap
 * and whose kernels are the functions at the end of this file, chosen by the name of the entry.
 *
 * It keeps to the rules that a driver keeps to: calls that want a context fail without one, unknown handles are
 * refused, an error of a kernel breaks the context, and a launch takes no more dynamic shared memory than was asked
 * for.  The environment tells it what to be:
 *   FAKE_CUDA_FAIL        "cuMemAlloc_v2=2@3": the third call returns 2; without "@3" each one
 *   FAKE_CUDA_KERNEL      the code that kernels end with, told by the next wait for the stream
 *   FAKE_CUDA_VERSION     13000 unless told
 *   FAKE_CUDA_DEVICES     2 unless told
 *   FAKE_CUDA_CAPABILITY  90 unless told
 *   FAKE_CUDA_MEMORY      bytes of a device, 1 GiB unless told
 *   FAKE_CUDA_LOG         what the compiler says when it refuses a text
 * It takes texts that start like PTX and, as cubins, files that start like ELF and go on with text. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_backend/device/driver.h"
#include "gpu/fake_driver.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- what it was told ---- */

static int number_of(const char *name, int usual)
{
    const char *const text = getenv(name);
    return text ? atoi(text) : usual;
}

/* ---- what it has handed out ---- */

enum { MOST = 256, SHARED_FOR_ALL = 48 * 1024 };

struct tg_cu_context_s {
    int retained;
};
struct tg_cu_module_s {
    char *text;
};
struct tg_cu_function_s {
    char name[64];
    tg_cu_module module;
    int shared_bytes;
};
struct tg_cu_stream_s {
    int waits;
};
struct tg_cu_event_s {
    int when; /* 0: not recorded */
};

typedef struct block {
    uint8_t *data;
    size_t bytes;
} block;

static struct {
    struct {
        char name[64];
        int count;
    } calls[64];
    struct tg_cu_context_s contexts[8];
    tg_cu_context stack[16];
    int depth, started, broken, pending, clock;
    block blocks[MOST];
    int modules, streams, events;
    size_t used;
    struct tg_cu_function_s functions[MOST];
    fake_launch last;
    char leaks[256];
} state;

/* Counts the call and returns the code that it was told to fail with. */
static int told(const char *name)
{
    size_t i = 0;
    while (state.calls[i].count && strcmp(state.calls[i].name, name) != 0) i++;
    snprintf(state.calls[i].name, sizeof state.calls[i].name, "%s", name);
    state.calls[i].count++;
    const char *fail = getenv("FAKE_CUDA_FAIL");
    const size_t length = strlen(name);
    if (!fail || strncmp(fail, name, length) != 0 || fail[length] != '=') return 0;
    char *end;
    const int code = (int)strtol(fail + length + 1, &end, 10);
    return *end != '@' || atoi(end + 1) == state.calls[i].count ? code : 0;
}

/* What gives something back does so even where it was told to fail, so that what leaks does so by our fault.
 *
 * Ends the call where it was told to fail, was not started, or wants a context that is missing or broken. */
#define BEGIN(name)                                                                                \
    do {                                                                                           \
        const int code_ = told(name);                                                              \
        if (code_) return code_;                                                                   \
        if (!state.started) return TG_CUDA_ERROR_NOT_INITIALIZED;                                  \
    } while (0)
#define BEGIN_IN_CONTEXT(name)                                                                     \
    do {                                                                                           \
        BEGIN(name);                                                                               \
        if (state.depth == 0) return TG_CUDA_ERROR_INVALID_CONTEXT;                                \
        if (state.broken) return state.broken;                                                     \
    } while (0)

/* ---- what tests ask ---- */

EXPORT fake_calls_fn fake_calls;
int fake_calls(const char *name)
{
    int count = 0;
    for (size_t i = 0; state.calls[i].count; i++)
        if (!name || strcmp(state.calls[i].name, name) == 0) count += state.calls[i].count;
    return count;
}

EXPORT fake_leaks_fn fake_leaks;
const char *fake_leaks(void)
{
    int blocks = 0, contexts = 0;
    for (int i = 0; i < MOST; i++) blocks += state.blocks[i].data != NULL;
    for (int i = 0; i < 8; i++) contexts += state.contexts[i].retained;
    state.leaks[0] = 0;
    if (blocks || contexts || state.depth || state.modules || state.streams || state.events)
        snprintf(state.leaks, sizeof state.leaks,
                 "allocations %d, contexts %d, pushed %d, modules %d, streams %d, events %d",
                 blocks, contexts, state.depth, state.modules, state.streams, state.events);
    return state.leaks;
}

EXPORT fake_launch_fn fake_last_launch;
fake_launch fake_last_launch(void) { return state.last; }

/* ---- devices and contexts ---- */

#define TG_CU(need, name, symbol, params) EXPORT tg_cu_result symbol params;
#include "gpu_backend/device/driver.def"

int cuInit(unsigned flags)
{
    const int code = told("cuInit");
    if (code) return code;
    state.started = 1;
    return flags ? TG_CUDA_ERROR_INVALID_VALUE : TG_CUDA_SUCCESS;
}

int cuDriverGetVersion(int *version)
{
    const int code = told("cuDriverGetVersion");
    if (code) return code;
    *version = number_of("FAKE_CUDA_VERSION", 13000);
    return TG_CUDA_SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    BEGIN("cuDeviceGetCount");
    *count = number_of("FAKE_CUDA_DEVICES", 2);
    return TG_CUDA_SUCCESS;
}

int cuDeviceGet(tg_cu_device *device, int ordinal)
{
    BEGIN("cuDeviceGet");
    if (ordinal < 0 || ordinal >= number_of("FAKE_CUDA_DEVICES", 2))
        return TG_CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return TG_CUDA_SUCCESS;
}

int cuDeviceGetName(char *name, int size, tg_cu_device device)
{
    BEGIN("cuDeviceGetName");
    snprintf(name, (size_t)size, "Fake %d", device);
    return TG_CUDA_SUCCESS;
}

int cuDeviceGetAttribute(int *value, tg_cu_device_attribute what, tg_cu_device device)
{
    BEGIN("cuDeviceGetAttribute");
    (void)device;
    const int capability = number_of("FAKE_CUDA_CAPABILITY", 90);
    switch (what) {
    case TG_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability / 10; break;
    case TG_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability % 10; break;
    case TG_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 3; break;
    case TG_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case TG_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 200 * 1024; break;
    default: return TG_CUDA_ERROR_INVALID_VALUE;
    }
    return TG_CUDA_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, tg_cu_device device)
{
    BEGIN("cuDeviceTotalMem_v2");
    (void)device;
    *bytes = (size_t)number_of("FAKE_CUDA_MEMORY", 1 << 30);
    return TG_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(tg_cu_context *context, tg_cu_device device)
{
    BEGIN("cuDevicePrimaryCtxRetain");
    state.contexts[device].retained++;
    *context = &state.contexts[device];
    return TG_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(tg_cu_device device)
{
    const int code = told("cuDevicePrimaryCtxRelease_v2");
    state.contexts[device].retained--;
    return code;
}

int cuCtxPushCurrent_v2(tg_cu_context context)
{
    BEGIN("cuCtxPushCurrent_v2");
    if (context->retained < 1 || state.depth == 16) return TG_CUDA_ERROR_INVALID_CONTEXT;
    state.stack[state.depth++] = context;
    return TG_CUDA_SUCCESS;
}

int cuCtxPopCurrent_v2(tg_cu_context *context)
{
    const int code = told("cuCtxPopCurrent_v2");
    if (state.depth == 0) return TG_CUDA_ERROR_INVALID_CONTEXT;
    *context = state.stack[--state.depth];
    return code;
}

/* ---- memory ---- */

int cuMemAlloc_v2(tg_cu_address *address, size_t bytes)
{
    BEGIN_IN_CONTEXT("cuMemAlloc_v2");
    const size_t limit = (size_t)number_of("FAKE_CUDA_MEMORY", 1 << 30);
    int i = 0;
    while (i < MOST && state.blocks[i].data) i++;
    if (i == MOST || bytes > limit - state.used) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    const size_t rounded = (bytes + 255) / 256 * 256; /* as aligned_alloc wants it */
    uint8_t *const data = aligned_alloc(256, rounded);
    if (!data) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    memset(data, 0x5a, rounded);
    state.blocks[i] = (block){data, bytes};
    state.used += bytes;
    *address = (tg_cu_address)(uintptr_t)data;
    return TG_CUDA_SUCCESS;
}

int cuMemFree_v2(tg_cu_address address)
{
    const int code = told("cuMemFree_v2");
    for (int i = 0; i < MOST; i++) {
        block *const b = &state.blocks[i];
        if (!b->data || (tg_cu_address)(uintptr_t)b->data != address) continue;
        free(b->data);
        state.used -= b->bytes;
        *b = (block){0};
        return code ? code : state.broken;
    }
    return TG_CUDA_ERROR_INVALID_VALUE;
}

/* Host memory behind device addresses; NULL where they lie in no allocation. */
static void *host(tg_cu_address address, size_t bytes)
{
    for (int i = 0; i < MOST; i++) {
        const block *const b = &state.blocks[i];
        const tg_cu_address start = (tg_cu_address)(uintptr_t)b->data;
        if (b->data && address >= start && address - start <= b->bytes &&
            bytes <= b->bytes - (address - start))
            return b->data + (address - start);
    }
    return NULL;
}

int cuMemcpyHtoDAsync_v2(tg_cu_address to, const void *from, size_t bytes, tg_cu_stream stream)
{
    BEGIN_IN_CONTEXT("cuMemcpyHtoDAsync_v2");
    void *const data = host(to, bytes);
    if (!data || !stream) return TG_CUDA_ERROR_INVALID_VALUE;
    memcpy(data, from, bytes);
    return TG_CUDA_SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void *to, tg_cu_address from, size_t bytes, tg_cu_stream stream)
{
    BEGIN_IN_CONTEXT("cuMemcpyDtoHAsync_v2");
    const void *const data = host(from, bytes);
    if (!data || !stream) return TG_CUDA_ERROR_INVALID_VALUE;
    memcpy(to, data, bytes);
    return TG_CUDA_SUCCESS;
}

/* ---- streams and events ---- */

int cuStreamCreate(tg_cu_stream *stream, unsigned flags)
{
    BEGIN_IN_CONTEXT("cuStreamCreate");
    if (flags != TG_CU_STREAM_NON_BLOCKING) return TG_CUDA_ERROR_INVALID_VALUE;
    *stream = calloc(1, sizeof **stream);
    if (!*stream) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    state.streams++;
    return TG_CUDA_SUCCESS;
}

int cuStreamDestroy_v2(tg_cu_stream stream)
{
    const int code = told("cuStreamDestroy_v2");
    free(stream);
    state.streams--;
    return code ? code : state.broken;
}

int cuStreamSynchronize(tg_cu_stream stream)
{
    BEGIN_IN_CONTEXT("cuStreamSynchronize");
    stream->waits++;
    state.broken = state.pending;
    return state.broken;
}

int cuEventCreate(tg_cu_event *event, unsigned flags)
{
    BEGIN_IN_CONTEXT("cuEventCreate");
    if (flags != TG_CU_EVENT_DEFAULT) return TG_CUDA_ERROR_INVALID_VALUE;
    *event = calloc(1, sizeof **event);
    if (!*event) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    state.events++;
    return TG_CUDA_SUCCESS;
}

int cuEventDestroy_v2(tg_cu_event event)
{
    const int code = told("cuEventDestroy_v2");
    free(event);
    state.events--;
    return code ? code : state.broken;
}

int cuEventRecord(tg_cu_event event, tg_cu_stream stream)
{
    BEGIN_IN_CONTEXT("cuEventRecord");
    event->when = ++state.clock;
    return stream ? TG_CUDA_SUCCESS : TG_CUDA_ERROR_INVALID_VALUE;
}

int cuEventElapsedTime(float *milliseconds, tg_cu_event from, tg_cu_event to)
{
    BEGIN_IN_CONTEXT("cuEventElapsedTime");
    if (!from->when || !to->when) return TG_CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)(to->when - from->when);
    return TG_CUDA_SUCCESS;
}

/* ---- modules ---- */

static void write_log(unsigned count, const tg_cu_jit_option *options, void **values)
{
    const char *const log = getenv("FAKE_CUDA_LOG");
    char *to = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == TG_CU_JIT_ERROR_LOG_BUFFER) to = values[i];
        if (options[i] == TG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            size = (size_t)(uintptr_t)values[i];
    }
    if (to && size && log) snprintf(to, size, "%s\n", log);
}

int cuModuleLoadDataEx(tg_cu_module *module, const void *image, unsigned count,
                       tg_cu_jit_option *options, void **values)
{
    const int code = told("cuModuleLoadDataEx");
    const char *text = image;
    if (code || state.depth == 0 || state.broken) {
        write_log(count, options, values);
        return code ? code : state.broken ? state.broken : TG_CUDA_ERROR_INVALID_CONTEXT;
    }
    if (strncmp(text, "\177ELF", 4) == 0)
        text += 4;
    else if (!strstr(text, ".version")) {
        write_log(count, options, values);
        return TG_CUDA_ERROR_INVALID_PTX;
    }
    *module = calloc(1, sizeof **module);
    if (!*module) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    (*module)->text = malloc(strlen(text) + 1);
    if (!(*module)->text) {
        free(*module);
        return TG_CUDA_ERROR_OUT_OF_MEMORY;
    }
    strcpy((*module)->text, text);
    state.modules++;
    return TG_CUDA_SUCCESS;
}

int cuModuleUnload(tg_cu_module module)
{
    const int code = told("cuModuleUnload");
    for (int i = 0; i < MOST; i++)
        if (state.functions[i].module == module)
            state.functions[i] = (struct tg_cu_function_s){.module = NULL};
    free(module->text);
    free(module);
    state.modules--;
    return code ? code : state.broken;
}

int cuModuleGetFunction(tg_cu_function *entry, tg_cu_module module, const char *name)
{
    char declared[128];
    BEGIN_IN_CONTEXT("cuModuleGetFunction");
    snprintf(declared, sizeof declared, ".entry %s(", name);
    if (!strstr(module->text, declared)) return TG_CUDA_ERROR_NOT_FOUND;
    int i = 0;
    while (i < MOST && state.functions[i].module) i++;
    if (i == MOST) return TG_CUDA_ERROR_OUT_OF_MEMORY;
    *entry = &state.functions[i];
    **entry = (struct tg_cu_function_s){.module = module, .shared_bytes = SHARED_FOR_ALL};
    snprintf((*entry)->name, sizeof(*entry)->name, "%s", name);
    return TG_CUDA_SUCCESS;
}

int cuFuncSetAttribute(tg_cu_function entry, tg_cu_function_attribute what, int value)
{
    BEGIN_IN_CONTEXT("cuFuncSetAttribute");
    if (what != TG_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return TG_CUDA_ERROR_INVALID_VALUE;
    entry->shared_bytes = value;
    return TG_CUDA_SUCCESS;
}

#ifndef FAKE_CUDA_OLD /* a driver without what is optional */
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, tg_cu_function entry, int threads,
                                                size_t shared_bytes)
{
    BEGIN_IN_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    (void)entry, (void)shared_bytes;
    *ctas = 2048 / threads / 2;
    return TG_CUDA_SUCCESS;
}
#endif

/* ---- kernels ---- */

static uint64_t param(void **params, int i) { return *(const uint64_t *)params[i]; }

/* copy(to, from, bytes) */
static void run_copy(void **params)
{
    const size_t bytes = (size_t)param(params, 2);
    memcpy(host(param(params, 0), bytes), host(param(params, 1), bytes), bytes);
}

/* spill(address, bytes): zeros, wherever that is */
static void run_spill(void **params)
{
    const size_t bytes = (size_t)param(params, 1);
    memset(host(param(params, 0), bytes), 0, bytes);
}

/* The kernel "spoilt" of tests/test_crosscheck.py, with a fault: o = iota + iota, but for o[2], which is one less.  In a log
 * that is asked for it writes the one record, a head of 16 bytes before what the addition leaves. */
static void run_spoilt(tg_cu_module module, void **params)
{
    static const int32_t wrong[4] = {0, 2, 3, 6};
    static const uint64_t head[2] = {1, 0};
    memcpy(host(param(params, 2), sizeof wrong), wrong, sizeof wrong);
    if (!strstr(module->text, "tg_trace")) return;
    memcpy(host(param(params, 3), sizeof head), head, sizeof head);
    memcpy(host(param(params, 3) + sizeof head, sizeof wrong), wrong, sizeof wrong);
}

int cuLaunchKernel(tg_cu_function entry, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   tg_cu_stream stream, void **params, void **extra)
{
    BEGIN_IN_CONTEXT("cuLaunchKernel");
    const bool is_legal = grid_x && grid_y == 1 && grid_z == 1 && block_x && block_x <= 1024 &&
                          block_y == 1 && block_z == 1 && stream && !extra;
    if (!is_legal || shared_bytes > (unsigned)entry->shared_bytes)
        return TG_CUDA_ERROR_INVALID_VALUE;
    state.last = (fake_launch){grid_x, block_x, shared_bytes, entry->shared_bytes, stream};
    if (strcmp(entry->name, "copy") == 0) run_copy(params);
    if (strcmp(entry->name, "spill") == 0) run_spill(params);
    if (strcmp(entry->name, "tg_spoilt") == 0) run_spoilt(entry->module, params);
    state.pending = number_of("FAKE_CUDA_KERNEL", 0);
    return TG_CUDA_SUCCESS;
}
