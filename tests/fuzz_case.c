/* Any text as case.json, in a folder that holds a small kernel and a tensor. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loaders/case.h"
#include "loaders/fill.h"
#include "loaders/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/tg-fuzz-case-XXXXXX", kernel_path[64], tensor_path[64];

static const char kernel[] = "{\"tilegrind\": \"0.1\", \"kernels\": [{\"name\": \"k\", \"grid\": "
                             "[{\"size\": \"dynamic\"}], \"params\": ["
                             "{\"name\": \"x\", \"role\": \"input\", \"type\": \"f16[5]\"}, "
                             "{\"name\": \"o\", \"role\": \"output\", \"type\": \"i4[3]\"}],"
                             "\"body\": {\"args\": [{\"id\": 1, \"type\": \"ref<f16[5]>\"}, "
                             "{\"id\": 2, \"type\": \"ref<i4[3]>\"}]}}]}";

static void remove_folder(void)
{
    unlink(kernel_path);
    unlink(tensor_path);
    rmdir(folder);
}

static void make_folder(void)
{
    tg_type type = {.dtype = TG_DT_f16, .rank = 1, .shape = {5}};
    tg_tensor tensor;
    tg_diags diags = {0};
    if (!mkdtemp(folder)) abort();
    snprintf(kernel_path, sizeof kernel_path, "%s/kernel.json", folder);
    snprintf(tensor_path, sizeof tensor_path, "%s/x.npy", folder);
    FILE *file = fopen(kernel_path, "wb");
    if (!file || fputs(kernel, file) < 0 || fclose(file) != 0) abort();
    if (tg_tensor_new(&type, &tensor) != TG_OK || tg_fill_tensor(TG_FILL_IOTA, &tensor) != TG_OK)
        abort();
    if (tg_npy_save(tensor_path, &tensor, &diags) != TG_OK) abort();
    tg_tensor_free(&tensor);
    atexit(remove_folder);
}

static void read_as(tg_case_arrays arrays, const char *data, size_t size)
{
    tg_case *out;
    tg_diags diags = {0};
    const tg_status status = tg_case_read(data, size, folder, arrays, &out, &diags);
    if ((status == TG_OK) != (out != NULL) || (status == TG_OK) != (diags.worst == TG_OK)) abort();
    tg_case_free(out);
    tg_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ready;
    if (!ready) make_folder();
    ready = 1;
    read_as(TG_CASE_OF_PARAMS, (const char *)data, size);
    read_as(TG_CASE_WHOLE, (const char *)data, size);
    return 0;
}
