# SPDX-License-Identifier: MIT
# test_kv_doctor.sh -- softfp8 kv doctor: tensors made by hand whose report is known by hand
. "$source/tools/softfp8/tests/tensors.sh"
doctor="$softfp8 kv doctor"

# numbers NUMBER...: these as f32, in bytes.
numbers() { words "$(printf '%s\n' "$@" | "$softfp8" convert --as-numbers --to f32)"; }
# line LABEL: what stands there in out.
line() { sed -n "s/^$1  *//p" out | head -n 1; }
# row NAME: what stands in the table of ways, with single blanks.
row() { sed -n "s|^$1   *||p" out | tail -n 1 | tr -s ' '; }
advice() { tail -n 1 out; }

# ---- limits: 448, 449, 464, 465 times the scale 2. Above the largest are three, beyond where
# ---- rounding ends one: 465. Errors 0, 2, 32, 34: their mean -68 / 4, squares 2184 in sum, those of
# ---- the values 3335304: 31.84 dB.

numbers 896 898 928 930 > limits.f32
status "limits" 0 $doctor --scale 2 --from f32 --shape 4,1 limits.f32
cat > expected <<'END'
tensor         limits.f32
values         4 of f32: 4 tokens, 1 channel
NaN, Inf       0, 0
zero           0
amax           930 = 44688000 at token 3, channel 0
channels       1, median amax 930; 0 outliers (amax above 8 x median)
stored         x / scale as e4m3, policy cuda-satfinite, scale 2 = 40000000
above largest  3  above 448 x scale
clipped        1  above 464 x scale: clipped to 448
cast to NaN    without saturation: 1 NaN, 0 Inf; as configured: 0
made zero      0
subnormal      0
codes used     1 of 253 numbers, 1 of 126 magnitudes above 0
max abs error  34 at token 3, channel 0
max rel error  0.03656
mean error     -17
SQNR           31.84 dB

worst channels            SQNR dB         amax   clipped     zeros  NaN, Inf
channel 0                   31.84          930         1         0         0

worst tokens              SQNR dB         amax   clipped     zeros  NaN, Inf
token 3                     28.74          930         1         0         0
token 2                     29.25          928         0         0         0
token 1                     53.04          898         0         0         0

END
sed '/^storage /,$d' out > head
same_file "the report of the limits" expected head
same "as configured" "31.84 31.84 1 0 0 2.000000" "$(row 'as configured')"
# 4 of 448, but more than 464: all clipped. Errors 448, 450, 480, 482.
same "by 1" "6.02 6.02 4 0 0 2.000000" "$(row 'e4m3, scale 1' | sed 's/^[^ ]* [^ ]*/6.02 6.02/')"
# --strict: the exit status for a script, and what JSON has for one.
status "clipped, strict" 1 $doctor --strict --scale 2 --from f32 --shape 4,1 limits.f32
sed '/^storage /,$d' out > strict
same_file "the same report" head strict
status "clipped, strict, JSON" 1 $doctor --strict --json - --scale 2 --from f32 --shape 4,1 limits.f32
same "counts in JSON" '"clipped": 1, "made_nan": 0, "problems": 1' \
    "$(grep -o '"clipped": 1, "made_nan": 0, "problems": 1' out)"
status "nothing clipped, strict" 0 $doctor --strict --scale 3 --from f32 --shape 4,1 limits.f32
numbers 1 nan 2 3 > notnumbers.f32
status "NaN in the tensor, strict" 1 $doctor --strict --from f32 --shape 4,1 notnumbers.f32
numbers 1 -inf 2 3 > notnumbers.f32
status "infinity in the tensor, strict" 1 $doctor --strict --from f32 --shape 4,1 notnumbers.f32
numbers 1 500 2 3 > large.f32
status "made NaN, strict" 1 $doctor --strict --policy cuda-nosat --from f32 --shape 4,1 large.f32
status "made NaN" 0 $doctor --policy cuda-nosat --from f32 --shape 4,1 large.f32
status "two tensors, strict" 1 $doctor --strict --scale 2 --from f32 --shape 4,1 limits.f32 large.f32
status "limits" 0 $doctor --scale 2 --from f32 --shape 4,1 limits.f32
# A token of one value is all but exact by a scale of its own.
same "the advice" "Use the recipe fp8-per-token: as configured, 1 value is clipped; SQNR goes from 31.84 to" \
    "$(advice | sed 's/ [^ ]* dB.*//')"
