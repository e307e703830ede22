/* GPUs by the public interface, with a driver that is none. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "gpu/fake_device.h"

#include "tilegrind/gpu.h"

static void check_error(tg_status status, tg_status expected, tg_errors *errors, const char *part)
{
    cr_assert_eq(status, expected, "%s: %s", part, tg_status_name(status));
    cr_assert(tg_errors_count(errors) > 0);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, part), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
}

Test(api_gpu, properties)
{
    tg_gpu_driver *driver;
    tg_gpu_properties gpu;
    use_driver(TG_FAKE_DRIVER);
    cr_assert_eq(tg_gpu_driver_open(&driver, NULL), TG_OK);
    cr_assert_eq(tg_gpu_driver_version(driver), 13000);
    cr_assert_eq(tg_gpu_driver_count(driver), 2);
    cr_assert_eq(tg_gpu_driver_describe(driver, 1, &gpu, NULL), TG_OK);
    cr_assert_str_eq(gpu.name, "Fake 1");
    cr_assert(gpu.major == 9 && gpu.minor == 0 && gpu.multiprocessors == 3 && gpu.is_usable);
    cr_assert_eq(gpu.memory_bytes, 1 << 30);
    setenv("FAKE_CUDA_CAPABILITY", "75", 1);
    cr_assert_eq(tg_gpu_driver_describe(driver, 1, &gpu, NULL), TG_OK);
    cr_assert_not(gpu.is_usable);
    tg_errors *errors = tg_errors_new();
    check_error(tg_gpu_driver_describe(driver, 2, &gpu, errors), TG_ERR_USAGE, errors,
                "there is no GPU 2");
    cr_assert_str_eq(gpu.name, "");
    tg_gpu_driver_close(driver);
    tg_gpu_driver_close(NULL);
}

Test(api_gpu, no_driver)
{
    tg_gpu_driver *driver = (tg_gpu_driver *)1;
    tg_errors *errors = tg_errors_new();
    use_driver("/nowhere/libcuda.so.1");
    check_error(tg_gpu_driver_open(&driver, errors), TG_ERR_UNSUPPORTED, errors,
                "this machine has no NVIDIA driver");
    cr_assert_null(driver);
}

Test(api_gpu, assembler)
{
    tg_gpu_assembler found;
    tg_errors *errors = tg_errors_new();
    setenv("TILEGRIND_PTXAS", "", 1);
    check_error(tg_gpu_assembler_find(&found, errors), TG_ERR_UNSUPPORTED, errors,
                "says to use none");
    cr_assert_str_eq(found.path, "");
    setenv("TILEGRIND_PTXAS", "tests/gpu/fake_ptxas.sh", 1);
    cr_assert_eq(tg_gpu_assembler_find(&found, NULL), TG_OK);
    cr_assert_str_eq(found.version, "12.4.131");
    cr_assert_not_null(strstr(found.path, "fake_ptxas.sh"));
}

Test(api_gpu, what_is_kept)
{
    tg_gpu_kept *kept = (tg_gpu_kept *)1;
    use_driver(TG_FAKE_DRIVER);
    cr_assert_eq(tg_gpu_keep(NULL, &kept, NULL), TG_OK);
    cr_assert_null(kept);
    cr_assert_eq(tg_gpu_keep("cpu", &kept, NULL), TG_OK);
    cr_assert_null(kept);
    cr_assert_eq(tg_gpu_keep("emulator:3", &kept, NULL), TG_OK);
    cr_assert_null(kept);
    cr_assert_eq(tg_gpu_keep("gpu:1", &kept, NULL), TG_OK);
    cr_assert_not_null(kept);
    tg_gpu_release(kept);
    tg_gpu_release(NULL);
    cr_assert_str_eq(leaks(), "");
}

Test(api_gpu, what_cannot_be_kept)
{
    tg_gpu_kept *kept = (tg_gpu_kept *)1;
    tg_errors *errors = tg_errors_new();
    use_driver(TG_FAKE_DRIVER);
    check_error(tg_gpu_keep("tpu", &kept, errors), TG_ERR_USAGE, errors, "backend \"tpu\" is none");
    cr_assert_null(kept);
    cr_assert_eq(tg_gpu_keep("gpu:7", &kept, NULL), TG_ERR_USAGE);
    cr_assert_null(kept);
    use_driver("/nowhere/libcuda.so.1");
    cr_assert_eq(tg_gpu_keep("gpu", &kept, NULL), TG_ERR_UNSUPPORTED);
    cr_assert_null(kept);
}
