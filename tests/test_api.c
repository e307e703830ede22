/* The public interface: what it says to wrong calls, and that handles do what the header says. */
#include <pthread.h>

#include "run_text.h"

static const char api_text[] =
    "grid 4\n"
    "input x f32[8,3] block b2 b3 at i 0\n"
    "input n i32[]\n"
    "output o f32[8,3] block b2 b3 at i 0\n"
    "scratch s f32[2]\n"
    "body\n"
    "%10:f32[2,3] = load %1 [0:2,0:3]; %11:f32[2,3] = add %10 %10; store %3 %11 [0:2,0:3]\n";

typedef struct call {
    tg_module *module;
    arrays all;
    tg_run_options options;
    float x[24];
    int32_t n;
} call;

static void begin_call(call *c, const char *text)
{
    *c = (call){.options = {.size = sizeof c->options}};
    c->module = load_kernel(text);
    c->all = make_arrays(c->module, NAMED({"x", c->x}, {"n", &c->n}));
}

static void end_call(call *c)
{
    free_arrays(&c->all);
    tg_module_free(c->module);
}

/* The call fails with one error (or `count`) whose message has `part`; no report is left. */
static void check_usage_of(call *c, const tg_array *list, size_t given, const char *kernel,
                           const char *part, size_t count)
{
    tg_errors *errors = tg_errors_new();
    tg_report *report = (tg_report *)1;
    cr_assert_eq(tg_run(c->module, kernel, list, given, &c->options, &report, errors), TG_ERR_USAGE,
                 "%s", part);
    cr_assert_null(report);
    cr_assert_eq(tg_errors_count(errors), count, "%zu errors for %s", tg_errors_count(errors),
                 part);
    cr_assert_eq(tg_errors_get(errors, 0).status, TG_ERR_USAGE);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, part), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    cr_assert_eq(tg_run(c->module, kernel, list, given, &c->options, &report, NULL), TG_ERR_USAGE);
}

static void check_usage(call *c, const char *part)
{
    check_usage_of(c, c->all.list, c->all.count, NULL, part, 1);
}

Test(api, arrays)
{
    static const int64_t transposed[2] = {3, 8}, long_shape[3] = {8, 3, 1}, strided[2] = {1, 8},
                         padded[2] = {4, 1};
    call c;
    begin_call(&c, api_text);
    const tg_array good[3] = {c.all.list[0], c.all.list[1], c.all.list[2]};
    tg_array *list = c.all.list, *x = &list[0];
    check_usage_of(&c, list + 1, 2, NULL, "no array for input x, which is f32[8,3]", 1);
    check_usage_of(&c, list, 2, NULL, "no array for output o", 1);
    check_usage_of(&c, NULL, 0, NULL, "no array for input x", 3);
    check_usage_of(&c, list, 3, "other", "no kernel \"other\"", 1);
    list[3] = good[0];
    check_usage_of(&c, list, 4, NULL, "array x is given twice", 1);
    list[3].name = "y";
    check_usage_of(&c, list, 4, NULL, "no parameter y", 1);
    list[3].name = "s";
    check_usage_of(&c, list, 4, NULL, "no parameter s", 1);
    list[3].name = NULL;
    check_usage_of(&c, list, 4, NULL, "without a name", 1);
    x->tensor.dtype = tg_dtype_to_dlpack("i32");
    check_usage(&c, "array x is i32[8,3]; the parameter is f32[8,3]");
    x->tensor.dtype = tg_dtype_to_dlpack("f16");
    check_usage(&c, "array x is f16[8,3]; the parameter is f32[8,3]");
    x->tensor.dtype = good[0].tensor.dtype;
    x->tensor.dtype.lanes = 2;
    check_usage(&c, "array x is another type; the parameter is f32[8,3]");
    *x = good[0];
    x->tensor.shape = (int64_t *)transposed;
    check_usage(&c, "array x is f32[3,8]; the parameter is f32[8,3]");
    x->tensor.shape = (int64_t *)long_shape;
    x->tensor.ndim = 3;
    check_usage(&c, "array x is f32[8,3,1]; the parameter is f32[8,3]");
    x->tensor.ndim = 1;
    check_usage(&c, "array x is f32[8]; the parameter is f32[8,3]");
    x->tensor.ndim = -1;
    check_usage(&c, "array x is another type; the parameter is f32[8,3]");
    *x = good[0];
    x->tensor.shape = NULL;
    check_usage(&c, "array x is another type; the parameter is f32[8,3]");
    *x = good[0];
    x->tensor.strides = (int64_t *)strided;
    check_usage(&c, "array x is not row-major");
    x->tensor.strides = (int64_t *)padded;
    check_usage(&c, "array x is not row-major");
    *x = good[0];
    x->tensor.device.device_type = 2;
    check_usage(&c, "array x is not on the CPU");
    *x = good[0];
    x->tensor.data = NULL;
    check_usage(&c, "array x has no data");
    *x = good[0];
    list[2].tensor.data = x->tensor.data;
    check_usage(&c, "overlap in memory");
    list[2] = good[2];
    list[1].tensor.dtype = tg_dtype_to_dlpack("u32");
    list[0].tensor.data = NULL;
    check_usage_of(&c, list, 3, NULL, "array x has no data", 2);
    list[0] = good[0];
    list[1] = good[1];
    end_call(&c);
}

