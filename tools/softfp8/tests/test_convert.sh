# SPDX-License-Identifier: MIT
# test_convert.sh -- softfp8 convert
#
# The codes are worked out by hand: e4m3 is seeee mmm with bias 7, so 1 is 0 0111 000 = 38, 1.125
# is 39, 448 is 0 1111 110 = 7e, NaN 7f; the smallest subnormal 2^-9 is 01.

# convert TEXT ARGUMENTS...: the output for TEXT (printf's escapes), lines joined with blanks.
convert() {
    printf "$1" > in
    shift
    "$softfp8" convert "$@" < in 2>&1 | tr '\n' '|'
}

to_e4m3="--from f32 --to e4m3"

# ---- words ------------------------------------------------------------------------------------
# 1, 1.5, -2, 500 (saturates), -infinity, NaN, 0.1 = 1.6 * 2^-4 (1d = 0 0011 101)
same "words" "38|3c|c0|7e|fe|7f|1d|" \
    "$(convert '3f800000\n3fc00000\nc0000000\n43fa0000\nff800000\n7fc00000\n3dcccccd\n' $to_e4m3)"
# ties go to the even code: 1.0625 and 1.1875; 2^-10 is half the smallest, and just above it
same "ties" "38|3a|00|01|" "$(convert '3f880000\n3f980000\n3a800000\n3a800001\n' $to_e4m3)"
same "upper case, 0x, blanks, CR" "fe|fe|fe|fe|" \
    "$(convert 'FF800000\n0xFf800000\n \tff800000 \nff800000\r\n' $to_e4m3)"
same "comments and blank lines" "38|3c|" \
    "$(convert '# 1 and 1.5\n\n3f800000\n  \n\r\n  # x\n3fc00000\n' $to_e4m3)"
same "no newline at the end" "38|3c|" "$(convert '3f800000\n3fc00000' $to_e4m3)"
same "empty input" "" "$(convert '' $to_e4m3)"
status "empty input" 0 "$softfp8" convert $to_e4m3
same "one digit" "2|f|" "$(convert '3f800000\nc2c80000\n' --from f32 --to e2m1)"
same "from one digit" "3f800000|c0c00000|" "$(convert '2\nf\n' --from e2m1 --to f32)"
same "widening" "7fc00000|3b000000|43e00000|" "$(convert '7f\n01\n7e\n' --from e4m3 --to f32)"
same "f64" "7e|38|" "$(convert '407f400000000000\n3ff0000000000000\n' --from f64 --to e4m3)"
same "to f64" "407c000000000000|" "$(convert '7e\n' --from e4m3 --to f64)"
same "tf32 has five digits" "38|c0|" "$(convert '1fc00\n60000\n' --from tf32 --to e4m3)"
same "bf16 to f16" "3c00|7c00|" "$(convert '3f80\n7f80\n' --from bf16 --to f16)"
same "f32 to f16" "3c00|7c00|" "$(convert '3f800000\n47800000\n' --from f32 --to f16)"
# What widens keeps infinity by ocp too, which is what the library's SF8_OCP gives; what narrows not.
same "infinity in a wider format" "7ff0000000000000 00|fff0000000000000 00|" \
    "$(convert '7c\nfc\n' --from e5m2 --to f64 --policy ocp --flags)"
for from in e4m3 e5m2 e3m4 f16 bf16; do
    case $from in f16 | bf16) codes='7c00\nff80\n7f80\nfc00\n' to=f32 ;; *) codes='7c\nf0\n7f\n01\n' to=f16 ;; esac
    same "$from to $to: ocp is the default" "$(convert "$codes" --from $from --to $to --flags)" \
        "$(convert "$codes" --from $from --to $to --flags --policy ocp)"
done
same "infinity in a format that is not wider" "7bff 10|" "$(convert '7f80\n' --from bf16 --to f16 --policy ocp --flags)"
same "P3109" "40|" "$(convert '3f800000\n' --from f32 --to p3109_k8p4se)"

# ---- policies ---------------------------------------------------------------------------------
same "policy" "7f|ff|" "$(convert '43fa0000\nffc00000\n' $to_e4m3 --policy torch-2.12)"
same "ieee" "7f|7f|" "$(convert '43fa0000\n7f800000\n' $to_e4m3 --overflow ieee)"
same "clip" "7e|7f|" "$(convert '43fa0000\n7f800000\n' $to_e4m3 --overflow clip)"
same "round" "38|39|" "$(convert '3f800001\n3f900000\n' $to_e4m3 --round rd)"
same "round up" "39|" "$(convert '3f800001\n' $to_e4m3 --round ru)"
same "set" "ff|" "$(convert 'ffc00000\n' $to_e4m3 --set nan_sign=signed)"
same "the policy comes before what changes it" "7e|" \
    "$(convert '43fa0000\n' $to_e4m3 --overflow sat --policy cuda-nosat)"
