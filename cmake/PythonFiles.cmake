# The Python package of an installed tree: share/tilegrind/python, a folder for Python's path, with the package and what says
# that it is installed.  Program and libraries are not copied there; links lie where the package looks for them in a wheel.
set(tg_python_dir "${CMAKE_INSTALL_DATADIR}/tilegrind/python")
set(tg_links "${PROJECT_BINARY_DIR}/python-links")

# tg_python_link(NAME FOLDER TARGET): installs NAME of the package as a link to TARGET, relative, so that the tree may be moved.
function(tg_python_link name folder target)
    set(link "/prefix/${tg_python_dir}/tilegrind/${name}")
    get_filename_component(from "${link}" DIRECTORY)
    file(RELATIVE_PATH to "${from}" "/prefix/${folder}/${target}")
    get_filename_component(base "${name}" NAME)
    file(MAKE_DIRECTORY "${tg_links}")
    file(CREATE_LINK "${to}" "${tg_links}/${base}" SYMBOLIC)
    file(RELATIVE_PATH destination "/prefix" "${from}")
    install(FILES "${tg_links}/${base}" DESTINATION "${destination}")
endfunction()

install(DIRECTORY python/tilegrind python/tilegrind_triton_plugin DESTINATION ${tg_python_dir} FILES_MATCHING PATTERN "*.py" PATTERN "*.json"
        PATTERN "*.html" PATTERN "*.css" PATTERN "*.js" PATTERN "suite.zip" PATTERN __pycache__ EXCLUDE)
tg_python_link(bin/tilegrind ${CMAKE_INSTALL_BINDIR} tilegrind)
tg_python_link(libtilegrind.so ${CMAKE_INSTALL_LIBDIR} libtilegrind.so.${PROJECT_VERSION_MAJOR})
tg_python_link(libtilegrind_xla.so ${CMAKE_INSTALL_LIBDIR} libtilegrind_xla.so)

# What pip, importlib.metadata and pytest read; pyproject.toml says the same, and tools/check_packages.py compares them.
set(tg_metadata "${PROJECT_BINARY_DIR}/python-metadata")
configure_file(cmake/python/METADATA.in "${tg_metadata}/METADATA" @ONLY)
install(FILES "${tg_metadata}/METADATA" cmake/python/entry_points.txt cmake/python/INSTALLER
        DESTINATION "${tg_python_dir}/tilegrind-${PROJECT_VERSION}.dist-info")

# The commands that are modules of the package (cli/packaged.def), as programs beside the command.
file(STRINGS cli/packaged.def tg_packaged REGEX "^TG_PACKAGED\\(")
foreach(row ${tg_packaged})
    string(REGEX REPLACE "^TG_PACKAGED\\(\"([^\"]+)\".*" "\\1" name "${row}")
    file(RELATIVE_PATH to_package "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${tg_python_dir}")
    configure_file(cmake/python/packaged_command.in "${tg_metadata}/tilegrind-${name}" @ONLY)
    install(PROGRAMS "${tg_metadata}/tilegrind-${name}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
endforeach()
