/* Puts the tables of one instruction set together. */
#include "interp/lanes/lanes_impl.h"

#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)

#define TABLES                                                                                     \
    .isa = TEXT(TG_ISA), .ints = TG_ISA_NAME(tg_lanes_ints),                                       \
    .floats = TG_ISA_NAME(tg_lanes_floats), .few_bits = TG_ISA_NAME(tg_lanes_few_bits),            \
    .narrow = TG_ISA_NAME(tg_lanes_narrow), .wrap = TG_ISA_NAME(tg_lanes_wrap),                    \
    .round = TG_ISA_NAME(tg_lanes_round), .load = TG_ISA_NAME(tg_lanes_load_narrow),               \
    .store = TG_ISA_NAME(tg_lanes_store_narrow), .convert = TG_ISA_NAME(tg_lanes_carriers),        \
    .convert_odd = TG_ISA_NAME(tg_lanes_carriers_odd), .saturate = TG_ISA_NAME(tg_lanes_saturate), \
    .select_bool = TG_ISA_NAME(tg_lanes_select_bool),                                              \
    .select_index = TG_ISA_NAME(tg_lanes_select_index), .pow_int = TG_ISA_NAME(tg_lanes_pow_int),  \
    .pow_int_f32 = TG_ISA_NAME(tg_lanes_pow_int_f32),                                              \
    .pow_int_odd = TG_ISA_NAME(tg_lanes_pow_int_odd), .elementary = &TG_ISA_NAME(tg_elementary)

const tg_lanes TG_ISA_NAME(tg_lanes) = {TABLES};
#ifdef TG_HAVE_SLEEF
const tg_lanes TG_ISA_NAME(tg_lanes_fast) = {TABLES, .fast = TG_ISA_NAME(tg_lanes_fast_f32)};
#endif