/* Dense strides, byte offsets and arrays without elements are fine. */
Test(api, legal_arrays)
{
    static const int64_t dense[2] = {3, 1}, odd[2] = {7, -1};
    call c;
    begin_call(&c, api_text);
    float *wide = calloc(26, sizeof *wide), *kept = c.all.list[0].tensor.data;
    for (int i = 0; i < 24; i++) wide[i + 2] = (float)i;
    c.all.list[0].tensor.data = wide;
    c.all.list[0].tensor.byte_offset = 8;
    c.all.list[0].tensor.strides = (int64_t *)dense;
    tg_report *report = run_once(c.module, &c.all, &c.options);
    for (int i = 0; i < 24; i++)
        cr_assert_eq(((float *)c.all.list[2].tensor.data)[i], (float)(2 * i));
    tg_report_free(report);
    free(wide);
    c.all.list[0].tensor.data = kept;
    end_call(&c);
    begin_call(&c, "input x f32[0,3]\noutput o f32[0,3]\nbody\n");
    for (int i = 0; i < 2; i++) {
        kept = c.all.list[i].tensor.data;
        free(kept);
        c.all.list[i].tensor.data = NULL;
        c.all.list[i].tensor.strides = (int64_t *)odd;
    }
    tg_report_free(run_once(c.module, &c.all, &c.options));
    end_call(&c);
}

