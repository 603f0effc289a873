# SPDX-License-Identifier: MIT
# vcpkg_steps.cmake -- runs a portfile where there is no vcpkg: cmake -DPORT=... -DWORK=... -P this
#
# The functions do what vcpkg's documentation says of them, for the Release build. They refuse an
# argument that the portfile does not use. WORK/packages is what would be installed.
cmake_minimum_required(VERSION 3.22)
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
set(VCPKG_LIBRARY_LINKAGE dynamic)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${said}")
    endif()
endfunction()

function(arguments singles lists)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "${singles}" "${lists}")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    foreach(name IN LISTS singles lists)
        set(${name} "${arg_${name}}" PARENT_SCOPE)
    endforeach()
endfunction()

function(vcpkg_check_linkage which)
    if(NOT which STREQUAL "ONLY_STATIC_LIBRARY")
        message(FATAL_ERROR "vcpkg_check_linkage: ${which}")
    endif()
    set(VCPKG_LIBRARY_LINKAGE static PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    arguments(SOURCE_PATH OPTIONS ${ARGV})
    if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
        set(shared OFF)
    else()
        set(shared ON)
    endif()
    run("${CMAKE_COMMAND}" -G Ninja -S "${SOURCE_PATH}" -B "${WORK}/build" ${OPTIONS}
        -DBUILD_SHARED_LIBS=${shared} -DCMAKE_BUILD_TYPE=Release ${MORE_OPTIONS}
        "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}")
endfunction()

function(vcpkg_cmake_install)
    run("${CMAKE_COMMAND}" --build "${WORK}/build" --target install)
endfunction()

# The package of CMake goes to share/, two folders below the prefix instead of three.
function(vcpkg_cmake_config_fixup)
    arguments(CONFIG_PATH "" ${ARGV})
    file(RENAME "${CURRENT_PACKAGES_DIR}/${CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/moved")
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake")
    file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
    file(RENAME "${CURRENT_PACKAGES_DIR}/moved" "${CURRENT_PACKAGES_DIR}/share/softfp8")
    file(GLOB files "${CURRENT_PACKAGES_DIR}/share/softfp8/*.cmake")
    foreach(file IN LISTS files)
        file(READ "${file}" text)
        string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
        string(REGEX REPLACE
            "(get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)[ \n]*)+"
            "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n"
            text "${text}")
        file(WRITE "${file}" "${text}")
    endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/softfp8.pc")
        message(FATAL_ERROR "no softfp8.pc")
    endif()
endfunction()

function(vcpkg_install_copyright)
    arguments("" FILE_LIST ${ARGV})
    file(COPY_FILE "${FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/softfp8/copyright")
endfunction()

include("${PORT}/portfile.cmake")