numbers -896 -898 -928 -930 > in
status "negative" 0 $doctor --scale 2 --from f32 --shape 1,4 in
same "above" "3  above 448 x scale" "$(line 'above largest')"
same "clipped" "1  above 464 x scale: clipped to 448" "$(line clipped)"
same "mean" "17" "$(line 'mean error')"
status "a cast that does not saturate" 0 $doctor --scale 2 --policy torch-2.12 --from f32 --shape 4,1 limits.f32
same "NaN of its own" "without saturation: 1 NaN, 0 Inf; as configured: 1" "$(line 'cast to NaN')"
same "it is above the largest" "3  above 448 x scale" "$(line 'above largest')"
same "it is not clipped, but no number" "0  above 464 x scale: NaN or Inf, not clipped" "$(line clipped)"
same "in the table" "32.13 31.84 0 0 1 2.000000" "$(row 'as configured' | sed 's/^[^ ]* [^ ]*/32.13 31.84/')"
same "advice names it" "as configured, 1 number becomes NaN or infinite" "$(advice | sed 's/.*: //; s/;.*//')"
# e5m2 has an infinity: 61440 is the tie between 57344 and 65536, and goes there; 61439 does not.
numbers 57344 61439 61440 -1e6 > in
status "e5m2" 0 $doctor --to e5m2 --from f32 --shape 4,1 in
same "infinite" "without saturation: 0 NaN, 2 Inf; as configured: 0" "$(line 'cast to NaN')"
same "codes of e5m2" "2 of 247 numbers, 1 of 123 magnitudes above 0" "$(line 'codes used')"
# -- what was published about these limits: 0, 1, 100, 500, -500, infinity by torch before 2.13; 100 is
# -- a tie and goes to 96
numbers 0 1 100 500 -500 inf > in
status "six values" 0 $doctor --policy torch-2.12 --from f32 --shape 6,1 in
same "NaN of 500 and -500" "without saturation: 2 NaN, 0 Inf; as configured: 2" "$(line 'cast to NaN')"
same "infinity" "0, 1; first at token 5, channel 0" "$(line 'NaN, Inf')"
same "100" "4 at token 2, channel 0" "$(line 'max abs error')"
# -- eight values by the scale 5 / 200: all beyond, 12.1 / 0.025 is 484
numbers 15.3 18.7 12.1 19.5 16.8 20 14.2 17.9 > in
status "eight values" 0 $doctor --scale 3ccccccd --from f32 --shape 1,8 in
same "all are clipped" "8  above 464 x scale: clipped to 448" "$(line clipped)"
same "all would be NaN" "without saturation: 8 NaN, 0 Inf; as configured: 0" "$(line 'cast to NaN')"
same "to one code" "1 of 253 numbers, 1 of 126 magnitudes above 0" "$(line 'codes used')"
# -- 200 is a tie between 192 and 208: the largest value by amax / 200 is 4 % off: 27.96 dB. By amax /
# -- 100, 96 for 100, too.
numbers 5 > in
status "amax / 200" 0 $doctor --from f32 --shape 1,1 in
same "4.8 for 5" "27.96 27.96 0 0 0 5.000000" "$(row 'e4m3, amax / 200')"
same "the same of 100" "27.96 27.96 0 0 0 5.000000" "$(row 'e4m3, amax / 100')"
# -- a scale that is too large does not cost a level of 448: bf16 from 2^-7 to 2 by 0.25 take 65 of 126
# -- magnitudes, 8 octaves of 8 and one more, and are at most 5.88 % off; by 0.025 5.69 %, by 0.01 5.84 %
awk 'BEGIN { for (i = 0; i <= 1024; i++) printf "%04x\n", 15360 + i }' > list
words $(cat list) > in
for case in "0.25 65 0.05882" "0.025 65 0.05688" "0.01 65 0.05839"; do
    set -- $case
    status "scale $1" 0 $doctor --scale "$1" --from bf16 --shape 1025,1 in
    same "magnitudes by $1" "$2 of 253 numbers, $2 of 126 magnitudes above 0" "$(line 'codes used')"
    same "error by $1" "$3" "$(line 'max rel error')"
done

# ---- zero

head -c 1024 /dev/zero > in
status "zero" 0 $doctor --from f32 --shape 8,32 in
same "all of it" "256" "$(line zero)"
same "as configured" "none none 0 0 0 1.015625" "$(row 'as configured')"
same "0 / 0 by amax" "none none 0 0 256 1.015625" "$(row 'e4m3, amax / 448')"
same "one code" "1 of 253 numbers, 0 of 126 magnitudes above 0" "$(line 'codes used')"
lacks "nothing is worst" '^worst' out
same "the advice" "All values are 0: use any scale above 0, but not one computed from amax: it would be 0, and \
0 / 0 is NaN." "$(advice)"

# ---- subnormal codes: up to 2^-10 becomes 0, a tie; 2^-9 is the least code, 2^-6 the least normal