Test(api, options)
{
    static const int64_t sizes[2] = {3, 4}, negative[1] = {-1}, huge[1] = {INT64_C(1) << 31};
    call c;
    begin_call(&c, api_text);
    c.options.order = "random";
    check_usage(&c, "order \"random\"");
    c.options.order = "parallel:0";
    check_usage(&c, "threads must be 1 to 1024");
    c.options.order = NULL;
    c.options.compat = "torch";
    check_usage(&c, "compat \"torch\" is none of strict, zero, jax, tpu, tpu:zero");
    c.options.compat = "strict";
    c.options.isa = "mmx";
    check_usage(&c, "instruction set \"mmx\"");
    c.options.isa = NULL;
    c.options.profile = "quick";
    check_usage(&c, "profile \"quick\" is neither reference nor fast");
    c.options.profile = NULL;
    c.options.dynamic_grid = sizes;
    c.options.dynamic_grid_count = 1;
    check_usage(&c, "0 axes of the grid are dynamic, 1 sizes are given");
    end_call(&c);
    begin_call(&c, "grid d 2\nbody\n");
    check_usage(&c, "1 axes of the grid are dynamic, 0 sizes are given");
    c.options.dynamic_grid_count = 1;
    check_usage(&c, "1 axes of the grid are dynamic, 0 sizes are given");
    c.options.dynamic_grid = sizes;
    c.options.dynamic_grid_count = 2;
    check_usage(&c, "1 axes of the grid are dynamic, 2 sizes are given");
    c.options.dynamic_grid_count = 1;
    c.options.dynamic_grid = negative;
    check_usage(&c, "axis 0 of the grid has size -1");
    c.options.dynamic_grid = huge;
    check_usage(&c, "axis 0 of the grid has size 2147483648");
    c.options.dynamic_grid = sizes;
    tg_report *report = run_once(c.module, &c.all, &c.options);
    cr_assert_eq(tg_report_stats(report).programs, 6);
    tg_report_free(report);
    end_call(&c);
    static const int64_t many[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    begin_call(&c, "grid d d da\nbody\n");
    c.options.dynamic_grid = many;
    c.options.dynamic_grid_count = 3;
    check_usage(&c, "more than 2^63 programs");
    end_call(&c);
}

/* The report says which profile ran; a build without SLEEF, or a machine it does not run on, says so. */
Test(api, profiles)
{
    call c;
    tg_report *report;
    begin_call(&c, api_text);
    report = run_once(c.module, &c.all, &c.options);
    cr_assert_str_eq(tg_report_stats(report).profile, "reference");
    tg_report_free(report);
    c.options.profile = "fast";
    tg_errors *errors = tg_errors_new();
    tg_status status = tg_run(c.module, NULL, c.all.list, c.all.count, &c.options, &report, errors);
    if (status == TG_OK) {
        cr_assert_str_eq(tg_report_stats(report).profile, "fast");
    } else {
        cr_assert_eq(status, TG_ERR_UNSUPPORTED);
        cr_assert(strstr(tg_errors_get(errors, 0).message, "SLEEF"));
    }
    tg_report_free(report);
    tg_errors_free(errors);
    end_call(&c);
}

/* Backends other than the interpreter bring fast functions of their own, and take no other profile's name either. */
Test(api, profiles_of_devices)
{
    call c;
    tg_report *report;
    begin_call(&c, api_text);
    c.options.backend = "emulator";
    c.options.profile = "fast";
    report = run_once(c.module, &c.all, &c.options);
    cr_assert_str_eq(tg_report_stats(report).profile, "fast");
    tg_report_free(report);
    c.options.profile = "quick";
    check_usage(&c, "neither reference nor fast");
    end_call(&c);
}

/* The text of either profile; another has none. */
Test(api, ptx_in_profiles)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = load_kernel("input x f32[8]\noutput o f32[8]\nbody\n"
                                    "%10:f32[8] = load %1 [0:8]; %11:f32[8] = exp %10\n"
                                    "store %2 %11 [0:8]\n");
    const tg_module_ptx_options explicit = {.size = sizeof explicit, .profile = "reference"},
                                of_fast = {.size = sizeof of_fast, .profile = "fast"},
                                unknown = {.size = sizeof unknown, .profile = "quick"};
    char *reference = tg_module_ptx(module, NULL, NULL, errors),
         *same = tg_module_ptx(module, NULL, &explicit, errors),
         *fast = tg_module_ptx(module, NULL, &of_fast, errors);
    cr_assert_str_eq(reference, same);
    cr_assert(!strstr(reference, ".approx") && strstr(fast, "ex2.approx.f32"));
    cr_assert_eq(tg_errors_count(errors), 0);
    cr_assert_null(tg_module_ptx(module, NULL, &unknown, errors));
    cr_assert(strstr(tg_errors_get(errors, 0).message, "neither reference nor fast"));
    tg_text_free(reference);
    tg_text_free(same);
    tg_text_free(fast);
    tg_module_free(module);
    tg_errors_free(errors);
}

