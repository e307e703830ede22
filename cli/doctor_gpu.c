#include "cli/doctor_gpu.h"

#include "cli/style.h"
#include "tilegrind/gpu.h"

/* What a look gave: a driver and a ptxas, or why not. */
typedef struct gpu_health {
    tg_gpu_driver *driver; /* NULL: see `why` */
    tg_gpu_assembler ptxas;
    tg_status status, ptxas_status; /* other than TG_OK: see `why` and `why_no_ptxas` */
    tg_errors *why, *why_no_ptxas;
} gpu_health;

static void look(gpu_health *h)
{
    *h = (gpu_health){.why = tg_errors_new(), .why_no_ptxas = tg_errors_new()};
    h->status = tg_gpu_driver_open(&h->driver, h->why);
    h->ptxas_status = tg_gpu_assembler_find(&h->ptxas, h->why_no_ptxas);
}

static void forget(gpu_health *h)
{
    tg_gpu_driver_close(h->driver);
    tg_errors_free(h->why);
    tg_errors_free(h->why_no_ptxas);
}

static const char *reason(const tg_errors *errors, tg_status status)
{
    const bool is_told = errors && tg_errors_count(errors);
    return is_told ? tg_errors_get(errors, 0).message : tg_status_text(status);
}

/* "13.0" */
static void print_version(const gpu_health *h, char *out, size_t size)
{
    const int version = tg_gpu_driver_version(h->driver);
    snprintf(out, size, "%d.%d", version / 1000, version % 1000 / 10);
}

/* ---- as text ---- */

static void print_device(const gpu_health *h, int number)
{
    tg_gpu_properties gpu;
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_gpu_driver_describe(h->driver, number, &gpu, errors);
    printf("gpu:%-12d ", number);
    tg_put_clean(stdout, status == TG_OK ? gpu.name : reason(errors, status));
    if (status == TG_OK)
        printf(", compute capability %d.%d, %.1f GiB, %d multiprocessors%s", gpu.major, gpu.minor,
               (double)gpu.memory_bytes / (1 << 30), gpu.multiprocessors,
               gpu.is_usable ? "" : "; too old");
    printf("\n");
    tg_errors_free(errors);
}

void tg_doctor_gpu_text(void)
{
    gpu_health h;
    char version[32];
    look(&h);
    if (h.driver) {
        print_version(&h, version, sizeof version);
        printf("GPU driver       CUDA %s\n", version);
        for (int i = 0; i < tg_gpu_driver_count(h.driver); i++) print_device(&h, i);
    } else {
        printf("GPU              none: ");
        tg_put_clean(stdout, reason(h.why, h.status));
        printf("\n");
    }
    printf("ptxas            ");
    if (h.ptxas_status == TG_OK) {
        printf("%s, ", h.ptxas.version);
        tg_put_clean(stdout, h.ptxas.path);
    } else {
        printf("none: ");
        tg_put_clean(stdout, reason(h.why_no_ptxas, h.ptxas_status));
    }
    printf("\n");
    forget(&h);
}

/* ---- as JSON ---- */

static void emit_device(tg_json_out *json, const gpu_health *h, int number)
{
    tg_gpu_properties gpu;
    tg_errors *errors = tg_errors_new();
    char capability[32];
    const tg_status status = tg_gpu_driver_describe(h->driver, number, &gpu, errors);
    tg_emit_open(json, NULL, '{');
    if (status == TG_OK) {
        snprintf(capability, sizeof capability, "%d.%d", gpu.major, gpu.minor);
        tg_emit_text(json, "name", gpu.name);
        tg_emit_text(json, "compute_capability", capability);
        tg_emit_int(json, "memory_bytes", gpu.memory_bytes);
        tg_emit_int(json, "multiprocessors", gpu.multiprocessors);
    } else {
        tg_emit_text(json, "error", reason(errors, status));
    }
    tg_emit_bool(json, "usable", status == TG_OK && gpu.is_usable);
    tg_emit_close(json, '}');
    tg_errors_free(errors);
}

void tg_doctor_gpu_json(tg_json_out *json)
{
    gpu_health h;
    char version[32];
    look(&h);
    tg_emit_open(json, "gpu", '{');
    if (h.driver) print_version(&h, version, sizeof version);
    tg_emit_text(json, "driver", h.driver ? version : NULL);
    tg_emit_text(json, "error", h.driver ? NULL : reason(h.why, h.status));
    tg_emit_open(json, "devices", '[');
    for (int i = 0; h.driver && i < tg_gpu_driver_count(h.driver); i++) emit_device(json, &h, i);
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_open(json, "ptxas", '{');
    const bool has_ptxas = h.ptxas_status == TG_OK;
    tg_emit_text(json, "path", has_ptxas ? h.ptxas.path : NULL);
    tg_emit_text(json, "version", has_ptxas ? h.ptxas.version : NULL);
    tg_emit_text(json, "error", has_ptxas ? NULL : reason(h.why_no_ptxas, h.ptxas_status));
    tg_emit_close(json, '}');
    forget(&h);
}
