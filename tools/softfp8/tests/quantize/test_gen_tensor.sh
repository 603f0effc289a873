# SPDX-License-Identifier: MIT
# test_gen_tensor.sh -- gen quantize --format npy: tensors that show what is wrong in a quantizer

gen() { # NAME RECIPE [OPTION...]
    name=$1 recipe=$2
    shift 2
    status "$name: $recipe" 0 "$softfp8" gen quantize --recipe "$recipe" --format npy -o "$name.npy" \
        --blocks "$name.blocks" --reasons "$name.names" "$@"
}

# What follows the header of a file of blocks.
parts() { sed '1,/^$/d' "$1"; }

# ---- the expected blocks are those of quantize, with its own global scale

for recipe in nvfp4-te nvfp4-vllm mxfp8-e4m3-rceil fp8-per-token kivi-int4 kv-vllm q4_0-gguf \
    fp8-block128-te nvfp4-te-16x16; do
    gen w $recipe
    g=
    grep -aq '^g none' w.blocks || g='--global-scale auto'
    # shellcheck disable=SC2086
    status "$recipe again" 0 "$softfp8" quantize --recipe $recipe $g -o again.blocks w.npy
    same_file "$recipe: quantize" w.blocks again.blocks
done
for format in bf16 f16; do
    gen w nvfp4-te --in $format
    status "$format again" 0 "$softfp8" quantize --recipe nvfp4-te --global-scale auto --from $format \
        -o again.blocks w.npy
    same_file "$format: quantize" w.blocks again.blocks
done

# ---- elements where the code changes: two neighbouring words, two neighbouring codes, and every code

# The words of a tensor of 16 columns, a row a line; its codes of 4 bits.
gen w nvfp4-te
status "codes" 0 "$softfp8" quantize --recipe nvfp4-te --global-scale auto --codes codes --scales scales w.npy
head=$(($(wc -c < w.npy) - 64 * $(wc -l < w.names)))
od -An -v -tx4 -w64 -j $head w.npy > words
od -An -v -tx1 -w8 codes | sed 's/ \(.\)\(.\)/ \2 \1/g' > nibbles
paste -d ' ' w.names words nibbles | awk '
function number(text,  i, n) {
    for (i = 1; i <= length(text); i++)
        n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n
}
$2 ~ /^codes-2\^-?[0-6]-/ {
    for (i = 4; i < 18; i += 2) {
        larger = number($i); smaller = number($(i + 1))
        if (larger - smaller != 1 || number($(i + 16)) - number($(i + 17)) != 1) {
            print "row " $1 ": no boundary at " $i; exit
        }
        seen[$2, number($(i + 17)) % 8]
    }
    rows++
}
END {
    for (one in seen) codes++
    print rows " rows, " codes " codes"
}' > boundaries
same "all 7 changes in each row" "39 rows, 273 codes" "$(cat boundaries)"

# ---- largest magnitudes where the scale changes: neighbouring words, neighbouring scales

od -An -v -tx1 -w1 scales > scale
paste -d ' ' w.names scale words | awk '
function number(text,  i, n) {
    for (i = 1; i <= length(text); i++)
        n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n
}
$2 ~ /^scale-from-/ { code = number($3); word = number($4); next }
$2 ~ /^scale-before-/ && code - number($3) == 1 && word - number($4) == 1 { pairs++ }
END { print pairs }' > pairs
same "each of the 126 changes" "126" "$(cat pairs)"

# ---- the tensor of a recipe tells it from its relatives

# relatives RECIPE...: each on the tensor of each other.
relatives() {
    for one in "$@"; do
        gen one "$one"
        for other in "$@"; do
            [ "$one" != "$other" ] || continue
            g=
            ! "$softfp8" recipes "$other" | grep -q '^ *g  ' || g='--global-scale auto'
            # shellcheck disable=SC2086
            status "$other" 0 "$softfp8" quantize --recipe "$other" $g -o other.blocks one.npy
            parts one.blocks > one.parts
            parts other.blocks > other.parts
            if cmp -s one.parts other.parts; then
                failed "$other gives the same as $one on its tensor"
            fi
        done
    done
}
relatives mxfp4-floor mxfp4-ceil mxfp4-even mxfp4-rceil
relatives mxfp8-e4m3-floor mxfp8-e4m3-ceil mxfp8-e4m3-even mxfp8-e4m3-rceil
relatives nvfp4-vllm nvfp4-te nvfp4-modelopt nvfp4-compressed nvfp4-torchao nvfp4-trtllm
relatives fp8-group128-deepseek fp8-group128-vllm-triton fp8-group128-sglang fp8-group128-te

# ---- with a global scale of one's own there are NaN and large magnitudes too

gen w nvfp4-te
status "auto: no NaN" 0 "$softfp8" quantize --recipe nvfp4-te --global-scale auto --report w.npy
same "no NaN" "NaN            0 before, 0 after" "$(grep '^NaN' out)"
gen w nvfp4-te --global-scale 2
status "--global-scale 2" 0 "$softfp8" quantize --recipe nvfp4-te --global-scale 2 --report w.npy
lacks "NaN" "NaN            0 before" out
same "one name a row" "$(sed -n 's/^elements .* in \([0-9]*\) rows/\1/p' out)" \
    "$(wc -l < w.names | tr -d ' ')"
same "the first row" "0 amax-before-2^-149" "$(head -n 1 w.names)"