/* Products on the units of a tensor core, for its chip unless another one is named; a struct that ends before what it
 * would say says nothing. */
Test(api, ptx_of_tensor_cores)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module =
        load_kernel("input x f16[16,16]\ninput y f16[16,8]\noutput o f32[16,8]\nbody\n"
                    "%10:f16[16,16] = load %1 [0:16,0:16]\n"
                    "%11:f16[16,8] = load %2 [0:16,0:8]\n"
                    "%12:f32[16,8] = dot_general %10 %11 lhs_contract=[1] "
                    "rhs_contract=[0] lhs_batch=[] rhs_batch=[]\n"
                    "store %3 %12 [0:16,0:8]\n");
    const tg_module_ptx_options of_sm90 = {.size = sizeof of_sm90, .tensor_core = "sm90"},
                                of_sm80 = {.size = sizeof of_sm80,
                                           .target = "sm_80",
                                           .tensor_core = "sm90"},
                                shorter = {.size = offsetof(tg_module_ptx_options, tensor_core),
                                           .tensor_core = "sm90"},
                                unknown = {.size = sizeof unknown, .tensor_core = "sm80"};
    char *exact = tg_module_ptx(module, NULL, NULL, errors),
         *sm90 = tg_module_ptx(module, NULL, &of_sm90, errors),
         *sm80 = tg_module_ptx(module, NULL, &of_sm80, errors),
         *unsaid = tg_module_ptx(module, NULL, &shorter, errors);
    cr_assert_eq(tg_errors_count(errors), 0);
    cr_assert(strstr(exact, ".target sm_80\n") && !strstr(exact, "mma.sync"));
    cr_assert(strstr(sm90, ".target sm_90a\n") && strstr(sm90, "mma.sync"));
    cr_assert(strstr(sm80, ".target sm_80\n") && strstr(sm80, "mma.sync"));
    cr_assert_str_eq(unsaid, exact);
    cr_assert_null(tg_module_ptx(module, NULL, &unknown, errors));
    cr_assert(strstr(tg_errors_get(errors, 0).message,
                     "tensor core \"sm80\" is none of exact, sm90, sm100"));
    tg_text_free(exact);
    tg_text_free(sm90);
    tg_text_free(sm80);
    tg_text_free(unsaid);
    tg_module_free(module);
    tg_errors_free(errors);
}

/* A caller compiled against an older, shorter struct; what it does not know has its default. */
Test(api, shorter_options)
{
    call c;
    begin_call(&c, api_text);
    c.options.isa = "mmx";
    c.options.order = "reversed";
    c.options.size = offsetof(tg_run_options, compat);
    tg_report *report = run_once(c.module, &c.all, &c.options);
    cr_assert_str_eq(tg_report_stats(report).order, "reversed");
    tg_report_free(report);
    c.options.size = offsetof(tg_run_options, order);
    report = run_once(c.module, &c.all, &c.options);
    cr_assert_str_eq(tg_report_stats(report).order, "sequential");
    tg_report_free(report);
    cr_assert_eq(tg_run(c.module, "k", c.all.list, c.all.count, NULL, &report, NULL), TG_OK);
    tg_report_free(report);
    end_call(&c);
}

/* ---- progress ---- */

typedef struct watcher {
    int64_t last, total;
    int calls, stop_after;
} watcher;

static int watch(void *context, int64_t done, int64_t total)
{
    watcher *w = context;
    cr_assert(done >= w->last && done <= total);
    w->last = done;
    w->total = total;
    return ++w->calls == w->stop_after;
}

static const char slow_text[] =
    "grid 100 10a\noutput o i32[1]\nbody\n"
    "%10:i32[] = constant value=0; %11:i32[] = constant value=1; %12:i32[] = constant value=100\n"
    "%13:i32[] = for %10 %12 %11 %10 { (%20:i32[] %21:i32[]) %22:i32[] = add %21 %20; yield %22 }\n"
    "%14:i32[1] = broadcast_in_dim %13 dims=[]; store %1 %14 [0:1]\n";

