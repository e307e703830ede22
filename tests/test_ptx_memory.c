/* Kernels as PTX whose memory is unlike that of most: what the interpreter gives, the emulator must give. */
#include "tests/run_text.h"

static void expect_on_both(const char *kernel, const named *list)
{
    static const char *const backends[] = {"cpu", "emulator", "emulator:5"};
    tg_module *module = load_kernel(kernel);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        const tg_run_options options = {.size = sizeof options, .backend = backends[b]};
        arrays all = make_arrays(module, list);
        tg_report *report = run_once(module, &all, &options);
        cr_assert_eq(tg_report_finding_count(report), 0, "%s", backends[b]);
        compare_arrays(&all, backends[b]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define PICK                                                                                       \
    "offset_dims=[1] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "    \
    "slice_sizes=[1,2]"

/* A constant whose elements are all the same lies nowhere: where the slice would be inside it is that element,
 * elsewhere the fill, or what is undefined. */
Test(ptx_memory, gathers_from_one_repeated_element)
{
    static const int32_t at[4] = {0, 3, 4, -1};
    static const int32_t o[8] = {7, 7, 7, 7, 9, 9, 9, 9},
                         u[8] = {7, 7, 7, 7, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN},
                         c[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    static const double d[8] = {1.5, 1.5, 1.5, 1.5, -2, -2, -2, -2};
    static const uint8_t b[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    expect_on_both(
        "input at i32[4,1]\noutput o i32[4,2]\noutput u i32[4,2]\noutput c i32[4,2]\n"
        "output d f64[4,2]\noutput b bool[4,2]\nbody\n%10:i32[4,1] = load %1 [0:4,0:1]\n"
        "%11:i32[4,3] = constant value=7\n"
        "%12:i32[4,2] = gather %11 %10 " PICK " mode='fill' fill=9; store %2 %12 [0:4,0:2]\n"
        "%13:i32[4,2] = gather %11 %10 " PICK " mode='fill'; store %3 %13 [0:4,0:2]\n"
        "%14:i32[4,2] = gather %11 %10 " PICK " mode='clip'; store %4 %14 [0:4,0:2]\n"
        "%15:f64[4,3] = constant value=1.5\n"
        "%16:f64[4,2] = gather %15 %10 " PICK " mode='fill' fill=-2; store %5 %16 [0:4,0:2]\n"
        "%17:bool[4,3] = constant value=false\n"
        "%18:bool[4,2] = gather %17 %10 " PICK " mode='fill' fill=true; store %6 %18 [0:4,0:2]\n",
        NAMED({"at", at}, {"o", o}, {"u", u}, {"c", c}, {"d", d}, {"b", b}));
}
