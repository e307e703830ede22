/* The custom-call target, called as XLA calls it. */
#include "python/xla/packed.h"
#include "xla_frame.h"

static const int64_t eight[1] = {8};

static const char twice[] =
    "grid 4\ninput x f32[8] block b2 at i\noutput o f32[8] block b2 at i\nbody\n"
    "%10:f32[2] = load %1 [0:2]; %11:f32[2] = add %10 %10; store %2 %11 [0:2]\n";

/* A call of a kernel on one input and one output; the kernel's JSON is the caller's to free. */
static char *call_of(xla_call *c, const char *text, const char *findings, int dtype, void *x,
                     void *o)
{
    char *json = json_of(text);
    xla_begin(c);
    xla_attrs(c, json, "sequential", findings);
    xla_buffer(c, false, dtype, x, 1, eight);
    xla_buffer(c, true, dtype, o, 1, eight);
    return json;
}

static void check_failure(tg_ffi_error *failure, int code, const char *part)
{
    cr_assert_not_null(failure, "%s", part);
    cr_assert_eq(xla_code, code, "%d: %s", xla_code, xla_error);
    cr_assert_not_null(strstr(xla_error, part), "%s", xla_error);
}

/* ---- stages ---- */

Test(xla_target, describes_itself)
{
    tg_ffi_metadata metadata = {.struct_size = sizeof metadata};
    tg_ffi_metadata_extension extension = {.base = {.type = TG_FFI_EXTENSION_METADATA},
                                           .metadata = &metadata};
    tg_ffi_frame frame = {.extension_start = &extension.base};
    tg_xla_state_id.type_id = 42;
    cr_assert_null(tg_xla_instantiate(&frame));
    cr_assert_eq(metadata.api_version.major_version, 0);
    cr_assert_eq(metadata.api_version.minor_version, 1);
    cr_assert_eq(metadata.api_version.struct_size, sizeof metadata.api_version);
    cr_assert_eq(metadata.state_type_id.type_id, 42);
    metadata = (tg_ffi_metadata){.traits = 7};
    cr_assert_null(tg_xla_execute(&frame));
    cr_assert_eq(metadata.traits, 0);
    cr_assert_eq(metadata.api_version.minor_version, 1);
}

Test(xla_target, runs_and_counts)
{
    xla_call c;
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, o[8];
    tg_xla_counts before, after;
    char *json = call_of(&c, twice, "raise", TG_FFI_f32, x, o);
    tg_xla_count(&before);
    cr_assert_null(tg_xla_instantiate(&c.frame));
    for (int n = 0; n < 3; n++) cr_assert_null(tg_xla_execute(&c.frame));
    for (int i = 0; i < 8; i++) cr_assert_eq(o[i], 2 * x[i]);
    tg_xla_count(&after);
    cr_assert_eq(after.runs - before.runs, 3);
    cr_assert_eq(after.programs - before.programs, 12);
    cr_assert_eq(after.failed, before.failed);
    tg_xla_state_info.deleter(xla_state);
    free(json);
}

/* Call sites share what they have in common, and nothing else. */
Test(xla_target, call_sites_share_kernels)
{
    static const char *const findings[] = {"raise", "raise", "warn"};
    xla_call c;
    float x[8], o[8];
    void *states[3];
    for (int i = 0; i < 3; i++) {
        char *json = call_of(&c, twice, findings[i], TG_FFI_f32, x, o);
        cr_assert_null(tg_xla_instantiate(&c.frame));
        states[i] = xla_state;
        free(json);
    }
    cr_assert_eq(states[0], states[1]);
    cr_assert_neq(states[0], states[2]);
    tg_xla_state_info.deleter(states[0]);
    xla_state = states[1];
    cr_assert_null(tg_xla_execute(&c.frame));
    tg_xla_state_info.deleter(states[2]);
    tg_xla_state_info.deleter(states[1]);
}

Test(xla_target, refuses_call_sites)
{
    xla_call c;
    char *json = call_of(&c, twice, "raise", TG_FFI_f32, NULL, NULL);
    c.frame.attrs.size = XLA_ATTRS - 1;
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT, "lacks one of");
    c.frame.attrs.size = XLA_ATTRS;
    c.text_types[2] = 3; /* a scalar */
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT, "lacks one of");
    c.text_types[2] = TG_FFI_ATTR_STRING;
    c.texts[3].len = 3;
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT, "order \"seq\" is none");
    c.texts[3].len = 10;
    c.texts[4].len = 3;
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT,
                  "profile \"ref\" is neither");
    c.texts[4].len = 9;
    c.texts[5] = (tg_ffi_span){"abacus", 6};
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT,
                  "backend \"abacus\" is none of");
    c.texts[5] = (tg_ffi_span){"cpu", 3};
    c.texts[2].len = 40;
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INVALID_ARGUMENT, "");
    c.texts[2].len = strlen(json);
    xla_has_no_state = true;
    check_failure(tg_xla_instantiate(&c.frame), TG_FFI_INTERNAL, "no state");
    check_failure(tg_xla_execute(&c.frame), TG_FFI_INTERNAL, "no state");
    free(json);
}

