# SPDX-License-Identifier: MIT
# test_quantize.sh -- softfp8 quantize and dequantize: bytes worked out by hand
#
# Bytes and words here come from docs/spec/blocks.md, and the descriptions of the forms, by hand.
. "$source/tools/softfp8/tests/tensors.sh"

# ---- the golden block: nvfp4-vllm, G = 448. amax 6, so the scale is 448 (6/6) = 448 = 7e, and the
# ---- factor 1: ties to the even code. .25 -> 0, .75 -> 2, 2.5 -> 4, 3.5 -> 6, 5 -> 6.

words $golden > golden.f32
status "golden" 0 $quantize --recipe nvfp4-vllm --from f32 --shape 1,16 --global-scale 448 \
    --codes codes --scales scales golden.f32
same "golden codes" "90 22 4b d4 66 7e 80 87" "$(hex codes)"
same "golden scale" "7e" "$(hex scales)"
same "nothing on standard output" "" "$(cat out)"
cat > report <<'END'
recipe         nvfp4-vllm, from f32, g 43e00000 = 448
elements       16 in 1 rows
blocks         1, 0 of them all zero
scales         7e to 7e
saturated      0
NaN            0 before, 0 after
infinite       0
max abs error  1 at row 0, column 10
max rel error  1 at row 0, column 0
RMS error      0.371073
SQNR           18.0372 dB
cosine         0.992189781
END
same_file "the report" report err
status "--report" 0 $quantize --recipe nvfp4-vllm --from f32 --shape 1,16 --global-scale 448 --report golden.f32
same_file "the report on standard output" report out
same "nothing else" "" "$(cat err)"

# The file with a head; the digest is of 90 22 4b d4 66 7e 80 87 7e.
status "a file" 0 $quantize --recipe nvfp4-vllm --from f32 --shape 1,16 --global-scale 0x43e00000 -o golden.blocks \
    golden.f32
{
    printf 'softfp8-blocks 1\nrecipe nvfp4-vllm\nfrom f32\nrows 1\ncolumns 16\ng 43e00000\nlayout linear\n'
    printf 'codes 8\nscales 1\noffsets 0\n'
    printf 'sha256 %s\n\n' 5cff659c14e0479421f7bd83b9abe0d515a340227bd52ea9d6a6331165ac9e47
    bytes 90 22 4b d4 66 7e 80 87 7e
} > expected
same_file "the file" expected golden.blocks
back="0 -0.5 1 1 -1.5 2 2 -3 4 4 -4 6 0 -0 6 -0"
status "read back" 0 $dequantize golden.blocks
same "numbers" "$back" "$(cat out)"
status "read back from parts" 0 $dequantize --recipe nvfp4-vllm --shape 1,16 --global-scale 448 --codes codes \
    --scales scales
same "the same numbers" "$back" "$(cat out)"
status "as bf16 in .npy" 0 $dequantize --to bf16 -o back.npy golden.blocks
{
    npy "<u2" "1, 16"
    words 0000 bf00 3f80 3f80 bfc0 4000 4000 c040 4080 4080 c080 40c0 0000 8000 40c0 8000
} > expected
same_file "bf16 in .npy" expected back.npy
status "as f16, raw" 0 $dequantize --to f16 --format raw -o back golden.blocks
words 0000 b800 3c00 3c00 be00 4000 4000 c200 4400 4400 c400 4600 0000 8000 4600 8000 > expected
same_file "f16, raw" expected back
status "f32 in .npy on standard output" 0 $dequantize --format npy golden.blocks
{
    npy "<f4" "1, 16"
    words 00000000 bf000000 3f800000 3f800000 bfc00000 40000000 40000000 c0400000 40800000 40800000 \
        c0800000 40c00000 00000000 80000000 40c00000 80000000
} > expected
same_file "f32 in .npy" expected out
mv out back.npy
status "and again from there" 0 $quantize --recipe nvfp4-vllm --global-scale 448 -o again.blocks back.npy
same_file "what was read back gives the same" golden.blocks again.blocks

# ---- what comes in: .npy of each type, of one, two and three dimensions; raw

f16="3400 b800 3a00 3c00 be00 4000 4100 c200 4300 4400 c500 4600 0000 b000 4540 8000"
{ npy "<f4" "16,"; words $golden; } > one.npy
{ npy "<f2" "1, 16"; words $f16; } > half.npy
bf16=$(echo $golden | tr ' ' '\n' | cut -c 1-4)
{ npy "<u2" "1, 1, 16"; words $bf16; } > brain.npy
{ npy "|V2" "1, 16"; words $bf16; } > void.npy
head=$(printf '%s' "{\"shape\":(1,16),'fortran_order':False,'descr':'<f4'}")
{ bytes 93 4e 55 4d 50 59 03 00 "$(printf %02x ${#head})" 00 00 00; printf '%s' "$head"; words $golden; } > v3.npy
words $f16 > half.f16
for case in "one.npy" "half.npy" "--from f16 half.npy" "--from bf16 brain.npy" "--from bf16 void.npy" \
    "v3.npy" "--from f16 --shape 1,16 half.f16"; do
    # shellcheck disable=SC2086
    status "quantize $case" 0 $quantize --recipe nvfp4-vllm --global-scale 448 --codes codes --scales scales $case
    same "codes of $case" "90 22 4b d4 66 7e 80 87" "$(hex codes)"
