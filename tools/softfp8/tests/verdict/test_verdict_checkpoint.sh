# SPDX-License-Identifier: MIT
# test_verdict_checkpoint.sh -- what checkpoint says about layers that were damaged, and that it
# accuses no layer that is right: of any recipe, rounding, clipped, or with corrected errors
. "$source/tools/softfp8/tests/tensors.sh"
checkpoint="$softfp8 checkpoint"

# A model file of layers a0 a1 ... of one scheme: model FILE DTYPE SHAPE SCALES SHAPE G LAYER..., each
# LAYER being a prefix of the files .codes, .scales and, if G is a name, .g. Layer number $other is of
# another kind.
model() {
    file=$1 dtype=$2 shape=$3 scale_dtype=$4 scale_shape=$5 g=$6
    shift 6
    head='' at=0 n=0 name=''
    for layer; do
        for part in codes:${codes_name-.weight}:$dtype:$shape \
            scales:.weight_scale:$scale_dtype:$scale_shape g:$g:F32:; do
            IFS=: read -r end name type axes << END
$part
END
            [ -n "$name" ] || continue
            size=$(($(wc -c < "$layer.$end")))
            kind=up
            [ $n != "${other-}" ] || kind=wide
            head="$head${head:+,}$(entry "m.$n.$kind$name" "$type" "$axes" $at $((at + size)))"
            at=$((at + size))
        done
        n=$((n + 1))
    done
    tensors "$file" "{$head}"
    for layer; do
        cat "$layer.codes" "$layer.scales" >> "$file"
        if [ -n "$g" ]; then cat "$layer.g" >> "$file"; fi
    done
}
# reference FILE SHAPE VALUES...: of as many layers, each a file of f32.
reference() {
    file=$1 shape=$2
    shift 2
    head='' at=0 n=0
    for values; do
        size=$(($(wc -c < "$values")))
        head="$head${head:+,}$(entry "m.$n.up.weight" F32 "$shape" $at $((at + size)))"
        at=$((at + size))
        n=$((n + 1))
    done
    tensors "$file" "{$head}"
    cat "$@" >> "$file"
}
findings() { sed -n '/^findings$/,/^[^ f]/s/^  //p' out; }
# right WHAT COMMAND...: nothing is said.
right() {
    what=$1
    shift
    status "$what" 0 "$@"
    same "$what: nothing is said" "" "$(grep -E '^findings|^unusual|GPTQ' out)"
}

# ---- NVFP4: 16 rows of 64 weights
tail -c +129 "$source/examples/data/weights.npy" > w.f32
$quantize --recipe nvfp4-modelopt --global-scale 0x1p-13 --codes w.codes --scales w.scales \
    "$source/examples/data/weights.npy" > /dev/null 2>&1
words 39000000 > w.g
nvfp4() { file=$1; shift; model "$file" U8 16,32 F8_E4M3 16,4 .weight_scale_2 "$@"; }
copy() { for end in codes scales g f32; do cp w.$end "$1.$end"; done; }
reference w.ref 16,64 w.f32 w.f32 w.f32 w.f32 w.f32 w.f32
nvfp4 w.model w w w w w w
right "as it was written" $checkpoint --reference w.ref w.model
same "which is said" 1 "$(grep -c '^nothing odd in the codes and scales, and no layer far from its reference$' out)"
same "factors near 1" 6 "$($checkpoint --list --reference w.ref w.model | awk '$5 ~ /^m/ && $1 > 20 && $3 > 0.97 && $3 < 1.03' | wc -l | xargs)"