Test(xla_target, refuses_buffers)
{
    static const int64_t nine[1] = {9}, square[2] = {2, 4};
    xla_call c;
    float x[9], o[9];
    char *json = call_of(&c, twice, "raise", TG_FFI_f32, x, o);
    cr_assert_null(tg_xla_instantiate(&c.frame));
    tg_ffi_buffer *input = &c.buffers[0][0], *output = &c.buffers[1][0];
    tg_ffi_buffer good = *input;
    input->dtype = TG_FFI_i32;
    check_failure(tg_xla_execute(&c.frame), TG_FFI_INVALID_ARGUMENT,
                  "the buffer for input x has another type");
    *input = good;
    input->dims = (int64_t *)nine;
    check_failure(tg_xla_execute(&c.frame), TG_FFI_INVALID_ARGUMENT, "input x");
    *input = good;
    output->rank = 2;
    output->dims = (int64_t *)square;
    check_failure(tg_xla_execute(&c.frame), TG_FFI_INVALID_ARGUMENT, "output o");
    c.frame.rets.size = 0;
    check_failure(tg_xla_execute(&c.frame), TG_FFI_INVALID_ARGUMENT,
                  "takes 1 operands and has 1 results; the call has 1 and 0");
    tg_xla_state_info.deleter(xla_state);
    free(json);
}

Test(xla_target, dynamic_grid)
{
    static const struct {
        int dtype;
        int64_t rank;
        const char *error;
    } rows[] = {{TG_FFI_i32, 0, NULL},
                {TG_FFI_i64, 0, NULL},
                {TG_FFI_f32, 0, "size 0 of the grid is no i32 or i64"},
                {TG_FFI_i32, 1, "size 0 of the grid is no i32 or i64"}};
    char *json = json_of("grid d\noutput o i32[8] block b2 at i\nbody\n"
                         "%10:i32[2] = constant value=7; store %1 %10 [0:2]\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        xla_call c;
        int64_t size = 4;
        int32_t o[8] = {0};
        xla_begin(&c);
        xla_attrs(&c, json, "reversed", "raise");
        xla_buffer(&c, false, rows[i].dtype, &size, rows[i].rank, eight);
        xla_buffer(&c, true, TG_FFI_i32, o, 1, eight);
        cr_assert_null(tg_xla_instantiate(&c.frame));
        tg_ffi_error *failure = tg_xla_execute(&c.frame);
        if (rows[i].error)
            check_failure(failure, TG_FFI_INVALID_ARGUMENT, rows[i].error);
        else
            cr_assert(!failure && o[7] == 7);
        if (!rows[i].error && rows[i].dtype == TG_FFI_i64) {
            size = -1;
            check_failure(tg_xla_execute(&c.frame), TG_FFI_INVALID_ARGUMENT, "has size -1");
        }
        tg_xla_state_info.deleter(xla_state);
    }
    free(json);
}

/* More parameters than fit in the room that most calls get by with. */
Test(xla_target, many_parameters)
{
    char text[4096] = "";
    size_t used = 0;
    for (int i = 0; i < 39; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "input x%d i32[8]\n", i);
    snprintf(text + used, sizeof text - used,
             "output o i32[8]\nbody\n%%100:i32[8] = load %%39 [0:8]; store %%40 %%100 [0:8]\n");
    char *json = json_of(text);
    int32_t x[39][8], o[8];
    xla_call c;
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", "raise");
    for (int i = 0; i < 39; i++) {
        for (int j = 0; j < 8; j++) x[i][j] = 100 * i + j;
        xla_buffer(&c, false, TG_FFI_i32, x[i], 1, eight);
    }
    xla_buffer(&c, true, TG_FFI_i32, o, 1, eight);
    cr_assert_null(xla_run(&c));
    cr_assert_eq(memcmp(o, x[38], sizeof o), 0);
    free(json);
}

