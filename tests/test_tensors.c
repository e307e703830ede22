/* Tensors in larger memory: accesses to bytes that are none of theirs. */
#include "check_text.h"

static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void check(const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "none"};
    check_lines(text, NAMED({"x", numbers}), &how, wanted);
}

#define INPUT "input x f32[8]\noutput o f32[8]\nbody\n"
#define TENSOR(offset, extents, steps)                                                             \
    "%9:ref<f32[8]> = view_tensor %1 name='x:f32[3]' offset=" offset " extents=" extents           \
    " steps=" steps "\n"
#define ALL "%10:f32[8] = load %9 [0:8] loc=1; store %2 %10 [0:8]\n"

Test(tensors, before_and_behind)
{
    check(
        INPUT TENSOR("4", "[12]", "[1]") ALL,
        LINES(
            "error access-outside-tensor load 1 () x[0..0]: load reaches element -1 of "
            "x:f32[3], which is before its first one; the memory there belongs to what the tensor "
            "is a view of"));
    check(
        INPUT TENSOR("0", "[12]", "[1]") ALL,
        LINES("error access-outside-tensor load 1 () x[3..3]: load reaches element 3 of "
              "x:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
    check(
        INPUT TENSOR("0", "[0]", "[1]") ALL,
        LINES("error access-outside-tensor load 1 () x[0..0]: load reaches element 0 of "
              "x:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
}

Test(tensors, gaps)
{
    check(
        INPUT TENSOR("0", "[2,4]", "[16,1]") ALL,
        LINES(
            "error access-outside-tensor load 1 () x[1..1]: load reaches element 1 of "
            "x:f32[3], which is between its elements; the memory there belongs to what the tensor "
            "is a view of"));
    check(INPUT TENSOR("0", "[4,4]", "[8,1]") "%10:f32[4] = load %9 [0:4:2]; %11:f32[4] = load %9 "
                                              "[0:4:2]; store %2 %10 [0:4]; store %2 %11 [4:4]\n",
          NO_LINES);
    check(
        INPUT TENSOR("0", "[4,4]",
                     "[8,1]") "%10:f32[4] = load %9 [1:4:2] loc=3; store %2 %10 [0:4]; "
                              "store %2 %10 [4:4]\n",
        LINES(
            "error access-outside-tensor load 3 () x[1..1]: load reaches element 1 of "
            "x:f32[3], which is between its elements; the memory there belongs to what the tensor "
            "is a view of"));
}

/* Steps that are shorter than what they repeat, so that one byte is in several repetitions. */
Test(tensors, overlapping)
{
    check(INPUT TENSOR("0", "[3,12]", "[8,1]") "%10:f32[7] = load %9 [0:7]; store %2 %10 [0:7]; "
                                               "store %2 %10 [1:7]\n",
          NO_LINES);
    check(
        INPUT TENSOR("0", "[3,12]", "[8,1]") ALL,
        LINES("error access-outside-tensor load 1 () x[7..7]: load reaches element 7 of "
              "x:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
}

/* Lanes that the mask turns off reach nothing. */
Test(tensors, masks)
{
#define MASK "%12:bool[8] = constant value=[true,true,true,false,false,false,false,false]\n"
    check(INPUT TENSOR("0", "[12]", "[1]") MASK
          "%11:f32[] = constant value=0; %10:f32[8] = load %9 %12 %11 [0:8] mask=true other=true; "
          "store %2 %10 [0:8]\n",
          NO_LINES);
    check(
        INPUT TENSOR("0", "[8]", "[1]") MASK
        "%11:f32[] = constant value=0; %10:f32[8] = load %9 %12 %11 [0:8] mask=true other=true "
        "loc=1; store %2 %10 [0:8]\n",
        LINES("error access-outside-tensor load 1 () x[2..2]: load reaches element 2 of "
              "x:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
}

/* Through index arrays, and stores and atomics of what is written. */
Test(tensors, scattered)
{
#define OUTPUT "input x f32[8]\noutput o f32[8] alias=x\nbody\n" TENSOR_OF_OUTPUT
#define TENSOR_OF_OUTPUT                                                                           \
    "%9:ref<f32[8]> = view_tensor %2 name='o:f32[3]' offset=0 extents=[12] steps=[1]\n"
    check(
        OUTPUT "%10:i32[2] = constant value=[1,5]; %11:f32[2] = constant value=1; store %9 %11 "
               "%10 [@] loc=1\n",
        LINES("error access-outside-tensor store 1 () o[5..5]: store reaches element 5 of "
              "o:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
    check(OUTPUT "%10:i32[2] = constant value=[1,5]; %11:f32[2] = constant value=1; %12:f32[2] = "
                 "atomic_rmw %9 %11 %10 [@] kind='add' loc=1\n",
          LINES("error access-outside-tensor atomic_rmw 1 () o[5..5]: atomic_rmw reaches element 5 "
                "of o:f32[3], which is behind its last one; the memory there belongs to what the "
                "tensor is a view of"));
}

/* Outside the memory too: elements are counted from the tensor's first one. */
Test(tensors, outside_the_memory)
{
    check(
        INPUT TENSOR("8", "[12]", "[1]") "%10:i32[2] = constant value=[2,9]; %11:f32[2] = load %9 "
                                         "%10 [@] loc=1; store %2 %11 [0:2]; %12:f32[6] = constant "
                                         "value=0; store %2 %12 [2:6]\n",
        LINES("error access-outside-ref load 1 () x: load reaches element 7 of x:f32[3]; its "
              "memory has the elements -2 to 5"));
}

/* Other elements of the same width are in the same tensor. */
Test(tensors, as_another_dtype)
{
    check(
        INPUT TENSOR("0", "[12]", "[1]") "%8:ref<i32[8]> = view_bitcast %9; %10:i32[8] = load %8 "
                                         "[0:8] loc=1; %11:f32[8] = bitcast %10; store %2 %11 "
                                         "[0:8]\n",
        LINES("error access-outside-tensor load 1 () x[3..3]: load reaches element 3 of "
              "x:f32[3], which is behind its last one; the memory there belongs to what the tensor "
              "is a view of"));
}

/* A narrower element lies in the tensor if its bytes do. */
Test(tensors, bytes)
{
    check("input x f32[8,1]\noutput o u8[4]\nbody\n%8:ref<u8[32,1]> = view_bitcast %1; "
          "%7:ref<u8[32]> = view_reshape %8; %9:ref<u8[32]> = view_tensor %7 name='x' offset=4 "
          "extents=[3] steps=[1]; %10:u8[4] = load %9 [4:4] loc=1; store %2 %10 [0:4]\n",
          LINES("error access-outside-tensor load 1 () x[1..1]: load reaches element 3 of x, which "
                "is behind its last one; the memory there belongs to what the tensor is a view "
                "of"));
}

/* Checks in the kernel name the kind of their findings. */
Test(tensors, kinds_of_checks)
{
    check("input x f32[8]\nbody\n%10:bool[] = constant value=false; check %10 format='at7' "
          "finding='wild-pointer' loc=1; check %10 format='at8' finding='misaligned-pointer' "
          "loc=2; check %10 format='no' loc=3\n",
          LINES("error wild-pointer check 1 (): at7", "error misaligned-pointer check 2 (): at8",
                "error check-failed check 3 (): no"));
}
