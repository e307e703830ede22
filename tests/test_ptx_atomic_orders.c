/* Fences and forms of accesses that atomics become by `sem` and `scope`. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include "ptx_of_text.h"

#define BEGINNING                                                                                  \
    "grid 2\ninput x i32[4]\noutput o i32[4] alias=x\nbody\n%10:i32[] = program_id axis=0; "       \
    "%11:i32[] = constant value=1\n"
#define UPDATE(order) BEGINNING "%12:i32[] = atomic_rmw %2 %11 %10 [@] kind='add' " order "\n"
#define SWAP(order) BEGINNING "%12:i32[] = atomic_cas %2 %11 %11 %10 [@] " order "\n"
#define LOAD(order)                                                                                \
    BEGINNING "%12:i32[] = load %2 %10 [@] " order "; store %2 %12 %11 [@] sem='relaxed'\n"
#define STORE(order) BEGINNING "store %2 %11 %10 [@] " order "\n"

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

static void expect_ptx(const char *kernel, const char *fence, int fences, const char *access)
{
    const tg_ptx_options options = {0};
    char *text = ptx_of_text(kernel, &options);
    cr_expect_eq(count_of(text, "fence.acq_rel"), fences, "%d fences: %s",
                 count_of(text, "fence.acq_rel"), kernel);
    if (fences) cr_expect_eq(count_of(text, fence), fences, "%s: %s", fence, kernel);
    cr_expect(strstr(text, access), "no %s: %s", access, kernel);
    free(text);
}

Test(ptx_atomic_orders, fences_and_scopes)
{
    expect_ptx(UPDATE(""), "fence.acq_rel.gpu;", 2, "atom.relaxed.gpu.global.cas.b32");
    expect_ptx(UPDATE("sem='acq_rel' scope='sys'"), "fence.acq_rel.sys;", 2,
               "atom.relaxed.sys.global.cas.b32");
    expect_ptx(UPDATE("sem='acquire' scope='cta'"), "fence.acq_rel.cta;", 1,
               "atom.relaxed.cta.global.cas.b32");
    expect_ptx(UPDATE("sem='relaxed'"), "", 0, "atom.relaxed.gpu.global.cas.b32");
    expect_ptx(SWAP("sem='release'"), "fence.acq_rel.gpu;", 1, "atom.relaxed.gpu.global.cas.b32");
    expect_ptx(LOAD("sem='acquire'"), "fence.acq_rel.gpu;", 1, "ld.relaxed.gpu.global.u32");
    expect_ptx(LOAD("sem='relaxed'"), "", 0, "ld.relaxed.gpu.global.u32");
    expect_ptx(LOAD(""), "", 0, "ld.global.u32");
    expect_ptx(STORE("sem='release' scope='sys'"), "fence.acq_rel.sys;", 1,
               "st.relaxed.sys.global.u32");
    expect_ptx(STORE(""), "", 0, "st.global.u32");
}

Test(ptx_atomic_orders, a_fence_stands_on_the_right_side)
{
    const tg_ptx_options options = {0};
    char *text = ptx_of_text(UPDATE("sem='release'"), &options);
    cr_assert_lt(strstr(text, "fence.acq_rel"), strstr(text, "atom.relaxed"));
    free(text);
    text = ptx_of_text(UPDATE("sem='acquire'"), &options);
    cr_assert_lt(strstr(text, "atom.relaxed"), strstr(text, "fence.acq_rel"));
    free(text);
}

Test(ptx_atomic_orders, texts_are_taken_by_ptxas)
{
    const char *const ptxas = find_ptxas();
    const char *const kernels[] = {UPDATE(""), SWAP("sem='acquire' scope='sys'"),
                                   LOAD("sem='acquire' scope='cta'"), STORE("sem='release'")};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const tg_ptx_options options = {0};
        char *text = ptx_of_text(kernels[i], &options);
        assemble(ptxas, "sm_90a", text);
        free(text);
    }
}
