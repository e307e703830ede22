/* The device on a GPU, with a driver that has none (tests/gpu/fake_driver.c): what it does, and what it says of
 * each failure. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "gpu/fake_device.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu_backend/device/device_gpu.h"

static tg_device *open_device(void)
{
    tg_device *device;
    tg_diags diags = {0};
    use_driver(TG_FAKE_DRIVER);
    cr_assert_eq(tg_device_gpu(0, &device, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    return device;
}

static void close_device(tg_device *device)
{
    tg_device_free(device);
    cr_assert_str_eq(leaks(), "");
}

/* The text that the fake driver takes for a kernel of its own. */
static tg_ptx kernel_of(const char *entry, char text[128])
{
    tg_ptx ptx = {.text = text, .threads = 128};
    snprintf(ptx.entry, sizeof ptx.entry, "%s", entry);
    snprintf(text, 128, ".version 7.8\n.visible .entry %s(\n", entry);
    return ptx;
}

static void *load(tg_device *device, const tg_ptx *ptx)
{
    void *module;
    tg_diags diags = {0};
    cr_assert_eq(device->kind->load(device, ptx, &module, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    return module;
}

static uint64_t take(tg_device *device, size_t bytes, const char *name)
{
    uint64_t address;
    tg_diags diags = {0};
    cr_assert_eq(device->kind->alloc(device, bytes, name, &address, &diags), TG_OK);
    cr_assert(address != 0 && address % 256 == 0);
    return address;
}

/* Runs the fake kernel of that name; what it says of a failure is in `diags`. */
static tg_status run(tg_device *device, const char *entry, const uint64_t *params, size_t count,
                     tg_diags *diags)
{
    char text[128];
    const tg_ptx ptx = kernel_of(entry, text);
    void *module = load(device, &ptx);
    const tg_device_launch launch = {.ctas = 5, .params = params, .param_count = count};
    const tg_status status = device->kind->launch(device, module, &ptx, &launch, diags);
    device->kind->unload(device, module);
    return status;
}

/* ---- what it does ---- */

Test(device_gpu, copies_and_launches)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    char there[100], back[100] = "";
    for (int i = 0; i < 100; i++) there[i] = (char)i;
    const uint64_t from = take(device, 100, "x"), to = take(device, 100, "o");
    cr_assert_eq(tg_device_gpu_seconds(device), 0);
    cr_assert_eq(device->kind->write(device, from, there, 100, &diags), TG_OK);
    const uint64_t params[] = {to, from, 100};
    cr_assert_eq(run(device, "copy", params, 3, &diags), TG_OK);
    cr_assert_eq(device->kind->read(device, back, to, 100, &diags), TG_OK);
    cr_assert_arr_eq(there, back, 100);
    cr_assert_eq(device->kind->write(device, to + 40, there, 60, &diags), TG_OK);
    cr_assert_eq(device->kind->write(device, to + 100, there, 0, &diags), TG_OK);
    cr_assert_eq(device->kind->read(device, back, to + 40, 60, &diags), TG_OK);
    cr_assert_arr_eq(there, back, 60);
    const fake_launch launch = last_launch();
    cr_assert(launch.ctas == 5 && launch.threads == 128 && launch.shared_bytes == 0);
    cr_assert_float_eq(tg_device_gpu_seconds(device), 1e-3, 1e-6);
    device->kind->release(device, from);
    device->kind->release(device, to);
    close_device(device);
}

static void *use_from_a_thread(void *device)
{
    tg_device *d = device;
    tg_diags diags = {0};
    const uint64_t at = take(d, 8, "x"), params[] = {at, 8};
    cr_assert_eq(run(d, "spill", params, 2, &diags), TG_OK);
    d->kind->release(d, at);
    return NULL;
}

Test(device_gpu, leaves_the_context_of_others_alone)
{
    tg_device *device = open_device();
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, use_from_a_thread, device), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(calls_of("cuCtxPushCurrent_v2"), calls_of("cuCtxPopCurrent_v2"));
    close_device(device);
}

