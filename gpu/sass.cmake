# SPDX-License-Identifier: MIT
# sass.cmake -- disassembles objects and writes the table of instructions
#
#     cmake -DCUOBJDUMP=... -DTABLE=sass_table -DKIND=-mma -DOUTPUT=FILE.c -DOBJECTS=a.o,b.o
#         -P sass.cmake
#
# If the disassembler fails, or prints something that sass_table does not know, the table has no
# rows: the machine code is then not shown, and nothing else depends on it.
string(REPLACE "," ";" objects "${OBJECTS}")
get_filename_component(folder "${CUOBJDUMP}" DIRECTORY) # it may call nvdisasm, which is beside it
set(ENV{PATH} "${folder}:$ENV{PATH}")
set(texts)
set(why "")
foreach(object IN LISTS objects)
    execute_process(COMMAND "${CUOBJDUMP}" -sass "${object}"
        OUTPUT_FILE "${object}${KIND}.sass" ERROR_VARIABLE error RESULT_VARIABLE status)
    if(NOT status STREQUAL "0")
        string(REGEX REPLACE "\n.*" "" why "${CUOBJDUMP}: ${status} ${error}")
    endif()
    list(APPEND texts "${object}${KIND}.sass")
endforeach()
if(NOT why)
    execute_process(COMMAND "${TABLE}" ${KIND} "${OUTPUT}" ${texts}
        ERROR_VARIABLE error RESULT_VARIABLE status)
    if(NOT status STREQUAL "0")
        string(STRIP "${error}" why)
    endif()
endif()
if(why)
    message(STATUS "SASS not shown: ${why}")
    execute_process(COMMAND "${TABLE}" ${KIND} "${OUTPUT}" RESULT_VARIABLE status)
    if(NOT status STREQUAL "0")
        message(FATAL_ERROR "sass_table: ${status}")
    endif()
endif()
