# The library: objects once, then shared and static from them.
set(tg_objects "")

file(GLOB tg_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     base/*.c emulator/*.c inline_ptx/*.c layout/*.c layout/*/*.c ir/*.c verify/*.c plan/*.c lower/*.c physical/*.c loaders/*.c report/*.c
     interp/state/*.c interp/elementwise/*.c interp/blocks/*.c interp/memory/*.c interp/sync/*.c interp/spin/*.c interp/exec/*.c
     checks/*.c checks/*/*.c run/*.c
     schedule/*.c
     gpu_backend/*.c gpu_backend/text/*.c gpu_backend/elementwise/*.c gpu_backend/emit/*.c gpu_backend/instructions/*.c
     gpu_backend/kernel/*.c gpu_backend/device/*.c crosscheck/*.c bounds/*.c api/*.c)
set(tg_isa_sources ${tg_sources})
list(FILTER tg_isa_sources INCLUDE REGEX "/isa_[^/]*\\.c$")
list(FILTER tg_sources EXCLUDE REGEX "/isa_[^/]*\\.c$")

set(tg_sleef "")
set(tg_sleef_static "")
if(TG_HAVE_SLEEF)
    set(tg_sleef PkgConfig::SLEEF)
    set(tg_sleef_static $<BUILD_INTERFACE:PkgConfig::SLEEF> $<INSTALL_INTERFACE:sleef>)
endif()

# tg_add_objects(NAME SOURCES...): an object library with the settings and dependencies of all.
function(tg_add_objects name)
    add_library(${name} OBJECT ${ARGN})
    target_link_libraries(${name} PRIVATE
        tg_settings PkgConfig::CJSON PkgConfig::LIBZIP Threads::Threads ${tg_sleef})
    target_compile_definitions(${name} PRIVATE $<$<BOOL:${TG_HAVE_SLEEF}>:TG_HAVE_SLEEF>)
    # Not of wider instruction sets, which are the same lines once more.  Threads may lose counts of each other, but hardly
    # all counts of a line; with -fprofile-update=atomic everything takes twice as long.
    if(TG_COVERAGE AND NOT name MATCHES "_avx")
        target_compile_options(${name} PRIVATE --coverage)
    endif()
    set(tg_objects ${tg_objects} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

tg_add_objects(tg_core ${tg_sources})
# The one file with pragmas of OpenMP; everything else calls it.
set_source_files_properties(base/executor_openmp.c TARGET_DIRECTORY tg_core PROPERTIES COMPILE_OPTIONS "${OpenMP_C_FLAGS}")
if(tg_isa_sources)
    foreach(isa IN LISTS tg_isa_list)
        tg_add_objects(tg_isa_${isa} ${tg_isa_sources})
        target_compile_definitions(tg_isa_${isa} PRIVATE TG_ISA=${isa})
        target_compile_options(tg_isa_${isa} PRIVATE ${tg_isa_flags} ${tg_isa_flags_${isa}})
    endforeach()
endif()

add_library(tilegrind_shared SHARED ${tg_objects})
add_library(tilegrind_static STATIC ${tg_objects})
add_library(tilegrind::tilegrind ALIAS tilegrind_shared)
add_library(tilegrind::static ALIAS tilegrind_static)
foreach(library IN ITEMS tilegrind_shared tilegrind_static)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME tilegrind LINKER_LANGUAGE C)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
target_link_libraries(tilegrind_shared PRIVATE
    $<BUILD_INTERFACE:tg_settings> PkgConfig::CJSON PkgConfig::LIBZIP ${OpenMP_C_LIBRARIES} Threads::Threads
    ${tg_sleef} ${CMAKE_DL_LIBS} m)
target_link_options(tilegrind_shared PRIVATE $<$<NOT:$<BOOL:${tg_sanitizers}>>:-Wl,--no-undefined>)
# What is linked in from archives is not for others to call: two libraries of one process may hold two versions of it.
include(CheckLinkerFlag)
check_linker_flag(C "-Wl,--exclude-libs,ALL" TG_HAVE_EXCLUDE_LIBS)
target_link_options(tilegrind_shared PRIVATE $<$<BOOL:${TG_HAVE_EXCLUDE_LIBS}>:-Wl,--exclude-libs,ALL>)
# Threads that OpenMP keeps from run to run sleep in its code, which dlclose would take away with the library.
check_linker_flag(C "-Wl,-z,nodelete" TG_HAVE_NODELETE)
target_link_options(tilegrind_shared PRIVATE $<$<BOOL:${TG_HAVE_NODELETE}>:-Wl,-z,nodelete>)
target_link_libraries(tilegrind_static INTERFACE
    $<BUILD_INTERFACE:tg_settings> $<BUILD_INTERFACE:PkgConfig::CJSON>
    $<BUILD_INTERFACE:PkgConfig::LIBZIP> $<INSTALL_INTERFACE:cjson> $<INSTALL_INTERFACE:zip>
    "$<BUILD_INTERFACE:${OpenMP_C_LIBRARIES}>" $<INSTALL_INTERFACE:${tg_openmp_name}>
    ${tg_sleef_static} Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(tilegrind_static PROPERTIES EXPORT_NAME static)
set_target_properties(tilegrind_shared PROPERTIES EXPORT_NAME tilegrind)

if(SKBUILD) # in a wheel the library lies beside the Python files, under one plain name
    install(TARGETS tilegrind_shared LIBRARY DESTINATION tilegrind)
    if(TG_LICENSES) # of what the wheel holds besides Tilegrind
        install(DIRECTORY "${TG_LICENSES}/" DESTINATION "${SKBUILD_METADATA_DIR}/licenses")
    endif()
else()
    set_target_properties(tilegrind_shared PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endif()