# 500: overflow and inexact; 2^-10: underflow and inexact; infinity: invalid
same "flags" "7e 05|38 00|00 03|7e 10|" \
    "$(convert '43fa0000\n3f800000\n3a800000\n7f800000\n' $to_e4m3 --flags)"
same "show" "7e 448|01 0.001953125|80 -0|7f nan|" \
    "$(convert '43fa0000\n3b000000\n80000000\n7fc00000\n' $to_e4m3 --show)"
same "flags and show" "7e 05 448|" "$(convert '43fa0000\n' $to_e4m3 --show --flags)"

# ---- stochastic rounding ----------------------------------------------------------------------
# 1.0625 is half way: rule a rounds away when the low 16 random bits are 8000 or more
same "sr" "39|38|39|38|" "$(convert \
    '3f880000 00008000\n3f880000 00007fff\n3f880000\t0x0000ffff\n3f880000 ffff0000\n' \
    $to_e4m3 --round sr)"
same "sr bits" "38|39|" "$(convert '3f880000 00000001\n3f880000 00000002\n' \
    $to_e4m3 --round sr --set sr_bits=2)"
refuses_input "no random word" "^standard input:1: '3f880000': expected a random number after it" \
    '3f880000\n' "$softfp8" convert $to_e4m3 --round sr
refuses_input "short random word" ":1: '800': expected a random number, 8 hexadecimal digits" \
    '3f880000 800\n' "$softfp8" convert $to_e4m3 --round sr
refuses "sr into f64" "sr_bits=6" "$softfp8" convert --from f32 --to f64 --round sr
refuses "sr of text" "needs --from" "$softfp8" convert --as-numbers --to e4m3 --round sr

# ---- numbers ----------------------------------------------------------------------------------
same "values" "1d|7e|80|7f|3c|fe|" \
    "$(convert '0.1\n500\n-0\nnan\n0x1.8p0\n-inf\n' --as-numbers --to e4m3)"
# Just above half way; f32 does not hold the difference, and then it is a tie.
same "values are rounded once" "39|" "$(convert '1.0625000001\n' --as-numbers --to e4m3)"
same "values by way of f32" "38|" "$(convert '1.0625000001\n' --as-numbers $to_e4m3)"
same "values show" "3fb999999999999a 1.000000000000000055511151231257827021181583404541015625e-1|" \
    "$(convert '0.1\n' --as-numbers --to f64 --show)"
same "values sr" "39|" "$(convert '1.0625 00008000\n' --as-numbers $to_e4m3 --round sr)"
refuses_input "a bad number" "^standard input:2: '1.5x': expected a number.*character 4" \
    '1\n1.5x\n' "$softfp8" convert --as-numbers --to e4m3
refuses_input "half a number" "'1e': expected a number.*breaks off" \
    '1e\n' "$softfp8" convert --as-numbers --to e4m3
refuses_input "two numbers" "'2': expected the end of the line" \
    '1 2\n' "$softfp8" convert --as-numbers --to e4m3
refuses_input "a zero byte" "'1': expected a number" '1\0002\n' "$softfp8" convert --as-numbers --to e4m3

# ---- bad input --------------------------------------------------------------------------------
refuses_input "bad digit" "^standard input:2: '3f80000g': expected 8 hexadecimal digits; numbers such as 500 need --as-numbers" \
    '3f800000\n3f80000g\n' "$softfp8" convert $to_e4m3
same "the lines before it are there" "38" "$(cat out)"
refuses_input "line numbers count all lines" "^standard input:5: 'x'" \
    '# a\n\n3f800000\n3f800000\nx\n' "$softfp8" convert $to_e4m3
refuses_input "short word" "'3f80000': expected 8" '3f80000\n' "$softfp8" convert $to_e4m3
refuses_input "long word" "'3f8000000': expected 8" '3f8000000\n' "$softfp8" convert $to_e4m3
refuses_input "0x alone" "'0x': expected 8" '0x\n' "$softfp8" convert $to_e4m3
refuses_input "sign" "'-3f800000'" ' -3f800000\n' "$softfp8" convert $to_e4m3
refuses_input "second column" "'00': expected the end of the line" \
    '3f800000 00\n' "$softfp8" convert $to_e4m3
refuses_input "bits above the width" "'80000': expected a code up to 7ffff" \
    '7ffff\n80000\n' "$softfp8" convert --from tf32 --to e4m3
refuses_input "bits above the width, one digit of two" "'40': expected a code up to 3f" \
    '3f\n40\n' "$softfp8" convert --from e3m2 --to e4m3
refuses_input "a zero byte in a word" "expected 8" '3f80\0000\n' "$softfp8" convert $to_e4m3
printf '3f800000\nbad\n' > words
refuses "the file is named" "^words:2: 'bad'" "$softfp8" convert $to_e4m3 -o result words
same "no file from bad input" "no" "$([ -e result ] && echo yes || echo no)"
echo old > result
refuses "an old file" "^words:2" "$softfp8" convert $to_e4m3 -o result words
same "stays as it was" "old" "$(cat result)"
printf '3f800000\n' > words
status "good input" 0 "$softfp8" convert $to_e4m3 -o result words
same "replaces it" "38" "$(cat result)"
same "nothing is left beside it" "" "$(ls | grep 'result\.')"

