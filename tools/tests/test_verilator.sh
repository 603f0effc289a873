# SPDX-License-Identifier: MIT
# test_verilator.sh -- the benches of examples/systemverilog pass in Verilator, and notice mistakes
#
# $SOFTFP8_BUILD is the build, with the library. Skipped without verilator.
command -v verilator > /dev/null || { echo "not run: no verilator"; exit 77; }
example=$source/examples/systemverilog

# The same file is for simulators that compile C with a C++ compiler.
vltstd=$(verilator --getenv VERILATOR_ROOT)/include/vltstd
warnings="-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror"
for compiler in "${CC:-cc} -std=c11" "${CXX:-c++} -x c++ -std=c++17"; do
    # Words of a command.
    # shellcheck disable=SC2086
    status "softfp8_dpi.c, by $compiler" 0 $compiler $warnings -c "-I$source/lib/include" \
        "-I$source/lib/core" "-isystem$vltstd" "$example/softfp8_dpi.c" -o dpi.o
done
status "cast.sv has no warning" 0 verilator --lint-only -Wall "$example/cast.sv"
cat err

# simulate BENCH [ARGUMENT...]: builds a bench and runs it. One folder for all: the files of Verilator
# itself are compiled once.
simulate() {
    bench=$1
    shift
    rm -f bench
    verilator --binary -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Mdir obj \
        --prefix Vbench --top-module "$bench" -o ../bench "-I$example" "$@" \
        "$example/$bench.sv" "$example/softfp8_dpi.c" \
        -CFLAGS "-I$source/lib/include -I$source/lib/core" \
        -LDFLAGS "$SOFTFP8_BUILD/lib/libsoftfp8.a -lm" > log 2>&1 || tail -n 20 log
    ran=0
    ./bench > out 2> err || ran=$?
}

"$softfp8" gen f32_to_e4m3 --format readmemh -o cast.hex

# counts WHAT EXPECTED: the line of the bench that ends in WHAT.
counts() {
    same "$bench:$1" "$2" "$(sed -n "s/$1$//p" out)"
}

simulate bench_cast "$example/cast.sv"
same "bench_cast: the status" 0 "$ran"
counts " of 4210 cases are wrong" 0
counts " wrong after 100000 random inputs" 0

# Each mistake is found by the cases alone. The mistakes 1 and 3 are rules of softfp8 too: as many
# cases have another result there. The carry is lost at four inputs of both signs (the tie, the two
# after it, the one before the next value) where 7 is the last mantissa: of 15 exponents and of 480,
# and at 31 * 2^-11, where tininess is decided.
differing() { "$softfp8" gen f32_to_e4m3 --format readmemh "$@" | diff - cast.hex | grep -c '^> [0-9a-f]'; }
for fault in "1 $(differing --round rna)" "2 136" "3 $(differing -tininessbefore)"; do
    simulate bench_cast "-GFAULT=${fault% *}" -GRANDOM=0 "$example/cast.sv"
    tests=$((tests + 1))
    [ "$ran" -ne 0 ] || failed "bench_cast passes with the mistake $fault"
    counts " of 4210 cases are wrong" "${fault#* }"
    [ "${fault% *}" -ne 1 ] || head -n 4 out > shown
done
same "docs/guides/rtl.md shows what the bench prints" 4 \
    "$(grep -c -xF -f shown "$source/docs/guides/rtl.md")"

# The adder's counts are those that its bench in Python finds.
simulate bench_adder -Wno-WIDTH "$source/examples/python/adder.v"
same "bench_adder: the status" 0 "$ran"
counts " of 65536 sums are wrong" 0
simulate bench_adder -Wno-WIDTH -GTIES_AWAY=1 "$source/examples/python/adder.v"
tests=$((tests + 1))
[ "$ran" -ne 0 ] || failed "bench_adder passes with the mistake"
counts " of 65536 sums are wrong" 3160
same "what it prints first" "01 + 10: 11, expected 10" "$(head -n 1 out)"

simulate bench_blocks
same "bench_blocks: the status" 0 "$ran"
counts " of the results of blocks and units are wrong" 0
same "names that do not exist" "softfp8: 'hopper-qgmma': expected a unit of 'softfp8 mma --list', with formats that it takes
softfp8: 'f32_to_e4m4': expected a function of 'softfp8 gen -list', such as f32_to_e4m3
softfp8: 'ocp round=up': expected a policy of 'softfp8 policies', and fields, such as ocp round=rz
softfp8: 'mxfp9': expected a recipe of 'softfp8 recipes', such as nvfp4-te
softfp8: 'softfp8_dot': expected a unit, and arrays of a length that it takes" "$(cat err)"
