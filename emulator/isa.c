/* Selects the CPU instruction set for the forms. */
#include "emulator/isa.h"

#include <stdlib.h>
#include <string.h>

#define ISA_FORMS(isa)                                                                             \
    tg_emu_form_list tg_emu_forms_int__##isa(void);                                                \
    tg_emu_form_list tg_emu_forms_float__##isa(void);                                              \
    tg_emu_form_list tg_emu_forms_compare__##isa(void);
ISA_FORMS(baseline)
#if defined TG_X86_ISAS
ISA_FORMS(avx2)
ISA_FORMS(avx512)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif
static bool has_baseline(void) { return true; }

typedef tg_emu_form_list list_fn(void);
static const struct {
    const char *name;
    bool (*is_here)(void);
    list_fn *lists[TG_EMU_ISA_LISTS];
} isas[] = {
#define ISA(isa)                                                                                   \
    {#isa,                                                                                         \
     has_##isa,                                                                                    \
     {tg_emu_forms_int__##isa, tg_emu_forms_float__##isa, tg_emu_forms_compare__##isa}},
#if defined TG_X86_ISAS
    ISA(avx512) ISA(avx2)
#endif
        ISA(baseline)};
enum { ISA_COUNT = sizeof isas / sizeof *isas };

bool tg_emu_isa_get(const char *name, tg_emu_isa *out)
{
    const char *wish = name ? name : getenv("TILEGRIND_ISA");
    for (int pass = wish ? 0 : 1; pass < (name ? 1 : 2); pass++)
        for (int i = 0; i < ISA_COUNT; i++) {
            if ((pass == 0 && strcmp(isas[i].name, wish) != 0) || !isas[i].is_here()) continue;
            out->name = isas[i].name;
            for (int k = 0; k < TG_EMU_ISA_LISTS; k++) out->forms[k] = isas[i].lists[k]();
            out->forms[TG_EMU_ISA_LISTS] = tg_emu_forms_predicate();
            out->forms[TG_EMU_ISA_LISTS + 1] = tg_emu_forms_soft();
            return true;
        }
    return false;
}

const tg_emu_form *tg_emu_form_find(const tg_emu_isa *isa, const char *name)
{
    for (int k = 0; k < TG_EMU_FORM_LISTS; k++)
        for (size_t i = 0; i < isa->forms[k].count; i++)
            if (strcmp(isa->forms[k].list[i].name, name) == 0) return &isa->forms[k].list[i];
    return NULL;
}
