# SPDX-License-Identifier: MIT
# cross.cmake -- a toolchain: for another processor under Linux, tests in QEMU's user mode
#
# The presets set SOFTFP8_TRIPLE, the prefix of the compiler, and SOFTFP8_EMULATOR, the name of QEMU's
# program, or nothing if this processor runs the programs itself. Programs are static, so that the
# emulator needs no libraries of that processor. SOFTFP8_DEBIAN is Debian's name for its libraries,
# if it is not the triple.
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${SOFTFP8_TRIPLE}")
set(CMAKE_C_COMPILER "${SOFTFP8_TRIPLE}-gcc")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
# The checks of the compiler read this file too.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SOFTFP8_TRIPLE SOFTFP8_EMULATOR SOFTFP8_DEBIAN)
if(NOT SOFTFP8_DEBIAN)
    set(SOFTFP8_DEBIAN "${SOFTFP8_TRIPLE}")
endif()

if(SOFTFP8_EMULATOR)
    find_program(SOFTFP8_QEMU NAMES ${SOFTFP8_EMULATOR} ${SOFTFP8_EMULATOR}-static)
    mark_as_advanced(SOFTFP8_QEMU)
endif()
if(SOFTFP8_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${SOFTFP8_QEMU}")
endif()

# Libraries of this machine cannot be used for that one; Debian puts those for it in these folders.
set(CMAKE_LIBRARY_ARCHITECTURE "${SOFTFP8_DEBIAN}")
set(CMAKE_FIND_ROOT_PATH "/usr/${SOFTFP8_TRIPLE}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/${SOFTFP8_DEBIAN}/pkgconfig")
