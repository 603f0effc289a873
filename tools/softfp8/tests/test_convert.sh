# SPDX-License-Identifier: MIT
# test_convert.sh -- softfp8 convert
to_e4m3="--from f32 --to e4m3"

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