Test(device_gpu, frees_what_was_not_given_back)
{
    tg_device *device = open_device();
    char text[128];
    const tg_ptx ptx = kernel_of("copy", text);
    take(device, 1, "x");
    take(device, 0, "nothing");
    load(device, &ptx);
    close_device(device);
}

/* ---- memory ---- */

Test(device_gpu, knows_its_memory)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    char bytes[64] = "";
    const uint64_t at = take(device, 64, "x");
    const struct {
        uint64_t address;
        size_t bytes;
    } wrong[] = {{at, 65}, {at + 1, 64}, {at - 1, 1}, {at + 65, 0}, {0, 1}, {at + 60, SIZE_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tg_device_kind *kind = device->kind;
        cr_assert_eq(kind->write(device, wrong[i].address, bytes, wrong[i].bytes, &diags),
                     TG_ERR_INTERNAL);
        expect_diag(&diags, TG_ERR_INTERNAL, "a copy outside the memory taken on the GPU");
        cr_assert_eq(kind->read(device, bytes, wrong[i].address, wrong[i].bytes, &diags),
                     TG_ERR_INTERNAL);
        expect_diag(&diags, TG_ERR_INTERNAL, "a copy outside the memory taken on the GPU");
    }
    close_device(device);
}

Test(device_gpu, has_an_end_of_memory)
{
    setenv("FAKE_CUDA_MEMORY", "100000", 1);
    tg_device *device = open_device();
    tg_diags diags = {0};
    uint64_t address;
    static const size_t sizes[] = {200000, SIZE_MAX, SIZE_MAX - 8192};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cr_assert_eq(device->kind->alloc(device, sizes[i], "the weights", &address, &diags),
                     TG_ERR_NO_MEMORY);
        cr_assert_eq(address, 0);
        expect_diag(&diags, TG_ERR_NO_MEMORY,
                    "bytes on the GPU for the weights: cuMemAlloc_v2 returned "
                    "CUDA_ERROR_OUT_OF_MEMORY (2)");
    }
    device->kind->release(device, take(device, 50000, "x")); /* it goes on */
    device->kind->release(device, take(device, 50000, "x"));
    close_device(device);
}

/* Where a kernel that zeroes `bytes` bytes from `from` on, relative to an array of 100, is said to have been. */
static const struct {
    int from;
    unsigned bytes;
    const char *why; /* NULL: nowhere it may not */
} spills[] = {
    {0, 100, NULL},
    {96, 8, "x, which has 100 bytes: 4 changed that lie 1 to 4 bytes past its end"},
    {100, 1, "x, which has 100 bytes: 1 changed that lie 1 to 1 bytes past its end"},
    {4195, 2, "2 changed that lie 4096 to 4097 bytes past its end"},
    {4251, 1, "1 changed that lie 4152 to 4152 bytes past its end"},
    {-1, 1, "x, which has 100 bytes: 1 changed that lie 1 to 1 bytes before its start"},
    {-4096, 4, "4 changed that lie 4093 to 4096 bytes before its start"},
};

Test(device_gpu, sees_writes_outside_its_arrays)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    take(device, 33, "another");
    const uint64_t at = take(device, 100, "x"), inside[] = {at, 100};
    take(device, 256, "a third");
    for (size_t i = 0; i < sizeof spills / sizeof *spills; i++) {
        const uint64_t params[] = {at + (uint64_t)(int64_t)spills[i].from, spills[i].bytes};
        const tg_status status = run(device, "spill", params, 2, &diags);
        if (spills[i].why) {
            cr_assert_eq(status, TG_ERR_INTERNAL, "%s", spills[i].why);
            cr_assert_eq(diags.count, 1);
            expect_diag(&diags, TG_ERR_INTERNAL, spills[i].why);
        } else {
            cr_assert_eq(status, TG_OK);
        }
        cr_assert_eq(run(device, "spill", inside, 2, &diags), TG_OK, "told twice");
    }
    close_device(device);
}

Test(device_gpu, sees_writes_on_both_sides)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    const uint64_t at = take(device, 100, "x"), params[] = {at - 3, 106};
    cr_assert_eq(run(device, "spill", params, 2, &diags), TG_ERR_INTERNAL);
    cr_assert_eq(diags.count, 2);
    cr_assert(strstr(diags.list[1].message, "1 to 3 bytes past its end"));
    expect_diag(&diags, TG_ERR_INTERNAL, "1 to 3 bytes before its start");
    close_device(device);
}

