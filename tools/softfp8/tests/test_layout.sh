# SPDX-License-Identifier: MIT
# test_layout.sh -- softfp8 layout: mistakes that softfp8-test-layout_plant makes are named; places
plant=$(dirname "$softfp8")/softfp8-test-layout_plant

# identify ROWS COLUMNS [OPTION...]: its verdict in `out`, the status in $got.
identify() {
    shape=$1,$2
    shift 2
    got=0
    "$softfp8" layout identify --codes codes.bin --scales scales.bin --expected values.bin \
        --shape $shape "$@" > out 2> err || got=$?
}

# verdict: the line or lines of it, joined.
verdict() {
    sed -n 's/^mismatch: //p; /^explained: the/p; /^unexplained/s/;.*//p' out |
        awk '{printf "%s%s", (NR > 1 ? "; " : ""), $0} END {print ""}'
}

# finds EXPECTED DATA ROWS COLUMNS MISTAKES [OPTION...]: by that verdict. @g is the planted g.
finds() {
    expected=$1
    what="$2 $3,$4 $5"
    "$plant" "$5" "$2" "$3" "$4"
    r=$3
    c=$4
    shift 5
    case "${1-}" in
        @g)
            shift
            set -- "$@" --global-scale "$(cat g)" --recipe nvfp4-te
            ;;
    esac
    identify $r $c "$@"
    same "$what" "$expected" "$(verdict)"
    want=1
    [ "$expected" != 'explained: the expected reading is right' ] || want=0
    same "$what: status" $want $got
}

# ---- single mistakes and pairs; in the full tier on three kinds of data

cat > single << 'END'
none|explained: the expected reading is right
high-first|the nibbles are stored high first, and were read low first
reversed|the eight codes of each 4-byte word are in reverse order, and were read low first
awq|the eight codes of each 4-byte word are in the order 0 2 4 6 1 3 5 7, and were read low first
halves|the low nibbles of a block hold its first half, the high nibbles its second, and were read low first
packed-columns|the codes are packed along columns, and were read as packed along rows
transposed|the codes are those of the transposed matrix, and were read as packed along rows
int4|the codes are two's complement int4, and were read as e2m1
scales-halves|the scales have their halves of rows exchanged, and were read in order
scales-interleaved|the scales have their halves of rows interleaved, and were read in order
codes-split|the codes have the even rows first, then the odd ones, and were read in order
both-halves|codes and scales have their halves of rows exchanged, and were read in order
block32|the blocks are of 32 elements, and were read as of 16
turn|the scales are stored transposed, column by column, and were read as row by row
128x4|the scales have the layout 128x4, and were read as linear
8x4|the scales have the layout 8x4, and were read as linear
4-token|the scales have the layout 4-token, and were read as linear
inverse-128x4|the scales were linear and went through the inverse of 128x4, and were read as linear
inverse-8x4|the scales were linear and went through the inverse of 8x4, and were read as linear
inverse-4-token|the scales were linear and went through the inverse of 4-token, and were read as linear
twice-128x4|the scales went to 128x4 twice, and were read as linear
sign|the scales are e4m3 whose bit 7 must be ignored, and were read as e4m3
e5m2|the scales are e5m2, and were read as e4m3
g-inverted|g is the inverse of what was given, and was used as given
g-twice|g is to be applied twice, and was used as given
g-none|g was not used when quantizing, and was used as given
g-folded|g is already in the scales, which were rounded with it, and was used as given
g-times6|g has a factor of 6 too many, and was used as given
g-over6|g lacks a factor of 6, and was used as given
128x4+high-first|the nibbles are stored high first, and were read low first; the scales have the layout 128x4, and were read as linear
g-inverted+8x4|the scales have the layout 8x4, and were read as linear; g is the inverse of what was given, and was used as given
turn+packed-columns|the codes are packed along columns, and were read as packed along rows; the scales are stored transposed, column by column, and were read as row by row
kv+128x4|the scales have the layout 128x4, and were read as linear; the scales are e8m0, and were read as e4m3; g was not used when quantizing, and was used as given
dead-blocks|explained: the expected reading is right
END
kinds=outliers
case ${SOFTFP8_TIER:-quick} in
    short) # one mistake in nine
        awk 'NR % 9 == 1' single > some && mv some single
        ;;
    full) kinds='gauss outliers uniform' ;;
esac
for data in $kinds; do
    while IFS='|' read -r mistakes expected; do
        finds "$expected" $data 132 192 "$mistakes" @g
    done < single
