# SPDX-License-Identifier: MIT
# test_verdict_layout.sh -- softfp8 layout identify: the simplest mistake is named, and its advice works
#
# softfp8-test-layout_plant and softfp8-test-layout_float_plant make the data by formulas alone. Each
# advice is followed, and then the expected reading has to be right.
plant=$(dirname "$softfp8")/softfp8-test-layout_plant
float_plant=$(dirname "$softfp8")/softfp8-test-layout_float_plant
weights=$source/examples/data/weights.npy
right='explained: the expected reading is right'

# identify OPTION...: its report is in out.
identify() {
    "$softfp8" layout identify --codes codes.bin --scales scales.bin "$@" > out 2> err || :
}
line() { sed -n "$1p" out; }
# follow WHAT OPTION...: with the advice followed the expected reading is right.
follow() {
    what=$1
    shift
    status "$what: followed" 0 "$softfp8" layout identify --codes codes.bin --scales scales.bin "$@"
    same "$what: followed" "$right" "$(line 1)"
}
# mapped FROM TO FILE: bytes replaced by others, as tr does it.
mapped() { tr "$1" "$2" < "$3" > mapped && mv mapped "$3"; }

# ---- another g: the expected reading with one free factor comes first

# another GIVEN FACTOR: the weights, quantized by $recipe with $g, are identified with another g.
another() {
    identify --recipe $recipe --global-scale "$1" --expected "$weights"
    same "$recipe, g $1" "mismatch: g is $2" "$(line 1)"
    same "$recipe, g $1: what to do" "  to do: give --global-scale $g, with which $recipe gives every code and scale" \
        "$(line 2)"
    follow "$recipe, g $1" --recipe $recipe --expected "$weights" \
        --global-scale "$(sed -n 's/^  to do: give --global-scale \([0-9.e-]*\),.*/\1/p' out)"
}
recipe=nvfp4-te
g=448
"$softfp8" quantize --recipe $recipe --global-scale $g --codes codes.bin --scales scales.bin "$weights" 2> err
another 28 '16 times too small'
another 224 '2 times too small'
another 896 '2 times too large'
another 1344 '3 times too large'
another 7168 '16 times too large'
# 1/448, as f32 has it, times 2, 3, 10, 16 and 256.
recipe=nvfp4-modelopt
g=0.00223214296
"$softfp8" quantize --recipe $recipe --global-scale $g --codes codes.bin --scales scales.bin "$weights" 2> err
another 0.00446428591 '2 times too large'
same "e4m3fnuz is possible too" 'this data cannot distinguish it from: scales e4m3fnuz' \
    "$(identify --recipe $recipe --global-scale 0.00446428591 --expected "$weights" && grep ^this out)"
another 0.00669642888 '3 times too large'
another 0.0223214296 '10 times too large'
another 0.0357142873 '16 times too large'
another 0.571428597 '256 times too large'
another 0.00111607148 '2 times too small'
# Here g is the largest magnitude of the tensor.
recipe=nvfp4-te-4over6
"$softfp8" quantize --recipe $recipe --global-scale auto --codes codes.bin --scales scales.bin "$weights" 2> err
g=$(sed -n 's/^recipe .* = \([0-9.]*\)$/\1/p' err)
another "$(awk -v g="$g" 'BEGIN { printf "%.9g", 4 * g }')" '4 times too large'
another "$(awk -v g="$g" 'BEGIN { printf "%.9g", 4.262 * g }')" '4.262 times too large'
# A factor that is no whole number, with the nibbles exchanged: two changes.
"$plant" high-first outliers 33 64
identify --recipe nvfp4-te --global-scale 1 --expected values.bin --shape 33,64
same "nibbles and g" 'mismatch: the nibbles are stored high first, and were read low first' "$(line 1)"
same "nibbles and g: what to do" 1 \
    "$(grep -cE '^  to do: give --global-scale [0-9.]+, with which nvfp4-te gives every code and scale$' out)"

# ---- elements that overflowed: NaN in e4m3, infinity in e5m2

# overflowed WORDS RECIPE LIMIT FROM TO
overflowed() {
    "$plant" "$1" outliers 64 256
    count=$(sed 's/ .*//' counts)
    same "$1: some overflow" 1 $((count > 20))
    identify --recipe "$2" --expected values.bin --shape 64,256
    same "$1" "mismatch: $count elements overflowed to NaN or infinity: their values are at least $3 times their scale
  to do: saturate: a code that overflowed becomes the largest one of its sign
explained: 16384 of 16384 elements, 100.0000 %" "$(sed -n '1,3s/;.*//; 1,3p' out)"
    same "$1: apart" "scales: 0 of 512 differ from those of $2
codes: $count of 16384 differ from those of $2" "$(line 4,5)"
    identify --expected values.bin --shape 64,256
    same "$1, without a recipe" 1 "$(line 1 | grep -c "^mismatch: $count elements overflowed")"
    mapped "$4" "$5" codes.bin
    follow "$1" --recipe "$2" --expected values.bin --shape 64,256
}
overflowed mx+fp8+lost mxfp8-e4m3-floor 464 '\177\377' '\176\376'
overflowed mx+bf8+lost mxfp8-e5m2-floor 61440 '\174\374' '\173\373'
# Four times the values as well: one free factor and the overflow.
"$plant" mx+fp8+lost+quarter outliers 64 256
count=$(sed 's/ .*//' counts)
identify --recipe mxfp8-e4m3-floor --expected values.bin --shape 64,256
same "a factor and an overflow" 'mismatch: the values are 4 times what is read
  to do: multiply codes times scales by 4; mxfp8-e4m3-floor itself has no global scale' "$(line 1,2)"