/* ---- modules ---- */

Test(device_gpu, compiles_a_text_once)
{
    tg_device *device = open_device();
    char text[128], other_text[128];
    const tg_ptx ptx = kernel_of("copy", text), other = kernel_of("spill", other_text);
    void *const first = load(device, &ptx), *const second = load(device, &ptx);
    cr_assert_eq(first, second);
    cr_assert_neq(load(device, &other), first);
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 2);
    device->kind->unload(device, first);
    device->kind->unload(device, second);
    cr_assert_eq(load(device, &ptx), first, "a text may come again");
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 2);
    cr_assert_eq(calls_of("cuModuleUnload"), 0);
    close_device(device);
}

Test(device_gpu, keeps_only_so_many_idle_modules)
{
    tg_device *device = open_device();
    char text[128], name[32];
    const tg_ptx used = kernel_of("copy", text);
    void *const module = load(device, &used);
    for (int i = 0; i < 40; i++) {
        char own_text[128];
        snprintf(name, sizeof name, "kernel%d", i);
        const tg_ptx ptx = kernel_of(name, own_text);
        device->kind->unload(device, load(device, &ptx));
    }
    cr_assert_eq(calls_of("cuModuleUnload"), 8, "the ones in excess of 32");
    cr_assert_eq(load(device, &used), module, "what is in use is not idle");
    close_device(device);
}

static void expect_no_module(tg_device *device, const tg_ptx *ptx, tg_status status,
                             const char *why)
{
    void *module;
    tg_diags diags = {0};
    cr_assert_eq(device->kind->load(device, ptx, &module, &diags), status, "%s", why);
    cr_assert_null(module);
    expect_diag(&diags, status, why);
}

Test(device_gpu, tells_what_the_compiler_says)
{
    tg_device *device = open_device();
    char text[128];
    tg_ptx ptx = kernel_of("copy", text);
    strcpy(text, "nonsense");
    setenv("FAKE_CUDA_LOG", "line 3: fatal: no such thing", 1);
    expect_no_module(device, &ptx, TG_ERR_INTERNAL,
                     "making copy ready on the GPU, of which the driver's compiler says \"line 3: "
                     "fatal: no such thing\": cuModuleLoadDataEx returned CUDA_ERROR_INVALID_PTX "
                     "(218)");
    ptx = kernel_of("copy", text);
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx=222", 1);
    expect_no_module(device, &ptx, TG_ERR_UNSUPPORTED, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)");
    setenv("FAKE_CUDA_FAIL", "", 1);
    strcpy(ptx.entry, "nobody");
    expect_no_module(device, &ptx, TG_ERR_INTERNAL,
                     "looking for the entry nobody: cuModuleGetFunction returned "
                     "CUDA_ERROR_NOT_FOUND (500)");
    close_device(device);
}

Test(device_gpu, asks_for_much_shared_memory)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    char text[128];
    tg_ptx ptx = kernel_of("nothing", text);
    const tg_device_launch launch = {.ctas = 1};
    ptx.shared_bytes = 48 * 1024;
    void *module = load(device, &ptx);
    cr_assert_eq(device->kind->launch(device, module, &ptx, &launch, &diags), TG_OK);
    cr_assert_eq(calls_of("cuFuncSetAttribute"), 0);
    ptx.shared_bytes = 100 * 1024;
    module = load(device, &ptx);
    cr_assert_eq(device->kind->launch(device, module, &ptx, &launch, &diags), TG_OK);
    cr_assert_eq(last_launch().shared_bytes, 100 * 1024);
    setenv("FAKE_CUDA_FAIL", "cuFuncSetAttribute=1", 1);
    load(device, &ptx); /* has enough already */
    ptx.shared_bytes = 150 * 1024;
    expect_no_module(device, &ptx, TG_ERR_INTERNAL, "cuFuncSetAttribute returned CUDA_ERROR_INVAL");
    ptx.shared_bytes = 201 * 1024;
    expect_no_module(
        device, &ptx, TG_ERR_UNSUPPORTED,
        "nothing wants 205824 bytes of shared memory; Fake 0 gives a CTA up to 204800");
    close_device(device);
}

