/* What the verifier rejects of products beside the threads. */
#include "run_text.h"

static const struct {
    const char *params, *ops, *message;
} rejected[] = {
    {"scratch s f32[2,2]\ninput x f32[2,3]\ninput y f32[4,2]\n", "dot_start %1 %2 %3",
     "ref<f32[2,3]> times ref<f32[4,2]> has not the shape of ref<f32[2,2]>"},
    {"scratch s f32[3,2]\ninput x f32[2,3]\ninput y f32[3,2]\n", "dot_start %1 %2 %3",
     "has not the shape of ref<f32[3,2]>"},
    {"scratch s f32[2,3]\ninput x f32[2,3]\ninput y f32[3,2]\n", "dot_start %1 %2 %3",
     "has not the shape of ref<f32[2,3]>"},
    {"scratch s f32[2]\ninput x f32[2,3]\ninput y f32[3,2]\n", "dot_start %1 %2 %3",
     "operand 0 is ref<f32[2]>, but must be a matrix"},
    {"scratch s f32[2,2]\ninput x i8[2,3]\ninput y f32[3,2]\n", "dot_start %1 %2 %3",
     "operand 1 is ref<i8[2,3]>, but must hold floats like the sum"},
    {"scratch s i32[2,2]\ninput x i8[2,3]\ninput y f16[3,2]\n", "dot_start %1 %2 %3",
     "operand 2 is ref<f16[3,2]>, but must hold integers like the sum"},
    {"scratch s bool[2,2]\ninput x i8[2,3]\ninput y i8[3,2]\n", "dot_start %1 %2 %3", "bool"},
    {"scratch s f32[2,2]\ninput x f32[2,3]\ninput y f32[3,2]\n",
     "%10:f32[3,2] = load %3 [0:3,0:2]; dot_start %1 %2 %10",
     "operand 2 is f32[3,2], but must be a ref"},
#define SCALED(r, c) "scratch s f32[2,2]\ninput x f32[2,4]\ninput y f32[4,2]\n" r c
    {SCALED("input r f32[2,3]\n", "input c f32[2,2]\n"), "dot_start %1 %2 %3 %4 %5",
     "operand 3 is ref<f32[2,3]>, which are no scales of ref<f32[2,4]>"},
    {SCALED("input r f32[2,2]\n", "input c f32[4,2]\n"), "dot_start %1 %2 %3 %4 %5",
     "operand 4 is ref<f32[4,2]>, which are no scales of ref<f32[4,2]>"},
    {SCALED("input r i8[2,2]\n", "input c f32[2,2]\n"), "dot_start %1 %2 %3 %4 %5",
     "operand 3 is ref<i8[2,2]>, but scales and what they scale must hold floats"},
    {SCALED("input r f32[2]\n", "input c f32[2,2]\n"), "dot_start %1 %2 %3 %4 %5",
     "operand 3 is ref<f32[2]>, but must be a matrix"},
#define SPARSE(lhs, m) "scratch s f32[2,2]\ninput x " lhs "\ninput y f32[4,2]\n" m
    {SPARSE("f32[2,2]", "input m u4[2,2]\n"), "dot_start %1 %2 %3 %4",
     "operand 3 is ref<u4[2,2]>, which does not select elements of ref<f32[2,2]>"},
    {SPARSE("f32[2,2]", "input m u2[2,4]\n"), "dot_start %1 %2 %3 %4",
     "operand 3 is ref<u2[2,4]>, which does not select elements of ref<f32[2,2]>"},
    {SPARSE("f32[2,4]", "input m u2[2,4]\n"), "dot_start %1 %2 %3 %4",
     "ref<f32[2,4]> times ref<f32[4,2]> has not the shape of ref<f32[2,2]>"},
    {"scratch s f32[2,2]\ninput x f32[2,1]\ninput y f32[2,2]\ninput m u2[2,1]\n",
     "dot_start %1 %2 %3 %4", "operand 3 is ref<u2[2,1]>, which does not select elements"},
    {"scratch s f32[2,2]\ninput x f32[2,3]\ninput y f32[3,2]\n",
     "%10:f32[2,2] = load %1 [0:2,0:2]; dot_start %10 %2 %3",
     "operand 0 is f32[2,2], but must be a ref"},
};

Test(verify_product, rejects)
{
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
        tg_text kernel = {0};
        tg_text_add(&kernel, "%sbody\n%s\n", rejected[i].params, rejected[i].ops);
        char *text = tg_text_finish(&kernel), *json = json_of(text);
        tg_errors *errors = tg_errors_new();
        tg_module *module = NULL;
        bool is_found = false;
        cr_expect_neq(tg_module_load_text(json, strlen(json), &module, errors), TG_OK, "%s", text);
        for (size_t e = 0; e < tg_errors_count(errors); e++)
            is_found |= strstr(tg_errors_get(errors, e).message, rejected[i].message) != NULL;
        if (!is_found) show_errors(errors);
        cr_expect(is_found, "%s\nwanted: %s", text, rejected[i].message);
        tg_errors_free(errors);
        tg_module_free(module);
        free(json);
        free(text);
    }
}
