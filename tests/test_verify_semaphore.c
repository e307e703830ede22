/* What the verifier rejects of semaphores, of the copies that signal them, and of parts of run-time
 * length. */
#include "run_text.h"

static const struct {
    const char *kernel, *where, *message;
} rejected[] = {
    {"output o sem[2]\nbody\n", "/kernels/0/params/0", "role output takes no semaphores"},
    {"scratch b barrier[2]\nbody\n", "/kernels/0/params/0",
     "arrivals must be between 1 and 1048576"},
    {"scratch b barrier[2] arrivals=1048577\nbody\n", "/kernels/0/params/0",
     "arrivals must be between 1 and 1048576"},
    {"scratch s sem[2] arrivals=2\nbody\n", "/kernels/0/params/0",
     "the array is sem[2], but only barriers take arrivals"},
    {"scratch s dma_sem[2] shared\nbody\n", "/kernels/0/params/0",
     "the array is dma_sem[2], but only semaphores (sem) can be shared"},
    {"output o i32[2] shared\nbody\n", "/kernels/0/params/0",
     "the array is i32[2], but only semaphores (sem) can be shared"},
    {"output o i32[2] cluster=1\nbody\n", "/kernels/0/params/0",
     "role output takes no cluster; only scratch does"},
    {"grid 2t\nscratch s i32[3] cluster=1\nbody\n", "/kernels/0/params/0",
     "the array is i32[3], but its first 1 dimensions must be the sizes of the first thread axes"},
    {"grid 2t\nscratch s i32[2,2] cluster=2\nbody\n", "/kernels/0/params/0",
     "the array is i32[2,2], but its first 2 dimensions"},
    {"grid 2t 3t\nscratch s i32[2,3] cluster=2\nscratch t i32[2,3] cluster=1\nbody\n",
     "/kernels/0/params/1", "the cluster has 1 dimensions, but that of \"s\" has 2"},
    {"input x f32[2]\noutput o f32[2]\nbody\ndma_start %1 %2 kind='and'\n", "/kernels/0/body/ops/0",
     "operand 1 is ref<f32[2]>"},
    {"input x i32[2]\noutput o i32[2]\nbody\ndma_start %1 %2 kind='xchg'\n",
     "/kernels/0/body/ops/0", "a copy combines nothing by xchg; without `kind` it replaces"},
    {"body\n%10:ref<barrier[]> = alloc\n", "/kernels/0/body/ops/0",
     "barriers are in scratch, which threads share"},
    {"scratch b barrier[2] arrivals=1\nbody\ndot_arrive %1\n", "/kernels/0/body/ops/0",
     "operand 0 is ref<barrier[2]>, but must be ref<barrier[]>"},
    {"scratch b barrier[2] arrivals=1\nbody\nbarrier_arrive %1\n", "/kernels/0/body/ops/0",
     "operand 0 is ref<barrier[2]>, but must be ref<barrier[]>"},
    {"scratch s sem[]\nbody\nbarrier_wait %1\n", "/kernels/0/body/ops/0",
     "operand 0 is ref<sem[]>, but must be ref<barrier[]>"},
    {"scratch b barrier[] arrivals=1\nbody\n%10:i32[] = semaphore_read %1\n",
     "/kernels/0/body/ops/0",
     "operand 0 is ref<barrier[]>, but must be ref<sem[]> or ref<dma_sem[]>"},
    {"body\n%10:sem[] = undefined\n", "/kernels/0", "semaphores are only in memory"},
    {"scratch b barrier[] arrivals=1\nbody\n%10:i64[] = constant value=1; barrier_expect %1 %10\n",
     "/kernels/0/body/ops/1", "operand 1 is i64[], but must be i32[]"},
    {"grid 2t 2\nbody\ncollective along=[0,1]\n", "/kernels/0/body/ops/0",
     "along names axis 1, which is no axis of threads"},
    {"grid 2t\nbody\ncollective along=[1]\n", "/kernels/0/body/ops/0",
     "along names dimension 1, but the grid has 1"},
    {"scratch b barrier[] arrivals=1\nbody\nbarrier_wait %1 followers=-1\n",
     "/kernels/0/body/ops/0", "`followers` must not be negative"},
    {"scratch b sem[]\nbody\n%10:i32[] = constant value=1; barrier_expect %1 %10\n",
     "/kernels/0/body/ops/1", "operand 0 is ref<sem[]>, but must be ref<barrier[]>"},
    {"scratch a i32[]\nscratch b i32[]\nscratch s dma_sem[]\nbody\ndma_start %1 %2 %3 "
     "expected=true\n",
     "/kernels/0/body/ops/0", "`expected` is for copies that tell a barrier"},
    {"scratch a i32[]\nscratch b i32[]\nbody\ndma_start %1 %2 expected=true\n",
     "/kernels/0/body/ops/0", "`expected` is for copies that tell a barrier"},
    {"scratch s sem[]\nbody\n%10:i64[] = load %1 []\n", "/kernels/0/body/ops/0",
     "operand 0 is ref<sem[]>, but semaphores are only for ops on semaphores"},
    {"scratch s sem[2]\nbody\n%10:ref<i64[2]> = view_bitcast %1\n", "/kernels/0/body/ops/0",
     "semaphores have no bits"},
    {"scratch s i64[2]\nbody\n%10:ref<sem[2]> = view_bitcast %1\n", "/kernels/0/body/ops/0",
     "semaphores have no bits"},
    {"scratch s sem[2]\nbody\n%10:i32[] = constant value=1; semaphore_signal %1 %10\n",
     "/kernels/0/body/ops/1", "operand 0 is ref<sem[2]>, but must be ref<sem[]>"},
    {"scratch s dma_sem[]\nbody\n%10:i32[] = constant value=1; semaphore_signal %1 %10\n",
     "/kernels/0/body/ops/1", "operand 0 is ref<dma_sem[]>, but must be ref<sem[]>"},
    {"scratch s dma_sem[]\nbody\n%10:i32[] = constant value=1; semaphore_wait %1 %10\n",
     "/kernels/0/body/ops/1", "operand 0 is ref<dma_sem[]>, but must be ref<sem[]>"},
    {"scratch s sem[]\nbody\n%10:f32[] = constant value=1; semaphore_wait %1 %10\n",
     "/kernels/0/body/ops/1", "operand 1 is f32[], but must be i32[]"},
    {"scratch s sem[]\nbody\n%10:i32[1] = constant value=1; semaphore_signal %1 %10\n",
     "/kernels/0/body/ops/1", "operand 1 is i32[1], but must be i32[]"},
    {"scratch s sem[]\nbody\n%10:i32[] = constant value=1; %11:i64[] = constant value=1\n"
     "semaphore_signal %1 %10 %11\n",
     "/kernels/0/body/ops/2", "operand 2 is i64[], but must be i32[]"},
    {"scratch s sem[]\nbody\n%10:i32[] = constant value=1; semaphore_signal %1 %10 %10 %10\n",
     "/kernels/0/body/ops/1", "operands"},
    {"scratch s sem[]\nbody\n%10:i64[] = semaphore_read %1\n", "/kernels/0/body/ops/0",
     "the result is i64[], but must be i32[]"},
    {"scratch s i32[]\nbody\n%10:i32[] = semaphore_read %1\n", "/kernels/0/body/ops/0",
     "operand 0 is ref<i32[]>, but must be ref<sem[]> or ref<dma_sem[]>"},
    {"input x i32[2]\noutput o i32[3]\nscratch s dma_sem[]\nbody\ndma_start %1 %2 %3\n",
     "/kernels/0/body/ops/0", "the source is ref<i32[2]>, but the destination ref<i32[3]>"},
    {"input x i32[2]\noutput o f32[2]\nscratch s dma_sem[]\nbody\ndma_start %1 %2 %3\n",
     "/kernels/0/body/ops/0", "the source is ref<i32[2]>, but the destination ref<f32[2]>"},
    {"input x i32[2]\noutput o i32[2]\nscratch s sem[]\nbody\ndma_start %1 %2 %3\n",
     "/kernels/0/body/ops/0", "operand 2 is ref<sem[]>, but must be ref<dma_sem[]>"},
    {"input x i32[2]\noutput o i32[3]\nbody\n%10:i32[2] = load %1 [0:2]\ndma_start %10 %2\n",
     "/kernels/0/body/ops/1", "the source is i32[2], but the destination ref<i32[3]>"},
    {"input x i32[2]\noutput o i32[2]\nbody\n%10:i32[2] = load %1 [0:2]\ndma_start %1 %10\n",
     "/kernels/0/body/ops/1", "operand 1 is i32[2], but must be a ref"},
    {"input x i32[2]\noutput o i32[2]\nbody\n%10:i32[2] = load %1 [0:2]\n"
     "dma_start %10 %2 instruction='tma'\n",
     "/kernels/0/body/ops/1", "tma copies between memories, but operand 0 is i32[2]"},
    {"grid 2a\nbody\n%10:i32[] = cancel_launch\n", "/kernels/0/body/ops/0",
     "axis 0 of the grid is arbitrary: only chains of one program are taken over"},
    {"grid 2p\ninput x f32[2] block b1 { (%8:i32[]) %9:i32[] = cancel_launch; yield %9 }\nbody\n",
     "/kernels/0/params/0/index_map/ops/0", "has an effect, which is not allowed in an index map"},
    {"scratch s dma_sem[2]\nscratch t dma_sem[]\nbody\ndma_start %1 %1 %2\n",
     "/kernels/0/body/ops/0", "semaphores are not copied"},
    {"input x i32[2]\nscratch s sem[]\nbody\ndma_wait %1 %2\n", "/kernels/0/body/ops/0",
     "operand 1 is ref<sem[]>, but must be ref<dma_sem[]>"},
    {"input x i32[2]\noutput o i32[2]\nscratch s sem[]\nbody\ndma_start %1 %2 %3\n",
     "/kernels/0/body/ops/0",
     "operand 2 is ref<sem[]>, but must be ref<dma_sem[]> or ref<barrier[]>"},
    {"input x i32[2]\noutput o i32[2]\nscratch s barrier[2] arrivals=1\nbody\ndma_start %1 %2 %3\n",
     "/kernels/0/body/ops/0",
     "operand 2 is ref<barrier[2]>, but must be ref<dma_sem[]> or ref<barrier[]>"},
    {"input x i32[2]\noutput o i32[2]\nscratch s dma_sem[]\nbody\n"
     "dma_start %1 %2 %3 among_products=true\n",
     "/kernels/0/body/ops/0", "a copy among products tells nobody; an arrival may come behind it"},
    {"input x i32[2]\noutput o i32[2]\nscratch s dma_sem[]\nbody\n"
     "dma_start %1 %2 %3 registers='source'\n",
     "/kernels/0/body/ops/0",
     "a copy with `registers` tells nobody, is not among products and combines nothing"},
    {"input x i32[2]\noutput o i32[2]\nbody\n"
     "dma_start %1 %2 registers='target' among_products=true\n",
     "/kernels/0/body/ops/0",
     "a copy with `registers` tells nobody, is not among products and combines nothing"},
    {"input x i32[2]\noutput o i32[2]\nbody\ndma_start %1 %2 registers='target' kind='add'\n",
     "/kernels/0/body/ops/0",
     "a copy with `registers` tells nobody, is not among products and combines nothing"},
    {"body\n%10:i64[] = constant value=1; dma_wait_groups %10\n", "/kernels/0/body/ops/1",
     "operand 0 is i64[], but must be i32[]"},
    {"body\n%10:i64[] = constant value=1; dot_wait_groups %10\n", "/kernels/0/body/ops/1",
     "operand 0 is i64[], but must be i32[]"},
    {"scratch s dma_sem[]\nbody\ndma_wait %1 %1\n", "/kernels/0/body/ops/0",
     "semaphores are not copied"},
    {"input x i32[4]\nbody\n%10:i32[] = constant value=1; %11:ref<i32[4]> = view_part %1 %10\n",
     "/kernels/0/body/ops/1", "has 2 operands, but a start and a length for each dimension"},
    {"input x i32[4]\nbody\n%10:f32[] = constant value=1; %11:ref<i32[4]> = view_part %1 %10 %10\n",
     "/kernels/0/body/ops/1", "integer"},
    {"input x i32[4]\nbody\n%10:i32[] = constant value=1; %11:ref<i32[5]> = view_part %1 %10 %10\n",
     "/kernels/0/body/ops/1", "the result is ref<i32[5]>, but must have the dtype and rank of"},
    {"input x i32[4]\nbody\n%10:i32[] = constant value=1; %11:ref<f32[4]> = view_part %1 %10 %10\n",
     "/kernels/0/body/ops/1", "the result is ref<f32[4]>, but must have the dtype and rank of"},
    {"input x i32[4]\nbody\n%10:i32[] = constant value=1; %11:ref<i32[4]> = view_part %1 %10 %10 "
     "beyond=[1,1]\n",
     "/kernels/0/body/ops/1", "beyond has 2 entries, but must have 1"},
    {"input x i32[4]\nbody\n%10:i32[] = constant value=1; %11:ref<i32[4]> = view_part %1 %10 %10 "
     "beyond=[-1]\n",
     "/kernels/0/body/ops/1", "beyond"},
    {"prefetch n i32[1]\ninput x i32[4] block b1 { (%10:ref<i32[1]>) dma_wait %10 %10; "
     "%11:i32[] = constant value=0; yield %11 }\nbody\n",
     "/kernels/0/params/1/index_map/ops/0", "has an effect, which is not allowed in an index map"},
};