numbers 0x1p-11 0x1p-10 0x1.000002p-10 0x1p-9 0x1.cp-7 0x1.dp-7 0x1.fp-7 0x1p-6 -0x1p-10 0 > in
status "subnormal" 0 $doctor --from f32 --shape 10,1 in
same "made zero" "3" "$(line 'made zero')"
same "subnormal codes" "4" "$(line subnormal)"
same "zeros" "1" "$(line zero)"
# 0, 01, 07, 08: 1.dp-7 is 7.25 units and goes to 7, 1.fp-7 7.75 to 8.
same "codes" "4 of 253 numbers, 3 of 126 magnitudes above 0" "$(line 'codes used')"
same "the advice" "as configured, 30 % of the values become zero" "$(advice | sed 's/.*: //; s/;.*//')"

# ---- all codes of e4m3 as values: nothing is lost

"$softfp8" table e4m3 --csv --hex | grep -v nan | sed -n "s/^0x[0-9a-f]*,\\([-0-9].*\\),.*/\\1/p" > list
same "numbers of e4m3" 254 "$(wc -l < list | tr -d ' ')"
numbers $(cat list) > in
status "all codes" 0 $doctor --from f32 --shape 127,2,1 in
same "all are used" "253 of 253 numbers, 126 of 126 magnitudes above 0" "$(line 'codes used')"
same "no error" "inf inf 0 0 0 1.015748" "$(row 'as configured')"
lacks "none is worst" '^worst' out
same "keep it" "Keep it: nothing is clipped, 0 % of the values become zero, and no other 8-bit floating-point \
storage is more than 1 dB better." "$(advice)"
same "subnormal codes: 7 of each sign" 14 "$(line subnormal)"

# ---- an outlying channel, the second of head 1: 64 times. int4 by amax: a scale of 64 / 7, so that
# ---- 1 / 9.14 is 0; FP8 does not mind.

one="1 -1 1 -1"
{ for t in 1 2 3 4 5 6 7 8; do numbers $one 1 64 1 -1; done; } > data
{ npy "<f4" "8, 2, 4"; cat data; } > outlier.npy
status "an outlier" 0 $doctor outlier.npy
same "named" "8, median amax 1; 1 outlier (amax above 8 x median)" "$(line channels)"
same "its place" "head 1, channel 1: amax 64, 64 x median" "$(line outliers)"
same "int4 by amax" "18.5 0.00 0 56 0" "$(row 'int4, amax / 7' | sed 's/^[^ ]*/18.5/; s/ [^ ]*$//')"
same "FP8" "inf inf 0 0 0 1.062500" "$(row 'as configured')"
same "the advice ends with it" "1 outlier channel would crush the others in integers that share one scale." \
    "$(advice | sed 's/.*[.] //')"
# Eight times is none, more is one.
{ npy "<f4" "1, 1, 3"; numbers 1 1 8; } > in.npy
status "8 times" 0 $doctor in.npy
same "none" "3, median amax 1; 0 outliers (amax above 8 x median)" "$(line channels)"
{ npy "<f4" "1, 1, 3"; words 3f800000 3f800000 41000001; } > in.npy
status "a little more" 0 $doctor in.npy
same "one" "3, median amax 1; 1 outlier (amax above 8 x median)" "$(line channels)"

# The median of two is the lower one.
{ npy "<f4" "1, 1, 2"; numbers 1 16; } > in.npy
status "two channels" 0 $doctor in.npy
same "16 times" "2, median amax 1; 1 outlier (amax above 8 x median)" "$(line channels)"

# ---- two dimensions, with heads, are three

{ npy "<f4" "8, 8"; cat data; } > flat.npy
$doctor outlier.npy > expected
status "flat" 0 $doctor --heads 2 flat.npy
sed -i.bak 's/flat\.npy/outlier.npy/' out
same_file "the same" expected out
status "raw" 0 $doctor --from f32 --shape 8,2,4 data
sed -i.bak 's/^tensor .*/tensor         outlier.npy/' out
same_file "the same from raw words" expected out
status "--type" 0 $doctor --type f32 --shape=8,8 --heads=2 data
sed -i.bak 's/^tensor .*/tensor         outlier.npy/' out
same_file "the same by --type" expected out
status "flat without heads" 0 $doctor flat.npy
same "one head" "8, median amax 1; 1 outlier (amax above 8 x median) channel 5: amax 64, 64 x median" \
    "$(line channels) $(line outliers)"
# The numbers are those of bf16 and f16, too.
for f in bf16 f16; do
    words "$(for t in 1 2 3 4 5 6 7 8; do printf '%s\n' $one 1 64 1 -1; done | "$softfp8" convert --as-numbers --to $f)" > half
    status "$f" 0 $doctor --from $f --shape 8,2,4 half
    sed -i.bak "s/^tensor .*/tensor         outlier.npy/; s/of $f/of f32/" out
    same_file "the same of $f" expected out
