/* Tables of the rows that tools/gen_ptx_forms.py generates. */
#include "gpu_backend/elementwise/forms.h"

#include "gpu_backend/elementwise/forms.inc"

#define FORM(id, variant, text) [TG_OP_##id][TG_PTX_FORM_##variant] = "{\n" text "}\n",
#define READER(id) [TG_OP_##id] = two_over_pi,
#define FAR(dtype, text) [TG_DT_##dtype] = "{\n" text "}\n",

static const char two_over_pi[] = TG_PTX_TABLE;
static const char *const forms[TG_OP_COUNT][TG_PTX_FORM_VARIANT_COUNT] = {TG_PTX_FORMS(FORM)};
static const char *const tables[TG_OP_COUNT] = {TG_PTX_TABLE_READERS(READER)};
static const char *const exponents[TG_DT_COUNT] = {TG_PTX_FARS(FAR)};

const char *tg_ptx_form(tg_opcode op, tg_ptx_form_variant variant) { return forms[op][variant]; }

const char *tg_ptx_form_table(tg_opcode op) { return tables[op]; }

const char *tg_ptx_form_exponent(tg_dtype exponent) { return exponents[exponent]; }