Test(api, progress)
{
    static const char *const orders[] = {"sequential", "shuffled", "parallel:2", "interleaved"};
    call c;
    begin_call(&c, slow_text);
    for (int o = 0; o < 4; o++) {
        watcher w = {0};
        c.options.order = orders[o];
        c.options.progress = watch;
        c.options.context = &w;
        tg_report *report = run_once(c.module, &c.all, &c.options);
        cr_assert_eq(tg_report_stats(report).programs, 1000);
        if (tg_report_stats(report).seconds > 1) cr_assert_gt(w.calls, 0, "%s", orders[o]);
        if (w.calls) cr_assert_eq(w.total, 1000);
        tg_report_free(report);
    }
    end_call(&c);
}

/* The caller may stop a run; it is told so, and gets no report. */
Test(api, progress_stops)
{
    static const char *const orders[] = {"sequential", "parallel:2", "interleaved"};
    static const int64_t size[1] = {1000000};
    call c;
    begin_call(&c, "grid d\nbody\n%10:i32[] = constant value=0; %11:i32[] = constant value=1; "
                   "%12:i32[] = constant value=300\n"
                   "%13:i32[] = for %10 %12 %11 %10 { (%20:i32[] %21:i32[]) %22:i32[] = add %21 "
                   "%20; yield %22 }\n"
                   "debug_print %13 format='{}'\n");
    for (int o = 0; o < 3; o++) {
        watcher w = {.stop_after = 2};
        tg_errors *errors = tg_errors_new();
        tg_report *report = NULL;
        c.options.order = orders[o];
        c.options.dynamic_grid = size;
        c.options.dynamic_grid_count = 1;
        c.options.progress = watch;
        c.options.context = &w;
        cr_assert_eq(tg_run(c.module, NULL, NULL, 0, &c.options, &report, errors), TG_ERR_STOPPED,
                     "%s", orders[o]);
        cr_assert_not_null(report);
        tg_report_free(report);
        cr_assert_eq(w.calls, 2);
        cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, "stopped after"));
        tg_errors_free(errors);
    }
    end_call(&c);
}

/* Calls `watch`'s watcher from the programs of one loop; with two threads also where it is the other that never
 * ends. */
static void stops_within(const char *text, const char *order, const char *message)
{
    call c;
    watcher w = {.stop_after = 2};
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    begin_call(&c, text);
    c.options.order = order;
    c.options.progress = watch;
    c.options.context = &w;
    int32_t o[1];
    int64_t shape[1] = {1};
    tg_array array = {"o", {.data = o, .device = {1, 0}, .ndim = 1, .shape = shape}};
    array.tensor.dtype = tg_dtype_to_dlpack("i32");
    cr_assert_eq(tg_run(c.module, NULL, &array, 1, &c.options, &report, errors), TG_ERR_STOPPED,
                 "%s", text);
    cr_assert_not_null(report);
    tg_report_free(report);
    const char *said = tg_errors_get(errors, 0).message;
    cr_assert_not_null(strstr(said, message), "%s: %s", order, said);
    tg_errors_free(errors);
    end_call(&c);
}

Test(api, progress_stops_endless_loops)
{
    static const char *const orders[] = {"sequential", "parallel:1", "interleaved"};
    static const char by_while[] =
        "grid 1\noutput o i32[1]\nbody\n%10:i32[] = constant value=1; %11:bool[] = constant "
        "value=true\n"
        "%12:i32[] = while %10 loc=3 { (%20:i32[]) yield %11 } { (%21:i32[]) %22:i32[] = add %21 "
        "%10; yield %22 }\n"
        "debug_print %12 format='{}'\n";
    static const char by_for[] = "grid 1\noutput o i32[1]\nbody\n%10:i64[] = constant value=0; "
                                 "%11:i64[] = constant value=1; "
                                 "%12:i64[] = constant value='9223372036854775807'\n"
                                 "for %10 %12 %11 loc=4 { (%20:i64[]) }\n";
    static const char in_map[] =
        "grid 1\noutput o i32[1] block s { (%20:i32[]) %21:bool[] = constant value=true; "
        "%22:i32[] = while %20 loc=5 { (%23:i32[]) yield %21 } { (%24:i32[]) yield %24 }; yield "
        "%22 }\n"
        "body\n";
    for (int o = 0; o < 3; o++) {
        stops_within(by_while, orders[o], "in program (0) within a while loop at k.py:3");
        stops_within(by_for, orders[o], "in program (0) within a for loop at k.py:4");
        stops_within(in_map, orders[o], "in program (0) within a while loop at k.py:5");
    }
}

