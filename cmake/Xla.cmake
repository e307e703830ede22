# libtilegrind_xla: the target that JAX calls.  A library of its own beside libtilegrind; it uses the public
# header only, and nothing of JAX or XLA, whose table of functions comes with each call.
file(GLOB tg_xla_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/xla/*.c")
add_library(tg_xla OBJECT ${tg_xla_sources}) # the tests have it too
target_link_libraries(tg_xla PRIVATE tg_settings Threads::Threads)
target_compile_definitions(tg_xla PRIVATE _POSIX_C_SOURCE=200809L) # open_memstream
add_library(tilegrind_xla SHARED $<TARGET_OBJECTS:tg_xla>)
# Tasks that XLA's threads have not begun yet are calls of its code.
target_link_options(tilegrind_xla PRIVATE $<$<BOOL:${TG_HAVE_NODELETE}>:-Wl,-z,nodelete>)
target_link_libraries(tilegrind_xla PRIVATE $<BUILD_INTERFACE:tg_settings> tilegrind_shared Threads::Threads)
set_target_properties(tilegrind_xla PROPERTIES LINKER_LANGUAGE C BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")

if(SKBUILD)
    install(TARGETS tilegrind_xla LIBRARY DESTINATION tilegrind)
else()
    install(TARGETS tilegrind_xla)
endif()
