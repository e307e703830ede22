#include "gpu_backend/device/open.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_backend/device/device_emulator.h"
#include "gpu_backend/device/device_gpu.h"

/* Whether `backend` is NAME or NAME:N.  Sets *number to N; without N leaves it alone. */
static bool is_named(const char *backend, const char *name, uint64_t *number)
{
    const size_t length = strlen(name);
    if (strncmp(backend, name, length) != 0) return false;
    if (!backend[length]) return true;
    const char *const digits = backend + length + 1;
    if (backend[length] != ':' || *digits < '0' || *digits > '9') return false;
    char *end;
    errno = 0;
    const unsigned long long parsed = strtoull(digits, &end, 10);
    if (errno || *end) return false;
    *number = parsed;
    return true;
}

tg_status tg_device_unknown(const char *backend, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "backend \"%s\" is none of cpu, emulator, emulator:SEED, gpu and gpu:NUMBER",
                   backend);
}

int tg_device_gpu_number(const char *backend)
{
    uint64_t number = 0;
    return is_named(backend, "gpu", &number) && number <= INT_MAX ? (int)number : -1;
}

bool tg_device_is_emulator(const char *backend)
{
    uint64_t seed;
    return is_named(backend, "emulator", &seed);
}

tg_status tg_device_open(const char *backend, tg_device **out, tg_diags *diags)
{
    const int gpu = tg_device_gpu_number(backend);
    uint64_t number = 0;
    *out = NULL;
    if (gpu >= 0) return tg_device_gpu(gpu, out, diags);
    if (!is_named(backend, "emulator", &number)) return tg_device_unknown(backend, diags);
    *out = tg_device_emulator(number);
    return *out ? TG_OK : tg_no_memory(diags);
}
