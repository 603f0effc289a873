# SPDX-License-Identifier: MIT
# device.cmake -- the engine and the kernels: for the GPU, for this processor, or none

# ---- what is missing

# Tests whether nvcc can compile for the target, once for a compiler and a target.
function(softfp8_nvcc_works result)
    set(key "${SOFTFP8_NVCC}|${SOFTFP8_SM}")
    if(NOT "${SOFTFP8_NVCC_CHECKED}" STREQUAL "${key}")
        set(source "${CMAKE_CURRENT_BINARY_DIR}/works.cu")
        file(WRITE "${source}" "__global__ void works(int *p)\n{\n    *p = 1;\n}\n")
        execute_process(
            COMMAND "${SOFTFP8_NVCC}" ${SOFTFP8_CUDA_TARGET} -c "${source}" -o "${source}.o"
            RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        set(SOFTFP8_NVCC_CHECKED "${key}" CACHE INTERNAL "")
        set(SOFTFP8_NVCC_STATUS "${status}" CACHE INTERNAL "")
    endif()
    if(SOFTFP8_NVCC_STATUS STREQUAL "0")
        set(${result} 1 PARENT_SCOPE)
    else()
        set(${result} 0 PARENT_SCOPE)
    endif()
endfunction()

set(SOFTFP8_CUDA_TARGET
    "-gencode=arch=compute_${SOFTFP8_SM},code=sm_${SOFTFP8_SM}")
find_library(SOFTFP8_CUDART libcudart_static.a HINTS ${hints}
    PATHS /usr/local/cuda /opt/cuda /usr/lib/cuda
    PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
# cuobjdump: in the folder that the environment variable SOFTFP8_CUOBJDUMP names, beside nvcc, on
# the PATH, or in the packages of python3.
set(packages "")
find_program(python3 python3 NO_CACHE)
if(python3 AND NOT SOFTFP8_CUOBJDUMP)
    execute_process(
        COMMAND "${python3}" -c "import glob, sys
print(*sum([glob.glob(p + '/nvidia/*/bin') for p in sys.path[1:]], []), sep=';', end='')"
        OUTPUT_VARIABLE packages ERROR_QUIET)
endif()
find_program(SOFTFP8_CUOBJDUMP cuobjdump HINTS ENV SOFTFP8_CUOBJDUMP ${hints} PATHS ${packages}
    PATH_SUFFIXES bin)
mark_as_advanced(SOFTFP8_CUDART SOFTFP8_CUOBJDUMP)

# The files that a driver creates, on Linux and in WSL.
set(gpu_found 0)
foreach(path IN ITEMS /dev/nvidiactl /dev/nvidia0 /dev/dxg)
    if(EXISTS "${path}")
        set(gpu_found 1)
    endif()
endforeach()

# Compiling the kernels takes minutes, so it is skipped where they could not run.
set(device_missing "")
if(SOFTFP8_CUDA STREQUAL "AUTO" AND NOT gpu_found)
    set(device_missing "no GPU when this was built (tools/conform --device compiles the kernels)")
elseif(NOT SOFTFP8_CUDA)
    set(device_missing "built without CUDA kernels (SOFTFP8_CUDA is OFF)")
elseif(NOT SOFTFP8_NVCC)
    set(device_missing "no nvcc when this was built")
elseif(missing)
    set(device_missing "${missing}")
elseif(SOFTFP8_NVCC_VERSION VERSION_LESS 13.0)
    set(device_missing "nvcc ${SOFTFP8_NVCC_VERSION}, not 13.0 or later")
elseif(NOT SOFTFP8_CUDART)
    set(device_missing "no libcudart_static.a when this was built")
else()
    softfp8_nvcc_works(works)
    if(NOT works)
        set(device_missing "nvcc ${SOFTFP8_NVCC_VERSION} does not compile for sm_${SOFTFP8_SM}")
    endif()
endif()
set(SOFTFP8_DEVICE_MISSING "${device_missing}" CACHE INTERNAL "Why there are no kernels")

# cuBLASLt: the header is needed here. The library is loaded when the first product is computed;
# where it is now is one of the places where it is looked for then.
find_path(SOFTFP8_CUBLASLT_INCLUDE cublasLt.h HINTS ${SOFTFP8_CUDA_INCLUDE} NO_DEFAULT_PATH)
find_library(SOFTFP8_CUBLASLT cublasLt HINTS ${hints}
    PATHS /usr/local/cuda /opt/cuda /usr/lib/cuda
    PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
mark_as_advanced(SOFTFP8_CUBLASLT_INCLUDE SOFTFP8_CUBLASLT)
set(gemm_missing "")
if(device_missing)
    set(gemm_missing "${device_missing}")
elseif(NOT SOFTFP8_CUBLASLT_INCLUDE)
    set(gemm_missing "no cublasLt.h when this was built")
endif()
set(SOFTFP8_GEMM_MISSING "${gemm_missing}" CACHE INTERNAL "Why there are no products by cuBLASLt")

# ---- for the GPU

set(SOFTFP8_GPU_PARTS 4) # the kernels of the subjects are divided among this many files
set(nvcc_flags ${SOFTFP8_CUDA_TARGET} -std=c++17 -O2 -D__NV_NO_VECTOR_DEPRECATION_DIAG
    "-Xcompiler=-fPIC,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-Wall,-Wextra"
    "-Xcompiler=-Wno-psabi,-Wno-unused-parameter" # the CUDA headers have some
    "-DGPU_TARGET=\"sm_${SOFTFP8_SM}\"" -DGPU_PARTS=${SOFTFP8_GPU_PARTS}
    "-I${CMAKE_CURRENT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/lib/include"
    "-I${PROJECT_SOURCE_DIR}/lib/core")
if(SOFTFP8_SM STREQUAL "100a")
    list(APPEND nvcc_flags -DGPU_SM_100A=1)
else()
    list(APPEND nvcc_flags -DGPU_SM_100A=0)
endif()
# Other versions may warn about their own headers.
if(SOFTFP8_WERROR AND SOFTFP8_NVCC_VERSION VERSION_EQUAL 13.0)
    list(APPEND nvcc_flags -Werror=all-warnings -Xcompiler=-Werror)
endif()

# An object from a CUDA source, in ${result}.
function(softfp8_cuda_object result name source)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}${CMAKE_C_OUTPUT_EXTENSION}")
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    add_custom_command(
        OUTPUT "${object}"
        COMMAND "${SOFTFP8_NVCC}" ${nvcc_flags} ${ARGN} -MMD -MF "${object}.d" -MT "${object}"
            -c "${source}" -o "${object}"
        DEPENDS "${source}"
        DEPFILE "${object}.d"
        COMMENT "Compiling gpu/${name} for sm_${SOFTFP8_SM}"
        VERBATIM)
    set(${result} "${object}" PARENT_SCOPE)
endfunction()

add_executable(softfp8-gpu-sass_table sass_table.c)
softfp8_compile_options(softfp8-gpu-sass_table)

# The table of machine code, in ${result}; without a disassembler it has no rows. kind: an option of
# sass_table, or nothing.
function(softfp8_sass result kind)
    set(table "${CMAKE_CURRENT_BINARY_DIR}/sass_rows${kind}.c")
    if(SOFTFP8_CUOBJDUMP)
        string(REPLACE ";" "," objects "${ARGN}")
        add_custom_command(
            OUTPUT "${table}"
            COMMAND "${CMAKE_COMMAND}" "-DCUOBJDUMP=${SOFTFP8_CUOBJDUMP}"
                "-DTABLE=$<TARGET_FILE:softfp8-gpu-sass_table>" "-DKIND=${kind}" "-DOUTPUT=${table}"
                "-DOBJECTS=${objects}" -P "${CMAKE_CURRENT_SOURCE_DIR}/sass.cmake"
            DEPENDS softfp8-gpu-sass_table ${ARGN} "${CMAKE_CURRENT_SOURCE_DIR}/sass.cmake"
            COMMENT "Reading the machine code of the kernels"
            VERBATIM)
    else()
        add_custom_command(
            OUTPUT "${table}"
            COMMAND softfp8-gpu-sass_table ${kind} "${table}"
            DEPENDS softfp8-gpu-sass_table
            COMMENT "No cuobjdump: the machine code of the kernels is not shown"
            VERBATIM)
    endif()
    set(${result} "${table}" PARENT_SCOPE)
endfunction()

if(NOT missing)
    softfp8_gpu_object(list list.cpp)
    softfp8_gpu_object(attend_shared kernels/attend/attend_shared.cpp)
endif()
if(NOT device_missing)
    softfp8_cuda_object(engine device device.cu)
    set(kernels)
    math(EXPR last "${SOFTFP8_GPU_PARTS} - 1")
    foreach(part RANGE ${last})
        softfp8_cuda_object(object samples${part} samples.cu -DGPU_PART=${part})
        list(APPEND kernels "${object}")
    endforeach()
    softfp8_sass(sass "" ${kernels})
    softfp8_cuda_object(blocks blocks kernels/blocks/blocks.cu -fmad=false)
    softfp8_cuda_object(kv kv kernels/kv/kv.cu -fmad=false)
    softfp8_cuda_object(chain chain kernels/chain/chain.cu -fmad=false)
    softfp8_cuda_object(attend attend kernels/attend/attend.cu -fmad=false -DATTEND_PARTS=3)
    foreach(part RANGE 2)
        softfp8_cuda_object(object attend${part} kernels/attend/attend_part.cu -fmad=false
            -DATTEND_PART=${part})
        list(APPEND attend "${object}")
    endforeach()
    softfp8_cuda_object(merge merge kernels/merge/merge.cu -fmad=false)
    # Others lack wgmma, and the units are modelled as sm_90a has them.
    set(mma_missing "")
    if(SOFTFP8_SM STREQUAL "90a")
        softfp8_cuda_object(mma mma mma/mma.cu)
        softfp8_sass(mma_sass "-mma" ${mma})
        softfp8_sass(sparse_sass "-sparse" ${mma})
        list(APPEND mma "${mma_sass}" "${sparse_sass}")
    else()
        set(mma_missing "built for sm_${SOFTFP8_SM}, but matrix units need sm_90a")
        set(mma mma/mma_absent.c)
    endif()
    if(gemm_missing)
        set(gemm mma/gemm_absent.c)
    else()
        set(built "")
        if(SOFTFP8_CUBLASLT)
            set(built "${SOFTFP8_CUBLASLT}")
        endif()
        softfp8_cuda_object(gemm gemm mma/gemm.cu "-DGPU_CUBLASLT=\"${built}\"")
        list(APPEND gemm mma/cublaslt.c)
    endif()
    softfp8_gpu_library(softfp8_gpu_cuda
        "${engine}" ${kernels} "${blocks}" "${kv}" "${chain}" ${attend} "${merge}" ${mma} ${gemm}
        "${list}" "${attend_shared}" shared_cuda.c "${sass}")
    target_include_directories(softfp8_gpu_cuda SYSTEM PRIVATE "${SOFTFP8_CUDA_INCLUDE}")
    target_link_libraries(softfp8_gpu_cuda
        PUBLIC softfp8_gpu "${SOFTFP8_CUDART}" Threads::Threads ${CMAKE_DL_LIBS} rt)
    target_compile_definitions(softfp8_gpu_cuda PRIVATE
        "SOFTFP8_GEMM_MISSING=\"${gemm_missing}\"" "SOFTFP8_MMA_MISSING=\"${mma_missing}\""
        _POSIX_C_SOURCE=200809L)
    add_library(softfp8_gpu_device ALIAS softfp8_gpu_cuda)
endif()

# ---- none

softfp8_gpu_library(softfp8_gpu_none device_absent.c shared_absent.c mma/mma_absent.c mma/gemm_absent.c ${list})
target_link_libraries(softfp8_gpu_none PUBLIC softfp8_gpu)
if(device_missing)
    set(why "${device_missing}")
    add_library(softfp8_gpu_device ALIAS softfp8_gpu_none)
else()
    set(why "not linked with CUDA")
endif()
if(missing)
    set(has_list 0)
else()
    set(has_list 1)
endif()
target_compile_definitions(softfp8_gpu_none PRIVATE
    "SOFTFP8_DEVICE_MISSING=\"${why}\"" "SOFTFP8_GEMM_MISSING=\"${why}\""
    "SOFTFP8_MMA_MISSING=\"${why}\"" SOFTFP8_GPU_LIST=${has_list})

# ---- for this processor

# Checks that the C compiler inserts are used here too: all kernels run under them.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(checks UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
list(FILTER checks INCLUDE REGEX "^-f(no-)?(sanitize|omit-frame-pointer)")
get_filename_component(name "${SOFTFP8_CXX}" NAME)
if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT name MATCHES "clang")
    set(checks) # the checks of another compiler are not those that are linked
elseif(checks AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    # The first two call the C++ library; the CUDA headers convert values that are out of range.
    list(APPEND checks -fno-sanitize=function,vptr,float-cast-overflow)
endif()
if(NOT missing)
    # Compiling takes longer than all tests of these objects. -Og makes it a third, and they run as
    # fast.
    list(APPEND checks -Og)
    # f32 arithmetic as on the GPU: each operation is rounded separately.
    set(exact ${checks} -ffp-contract=off -fno-fast-math)
    set(widths)
    if("${checks}" MATCHES "sanitize")
        set(widths -DATTEND_ONE_WIDTH=1) # compilers are slow with this many checked loops
    endif()
    softfp8_gpu_object(shim shim.cpp ${checks})
    softfp8_gpu_object(blocks kernels/blocks/shim_blocks.cpp ${exact})
    softfp8_gpu_object(kv kernels/kv/shim_kv.cpp ${exact})
    softfp8_gpu_object(chain kernels/chain/shim_chain.cpp ${exact})
    softfp8_gpu_object(attend kernels/attend/shim_attend.cpp ${exact} ${widths})
    softfp8_gpu_object(merge kernels/merge/shim_merge.cpp ${exact})
    softfp8_gpu_object(mma mma/shim_mma.cpp ${checks})
    softfp8_gpu_library(softfp8_gpu_shim "${shim}" "${blocks}" "${kv}" "${chain}" "${attend}" "${merge}"
        "${mma}" "${list}" "${attend_shared}" shared_shim.c mma/gemm_absent.c)
    target_compile_definitions(softfp8_gpu_shim PRIVATE
        "SOFTFP8_GEMM_MISSING=\"no cuBLASLt on this processor\"")
    target_link_libraries(softfp8_gpu_shim PUBLIC softfp8_gpu m)
    set_target_properties(softfp8_gpu_shim PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
