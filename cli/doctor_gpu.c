#include "cli/doctor_gpu.h"

#include "cli/style.h"
#include "gpu_backend/device/driver.h"
#include "gpu_backend/device/ptxas.h"

/* What a look gave: a driver or a ptxas, and why not. */
typedef struct gpu_health {
    tg_driver *driver; /* NULL: see `why` */
    tg_ptxas ptxas;
    tg_status ptxas_status; /* other than TG_OK: see `why_no_ptxas` */
    tg_diags why, why_no_ptxas;
} gpu_health;

static void look(gpu_health *h)
{
    *h = (gpu_health){0};
    tg_driver_open(&h->driver, &h->why);
    h->ptxas_status = tg_ptxas_find(&h->ptxas, &h->why_no_ptxas);
}

static void forget(gpu_health *h)
{
    tg_driver_close(h->driver);
    tg_diags_free(&h->why);
    tg_diags_free(&h->why_no_ptxas);
}

static const char *reason(const tg_diags *diags)
{
    return diags->count ? diags->list[0].message : tg_status_text(diags->worst);
}

/* Device `number`, or why nothing is known of it. */
static bool describe(const gpu_health *h, int number, tg_gpu_info *info, tg_diags *diags)
{
    tg_cu_device device;
    return tg_driver_device(h->driver, number, &device, diags) == TG_OK &&
           tg_driver_describe(h->driver, device, info, diags) == TG_OK;
}

static bool is_new_enough(const tg_gpu_info *info)
{
    return info->major * 10 + info->minor >= TG_OLDEST_CAPABILITY;
}

/* ---- as text ---- */

static void print_device(const gpu_health *h, int number)
{
    tg_gpu_info info;
    tg_diags diags = {0};
    printf("gpu:%-12d ", number);
    if (describe(h, number, &info, &diags)) {
        tg_put_clean(stdout, info.name);
        printf(", compute capability %d.%d, %.1f GiB, %d multiprocessors%s\n", info.major,
               info.minor, (double)info.memory_bytes / (1 << 30), info.multiprocessors,
               is_new_enough(&info) ? "" : "; too old");
    } else {
        tg_put_clean(stdout, reason(&diags));
        printf("\n");
    }
    tg_diags_free(&diags);
}

void tg_doctor_gpu_text(void)
{
    gpu_health h;
    look(&h);
    if (h.driver) {
        printf("GPU driver       CUDA %d.%d\n", h.driver->version / 1000,
               h.driver->version % 1000 / 10);
        for (int i = 0; i < h.driver->device_total; i++) print_device(&h, i);
    } else {
        printf("GPU              none: ");
        tg_put_clean(stdout, reason(&h.why));
        printf("\n");
    }
    printf("ptxas            ");
    if (h.ptxas_status == TG_OK) {
        printf("%s, ", h.ptxas.version);
        tg_put_clean(stdout, h.ptxas.path);
    } else {
        printf("none: ");
        tg_put_clean(stdout, reason(&h.why_no_ptxas));
    }
    printf("\n");
    forget(&h);
}

/* ---- as JSON ---- */

static void emit_device(tg_json_out *json, const gpu_health *h, int number)
{
    tg_gpu_info info;
    tg_diags diags = {0};
    char capability[32];
    tg_emit_open(json, NULL, '{');
    if (describe(h, number, &info, &diags)) {
        snprintf(capability, sizeof capability, "%d.%d", info.major, info.minor);
        tg_emit_text(json, "name", info.name);
        tg_emit_text(json, "compute_capability", capability);
        tg_emit_int(json, "memory_bytes", (int64_t)info.memory_bytes);
        tg_emit_int(json, "multiprocessors", info.multiprocessors);
        tg_emit_bool(json, "usable", is_new_enough(&info));
    } else {
        tg_emit_text(json, "error", reason(&diags));
        tg_emit_bool(json, "usable", false);
    }
    tg_emit_close(json, '}');
    tg_diags_free(&diags);
}

void tg_doctor_gpu_json(tg_json_out *json)
{
    gpu_health h;
    char version[32];
    look(&h);
    tg_emit_open(json, "gpu", '{');
    if (h.driver)
        snprintf(version, sizeof version, "%d.%d", h.driver->version / 1000,
                 h.driver->version % 1000 / 10);
    tg_emit_text(json, "driver", h.driver ? version : NULL);
    tg_emit_text(json, "error", h.driver ? NULL : reason(&h.why));
    tg_emit_open(json, "devices", '[');
    for (int i = 0; h.driver && i < h.driver->device_total; i++) emit_device(json, &h, i);
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_open(json, "ptxas", '{');
    const bool has_ptxas = h.ptxas_status == TG_OK;
    tg_emit_text(json, "path", has_ptxas ? h.ptxas.path : NULL);
    tg_emit_text(json, "version", has_ptxas ? h.ptxas.version : NULL);
    tg_emit_text(json, "error", has_ptxas ? NULL : reason(&h.why_no_ptxas));
    tg_emit_close(json, '}');
    forget(&h);
}
