/* What the verifier rejects of kernels: names, grids, params, blocks, index maps, aliases. */
#include "verify_text.h"

typedef struct kernel_case {
    const char *kernels; /* JSON */
    tg_status status;
    const char *at, *message;
} kernel_case;

#define ARG(id, type) "{'id':" id ",'type':'" type "'}"
#define GRID "'grid':[{'size':4}]"
#define KERNEL(text) "{'name':'k'," text "}"
#define NOTHING "'params':[],'body':{}"
#define BODY(args) "'body':{'args':[" args "]}"
#define PARAM(name, role, type, rest)                                                              \
    "{'name':'" name "','role':'" role "','type':'" type "'" rest "}"
#define INDEX_MAP(args, ops, yield)                                                                \
    ",'index_map':{'args':[" args "],'ops':[" ops "],'yield':[" yield "]}"
#define I32 ARG("10", "i32[]")
#define BLOCK_8 ",'block':[{'blocked':8}]"

/* A kernel with one input, given by what follows its type, and the body's argument. */
#define ONE(type, rest, ref)                                                                       \
    KERNEL(GRID ",'params':[" PARAM("x", "input", type, rest) "]," BODY(ARG("0", ref)))
/* A kernel with two params and the body's arguments. */
#define TWO(first, second, ref0, ref1)                                                             \
    KERNEL(GRID ",'params':[" first "," second "]," BODY(ARG("0", ref0) "," ARG("1", ref1)))
/* An input in blocks of 8, given by the ops of its index map over value 10 and what it yields. */
#define MAPPED(ops, yield) ONE("f32[32]", BLOCK_8 INDEX_MAP(I32, ops, yield), "ref<f32[8]>")
/* An output whose index map takes the prefetch param n as value 11. */
#define PREFETCHED(type, ref, ops, yield)                                                          \
    TWO(PARAM("n", "prefetch", type, ""),                                                          \
        PARAM("y", "output", "f32[32]", INDEX_MAP(I32 "," ARG("11", ref), ops, yield)),            \
        "ref<" type ">", "ref<f32[32]>")