copy s # the global scale 16 times too large
words 3b000000 > s.g
copy n # the two codes of each byte exchanged
bytes "$(hex w.codes | sed 's/\([0-9a-f]\)\([0-9a-f]\)/\2\1/g')" > n.codes
nvfp4 bad.model w w s w n w
status "a layer times 16, another with swapped nibbles" 1 $checkpoint --reference w.ref bad.model
same "both are named, and only they" "m.2.up: the values are about 16 times those of the reference
m.4.up: swapped nibbles: the two codes of each byte have each other's place" "$(findings | sed 's/ (SQNR.*//')"
same "with the error, and what it is without" \
    "(SQNR -23.38 dB; without the factor 20.31 dB) (SQNR -2.68 dB; exchanged 20.31 dB)" "$(findings | sed 's/.*(/(/' | xargs)"
same "no other" "unexplained" "unexplained$(grep unexplained out)"
status "as JSON" 1 $checkpoint --json - --reference w.ref bad.model
same "findings" 2 "$(grep -c '"finding": ' out)"
same "factors" "0.98 15.68 0.98" "$(sed -n 's/.*"factor": \([0-9.]*\),.*/\1/p' out | awk '{ printf "%.2f\n", $1 }' | uniq | head -n 3 | xargs)"

copy f # the block scales a quarter: 1/4 by another exponent
bytes "$(hex w.scales | tr ' ' '\n' | awk '
    { n = (index("0123456789abcdef", substr($0, 1, 1)) - 1) * 16 + index("0123456789abcdef", substr($0, 2, 1)) - 1
      printf "%02x ", n - 16 }')" > f.scales
copy u # the codes of other rows
{ tail -c 256 w.codes; head -c 256 w.codes; } > u.codes
copy z # zeros
head -c 512 /dev/zero > z.codes
copy o # the sign
bytes "$(hex w.codes | tr 0123456789abcdef 89abcdef01234567)" > o.codes
copy b # both: 16 times, and swapped
cp s.g b.g
cp n.codes b.codes
nvfp4 bad.model f u z o b w
status "others" 1 $checkpoint --reference w.ref bad.model
same "are explained, or not" "m.0.up: the values are about 0.25 times those of the reference
m.1.up: far from the reference, unexplained
m.2.up: far from the reference, unexplained
m.3.up: the values are about -1 times those of the reference
m.4.up: far from the reference, unexplained" "$(findings | sed 's/ (SQNR.*//')"

# one byte of 512: code 7 for 1 or 2 in row 4, column 6
copy d
{ head -c 131 w.codes; bytes f7; tail -c +133 w.codes; } > d.codes
nvfp4 bad.model w d w w w w
status "one byte" 1 $checkpoint --reference w.ref bad.model
same "is found, and where" "m.1.up: 2 of 1024 values are more than one code away from the reference, the first in row 4, column 6; the others are rounded to nearest" "$(findings)"

# four scales are 0: a row
copy d
{ head -c 16 w.scales; head -c 4 /dev/zero; tail -c +21 w.scales; } > d.scales
nvfp4 bad.model w d w w w w
status "a row of scales that are 0" 1 $checkpoint --reference w.ref bad.model
same "is found" "m.1.up: 64 of 1024 values have a scale of 0, but are larger in the reference than what is rounded to that" \
    "$(findings)"

# a reference of another model
sed 's/m[.]\([0-9]\)[.]up/n.\1.up/g' w.ref > other.ref
status "a reference without these layers" 2 $checkpoint --reference other.ref w.model
same "is refused" "other.ref: the reference has the weights of no layer; expected names such as m.5.up.weight" "$(cat err)"

# ---- without a reference: a remark, and no finding
nvfp4 bad.model w w s w w w w w
status "a layer times 16 among eight" 0 $checkpoint bad.model
same "gets a remark" "  m.2.up: the RMS of its values is 1.13; that of 7 layers of the same kind is 0.0707 to 0.0707" \
    "$(sed -n '/^unusual, but perhaps right$/{n;p;}' out)"
same "in JSON too" 1 "$($checkpoint --json - bad.model | grep -c '{"name": "m.2.up", "remark": "the RMS of its values')"
copy t
words 37000000 > t.g
nvfp4 bad.model w w t w
status "a layer of a sixteenth among four" 0 $checkpoint bad.model
same "gets one" 1 "$(grep -c '^  m.2.up: the RMS' out)"
nvfp4 bad.model w w s
right "three are too few" $checkpoint bad.model
nvfp4 bad.model w s w s w s
right "two sizes, which may both be right" $checkpoint bad.model
other=2
nvfp4 bad.model w w s w w
right "of another kind" $checkpoint bad.model
other=
od -An -v -w4 -tx4 w.f32 | while read -r word; do printf '%08x\n' $((0x$word + 0x02000000)); done > s.hex
words "$(cat s.hex)" > s.f32 # 16 times the weights
nvfp4 bad.model w w s w w
reference s.ref 16,64 w.f32 w.f32 s.f32 w.f32 w.f32
right "as in the reference" $checkpoint --reference s.ref bad.model
words 39800000 > t.g
nvfp4 bad.model w w t w w
right "twice as large" $checkpoint bad.model
# ---- a global scale that is infinite
words 7f800000 > t.g
nvfp4 bad.model w t w w
status "an infinite global scale" 1 $checkpoint --reference w.ref bad.model
same "what it makes of the values" "m.1.up: m.1.up.weight_scale_2 is inf; infinite values: 894; NaN values: 130" "$(findings)"
same "which are its codes 0 and 8" 130 "$(hex w.codes | tr -d ' \n' | tr -cd 08 | wc -c | xargs)"
same "the largest" "m.1.up inf" "$($checkpoint --list bad.model | awk '$1 == "m.1.up" { print $1, $NF }')"

# ---- right layers of other recipes, with weights that have outliers, whose average is not 0, or 0
awk 'BEGIN { srand(1)
    for (i = 0; i < 4096; i++) {
        v = rand() + rand() + rand() + rand() - 2
        v = i % 64 == 5 ? 20 * v * v * v : v # heavy tails
        v = i < 1024 ? v / 100 + 0.03 : v
        if (i >= 2048 && i < 3072) v = 0
        printf "%.9g\n", v
    } }' > v.txt
