/* The emulator as a device: memory that is taken and given back. */
#include <criterion/criterion.h>

#include "gpu_backend/device/device_emulator.h"

static uint64_t take(tg_device *device, const char *name)
{
    uint64_t address = 0;
    tg_diags diags = {0};
    cr_assert_eq(device->kind->alloc(device, 8, name, &address, &diags), TG_OK);
    return address;
}

/* Numbers of allocations are no resource that runs use up. */
Test(device_emulator, begins_anew_where_nothing_is_taken)
{
    tg_device *device = tg_device_emulator(0);
    const uint64_t first = take(device, "a");
    cr_assert_neq(take(device, "b"), first);
    device->kind->release(device, first);
    cr_assert_neq(take(device, "c"), first, "b is still taken");
    tg_device_free(device);

    device = tg_device_emulator(0);
    for (int run = 0; run < 3; run++) {
        cr_assert_eq(take(device, "a"), first);
        const uint64_t second = take(device, "b");
        device->kind->release(device, first);
        device->kind->release(device, first); /* given back already */
        device->kind->release(device, second);
    }
    tg_device_free(device);
}

Test(device_emulator, keeps_what_is_taken)
{
    tg_device *device = tg_device_emulator(0);
    tg_diags diags = {0};
    const uint64_t kept = take(device, "a");
    uint64_t value = 42;
    cr_assert_eq(device->kind->write(device, kept, &value, sizeof value, &diags), TG_OK);
    device->kind->release(device, take(device, "b"));
    value = 0;
    cr_assert_eq(device->kind->read(device, &value, kept, sizeof value, &diags), TG_OK);
    cr_assert_eq(value, 42);
    device->kind->release(device, kept);
    cr_assert_eq(device->kind->read(device, &value, kept, sizeof value, &diags), TG_ERR_INTERNAL);
    tg_diags_free(&diags);
    tg_device_free(device);
}