Test(verify, kernels)
{
    static const kernel_case cases[] = {
        {KERNEL("'grid':[]," NOTHING), GOOD},
        {KERNEL("'grid':[{'size':'dynamic','semantics':'arbitrary'},{'size':0}]," NOTHING), GOOD},
        {ONE("f32[32]", "", "ref<f32[32]>"), GOOD},
        {ONE("f32[32]", INDEX_MAP(I32, "", "10"), "ref<f32[32]>"), GOOD},
        {ONE("f32[32,4]", ",'block':[{'element':8,'pad':[1,2]},'squeezed']", "ref<f32[8]>"), GOOD},
        {MAPPED("", "10"), GOOD},
        {MAPPED("{'op':'num_programs','axis':0,'out':[" ARG("12", "i32[]") "]}", "12"), GOOD},
        {MAPPED("{'op':'convert','in':[10],'out':[" ARG("12", "i64[]") "]}", "12"), GOOD},
        {PREFETCHED("i32[4]", "ref<i32[4]>",
                    "{'op':'load','in':[11,10],'index':[['at']],'out':[" ARG("12", "i32[]") "]}",
                    "12"),
         GOOD},
        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("y", "output", "f32[32]", ",'alias':'x'"),
             "ref<f32[32]>", "ref<f32[32]>"),
         GOOD},

        {KERNEL("'grid':[]," NOTHING) "," KERNEL("'grid':[]," NOTHING),
         INVALID("/kernels/1", "the name \"k\" is that of kernel 0 already")},
        {KERNEL("'grid':[{'size':2,'name':'i'},{'size':2,'name':'i'}]," NOTHING),
         INVALID("/kernels/0/grid/1", "the name \"i\" is that of axis 0 already")},
        {KERNEL("'grid':[{'size':2,'semantics':'thread'}]," NOTHING), GOOD},
        {KERNEL("'grid':[{'size':0,'semantics':'thread'}]," NOTHING),
         INVALID("/kernels/0/grid/0", "the size of an axis of threads must be between 1 and 1024")},
        {KERNEL("'grid':[{'size':'dynamic','semantics':'thread'}]," NOTHING),
         INVALID("/kernels/0/grid/0", "the size of an axis of threads must be between 1 and 1024")},
        {KERNEL(
             "'grid':[{'size':32,'semantics':'thread'},{'size':33,'semantics':'thread'}]," NOTHING),
         INVALID("/kernels/0/grid/1", "there are 1056 threads; at most 1024 can be")},
        {KERNEL("'grid':[{'size':4294967296}]," NOTHING),
         INVALID("/kernels/0/grid/0", "size is 4294967296")},
        {KERNEL("'grid':[{'size':2147483647},{'size':2147483647},{'size':2147483647}]," NOTHING),
         INVALID("/kernels/0/grid", "more than 2^62 programs")},

        {TWO(PARAM("y", "output", "f32[32]", ""), PARAM("x", "input", "f32[32]", ""),
             "ref<f32[32]>", "ref<f32[32]>"),
         INVALID("/kernels/0/params/1", "role input follows role output")},
        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("x", "output", "f32[32]", ""),
             "ref<f32[32]>", "ref<f32[32]>"),
         INVALID("/kernels/0/params/1", "the name \"x\" is that of param 0 already")},
        {ONE("f32[32]", BLOCK_8, "ref<f32[32]>"),
         TYPE("/kernels/0/body/args/0",
              "argument 0 is ref<f32[32]>, but must be ref<f32[8]>, the block of param \"x\"")},
        {ONE("f32[32]", BLOCK_8, "f32[8]"),
         TYPE("/kernels/0/body/args/0", "argument 0 is f32[8], but must be ref<f32[8]>")},
        {ONE("f32[32,4]", ",'block':[{'blocked':8},'squeezed']", "ref<f32[8,1]>"),
         TYPE("/kernels/0/body/args/0", "but must be ref<f32[8]>")},
        {KERNEL(GRID ",'params':[" PARAM("x", "input", "f32[8]", "") "]," BODY("")),
         TYPE("/kernels/0/body", "the body takes 0 arguments, but there are 1 params")},
        {KERNEL("'grid':[],'params':[],'body':{'ops':[{'op':'undefined','out':[" I32
                "]}],'yield':[10]}"),
         TYPE("/kernels/0/body", "the body yields 1 values, but must yield none")},

        {ONE("f32[32]", ",'block':[{'blocked':0}]", "ref<f32[0]>"),
         INVALID("/kernels/0/params/0/block/0", "the block size is 0")},
        {ONE("f32[32,4]", ",'block':[{'blocked':8},{'element':0}]", "ref<f32[8,0]>"),
         INVALID("/kernels/0/params/0/block/1", "the block size is 0")},

        {ONE("f32[32]", INDEX_MAP(ARG("10", "i64[]"), "", "10"), "ref<f32[32]>"),
         TYPE("/kernels/0/params/0/index_map/args/0", "argument 0 is i64[], but must be i32[]")},
        {ONE("f32[32]", INDEX_MAP(I32 "," ARG("11", "i32[]"), "", "10"), "ref<f32[32]>"),
         TYPE("/kernels/0/params/0/index_map/args", "takes 1 arguments")},
        {ONE("f32[32,4]", INDEX_MAP(I32, "", "10"), "ref<f32[32,4]>"),
         TYPE("/kernels/0/params/0/index_map/yield", "yields 1 indices, but f32[32,4] has 2")},
        {PREFETCHED("i32[4]", "ref<i32[]>", "", "10"),
         TYPE("/kernels/0/params/1/index_map/args/1",
              "argument 1 is ref<i32[]>, but must be ref<i32[4]>")},
        {PREFETCHED("i32[]", "ref<i32[]>", "", "11"),
         TYPE("/kernels/0/params/1/index_map/yield/0", "yield 0 is ref<i32[]>, but must be i32[]")},
        {MAPPED("{'op':'convert','in':[10],'out':[" ARG("12", "f32[]") "]}", "12"),
         TYPE("/kernels/0/params/0/index_map/yield/0", "yield 0 is f32[], but must be i32[]")},
        {MAPPED("{'op':'program_id','axis':0,'out':[" ARG("12", "i32[]") "]}", "12"),
         INVALID("/kernels/0/params/0/index_map/ops/0",
                 "program_id: is not allowed in an index map")},
        {MAPPED("{'op':'debug_print','format':''}", "10"),
         INVALID("/kernels/0/params/0/index_map/ops/0", "debug_print: has an effect")},
        {PREFETCHED("i32[]", "ref<i32[]>",
                    "{'op':'switch','in':[10],'regions':[{'ops':["
                    "{'op':'store','in':[11,10],'index':[]}]}]}",
                    "10"),
         INVALID("/kernels/0/params/1/index_map/ops/0/regions/0/ops/0", "store: has an effect")},

        {TWO(PARAM("x", "input", "f32[32]", ""), PARAM("y", "output", "f32[16]", ",'alias':'x'"),
             "ref<f32[32]>", "ref<f32[16]>"),
         TYPE("/kernels/0/params/1", "the array is f32[16], but its alias \"x\" is f32[32]")},
        {TWO(PARAM("y", "output", "f32[8]", ""), PARAM("z", "output", "f32[8]", ",'alias':'y'"),
             "ref<f32[8]>", "ref<f32[8]>"),
         INVALID("/kernels/0/params/1", "alias must be an input or prefetch param")},
        {"{'name':'k','grid':[],'params':[{'name':'x','role':'input','type':'f32[]'},"
         "{'name':'y','role':'output','type':'f32[]','alias':'x'},"
         "{'name':'z','role':'output','type':'f32[]','alias':'x'}],"
         "'body':{'args':[{'id':0,'type':'ref<f32[]>'},{'id':1,'type':'ref<f32[]>'},"
         "{'id':2,'type':'ref<f32[]>'}]}}",
         INVALID("/kernels/0/params/2", "param 1 is aliased to the same param already")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg_module *module = load_kernels(cases[i].kernels);
        expect(module, cases[i].status, cases[i].at, cases[i].message, cases[i].kernels);
        tg_module_destroy(module);
    }
}