same "a factor and an overflow: the count" "mismatch: $count elements overflowed to NaN or infinity" \
    "$(line 3 | sed 's/: their.*//')"
# 4 times the scale: the byte 2 greater; the scales are from 100 to 130.
mapped '\144-\202' '\146-\204' scales.bin
mapped '\177\377' '\176\376' codes.bin
follow "a factor and an overflow" --recipe mxfp8-e4m3-floor --expected values.bin --shape 64,256
# An infinity of the other sign is no overflow.
"$plant" mx+bf8+lost outliers 64 256
mapped '\174\374' '\374\174' codes.bin
identify --recipe mxfp8-e5m2-floor --expected values.bin --shape 64,256
same "infinities of the other sign" 'unexplained: no reading explains every element' "$(line 1 | sed 's/;.*//')"
# The largest code would not explain them: saturation is not advised.
"$float_plant" rows+half-amax+lost 64 256
count=$(sed 's/ .*//' counts)
identify --recipe fp8-per-token --expected values.bin --shape 64,256
same "far beyond" "mismatch: $count elements overflowed to NaN or infinity: their values are at least 464 times their scale" \
    "$(line 1)"
lacks "far beyond: no advice" 'to do' out
# A NaN where nothing overflowed is no overflow.
"$plant" mx+fp8 gauss 64 256
small=$(od -An -v -tu1 -w1 codes.bin | awk '$1 < 80 {print NR - 1; exit}')
printf '\177' | dd of=codes.bin bs=1 seek="$small" conv=notrunc 2> err
identify --recipe mxfp8-e4m3-floor --expected values.bin --shape 64,256
same "a NaN without overflow" 'unexplained: no reading explains every element; the closest is: as expected' \
    "$(line 1)"
lacks "a NaN without overflow: no advice" 'to do' out

# ---- scales that are too small: what was measured, codes and scales apart

# clipped RECIPE ROWS COLUMNS SCALES LIMIT
clipped() {
    count=$(sed 's/ .*//' counts)
    scales=$(sed 's/.* //' counts)
    same "$1: some are clipped" 1 $((count > 20 && scales > 20))
    identify --recipe "$1" --expected values.bin --shape "$2,$3"
    same "$1: clipped" "mismatch: $count elements were clipped to the largest code: their values are at least $5 times their scale
  to do: compute the scales as $1 does" "$(line 1,2)"
    same "$1: scales" "scales: $scales of $4 differ from those of $1" "$(line 4)"
    same "$1: codes" "codes: all are right for your scales" "$(line 5 | sed 's/;.*//')"
    # With another code than the scale asks for.
    printf '\001' | dd of=codes.bin bs=1 seek=0 conv=notrunc 2> err
    identify --recipe "$1" --expected values.bin --shape "$2,$3"
    same "$1: a wrong code" 'unexplained: no reading explains every element; the closest is: codes clipped' \
        "$(line 1)"
    same "$1: a wrong code is counted" 1 "$(grep -c '^codes: 1 of [0-9]* are wrong for your scales; [0-9]* differ from' out)"
    lacks "$1: no advice" 'to do' out
    "$softfp8" quantize --recipe "$1" --from f32 --shape "$2,$3" --codes codes.bin --scales scales.bin \
        values.bin 2> err
    follow "$1: clipped" --recipe "$1" --expected values.bin --shape "$2,$3"
}
"$float_plant" rows+half-amax 64 256
clipped fp8-per-token 64 256 64 448
"$plant" mx+fp8+log2-scale gauss 65 320
clipped mxfp8-e4m3-floor 65 320 650 597.333

# ---- bytes of e8m0 that were used as integers

"$plant" mx+fp8+decoded+integers outliers 64 256
for recipe in '--recipe mxfp8-e4m3-floor' ''; do
    identify $recipe --expected values.bin --shape 64,256
    same "integers $recipe" 'mismatch: the scales are the bytes themselves, as integers from 0 to 255, and were read as e8m0' \
        "$(line 1)"
done
"$plant" mx+fp8+decoded outliers 64 256 # the same codes and scales, converted
follow "integers" --recipe mxfp8-e4m3-floor --expected values.bin --shape 64,256
# Where all bytes are the same, as of few blocks, it is not one factor.
"$plant" mx+fp8+decoded+integers uniform 8 64
identify --recipe mxfp8-e4m3-floor --expected values.bin --shape 8,64
same "integers: few of them" 'mismatch: the scales are the bytes themselves, as integers from 0 to 255, and were read as e8m0' \
    "$(line 1)"