Test(device_gpu, tells_how_many_ctas_it_runs_at_once)
{
    char text[128];
    tg_ptx ptx = kernel_of("copy", text);
    tg_device *device = open_device();
    void *module = load(device, &ptx);
    cr_assert_eq(device->kind->resident(device, module, &ptx), 3 * 8, "3 multiprocessors");
    setenv("FAKE_CUDA_FAIL", "cuOccupancyMaxActiveBlocksPerMultiprocessor=1", 1);
    cr_assert_eq(device->kind->resident(device, module, &ptx), 3 * 16, "by their threads");
    setenv("FAKE_CUDA_FAIL", "cuCtxPushCurrent_v2=1", 1);
    cr_assert_eq(device->kind->resident(device, module, &ptx), 3 * 16);
    setenv("FAKE_CUDA_FAIL", "", 1);
    close_device(device);
    tg_diags diags = {0};
    use_driver(TG_FAKE_OLD_DRIVER);
    cr_assert_eq(tg_device_gpu(0, &device, &diags), TG_OK);
    module = load(device, &ptx);
    cr_assert_eq(device->kind->resident(device, module, &ptx), 3 * 16);
    close_device(device);
}

/* ---- ptxas instead of the driver's compiler ---- */

static tg_device *open_with_ptxas(const char *mode)
{
    tg_device *device;
    tg_diags diags = {0};
    use_driver(TG_FAKE_DRIVER);
    setenv("TILEGRIND_PTXAS", "tests/gpu/fake_ptxas.sh", 1);
    setenv("FAKE_PTXAS", mode, 1);
    cr_assert_eq(tg_device_gpu(0, &device, &diags), TG_OK);
    return device;
}

/* How often the fake ptxas was called. */
static long calls_of_ptxas(const char *path)
{
    struct stat calls;
    return stat(path, &calls) == 0 ? calls.st_size : 0;
}

Test(device_gpu, takes_what_ptxas_makes)
{
    char text[128];
    const tg_ptx ptx = kernel_of("spill", text);
    tg_device *device = open_with_ptxas("well");
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx=221@2", 1); /* there is no second call */
    void *module = load(device, &ptx);
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 1);
    device->kind->unload(device, module);
    close_device(device);
}

/* A text with instructions of one chip: ptxas is to assemble it for that chip, and no other takes it. */
Test(device_gpu, texts_for_one_chip)
{
    char text[128];
    tg_ptx ptx = kernel_of("spill", text);
    snprintf(text, sizeof text, ".version 8.0\n.target sm_90a\n.visible .entry spill(\n");
    snprintf(ptx.target, sizeof ptx.target, "sm_90a");
    tg_device *device = open_with_ptxas("well");
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx=221@2", 1); /* the driver's own compiler */
    load(device, &ptx);
    close_device(device);
    unsetenv("FAKE_CUDA_FAIL");
    setenv("FAKE_CUDA_CAPABILITY", "100", 1);
    device = open_with_ptxas("well");
    expect_no_module(device, &ptx, TG_ERR_UNSUPPORTED,
                     "spill is for sm_90a alone, and Fake 0 is an sm_100");
    close_device(device);
}

Test(device_gpu, falls_back_on_the_driver)
{
    static const char *const modes[] = {"refusing", "nonsense", "empty"};
    char text[128];
    const tg_ptx ptx = kernel_of("spill", text);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        tg_device *device = open_with_ptxas(modes[i]);
        load(device, &ptx);
        close_device(device);
    }
    tg_device *device = open_with_ptxas("well");
    char fail[64]; /* as a driver does that is older than the ptxas */
    snprintf(fail, sizeof fail, "cuModuleLoadDataEx=209@%d", calls_of("cuModuleLoadDataEx") + 1);
    setenv("FAKE_CUDA_FAIL", fail, 1);
    load(device, &ptx);
    close_device(device);
}

