# SPDX-License-Identifier: MIT
# texts.cmake -- writes files as texts of a C file
#
#     cmake -DHEADER=<name> -DTYPE=<type> -DLIST=<name> -DCOUNT=<name> -DOUTPUT=<file>
#           -DFILES=<file>,... -P texts.cmake
#
# Bytes are numbers, so that nothing in a text has to be quoted.
cmake_minimum_required(VERSION 3.22)

string(REPLACE "," ";" files "${FILES}")
set(texts "")
set(rows "")
foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND texts "static const char text_${name}[] = {\n${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n${texts}
const ${TYPE} ${LIST}[] = {\n${rows}};
const size_t ${COUNT} = sizeof ${LIST} / sizeof ${LIST}[0];\n")