done
status "standard input" 0 sh -c "$quantize --recipe nvfp4-vllm --global-scale 448 -o - - < one.npy"
same_file "standard output" golden.blocks out

# ---- three dimensions are rows of the last; a row of 3 codes has 2 bytes; blocks end with the row

{ npy "<f4" "2, 1, 3"; words 3f800000 40000000 40c00000 c0c00000 00000000 bf800000; } > three.npy
status "rows" 0 $quantize --recipe nvfp4-vllm --global-scale 448 --codes codes --scales scales three.npy
same "rows of their own" "42 07 0f 0a" "$(hex codes)"
same "their scales" "7e 7e" "$(hex scales)"
status "back" 0 $dequantize --recipe nvfp4-vllm --global-scale 448 --shape 2,3 --codes codes --scales scales
same "two lines" "1 2 6
-6 0 -1" "$(cat out)"

# ---- widths of codes and scales

# 16 times 28, the largest of e3m2, 1f: 2^(4-4) = 7f; rows of 5 codes of 6 bits in 4 bytes.
words $(repeat 10 41e00000) > in
status "6 bits" 0 $quantize --recipe mxfp6-e3m2-floor --from f32 --shape 2,5 --codes codes --scales scales in
same "6 bits" "df f7 7d 1f df f7 7d 1f" "$(hex codes)"
same "scales of e8m0" "7f 7f" "$(hex scales)"
# 448 / 448 = 1 = 3f800000, and 224 / 448 = 2^-1; the last block is short.
words $(repeat 128 43e00000) 43600000 > in
status "8 bits" 0 $quantize --recipe fp8-group128 --from f32 --shape 1,129 --codes codes --scales scales in
same "8 bits" "$(repeat 129 7e)" "$(hex codes)"
same "scales of f32" "00 00 80 3f 00 00 00 3f" "$(hex scales)"
# 0 to 15: f16(15) fl(1/15) rounds to 1 = 3c00, codes are the numbers, the offset 0; then 1 to 16.
n="0000 3c00 4000 4200 4400 4500 4600 4700 4800 4880 4900 4980 4a00 4a80 4b00 4b80 4c00"
up=${n#0000 } low=${n% 4c00}
words $low $low $up $up > in
status "offsets" 0 $quantize --recipe kivi-int4 --from f16 --shape 2,32 --codes codes --scales scales \
    --offsets offsets in
same "4 bits" "$(repeat 4 '10 32 54 76 98 ba dc fe')" "$(hex codes)"
same "scales of f16" "00 3c 00 3c" "$(hex scales)"
same "offsets of f16" "00 00 00 3c" "$(hex offsets)"
status "offsets in the file" 0 $quantize --recipe kivi-int4 --from f16 --shape 2,32 -o kivi.blocks in
same "its sizes" "codes 32
scales 4
offsets 4" "$(sed -n '8,10p' kivi.blocks)"
status "offsets back" 0 $dequantize --to f16 --format raw -o back kivi.blocks
same_file "all of it" in back
status "offsets back from parts" 0 $dequantize --to f16 --format raw -o back --recipe kivi-int4 --shape 2,32 \
    --codes codes --scales scales --offsets offsets
same_file "all of it from parts" in back
# 0 1 2 3: 2 bits, the first lowest: e4.
words $(repeat 8 '0000 3c00 4000 4200') > in
status "2 bits" 0 $quantize --recipe kivi-int2 --from f16 --shape 1,32 --codes codes --scales scales \
    --offsets offsets in
same "2 bits" "$(repeat 8 e4)" "$(hex codes)"
# In the scale: (15 - 0) / 15 = 1 = 3f800000; low = -1 to 14: the offset is 1, in the last 4 bits.
words bf800000 00000000 3f800000 41600000 > in
status "offset in the scale" 0 $quantize --recipe int4-per-token-head --from f32 --shape 1,4 --codes codes \
    --scales scales in
same "codes above the offset" "10 f2" "$(hex codes)"
same "scale with the offset" "01 00 80 3f" "$(hex scales)"

# ---- layouts: 33 x 64, element 0 of each block 6 v, v of the e4m3 code 8 + i % 100, the rest 0.
# ---- g = 1: the scale is v.

awk 'BEGIN {
    for (i = 0; i < 132; i++) {
        code = 8 + i % 100
        x = 6 * (8 + code % 8)
        for (e = int(code / 8) - 10; x >= 2; e++)
            x /= 2
        printf "%04x", (e + 127) * 128 + (x - 1) * 128
        for (k = 1; k < 16; k++)
            printf " 0000"
        print ""
    }
}' > matrix.words
words $(cat matrix.words) > matrix.bf16
for layout in linear 128x4 8x4; do
    status "layout $layout" 0 $quantize --recipe nvfp4-vllm --from bf16 --shape 33,64 --global-scale 1 --layout $layout \
        --codes codes.$layout --scales scales.$layout matrix.bf16
    status "with a head" 0 $quantize --recipe nvfp4-vllm --from bf16 --shape 33,64 --global-scale 1 --layout $layout \
        -o $layout.blocks matrix.bf16
    same "it says so" "layout $layout" "$(sed -n 7p $layout.blocks)"
    status "back from $layout" 0 $dequantize --to bf16 --format raw -o back $layout.blocks
    same_file "the same from $layout" matrix.bf16 back
    status "back from parts" 0 $dequantize --to bf16 --format raw -o back --recipe nvfp4-vllm --shape 33,64 \
        --global-scale 1 --layout $layout --codes codes.$layout --scales scales.$layout
    same_file "the same from parts" matrix.bf16 back
    same_file "the same codes" codes.linear codes.$layout
