# SPDX-License-Identifier: MIT
# test_verdict_layout_recipes.sh -- softfp8 layout identify accuses nothing that is right: what each recipe gives
# for ties, zeros, tiny values and outliers is as expected. Other values have no name.
plant=$(dirname "$softfp8")/softfp8-test-layout_plant
"$plant" none noise 16 128
mv values.bin other.bin
"$plant" none mixed 16 128

od -An -v -to1 -w4 values.bin | awk '{printf "\\%s\\%s", $3, $4}' > escapes
printf "$(cat escapes)" > values.bf16 # the upper halves

# The global scale of a report of `quantize`, as hexadecimal digits.
global_scale() { sed -n 's/^recipe .* g \([0-9a-f]*\) = .*/\1/p' err; }

# quantized FORMAT VALUES: whether the recipe takes the values; `g` is the option for its g.
quantized() {
    set -- --recipe "$recipe" --from "$1" --shape 16,128 --codes codes.bin --scales scales.bin "$2"
    g=
    "$softfp8" quantize "$@" 2> err > out && return
    grep -q 'needs --global-scale' err || return 1 # it stores offsets
    "$softfp8" quantize --global-scale auto "$@" 2> err > out || "$softfp8" quantize --global-scale 448 "$@" 2> err > out
    g="--global-scale 0x$(global_scale)"
}

# verdict VALUES [OPTION...]: the status and the first line.
verdict() {
    got=0
    "$softfp8" layout identify --recipe "$recipe" --shape 16,128 --codes codes.bin \
        --scales scales.bin --expected "$@" > out 2> err || got=$?
}

count=0
bf16=0
for recipe in $("$softfp8" recipes | awk 'NR > 1 {print $1}'); do
    quantized f32 values.bin || continue
    verdict values.bin $g
    if [ $got -eq 2 ]; then
        tests=$((tests + 1))
        grep -q "recipe $recipe: expected one of e2m1, e4m3 or e5m2" err || failed "$recipe: $(cat err)"
        continue
    fi
    count=$((count + 1))
    same "$recipe" '0 explained: the expected reading is right' "$got $(sed -n 1p out)"
    same "$recipe is among its recipes" 1 "$(grep -c "^quantized as if by .*\<$recipe\>.*: every code" out)"
    verdict other.bin $g --quick
    same "$recipe, other values" '1 unexplained: no reading explains every element' \
        "$got $(sed -n '1s/;.*//p' out)"
    lacks "$recipe, other values: no advice" '^mismatch|to do' out
    "$softfp8" recipes "$recipe" | grep -q ' own\( \|$\)' || continue
    bf16=$((bf16 + 1)) # its formulas round to the format of the values
    quantized bf16 values.bf16
    verdict values.bf16 --from bf16 $g
    same "$recipe, bf16" '0 explained: the expected reading is right' "$got $(sed -n 1p out)"
    same "$recipe, bf16, is among its recipes" 1 "$(grep -c "^quantized as if by .*\<$recipe\>.*: every code" out)"
done
same "recipes are tried" 1 $((count >= 137))
same "recipes of bf16 are tried" 1 $((bf16 >= 8))
