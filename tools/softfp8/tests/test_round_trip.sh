# SPDX-License-Identifier: MIT
# test_round_trip.sh -- gen and ver agree for every function; each flipped bit is found
#
# With SOFTFP8_TIER=full for every function of every format, else for some formats and one of two of
# their functions and of the bits; where it is short, as with sanitizers, one of 16. A flipped bit
# of a value must be reported in TestFloat's form with status 1; one that leaves no word there is bad
# input, status 2.
tier=${SOFTFP8_TIER:-quick}
every=2
case $tier in
    short) every=16 ;;
    full) every=1 ;;
esac
flip=$(dirname "$softfp8")/softfp8-test-flip

# flipped FUNCTION BIT OPTION...: the table `case` with a bit flipped is not accepted.
flipped() {
    function=$1
    bit=$2
    shift 2
    cp case wrong
    "$flip" wrong "$bit"
    tests=$((tests + 1))
    got=0
    "$softfp8" ver "$@" "$function" wrong > out 2> err || got=$?
    if [ $got -eq 1 ] && grep -qE '=> .* expected |is missing|is not the next case' out; then
        found=$((found + 1))
    elif [ $got -ne 2 ] && ! cmp_case; then
        failed "$function $*: bit $bit flipped: status $got"
    fi
}

# The one change of a bit that changes nothing: the case of a letter.
cmp_case() {
    tr 'a-f' 'A-F' < case > upper
    tr 'a-f' 'A-F' < wrong | cmp -s upper -
}

# ---- every bit of small tables
found=0
for form in text bin readmemh c npy csv; do
    "$softfp8" gen e2m1_sqrt --format $form > case
    bits=$(($("$flip" case) * 8))
    begin=0
    # what stands before the rows is not about the values: a remark, the name of the array
    case $form in
    readmemh | c | npy) begin=$((bits - 16 * 8 * $(tail -n 2 case | head -n 1 | wc -c))) ;;
    esac
    [ $form != npy ] || begin=$((bits - 16 * 3 * 8))
    [ $form != c ] || begin=$((begin - 24))
    bit=$begin
    stride=1
    case $form in readmemh | c | csv) stride=3 ;; esac
    while [ $bit -lt $bits ]; do
        flipped e2m1_sqrt $bit --format $form
        bit=$((bit + stride * every + every / 2))
    done
done
tests=$((tests + 1))
[ $found -gt $((300 / every)) ] || failed "only $found flipped bits gave another case"
"$softfp8" gen bf16_to_e2m1 --steps > case
bits=$(($("$flip" case) * 8))
bit=0
while [ $bit -lt $bits ]; do
    cp case wrong
    "$flip" wrong $bit
    tests=$((tests + 1))
    got=0
    "$softfp8" ver --steps wrong > out 2> err || got=$?
    [ $got -eq 2 ] || failed "step table: bit $bit flipped: status $got"
    bit=$((bit + 37 * every))
done

# ---- every function: the table is right, and one bit of a value flipped is found
if [ "$tier" = full ]; then
    # Three operands of 8 bits are 2^24 cases: mulAdd alone.
    functions=$("$softfp8" gen -list | grep -vE '_(faa|clamp)$')
else
    functions=$("$softfp8" gen -list | grep -E '^(e4m3|e2m1|e8m0|i8)_|^(f32|f16)_to_|^f16_(lt|sqrt)$' \
        | grep -vE '^e4m3_mulAdd$|^e[48]m[03]_(faa|clamp)$|_to_(tf32|bf16|f64)$' \
        | awk -v every=$every 'NR % every == 0')
fi
number=0
for function in $functions; do
    number=$((number + 1))
    "$softfp8" gen $function --all > case
    tests=$((tests + 1))
    "$softfp8" ver $function -checkAll -inorder case > out 2> err || failed "$function: $(tail -n 1 err)"
    # the last digit of the result, in some line
    lines=$(wc -l < case)
    size=$("$flip" case)
    width=$((size / lines))
    bit=$((((lines * (number % 97) / 97) * width + width - 5) * 8))
    before=$found
    for more in 0 1; do # one of the two leaves a hexadecimal digit
        [ $found -ne $before ] || flipped $function $((bit + more)) -checkAll
    done
    [ $found -ne $before ] || failed "$function: bit $bit flipped: no report"
done
echo "$number functions"

# ---- step tables: expanded, they are the cases; the oracle agrees
for to in e4m3 e5m2 e2m1 e8m0 ue4m3 e4m3fnuz p3109_k4p2se; do
    for policy in ocp cuda-nosat p3109-satnone; do
        for from in f16 bf16; do
            "$softfp8" gen ${from}_to_$to --steps --policy $policy > steps
            "$softfp8" expand steps > expanded
            "$softfp8" gen ${from}_to_$to --policy $policy > cases
            same_file "$from to $to, $policy" cases expanded
        done
        for from in f32 f64; do
            "$softfp8" gen ${from}_to_$to --steps --policy $policy -rmin > steps
            status "$from to $to, $policy" 0 "$softfp8" ver --steps steps
            "$softfp8" gen ${from}_to_$to --policy $policy -rmin > cases
            cut -d ' ' -f 1 cases | "$softfp8" expand --words - steps > expanded
            same_file "the critical set of $from to $to, $policy" cases expanded
        done
    done
done