# ---- scales that a reader left out

"$plant" mx+fp8+decoded outliers 64 256
head -c 512 /dev/zero | tr '\000' '\177' > ones # e8m0: 1
status "read without scales" 0 "$softfp8" dequantize --recipe mxfp8-e4m3-floor --shape 64,256 --codes codes.bin \
    --scales ones --to f32 -o alone.npy
for recipe in '--recipe mxfp8-e4m3-floor' ''; do
    identify $recipe --expected alone.npy
    same "left out $recipe" "mismatch: the scales take no part in the values, and were read as e8m0" "$(line 1)"
done

# ---- memory that no kernel wrote: no reading of zeros explains other values

for recipe in 'nvfp4-te --global-scale 448' mxfp8-te; do
    "$softfp8" quantize --recipe $recipe --codes c --scales s "$weights" 2> err
    head -c "$(wc -c < c)" /dev/zero > c0
    head -c "$(wc -c < s)" /dev/zero > s0
    for pair in 'c0 s' 'c s0' 'c0 s0'; do
        [ "$pair" != 'c s0' ] || [ "$recipe" != mxfp8-te ] || continue # of e8m0 that is 2^-127
        status "$recipe, $pair" 1 "$softfp8" layout identify --recipe $recipe --codes "${pair% *}" --scales "${pair#* }" \
            --expected "$weights"
        same "$recipe, $pair" unexplained "$(line 1 | sed 's/:.*//')"
        same "$recipe, $pair: said" 1 "$(grep -c '^every value that is read is 0: were the codes and the scales written?$' out)"
    done
done

# ---- one row, by recipes of squares

tail -c 1024 "$weights" > row
for recipe in fp8-block128-vllm mxfp8-te-32x32 'nvfp4-te-16x16 --global-scale 448'; do
    "$softfp8" quantize --recipe $recipe --from f32 --shape 1,256 --codes codes.bin --scales scales.bin row 2> err
    follow "a row by $recipe" --recipe $recipe --from f32 --shape 1,256 --expected row
done

# ---- a factor of 6, by a recipe that divides by g

"$softfp8" quantize --recipe nvfp4-te --global-scale 0x1.2aaaaap+6 --codes codes.bin --scales scales.bin "$weights" 2> err
identify --recipe nvfp4-te --global-scale 448 --expected "$weights"
same "6 too many" "mismatch: g has a factor of 6 too many, and was used as given" "$(line 1)"
identify --recipe nvfp4-te --global-scale 12.4444444 --expected "$weights"
same "6 too few" "mismatch: g lacks a factor of 6, and was used as given" "$(line 1)"

# ---- g of 1: what a factor of 1 cannot change is not said to be possible

"$softfp8" quantize --recipe nvfp4-te --global-scale 1 --codes codes.bin --scales scales.bin "$weights" 2> err
follow "g of 1" --recipe nvfp4-te --global-scale 1 --expected "$weights"
same "g of 1" 0 "$(grep -c '^this data.* g ' out)"

# ---- more than a million elements: the recipe is compared with all of them

# Scales saturate with this g, so that only the recipe vouches for the codes.
awk 'BEGIN { for (i = 0; i < 18432; i++) printf "\\000\\000\\%03o\\%03o", i * 37 % 256, i % 3 ? 60 : 66 }' > escapes
printf "$(cat escapes)" > values.bin
for i in 1 2 3 4 5 6; do # 64 times as many values
    cat values.bin values.bin > double && mv double values.bin
done
"$softfp8" quantize --recipe nvfp4-te --global-scale 448 --from f32 --shape 9216,128 --codes codes.bin \
    --scales scales.bin values.bin 2> err
follow "a million elements and more" --recipe nvfp4-te --global-scale 448 --expected values.bin --shape 9216,128 --quick
same "a million elements and more: a sample, and saturated" 1 "$(grep -cE '^explained: [0-9]+ of 262144 elements, [0-9]' out)"
lacks "a million elements and more: a sample, and saturated" '^explained: 262144 of' out
# The last byte of the codes.
tail -c 1 codes.bin | tr '\000-\377' '\001-\377\000' > last
dd if=last of=codes.bin bs=1 seek=589823 conv=notrunc 2> err
status "the last code is wrong" 1 "$softfp8" layout identify --codes codes.bin --scales scales.bin \
    --recipe nvfp4-te --global-scale 448 --expected values.bin --shape 9216,128 --quick

# ---- rounding toward zero is no factor: codes and scales are counted apart, with no advice

"$plant" mx+fp8+truncated gauss 64 256
count=$(sed 's/.* //' counts)
identify --recipe mxfp8-e4m3-floor --expected values.bin --shape 64,256
same "truncated" 'unexplained: no reading explains every element' "$(line 1 | sed 's/;.*//')"
lacks "truncated: no advice" 'to do|^mismatch' out
same "truncated: codes and scales apart" "scales: 0 of 512 differ from those of mxfp8-e4m3-floor
codes: $count of 16384 differ from those of mxfp8-e4m3-floor" "$(line 3,4)"
