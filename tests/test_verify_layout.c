/* What the verifier rejects of layouts and memory spaces, and what the loader rejects of their text. */
#include "verify_text.h"

typedef struct layout_case {
    const char *kernel; /* JSON */
    tg_status status;
    const char *at, *message;
} layout_case;

#define VALUE(id, type, rest) "{'id':" id ",'type':'" type "'" rest "}"
#define LAYOUT(text) ",'layout':'" text "'"
#define SPACE ",'space':'smem'"

/* A kernel with a scratch param s, value 0, an f32[16], and an op. */
#define OP(text)                                                                                   \
    "'params':[{'name':'s','role':'scratch','type':'f32[16]'}],'body':{'args':[" VALUE(            \
        "0", "ref<f32[16]>", "") "],'ops':[" text "]}"
#define VIEW(type, rest) OP("{'op':'view_layout','in':[0],'out':[" VALUE("1", type, rest) "]}")
#define CAST(rest)                                                                                 \
    OP("{'op':'iota','axis':0,'out':[" VALUE(                                                      \
        "1", "i32[32]", "") "]},"                                                                  \
                            "{'op':'layout_cast','in':[1],'out':[" VALUE("2", "i32[32]",           \
                                                                         rest) "]}")
#define ALLOC(type, rest) OP("{'op':'alloc','out':[" VALUE("1", type, rest) "]}")
#define SCOPED(rest)                                                                               \
    OP("{'op':'scoped','regions':[{'args':[" VALUE("1", "ref<f32[8]>", rest) "]}]}")
#define PARAM(role, type, rest)                                                                    \
    "'params':[{'name':'p','role':'" role "','type':'" type "'" rest                               \
    "}],'body':{'args':[" VALUE("0", "ref<" type ">", "") "]}"

#define LOAD_BY(instruction)                                                                       \
    OP("{'op':'load','in':[0],'index':[['slice',0,16,1]],'instruction':'" instruction              \
       "','out':[" VALUE("1", "f32[16]", "") "]}")
#define PRODUCT_OF(in, lhs, rhs, out, rest)                                                        \
    OP("{'op':'constant','value':1,'out':[" VALUE(                                                 \
        "1", in, "") "]},{'op':'dot_general','in':[1,1],'lhs_contract':" lhs                       \
                     ",'rhs_contract':" rhs                                                        \
                     ",'lhs_batch':[],'rhs_batch':[],'instruction':'mma','out':[" VALUE(           \
                         "2", out, rest) "]}")
#define PRODUCT(out, rest) PRODUCT_OF("f16[8,8]", "[1]", "[1]", out, rest)

#define AT_OP "/kernels/0/body/ops/0"
#define AT_SECOND "/kernels/0/body/ops/1"
#define AT_PARAM "/kernels/0/params/0"
#define BAD(at, message) TG_ERR_INVALID, at, message

static void check(const layout_case *c)
{
    static text t;
    t.used = 0;
    put(&t, "{'tilegrind':'0.1','kernels':[{'name':'k','grid':[],%s}]}", c->kernel);
    use_double_quotes(&t);
    tg_module *module = NULL;
    tg_diags diags = {0};
    tg_status status = tg_json_load(t.chars, t.used, &module, &diags);
    if (status == TG_OK) status = tg_module_verify(module, &diags);
    cr_expect_eq(status, c->status, "%s: %d", c->kernel, (int)status);
    if (c->status != TG_OK) {
        cr_assert_gt(diags.count, 0, "%s", c->kernel);
        cr_expect_str_eq(diags.list[0].where, c->at, "%s: %s", c->kernel, diags.list[0].where);
        cr_expect(strstr(diags.list[0].message, c->message), "%s: %s", c->kernel,
                  diags.list[0].message);
    }
    tg_diags_free(&diags);
    tg_module_destroy(module);
}

