/* Collects the tables of one instruction set. */
#include "interp/elementwise/elementwise_impl.h"

#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)

#define TABLES                                                                                     \
    .isa = TEXT(TG_ISA), .ints = TG_ISA_NAME(tg_elementwise_ints),                                 \
    .floats = TG_ISA_NAME(tg_elementwise_floats),                                                  \
    .few_bits = TG_ISA_NAME(tg_elementwise_few_bits),                                              \
    .narrow = TG_ISA_NAME(tg_elementwise_narrow), .wrap = TG_ISA_NAME(tg_elementwise_wrap),        \
    .round = TG_ISA_NAME(tg_elementwise_round), .load = TG_ISA_NAME(tg_elementwise_load_narrow),   \
    .store = TG_ISA_NAME(tg_elementwise_store_narrow),                                             \
    .convert = TG_ISA_NAME(tg_elementwise_carriers),                                               \
    .convert_odd = TG_ISA_NAME(tg_elementwise_carriers_odd),                                       \
    .saturate = TG_ISA_NAME(tg_elementwise_saturate),                                              \
    .select_bool = TG_ISA_NAME(tg_elementwise_select_bool),                                        \
    .select_index = TG_ISA_NAME(tg_elementwise_select_index),                                      \
    .pow_int = TG_ISA_NAME(tg_elementwise_pow_int),                                                \
    .pow_int_f32 = TG_ISA_NAME(tg_elementwise_pow_int_f32),                                        \
    .pow_int_odd = TG_ISA_NAME(tg_elementwise_pow_int_odd),                                        \
    .fma = TG_ISA_NAME(tg_elementwise_fma), .elementary = &TG_ISA_NAME(tg_elementary)

const tg_elementwise TG_ISA_NAME(tg_elementwise) = {TABLES};
#ifdef TG_HAVE_SLEEF
const tg_elementwise TG_ISA_NAME(tg_elementwise_fast) = {
    TABLES, .fast = TG_ISA_NAME(tg_elementwise_fast_f32)};
#endif
