/* For tests that use tests/gpu/fake_driver.c: choosing it, asking it, failing readably. */
#ifndef TG_TESTS_GPU_FAKE_DEVICE_H
#define TG_TESTS_GPU_FAKE_DEVICE_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/fake_driver.h"
#include "gpu_backend/device/driver.h"

/* From the next driver that is opened on. */
static inline void use_driver(const char *path)
{
    setenv("TILEGRIND_LIBCUDA", path, 1);
    setenv("TILEGRIND_PTXAS", "", 1);
}

/* A function of the fake, which has been opened before: it stays in the process. */
static inline void find_in_fake(const char *name, void *function)
{
    void *library = dlopen(getenv("TILEGRIND_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    cr_assert(library);
    void *const address = dlsym(library, name);
    dlclose(library);
    cr_assert(address, "the fake has no %s", name);
    memcpy(function, &address, sizeof address);
}

static inline int calls_of(const char *name)
{
    fake_calls_fn *calls;
    find_in_fake("fake_calls", &calls);
    return calls(name);
}

static inline const char *leaks(void)
{
    fake_leaks_fn *what;
    find_in_fake("fake_leaks", &what);
    return what();
}

static inline fake_launch last_launch(void)
{
    fake_launch_fn *launch;
    find_in_fake("fake_last_launch", &launch);
    return launch();
}

/* One diagnosis or more, the first of them with `status` and `part` in it. */
static inline void expect_diag(tg_diags *diags, tg_status status, const char *part)
{
    cr_assert_gt(diags->count, 0, "no diagnosis with \"%s\"", part);
    cr_assert_eq(diags->list[0].status, status, "%s", diags->list[0].message);
    cr_assert(strstr(diags->list[0].message, part), "\"%s\" is not in \"%s\"", part,
              diags->list[0].message);
    tg_diags_free(diags);
}

#endif