done
{ npy "<u2" "8, 2, 4"; words "$(for t in 1 2 3 4 5 6 7 8; do printf '%s\n' $one 1 64 1 -1; done | "$softfp8" convert --as-numbers --to bf16)"; } > b.npy
status "bf16 in .npy" 0 $doctor --from bf16 b.npy
same "64 of bf16" "64 of bf16: 8 tokens, 2 heads of 4" "$(line values)"

# ---- NaN, infinity: a token of NaN, and one infinity

{
    numbers 1 2 3 4 1 2 3 4
    words $(repeat 4 7fc00000)
    numbers 1 inf 3 4
} > in
status "NaN" 0 $doctor --from f32 --shape 4,2,2 in
same "counted" "4, 1; first at token 2, head 0, channel 0" "$(line 'NaN, Inf')"
same "amax" "inf = 7f800000 at token 3, head 0, channel 1" "$(line amax)"
same "the worst token" "token 2 none 0 0 0 4" "$(sed -n '/^worst tokens/{n;p;}' out | tr -s ' ')"
same "the next" "token 3 inf 4 0 0 1" "$(sed -n '/^worst tokens/{n;n;p;}' out | tr -s ' ')"
same "the worst channel" "head 0, channel 1 inf 2 0 0 2" "$(sed -n '/^worst channels/{n;p;}' out | tr -s ' ')"
same "an infinite scale" "none none 0 0 11 1.250000" "$(row 'e4m3, amax / 448')"
same "the advice" "First find out where 4 NaN and 1 infinite values come from. The first is at token 2, head 0, \
channel 0. No scale keeps them from the tokens that attend to theirs." "$(advice)"
# NaN reaches torch's max, not fmaxf.
{ numbers 1 2 3; words ffc00000; } > in
status "NaN and amax" 0 $doctor --from f32 --shape 4,1 in
same "amax / 448 passes NaN over" "0" "$(row 'e4m3, amax / 448' | cut -d ' ' -f 5)"
same "amax / 200 does not" "3" "$(row 'e4m3, amax / 200' | cut -d ' ' -f 5)"
# fp8-per-token clamps with fminf: NaN is read back as a number.
status "NaN lost" 0 $doctor --recipe fp8-per-token --from f32 --shape 4,1 in
same "lost" "1  NaN read back as a number" "$(line 'NaN lost')"
words $(repeat 4 7fc00000) > in
status "all NaN" 0 $doctor --from f32 --shape 2,2 in
same "no amax" "none: all values are NaN" "$(line amax)"
same "no errors" "none: no value is a number both before and after" "$(line errors)"

# ---- scales of heads: two heads, by 1 and 4. 448 and 1792 are the largest then, 465 and 1860 beyond.

numbers 448 465 1792 1860 -448 1 4 -1792 > in
for list in 1,4 "1, 4" 3f800000,0x40800000; do
    status "scales $list" 0 $doctor --per-head-scales "$list" --from f32 --shape 2,2,2 in
    same "stored" "x / scale as e4m3, policy cuda-satfinite, one scale per head" "$(line stored)"
    same "clipped" "2  above 464 x scale: clipped to 448" "$(line clipped)"
    same "codes" "3 of 253 numbers, 2 of 126 magnitudes above 0" "$(line 'codes used')"
    same "errors" "68 at token 0, head 1, channel 1" "$(line 'max abs error')"
    same "two scales" "2.000000" "$(row 'as configured' | cut -d ' ' -f 6)"
done
cp out expected
printf '1\n 4\n' > scales.txt
status "scales of a file" 0 $doctor --per-head-scales scales.txt --from f32 --shape 2,2,2 in
same_file "the same" expected out
{ npy "<f4" "2,"; numbers 1 4; } > scales.npy
status "scales of .npy" 0 $doctor --per-head-scales scales.npy --from f32 --shape 2,2,2 in
same_file "the same" expected out
# By 4 alone 448 and 465 are not beyond, 1860 is; by 1 alone four are.
same "one scale for all" "1" "$($doctor --scale 4 --from f32 --shape 2,2,2 in | sed -n 's/^clipped *\([0-9]*\).*/\1/p')"
same "the other for all" "4" "$($doctor --from f32 --shape 2,2,2 in | sed -n 's/^clipped *\([0-9]*\).*/\1/p')"

