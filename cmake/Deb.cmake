# `cpack` in the build folder: a .deb with the command, the library, what C programs need of it, and the Python package.
# Its preset is `package`, whose prefix is /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilegrind)
set(CPACK_PACKAGE_CONTACT "Tilegrind developers <developers@tilegrind.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Runs Pallas and Triton kernels on the CPU, in any order of their programs, and tells what is wrong with them.
The command tilegrind, the C library with header, pkg-config and CMake files, and the Python package.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The depends of what is linked, by dpkg-shlibdeps; the static library needs more, as does Python.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3 (>= 3.11), python3-numpy, pkg-config, libcjson-dev, libzip-dev, libsleef-dev")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/deb/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The system's Python finds the package by this.  Only Debian has that folder, so no other installation writes it.
install(FILES cmake/deb/tilegrind.pth DESTINATION lib/python3/dist-packages COMPONENT deb EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilegrind RENAME copyright COMPONENT deb EXCLUDE_FROM_ALL)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL Unspecified deb)
include(CPack)
