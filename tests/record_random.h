/* Recordings of random kernels. */
#ifndef TESTS_RECORD_RANDOM_H
#define TESTS_RECORD_RANDOM_H

#include "api/record.h"
#include "ir/bits.h"
#include "random/programs.h"
#include "run_text.h"

enum { MOST_PARAMS = 32 };

typedef void look_at_recording(const tg_recording *recording, uint64_t seed, const char *order,
                               void *context);

/* Records a run of the kernel of that seed, on inputs of that seed, and calls `look`. */
static inline void record_random(uint64_t seed, const char *order, const tg_record_limits *limits,
                                 look_at_recording *look, void *context)
{
    char *json = random_program_json(seed, PROGRAM_OPS);
    tg_module *module;
    tg_array list[MOST_PARAMS];
    size_t count = 0;
    static const int64_t dynamic[] = {2, 2, 2, 2};
    cr_assert_eq(tg_module_load_text(json, strlen(json), &module, NULL), TG_OK);
    cr_assert_leq(tg_module_param_count(module, NULL), MOST_PARAMS);
    for (size_t p = 0; p < tg_module_param_count(module, NULL); p++) {
        const tg_param_info param = tg_module_param(module, NULL, p);
        if (strcmp(param.role, "scratch") == 0) continue;
        const tg_dtype dtype = tg_dtype_by_name(param.dtype);
        const size_t bytes = param_bytes(&param), width = tg_dtypes[dtype].bytes;
        unsigned char *data = malloc(bytes + 1);
        for (size_t i = 0; i * width < bytes; i++) {
            const uint64_t any = tg_random(seed + p, i) % 100;
            const double number = (double)any / 8 - 6;
            tg_bits_store(dtype, tg_is_float(dtype) ? tg_bits_round(dtype, number) : any % 2,
                          data + i * width);
        }
        list[count++] = array_of(&param, data);
    }
    const tg_run_options options = {.size = sizeof options,
                                    .order = order,
                                    .dynamic_grid = dynamic,
                                    .dynamic_grid_count = tg_module_dynamic_axes(module, NULL)};
    tg_report *report;
    tg_recording *recording;
    cr_assert_eq(tg_run(module, NULL, list, count, &options, &report, NULL), TG_OK);
    cr_assert_eq(tg_record(module, NULL, list, count, &options, report, limits, &recording, NULL),
                 TG_OK);
    look(recording, seed, order, context);
    tg_recording_free(recording);
    tg_report_free(report);
    for (size_t i = 0; i < count; i++) free(list[i].tensor.data);
    tg_module_free(module);
    free(json);
}

#endif