Test(verify_layout, cases)
{
    static const layout_case cases[] = {
        /* view_layout */
        {VIEW("ref<f32[4,4]>", LAYOUT("(4,4):(1,4)")), GOOD},
        {VIEW("ref<f32[4]>", LAYOUT("4:-4 + 15")), GOOD},
        {VIEW("ref<f32[4]>", LAYOUT("4:8@byte")), GOOD},
        {VIEW("ref<f32[8]>", LAYOUT("Sw<1,2,1>@byte o 8:4@byte")), GOOD},
        {VIEW("ref<f32[4,4]>", ""), BAD(AT_OP, "the result has no layout")},
        {VIEW("ref<f32[4]>", LAYOUT("8:1")),
         BAD(AT_OP, "the layout of result 0 has 8 elements, but ref<f32[4]> has 4")},
        {VIEW("ref<f32[4]>", LAYOUT("4:8")),
         BAD(AT_OP, "the layout of the result reaches element 24 of ref<f32[16]>, which has 16")},
        {VIEW("ref<f32[9]>", LAYOUT("Sw<2,2,2> o 9:1 + 8")), BAD(AT_OP, "reaches element 31")},
        {VIEW("ref<f32[4]>", LAYOUT("4:-1")), BAD(AT_OP, "an address is negative: -3")},
        {VIEW("ref<f32[4]>", LAYOUT("4:2@byte")), BAD(AT_OP, "not a multiple of an element")},
        {VIEW("ref<f32[4]>", LAYOUT("Sw<1,1,1>@byte o 4:4@byte")),
         BAD(AT_OP, "the swizzle moves parts of elements")},
        {VIEW("ref<f32[4]>", LAYOUT("4:1 + [2:4]")), BAD(AT_OP, "has copies")},
        {VIEW("ref<f32[4]>", LAYOUT("4:1@lane")), BAD(AT_OP, "axis lane is no axis of memory")},
        {VIEW("ref<i32[4]>", LAYOUT("4:1")), TG_ERR_TYPE, AT_OP,
         "must have the dtype of ref<f32[16]>"},
        /* layout_cast and values */
        {CAST(LAYOUT("32:1@lane")), GOOD},
        {CAST(LAYOUT("(2,16):(1@reg,1@lane) + [4:1@wid_in_wg]")), GOOD},
        {CAST(""), BAD(AT_SECOND, "the result has no layout")},
        {CAST(LAYOUT("16:1@lane")), BAD(AT_SECOND, "has 16 elements, but i32[32] has 32")},
        {CAST(LAYOUT("32:2@lane")), BAD(AT_SECOND, "reaches lane 62, but there are 32: 0 to 31")},
        {CAST(LAYOUT("32:-1@reg")), BAD(AT_SECOND, "reaches reg -31")},
        {CAST(LAYOUT("32:1")), BAD(AT_SECOND, "moves along m, but values are held by threads")},
        {CAST(SPACE), BAD(AT_SECOND, "result 0 has a space")},
        /* memory of its own */
        {ALLOC("ref<f16[64]>", SPACE LAYOUT("64:2@byte")), GOOD},
        {ALLOC("ref<f32[128,4]>", LAYOUT("(128,4):(1@TLane,1@TCol)")), GOOD},
        {ALLOC("ref<f32[64]>", LAYOUT("64:1@P")), BAD(AT_OP, "axis P is no axis of memory that")},
        {ALLOC("ref<i4[64]>", LAYOUT("64:1@byte")), BAD(AT_OP, "elements have 4 bits")},
        {ALLOC("ref<sem[4]>", LAYOUT("4:1")), BAD(AT_OP, "semaphores have no layout")},
        {ALLOC("ref<f32[4]>", LAYOUT("4:1125899906842624@bank")),
         BAD(AT_OP, "beyond 2^47 elements")},
        {SCOPED(SPACE LAYOUT("8:2")), GOOD},
        {SCOPED(LAYOUT("4:2")), BAD(AT_OP "/regions/0", "the layout of argument 0 has 4 elements")},
        {OP("{'op':'view','in':[0],'index':[['slice',0,4,1]],'out':[" VALUE("1", "ref<f32[4]>",
                                                                            LAYOUT("4:1")) "]}"),
         BAD(AT_OP, "of references only those of alloc, scoped and view_layout have one")},
        /* params */
        {PARAM("scratch", "f32[4,4]", SPACE LAYOUT("(4,4):(8,1)")), GOOD},
        {PARAM("input", "f32[4,4]", LAYOUT("(4,4):(1,4)")), GOOD},
        {PARAM("prefetch", "i32[4]", LAYOUT("4:1")),
         BAD(AT_PARAM, "role prefetch takes no layout")},
        {PARAM("output", "f32[4]", LAYOUT("8:1")), BAD(AT_PARAM, "has 8 elements")},
        {"'params':[{'name':'p','role':'input','type':'f32[4]'}],'body':{'args':[" VALUE(
             "0", "ref<f32[4]>", LAYOUT("4:1")) "]}",
         BAD("/kernels/0/body/args/0", "has no layout of its own; its param may have one")},
        /* instructions */
        {LOAD_BY("ldmatrix"), TG_OK, NULL, NULL},
        {LOAD_BY("tma"), BAD(AT_OP, "is not what the instruction tma does")},
        {LOAD_BY("wmma"), BAD(AT_OP "/instruction", "mma wgmma tcgen05 ldmatrix stmatrix tma")},
        {PRODUCT("f32[8,8]", LAYOUT("64:1@reg")), TG_OK, NULL, NULL},
        {PRODUCT("f32[8,8]", ""), BAD(AT_SECOND, "the result has no layout, which mma needs")},
        {PRODUCT_OF("f16[2,8,8]", "[2]", "[2]", "f32[2,8,2,8]", LAYOUT("256:1@reg")), TG_ERR_TYPE,
         AT_SECOND, "mma multiplies two matrices, f16[2,8,8] and f16[2,8,8] are none"},
        /* texts */
        {ALLOC("ref<f32[4]>", LAYOUT("4:1@nowhere")),
         BAD(AT_OP "/out/0/layout", "layout \"4:1@nowhere\": at offset 4: ")},
        {ALLOC("ref<f32[4]>", LAYOUT("4:4611686018427387903")),
         BAD(AT_OP "/out/0/layout", "4611686018427387903\": coordinates on axis m do not fit")},
        {ALLOC("ref<f32[4]>", LAYOUT("0:1")), BAD(AT_OP "/out/0/layout", "at least 1")},
        {ALLOC("ref<f32[4]>", ",'layout':4"), BAD(AT_OP "/out/0/layout", "expected a string")},
        {ALLOC("ref<f32[4]>", ",'space':4"), BAD(AT_OP "/out/0/space", "expected a string")},
        {PARAM("scratch", "f32[4]", LAYOUT("4:1@lane + 1@wgid")),
         BAD(AT_PARAM "/layout", "layout \"4:1@lane + 1@wgid\"")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* What says nothing of layouts must not come back with one, and the other way round. */
Test(verify_layout, printed_and_read_again)
{
    static text t;
    put(&t, "{'tilegrind':'0.1','kernels':[{'name':'k','grid':[],%s}]}",
        ALLOC("ref<f16[64]>", SPACE LAYOUT("Sw<3,4,3>@byte o (8,8):(16@byte,2@byte)")));
    use_double_quotes(&t);
    tg_module *module = NULL;
    tg_diags diags = {0};
    cr_assert_eq(tg_json_load(t.chars, t.used, &module, &diags), TG_OK);
    const tg_kernel *k = &module->kernels[0];
    cr_assert_eq(k->value_count, 2);
    cr_expect_null(k->values[0].layout);
    cr_assert_not_null(k->values[1].layout);
    cr_expect_str_eq(k->values[1].space, "smem");
    cr_expect_eq(k->values[1].layout->swizzle.bits, 3);
    tg_module_destroy(module);
}