/* One of two programs never ends, whichever thread has it. */
Test(api, progress_stops_other_threads)
{
    for (int which = 0; which < 2; which++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "grid 2\noutput o i32[1]\nbody\n%%10:i32[] = program_id axis=0; %%11:i32[] = constant "
            "value=%d; %%14:i32[] = constant value=1\n"
            "%%12:i32[] = while %%14 { (%%20:i32[]) %%21:bool[] = eq %%10 %%11; yield %%21 } { "
            "(%%22:i32[]) %%23:i32[] = add %%22 %%14; yield %%23 }\n"
            "debug_print %%12 format='{}'\n",
            which);
        stops_within(text, "parallel:2", "stopped after 1 programs");
    }
}

/* ---- modules ---- */

static void check_load(const char *text, tg_status wanted, const char *where, const char *part)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = (tg_module *)1;
    cr_assert_eq(tg_module_load_text(text, strlen(text), &module, errors), wanted, "%s", text);
    cr_assert_null(module);
    cr_assert_gt(tg_errors_count(errors), 0);
    tg_error error = tg_errors_get(errors, 0);
    cr_assert_eq(error.status, wanted);
    cr_assert_str_eq(error.where, where, "%s: %s", error.where, error.message);
    cr_assert_not_null(strstr(error.message, part), "%s", error.message);
    cr_assert_null(error.file);
    tg_errors_free(errors);
    cr_assert_eq(tg_module_load_text(text, strlen(text), &module, NULL), wanted);
}

Test(api, load_errors)
{
    check_load("", TG_ERR_SYNTAX, "", "");
    check_load("{\"tilegrind\": \"0.1\",", TG_ERR_SYNTAX, "", "");
    check_load("{\"tilegrind\": \"0.1\", \"kernels\": []}", TG_ERR_INVALID, "/kernels",
               "at least one");
    check_load("{\"tilegrind\": \"0.1\", \"kernels\": [{\"name\": \"k\", \"grid\": [], \"params\": "
               "[], \"body\": "
               "{\"ops\": [{\"op\": \"fly\"}]}}]}",
               TG_ERR_INVALID, "/kernels/0/body/ops/0/op", "fly");
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    cr_assert_eq(tg_module_load_file("/nowhere/k.json", &module, errors), TG_ERR_IO);
    cr_assert_str_eq(tg_errors_get(errors, 0).file, "/nowhere/k.json");
    cr_assert_eq(tg_module_load_file("/nowhere/k.json", &module, NULL), TG_ERR_IO);
    tg_errors_free(errors);
}

Test(api, questions)
{
    tg_module *module = load_kernel("grid 2 d da\nprefetch n i32[3]\ninput x f32[4,2]\noutput o "
                                    "f32[4,2] alias=x\nscratch s bf16[7]\nbody\n");
    cr_assert_eq(tg_module_kernel_count(module), 1);
    cr_assert_str_eq(tg_module_kernel_name(module, 0), "k");
    cr_assert_eq(tg_module_dynamic_axes(module, NULL), 2);
    cr_assert_eq(tg_module_dynamic_axes(module, "none"), 0);
    cr_assert_eq(tg_module_param_count(module, "k"), 4);
    cr_assert_eq(tg_module_param_count(module, "none"), 0);
    tg_param_info n = tg_module_param(module, NULL, 0), o = tg_module_param(module, "k", 2),
                  s = tg_module_param(module, NULL, 3);
    cr_assert_str_eq(n.role, "prefetch");
    cr_assert_null(n.alias);
    cr_assert_str_eq(o.name, "o");
    cr_assert_str_eq(o.alias, "x");
    cr_assert_eq(o.rank, 2);
    cr_assert_eq(o.shape[0], 4);
    cr_assert_str_eq(s.dtype, "bf16");
    cr_assert_str_eq(s.role, "scratch");
    tg_module_free(module);
}

