/* What runs on a mesh refuse: each with the array that it is about, and the reason. */
#include "mesh_run.h"

static const char kernel[] = "grid 1\ninput x f32[2,4]\noutput o f32[2,4]\nscratch s f32[2]\nbody\n"
                             "%10:f32[2,4] = load %1 [0:2,0:4]; store %2 %10 [0:2,0:4]\n";

typedef struct refusal {
    const char *mesh, *x, *o, *order;
    const char *file; /* of the first error; NULL: none */
    tg_status status;
    const char *says;
    int64_t offset;   /* -1: none */
    int64_t rows;     /* of x; 0: 8 */
    int64_t shape[2]; /* of o; 0: not given */
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    /* the mesh */
    {"x=4,y=0", "P('x')", "P('x')", NULL, "mesh", TG_ERR_INVALID, "size", 4, 0, {0}},
    {"x=4;", "P('x')", "P('x')", NULL, "mesh", TG_ERR_SYNTAX, "expected", 3, 0, {0}},
    {"x=128,y=64", "P('x')", "P('x')", NULL, "mesh", TG_ERR_INVALID, "4096", 6, 0, {0}},
    {"<[], device_ids=[3]>", "P()", "P()", NULL, NULL, TG_ERR_UNSUPPORTED, "device 3 alone", -1, 0,
     {0}},
    {NULL, "P('x')", "P('x')", NULL, "sharding of x", TG_ERR_USAGE, "the mesh is needed", -1, 0,
     {0}},
    {"x=4,y=2", "x=2,y=4 P('x')", "P('x')", NULL, "sharding of x", TG_ERR_INVALID,
     "its mesh is x=2,y=4, but that of the devices x=4,y=2", -1, 0, {0}},
    {NULL, "x=2,y=4 P('y', 'x')", "x=4,y=2 P('x')", NULL, "sharding of o", TG_ERR_INVALID,
     "its mesh is x=4,y=2, but that of the devices x=2,y=4", -1, 0, {0}},
    /* axes and syntax, with the place in the text */
    {"x=4,y=2", "P('z', 'y')", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "the mesh has no axis \"z\"", 2, 0, {0}},
    {"x=4,y=2", "P('x', 'y')", "[{\"x\"}, {\"q\"}]", NULL, "sharding of o", TG_ERR_INVALID, "\"q\"",
     9, 0, {0}},
    {"x=4,y=2", "P('x', 'x')", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "\"x\" is in a sharding twice", -1, 0, {0}},
    {"x=4,y=2", "P('x', 'y'", "P('x', 'y')", NULL, "sharding of x", TG_ERR_SYNTAX, "expected", 10,
     0, {0}},
    {"x=4,y=2", "(S(0), S(2))", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "2 is no dimension of an array of rank 2", 9, 0, {0}},
    {"x=4,y=2", "(S(0))", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "a signature of 1 entries is none of a mesh of 2 axes", 5, 0, {0}},
    {"x=4,y=2", "64:1@lan", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "there is no axis \"lan\"", 5, 0, {0}},
    {"x=4,y=2", "x=4,y=2 64:1@lan", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "there is no axis \"lan\"", 13, 0, {0}},
    {"x=4,y=2", "{\"D\": [[0, 1]]}", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID, "0", 8,
     0, {0}},
    /* shapes */
    {"x=4,y=2", "P('x', None, 'y')", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "a sharding of 3 dimensions is none of an array of rank 2", -1, 0, {0}},
    {"x=4,y=2", "P('x', 'y')", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "dimension 0 of 9 elements is no multiple of its 4 blocks", -1, 9, {0}},
    {"x=4,y=2", "P('y', 'x')", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "of f32[8,8] each device has f32[4,2], but the kernel takes f32[2,4]", -1, 0, {0}},
    {"x=4,y=2", "P('x', 'y')", "P('x', 'y')", NULL, "sharding of o", TG_ERR_INVALID,
     "of f32[8,16] each device has f32[2,8], but the kernel takes f32[2,4]", -1, 0, {8, 16}},
    {"x=4,y=2", "(4,8):(2@gpuid,1@m) + [2:1@gpuid]", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_INVALID, "the layout has 32 elements, but the array 64", -1, 0, {0}},
    {"x=4,y=2", "(4,16):(2@gpuid,1@m) + [2:1@gpuid]", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_INVALID, "each device has 16 elements, but the kernel takes f32[2,4], of 8", -1, 0,
     {0}},
    {"x=4,y=2", "P('x', 'y')", "(8,8):(1@gpuid,1@m)", NULL, "sharding of o", TG_ERR_USAGE,
     "an Axe layout does not say the shape of the whole array", -1, 0, {0}},
    /* holes, two elements at a place, other places */
    {"x=4,y=4", "(8,8):(1@gpuid,1@m)", "P()", NULL, "sharding of x", TG_ERR_INVALID,
     "device 8 holds no element", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,2@m)", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "element (0,4) is outside the array of its device, at m = 8", -1, 0, {0}},
    {"x=4,y=2", "(8,4,2):(1@gpuid,1@m,1@m)", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "elements (0,1) and (0,2) are both at m = 1", -1, 0, {0}},
    {"x=4,y=2", "(4,2,8):(2@gpuid,2@gpuid,1@m)", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_INVALID, "elements (1,0) and (2,0) have one place, on device 2", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(2@gpuid,1@m)", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "element (4,0) is on a device that the mesh does not have, number 8", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) + 1@gpuid", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_INVALID, "element (7,0) is on a device that the mesh does not have, number 8", -1, 0,
     {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) + -1@gpuid", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_INVALID, "element (0,0) is on a device that the mesh does not have, number -1", -1, 0,
     {0}},
    {"x=4,y=2", "(8,8):(1@lane,1@m) + [8:1@gpuid]", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_UNSUPPORTED, "the layout has axis lane", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) + [2:8@m]", "P('x', 'y')", NULL, "sharding of x",
     TG_ERR_UNSUPPORTED, "several places in the memory of a device", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(0,1@m) + [8:1@gpuid]", "P('x', 'y')", NULL, "sharding of x", TG_ERR_INVALID,
     "stride 0", -1, 0, {0}},
    {NULL, "(8,8):(1000@gpuid,1@m)", "P()", NULL, NULL, TG_ERR_INVALID,
     "the layout has devices 0 to 7000", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) + [4000:1@gpuid, 8000:4001@gpuid]", "P('x', 'y')", NULL,
     "sharding of x", TG_ERR_UNSUPPORTED, "more than 16777216 copies", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) | devices [0,1,2,3,4,5,6,7,8]", "P('x', 'y')", NULL,
     "sharding of x", TG_ERR_INVALID, "the ids of 9 devices, but the mesh has 8", -1, 0, {0}},
    {"x=4,y=2", "(8,8):(1@gpuid,1@m) | devices [0,1,2,3,4,5,6,9]", "P('x', 'y')", NULL,
     "sharding of x", TG_ERR_INVALID, "it has device 9", -1, 0, {0}},
    /* orders of devices */
    {"x=4,y=2", "P('x', 'y')", "P('x', 'y')", "interleaved:1", NULL, TG_ERR_USAGE,
     "device order \"interleaved:1\" is none of sequential, reversed, shuffled[:SEED]", -1, 0, {0}},
    {"x=4,y=2", "P('x', 'y')", "P('x', 'y')", "last", NULL, TG_ERR_USAGE, "device order \"last\"",
     -1, 0, {0}},
};
/* clang-format on */