done
# Scales of e4m3fnuz are the same as another g, which is the commoner mistake: it is named, and the
# other one is said to be possible.
finds 'g is 2 times too small' gauss 132 192 fnuz @g
same "e4m3fnuz: what to do" '  to do: give --global-scale 12349.7266, with which nvfp4-te gives every code and scale' \
    "$(sed -n 2p out)"
same "e4m3fnuz: the other name" 'this data cannot distinguish it from: scales e4m3fnuz' \
    "$(grep ^this out)"
identify 132 192 --recipe nvfp4-te --global-scale 12349.7266
same "e4m3fnuz: the advice followed" 'explained: the expected reading is right' "$(verdict)"
all='quantized as if by nvfp4-argmin, nvfp4-compressed, nvfp4-flashinfer, nvfp4-flashinfer-0.7.2, nvfp4-flashinfer-append, nvfp4-flashinfer-append-mla, nvfp4-flashinfer-kv, nvfp4-flashinfer-kv-0.7.2, nvfp4-flashinfer-paged, nvfp4-flashinfer-paged-0.7.2, nvfp4-modelopt, nvfp4-modelopt-0.44, nvfp4-modelopt-static, nvfp4-te, nvfp4-te-ref, nvfp4-torchao, nvfp4-trtllm, nvfp4-vllm, nvfp4-vllm-ref: every code and scale is equal'
columns='the blocks are parts of columns, and were read as parts of rows'
finds "$columns" gauss 192 128 along-columns @g
same "the recipes of blocks along columns" "$all" "$(grep ^quantized out)"
finds "the codes are those of the transposed matrix, and were read as packed along rows; $columns" \
    outliers 192 128 transposed+along-columns @g
# Rows and columns of scales that no layout divides: 301 by 29.
padded='the scales are linear, each row padded to a multiple of 4, and were read as linear'
finds "$padded" gauss 301 464 padded @g
finds 'the scales have the layout 128x4, and were read as linear' uniform 301 464 128x4 @g
same "what to do" '  to do: softfp8 layout move --from-layout 128x4 --to-layout linear --shape 301,29 scales.bin -o moved.bin' \
    "$(sed -n 2p out)"
finds 'explained: the expected reading is right' gauss 301 464 none @g
same "all elements" 'explained: 139664 of 139664 elements, 100.0000 %' "$(sed -n 2p out)"

# ---- families of powers of two, codes of 8 bits, with a recipe and without

twice='the scales are e8m0 one too large, as with a bias of 128, and were read as e8m0'
half='the scales are e8m0 one too small, as with a bias of 126, and were read as e8m0'
for data in ${kinds% uniform}; do
    finds 'explained: the expected reading is right' $data 132 320 mx --recipe mxfp4-floor
    same "mx: its recipe" 'quantized as if by mxfp4-auto-round, mxfp4-floor, mxfp4-microxcaling, mxfp4-torchao-floor: every code and scale is equal' "$(grep ^quantized out)"
    finds 'explained: the expected reading is right' $data 132 320 mx
    finds 'explained: the expected reading is right' $data 132 320 kv
    same "kv: its recipe" 'quantized as if by nvfp4-trtllm-ue8m0, sglang-kvfp4: every code and scale is equal' "$(grep ^quantized out)"
    finds "$twice" $data 132 320 mx+e8m0-up --recipe mxfp4-floor
    same "mx, one too large: its recipe" 'quantized as if by mxfp4-auto-round, mxfp4-floor, mxfp4-microxcaling, mxfp4-torchao-floor: every code and scale is equal' \
        "$(grep ^quantized out)"
    finds "$half" $data 132 320 mx+e8m0-down
    finds "the scales have the layout 8x4, and were read as linear; $twice" $data 132 320 mx+8x4+e8m0-up
    finds 'the scales have the layout 128x4, and were read as linear' $data 132 320 mx+fp8+128x4
    same "mx8: its recipe" 'quantized as if by mxfp8-auto-round, mxfp8-e4m3-floor, mxfp8-e4m3-microxcaling, mxfp8-e4m3-torchao-floor: every code and scale is equal' \
        "$(grep ^quantized out)"
    finds 'the codes are e4m3, and were read as e5m2' $data 132 320 mx+fp8 --recipe mxfp8-e5m2-even
done

# ---- what is believed of the layout; a factor