/* What is printed as JSON is read back to the same text. */
Test(api, texts)
{
    tg_module *module = load_kernel(api_text), *again = NULL;
    char *json = tg_module_print(module, TG_TEXT_JSON, NULL),
         *plain = tg_module_print(module, TG_TEXT_PLAIN, NULL),
         *plan = tg_module_print(module, TG_TEXT_PLAN, NULL), *schema = tg_schema();
    cr_assert(json && plain && plan && schema);
    cr_assert_eq(tg_module_load_text(json, strlen(json), &again, NULL), TG_OK);
    char *second = tg_module_print(again, TG_TEXT_JSON, NULL);
    cr_assert_str_eq(json, second);
    cr_assert_not_null(strstr(plain, "add"));
    cr_assert_not_null(strstr(plan, "group"));
    cr_assert_not_null(strstr(schema, "\"$schema\""));
    char *const all[] = {json, plain, plan, schema, second, NULL};
    for (int i = 0; i < 6; i++) tg_text_free(all[i]);
    tg_module_free(again);
    tg_module_free(module);
    module = load_kernel("output o i8[1]\nbody\n%10:i8[4294967296] = constant value=3; "
                         "%11:i8[4294967296] = sort %10 axis=0 keys=1\n"
                         "%12:i8[1] = slice %11 start=[0] stride=[1]; store %1 %12 [0:1]\n");
    tg_errors *errors = tg_errors_new();
    cr_assert_null(tg_module_print(module, TG_TEXT_PLAN, errors));
    cr_assert_eq(tg_errors_get(errors, 0).status, TG_ERR_UNSUPPORTED);
    cr_assert_null(tg_module_print(module, TG_TEXT_PLAN, NULL));
    tg_errors_free(errors);
    tg_module_free(module);
}

static void check_no_map(const tg_module *module, const char *kernel, const char *param)
{
    tg_errors *errors = tg_errors_new();
    cr_assert_null(tg_module_map(module, kernel, param, TG_MAP_TEXT, errors));
    cr_assert_gt(tg_errors_count(errors), 0);
    tg_errors_free(errors);
}

Test(api, maps)
{
    tg_module *module =
        load_kernel("grid 2 2\nprefetch n i32[1]\ninput x f32[3,4] block b2 b2 at i j\n"
                    "input y f32[2,2,3] block s b2 b3 at i 0 0\ninput w f32[5]\ninput e f32[4] "
                    "block e2:1:1 at i\n"
                    "input p f32[4] block b2 { (%900:i32[] %901:i32[] %902:ref<i32[1]>) %903:i32[] "
                    "= constant value=0; %904:i32[] = load %902 %903 [@]; yield %904 }\n"
                    "input big f32[200,200] block b2 b2 at i j\nbody\n");
    static const char *const drawn[] = {"x", "y", "w", "e"};
    for (int i = 0; i < 4; i++) {
        char *text = tg_module_map(module, NULL, drawn[i], TG_MAP_TEXT, NULL),
             *svg = tg_module_map(module, "k", drawn[i], TG_MAP_SVG, NULL);
        cr_assert(text && svg, "%s", drawn[i]);
        cr_assert_not_null(strstr(svg, "</svg>"));
        if (i == 0) cr_assert_not_null(strstr(text, "1,1"), "%s", text);
        tg_text_free(text);
        tg_text_free(svg);
    }
    check_no_map(module, NULL, "p");
    check_no_map(module, NULL, "big");
    check_no_map(module, NULL, "none");
    check_no_map(module, "none", "x");
    tg_module_free(module);
    module = load_kernel("grid d\ninput x f32[4] block b2 at i\nbody\n");
    check_no_map(module, NULL, "x");
    tg_module_free(module);
}