static void check_refusal(const refusal *r)
{
    static float data[72];
    mesh_test t = {.kernel = kernel,
                   .mesh = r->mesh,
                   .device_order = r->order,
                   .shardings = {{"x", r->x, NULL, 0}, {"o", r->o, NULL, 0}}};
    if (r->shape[0]) t.shardings[1] = (tg_mesh_sharding){"o", r->o, r->shape, 2};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", data, IN_SHAPE(r->rows ? r->rows : 8, 8));
    mesh_run(&t);
    cr_assert_eq(t.status, r->status, "%s: %s", r->says, tg_status_name(t.status));
    cr_assert_null(t.report);
    cr_assert_gt(tg_errors_count(t.errors), 0);
    const tg_error e = tg_errors_get(t.errors, 0);
    cr_assert(strstr(e.message, r->says), "%s: %s", r->says, e.message);
    cr_assert_eq(e.offset, r->offset, "%s: %d", r->says, (int)e.offset);
    cr_assert_str_eq(e.file ? e.file : "", r->file ? r->file : "", "%s", r->says);
    mesh_end(&t);
}

Test(mesh_errors, refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) check_refusal(&refusals[i]);
}

/* ---- names ---- */

static mesh_test tried(const tg_mesh_sharding *shardings, const char *dtype)
{
    static float data[64];
    mesh_test t = {.kernel = kernel, .mesh = "x=4,y=2"};
    memcpy(t.shardings, shardings, sizeof t.shardings);
    mesh_begin(&t);
    mesh_input(&t, "x", dtype, data, IN_SHAPE(8, 8));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_ERR_USAGE);
    return t;
}

