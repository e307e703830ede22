/* What tests/gpu/fake_driver.c exports beside the functions of the driver: reached by dlsym. */
#ifndef TG_TESTS_GPU_FAKE_DRIVER_H
#define TG_TESTS_GPU_FAKE_DRIVER_H

#include <stddef.h>

/* Calls of the function of that name so far, whether they failed or not; in all where name is NULL. */
typedef int fake_calls_fn(const char *name);

/* What has been made and not been given back: allocations, modules, streams, events, contexts retained and
 * contexts pushed.  A text, empty where there is nothing. */
typedef const char *fake_leaks_fn(void);

/* The last launch. */
typedef struct fake_launch {
    unsigned ctas, threads, shared_bytes;
    int allowed_shared_bytes; /* by cuFuncSetAttribute, or 48 KiB */
    void *stream;
} fake_launch;
typedef fake_launch fake_launch_fn(void);

#endif