Test(device_gpu, tells_what_ptxas_says_too)
{
    char text[128];
    const tg_ptx ptx = kernel_of("spill", text);
    tg_device *device = open_with_ptxas("refusing");
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx=218", 1);
    expect_no_module(device, &ptx, TG_ERR_INTERNAL,
                     "of which ptxas says \"ptxas fatal   : Unsupported .version 99.9\": "
                     "cuModuleLoadDataEx returned CUDA_ERROR_INVALID_PTX");
    close_device(device);
}

Test(device_gpu, gives_ptxas_a_second_chance_and_no_third)
{
    char text[128], calls[] = "/tmp/tilegrind-test-XXXXXX";
    const tg_ptx ptx = kernel_of("spill", text);
    const int file = mkstemp(calls);
    cr_assert_geq(file, 0);
    close(file);
    setenv("FAKE_PTXAS_CALLS", calls, 1);
    setenv("TILEGRIND_PTXAS_SECONDS", "3", 1);
    tg_device *device = open_with_ptxas("slow");
    load(device, &ptx);
    close_device(device);
    const long twice = calls_of_ptxas(calls);
    device = open_with_ptxas("hanging");
    expect_no_module(
        device, &ptx, TG_ERR_UNSUPPORTED,
        "tests/gpu/fake_ptxas.sh has not assembled spill within 3 s, and at -O1 neither");
    cr_assert_eq(calls_of_ptxas(calls), 2 * twice);
    close_device(device);
    unlink(calls);
}

/* ---- launches that fail ---- */

Test(device_gpu, says_that_a_broken_context_stays_broken)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    char text[128], byte = 0;
    const uint64_t at = take(device, 100, "x"), params[] = {at, 100};
    const tg_ptx ptx = kernel_of("copy", text);
    setenv("FAKE_CUDA_KERNEL", "700", 1);
    cr_assert_eq(run(device, "spill", params, 2, &diags), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL,
                "running spill on the GPU: cuStreamSynchronize returned "
                "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    static const char why[] = "Fake 0 takes no more calls from this process since "
                              "CUDA_ERROR_ILLEGAL_ADDRESS (700); start a new one";
    expect_no_module(device, &ptx, TG_ERR_INTERNAL, why);
    cr_assert_eq(device->kind->write(device, at, &byte, 1, &diags), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL, why);
    cr_assert_eq(device->kind->read(device, &byte, at, 1, &diags), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL, why);
    uint64_t address;
    cr_assert_eq(device->kind->alloc(device, 1, "y", &address, &diags), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL, why);
    device->kind->release(device, at);
    close_device(device);
}

Test(device_gpu, goes_on_after_a_launch_that_was_refused)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    const uint64_t at = take(device, 100, "x"), params[] = {at, 100};
    setenv("FAKE_CUDA_FAIL", "cuLaunchKernel=701", 1);
    cr_assert_eq(run(device, "spill", params, 2, &diags), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)");
    setenv("FAKE_CUDA_FAIL", "", 1);
    cr_assert_eq(run(device, "spill", params, 2, &diags), TG_OK);
    close_device(device);
}

/* Stops where it is told so many CTAs to be done. */
static int stop_at(void *context, int64_t done, int64_t total)
{
    cr_assert_eq(total, 7);
    return done == *(const int64_t *)context;
}

Test(device_gpu, tells_of_progress_before_and_after)
{
    tg_device *device = open_device();
    tg_diags diags = {0};
    char text[128];
    const tg_ptx ptx = kernel_of("nothing", text);
    void *module = load(device, &ptx);
    int64_t where = 0;
    tg_device_launch launch = {.ctas = 7, .progress = stop_at, .context = &where};
    cr_assert_eq(device->kind->launch(device, module, &ptx, &launch, &diags), TG_ERR_STOPPED);
    cr_assert_eq(calls_of("cuLaunchKernel"), 0);
    where = 7;
    cr_assert_eq(device->kind->launch(device, module, &ptx, &launch, &diags), TG_ERR_STOPPED);
    cr_assert_eq(calls_of("cuLaunchKernel"), 1);
    where = 1;
    cr_assert_eq(device->kind->launch(device, module, &ptx, &launch, &diags), TG_OK);
    tg_diags_free(&diags);
    close_device(device);
}