"$plant" 128x4 gauss 132 192
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --layout 128x4
same "128x4 as believed" 'explained: the expected reading is right' "$(verdict)"
"$plant" none gauss 132 192
g=$(cat g)
identify 132 192 --recipe nvfp4-te --global-scale "${g#0x}"
same "g as the digits of a word" 'explained: the expected reading is right' "$(verdict)"
"$plant" none gauss 33 64
identify 33 64 --recipe nvfp4-te --global-scale "$(cat g)" --layout 4-token
same "a layout that 33 rows cannot have" 'the scales are linear, and were read as 4-token' "$(verdict)"
same "what to do then" '  to do: give --layout linear: such a matrix cannot have the layout 4-token' \
    "$(sed -n 2p out)"
same "and why" 1 "$(grep -c '; the expected reading is impossible for such a matrix$' out)"
"$plant" 8x4 gauss 132 192
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --layout 128x4
same "8x4 taken for 128x4" 'the scales have the layout 8x4, and were read as 128x4' "$(verdict)"
same "and what to do" '  to do: softfp8 layout move --from-layout 8x4 --to-layout 128x4 --shape 132,12 scales.bin -o moved.bin' \
    "$(sed -n 2p out)"
# g forgotten: it is the encode scale 0x4392aeb9 = 293.36, 1/293.36 = 0.0034088, found within 0.5 %.
"$plant" high-first outliers 132 192
identify 132 192
same "the planted g" 0x4392aeb9 "$(cat g)"
tests=$((tests + 1))
grep -qE '^mismatch: the values are 0\.003(39[2-9]|4[01]|42[0-5])[0-9]* times what is read$' \
    out || failed "a factor"
same "a factor: status" 1 $got
same "a factor: the nibbles too" 'mismatch: the nibbles are stored high first, and were read low first' \
    "$(sed -n 1p out)"
same "a factor: the --global-scale to give" 1 "$(grep -cE '^  to do: give --global-scale 0\.003[34][0-9]*, the factor for codes times scales \(or --recipe NAME and its own g\)$' out)"
# Both followed: the factor that is printed, and the nibbles exchanged.
g=$(sed -n 's/^  to do: give --global-scale \([0-9.]*\),.*/\1/p' out)
od -An -v -to1 -w1 codes.bin | awk '{ n = $1 % 10 + int($1 / 10) % 10 * 8 + int($1 / 100) * 64
    printf "\\%03o", n % 16 * 16 + int(n / 16) }' > escapes
printf "$(cat escapes)" > exchanged
mv codes.bin first && mv exchanged codes.bin
identify 132 192 --global-scale "$g"
same "a factor: the advice followed" '0 explained: the expected reading is right' "$got $(verdict)"
mv first codes.bin
# The recipe's own g is the encode scale; with 1 given, it is the inverse of the factor.
identify 132 192 --recipe nvfp4-te --global-scale 1
# It is the planted one, 0x4392aeb9: 6 * 448 / amax.
same "a factor: the recipe's g" 1 "$(grep -cE '^  to do: give --global-scale 293\.365021, with which nvfp4-te gives every code and scale$' out)"
# The data of README were quantized with 448, a number of few bits. It is found near the estimate, and
# giving it leaves the nibbles alone.
data=$source/examples/data
status "the exact g" 1 "$softfp8" layout identify --recipe nvfp4-te --codes "$data/codes.bin" \
    --scales "$data/scales.bin" --expected "$data/weights.npy"
same "the exact g" '  to do: give --global-scale 448, with which nvfp4-te gives every code and scale' \
    "$(sed -n 4p out)"
# With one byte of the codes changed nothing explains all elements, and there is no advice.
{
    printf '\000'
    tail -c +2 "$data/codes.bin"
} > one-changed
status "one byte changed" 1 "$softfp8" layout identify --recipe nvfp4-te --codes one-changed \
    --scales "$data/scales.bin" --expected "$data/weights.npy"
same "one byte changed" 'unexplained: no reading explains every element; the closest is: nibbles high first, a factor of 0.002232' \
    "$(sed -n 1p out)"
lacks "one byte changed: no advice" 'to do|mismatch' out
# Values that were not rounded to bf16 as the quantized ones were: no recipe is exact, and the number
# is an estimate.
"$plant" from-bf16 outliers 132 192
identify 132 192 --recipe nvfp4-te --global-scale 100
g=$(sed -n 's/^  to do: give --global-scale \([0-9.]*\), an estimate with which every element is explained$/\1/p' out)
identify 132 192 --recipe nvfp4-te --global-scale "${g:-1}"
same "an estimate of g: the advice followed" '0 explained: the expected reading is right' "$got $(verdict)"
"$plant" high-first outliers 132 192
# Without a recipe g is a factor: that of the codes is the inverse of the encode scale.
identify 132 192 --global-scale "$(cat g)"
same "g inverted: how it is used" '  to do: give 1/g instead: --global-scale 0.003409
  without --recipe, codes times scales are multiplied by g' "$(sed -n '/1\/g instead/,+1p' out)"

