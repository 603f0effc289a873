# SPDX-License-Identifier: MIT
# test_layout_float.sh -- softfp8 layout identify: FP8 in large blocks, as softfp8-test-layout_float_plant makes it
plant=$(dirname "$softfp8")/softfp8-test-layout_float_plant
right='explained: the expected reading is right'
turned='mismatch: the scales are stored transposed, column by column, and were read as row by row'

# finds EXPECTED STATUS WORDS ROWS COLUMNS [OPTION...]: the first line of the report.
finds() {
    expected=$1
    wanted=$2
    words=$3
    "$plant" "$3" "$4" "$5"
    shape=$4,$5
    shift 5
    status "$words $shape" "$wanted" "$softfp8" layout identify --codes codes.bin \
        --scales scales.bin --expected values.bin --shape "$shape" "$@"
    same "$words $shape" "$expected" "$(sed -n 1p out)"
}

# ---- blocks, named by nobody

all='squares128 groups128 rows all'
[ "${SOFTFP8_TIER-}" != short ] || all='squares128 rows'
for blocks in $all; do
    finds "$right" 0 "$blocks" 150 260
    finds "$right" 0 "$blocks+decoded" 128 256
    finds "$right" 0 "$blocks+bf16" 150 260
    finds 'mismatch: the scales are the inverses of the factors, and were read as factors' 1 \
        "$blocks+inverted" 150 260
    finds 'mismatch: the codes are e4m3fnuz, and were read as e4m3' 1 "$blocks+fnuz" 150 260
    finds 'mismatch: the codes are those of the transposed matrix, and were read as packed along rows' \
        1 "$blocks+codes-turned" 150 260
done
finds "$turned" 1 squares128+turn 150 260
finds "$turned" 1 groups128+turn+bf16 150 260
finds 'mismatch: the blocks are of 64 elements, and were read as of 128' 1 squares64 150 260

# ---- scales of a byte, powers of two

finds "$right" 0 groups128+powers 150 260
finds 'mismatch: the blocks are squares, and were read as parts of rows' 1 squares128+powers 150 260
finds 'mismatch: four scales of a row are a word, and the words lie column by column, and were read as linear' \
    1 groups128+powers+words 41 1100

# ---- with a recipe, whose own scales may be too many for the file

finds "$right" 0 squares128 150 260 --recipe fp8-block128-vllm
finds "$turned" 1 squares128+turn 150 260 --recipe fp8-block128-vllm
same 'which recipes' 1 "$(grep -c '^quantized as if by .*fp8-block128-vllm.*: every code and scale is equal$' out)"
finds 'mismatch: the blocks are squares, and were read as parts of rows' 1 squares128 150 260 \
    --recipe fp8-group128
finds 'mismatch: the blocks are parts of rows, and were read as squares' 1 groups128 150 260 \
    --recipe fp8-block128-vllm
finds "$right" 0 rows 150 260 --recipe fp8-per-token
same 'a row' 1 "$(grep -c '^quantized as if by .*fp8-per-token.*: every code and scale is equal$' out)"

# ---- .npy files say what the scales are

npy() { # DTYPE SHAPE FILE: FILE as .npy
    head=$(printf "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" "$1" "$2")
    printf '\223NUMPY\001\000\166\000%-117s\n' "$head" | cat - "$3"
}
"$plant" squares128 150 260
npy '<f4' '2, 3' scales.bin > scales.npy
status 'f32 of .npy' 0 "$softfp8" layout identify --codes codes.bin --scales scales.npy \
    --expected values.bin --shape 150,260
npy '<f8' '3, 1' scales.bin > scales.npy
refuses 'f64 of .npy' "^scales.npy: scales: dtype '<f8': expected bytes .[|]u1., f32 .<f4. or the bits of bf16 .<u2.$" \
    "$softfp8" layout identify --codes codes.bin --scales scales.npy --expected values.bin \
    --shape 150,260

# ---- sizes

head -c 22 scales.bin > short.bin
refuses 'too few scales' '^short.bin: 22 bytes of scales; .*24 .f32 for 128 x 128., 1800 .f32 for 1 x 128., 600 .f32 for 1 x 260., 4 .f32 for 150 x 260.$' \
    "$softfp8" layout identify --codes codes.bin --scales short.bin --expected values.bin \
    --shape 150,260
refuses 'scales of a byte for a recipe of f32' '^short.bin: 22 bytes of scales; .*24 .f32 for 128 x 128.$' \
    "$softfp8" layout identify --codes codes.bin --scales short.bin --expected values.bin \
    --shape 150,260 --recipe fp8-block128-vllm
