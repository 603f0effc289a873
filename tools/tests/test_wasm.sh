# SPDX-License-Identifier: MIT
# test_wasm.sh -- the library for WebAssembly computes what it computes on this processor
#
# clang and wasi-libc compile it for wasm32, a processor of 32 bits; wasmtime runs the checks. They
# compare arrays with the functions of one value, and golden vectors, which x86-64 wrote.
# $SOFTFP8_BUILD/wasmtime is an environment of Python with wasmtime.
command -v clang > /dev/null || skip "no clang"
echo 'int main(void) { return 0; }' > empty.c
clang --target=wasm32-wasi empty.c -o empty.wasm 2> said || skip "no wasi-libc, wasm-ld or libclang-rt for wasm32"
python_with wasmtime wasmtime

# The library, an object for each file.
objects=
for file in "$source"/lib/src/*/*.c; do
    object=$(basename "$(dirname "$file")")_$(basename "$file" .c).o
    status "$object" 0 clang --target=wasm32-wasi -std=c11 -O1 -DNDEBUG -DSF8_CORE_CALLS -Wall -Wextra \
        -Werror -I "$source/lib/include" -I "$source/lib/core" -I "$source/lib" -I "$source/lib/src" -c "$file" -o "$object"
    cat err
    objects="$objects $object"
done

# check PROGRAM SOURCE [ARGUMENT...]: compiles and runs a check of lib/tests.
check() {
    name=$1
    file=$2
    shift 2
    # Names of objects, to be split into words.
    # shellcheck disable=SC2086
    status "$name is compiled" 0 clang --target=wasm32-wasi -std=c11 -O1 -DSOFTFP8_SOURCE='""' \
        -I "$source/lib/include" -I "$source/lib/core" -I "$source/lib/tests" \
        "$source/lib/tests/$file" $objects -o "$name.wasm"
    cat err
    status "$name" 0 "$python" "$source/tools/tests/run_wasm.py" "$name.wasm" "$source/vectors" "$@"
    cat out err
}
check array_levels arrays/check_array_levels.c --sample
check golden_files vectors/check_golden_files.c /files
check products blocks/check_products.c /files/products/mxfp4-modelopt.txt /files/products/nvfp4-modelopt.txt