/* Every dtype that a kernel may have is one that XLA has. */
Test(xla_target, dtypes)
{
    for (tg_dtype dtype = 0; dtype < TG_DT_COUNT; dtype++) {
        char text[100];
        snprintf(text, sizeof text, "input x %s[8]\nbody\n", tg_dtypes[dtype].name);
        xla_call c;
        char *json = json_of(text);
        xla_begin(&c);
        xla_attrs(&c, json, "sequential", "raise");
        cr_assert_null(tg_xla_instantiate(&c.frame), "%s: %s", tg_dtypes[dtype].name, xla_error);
        tg_xla_state_info.deleter(xla_state);
        free(json);
    }
}

/* ---- several elements to a byte ---- */

Test(xla_target, packs_and_unpacks)
{
    for (unsigned bits = 2; bits <= 4; bits += 2)
        for (int is_signed = 0; is_signed < 2; is_signed++)
            for (size_t count = 0; count < 40; count++) {
                unsigned char packed[20], wide[40], again[21];
                size_t bytes = (count * bits + 7) / 8;
                int low = is_signed ? -(1 << (bits - 1)) : 0;
                for (size_t i = 0; i < sizeof packed; i++) packed[i] = (unsigned char)(i * 37 + 9);
                memset(again, 0xee, sizeof again);
                tg_unpack(wide, packed, count, bits, is_signed);
                for (size_t i = 0; i < count; i++) {
                    int value = is_signed ? (signed char)wide[i] : wide[i];
                    cr_assert(value >= low && value < low + (1 << bits));
                    cr_assert_eq(value & ((1 << bits) - 1),
                                 packed[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1));
                }
                tg_pack(again, wide, count, bits);
                for (size_t i = 0; i < bytes; i++) {
                    unsigned used = i + 1 < bytes || count * bits % 8 == 0
                                        ? 0xff
                                        : (1U << (count * bits % 8)) - 1;
                    cr_assert_eq(again[i], packed[i] & used);
                }
                cr_assert_eq(again[bytes], 0xee);
            }
}

Test(xla_target, packed_parameters)
{
    static const char *const names[] = {"i4", "u4"};
    static const int numbers[] = {TG_FFI_i4, TG_FFI_u4};
    for (int n = 0; n < 2; n++) {
        char text[300];
        snprintf(text, sizeof text,
                 "input x %s[8]\noutput o %s[8]\nbody\n"
                 "%%10:%s[8] = load %%1 [0:8]; %%11:%s[8] = add %%10 %%10; store %%2 %%11 [0:8]\n",
                 names[n], names[n], names[n], names[n]);
        xla_call c;
        unsigned char x[4] = {0x21, 0x43, 0x9f, 0xa8}, o[5] = {9, 9, 9, 9, 0xee};
        char *json = call_of(&c, text, "raise", numbers[n], x, o);
        cr_assert_null(xla_run(&c), "%s", xla_error);
        for (int i = 0; i < 8; i++)
            cr_assert_eq(o[i / 2] >> (i % 2 * 4) & 15, 2 * (x[i / 2] >> (i % 2 * 4)) & 15);
        cr_assert_eq(o[4], 0xee);
        free(json);
    }
}

/* ---- findings and texts ---- */

static const char partial[] =
    "grid 2 3\noutput o f32[8]\nbody\n"
    "%10:i32[] = constant value=6; %11:f32[4] = constant value=1; %12:i32[] = program_id axis=1\n"
    "%13:i32[] = mul %10 %12; debug_print %13 format='at {}'; store %1 %11 %13 [*:4] loc=7\n";

static char heard[8][600];
static int heard_event[8], heard_count;

static void hear(int event, const char *text)
{
    heard_event[heard_count] = event;
    snprintf(heard[heard_count], sizeof heard[0], "%s", text);
    heard_count++;
}

static tg_ffi_error *run_partial(const char *findings)
{
    static float o[8];
    xla_call c;
    char *json = json_of(partial);
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", findings);
    xla_buffer(&c, true, TG_FFI_f32, o, 1, eight);
    tg_ffi_error *failure = xla_run(&c);
    free(json);
    return failure;
}

static void check_findings(const char *text)
{
    cr_assert_not_null(strstr(text, "program (0, 1), store at k.py:7"), "%s", text);
    cr_assert_not_null(strstr(text, "access-outside-ref: store reaches index 9"), "%s", text);
    cr_assert_not_null(strstr(text, "(4 times)"), "%s", text);
    cr_assert_not_null(strstr(text, "\nkernel "), "%s", text);
    cr_assert_not_null(strstr(text, "output-unwritten"), "%s", text);
}

