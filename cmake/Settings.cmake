# How everything is compiled: the target tg_settings carries it.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Release keeps its assertions: they guard against our own defects and cost nothing per element.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

add_library(tg_settings INTERFACE)
target_compile_options(tg_settings INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion $<$<BOOL:${TG_WERROR}>:-Werror>
    -ffp-contract=off) # one rounding an operation: a compiler may not fuse a * b + c

# GCC clears and copies structs by `rep stos` and `rep movs`, which take some 30 cycles to begin: a tenth of the time of a
# small program.
set(tg_strategy "vector_loop:512:noalign,rep_8byte:8192:noalign,libcall:-1:noalign")
include(CheckCCompilerFlag)
check_c_compiler_flag("-mmemset-strategy=${tg_strategy}" TG_HAVE_MEMSET_STRATEGY)
if(TG_HAVE_MEMSET_STRATEGY)
    target_compile_options(tg_settings INTERFACE
        "-mmemset-strategy=${tg_strategy}" "-mmemcpy-strategy=${tg_strategy}")
endif()
target_include_directories(tg_settings INTERFACE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")

set(tg_sanitizers ${TG_SANITIZE})
if(TG_FUZZ)
    list(APPEND tg_sanitizers fuzzer-no-link address undefined)
endif()
if(tg_sanitizers)
    list(JOIN tg_sanitizers "," names)
    target_compile_options(tg_settings INTERFACE
        -fsanitize=${names} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(tg_settings INTERFACE -fsanitize=${names})
endif()
if(TG_COVERAGE) # of the library's objects, see tg_add_objects; nobody counts lines of tests
    target_link_options(tg_settings INTERFACE --coverage)
endif()

# Object files of one instruction set, see interp/elementwise/elementwise.h.  Always optimised: they are loops over
# elements, hopeless without.  Errno and traps of C's math functions play no part in their meaning.
# Loops that ask to be vectorised cannot be everywhere: the baseline of x86 has no fused multiply-add.
set(tg_isa_flags $<IF:$<CONFIG:Debug>,-O1,-O3> -fno-math-errno -fno-trapping-math
    $<$<C_COMPILER_ID:Clang,AppleClang>:-Wno-pass-failed>)
set(tg_isa_list baseline)
set(tg_isa_flags_baseline "")
# The parsers that are fuzzed are the same on all instruction sets.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT TG_FUZZ)
    list(APPEND tg_isa_list avx2 avx512)
    target_compile_definitions(tg_settings INTERFACE TG_X86_ISAS)
    set(tg_isa_flags_avx2 -mavx2 -mfma -mf16c)
    set(tg_isa_flags_avx512 ${tg_isa_flags_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq
        -mprefer-vector-width=512)
endif()
