# SPDX-License-Identifier: MIT
# Softfp8Optional.cmake -- finds optional dependencies, and lists at the end what was left out
#
# Sets, each empty if missing: the targets Softfp8::mpfr and Softfp8::criterion, the programs
# SOFTFP8_CXX and SOFTFP8_NVCC. softfp8_summary() prints the table.

find_package(PkgConfig QUIET)
find_package(Threads)

# An imported target for a library that pkg-config knows, or that is where the compiler searches.
function(softfp8_find target package header libraries)
    if(PkgConfig_FOUND)
        pkg_check_modules(SOFTFP8_${package} QUIET IMPORTED_TARGET ${package})
    endif()
    if(SOFTFP8_${package}_FOUND)
        add_library(${target} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(${target} INTERFACE PkgConfig::SOFTFP8_${package})
        set(version "${SOFTFP8_${package}_VERSION}")
    else()
        find_path(SOFTFP8_${package}_INCLUDE ${header})
        mark_as_advanced(SOFTFP8_${package}_INCLUDE)
        set(paths)
        foreach(library IN LISTS libraries)
            find_library(SOFTFP8_${library}_LIBRARY ${library})
            mark_as_advanced(SOFTFP8_${library}_LIBRARY)
            list(APPEND paths "${SOFTFP8_${library}_LIBRARY}")
        endforeach()
        if(NOT SOFTFP8_${package}_INCLUDE OR "${paths}" MATCHES "NOTFOUND")
            return()
        endif()
        add_library(${target} INTERFACE IMPORTED GLOBAL)
        target_include_directories(${target} INTERFACE "${SOFTFP8_${package}_INCLUDE}")
        target_link_libraries(${target} INTERFACE ${paths})
        set(version "found")
    endif()
    set(SOFTFP8_${package}_SHOWN "${package} ${version}" PARENT_SCOPE)
endfunction()

# mpfr first: a static libmpfr needs gmp after it.
softfp8_find(Softfp8::mpfr mpfr mpfr.h "mpfr;gmp")
softfp8_find(Softfp8::gmp gmp gmp.h "gmp")
softfp8_find(Softfp8::criterion criterion criterion/criterion.h "criterion")

if(DEFINED ENV{CXX})
    find_program(SOFTFP8_CXX NAMES "$ENV{CXX}")
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
    find_program(SOFTFP8_CXX NAMES clang++ c++)
else()
    find_program(SOFTFP8_CXX NAMES g++ c++)
endif()

# code for sm_90a, and the C++17 that the checks ask for, came with CUDA 12.0
find_program(SOFTFP8_NVCC NAMES nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH
             PATHS /usr/local/cuda PATH_SUFFIXES bin)
set(SOFTFP8_NVCC_VERSION "")
if(SOFTFP8_NVCC)
    execute_process(COMMAND "${SOFTFP8_NVCC}" --version OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "release ([0-9]+\\.[0-9]+)")
        set(SOFTFP8_NVCC_VERSION "${CMAKE_MATCH_1}")
    endif()
endif()
mark_as_advanced(SOFTFP8_CXX SOFTFP8_NVCC)

# A test that cannot run here: ctest counts it as skipped and shows the reason.
function(softfp8_not_run name why)
    if(BUILD_TESTING)
        add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${why}")
        set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped")
    endif()
endfunction()

# One row of the table: what was found, or why the part is left out.
function(softfp8_row part wanted have shown missing)
    if(NOT wanted)
        set(text "left out: switched off")
    elseif(have)
        set(text "${shown}")
    else()
        set(text "left out: ${missing}")
    endif()
    message(STATUS "  ${part} ${text}")
endfunction()

function(softfp8_summary)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" flags)
    set(warnings "warnings")
    if(SOFTFP8_WERROR)
        set(warnings "warnings are errors")
    endif()
    set(kinds "static")
    if(SOFTFP8_SHARED)
        set(kinds "static and shared")
    endif()
    set(cuda_ok 0)
    if(SOFTFP8_NVCC_VERSION VERSION_GREATER_EQUAL 12.0)
        set(cuda_ok 1)
    endif()
    get_filename_component(cxx "${SOFTFP8_CXX}" NAME)
    message(STATUS "softfp8 ${PROJECT_VERSION}")
    message(STATUS "  library          ${kinds}")
    set(compiler "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
    message(STATUS "  compiler         ${compiler}, ${flags}, ${warnings}")
    softfp8_row("tests           " "${SOFTFP8_TESTS}" "${SOFTFP8_criterion_SHOWN}"
                "${SOFTFP8_criterion_SHOWN}" "needs Criterion (libcriterion-dev)")
    softfp8_row("proof           " "${SOFTFP8_PROOF}" "${SOFTFP8_mpfr_SHOWN}"
                "${SOFTFP8_mpfr_SHOWN}" "needs MPFR (libmpfr-dev, libgmp-dev)")
    set(host 1)
    set(device 1)
    if(SOFTFP8_GPU_MISSING)
        set(host 0)
    endif()
    if(SOFTFP8_DEVICE_MISSING)
        set(device 0)
    endif()
    softfp8_row("CUDA host paths " 1 ${host} "${SOFTFP8_CUDA_INCLUDE}" "${SOFTFP8_GPU_MISSING}")
    softfp8_row("GPU kernels     " 1 ${device} "sm_${SOFTFP8_SM}"
                "${SOFTFP8_DEVICE_MISSING}")
    if(device)
        softfp8_row("  machine code  " 1 "${SOFTFP8_CUOBJDUMP}" "${SOFTFP8_CUOBJDUMP}"
            "needs cuobjdump and nvdisasm; the environment variable SOFTFP8_CUOBJDUMP can name their folder")
    endif()
    softfp8_row("consumer tests  " "${SOFTFP8_CONSUMER_TESTS}" 1 "C" "")
    softfp8_row("  C++           " "${SOFTFP8_CONSUMER_TESTS}" "${SOFTFP8_CXX}" "${cxx}"
                "needs a C++ compiler")
    softfp8_row("  CUDA          " "${SOFTFP8_CONSUMER_TESTS}" ${cuda_ok}
                "nvcc ${SOFTFP8_NVCC_VERSION}" "needs the CUDA toolkit, 12.0 or later")
endfunction()
