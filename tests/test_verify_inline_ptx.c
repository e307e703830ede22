/* What the verifier rejects of PTX text in ops: types, constraints, and what the text does. */
#include "verify_op.h"

#define PTX(text) "'packed':1,'constraints':'=r,r','text':'" text "'"
#define MADE(constraints, packed) "'packed':" #packed ",'constraints':'" constraints "','text':''"
#define FOUR(values) values " " values " " values " " values
#define THIRTY_TWO(values) FOUR(FOUR(values)) " " FOUR(FOUR(values))
#define REFUSED(text, says)                                                                        \
    {                                                                                              \
        "inline_ptx", "i32[8]", "i32[8]", PTX(text), INVALID("", says)                             \
    }

Test(verify, inline_ptx_types_and_constraints)
{
    static const op_case cases[] = {
        {"inline_ptx", "i32[8]", "i32[8]", PTX("mov.b32 $0, $1;"), GOOD},
        {"inline_ptx", "f32[8] i64[8]", "i8[8] f64[8]",
         "'packed':4,'constraints':'=r,=d,=d,=&d, =l,f,f,f,f,l,l,l,1 ,~{memory}','text':'mov.b32 "
         "$0, $5;'",
         GOOD},
        {"inline_ptx", "", "i32[]", "'packed':1,'constraints':'=r','text':'mov.b32 $0, 4;'", GOOD},
        {"inline_ptx", "i32[8]", "", PTX(""), INVALID("", "there is no result")},
        {"inline_ptx", "i32[4]", "i32[8]", PTX(""), TYPE("", "operand 0 is i32[4]")},
        {"inline_ptx", "i32[8]", "i32[8] i32[4]", PTX(""), TYPE("", "result 1 is i32[4]")},
        {"inline_ptx", "i4[8]", "i32[8]", PTX(""),
         INVALID("", "elements of i4 are in no register")},
        {"inline_ptx", "bool[8]", "bool[8]", MADE("=r,r", 2), INVALID("", "bool are not packed")},
        {"inline_ptx", "i8[6]", "i8[6]", MADE("=r,r,r,r", 6),
         INVALID("", "4 elements of i8 are in one")},
        {"inline_ptx", "i32[6]", "i32[6]", MADE("=r,=r,=r,=r,r,r,r,r", 4),
         INVALID("", "6 elements are no multiple of packed, which is 4")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,r", 0),
         INVALID("", "packed is 0, but must be 1 to 64")},
        {"inline_ptx", "i32[64] i32[64]", "i32[64]", MADE("", 64),
         INVALID("", "there are more than 128 registers")},
        {"inline_ptx", "i64[64]", "i64[64]", MADE("", 65),
         INVALID("", "packed is 65, but must be")},
        {"inline_ptx", THIRTY_TWO("i32[]"), THIRTY_TWO("i32[]") " i32[]", MADE("", 1),
         INVALID("", "there are more than 64 operands and results")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r", 1),
         INVALID("", "2 registers, but 1 constraints")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,r,r", 1), INVALID("", "and more constraints")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("r,r", 1), INVALID("", "must be that of a result")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,=r", 1),
         INVALID("", "must be that of an operand")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,q", 1),
         INVALID("", "none of h, r, l, f and d")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,rr", 1),
         INVALID("", "more behind constraint 1")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,1", 1),
         INVALID("", "1 is not the number of a result")},
        {"inline_ptx", "i64[8]", "i32[8]", MADE("=r,0", 1),
         INVALID("", "constraint 0 has 32 bits, but the register holds 64 of i64")},
        {"inline_ptx", "i32[8]", "i32[8]", MADE("=r,h", 1),
         INVALID("", "h has 16 bits, but the register holds 32")},
        {"inline_ptx", "f16[8]", "i32[8]", MADE("=r,f", 1),
         INVALID("", "f has 32 bits, but the register holds 16")},
    };
    CHECK_ALL(cases);
}

Test(verify, inline_ptx_texts)
{
    static const op_case cases[] = {
        {"inline_ptx", "i32[8]", "i32[8]",
         PTX("/* ld */ { .reg .pred p; setp.gt.s32 p, $1, 3; // st\\n @!p bra L; add.s32 $0, $1, "
             "1; bra M; L: "
             "mov.b32 $0, 0; M: }"),
         GOOD},
        {"inline_ptx", "i32[8]", "i32[8]",
         PTX("{ .reg .b16 $$x, y; mov.b32 {$$x, y}, $1; mov.b32 $0, {y, $$x}; }"), GOOD},
        REFUSED("mov.b32 $0, $2;", "line 1 of the text: $2 names no register: there are 2"),
        REFUSED("mov.b32 $0, ${1};", "behind $ there is neither a number nor another $"),
        REFUSED("mov.b32 $0, $1; }", "} closes no scope"),
        REFUSED("{ mov.b32 $0, $1;", "a scope is not closed"),
        REFUSED("mov.b32 $0, $1;\\nld.global.b32 $0, [$1];",
                "line 2 of the text: ld is not supported here"),
        REFUSED("@p atom.global.add.u32 $0, [$1], 1;", "atom is not supported here"),
        REFUSED("@!p st.global.u32 [$1], 1;", "st is not supported here"),
        REFUSED("L: ld.global.b32 $0, [$1];", "ld is not supported here"),
        REFUSED("// one\\nld.global.b32 $0, [$1];", "line 2 of the text: ld is not supported here"),
        REFUSED("/* one\\ntwo */ ld.global.b32 $0, [$1];",
                "line 2 of the text: ld is not supported here"),
        REFUSED("bar.sync 0;", "bar is not supported here"),
        REFUSED("call f;", "call is not supported here"),
        REFUSED("ret;", "ret is not supported here"),
        REFUSED(".shared .b32 s[4];", ".shared is not supported here"),
        REFUSED("mov.u32 $0, %laneid;",
                "line 1 of the text: which thread an element belongs to is not said"),
        REFUSED("neg.s32 $0, $1;\\nmov.u32 $0, %tid.x;",
                "line 2 of the text: which thread an element belongs to is not said"),
        REFUSED("mov.b32 $0,\\n what;", "line 2 of the text: 'what' is not declared"),
        REFUSED("frob.b32 $0, $1;", "'frob.b32' is not among the forms"),
    };
    CHECK_ALL(cases);
}
