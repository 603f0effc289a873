# SPDX-License-Identifier: MIT
# Softfp8Reference.cmake -- the target `reference`: the HTML reference of the public headers
find_program(SOFTFP8_DOXYGEN doxygen)
mark_as_advanced(SOFTFP8_DOXYGEN)
if(NOT SOFTFP8_DOXYGEN)
    softfp8_not_run(docs.reference "no doxygen")
    return()
endif()
file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lib/include/*.h"
    "${PROJECT_SOURCE_DIR}/lib/diagnose/include/*.h")
list(APPEND headers "${PROJECT_SOURCE_DIR}/cmake/mainpage.dox")
foreach(core number/format number/mixed number/policy blocks/layout kv/layout kv/caches kv/image)
    list(APPEND headers "${PROJECT_SOURCE_DIR}/lib/core/softfp8/${core}.h")
endforeach()
list(TRANSFORM headers REPLACE "^(.+)$" "\"\\1\"")
list(JOIN headers " " SOFTFP8_REFERENCE_INPUT)
configure_file("${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)
set(command "${CMAKE_COMMAND}" "-DDOXYGEN=${SOFTFP8_DOXYGEN}"
    "-DDOXYFILE=${PROJECT_BINARY_DIR}/Doxyfile" "-DOUTPUT=${PROJECT_BINARY_DIR}/reference"
    -P "${PROJECT_SOURCE_DIR}/cmake/reference.cmake")
add_custom_target(reference COMMAND ${command} COMMENT "Writing the reference" VERBATIM)
if(BUILD_TESTING)
    add_test(NAME docs.reference COMMAND ${command})
endif()