# The first of equal errors is named: here token 0 of head 1 comes before token 1 of head 0.
numbers 1 1800 450 1 > in
status "equal errors" 0 $doctor --per-head-scales 1,4 --from f32 --shape 2,2,1 in
same "8 and 2" "8 at token 0, head 1, channel 0" "$(line 'max abs error')"
numbers 1 450 450 1 > in
status "equal errors" 0 $doctor --per-head-scales 1,1 --from f32 --shape 2,2,1 in
same "the first" "2 at token 0, head 1, channel 0" "$(line 'max abs error')"
# Heads of 448 and 448 / 4096: by their own amax all is exact, by that of the tensor 2^-12 becomes 0.
numbers 448 1 0.109375 0x1p-12 > in
status "amax of heads" 0 $doctor --from f32 --shape 1,2,2 in
same "by heads" "inf inf 0 0 0 3.000000" "$(row "e4m3, head's amax / 448")"
same "by the tensor" "1" "$(row 'e4m3, amax / 448' | cut -d ' ' -f 4)"

# ---- recipes: what softfp8 quantize reports of the same matrix

awk 'BEGIN {
    for (i = 0; i < 100 * 4 * 32; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648
        x = (seed % 20001 - 10000) / 4096
        print i % 128 == 70 ? 32 * x : x
    }
}' > list
numbers $(cat list) > noise.f32
status "noise" 0 $doctor --from f32 --shape 100,4,32 noise.f32
cp out noise.out
for case in "fp8-per-token 100,128" "fp8-per-token-head 400,32" "int8-per-token-head 400,32" \
    "int4-per-token-head 400,32" "nvfp4-vllm 400,32" "mxfp4-vllm 400,32" "sglang-kvfp4 400,32" \
    "mxfp8-e4m3-floor 400,32"; do
    set -- $case
    g=
    [ "$1" != nvfp4-vllm ] || g="--global-scale auto"
    # shellcheck disable=SC2086
    $quantize --recipe "$1" $g --from f32 --shape "$2" --report noise.f32 > report
    same "SQNR of $1" "$(awk '/^SQNR/ { printf "%.2f", $2 }' report)" "$(row "$1" | cut -d ' ' -f 1)"
    status "asked for $1" 0 $doctor --recipe "$1" --from f32 --shape 100,4,32 noise.f32
    same "as in the table" "$(sed -n "s|^$1   *||p" noise.out | tr -s ' ')" "$(row 'as configured')"
    same "the largest error of $1" "$(awk '/^max abs/ { print $4 }' report)" \
        "$(line 'max abs error' | cut -d ' ' -f 1)"
    cp noise.out out
done
# Bytes: 32 values of 8 bits and a scale of 4 bytes; 32 of 4 bits with 4 bytes, two scales of 1 byte
# and one f32 for all, one of 1 byte, two of 1 byte; KIVI with 2 + 2 bytes for 32
# values, and of 100 tokens for the last 4 too.
for case in "fp8-per-token 1.031250" "fp8-per-token-head 1.125000" "int4-per-token-head 0.625000" \
    "nvfp4-vllm 0.562813" "mxfp4-vllm 0.531250" "sglang-kvfp4 0.562500" "mxfp8-e4m3-floor 1.031250" \
    "kivi-int4,_values 0.625000" "kivi-int4,_keys 0.660000" "e4m3,_scale_1 1.000312"; do
    set -- $case
    same "bytes of $1" "$2" "$(row "$(echo "$1" | tr _ ' ')" | cut -d ' ' -f 6)"
done
# Keys by channel are values of the transposed matrix, of whole groups.
head -c $((96 * 128 * 4)) noise.f32 > whole.f32
head -n $((96 * 128)) list | awk '{ x[NR - 1] = $1 } END { for (c = 0; c < 128; c++) for (t = 0; t < 96; t++) print x[t * 128 + c] }' > list2
numbers $(cat list2) > across.f32
$doctor --from f32 --shape 96,128 whole.f32 > out
keys=$(row 'kivi-int4, keys' | cut -d ' ' -f 1)
$doctor --from f32 --shape 128,96 across.f32 > out
same "KIVI's keys" "$keys" "$(row 'kivi-int4, values' | cut -d ' ' -f 1)"
$quantize --recipe kivi-int4 --from f32 --shape 128,96 --report across.f32 > report
same "and what quantize reports" "$(awk '/^SQNR/ { printf "%.2f", $2 }' report)" "$keys"
# A global scale that is given: 448 * 6 / amax by hand is what auto takes.
g=$($quantize --recipe nvfp4-vllm --global-scale auto --from f32 --shape 400,32 --report noise.f32 | sed -n 's/.*, g \([0-9a-f]*\) .*/\1/p')
$doctor --recipe nvfp4-vllm --from f32 --shape 100,4,32 noise.f32 > expected
status "--global-scale" 0 $doctor --recipe nvfp4-vllm --global-scale "0x$g" --from f32 --shape 100,4,32 noise.f32
same_file "the same g" expected out

# ---- int4 with an offset from 0 to 15 and the scale (25 - 10) / 15 = 1: the offset would be -10 and is
# ---- 0, so that 20 and 25 are cut off to 15; 15.4 is rounded to it

