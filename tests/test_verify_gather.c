/* What the verifier rejects of gather, scatter, sort and dot_general. */
#include "verify_op.h"

#define GATHER(offset, collapsed, map, operand_batch, indices_batch, sizes)                        \
    "'offset_dims':" offset ",'collapsed_dims':" collapsed ",'start_index_map':" map               \
    ",'operand_batch':" operand_batch ",'indices_batch':" indices_batch ",'slice_sizes':" sizes    \
    ",'mode':'clip'"

Test(verify, gathers)
{
    static const op_case cases[] = {
        /* rows of a table */
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"), GOOD},
        /* single elements by two components */
        {"gather", "f32[8,4] i64[3,5,2]", "f32[3,5]",
         GATHER("[]", "[0,1]", "[1,0]", "[]", "[]", "[1,1]"), GOOD},
        /* along an axis, batch by batch */
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[0]", "[1,1]"), GOOD},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         "'fill':0,"
         "'offset_dims':[],'collapsed_dims':[0],'start_index_map':[0],'operand_batch':[],"
         "'indices_batch':[],'slice_sizes':[1],'mode':'fill'",
         GOOD},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         GATHER("[]", "[0]", "[0]", "[]", "[]", "[1]") ",'fill':0",
         INVALID("", "has a fill value, but mode is not")},
        {"gather", "f32[8,4] i32[3,1]", "f32[4,3]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         TYPE("", "the result is f32[4,3], but must be f32[3,4]")},
        {"gather", "f32[8,4] f32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"), TYPE("", "the indices are f32[3,1]")},
        {"gather", "f32[8] i32[]", "f32[]", GATHER("[]", "[0]", "[0]", "[]", "[]", "[1]"),
         TYPE("", "the indices are i32[]")},
        {"gather", "f32[8,4] i32[3,2]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         TYPE("", "must have the 1 components of start_index_map")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[2,4]"),
         INVALID("", "slice size 2 of the collapsed dimension 0 must be 1")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,5]",
         GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1,5]"),
         TYPE("", "slice size 5 exceeds dimension 1 of f32[8,4]")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]", GATHER("[1]", "[0]", "[0]", "[]", "[]", "[1]"),
         INVALID("", "slice_sizes has 1 entries, but must have 2")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]", GATHER("[]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "offset_dims has 0 entries, but must have 1")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[2]", "[0]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "offset_dims names dimension 2, but the result has 2")},
        {"gather", "f32[8,4] i32[3,1]", "f32[3,4]",
         GATHER("[1]", "[2]", "[0]", "[]", "[]", "[1,4]"),
         INVALID("", "collapsed_dims names dimension 2")},
        {"gather", "f32[8,4] i32[3,2]", "f32[3,4]",
         GATHER("[1]", "[0]", "[0,0]", "[]", "[]", "[1,4]"),
         INVALID("", "start_index_map names dimension 0 twice")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[0,1]", "[1]", "[0]", "[0]", "[1,1]"),
         INVALID("", "dimension 0 stands in both collapsed_dims and operand_batch")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[0]", "[0]", "[0]", "[1,1]"),
         INVALID("", "dimension 0 stands in both start_index_map and operand_batch")},
        {"gather", "f32[6,8] i32[5,3,1]", "f32[5,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[0]", "[1,1]"),
         TYPE("", "batch dimension 0 of f32[6,8] differs from 0 of the indices i32[5,3,1]")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[]", "[1,1]"),
         INVALID("", "indices_batch has 0 entries, but must have 1")},
        {"gather", "f32[6,8] i32[6,3,1]", "f32[6,3]",
         GATHER("[]", "[1]", "[1]", "[0]", "[2]", "[1,1]"),
         INVALID("", "indices_batch names dimension 2")},
        {"gather", "f32[1,1,1,1,1] i32[1,1,1,1,5]", "f32[1]",
         GATHER("[4,5,6,7,8]", "[]", "[0,1,2,3,4]", "[]", "[]", "[1,1,1,1,1]"),
         TYPE("", "the result would have 9 dimensions")},
    };
    CHECK_ALL(cases);
}

#define SCATTER(offset, collapsed, map, operand_batch, indices_batch)                              \
    "'offset_dims':" offset ",'collapsed_dims':" collapsed ",'start_index_map':" map               \
    ",'operand_batch':" operand_batch ",'indices_batch':" indices_batch ",'mode':'drop'"

#define ADD ",'combine':'add'"

