/* A kernel of RANDOM_PLAIN evaluated op by op, program after program. */
#ifndef TESTS_RANDOM_EVALUATE_H
#define TESTS_RANDOM_EVALUATE_H

#include "ir_eval.h"
#include "run_text.h"

/* Extents in memory: whole blocks, so that what lies outside the array has a place too. */
static tg_type padded(const tg_param *p)
{
    tg_type type = p->array;
    for (int d = 0; p->has_block && d < type.rank; d++)
        type.shape[d] =
            (type.shape[d] + p->block[d].size - 1) / p->block[d].size * p->block[d].size;
    return type;
}

static bool is_in_array(const tg_param *p, const int64_t *at)
{
    for (int d = 0; d < p->array.rank; d++)
        if (at[d] >= p->array.shape[d]) return false;
    return true;
}

static int64_t get_element(tg_dtype dtype, const void *data, int64_t i)
{
    return dtype == TG_DT_i32 ? ((const int32_t *)data)[i] : ((const int8_t *)data)[i];
}

static void set_element(tg_dtype dtype, void *data, int64_t i, int64_t value)
{
    if (dtype == TG_DT_i32)
        ((int32_t *)data)[i] = (int32_t)value;
    else
        ((int8_t *)data)[i] = (int8_t)value;
}

static eval_memory memory_of(const tg_param *p, const void *data)
{
    tg_type type = padded(p);
    int64_t count = tg_type_count(&type), at[TG_MAX_RANK] = {0}, i = 0;
    eval_memory memory = {calloc((size_t)count, sizeof(int64_t)), calloc((size_t)count, 1)};
    do {
        memory.outside[i] = !is_in_array(p, at);
        memory.e[i] = eval_undefined(type.dtype);
        if (data && !memory.outside[i])
            memory.e[i] = get_element(type.dtype, data, eval_offset(&p->array, at));
        i++;
    } while (eval_next(type.rank, type.shape, at));
    return memory;
}

static void read_back(const tg_param *p, const eval_memory *memory, void *data)
{
    tg_type type = padded(p);
    int64_t at[TG_MAX_RANK] = {0}, i = 0;
    do {
        if (!memory->outside[i])
            set_element(type.dtype, data, eval_offset(&p->array, at), memory->e[i]);
        i++;
    } while (eval_next(type.rank, type.shape, at));
}

static eval_ref ref_of(const tg_param *p, eval_memory *memory, int64_t program)
{
    tg_type type = padded(p);
    int64_t stride[TG_MAX_RANK];
    eval_ref ref = {.memory = memory};
    int rank = 0;
    tg_dense_strides(type.rank, type.shape, stride);
    for (int d = 0; d < type.rank; d++) {
        if (p->has_block && d == 0) ref.origin = program * p->block[0].size * stride[0];
        if (!p->has_block || p->block[d].kind != TG_BLOCK_SQUEEZED) ref.stride[rank++] = stride[d];
    }
    return ref;
}

/* data: per param, inputs; outputs are written there. */
static void evaluate(const tg_kernel *k, void *const *data)
{
    eval_memory memory[16];
    for (uint32_t p = 0; p < k->param_count; p++)
        memory[p] = k->params[p].alias >= 0 ? memory[k->params[p].alias]
                                            : memory_of(&k->params[p], data[p]);
    for (int64_t program = 0; program < 3; program++) {
        eval_ref refs[16];
        for (uint32_t p = 0; p < k->param_count; p++) {
            if (k->params[p].role == TG_ROLE_SCRATCH)
                for (int64_t i = 0; i < tg_type_count(&k->params[p].array); i++)
                    memory[p].e[i] = eval_undefined(k->params[p].array.dtype);
            refs[p] = ref_of(&k->params[p], &memory[p], program);
        }
        eval_program(k, &program, refs);
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role == TG_ROLE_OUTPUT) read_back(&k->params[p], &memory[p], data[p]);
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].alias >= 0) continue;
        free(memory[p].e);
        free(memory[p].outside);
    }
}

static void evaluate_module(const tg_module *module, const named *list)
{
    void *data[16] = {0};
    for (uint32_t p = 0; p < module->kernels[0].param_count; p++)
        for (const named *n = list; n->name; n++)
            if (strcmp(n->name, module->kernels[0].params[p].name) == 0) data[p] = (void *)n->data;
    evaluate(&module->kernels[0], data);
}

#endif
