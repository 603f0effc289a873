# SPDX-License-Identifier: MIT
# wasm.cmake -- a toolchain: the command for WebAssembly, one module of WASI, by clang and wasi-libc
#
# tools/wasm/ has what the command uses of POSIX and WASI lacks; processes cannot be started.
set(CMAKE_SYSTEM_NAME Generic) # CMake 3.25 has no name for WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(SOFTFP8_WASM "${CMAKE_CURRENT_LIST_DIR}/../tools/wasm")
set(CMAKE_C_FLAGS_INIT "-isystem ${SOFTFP8_WASM}/include -include posix.h -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID")
# The stack of a Linux program, below the data, so that a stack that is too small is an error.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-lwasi-emulated-signal -lwasi-emulated-getpid -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=8388608")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
