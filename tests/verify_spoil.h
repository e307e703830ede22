/* For the tests of the verifier: modules made wrong at random. */
#ifndef TESTS_VERIFY_SPOIL_H
#define TESTS_VERIFY_SPOIL_H

#include "verify_text.h"

static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static inline int64_t odd_number(uint64_t *state)
{
    static const int64_t numbers[] = {-1, 0, 1, 2,         3,         4,
                                      7,  8, 9, INT64_MIN, INT64_MAX, (int64_t)1 << 47};
    return numbers[next_random(state) % (sizeof numbers / sizeof numbers[0])];
}

static inline void spoil_attr(tg_attr *attr, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INTS:
        if (attr->count && pick % 2)
            attr->as.ints[pick % (uint64_t)attr->count] = odd_number(state);
        else if (attr->count)
            attr->count--;
        break;
    case TG_ATTR_KIND_INDEX:
        if (!attr->count) break;
        tg_index_dim *dim = &attr->as.index[pick % (uint64_t)attr->count];
        *dim = (tg_index_dim){pick % 3 == 0 ? TG_INDEX_AT : TG_INDEX_SLICE, pick % 2,
                              odd_number(state), odd_number(state), odd_number(state)};
        break;
    case TG_ATTR_KIND_TEXT: attr->count = attr->count ? attr->count - 1 : 0; break;
    case TG_ATTR_KIND_DATA: attr->as.data.count = odd_number(state); break;
    default: attr->as.integer = odd_number(state);
    }
}

static inline void spoil_op(tg_kernel *k, tg_op *op, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    switch (next_random(state) % 6) {
    case 0: op->code = (tg_opcode)(pick % (TG_OP_COUNT + 1)); break;
    case 1: op->in_count -= op->in_count > 0; break;
    case 2: op->out_count -= op->out_count > 0; break;
    case 3:
        if (op->in_count) op->in[pick % op->in_count] = next_random(state) % k->value_count;
        break;
    default:
        if (op->attr_count) spoil_attr(&op->attrs[pick % op->attr_count], state);
    }
}

static inline void spoil_type(tg_type *type, uint64_t *state)
{
    const uint32_t pick = next_random(state);
    if (pick % 4 == 0)
        type->rank = (int)(pick % 11) - 1;
    else if (pick % 4 == 1)
        type->dtype = (tg_dtype)(pick % (TG_DT_COUNT + 1));
    else if (pick % 4 == 2)
        type->is_ref = !type->is_ref;
    else
        type->shape[pick % TG_MAX_RANK] = odd_number(state);
}

/* Changes a few things in the first kernel, so that every id still names a value. */
static inline void spoil_module(tg_module *module, uint64_t seed)
{
    uint64_t state = seed;
    tg_kernel *k = &module->kernels[0];
    for (int changes = 0; changes < 3; changes++) {
        const uint32_t pick = next_random(&state);
        if (k->value_count && pick % 8 == 0)
            spoil_type(&k->values[next_random(&state) % k->value_count].type, &state);
        else
            spoil_op(k, &k->body.ops[k->body.op_count - 1 - pick % (k->body.op_count + 1) / 2],
                     &state);
    }
}

/* Verifies spoilt copies: no outcome is expected but a return.  Meant for builds with sanitizers.
 */
static inline void survive(const text *t, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        tg_diags diags = {0};
        tg_module *module = load(t);
        spoil_module(module, seed);
        const tg_status status = tg_module_verify(module, &diags);
        cr_assert_eq(status == TG_OK, diags.count == 0, "seed %u", (unsigned)seed);
        tg_diags_free(&diags);
        tg_module_destroy(module);
    }
}

#endif