/* ---- devices that will not do ---- */

static void expect_no_device(int number, tg_status status, const char *why)
{
    tg_device *device;
    tg_diags diags = {0};
    cr_assert_eq(tg_device_gpu(number, &device, &diags), status, "%s", why);
    cr_assert_null(device);
    expect_diag(&diags, status, why);
    cr_assert_str_eq(leaks(), "");
}

Test(device_gpu, may_not_be_there)
{
    use_driver(TG_FAKE_DRIVER);
    tg_device_free(open_device());
    expect_no_device(2, TG_ERR_USAGE, "there is no GPU 2: the last one is 1");
    setenv("FAKE_CUDA_CAPABILITY", "75", 1);
    expect_no_device(0, TG_ERR_UNSUPPORTED,
                     "Fake 0 has compute capability 7.5; 8.0 or later is needed");
    setenv("FAKE_CUDA_CAPABILITY", "120", 1);
    tg_device_free(open_device());
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    expect_no_device(0, TG_ERR_UNSUPPORTED, "finds no device");
}

/* ---- every call fails in turn ---- */

/* All that a device does; the status of the first step that fails. */
static tg_status use_all(tg_diags *diags)
{
    char text[128], bytes[16] = "";
    tg_ptx ptx = kernel_of("spill", text);
    tg_device *device;
    void *module = NULL;
    uint64_t at = 0;
    tg_status status = tg_device_gpu(1, &device, diags);
    if (status != TG_OK) return status;
    const tg_device_kind *kind = device->kind;
    ptx.shared_bytes = 64 * 1024;
    status = kind->load(device, &ptx, &module, diags);
    if (status == TG_OK) status = kind->alloc(device, 16, "x", &at, diags);
    if (status == TG_OK) status = kind->write(device, at, bytes, 16, diags);
    const uint64_t params[] = {at, 16};
    const tg_device_launch launch = {.params = params, .param_count = 2, .ctas = 2};
    if (status == TG_OK) status = kind->launch(device, module, &ptx, &launch, diags);
    if (status == TG_OK) status = kind->read(device, bytes, at, 16, diags);
    if (at) kind->release(device, at);
    if (module) kind->unload(device, module);
    tg_device_free(device);
    return status;
}

/* Functions that give something back: their failures change nothing. */
static bool gives_back(const char *name)
{
    static const char *const names[] = {"cuMemFree_v2",       "cuModuleUnload",
                                        "cuStreamDestroy_v2", "cuEventDestroy_v2",
                                        "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Fails the nth call of one function; false where there are not that many. */
static bool fail_once(const char *name, int n)
{
    char fail[96];
    tg_diags diags = {0};
    snprintf(fail, sizeof fail, "%s=999@%d", name, calls_of(name) + n);
    const int before = calls_of(name);
    setenv("FAKE_CUDA_FAIL", fail, 1);
    const tg_status status = use_all(&diags);
    setenv("FAKE_CUDA_FAIL", "", 1);
    if (calls_of(name) < before + n) {
        cr_assert_eq(status, TG_OK);
        return false;
    }
    if (gives_back(name)) {
        cr_assert_eq(status, TG_OK, "%s", fail);
        return true;
    }
    const bool frees_only = status == TG_OK; /* a push that was for giving back */
    cr_assert(!frees_only || strcmp(name, "cuCtxPushCurrent_v2") == 0, "%s", fail);
    if (!frees_only) {
        cr_assert_eq(status, TG_ERR_INTERNAL, "%s", fail);
        expect_diag(&diags, TG_ERR_INTERNAL, name);
    }
    return true;
}

Test(device_gpu, tells_of_every_call_that_fails)
{
    static const char *const names[] = {
#define TG_CU(need, name, symbol, params) #symbol,
#include "gpu_backend/device/driver.def"
    };
    tg_diags diags = {0};
    use_driver(TG_FAKE_DRIVER);
    cr_assert_eq(use_all(&diags), TG_OK);
    cr_assert_str_eq(leaks(), "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int n = 1; fail_once(names[i], n); n++)
            cr_assert_lt(n, 100, "%s never stops being called", names[i]);
}
