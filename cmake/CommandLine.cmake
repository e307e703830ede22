# The command `tilegrind`.  It holds the static library: one file, and no search for the shared one.
file(GLOB tg_cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
if(tg_cli_sources)
    # The template of the page that --html writes, as an array.
    file(GLOB tg_page CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/page/*")
    set(tg_page_source "${CMAKE_CURRENT_BINARY_DIR}/page_html.c")
    add_custom_command(OUTPUT "${tg_page_source}"
        COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/cli/page -DOUT=${tg_page_source}
                -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
        DEPENDS ${tg_page} "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake" VERBATIM)
    add_executable(tilegrind_cli ${tg_cli_sources} "${tg_page_source}")
    set_target_properties(tilegrind_cli PROPERTIES OUTPUT_NAME tilegrind)
    target_link_libraries(tilegrind_cli PRIVATE tilegrind_static)
    target_compile_definitions(tilegrind_cli PRIVATE
        TG_BUILT_WITH="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
        TG_CJSON_VERSION="${CJSON_VERSION}" TG_LIBZIP_VERSION="${LIBZIP_VERSION}"
        $<$<BOOL:${TG_HAVE_SLEEF}>:TG_SLEEF_VERSION="${SLEEF_VERSION}">)
    if(SKBUILD) # where python/tilegrind/__main__.py looks for it
        install(TARGETS tilegrind_cli RUNTIME DESTINATION tilegrind/bin)
    else()
        install(TARGETS tilegrind_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endif()
