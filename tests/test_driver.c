/* Finding the driver, and each reason why there is none that will do. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "gpu/fake_device.h"

#include <stdio.h>
#include <unistd.h>

static tg_driver *open_well(void)
{
    tg_driver *driver;
    tg_diags diags = {0};
    cr_assert_eq(tg_driver_open(&driver, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    return driver;
}

static void expect_no_driver(const char *why)
{
    tg_driver *driver;
    tg_diags diags = {0};
    cr_assert_eq(tg_driver_open(&driver, &diags), TG_ERR_UNSUPPORTED, "%s", why);
    cr_assert_null(driver);
    expect_diag(&diags, TG_ERR_UNSUPPORTED, why);
}

Test(driver, is_found_and_describes_devices)
{
    use_driver(TG_FAKE_DRIVER);
    tg_driver *driver = open_well();
    tg_cu_device device;
    tg_gpu_info info;
    tg_diags diags = {0};
    cr_assert(driver->version == 13000 && driver->device_total == 2 && driver->occupancy);
    cr_assert_eq(tg_driver_device(driver, 1, &device, &diags), TG_OK);
    cr_assert_eq(tg_driver_describe(driver, device, &info, &diags), TG_OK);
    cr_assert_str_eq(info.name, "Fake 1");
    cr_assert(info.major == 9 && info.minor == 0 && info.memory_bytes == 1 << 30);
    cr_assert(info.multiprocessors == 3 && info.threads_per_multiprocessor == 2048);
    cr_assert_eq(info.most_shared_bytes, 200 * 1024);
    tg_driver_close(driver);
    tg_driver_close(NULL);
}

Test(driver, need_not_have_what_is_optional)
{
    use_driver(TG_FAKE_OLD_DRIVER);
    tg_driver *driver = open_well();
    cr_assert_null(driver->occupancy);
    tg_driver_close(driver);
}

Test(driver, may_be_none)
{
    use_driver("/nowhere/libcuda.so.1");
    expect_no_driver("this machine has no NVIDIA driver: /nowhere/libcuda.so.1: cannot open");
    use_driver("libm.so.6");
    expect_no_driver("libm.so.6 is no NVIDIA driver that can be used here: it lacks cuInit");
    use_driver("/dev/null");
    expect_no_driver("/dev/null");
}

/* The environment of the fake, and what is then said. */
static const struct {
    const char *name, *value, *why;
} refusals[] = {
    {"FAKE_CUDA_FAIL", "cuInit=34", "stub of the driver, not a driver"},
    {"FAKE_CUDA_FAIL", "cuDriverGetVersion=34", "stub of the driver, not a driver"},
    {"FAKE_CUDA_FAIL", "cuInit=100", "the NVIDIA driver finds no device"},
    {"FAKE_CUDA_FAIL", "cuDeviceGetCount=100", "the NVIDIA driver finds no device"},
    {"FAKE_CUDA_DEVICES", "0", "the NVIDIA driver finds no device"},
    {"FAKE_CUDA_FAIL", "cuInit=803",
     "the NVIDIA driver does not start: cuInit returned CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"},
    {"FAKE_CUDA_FAIL", "cuDriverGetVersion=803", "cuDriverGetVersion returned CUDA_ERROR_SYSTEM"},
    {"FAKE_CUDA_FAIL", "cuDeviceGetCount=803", "cuDeviceGetCount returned CUDA_ERROR_SYSTEM"},
    {"FAKE_CUDA_VERSION", "11070", "the NVIDIA driver is of CUDA 11.7; 11.8 or later is needed"},
};

Test(driver, may_refuse)
{
    use_driver(TG_FAKE_DRIVER);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        setenv(refusals[i].name, refusals[i].value, 1);
        expect_no_driver(refusals[i].why);
        unsetenv(refusals[i].name);
    }
    tg_driver_close(open_well());
}

Test(driver, of_the_toolkit_is_a_stub)
{
    static const char stub[] = "/usr/local/cuda/lib64/stubs/libcuda.so";
    if (access(stub, R_OK) != 0) cr_skip_test("%s is not on this machine", stub);
    use_driver(stub);
    expect_no_driver("/usr/local/cuda/lib64/stubs/libcuda.so is the CUDA toolkit's stub");
}

Test(driver, has_devices_by_number)
{
    use_driver(TG_FAKE_DRIVER);
    tg_driver *driver = open_well();
    tg_cu_device device;
    tg_diags diags = {0};
    cr_assert_eq(tg_driver_device(driver, 2, &device, &diags), TG_ERR_USAGE);
    expect_diag(&diags, TG_ERR_USAGE, "there is no GPU 2: the last one is 1");
    cr_assert_eq(tg_driver_device(driver, -1, &device, &diags), TG_ERR_USAGE);
    expect_diag(&diags, TG_ERR_USAGE, "there is no GPU -1");
    setenv("FAKE_CUDA_FAIL", "cuDeviceGet=46", 1);
    cr_assert_eq(tg_driver_device(driver, 0, &device, &diags), TG_ERR_UNSUPPORTED);
    expect_diag(&diags, TG_ERR_UNSUPPORTED, "CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
    tg_driver_close(driver);
}

Test(driver, may_fail_to_describe)
{
    static const char *const calls[] = {"cuDeviceGetName", "cuDeviceTotalMem_v2",
                                        "cuDeviceGetAttribute"};
    use_driver(TG_FAKE_DRIVER);
    tg_driver *driver = open_well();
    tg_gpu_info info;
    tg_diags diags = {0};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char fail[64];
        snprintf(fail, sizeof fail, "%s=101", calls[i]);
        setenv("FAKE_CUDA_FAIL", fail, 1);
        cr_assert_eq(tg_driver_describe(driver, 0, &info, &diags), TG_ERR_INTERNAL);
        expect_diag(&diags, TG_ERR_INTERNAL, calls[i]);
    }
    tg_driver_close(driver);
}

Test(driver, codes_have_names)
{
    cr_assert_str_eq(tg_driver_code_name(0), "CUDA_SUCCESS");
    cr_assert_str_eq(tg_driver_code_name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
    cr_assert_null(tg_driver_code_name(12345));
    cr_assert_eq(tg_driver_status(0), TG_OK);
    cr_assert_eq(tg_driver_status(2), TG_ERR_NO_MEMORY);
    cr_assert_eq(tg_driver_status(222), TG_ERR_UNSUPPORTED);
    cr_assert_eq(tg_driver_status(12345), TG_ERR_INTERNAL);
    cr_assert(tg_driver_is_sticky(716) && !tg_driver_is_sticky(2));
    tg_diags diags = {0};
    cr_assert_eq(tg_driver_fail(&diags, "trying", "cuTry", 12345), TG_ERR_INTERNAL);
    expect_diag(&diags, TG_ERR_INTERNAL, "trying: cuTry returned a code unknown here (12345)");
}