# What was read from the codes by another program; what was rounded to bf16 before quantizing.
finds 'the scales have the layout 128x4, and were read as linear' outliers 132 192 128x4+decoded @g
finds 'the scales have the layout 128x4, and were read as linear' outliers 132 192 128x4+from-bf16 @g

# ---- nothing explains noise; what one row cannot tell

for mistakes in none 128x4 sign; do
    finds 'unexplained: no reading explains every element' noise 132 192 $mistakes @g
    same "noise has no recipe" '' "$(grep ^quantized out)"
done
same_here() { same "$1" "$2" "$(sed -n 's/^this data cannot distinguish it from: //p' out)"; }
finds 'explained: the expected reading is right' gauss 1 64 none @g
same_here "one row" \
    'scales 128x4; scales 8x4; scales transposed; packing transposed (there is one row)'
finds 'explained: the expected reading is right' gauss 1 64 128x4 @g
finds 'the scales have the layout 128x4, and were read as linear' gauss 1 448 128x4 @g
same_here "one row of 28 scales" ''
finds 'explained: the expected reading is right' gauss 132 192 none @g
same_here "132 rows" ''
finds 'explained: the expected reading is right' uniform 132 320 mx --recipe mxfp4-even
same_here "scales that are all the same" \
    'scales transposed; rows of scales exchanged; rows of scales interleaved; rows of scales split'

# ---- the report

finds 'the nibbles are stored high first, and were read low first' outliers 132 192 high-first @g
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --json report.json
same "the first line of the table" ' 100.0000 %  nibbles high first' \
    "$(sed -n '/^$/,$p' out | sed -n 3p | sed -E 's/ +0\.[0-9]+ +0\.[0-9]+ +/  /')"
same "JSON: the head" '{"rows": 132, "columns": 192, "bits": 4, "tried": N,
"verdict": "mismatch", "not_counted": 0,' "$(sed -n '1,2s/"tried": [0-9]*/"tried": N/; 1,2p' report.json)"
same "JSON: the change" 1 "$(grep -c '"counted": 25344, "explained": 25344, .*"differ": 0, .*"changes": \[{"axis": "nibbles", "is": "high first", "read_as": "low first"}\]}' report.json)"
if command -v python3 > /dev/null; then
    tests=$((tests + 1))
    python3 -m json.tool report.json > tidy || failed "JSON"
else
    echo "skipped: JSON read by another program: no python3"
fi
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --json -
same_file "JSON alone" report.json out
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --quick
same "quick: a single mistake" 'the nibbles are stored high first, and were read low first' "$(verdict)"

# Some codes are wrong, too few to be a reading.
finds 'explained: the expected reading is right' gauss 132 192 none @g
{ head -c 1000 codes.bin | tr '\001-\007' '\021-\027' && tail -c +1001 codes.bin; } > some
mv some codes.bin
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --json report.json
same "some codes are wrong: status" 1 $got
same "some codes are wrong" "unexplained: no reading explains every element partly" \
    "$(verdict) $(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' report.json)"
same "which" 'unexplained: no reading explains every element; the closest is: as expected' "$(sed -n 1p out)"
same "how many" 1 "$(grep -cE '^explained by the closest: 2[45][0-9]+ of 25[0-9]+ elements, 9' out)"
same "codes and scales apart" 'scales: 0 of 1584 differ from those of nvfp4-te' "$(grep ^scales: out)"
# Elements beside their codes, where a recipe gives every code: scales saturate.
"$plant" none outliers 300 448
"$softfp8" quantize --recipe nvfp4-te --global-scale 448 --from f32 --shape 300,448 --codes codes.bin --scales scales.bin values.bin 2> err
identify 300 448 --recipe nvfp4-te --global-scale 448 --quick
same "saturated scales" "0 explained: the expected reading is right 1" \
    "$got $(verdict) $(grep -cE '^explained: 134[0-9]+ of 134400 elements, 99\.' out)"
"$plant" none gauss 132 192
# Random scales: where a reading gives NaN it has no figures.
head -c 3000 codes.bin | tail -c 1584 > scales.bin
identify 132 192 --recipe nvfp4-te --global-scale "$(cat g)" --json report.json
lacks "no figure is NaN" 'nan|inf' out
lacks "nor in JSON" 'nan|inf' report.json

finds 'the scales are e8m0, and were read as e4m3; g was not used when quantizing, and was used as given' \
    gauss 132 192 kv @g --quick