Test(verify, reports_everything)
{
    tg_diags diags = {0};
    tg_module *module =
        load_kernels("{'name':'k','grid':[{'size':4}],'params':["
                     "{'name':'x','role':'scratch','type':'f32[8]'}],"
                     "'body':{'args':[{'id':0,'type':'ref<f32[4]>'}],'ops':["
                     "{'op':'add','in':[0,0],'out':[]},"
                     "{'op':'iota','axis':3,'out':[{'id':1,'type':'bool[2]'}]}]}},"
                     "{'name':'k','grid':[],'params':[],'body':{'ops':["
                     "{'op':'program_id','axis':0,'out':[{'id':1,'type':'f32[]'}]}]}}");
    cr_expect_eq(tg_module_verify(module, &diags), TG_ERR_TYPE);
    const tg_diags *d = &diags;
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/args/0", "must be ref<f32[8]>"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/0/body/ops/0", "has 0 results"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/0", "operand 0 is ref<f32[4]>"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/0", "operand 1 is ref<f32[4]>"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/0/body/ops/1", "axis 3"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/0/body/ops/1", "bool[2]"));
    cr_expect(is_reported(d, TG_ERR_INVALID, "/kernels/1", "the name \"k\""));
    cr_expect(
        is_reported(d, TG_ERR_INVALID, "/kernels/1/body/ops/0", "axis 0 is none of the 0 axes"));
    cr_expect(is_reported(d, TG_ERR_TYPE, "/kernels/1/body/ops/0", "f32[]"));
    cr_expect_eq(diags.count, 9);
    tg_diags_free(&diags);
    tg_module_destroy(module);
}

/* The status is that of this pass, also where earlier diagnoses are kept. */
Test(verify, status_is_of_this_pass)
{
    tg_diags diags = {0};
    tg_fail(&diags, TG_ERR_IO, NULL, "from before");
    tg_module *good = load_kernels(KERNEL("'grid':[],'params':[],'body':{}"));
    tg_module *bad =
        load_kernels(KERNEL("'grid':[],'params':[],'body':{'ops':[{'op':'undefined'}]}"));
    cr_expect_eq(tg_module_verify(good, &diags), TG_OK);
    cr_expect_eq(tg_module_verify(bad, &diags), TG_ERR_INVALID);
    cr_expect_eq(diags.worst, TG_ERR_IO);
    cr_expect_eq(diags.count, 2);
    tg_diags_free(&diags);
    tg_module_destroy(good);
    tg_module_destroy(bad);
}
