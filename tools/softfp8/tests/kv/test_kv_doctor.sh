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
numbers 896 898 928 930 > limits.f32
{ npy "<f4" "8, 2, 4"; numbers $(repeat 8 "1 -1 1 -1 1 64 1 -1"); } > outlier.npy
{ npy "<f4" "8, 8"; tail -c +129 outlier.npy; } > flat.npy

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
