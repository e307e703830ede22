# What is needed from outside, each missing one named with its Debian package.  See docs/dependencies.md.
include(CheckLibraryExists)
find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
    message(FATAL_ERROR "pkg-config is missing (Debian, Ubuntu: apt install pkg-config)")
endif()

# tg_require(NAME MODULE PACKAGE): the pkg-config module as target PkgConfig::NAME, or an error.
macro(tg_require name module package)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
    if(NOT ${name}_FOUND)
        message(FATAL_ERROR "${module} is missing (Debian, Ubuntu: apt install ${package})")
    endif()
endmacro()

tg_require(CJSON libcjson libcjson-dev)
tg_require(LIBZIP libzip libzip-dev)
find_package(OpenMP QUIET COMPONENTS C)
if(NOT OpenMP_C_FOUND)
    message(FATAL_ERROR "OpenMP is missing for ${CMAKE_C_COMPILER} "
        "(Debian, Ubuntu: it comes with gcc; for clang apt install libomp-dev)")
endif()
if(TG_TESTS AND NOT SKBUILD)
    tg_require(CRITERION criterion libcriterion-dev)
    check_library_exists(mpfr mpfr_init2 "" TG_HAVE_MPFR) # for the exhaustive checks of roundings
endif()
