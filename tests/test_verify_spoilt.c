/* What the loader never lets through, but other makers of modules might. */
#include "verify_spoil.h"

/* Two axes; a prefetch, an input with block and index map, an output, a scratch param; a body whose
 * ops are constant, load, gather, round, constant and switch. */
static const char spoilt[] =
    "{'name':'k','grid':[{'size':2},{'size':3}],'params':["
    "{'name':'n','role':'prefetch','type':'i32[4]'},"
    "{'name':'x','role':'input','type':'f32[32,4]',"
    "'block':[{'element':8,'pad':[1,1]},'squeezed'],"
    "'index_map':{'args':[{'id':10,'type':'i32[]'},{'id':11,'type':'i32[]'},"
    "{'id':12,'type':'ref<i32[4]>'}],'ops':[],'yield':[10,11]}},"
    "{'name':'y','role':'output','type':'i32[4]','alias':'n'},"
    "{'name':'s','role':'scratch','type':'f32[8]'}],"
    "'body':{'args':[{'id':0,'type':'ref<i32[4]>'},{'id':1,'type':'ref<f32[8]>'},"
    "{'id':2,'type':'ref<i32[4]>'},{'id':3,'type':'ref<f32[8]>'}],'ops':["
    "{'op':'constant','value':1,'out':[{'id':20,'type':'i32[3,1]'}]},"
    "{'op':'load','in':[1],'index':[['slice',0,8,1]],'out':[{'id':21,'type':'f32[8]'}]},"
    "{'op':'gather','in':[21,20],'offset_dims':[],'collapsed_dims':[0],'start_index_map':[0],"
    "'operand_batch':[],'indices_batch':[],'slice_sizes':[1],'mode':'clip',"
    "'out':[{'id':22,'type':'f32[3]'}]},"
    "{'op':'round','in':[22],'rounding':'even','out':[{'id':23,'type':'f32[3]'}]},"
    "{'op':'constant','value':1,'out':[{'id':24,'type':'i32[]'}]},"
    "{'op':'switch','in':[24],'regions':[{'ops':["
    "{'op':'debug_print','in':[23],'format':'{}'}]}]}]}}";

enum { OP_CONSTANT, OP_LOAD, OP_GATHER, OP_ROUND, OP_SECOND_CONSTANT, OP_SWITCH };
enum { PARAM_PREFETCH, PARAM_INPUT, PARAM_OUTPUT, PARAM_SCRATCH };

typedef struct spoil_case {
    void (*spoil)(tg_module *m, tg_kernel *k, tg_op *ops, tg_param *params);
    tg_status status;
    const char *at, *message;
} spoil_case;

#define SPOIL(name, ...)                                                                           \
    static void name(tg_module *m, tg_kernel *k, tg_op *ops, tg_param *params)                     \
    {                                                                                              \
        (void)m, (void)k, (void)ops, (void)params;                                                 \
        __VA_ARGS__;                                                                               \
    }
SPOIL(nothing, (void)0)
SPOIL(no_kernels, m->kernel_count = 0)
SPOIL(kernel_loc, k->loc = 1)
SPOIL(too_many_axes, k->axis_count = TG_MAX_AXES + 1)
SPOIL(negative_axis, k->axes[1].size = -2)
SPOIL(rank_9, k->values[k->body.args[0]].type.rank = 9)
SPOIL(unknown_dtype, k->values[k->body.args[0]].type.dtype = TG_DT_COUNT)
SPOIL(negative_extent, k->values[k->body.args[0]].type.shape[0] = -1)
SPOIL(vast_type, params[PARAM_SCRATCH].array.shape[0] = INT64_MAX)
SPOIL(unknown_role, params[PARAM_INPUT].role = TG_ROLE_COUNT)
SPOIL(array_is_ref, params[PARAM_INPUT].array.is_ref = true)
SPOIL(wrong_ref, params[PARAM_INPUT].ref.shape[0] = 9)
SPOIL(negative_pad, params[PARAM_INPUT].block[0].pad_low = -1)
SPOIL(pad_of_blocked, params[PARAM_INPUT].block[0].kind = TG_BLOCK_BLOCKED)
SPOIL(wide_squeezed, params[PARAM_INPUT].block[1].size = 2)
SPOIL(vast_block, params[PARAM_INPUT].block[0].size = (int64_t)1 << 47,
      params[PARAM_INPUT].block[1] = params[PARAM_INPUT].block[0])
SPOIL(scratch_block, params[PARAM_SCRATCH].has_block = true,
      params[PARAM_SCRATCH].block[0].size = 8)
