# cmake -DFOLDER=... -DOUT=page_html.c -P EmbedPage.cmake
# Writes page.html as an array of C, "@NAME@" in it replaced by the file NAME of the folder.  All of it as hexadecimal
# digits, since brackets and semicolons mean something in CMake's texts.
file(READ "${FOLDER}/page.html" page HEX)
file(GLOB parts RELATIVE "${FOLDER}" "${FOLDER}/*.css" "${FOLDER}/*.js")
foreach(part IN LISTS parts)
    string(HEX "@${part}@" mark)
    file(READ "${FOLDER}/${part}" content HEX)
    string(FIND "${page}" "${mark}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "page.html does not include ${part}")
    endif()
    string(REPLACE "${mark}" "${content}" page "${page}")
endforeach()
string(LENGTH "${page}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," page "${page}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" page "${page}")
file(WRITE "${OUT}" "#include \"cli/page.h\"\n\nconst size_t tg_page_html_size = ${size};\nconst unsigned char tg_page_html[] = {\n${page}};\n")
