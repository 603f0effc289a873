# SPDX-License-Identifier: MIT
# amalgamate.cmake -- writes the whole library as one header
#
#     cmake -DSOURCE_DIR=<lib> -DOUTPUT=<file> -P amalgamate.cmake
#
# The public headers with the core, each once and in the order of inclusion; then, where
# SF8_IMPLEMENTATION is defined, the text of src/*/*.c. Text is cut and joined as strings, never as
# CMake lists, so semicolons and brackets in it mean nothing.
cmake_minimum_required(VERSION 3.22)

set_property(GLOBAL PROPERTY softfp8_seen "")

function(softfp8_resolve name from result)
    get_filename_component(here "${from}" DIRECTORY)
    foreach(dir IN ITEMS "${here}" "${SOURCE_DIR}/include" "${SOURCE_DIR}/core" "${SOURCE_DIR}/src"
            "${SOURCE_DIR}")
        if(EXISTS "${dir}/${name}")
            get_filename_component(path "${dir}/${name}" REALPATH)
            set(${result} "${path}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "${from} includes \"${name}\", which is nowhere in the library")
endfunction()

# The text of a file with each #include "..." replaced by the text of that file. A header with a
# guard is taken once; a file without one (a list, a template) each time.
function(softfp8_expand path result)
    file(READ "${path}" text)
    get_property(seen GLOBAL PROPERTY softfp8_seen)
    if("${path}" IN_LIST seen AND text MATCHES "\n#ifndef [A-Z0-9_]+_H\n")
        set(${result} "" PARENT_SCOPE)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY softfp8_seen "${path}")

    # One licence at the head of the result is enough.
    string(REPLACE "/* SPDX-License-Identifier: MIT */\n" "" text "${text}")
    set(done "")
    while(text MATCHES "(^|\n)([ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"[^\n]*\n)")
        set(match "${CMAKE_MATCH_0}")
        set(before_line "${CMAKE_MATCH_1}")
        set(name "${CMAKE_MATCH_3}")
        string(FIND "${text}" "${match}" at)
        string(LENGTH "${match}" length)
        string(SUBSTRING "${text}" 0 ${at} before)
        math(EXPR after "${at} + ${length}")
        string(SUBSTRING "${text}" ${after} -1 text)
        softfp8_resolve("${name}" "${path}" file)
        softfp8_expand("${file}" inner)
        string(APPEND done "${before}${before_line}${inner}")
    endwhile()
    set(${result} "${done}${text}" PARENT_SCOPE)
endfunction()

set(out [=[
/* SPDX-License-Identifier: MIT */
/* softfp8_single.h -- the whole of softfp8 in one file, generated from its sources
 *
 * Include it wherever it is needed, and in one file of the program, C11 or C++17, like this:
 *
 *     #define SF8_IMPLEMENTATION
 *     #include "softfp8_single.h"
 *
 * With SF8_STATIC defined as well, everything is private to that file. Functions for arrays have the
 * portable loops only. With SF8_ALL_LEVELS defined they have those for AVX2, AVX-512 and NEON too,
 * which are faster and take a compiler three times as long.
 *
@LICENSE@ */
#ifndef SOFTFP8_SINGLE_H
#define SOFTFP8_SINGLE_H

#if defined(SF8_IMPLEMENTATION) && !defined(SF8_CORE_CALLS)
#define SF8_CORE_CALLS
#endif

]=])

# The notice that has to be in every copy, as lines of that comment.
file(READ "${SOURCE_DIR}/../LICENSE" licence)
string(REGEX REPLACE "([^\n]*)\n" " * \\1\n" licence "${licence}")
string(REPLACE " * \n" " *\n" licence "${licence}")
string(REPLACE "@LICENSE@" "${licence}" out "${out}")

file(GLOB headers "${SOURCE_DIR}/include/*.h" "${SOURCE_DIR}/core/softfp8/*.h"
    "${SOURCE_DIR}/core/softfp8/*/*.h")
file(GLOB sources "${SOURCE_DIR}/src/*/*.c")
list(SORT headers)
list(SORT sources)
# softfp8.h comes first, since its order is the one to read in.
list(PREPEND headers "${SOURCE_DIR}/include/softfp8.h")
foreach(header IN LISTS headers)
    get_filename_component(header "${header}" REALPATH)
    softfp8_expand("${header}" text)
    string(APPEND out "${text}")
endforeach()

string(REPLACE "\n#if defined(SF8_SHARED)" [=[

#if defined(SF8_STATIC) && defined(__GNUC__)
#define SF8_API static __attribute__((unused))
#elif defined(SF8_STATIC)
#define SF8_API static
#elif defined(SF8_SHARED)]=] out "${out}")
if(NOT out MATCHES "\n#if defined\\(SF8_STATIC\\)")
    message(FATAL_ERROR "softfp8.h defines SF8_API in another way now: teach amalgamate.cmake")
endif()

string(APPEND out [=[

#endif /* SOFTFP8_SINGLE_H */

#if defined(SF8_IMPLEMENTATION) && !defined(SOFTFP8_SINGLE_IMPLEMENTED)
#define SOFTFP8_SINGLE_IMPLEMENTED

]=])
foreach(source IN LISTS sources)
    get_filename_component(source "${source}" REALPATH)
    softfp8_expand("${source}" text)
    string(APPEND out "${text}")
endforeach()
string(APPEND out [=[

#endif /* SF8_IMPLEMENTATION */
]=])
file(WRITE "${OUTPUT}" "${out}")