done
same "codes" "$(repeat 132 '07 00 00 00 00 00 00 00')" "$(hex codes.linear)"
same "linear scales" "$(awk 'BEGIN { for (i = 0; i < 132; i++) printf "%s%02x", i ? " " : "", 8 + i % 100 }')" \
    "$(hex scales.linear)"
# at LAYOUT OFFSET: a byte of the scales there.
at() { od -An -v -tx1 -j "$2" -N 1 scales.$1 | tr -d ' \n'; }
same "sizes" "132 512 160" "$(for l in linear 128x4 8x4; do wc -c < scales.$l; done | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
# Row 1 begins at 16, row 31 at 496, row 32 behind row 0 at 4; rows 33, 64, 96 are padding.
same "128x4" "08 0b 0c 20 23 24 27 00 00 00" \
    "$(for i in 0 3 16 496 499 4 7 8 12 20; do at 128x4 $i; echo; done | tr '\n' ' ' | sed 's/ $//')"
same "bytes of 128x4 that are not padding" 132 "$(hex scales.128x4 | tr ' ' '\n' | grep -vc '^00$')"
# Row 1 begins at 4, row 8 at 32, row 32 at 128; the rest of that tile is padding.
same "8x4" "08 0c 24 28 24 27 00" \
    "$(for i in 0 4 28 32 128 131 132; do at 8x4 $i; echo; done | tr '\n' ' ' | sed 's/ $//')"
# Four tokens: column by column, four rows side by side.
head -c 512 matrix.bf16 > four.bf16
status "4-token" 0 $quantize --recipe nvfp4-vllm --from bf16 --shape 4,64 --global-scale 1 --layout 4-token \
    --codes codes --scales scales four.bf16
same "4-token" "08 0c 10 14 09 0d 11 15 0a 0e 12 16 0b 0f 13 17" "$(hex scales)"

# ---- the global scale: 448 * 6 / amax or its inverse

# g WORDS RECIPE: the line of the head.
g() {
    words $1 > in
    $quantize --recipe "$2" --global-scale auto --from f32 --shape 1,"$(echo $1 | wc -w | tr -d ' ')" -o g.blocks in 2> /dev/null
    sed -n '6s/^g //p' g.blocks
}
same "2688 / 6 = 448" 43e00000 "$(g "$(echo $golden)" nvfp4-te)"
same "6 / 2688 = 2^-6 / 7 = 3b124925" 3b124925 "$(g "$(echo $golden)" nvfp4-modelopt)"
same "amax 0: 1" 3f800000 "$(g "00000000 80000000" nvfp4-te)"
same "and its inverse" 3f800000 "$(g "00000000 80000000" nvfp4-torchao)"
same "448 / 6" 42955555 "$(g "$(echo $golden)" nvfp4-flashinfer-paged)"
same "448 / 1e-12" 57cbba10 "$(g "00000000 80000000" nvfp4-flashinfer-paged)"
same "at most FLT_MAX" 7f7fffff "$(g "00000001 00000000" nvfp4-te)"
same "NaN is passed over" 45280000 "$(g "7fc00000 bf800000" nvfp4-vllm)"
same "no global scale" none "$($quantize --recipe mxfp4-floor -o - one.npy 2> /dev/null | sed -n '6s/^g //p')"

# ---- saturation, NaN, zeros in the report: scale 2 (amax 12, exponent 3 - 2), so that 15 / 2 > 7 is cut

words 41700000 7fc00000 00000000 7f800000 > in
status "saturated" 0 $quantize --recipe mxfp4-floor --from f32 --shape 4,1 --report in
same "its counts" "blocks         4, 1 of them all zero
scales         00 to ff
saturated      1
NaN            1 before, 2 after
infinite       1" "$(sed -n '3,7p' out)"
same "15 is read back as 12" "max abs error  3 at row 0, column 0" "$(sed -n 8p out)"
# g = 1: 5376 / 6 is above 448, the largest scale, and 5376 / 448 = 12 is cut to 6.
words 45a80000 3f800000 > in
status "saturated by a bound that hands NaN on" 0 $quantize --recipe nvfp4-torchao --global-scale 1 --from f32 --shape 1,2 \
    --report in
same "it is counted" "saturated      1" "$(grep ^saturated out)"