Test(verify, scatters)
{
    static const op_case cases[] = {
        {"scatter", "f32[8,4] i32[3,1] f32[3,4]", "f32[8,4]",
         SCATTER("[1]", "[0]", "[0]", "[]", "[]") ADD, GOOD},
        {"scatter", "f32[8,4] i32[3,1] f32[2,3,4]", "f32[8,4]",
         SCATTER("[0,2]", "[]", "[0]", "[]", "[]") ADD, GOOD},
        {"scatter", "f32[6,0] i32[6,3,1] f32[6,3]", "f32[6,0]",
         SCATTER("[]", "[1]", "[1]", "[0]", "[0]") ADD, GOOD},
        {"scatter", "bool[8] i32[3,1] bool[3]", "bool[8]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ",'combine':'max'", GOOD},
        {"scatter", "bool[8] i32[3,1] bool[3]", "bool[8]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "operand 0 is bool[8], but \"add\" takes integers or floats")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[3]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the result is f32[3], but must be f32[8]")},
        {"scatter", "f32[8] i32[3,1] f32[4]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the updates are f32[4], but must be f32[3]")},
        {"scatter", "f32[8] i32[3,1] f16[3]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the updates are f16[3], but must hold f32 in 1 dimensions")},
        {"scatter", "f32[8] i32[3,1] f32[3,9]", "f32[8]",
         SCATTER("[1]", "[]", "[0]", "[]", "[]") ADD,
         TYPE("", "a slice of 9 elements exceeds dimension 0 of f32[8]")},
        {"scatter", "f32[8] f32[3,1] f32[3]", "f32[8]", SCATTER("[]", "[0]", "[0]", "[]", "[]") ADD,
         TYPE("", "the indices are f32[3,1]")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]",
         SCATTER("[0]", "[0]", "[0]", "[]", "[]") ADD,
         INVALID("", "offset_dims has 1 entries, but must have 0")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]", SCATTER("[]", "[1]", "[0]", "[]", "[]") ADD,
         INVALID("", "collapsed_dims names dimension 1")},
        {"scatter", "f32[8] i32[3,1] f32[3]", "f32[8]",
         "'offset_dims':[],'collapsed_dims':[0],'start_index_map':[0],'operand_batch':[],"
         "'indices_batch':[],'mode':'fill','combine':'set'",
         INVALID("", "has no mode \"fill\"")},
        {"gather", "f32[8] i32[3,1]", "f32[3]",
         SCATTER("[]", "[0]", "[0]", "[]", "[]") ",'slice_sizes':[1]",
         INVALID("", "has no mode \"drop\"")},
    };
    CHECK_ALL(cases);
}

Test(verify, sorts)
{
    static const op_case cases[] = {
        {"sort", "f32[8,4]", "f32[8,4]", "'axis':1,'keys':1", GOOD},
        {"sort", "f32[8] bool[8] i4[8]", "f32[8] bool[8] i4[8]", "'axis':0,'keys':2,'total':true",
         GOOD},
        {"sort", "f32[8]", "f32[8]", "'axis':1,'keys':1", INVALID("", "axis 1 is no dimension")},
        {"sort", "f32[8]", "f32[8]", "'axis':0,'keys':2",
         INVALID("", "keys is 2, but there are 1 operands")},
        {"sort", "f32[8]", "f32[8]", "'axis':0,'keys':0",
         INVALID("", "keys is 0, but must be at least 1")},
        {"sort", "f32[8] f32[4]", "f32[8] f32[4]", "'axis':0,'keys':1",
         TYPE("", "operand 1 is f32[4], but must have the shape of f32[8]")},
        {"sort", "f32[8] i32[8]", "f32[8]", "'axis':0,'keys':1", TYPE("", "there are 1 values")},
        {"sort", "f32[8] i32[8]", "f32[8] f32[8]", "'axis':0,'keys':1",
         TYPE("", "result 1 is f32[8], but must be i32[8]")},
    };
    CHECK_ALL(cases);
}

#define DOT(lhs_contract, rhs_contract, lhs_batch, rhs_batch)                                      \
    "'lhs_contract':" lhs_contract ",'rhs_contract':" rhs_contract ",'lhs_batch':" lhs_batch       \
    ",'rhs_batch':" rhs_batch

Test(verify, dots)
{
    static const op_case cases[] = {
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"), GOOD},
        {"dot_general", "bf16[3,8,4] f16[2,4,3]", "f32[3,8,2]", DOT("[2]", "[1]", "[0]", "[2]"),
         GOOD},
        {"dot_general", "i8[8] u8[8]", "i32[]",
         DOT("[0]", "[0]", "[]", "[]") ",'precision':'highest'", GOOD},
        {"dot_general", "f32[8] f32[2]", "f32[8,2]", DOT("[]", "[]", "[]", "[]"), GOOD},
        {"dot_general", "f32[8,4] f32[5,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "dimension 1 of f32[8,4] and dimension 0 of f32[5,2] must agree")},
        {"dot_general", "f32[3,4] f32[2,4]", "f32[3]", DOT("[1]", "[1]", "[0]", "[0]"),
         TYPE("", "(lhs_batch, rhs_batch)")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[2,8]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "the result is f32[2,8], but must be f32[8,2]")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[1]", "[]", "[]", "[]"),
         INVALID("", "rhs_contract has 0 entries, but must have 1")},
        {"dot_general", "f32[8,4] f32[4,2]", "f32[8,2]", DOT("[2]", "[0]", "[]", "[]"),
         INVALID("", "lhs_contract names dimension 2, but the left operand has 2")},
        {"dot_general", "f32[4,4] f32[4,4]", "f32[4]", DOT("[1,1]", "[0,1]", "[]", "[]"),
         INVALID("", "lhs_contract names dimension 1 twice")},
        {"dot_general", "f32[4,4] f32[4,4]", "f32[4]", DOT("[1]", "[0]", "[1]", "[1]"),
         INVALID("", "dimension 1 of the left operand is both contracted and batch")},
        {"dot_general", "f32[8,4] i32[4,2]", "f32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "both must hold floats or both integers")},
        {"dot_general", "bool[8,4] bool[4,2]", "i32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "operand 0 is bool[8,4]")},
        {"dot_general", "f32[8,4] f32[4,2]", "i32[8,2]", DOT("[1]", "[0]", "[]", "[]"),
         TYPE("", "the result is i32[8,2], but must hold floats")},
        {"dot_general", "f32[1,1,1,1,1] f32[1,1,1,1]", "f32[]", DOT("[]", "[]", "[]", "[]"),
         TYPE("", "more than 8 dimensions")},
    };
    CHECK_ALL(cases);
}