/* ---- small things ---- */

Test(api, fixed_texts)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TG_VERSION_MAJOR, TG_VERSION_MINOR,
             TG_VERSION_PATCH);
    cr_assert_str_eq(tg_version(), version);
    cr_assert_str_eq(tg_status_name(TG_OK), "OK");
    cr_assert_str_eq(tg_status_name(TG_ERR_NO_MEMORY), "ERR_NO_MEMORY");
    cr_assert_str_eq(tg_status_text(TG_ERR_TYPE), "types or shapes do not agree");
    cr_assert_eq(tg_status_exit(TG_ERR_IO), 2);
    cr_assert_eq(tg_status_exit(TG_ERR_INTERNAL), 4);
}

Test(api, nothing_is_freed)
{
    tg_errors_free(NULL);
    tg_module_free(NULL);
    tg_report_free(NULL);
    tg_text_free(NULL);
}

/* As dlpack.h has them. */
Test(api, dlpack_dtypes)
{
    static const struct {
        const char *name;
        uint8_t code, bits;
    } rows[] = {{"bool", 6, 8},
                {"i4", 0, 4},
                {"i64", 0, 64},
                {"u4", 1, 4},
                {"u8", 1, 8},
                {"f16", 2, 16},
                {"bf16", 4, 16},
                {"f64", 2, 64},
                {"f8e3m4", 7, 8},
                {"f8e4m3", 8, 8},
                {"f8e4m3b11fnuz", 9, 8},
                {"f8e4m3fn", 10, 8},
                {"f8e4m3fnuz", 11, 8},
                {"f8e5m2", 12, 8},
                {"f8e5m2fnuz", 13, 8},
                {"f8e8m0fnu", 14, 8},
                {"f4e2m1fn", 17, 4},
                {"i2", 0, 2},
                {"u2", 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tg_dldtype dtype = tg_dtype_to_dlpack(rows[i].name);
        cr_assert(dtype.code == rows[i].code && dtype.bits == rows[i].bits && dtype.lanes == 1,
                  "%s", rows[i].name);
    }
    cr_assert_eq(tg_dtype_to_dlpack("f128").lanes, 0);
    cr_assert_eq(tg_dtype_to_dlpack("").lanes, 0);
}

/* ---- one module, many threads ---- */

typedef struct worker {
    const tg_module *module;
    int number, wrong;
} worker;

static void *run_often(void *argument)
{
    worker *w = argument;
    for (int run = 0; run < 10; run++) {
        float x[24], o[24];
        int32_t n = 0;
        tg_array list[3];
        void *const data[3] = {x, &n, o};
        for (int i = 0; i < 24; i++) x[i] = (float)(10 * w->number + run + i);
        for (size_t p = 0; p < 3; p++) {
            tg_param_info param = tg_module_param(w->module, NULL, p);
            list[p] = array_of(&param, data[p]);
        }
        tg_run_options options = {.size = sizeof options, .order = every_order[run % ORDERS]};
        tg_report *report = NULL;
        w->wrong += tg_run(w->module, NULL, list, 3, &options, &report, NULL) != TG_OK;
        for (int i = 0; i < 24; i++) w->wrong += o[i] != 2 * x[i];
        tg_report_free(report);
    }
    return NULL;
}

Test(api, runs_at_once)
{
    enum { WORKERS = 4 };
    tg_module *module = load_kernel(api_text);
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.module = module, .number = i};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_often, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(workers[i].wrong, 0);
    }
    tg_module_free(module);
}