numbers 10 15.4 20 25 > in
status "int4" 0 $doctor --recipe int4-per-token-head --from f32 --shape 1,4 in
same "two are clipped" "2" "$(line clipped)"
same "the largest error" "10 at token 0, channel 3" "$(line 'max abs error')"
same "codes" "2 of 16 numbers, 2 of 15 magnitudes above 0" "$(line 'codes used')"
# KIVI's offset is 10 itself, and of keys every value is that of its channel.
same "the advice" "Use the recipe kivi-int4 (kivi-int4, keys): as configured, 2 values are clipped" \
    "$(advice | sed 's/;.*//')"

# ---- advice: noise of up to 2.44 and a channel of 32 times that. By 1 the median is just over 1 dB from
# ---- the best; by amax / 448 all is well; by 0.1 what is above 46.4 is clipped.

worse="Use the scale 0.174054906 (e4m3, amax / 448): as configured,"
same "1 dB" "$worse the errors are larger; the median channel's SQNR goes from 30.92 to 31.92 dB. 1 \
outlier channel would crush the others in integers that share one scale." "$(tail -n 1 noise.out)"
status "by amax" 0 $doctor --scale 0.174054906 --from f32 --shape 100,4,32 noise.f32
same "keep it" "Keep it: nothing is clipped, 0 % of the values become zero, and no other 8-bit floating-point \
storage is more than 1 dB better. 1 outlier channel would crush the others in integers that share one scale." "$(advice)"
status "clipped" 0 $doctor --scale 0.1 --from f32 --shape 100,4,32 noise.f32
many=$(awk '$1 > 46.4 || $1 < -46.4 { n++ } END { print n }' list)
same "take another" "$worse $many values are clipped" "$(advice | sed 's/;.*//')"
status "zeros" 0 $doctor --scale 1000 --from f32 --shape 100,4,32 noise.f32
many=$(awk '{ x = $1 / 1000; n += x != 0 && x <= 2^-10 && x >= -2^-10 } END { printf "%.3g", n / 128 }' list)
same "take another" "$worse $many % of the values become zero" "$(advice | sed 's/;.*//')"
# Five small channels of 128 become zero though the median does not mind; not by scales of their head.
awk '{ print (NR - 1) % 128 < 5 ? $1 / 10000 : $1 }' list > list2
numbers $(cat list2) > in
status "small channels" 0 $doctor --scale 0.174054906 --from f32 --shape 100,4,32 in
same "take another" "Use one scale per head (e4m3, head's amax / 448): as configured, 2.63 % of the values become zero" \
    "$(advice | sed 's/;.*//')"
same "and not integers" "Keep it" "$($doctor --recipe int8-per-token-head --from f32 --shape 100,4,32 noise.f32 |
    sed -n '$s/\(Keep it\).*/\1/p')"

# ---- pieces, and both forms of output: not a byte depends on them

for asked in "" "--per-head-scales 1,2,0.5,0.3" "--recipe int4-per-token-head"; do
    # shellcheck disable=SC2086
    $doctor $asked --from f32 --shape 100,4,32 --json json --svg svg noise.f32 > expected
    for piece in 32 40 64 1000; do
        # shellcheck disable=SC2086
        status "pieces of $piece" 0 $doctor $asked --from f32 --shape 100,4,32 --piece $piece --json json2 \
            --svg svg2 noise.f32
        same_file "text, pieces of $piece $asked" expected out
        same_file "JSON, pieces of $piece $asked" json json2
        same_file "SVG, pieces of $piece $asked" svg svg2
    done
done
status "JSON on standard output" 0 $doctor --recipe int4-per-token-head --from f32 --shape 100,4,32 --json - noise.f32
same_file "alone" json out
status "limits as JSON" 0 $doctor --scale 2 --from f32 --shape 4,1 --json - limits.f32
for text in '"above_largest": 3,' '"cast_to_nan": 1,' '"max_abs_error": 34,' '"mean_error": -17,' \
    '"numbers_used": 1,' '"sqnr_db": 31.84' '"first_log2": 8, "counts": \[4\]' '"of": "x / scale"' \
    '"name": "e4m3, scale 1", "scale": "3f800000"'; do
    same "JSON: $text" 1 "$(grep -c -- "$text" out | sed 's/^[1-9][0-9]*$/1/')"
done
if command -v python3 > /dev/null; then
    status "JSON is JSON" 0 python3 -m json.tool json
    status "SVG is XML" 0 python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("svg")'
else
    echo "skipped: no python3"