Test(xla_target, findings)
{
    tg_xla_counts before, after;
    tg_xla_count(&before);
    check_failure(run_partial("raise"), TG_FFI_FAILED_PRECONDITION, "kernel ");
    check_findings(xla_error);
    cr_assert_null(run_partial("warn")); /* nobody listens */
    tg_xla_count(&after);
    cr_assert_eq(after.runs - before.runs, 2);
    cr_assert_eq(after.failed - before.failed, 1);
    tg_xla_listen(hear);
    cr_assert_null(run_partial("warn"));
    tg_xla_listen(NULL);
    cr_assert_null(run_partial("warn"));
    cr_assert_eq(heard_count, 7);
    cr_assert_eq(heard_event[0], TG_XLA_PRINT);
    cr_assert_str_eq(heard[1], "at 6\n");
    cr_assert_eq(heard_event[6], TG_XLA_WARNING);
    check_findings(heard[6]);
}

/* Of the two findings one ends the call, and the other is told all the same. */
static void check_parted(const char *findings, const char *raised, const char *told)
{
    heard_count = 0;
    tg_xla_listen(hear);
    check_failure(run_partial(findings), TG_FFI_FAILED_PRECONDITION, raised);
    tg_xla_listen(NULL);
    cr_assert_null(strstr(xla_error, told), "%s", xla_error);
    cr_assert_eq(heard_event[heard_count - 1], TG_XLA_WARNING);
    cr_assert_not_null(strstr(heard[heard_count - 1], told));
    cr_assert_null(strstr(heard[heard_count - 1], raised));
}

Test(xla_target, findings_of_some_kinds)
{
    check_parted("raise:access-outside-ref", "access-outside-ref: ", "output-unwritten: ");
    check_parted("raise:race,output-unwritten", "output-unwritten: ", "access-outside-ref: ");
    check_parted("warn:access-outside-ref", "output-unwritten: ", "access-outside-ref: ");
    cr_assert_null(run_partial("raise:access-outside,race"));
    cr_assert_null(run_partial("warn:access-outside-ref,output-unwritten"));
}

static tg_ffi_error *run_racing(const char *checks)
{
    static float o[8];
    xla_call c;
    char *json = json_of("grid 2\noutput o f32[8]\nbody\n%10:i32[] = program_id axis=0\n"
                         "%11:f32[] = convert %10; %12:f32[8] = broadcast_in_dim %11 dims=[]\n"
                         "store %1 %12 [0:8]\n");
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", "raise");
    xla_attr(&c, "checks", checks);
    xla_buffer(&c, true, TG_FFI_f32, o, 1, eight);
    tg_ffi_error *failure = xla_run(&c);
    free(json);
    return failure;
}

Test(xla_target, checks)
{
    cr_assert_null(run_racing("none"));
    check_failure(run_racing("races"), TG_FFI_FAILED_PRECONDITION, "race: ");
    check_failure(run_racing("ghosts"), TG_FFI_INVALID_ARGUMENT, "ghosts");
}

/* ---- devices of a mesh ---- */

/* What a kernel with a finding says of its place. */
static void check_place(const char *mesh, const char *devices, const char *part)
{
    static const char unwritten[] = "input x f32[8]\noutput o f32[8]\nbody\n";
    xla_call c;
    float x[8] = {0}, o[8];
    char *json = call_of(&c, unwritten, "raise", TG_FFI_f32, x, o);
    if (mesh) xla_attr(&c, "mesh", mesh);
    if (devices) xla_attr(&c, "devices", devices);
    cr_assert_null(tg_xla_instantiate(&c.frame));
    check_failure(tg_xla_execute(&c.frame), TG_FFI_FAILED_PRECONDITION, part);
    cr_assert_eq(xla_errors, 0);
    tg_xla_state_info.deleter(xla_state);
    free(json);
}

Test(xla_target, findings_name_the_device)
{
    static const char axes[] = "<[\"x\"=2, \"y\"=2]>";
    xla_device = 3;
    check_place(axes, "0,1,3,12", "kernel k, device 3 (x=1, y=0) at k.py");
    check_place(axes, "3,0,1,2", "kernel k, device 3 (x=0, y=0) at k.py");
    check_place(axes, "0,1,2,13", "kernel k at k.py");
    check_place(axes, "", "kernel k at k.py");
    check_place(axes, NULL, "kernel k at k.py");
    check_place(NULL, "0,1,2,3", "kernel k at k.py");
    check_place("<[\"x\"=2]>", "0,1,2,3", "kernel k at k.py");
    check_place("no mesh", "0,1,2,3", "kernel k at k.py");
    xla_device = 12;
    check_place(axes, "0,1,3,12", "kernel k, device 12 (x=1, y=1) at k.py");
    check_place(axes, "0,1,3,99999999999999999999", "kernel k at k.py");
    xla_device = -1;
    check_place(axes, "0,1,2,3", "kernel k at k.py");
}
