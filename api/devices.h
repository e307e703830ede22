/* The devices that executables are on. */
#ifndef TG_API_DEVICES_H
#define TG_API_DEVICES_H

#include <pthread.h>

#include "gpu_backend/device/device.h"

/* A device and whose turn it is: it serves one thread at a time, so whoever calls it holds the
 * lock. */
typedef struct tg_api_device {
    tg_device *device;
    pthread_mutex_t turn;
    /* of the list of GPUs */
    struct tg_api_device *next;
    int number; /* of the GPU; -1: an emulator, which is not in it */
    size_t users;
} tg_api_device;

/* The device of the option `backend`, with one user more.  A GPU is opened once for all that are on
 * it at the same time, and closed behind the last of them, so that they share what it keeps; each
 * user of an emulator has one for itself. TG_ERR_USAGE for an unknown backend or number,
 * TG_ERR_UNSUPPORTED with the reason where the GPU cannot be used, TG_ERR_NO_MEMORY. */
tg_status tg_api_device_open(const char *backend, tg_api_device **out, tg_diags *diags);
void tg_api_device_close(tg_api_device *device); /* NULL is fine */

#endif