fi
# 2^-14 ... in bins of octaves: 896 to 930 by 2 are all in 2^8.
status "limits as SVG" 0 $doctor --scale 2 --from f32 --shape 4,1 --svg svg limits.f32
for text in '<title>2^8: 4</title>' 'largest 448; above 464 clipped, or NaN without saturation' '>subnormal<'; do
    same "SVG: $text" 1 "$(grep -cF -- "$text" svg)"
done
status "no range of a recipe" 0 $doctor --recipe mxfp4-vllm --from f32 --shape 4,1 --svg svg limits.f32
lacks "none" '>subnormal<' svg
status "two tensors" 0 $doctor outlier.npy flat.npy
same "two reports" 2 "$(grep -c '^tensor ' out)"

# ---- a pipe: once only

cat noise.f32 > in
refuses_pipe() {
    pattern=$2
    what=$1
    shift 2
    tests=$((tests + 1))
    got=0
    cat in | "$@" > out 2> err || got=$?
    if [ "$got" -ne 2 ] || [ -s out ] || [ "$(wc -l < err)" -ne 1 ] || ! grep -qE -- "$pattern" err; then
        failed "$what: status $got"
        cat err
    fi
}
refuses_pipe "a pipe" "standard input can be read only once, but amax needs two passes: give a file, or --one-pass" \
    $doctor --from f32 --shape 100,4,32 -
refuses_pipe "a pipe and a recipe that needs amax" "--recipe nvfp4-vllm needs the tensor's amax first" \
    $doctor --one-pass --recipe nvfp4-vllm --from f32 --shape 100,4,32 -
cat in | $doctor --one-pass --from f32 --shape 100,4,32 - > out
sed -i.bak 's/standard input/noise.f32/' out
status "one pass over a file" 0 $doctor --one-pass --from f32 --shape 100,4,32 noise.f32
mv out expected
cat in | $doctor --one-pass --from f32 --shape 100,4,32 - | sed 's/standard input/noise.f32/' > out
same_file "one pass over a pipe" expected out
grep -vE '^e4m3, (amax|head)|^int[48], amax|^nvfp4|^$|^Keep|^Use' noise.out > left
grep -vE '^$|^Keep|^Use' out > got
same_file "without what needs the amax" left got
$doctor --from f32 --shape 100,4,32 - < noise.f32 | sed 's/standard input/noise.f32/' > out
same_file "a file on standard input is read twice" noise.out out
head -c 1000 noise.f32 > in
refuses_pipe "a short pipe" "standard input: 1000 bytes of data; expected 51200" \
    $doctor --one-pass --from f32 --shape 100,4,32 -
{ cat noise.f32; echo; } > in
refuses_pipe "a long pipe" "standard input: more than the expected 51200 bytes of 12800 values" \
    $doctor --one-pass --from f32 --shape 100,4,32 -

# ---- what has one scale, as the recipe's row says it: bytes of 2 tokens of 2 heads of 2, of 8 bits: 8,
# ---- and 4 for each scale: none, one, 2 of tokens, 4 of heads of tokens, the bound is one more.
# ---- 448 and 2^-11 by one scale 1.

numbers 448 0x1p-11 2 2 4 4 8 16 > units
for case in "kv-minisgl 1.000000 1" "kv-vllm 1.500000 1" "kv-vllm-dynamic 1.500000 1" \
    "fp8-per-token 2.000000 1" "kv-vllm-token-bound 2.500000 1" "fp8-per-token-head 3.000000 1" \
    "int8-per-token-head 3.000000 1" "kv-trtllm-int8 1.500000 1" "kv-sglang-bf16 1.500000 1"; do
    set -- $case
    g=
    [ "$1" != kv-vllm-token-bound ] || g="--global-scale auto"
    # shellcheck disable=SC2086
    status "the unit of $1" 0 $doctor --recipe "$1" $g --from f32 --shape 2,2,2 units
    same "bytes of $1" "$2" "$(row 'as configured' | sed 's/.* //')"
    same "2^-11 by $1" "$3" "$(line 'made zero')"
done
status "amax of the tensor" 0 $doctor --recipe kv-vllm-dynamic --from f32 --shape 2,2,2 units
same "is the scale 1" "by the recipe kv-vllm-dynamic, scale 1 = 3f800000 from amax" "$(line stored)"
"$softfp8" quantize --recipe kv-vllm-dynamic --from f32 --shape 1,8 --codes c --scales s units 2> /dev/null
same "as of a row that is the tensor" 0000803f "$(od -An -tx1 s | tr -d ' \n')"
status "in pieces" 0 $doctor --recipe kv-vllm-dynamic --piece 32 --from f32 --shape 100,4,32 noise.f32
mv out expected
status "at once" 0 $doctor --recipe kv-vllm-dynamic --from f32 --shape 100,4,32 noise.f32
same_file "the same of the tensor" expected out
# the bound 4: 448 and 16 are clipped to 4, 8 too; of token 1 the scale is 4 / 448 too, by amax 16
status "a bound" 0 $doctor --recipe kv-vllm-token-bound --global-scale 4 --from f32 --shape 2,2,2 units
same "clips" "3  above 464 x scale: clipped to 448" "$(line clipped)"
numbers 0 nan -2 1 > in
status "NaN beside numbers" 0 $doctor --recipe kv-vllm-dynamic --from f32 --shape 2,2 in
same "is passed over" "by the recipe kv-vllm-dynamic, scale 0.00446428591 = 3b924925 from amax" "$(line stored)"

