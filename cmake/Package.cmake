# What `cmake --install` writes besides the command: library, header, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)
set(tg_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilegrind")

install(DIRECTORY include/tilegrind DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tilegrind_shared EXPORT tilegrind-targets)
install(EXPORT tilegrind-targets NAMESPACE tilegrind:: DESTINATION ${tg_package_dir})
# The static library has dependencies that users of the shared one need not have, hence its own file.
install(TARGETS tilegrind_static EXPORT tilegrind-static-targets)
install(EXPORT tilegrind-static-targets NAMESPACE tilegrind:: DESTINATION ${tg_package_dir})

configure_package_config_file(cmake/tilegrind-config.cmake.in tilegrind-config.cmake
    INSTALL_DESTINATION ${tg_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(tilegrind-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tilegrind-config.cmake"
              "${PROJECT_BINARY_DIR}/tilegrind-config-version.cmake"
        DESTINATION ${tg_package_dir})

set(tg_sleef_required "")
if(TG_HAVE_SLEEF)
    set(tg_sleef_required " sleef")
endif()
configure_file(tilegrind.pc.in tilegrind.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilegrind.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