# ---- bad usage --------------------------------------------------------------------------------
refuses "no --to" "--to FORMAT is missing" "$softfp8" convert --from f32
refuses "no --from" "--from FORMAT is missing" "$softfp8" convert --to e4m3
refuses "unknown format" "no format 'e4m4'; did you mean 'e4m3'" \
    "$softfp8" convert --from f32 --to e4m4
refuses "unknown policy" "no policy 'torch-2.x'; did you mean" \
    "$softfp8" convert $to_e4m3 --policy torch-2.x
refuses "unknown option" "no option '--flag'" "$softfp8" convert $to_e4m3 --flag
: > a
refuses "two files" "expected one FILE, got 'a' and 'b'" "$softfp8" convert $to_e4m3 a b
refuses "no such file" "cannot read nosuch" "$softfp8" convert $to_e4m3 nosuch
refuses "a number as an argument" "cannot read 1.3: No such file or directory .numbers and codes are \
read from FILE or standard input, one in a line; 'softfp8 explain' takes them as arguments.$" \
    "$softfp8" convert --to e4m3 --as-numbers 1.3 464
refuses "a directory in" "it is a directory" "$softfp8" convert $to_e4m3 .
refuses "a directory out" "cannot write .: it is a directory" "$softfp8" convert $to_e4m3 -o .

# ---- streams ----------------------------------------------------------------------------------
if [ -c /dev/full ]; then
    echo 3f800000 > in
    got=0
    "$softfp8" convert $to_e4m3 < in > /dev/full 2> err || got=$?
    same "disk full: status" 2 "$got"
    same "disk full: one line" "softfp8 convert: cannot write standard output: No space left on device" \
        "$(cat err)"
fi
same "a closed pipe" "38" "$(yes 3f800000 | "$softfp8" convert $to_e4m3 2> err | head -n 1)"
same "is quiet" "" "$(cat err)"
same "a line in two pieces" "38" \
    "$( (printf 3f80; sleep 0.1; printf '0000\n') | "$softfp8" convert $to_e4m3)"

# An answer comes before the next line is there: the writer waits until the reader has it.
rm -f seen late
{
    echo 3f800000
    n=0
    while [ ! -e seen ]; do
        n=$((n + 1))
        [ "$n" -lt 100 ] || { touch late; break; }
        sleep 0.1
    done
} | "$softfp8" convert $to_e4m3 | { read -r code; echo "$code" > seen; }
same "an answer at once" "38" "$([ -e late ] || cat seen)"

# Many lines, over the ends of all buffers, in bulk and one by one; the powers of two from 2^-127,
# one in a hundred lines a comment. 2^-9 is 01, 2^-7 is 04, from 2^-6 on 08 10 18 ..., 2^8 is 78,
# and above 448 is 7e.
awk 'BEGIN {
    for (i = 0; i < 200000; i++)
        if (i % 100 == 7) print "# comment"; else printf "%08x\n", (i % 255) * 8388608
}' > many
sed 's/^\([^#]\)/0x\1/' many > many_0x
awk 'BEGIN {
    for (i = 0; i < 200000; i++) {
        if (i % 100 == 7) continue
        e = i % 255 - 127
        code = e < -9 ? 0 : e < -6 ? 2 ^ (e + 9) : e < 9 ? 8 * (e + 7) : 126
        printf "%02x\n", code
    }
}' > want
"$softfp8" convert $to_e4m3 many > got
same_file "many lines" want got
"$softfp8" convert $to_e4m3 many_0x > got
same_file "many lines one by one" want got
"$softfp8" convert $to_e4m3 - < many > got
same_file "many lines, -" want got
"$softfp8" convert $to_e4m3 --flags many | cut -c1-2 > got
same_file "many lines with flags" want got
"$softfp8" convert --from f32 --to f16 many | "$softfp8" convert --from f16 --to f32 > got
awk 'BEGIN {
    for (i = 0; i < 200000; i++) {
        if (i % 100 == 7) continue
        e = i % 255
        printf "%08x\n", (e < 103 ? 0 : e < 143 ? e * 8388608 : 2139095040)
    }
}' > want
same_file "many lines to f16 and back" want got
(cat many; echo oops) > many_bad
refuses_input "a bad line behind many" ":200001: 'oops'" '' sh -c \
    "\"$softfp8\" convert $to_e4m3 many_bad > /dev/null"

# A text takes the first step of a policy too: 1.06250001 is 1.0625 in bf16, a tie of e4m3.
same "via, of a text" 38 \
    "$(echo 1.06250001 | "$softfp8" convert --as-numbers --to e4m3 --policy "ocp via=bf16")"