refuses "a bound of nothing" "kv-vllm-token-bound needs --global-scale" $doctor --recipe kv-vllm-token-bound --from f32 --shape 2,2 in
refuses "a global scale of nothing" "a global scale is a finite number above 0" $doctor --recipe nvfp4-vllm --global-scale 0 --from f32 --shape 2,2 in
refuses "a format without a sign" "it has no negative numbers" $doctor --to e8m0 --from f32 --shape 2,2 in

# ---- every recipe: those of the list but for the bound, each once; by amax / 448 the same as of the table

status "all" 0 $doctor --all --from f32 --shape 100,4,32 noise.f32
sed -n '/^storage /,/^$/p' out | cut -c 1-24 | sed 's/ *$//' > names
"$softfp8" recipes --names | grep -vx kv-vllm-token-bound | while read -r name; do
    case $name in kivi-int4) name="kivi-int4, keys" ;; esac
    [ "$(grep -cxF "$(echo "$name" | cut -c 1-24)" names)" -ge 1 ] || echo "$name"
done > left
same "none is left out" "" "$(cat left)"
same "by amax / 448" "$(row 'e4m3, amax / 448')" "$(row kv-vllm)"
same "e5m2 by amax / 57344: its largest is that" "0" "$(row kv-vllm-e5m2 | cut -d ' ' -f 3)"
sed '/^storage /,$d' out > got
$doctor --from f32 --shape 100,4,32 noise.f32 > usual
sed '/^storage /,$d' usual > want
same_file "what is before the table stays" want got
sed -n '/^storage /,/^$/p' out | head -n "$(sed -n '/^storage /,/^$/p' usual | sed '$d' | wc -l)" > got
sed -n '/^storage /,/^$/p' usual | sed '$d' > want
# All ways have longer names among them, which make their column wider.
for table in want got; do tr -s ' ' < $table > $table.narrow; done
same_file "the table begins as it did" want.narrow got.narrow
status "all, in pieces" 0 $doctor --all --piece 32 --from f32 --shape 100,4,32 noise.f32
mv out got
status "all at once" 0 $doctor --all --from f32 --shape 100,4,32 noise.f32
same_file "all the same" out got
status "all in one pass" 0 $doctor --all --one-pass --from f32 --shape 100,4,32 noise.f32
lacks "without what needs amax" '^kv-vllm |^kv-vllm-dynamic|^nvfp4-te|^nvfp4-vllm |^nvfp4-argmin' out

# ---- a number or a word

status "a word" 0 $doctor --scale 3ccccccd --from f32 --shape 2,2,2 units
same "3ccccccd" "x / scale as e4m3, policy cuda-satfinite, scale 0.0250000004 = 3ccccccd" "$(line stored)"
for scale in 0x10000000 0X10000000; do
    status "$scale" 0 $doctor --scale $scale --from f32 --shape 2,2,2 units
    same "a word: $scale" "scale 2.5243549e-29 = 10000000" "$(line stored | sed 's/.*, //')"
done
for scale in +10000000 10000000.0 1e7 0x989680; do
    status "$scale" 0 $doctor --scale $scale --from f32 --shape 2,2,2 units
    same "a number: $scale" "scale 10000000 = 4b189680" "$(line stored | sed 's/.*, //')"
done

# ---- progress

status "progress" 0 $doctor --progress --piece 32 --from f32 --shape 100,4,32 noise.f32
same "is on stderr" 1 "$(grep -c 'noise.f32: [0-9]* of 25600' err)"
same_file "and changes nothing" noise.out out

# ---- memory: 2^20 values of 4 MiB, or 2^24 of 64 MiB, in 48 MB of address space

small() { (ulimit -v 48000 && "$@"); }
if small "$softfp8" --version > out 2> err; then
    values=$((1 << 10))
    [ "${SOFTFP8_TIER:-quick}" != full ] || values=$((1 << 14))
    head -c $((values * 4096)) /dev/zero > zeros
    status "little memory" 0 small $doctor --from f32 --shape $values,8,128 --piece 32 zeros
    same "all were seen" $((values * 1024)) "$(line zero)"
    rm zeros
else
    echo "skipped: the program needs more memory here"
fi
