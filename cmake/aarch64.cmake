# SPDX-License-Identifier: MIT
# aarch64.cmake -- a toolchain: for 64-bit Arm under Linux, tests in QEMU's user mode
#
# Programs are static, so that the emulator needs no libraries of that architecture.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

find_program(SOFTFP8_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(SOFTFP8_QEMU)
if(SOFTFP8_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${SOFTFP8_QEMU}")
endif()

# Libraries of this machine cannot be used for that one.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