SPOIL(prefetch_index_map, params[PARAM_PREFETCH].index_map = params[PARAM_INPUT].index_map)
SPOIL(input_alias, params[PARAM_INPUT].alias = 0)
SPOIL(alias_to_scratch, params[PARAM_OUTPUT].alias = PARAM_SCRATCH)
SPOIL(alias_to_nothing, params[PARAM_OUTPUT].alias = 77)
SPOIL(unknown_op, ops[OP_ROUND].code = TG_OP_COUNT)
SPOIL(op_loc, ops[OP_ROUND].loc = 9)
SPOIL(no_attribute, ops[OP_ROUND].attr_count = 0)
SPOIL(unknown_attribute, ops[OP_ROUND].attrs[0].id = TG_ATTR_COUNT)
SPOIL(foreign_attribute, ops[OP_ROUND].attrs[0].id = TG_ATTR_axis)
SPOIL(attribute_twice, ops[OP_GATHER].attrs[1] = ops[OP_GATHER].attrs[0])
SPOIL(unknown_spelling, ops[OP_ROUND].attrs[0].as.integer = 3)
SPOIL(too_few_elements, ops[OP_CONSTANT].attrs[0].as.data.count = 2)
SPOIL(unknown_index_kind, ops[OP_LOAD].attrs[0].as.index[0].kind = (tg_index_kind)7)
SPOIL(nested_in_itself, ops[OP_SWITCH].regions[0] = k->body, k->body.arg_count = 0)

Test(verify, spoilt_modules)
{
    static const spoil_case cases[] = {
        {nothing, GOOD},
        {no_kernels, INVALID("/kernels", "there must be at least one kernel")},
        {kernel_loc, INVALID("/kernels/0", "loc is 1, but there are 0 locations")},
        {too_many_axes, INVALID("/kernels/0", "has 17 axes")},
        {negative_axis, INVALID("/kernels/0/grid/1", "size is -2")},
        {rank_9, TYPE("/kernels/0", "has an impossible type")},
        {unknown_dtype, TYPE("/kernels/0", "has an impossible type")},
        {negative_extent, TYPE("/kernels/0", "has an impossible type")},
        {vast_type, TYPE("/kernels/0/params/3", "has an impossible type")},
        {unknown_role, INVALID("/kernels/0/params/1", "has no known role")},
        {array_is_ref, TYPE("/kernels/0/params/1", "the array is ref<f32[32,4]>")},
        {wrong_ref,
         TYPE("/kernels/0/params/1", "the ref is ref<f32[9]>, but the block gives ref<f32[8]>")},
        {negative_pad, INVALID("/kernels/0/params/1/block/0", "the padding is [-1, 1]")},
        {pad_of_blocked,
         INVALID("/kernels/0/params/1/block/0", "only an element dimension takes padding")},
        {wide_squeezed,
         INVALID("/kernels/0/params/1/block/1", "the size of a squeezed dimension is 2")},
        {vast_block, INVALID("/kernels/0/params/1", "the block has more than 2^47 elements")},
        {scratch_block, INVALID("/kernels/0/params/3", "role scratch takes no block")},
        {prefetch_index_map, INVALID("/kernels/0/params/0", "role prefetch takes no index_map")},
        {input_alias, INVALID("/kernels/0/params/1", "role input takes no alias")},
        {alias_to_scratch,
         INVALID("/kernels/0/params/2", "alias must be an input or prefetch param")},
        {alias_to_nothing,
         INVALID("/kernels/0/params/2", "alias must be an input or prefetch param")},
        {unknown_op, INVALID("/kernels/0/body/ops/3", "no operation has the number")},
        {op_loc, INVALID("/kernels/0/body/ops/3", "loc is 9")},
        {no_attribute, INVALID("/kernels/0/body/ops/3", "lacks the attribute 'rounding'")},
        {unknown_attribute, INVALID("/kernels/0/body/ops/3", "an attribute of unknown number")},
        {foreign_attribute,
         INVALID("/kernels/0/body/ops/3", "has no use for the attribute 'axis'")},
        {attribute_twice,
         INVALID("/kernels/0/body/ops/2", "has the attribute 'offset_dims' twice")},
        {unknown_spelling, INVALID("/kernels/0/body/ops/3", "rounding is none of: even away zero")},
        {too_few_elements,
         TYPE("/kernels/0/body/ops/0", "value has 2 elements, but i32[3,1] has 3")},
        {unknown_index_kind,
         INVALID("/kernels/0/body/ops/1", "index 0 is neither a slice nor a position")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg_module *module = load_kernels(spoilt);
        tg_kernel *k = &module->kernels[0];
        cases[i].spoil(module, k, k->body.ops, k->params);
        expect(module, cases[i].status, cases[i].at, cases[i].message, cases[i].message);
        tg_module_destroy(module);
    }
}

/* A region that contains itself is the deepest nesting of all. */
Test(verify, nesting_is_bounded)
{
    tg_diags diags = {0};
    tg_module *module = load_kernels(spoilt);
    tg_kernel *k = &module->kernels[0];
    nested_in_itself(module, k, k->body.ops, k->params);
    cr_expect_neq(tg_module_verify(module, &diags), TG_OK);
    bool found = false;
    for (size_t i = 0; i < diags.count; i++)
        found |= strstr(diags.list[i].message, "nested deeper") != NULL;
    cr_expect(found || diags.dropped > 0);
    tg_diags_free(&diags);
    tg_module_destroy(module);
}

Test(verify, survives_any_module)
{
    static text t;
    put_kernels(&t, spoilt);
    survive(&t, 3000);
}
