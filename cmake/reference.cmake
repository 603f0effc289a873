# SPDX-License-Identifier: MIT
# reference.cmake -- makes the HTML reference, and fails if a public name is not documented
#
#     cmake -DDOXYGEN=<program> -DDOXYFILE=<file> -DOUTPUT=<folder> -P reference.cmake
#
# A field of a structure may be left to the comment of its structure. Every other warning of Doxygen
# is an error.
file(MAKE_DIRECTORY "${OUTPUT}")
execute_process(COMMAND "${DOXYGEN}" "${DOXYFILE}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "doxygen stopped: ${status}")
endif()
file(STRINGS "${OUTPUT}/warnings" warnings)
list(FILTER warnings EXCLUDE REGEX "Member .* \\(variable\\) of struct .* is not documented")
if(warnings)
    list(JOIN warnings "\n" warnings)
    message("${warnings}")
    message(FATAL_ERROR "a comment in a public header is missing, or does not fit")
endif()
file(READ "${OUTPUT}/html/softfp8__formats_8h.html" page)
if(NOT page MATCHES ">sf8_f32_to_e4m3<")
    message(FATAL_ERROR "the reference does not have sf8_f32_to_e4m3")
endif()
message("${OUTPUT}/html/index.html")
