# SPDX-License-Identifier: MIT
# emulated.cmake -- array functions on other processors than this one
#
# lib.neon               what arrays need, built apart for AArch64, in QEMU
# lib.masked_portable    this build, on a processor without AVX2
# lib.masked_avx2        on one without AVX-512: an instruction that it lacks ends the program
# lib.masked_valgrind    on what valgrind has, which watches the memory as well
find_program(SOFTFP8_AARCH64_CC aarch64-linux-gnu-gcc)
find_program(SOFTFP8_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
find_program(SOFTFP8_QEMU_X86_64 NAMES qemu-x86_64 qemu-x86_64-static)
find_program(SOFTFP8_VALGRIND valgrind)
mark_as_advanced(SOFTFP8_AARCH64_CC SOFTFP8_QEMU_AARCH64 SOFTFP8_QEMU_X86_64 SOFTFP8_VALGRIND)

if(SOFTFP8_AARCH64_CC AND SOFTFP8_QEMU_AARCH64)
    add_test(NAME lib.neon
        COMMAND "${CMAKE_CTEST_COMMAND}" --build-and-test "${PROJECT_SOURCE_DIR}"
            "${PROJECT_BINARY_DIR}/emulated" --build-noclean --build-generator "${CMAKE_GENERATOR}"
            --build-target check_arrays_alone
            --build-options
                "-DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/cross.cmake"
                -DSOFTFP8_TRIPLE=aarch64-linux-gnu -DSOFTFP8_EMULATOR=qemu-aarch64
                -DSOFTFP8_WERROR=${SOFTFP8_WERROR} -DSOFTFP8_SIMD=ON -DSOFTFP8_SHARED=OFF
                -DSOFTFP8_PROOF=OFF -DSOFTFP8_CONSUMER_TESTS=OFF
                # half the time to compile; `tools/test aarch64` has -O2
                "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG"
            --test-command
                "${SOFTFP8_QEMU_AARCH64}" bin/check_arrays_alone --sample portable neon)
    set_tests_properties(lib.neon PROPERTIES LABELS "lib;long" TIMEOUT 600)
elseif(SOFTFP8_QEMU_AARCH64)
    softfp8_not_run(lib.neon "no aarch64-linux-gnu-gcc")
else()
    softfp8_not_run(lib.neon "no qemu-aarch64")
endif()

function(softfp8_masked name)
    add_test(NAME lib.masked_${name} COMMAND ${ARGN})
    set_tests_properties(lib.masked_${name} PROPERTIES LABELS "lib;long" TIMEOUT 600)
endfunction()

# QEMU has AVX2 since 7.2.
set(qemu_version 0)
if(SOFTFP8_QEMU_X86_64)
    execute_process(COMMAND "${SOFTFP8_QEMU_X86_64}" --version OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "version ([0-9]+\\.[0-9]+)")
        set(qemu_version "${CMAKE_MATCH_1}")
    endif()
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT SOFTFP8_SIMD)
    return()
endif()
set(program $<TARGET_FILE:check_array_levels> --sample)
if(SOFTFP8_QEMU_X86_64)
    softfp8_masked(portable "${SOFTFP8_QEMU_X86_64}" -cpu Nehalem ${program} portable)
else()
    softfp8_not_run(lib.masked_portable "no qemu-x86_64")
endif()
if(qemu_version VERSION_GREATER_EQUAL 7.2)
    softfp8_masked(avx2 "${SOFTFP8_QEMU_X86_64}" -cpu Haswell ${program} portable avx2)
else()
    softfp8_not_run(lib.masked_avx2 "no qemu-x86_64, 7.2 or later")
endif()
if(SOFTFP8_VALGRIND)
    # its additions of vectors round to nearest, whatever MXCSR says
    softfp8_masked(valgrind "${SOFTFP8_VALGRIND}" -q --error-exitcode=1 ${program} --nearest)
    set_property(TEST lib.masked_valgrind APPEND PROPERTY LABELS rare)
else()
    softfp8_not_run(lib.masked_valgrind "no valgrind")
endif()
