#include "api/devices.h"

#include <stdlib.h>

#include "gpu_backend/device/open.h"

/* The GPUs that somebody is on. */
static tg_api_device *gpus;
static pthread_mutex_t gpus_lock = PTHREAD_MUTEX_INITIALIZER;

static void free_device(tg_api_device *d)
{
    tg_device_free(d->device);
    pthread_mutex_destroy(&d->turn);
    free(d);
}

/* A device with one user; `number` as in the struct. */
static tg_status new_device(const char *backend, int number, tg_api_device **out, tg_diags *diags)
{
    tg_api_device *d = calloc(1, sizeof *d);
    if (!d || pthread_mutex_init(&d->turn, NULL) != 0) {
        free(d);
        return tg_no_memory(diags);
    }
    d->number = number;
    d->users = 1;
    const tg_status status = tg_device_open(backend, &d->device, diags);
    if (status == TG_OK)
        *out = d;
    else
        free_device(d);
    return status;
}

static tg_status open_gpu(const char *backend, int number, tg_api_device **out, tg_diags *diags)
{
    for (tg_api_device *d = gpus; d; d = d->next) {
        if (d->number != number) continue;
        d->users++;
        *out = d;
        return TG_OK;
    }
    const tg_status status = new_device(backend, number, out, diags);
    if (!*out) return status;
    (*out)->next = gpus;
    gpus = *out;
    return TG_OK;
}

tg_status tg_api_device_open(const char *backend, tg_api_device **out, tg_diags *diags)
{
    const int number = tg_device_gpu_number(backend);
    *out = NULL;
    if (number < 0) return new_device(backend, number, out, diags);
    pthread_mutex_lock(&gpus_lock);
    const tg_status status = open_gpu(backend, number, out, diags);
    pthread_mutex_unlock(&gpus_lock);
    return status;
}

static void leave_gpu(tg_api_device *d)
{
    pthread_mutex_lock(&gpus_lock);
    if (--d->users == 0) {
        tg_api_device **at = &gpus;
        while (*at != d) at = &(*at)->next;
        *at = d->next;
        free_device(d); /* with the lock: nobody opens a GPU that is being closed */
    }
    pthread_mutex_unlock(&gpus_lock);
}

void tg_api_device_close(tg_api_device *d)
{
    if (d && d->number >= 0)
        leave_gpu(d);
    else if (d)
        free_device(d);
}