"$softfp8" convert --as-numbers --to f32 v.txt > v.hex
words "$(cat v.hex)" > v.f32
{ npy '<f4' '32, 128'; cat v.f32; } > v.npy
reference v.ref 32,128 v.f32
# layer RECIPE SCALE_DTYPE SCALE_SHAPE: quantized to v.model
layer() {
    $quantize --recipe "$1" ${5:+--global-scale "$5"} --codes v.codes --scales v.scales v.npy > /dev/null 2>&1
    model v.model "$4" "32,$(($(wc -c < v.codes) / 32))" "$2" "$3" "${6-}" v
    right "$1" $checkpoint --reference v.ref v.model
}
layer fp8-compressed-channel F32 32,1 F8_E4M3
layer fp8-compressed-block128 F32 1,1 F8_E4M3
layer mxfp8-compressed U8 32,4 F8_E4M3
codes_name=.weight_packed
layer mxfp4-compressed U8 32,4 U8
layer mxfp4-floor U8 32,4 U8 # clips
words 41800000 > v.g
layer nvfp4-compressed F8_E4M3 32,8 U8 16 .weight_global_scale
unset codes_name

# ---- other roundings than to nearest, with the scale 1
for round in rz ru rd ro rna; do
    "$softfp8" convert --from f32 --to e4m3 --round $round v.hex > codes.hex
    bytes "$(cat codes.hex)" > v.codes
    words 3f800000 > v.scales
    model v.model F8_E4M3 32,128 F32 1,1 '' v
    right "rounded by $round" $checkpoint --reference v.ref v.model
done

# ---- codes of e2m1 with the scale 1: rounded to nearest, toward zero, away from it, at random, with
# a few clipped; and with the errors carried on, as GPTQ does, so that some are far from their own value
# `outliers` are clipped so far that they are most of the error, and `halves` are clipped throughout.
for how in nearest toward away random clipped outliers halves carried twice; do
    awk -v how=$how 'BEGIN { split("0 0.5 1 1.5 2 3 4 6", grid, " "); srand(2); carry = 0
        for (i = 0; i < 1024; i++) {
            y = (rand() + rand() + rand() + rand() - 2) * 3
            y = y > 6 ? 6 : y < -6 ? -6 : y
            if (how == "clipped" && i % 200 == 7) y = 10
            if (how == "outliers" && i % 200 == 7 || how == "halves" && i % 2) y = i % 4 ? 40 : -40
            v = y + carry; size = v < 0 ? -v : v
            for (k = 1; k < 7 && size >= grid[k + 1]; k++); # between grid[k] and the next
            part = (size - grid[k]) / (grid[k + 1] - grid[k])
            limit = how == "toward" ? 2 : how == "away" ? 0 : how == "random" ? rand() : 0.5
            k += part > limit
            x = v < 0 ? -grid[k] : grid[k]
            carry = how == "carried" ? v - x : 0
            carry = carry > 1 ? 1 : carry < -1 ? -1 : carry
            if (how == "twice") y = y / 2
            printf "%.9g\n", y > "y.txt"
            code = (v < 0 ? 8 : 0) + k - 1
            if (i % 2) printf "%x%x ", code, low > "pairs"
            low = code
        } }'
    "$softfp8" convert --as-numbers --to f32 y.txt > y.hex
    words "$(cat y.hex)" > y.f32
    bytes "$(cat pairs)" > y.codes
    bytes "$(repeat 64 38)" > y.scales
    words 3f800000 > y.g
    reference y.ref 16,64 y.f32
    nvfp4 y.model y
    case $how in
    outliers)
        status "outliers" 0 $checkpoint --reference y.ref y.model
        same "are clipped, which may be right" "  m.0.up: 6 of 1024 values are clipped: the reference is larger than the largest code times its scale" \
            "$(grep clipped out | sed 's/ (SQNR.*//')" ;;
    halves)
        status "half of all values clipped" 1 $checkpoint --reference y.ref y.model
        same "is a finding" "m.0.up: 512 of 1024 values are clipped: the reference is larger than the largest code times its scale" \
            "$(findings | sed 's/ (SQNR.*//')" ;;
    carried)
        status "corrected errors" 0 $checkpoint --reference y.ref y.model
        same "are no finding" "in 1 layer many values are more than one code away from the reference, as after GPTQ or training" \
            "$(grep -E '^findings|GPTQ' out)" ;;
    twice)
        status "the same data, twice as large" 1 $checkpoint --reference y.ref y.model
        same "is named" "m.0.up: the values are about 2 times those of the reference" "$(findings | sed 's/ (SQNR.*//')" ;;
    *) right "e2m1, $how" $checkpoint --reference y.ref y.model ;;
    esac
done