#define LIST(...) ((const tg_mesh_sharding[MOST_SHARDINGS]){__VA_ARGS__})

static void check_said(mesh_test t, const char *says)
{
    bool is_said = false;
    for (size_t i = 0; i < tg_errors_count(t.errors); i++)
        is_said |= strcmp(tg_errors_get(t.errors, i).message, says) == 0;
    if (!is_said) show_errors(t.errors);
    cr_assert(is_said, "%s", says);
    mesh_end(&t);
}

Test(mesh_errors, names)
{
    const tg_mesh_sharding x = {"x", "P('x', 'y')", NULL, 0}, o = {"o", "P('x', 'y')", NULL, 0};
    check_said(tried(LIST(x), "f32"),
               "there is no sharding of o; P() says that each device has all of it");
    check_said(tried(LIST(x, o, x), "f32"), "the sharding of x is given twice");
    check_said(tried(LIST(x, o, {"q", "P()", NULL, 0}), "f32"),
               "there is a sharding of q, but kernel k has no such array");
    check_said(tried(LIST(x, o, {"s", "P()", NULL, 0}), "f32"),
               "there is a sharding of s, but kernel k has no such array");
    check_said(tried(LIST(x, o), "i32"),
               "input x is i32[8,8], but the kernel takes elements of f32");
    check_said(tried(LIST({"x", NULL, NULL, 0}, o), "f32"),
               "there is a sharding of x, but kernel k has no such array");
}

Test(mesh_errors, inputs)
{
    static float data[64];
    mesh_test t = {.kernel = kernel,
                   .mesh = "x=4,y=2",
                   .shardings = {{"x", "P('x', 'y')", NULL, 0}, {"o", "P('x', 'y')", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "z", "f32", data, IN_SHAPE(8, 8));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_ERR_USAGE);
    cr_assert_str_eq(tg_errors_get(t.errors, 0).message, "the kernel has no input z");
    cr_assert_str_eq(tg_errors_get(t.errors, 1).message, "input x is missing");
    mesh_end(&t);
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", data, IN_SHAPE(8, 8));
    cr_assert_eq(tg_arrays_add_zeros(t.outputs, "o", "f32[1]", NULL), TG_OK);
    mesh_run(&t);
    cr_assert_eq(t.status, TG_ERR_USAGE);
    cr_assert_str_eq(tg_errors_get(t.errors, 0).message,
                     "there are arrays among the outputs already");
    mesh_end(&t);
    t.shardings[0].shape = (const int64_t[]){4, 16};
    t.shardings[0].rank = 2;
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", data, IN_SHAPE(8, 8));
    mesh_run(&t);
    check_said(t, "the input has another shape than is said here");
}

Test(mesh_errors, other_options_and_kernels)
{
    tg_report *report;
    tg_errors *errors = tg_errors_new();
    tg_module *module = load_kernel(kernel);
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    check_error(&errors, tg_mesh_run(module, "other", inputs, NULL, NULL, outputs, &report, errors),
                TG_ERR_USAGE, "the module has no kernel \"other\"");
    check_error(&errors, tg_mesh_run(module, NULL, inputs, NULL, NULL, outputs, &report, errors),
                TG_ERR_USAGE, "input x is missing");
    cr_assert_eq(tg_mesh_run(module, NULL, inputs, NULL, NULL, outputs, &report, NULL),
                 TG_ERR_USAGE);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_errors_free(errors);
    tg_module_free(module);
}

/* What is no sum of its dtype. */
Test(mesh_errors, terms)
{
    static const char *const dtypes[] = {"bool", "f8e8m0fnu"}, *const reasons[] = {
                                                                   "no sum of bools", "no zero"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        const unsigned char data[] = {1};
        snprintf(text, sizeof text,
                 "grid 1\ninput x %s[1]\noutput o %s[1]\nbody\n%%10:%s[1] = load %%1 [0:1]; "
                 "store %%2 %%10 [0:1]\n",
                 dtypes[i], dtypes[i], dtypes[i]);
        mesh_test t = {.kernel = text,
                       .mesh = "x=2",
                       .shardings = {{"x", "P()", NULL, 0}, {"o", "(P)", NULL, 0}}};
        mesh_begin(&t);
        mesh_input(&t, "x", dtypes[i], data, IN_SHAPE(1));
        mesh_run(&t);
        cr_assert_eq(t.status, TG_ERR_UNSUPPORTED);
        cr_assert(strstr(tg_errors_get(t.errors, 0).message, reasons[i]));
        mesh_end(&t);
    }
}