Test(verify_semaphore, rejects)
{
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
        char *json = json_of(rejected[i].kernel);
        tg_errors *errors = tg_errors_new();
        tg_module *module = NULL;
        bool is_found = false;
        cr_expect_neq(tg_module_load_text(json, strlen(json), &module, errors), TG_OK, "%s",
                      rejected[i].kernel);
        for (size_t e = 0; e < tg_errors_count(errors); e++) {
            const tg_error error = tg_errors_get(errors, e);
            is_found |= error.where && strcmp(error.where, rejected[i].where) == 0 &&
                        strstr(error.message, rejected[i].message);
        }
        if (!is_found) show_errors(errors);
        cr_expect(is_found, "%s\nwanted at %s: %s", rejected[i].kernel, rejected[i].where,
                  rejected[i].message);
        tg_errors_free(errors);
        tg_module_free(module);
        free(json);
    }
}

/* Semaphores are found by strides. */
Test(verify_semaphore, semaphores_without_strides_are_not_signalled)
{
    tg_module *module = load_kernel(
        "input x i32[8]\noutput o i32[8]\nscratch s dma_sem[2,3]\nbody\n"
        "%10:ref<dma_sem[2,2]> = view %3 [0:2,0:2]; %11:ref<dma_sem[4]> = view_reshape %10\n"
        "%12:i32[] = constant value=1; %13:ref<dma_sem[]> = view %11 %12 [@]\n"
        "dma_start %1 %2 %13 loc=3\ndma_wait %2 %13\n");
    const tg_run_options options = {.size = sizeof options, .order = "sequential"};
    tg_errors *errors = tg_errors_new();
    tg_executable *exe;
    cr_assert_eq(tg_executable_new(module, NULL, &options, &exe, errors), TG_ERR_UNSUPPORTED);
    cr_assert_str_eq(tg_errors_get(errors, 0).message,
                     "kernel k: dma_start (k.py:3): operand 2 was reshaped or bitcast so that no "
                     "strides say where its elements are");
    tg_errors_free(errors);
    tg_module_free(module);
}

/* Nobody else knows where a chain's scoped memory is. */
Test(verify_semaphore, only_scratch_is_signalled_from_elsewhere)
{
    tg_module *module =
        load_kernel("body\nscoped { (%5:ref<sem[]>)\n"
                    "%10:i32[] = constant value=1; semaphore_signal %5 %10 %10 loc=1 }\n");
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    cr_assert_eq(tg_run(module, NULL, NULL, 0, NULL, &report, errors), TG_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, "it must be in scratch"), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_module_free(module);
}
