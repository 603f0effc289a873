# SPDX-License-Identifier: MIT
# Softfp8Options.cmake -- what every target of the project is compiled with

# SF8_CORE_CALLS: the compiler decides what of the core it inlines. Forced, it takes several times as
# long. Files where formats are constants have an #undef.
function(softfp8_compile_options target)
    target_compile_definitions(${target} PRIVATE SF8_CORE_CALLS)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
    if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
        target_compile_options(${target} PRIVATE
            -Wall -Wextra -Wconversion -Wshadow -pedantic $<$<BOOL:${SOFTFP8_WERROR}>:-Werror>)
    endif()
endfunction()

# A program that is carried to another machine: one stripped file. Libraries whose functions it does
# not call are left out.
function(softfp8_carried target)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        target_link_options(${target} PRIVATE -s -static-libgcc -Wl,--as-needed)
    endif()
endfunction()
