# tests/test_*.c make one Criterion program; tests/fuzz_*.c one libFuzzer program each.
file(GLOB tg_test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/test_*.c")
if(TG_HAVE_MPFR)
    list(APPEND tg_test_sources "${PROJECT_SOURCE_DIR}/tests/numerics_reference.c")
else()
    list(FILTER tg_test_sources EXCLUDE REGEX "/test_numerics\\.c$")
endif()

list(APPEND tg_test_sources "${PROJECT_SOURCE_DIR}/tests/ptx_rows.c")

# Random kernels, for the tests and for a program of its own that tries as many as it is told to.
if(NOT TG_FUZZ)
    file(GLOB tg_random_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/random/*.c")
    list(FILTER tg_random_sources EXCLUDE REGEX "/main\\.c$")
    add_library(tg_random STATIC ${tg_random_sources})
    target_include_directories(tg_random PUBLIC "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(tg_random PUBLIC tilegrind_static)
    add_executable(random_programs tests/random/main.c)
    target_link_libraries(random_programs PRIVATE tg_random)
endif()

# The laws of layouts and the tables of expected results, for the tests and for programs of their own.
if(NOT TG_FUZZ)
    file(GLOB tg_law_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/layouts/*.c")
    list(FILTER tg_law_sources EXCLUDE REGEX "/main_[a-z]+\\.c$")
    add_library(tg_laws STATIC ${tg_law_sources})
    target_include_directories(tg_laws PUBLIC "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(tg_laws PUBLIC tilegrind_static PkgConfig::CJSON)
    foreach(kind IN ITEMS laws judges)
        add_executable(layout_${kind} tests/layouts/main_${kind}.c)
        target_link_libraries(layout_${kind} PRIVATE tg_laws)
    endforeach()
    add_executable(layout_speed bench/layout_speed.c)
    target_link_libraries(layout_speed PRIVATE tilegrind_static)
endif()

if(tg_test_sources AND NOT TG_FUZZ)
    add_executable(tilegrind_tests ${tg_test_sources} $<TARGET_OBJECTS:tg_xla>)
    target_link_libraries(tilegrind_tests PRIVATE tg_laws tg_random tilegrind_static PkgConfig::CRITERION)
    target_link_libraries(tilegrind_tests PRIVATE PkgConfig::CJSON PkgConfig::LIBZIP)
    target_compile_definitions(tilegrind_tests PRIVATE $<$<BOOL:${TG_HAVE_SLEEF}>:TG_HAVE_SLEEF>)
    # To optimise so many assertions takes longer than to run them, but in tests that compute much themselves.
    set(tg_quick_tests ${tg_test_sources})
    list(FILTER tg_quick_tests EXCLUDE REGEX
         "/(test_(blocks_.*|lanes_.*|machine_ops|machine_random|numerics|ptx_forms|ptx_lanes)|numerics_reference|ptx_rows)\\.c$")
    set_source_files_properties(${tg_quick_tests} PROPERTIES COMPILE_OPTIONS -O0)
    if(TG_HAVE_MPFR)
        target_link_libraries(tilegrind_tests PRIVATE mpfr gmp)
    endif()
    # A driver of GPUs for machines that have none, and one that lacks what drivers may lack.
    foreach(driver IN ITEMS fake_driver fake_old_driver)
        add_library(tg_${driver} MODULE tests/gpu/fake_driver.c)
        target_link_libraries(tg_${driver} PRIVATE tg_settings)
        target_include_directories(tg_${driver} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
        string(TOUPPER "TG_${driver}" name)
        target_compile_definitions(tilegrind_tests PRIVATE ${name}="$<TARGET_FILE:tg_${driver}>")
        add_dependencies(tilegrind_tests tg_${driver})
    endforeach()
    target_compile_definitions(tg_fake_old_driver PRIVATE FAKE_CUDA_OLD)
    # What we say of the real one, held against its header.
    find_path(TG_CUDA_INCLUDE cuda.h PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include)
    if(TG_CUDA_INCLUDE)
        set_source_files_properties(tests/test_driver_header.c PROPERTIES
            COMPILE_DEFINITIONS TG_HAVE_CUDA_H COMPILE_OPTIONS "-isystem;${TG_CUDA_INCLUDE}")
    else()
        message(STATUS "The prototypes of the CUDA driver are not compared with its header: no cuda.h")
    endif()
    add_test(NAME unit COMMAND tilegrind_tests WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    # Tests run side by side, on more threads than there are processors: those that wait shall not spin.
    set_tests_properties(unit PROPERTIES TIMEOUT 1500 ENVIRONMENT OMP_WAIT_POLICY=passive)
endif()

# The same bits from every instruction set of this machine; tools/check_aarch64.sh asks another one.
if(NOT TG_FUZZ)
    add_executable(lanes_digest tests/lanes_digest.c)
    target_link_libraries(lanes_digest PRIVATE tilegrind_static)
    add_test(NAME same-bits COMMAND sh "${PROJECT_SOURCE_DIR}/tools/check_same_bits.sh"
                                    $<TARGET_FILE:lanes_digest> ${tg_isa_list})
endif()

# For the certificate of numbers, conformance/numerics/certify.py, and for the forms in PTX: these run for long and
# only on the machine that builds them, hence their own options.  None of them changes a value.
function(tg_add_verifier name)
    add_executable(${name} tests/${name}.c ${ARGN})
    target_link_libraries(${name} PRIVATE tilegrind_static)
    target_compile_options(${name} PRIVATE -O3 -fno-math-errno -fno-trapping-math)
    foreach(flag IN ITEMS -march=native -mprefer-vector-width=512)
        string(MAKE_C_IDENTIFIER "TG_HAS${flag}" has)
        check_c_compiler_flag(${flag} ${has})
        target_compile_options(${name} PRIVATE $<$<BOOL:${${has}}>:${flag}>)
    endforeach()
endfunction()

if(NOT TG_FUZZ)
    include(CheckCCompilerFlag)
    tg_add_verifier(verify_forms tests/ptx_rows.c)
endif()
if(TG_HAVE_MPFR AND NOT TG_FUZZ)
    tg_add_verifier(verify_elementary tests/numerics_reference.c)
    target_link_libraries(verify_elementary PRIVATE mpfr gmp)
    tg_add_verifier(verify_bounds tests/numerics_reference.c)
    target_link_libraries(verify_bounds PRIVATE PkgConfig::CRITERION PkgConfig::CJSON mpfr gmp)
endif()

# What the header promises is what the shared library exports, and nothing else of ours.
add_test(NAME exports
    COMMAND sh "${PROJECT_SOURCE_DIR}/tools/check_exports.sh" $<TARGET_FILE:tilegrind_shared>
            "${PROJECT_SOURCE_DIR}/include/tilegrind")

if(TG_FUZZ)
    file(GLOB tg_fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz_*.c")
    foreach(source IN LISTS tg_fuzz_sources)
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        target_link_libraries(${name} PRIVATE tilegrind_static)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endforeach()
endif()

# Measures errors on all operands, see docs/numerics-fast.md; run by hand.
if(TG_HAVE_SLEEF)
    add_executable(measure_fast tests/measure_fast.c)
    target_link_libraries(measure_fast PRIVATE tilegrind_static)
endif()

# What a benchmark compares rates with, see bench/yardstick.py.
if(TG_HAVE_SLEEF AND avx2 IN_LIST tg_isa_list)
    add_library(sleef_exp MODULE bench/sleef_exp.c)
    set_target_properties(sleef_exp PROPERTIES C_VISIBILITY_PRESET default)
    target_compile_options(sleef_exp PRIVATE -O2 -mavx2 -mfma)
    target_link_libraries(sleef_exp PRIVATE PkgConfig::SLEEF)
endif()
