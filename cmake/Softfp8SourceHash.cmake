# SPDX-License-Identifier: MIT
# Softfp8SourceHash.cmake -- the hash of sources, in a program whose long runs it names

# A file with the hash of the library's sources and of these files, as the second text of a table:
# softfp8_source_hash(OUTPUT TABLE FILE...). Jobs of different sources are not put together.
# The program that computes it does not exist in a cross build, whose jobs nobody keeps.
function(softfp8_source_hash output table)
    if(CMAKE_CROSSCOMPILING)
        file(WRITE "${output}" "#include <stddef.h>\n"
            "extern const char *const ${table}[];\n"
            "const char *const ${table}[] = {\"sources\", \"a cross build\", NULL, NULL};\n")
        return()
    endif()
    file(GLOB library CONFIGURE_DEPENDS
        "${PROJECT_SOURCE_DIR}/lib/include/*.h" "${PROJECT_SOURCE_DIR}/lib/include/*/*.h"
        "${PROJECT_SOURCE_DIR}/lib/core/*.h" "${PROJECT_SOURCE_DIR}/lib/core/*/*.h"
        "${PROJECT_SOURCE_DIR}/lib/core/*/*/*.h"
        "${PROJECT_SOURCE_DIR}/lib/simd/*.h" "${PROJECT_SOURCE_DIR}/lib/src/*.[ch]"
        "${PROJECT_SOURCE_DIR}/lib/src/*/*.[ch]")
    add_custom_command(OUTPUT "${output}"
        COMMAND softfp8-gpu-source_hash "${output}" sources ${library} ${ARGN}
        DEPENDS softfp8-gpu-source_hash ${library} ${ARGN} VERBATIM)
    set_source_files_properties("${output}" PROPERTIES
        COMPILE_DEFINITIONS gpu_source_table=${table})
endfunction()
