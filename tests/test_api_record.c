/* Recordings as users read them.  What is logged, and what a full log says, tests/test_history.c is about. */
#include "run_text.h"
#include "tilegrind/record.h"

/* Each of two programs doubles its block of `x`, by way of `s`. */
static const char text[] = "grid 2\n"
                           "input x f32[4] block b2 at i\n"
                           "output o f32[4] block b2 at i\n"
                           "scratch s f32[2]\n"
                           "body\n"
                           "%10:f32[2] = load %1 [0:2] loc=3; %11:f32[2] = add %10 %10\n"
                           "store %3 %11 [0:2]; store %2 %11 [0:2] loc=5\n";

typedef struct made {
    tg_module *module;
    arrays all;
    tg_report *report;
    tg_recording *recording;
} made;

static made make(const char *kernel, const tg_record_limits *limits)
{
    static const float x[] = {1, 2, 3, 4};
    const tg_run_options options = {.size = sizeof options, .order = "sequential"};
    made m = {.module = load_kernel(kernel)};
    m.all = make_arrays(m.module, NAMED({"x", x}));
    m.report = run_once(m.module, &m.all, &options);
    cr_assert_eq(tg_record(m.module, NULL, m.all.list, m.all.count, &options, m.report, limits,
                           &m.recording, NULL),
                 TG_OK);
    return m;
}

static void drop(made *m)
{
    tg_recording_free(m->recording);
    tg_recording_free(NULL);
    tg_report_free(m->report);
    free_arrays(&m->all);
    tg_module_free(m->module);
}

Test(api_record, grid_params_and_locations)
{
    made m = make(text, NULL);
    const tg_recording_info info = tg_recording_describe(m.recording);
    cr_assert_str_eq(info.kernel, tg_module_kernel_name(m.module, 0));
    cr_assert(info.axis_count == 1 && info.param_count == 3 && info.asked_count == 0);
    cr_assert_eq(tg_recording_axis(m.recording, 0).size, 2);
    const tg_record_param x = tg_recording_param(m.recording, 0),
                          o = tg_recording_param(m.recording, 1),
                          s = tg_recording_param(m.recording, 2);
    cr_assert_str_eq(x.array.name, "x");
    cr_assert_str_eq(x.role, "input");
    cr_assert_str_eq(x.dtype, "f32");
    cr_assert(x.array.tensor.ndim == 1 && x.array.tensor.shape[0] == 4);
    cr_assert_eq(x.array.tensor.data, array_data(&m.all, "x"));
    cr_assert_eq(((float *)o.array.tensor.data)[3], 8);
    cr_assert_neq(o.array.tensor.data, array_data(&m.all, "o"));
    cr_assert_null(s.array.tensor.data);
    cr_assert(o.memory == 1 && o.accesses == 0 && o.since == -1 && o.since_asked == -1);
    drop(&m);
}

Test(api_record, accesses)
{
    made m = make(text, NULL);
    const tg_recording_info info = tg_recording_describe(m.recording);
    cr_assert_eq((size_t)info.steps, info.access_count);
    size_t writes = 0, reads = 0;
    for (size_t i = 0; i < info.access_count; i++) {
        const tg_record_access a = tg_recording_access(m.recording, i);
        const tg_record_location at = tg_recording_location(m.recording, a.location);
        cr_assert_eq(a.step, (int64_t)i);
        cr_assert_not(a.is_part);
        if (a.param == 0) {
            cr_assert_str_eq(a.kind, "read");
            cr_assert_str_eq(a.op, "load");
            cr_assert_str_eq(at.file, "k.py");
            cr_assert_eq(at.line, 3);
            cr_assert_eq(a.value_count, 0);
            cr_assert_eq(a.program, (int64_t)reads++);
        }
        if (a.param != 1) continue;
        cr_assert_str_eq(a.kind, "write");
        cr_assert(a.rank == 1 && a.count[0] == 2 && a.stride[0] == 1);
        cr_assert_eq(a.first, 2 * (int64_t)writes);
        cr_assert_eq(a.value_count, 2);
        cr_assert_eq(((const float *)a.values)[1], (float)(4 * (writes + 1)));
        writes++;
    }
    cr_assert(writes == 2 && reads == 2);
    drop(&m);
}

Test(api_record, what_findings_speak_of_is_asked_for)
{
    made m = make("grid 1\ninput x f32[4]\noutput o f32[4]\nbody\n"
                  "%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]\n",
                  NULL);
    const tg_recording_info info = tg_recording_describe(m.recording);
    cr_assert_eq(tg_report_finding_count(m.report), 1);
    cr_assert_eq(info.asked_count, 1);
    const tg_record_range range = tg_recording_asked(m.recording, 0);
    cr_assert(range.param == 1 && range.first == 2 && range.last == 3);
    drop(&m);
}

Test(api_record, what_there_is_no_room_for_is_counted)
{
    const tg_record_limits limits = {.size = sizeof limits, .accesses = 4};
    made m = make(text, &limits);
    const tg_recording_info info = tg_recording_describe(m.recording);
    int64_t left_out = 0;
    for (size_t p = 0; p < info.param_count; p++) {
        const tg_record_param param = tg_recording_param(m.recording, p);
        left_out += param.accesses;
        cr_assert_eq(param.accesses > 0, param.since >= 0);
    }
    cr_assert(left_out > 0);
    cr_assert_eq(left_out + (int64_t)info.access_count, info.steps);
    drop(&m);
}

Test(api_record, wrong_calls)
{
    made m = make(text, NULL);
    tg_recording *recording = (tg_recording *)1;
    tg_run_options options = {.size = sizeof options};
    cr_assert_eq(tg_record(m.module, "other", m.all.list, m.all.count, &options, m.report, NULL,
                           &recording, NULL),
                 TG_ERR_USAGE);
    cr_assert_null(recording);
    options.backend = "emulator";
    cr_assert_eq(tg_record(m.module, NULL, m.all.list, m.all.count, &options, m.report, NULL,
                           &recording, NULL),
                 TG_ERR_USAGE);
    cr_assert_null(recording);
    drop(&m);
}
