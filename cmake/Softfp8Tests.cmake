# SPDX-License-Identifier: MIT
# Softfp8Tests.cmake -- how tests that are scripts, and programs without a framework, are listed

# A program of one file, or of several: softfp8_program(NAME "LIBRARY..." SOURCE...).
function(softfp8_program name libraries)
    add_executable(${name} ${ARGN})
    softfp8_compile_options(${name})
    target_link_libraries(${name} PRIVATE ${libraries})
endfunction()

# A test by a script, in a folder of its own, see run_test.sh. PROGRAM is a name in bin, or none:
# softfp8_script(NAME SCRIPT PROGRAM [PROPERTY VALUE...]...), with the properties below.
function(softfp8_script name script program)
    get_filename_component(script "${script}" ABSOLUTE)
    add_test(NAME ${name}
        COMMAND sh "${PROJECT_SOURCE_DIR}/tools/softfp8/tests/run_test.sh" "${script}"
            "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program}" "${PROJECT_SOURCE_DIR}")
    string(REGEX REPLACE "[.].*" "" room "${name}")
    set(single TIMEOUT SKIP_RETURN_CODE SKIP_REGULAR_EXPRESSION FIXTURES_REQUIRED)
    cmake_parse_arguments(PARSE_ARGV 3 given "" "${single}" "LABELS;ENVIRONMENT")
    set_tests_properties(${name} PROPERTIES LABELS ${room} TIMEOUT 600)
    foreach(property LABELS ENVIRONMENT ${single})
        if(DEFINED given_${property})
            set_property(TEST ${name} PROPERTY ${property} ${given_${property}})
        endif()
    endforeach()
endfunction()

# Checks in C, each with a main() of its own, in one program: `PROGRAM NAME` runs check_NAME.c, and so
# does the test ROOM.NAME. softfp8_checks(PROGRAM ROOM SOURCE...). Nothing may change what they
# compute with floats and doubles of the C library.
function(softfp8_checks program room)
    set(declared)
    set(rows)
    set(sources)
    foreach(source IN LISTS ARGN)
        get_filename_component(source "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME_WE)
        string(REGEX REPLACE "^check_" "" test "${name}")
        string(APPEND declared "int ${name}(void);\n")
        string(APPEND rows "    {\"${test}\", ${name}},\n")
        set(part "${CMAKE_CURRENT_BINARY_DIR}/${program}/${name}.c")
        file(CONFIGURE OUTPUT "${part}" CONTENT "#define main ${name}\n#include \"${source}\"\n")
        list(APPEND sources "${part}")
        add_test(NAME ${room}.${test} COMMAND ${program} ${test})
        set_tests_properties(${room}.${test} PROPERTIES LABELS ${room} TIMEOUT 600)
    endforeach()
    configure_file("${PROJECT_SOURCE_DIR}/cmake/checks.c.in" "${program}/checks.c" @ONLY)
    softfp8_program(${program} m ${sources} "${CMAKE_CURRENT_BINARY_DIR}/${program}/checks.c")
    if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
        target_compile_options(${program} PRIVATE -fno-fast-math -ffp-contract=off)
    endif()
endfunction()

# Two seconds of a fuzzer, the same every time: softfp8_fuzzer(ROOM SOURCE "LIBRARY..." OPTION...). Its
# seeds are in corpus/NAME.
function(softfp8_fuzzer room source libraries)
    get_filename_component(name "${source}" NAME_WE)
    softfp8_program(${name} "${libraries};-fsanitize=fuzzer" "${source}")
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    set(options -seed=1 -max_total_time=2 ${ARGN})
    string(REGEX REPLACE "^fuzz_" "" corpus "${name}")
    file(GLOB seeds "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${corpus}/*")
    if(seeds)
        string(REPLACE ";" "," seeds "${seeds}")
        list(APPEND options -timeout=10 -close_fd_mask=3 -seed_inputs=${seeds})
    endif()
    add_test(NAME ${room}.${name} COMMAND ${name} ${options})
    set_tests_properties(${room}.${name} PROPERTIES LABELS fuzz TIMEOUT 300
        WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
