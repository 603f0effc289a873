# SPDX-License-Identifier: MIT
# test_forms.sh -- the six forms of a table, literally, read back, and cut short

forms="text bin readmemh c npy csv"

# e2m1: 0 0.5 1 1.5 2 3 4 6; sqrt(0.5) = 0.707 is nearer to 0.5, and tiny; sqrt(6) = 2.45 to 2
"$softfp8" gen e2m1_sqrt > out
same "text" "0 0 00
1 1 03
2 2 00
3 2 01
4 3 01
5 3 01
6 4 00
7 4 01
8 8 00
9 7 10
A 7 10
B 7 10
C 7 10
D 7 10
E 7 10
F 7 10" "$(cat out)"
same "csv" "a,result,flags
0x0,0x0,0x00
0x1,0x1,0x03" "$("$softfp8" gen e2m1_sqrt --format csv | head -n 3)"
same "readmemh" "// e2m1_sqrt, policy ocp: 16 words of 16 bits, {a[3:0], result[3:0], flags[7:0]}
0_0_00
1_1_03" "$("$softfp8" gen e2m1_sqrt --format readmemh | head -n 3)"
same "c" "/* e2m1_sqrt, policy ocp: 16 cases */
#include <stdint.h>

static const struct {
    uint8_t a;
    uint8_t result;
    uint8_t flags;
} e2m1_sqrt[16] = {
    {0x0, 0x0, 0x00},
    {0x1, 0x1, 0x03}," "$("$softfp8" gen e2m1_sqrt --format c | head -n 10)"
same "c, one column" "static const uint8_t e2m1_sqrt[16] = {
    0x0,
    0x1," "$("$softfp8" gen e2m1_sqrt --format c --columns result | sed -n 4,6p)"
same "bin" "000000010103020200" "$("$softfp8" gen e2m1_sqrt --format bin | head -c 9 | od -An -tx1 | tr -d ' \n')"
# 01 is 2^-9, 3b000000 as f32
same "bin, wide words are little-endian" "010000003b" \
    "$("$softfp8" gen e4m3_to_f32 --format bin --columns operands,result | tail -c +6 | head -c 5 | od -An -tx1 | tr -d ' \n')"
same "npy" "934e554d505901007600" "$("$softfp8" gen e2m1_sqrt --format npy | head -c 10 | od -An -tx1 | tr -d ' \n')"
same "npy, its head" "{'descr': [('a', '|u1'), ('result', '|u1'), ('flags', '|u1')], 'fortran_order': False, 'shape': (16,), }" \
    "$("$softfp8" gen e2m1_sqrt --format npy | tail -c +11 | head -n 1 | sed 's/ *$//')"
same "npy, one column, the shape of the operands" "{'descr': '<u4', 'fortran_order': False, 'shape': (256,), }" \
    "$("$softfp8" gen e4m3_to_f32 --format npy --columns result | tail -c +11 | head -n 1 | sed 's/ *$//')"
same "npy, the head ends at a multiple of 64" 128 "$(($("$softfp8" gen e2m1_add --format npy --columns result | wc -c) - 256))"

# a compiler takes the C form
if command -v cc > /dev/null 2>&1; then
    "$softfp8" gen e4m3_add --format c > table.h
    printf '#include "table.h"\nint main(void) { return !(e4m3_add[0x3838].result == 0x40 && sizeof e4m3_add == 262144); }\n' > table.c
    status "a compiler takes it" 0 cc -std=c99 -o table table.c
    status "and finds 1 + 1 = 2" 0 ./table
fi

# ---- read back, with any columns; one wrong result is found in each
for form in $forms; do
    for function in e2m1_add e3m2_sqrt e4m3_lt e5m2_to_f16 f16_to_e4m3 ui8_to_e4m3; do
        "$softfp8" gen $function --format $form -o table
        status "$function, $form" 0 "$softfp8" ver $function --format $form table
    done
    for columns in result flags result,flags operands,result operands,flags; do
        "$softfp8" gen e5m2_mul --format $form --columns $columns -o table
        status "$columns, $form" 0 "$softfp8" ver e5m2_mul --format $form --columns $columns table
        # the comment would say that it is another function: see test_ver.sh
        case $form in readmemh | c) sed -i '1s/e5m2_mul/e5m2_div/' table ;; esac
        status "$columns, $form, another function" 1 \
            "$softfp8" ver e5m2_div --format $form --columns $columns table
    done
    "$softfp8" gen e2m1_add --format $form -o table
    size=$(wc -c < table)
    for less in 1 2 3 5 100; do
        head -c $((size - less)) table > short
        got=0
        "$softfp8" ver e2m1_add --format $form short > out 2> err || got=$?
        tests=$((tests + 1))
        # text may lose its last line end
        if [ $got -eq 0 ] && [ $less -gt 1 ]; then
            failed "$form cut by $less bytes is accepted"
        fi
    done
done

# ---- bad heads
refuses_input "csv without names" "standard input:1: .*the names of the columns" '0x0,0x0,0x00\n' \
    "$softfp8" ver e2m1_sqrt --format csv
refuses_input "C without an array" "expected an array" 'int x;\n' "$softfp8" ver e2m1_sqrt --format c
refuses_input "C without an end" "expected the end of the array" 'x[1] = {\n    {0x0, 0x0, 0x00},\n' \
    "$softfp8" ver e2m1_sqrt --format c
refuses_input "C with fewer rows" "as many rows as" 'x[2] = {\n    {0x0, 0x0, 0x00},\n};\n' \
    "$softfp8" ver e2m1_sqrt --format c
refuses_input "no npy" "byte 0: not a .npy file" 'hello, world\n' "$softfp8" ver e2m1_sqrt --format npy
"$softfp8" gen e4m3_sqrt --format npy > table
refuses "npy of other columns" "the dtype '.*: expected .*for these columns" "$softfp8" ver e4m3_to_f32 --format npy table
refuses_input "half a row" "byte 3: expected whole rows" '\001\002\003\004' "$softfp8" ver e4m3_sqrt --format bin
refuses_input "a code too wide" "width of their column" '\020\001\000' "$softfp8" ver e2m1_sqrt --format bin
"$softfp8" gen e4m3_add --format npy > table
refuses "npy of more columns" "the dtype '.*: expected .*for these columns" "$softfp8" ver e4m3_add --format npy --columns operands,result table
"$softfp8" gen e2m1_sqrt --format c > table
echo 'int x;' >> table
refuses "C with more behind it" ":2[0-9]: 'int x;': expected nothing after the array" "$softfp8" ver e2m1_sqrt --format c table
same "no count where it is not known" "// f16_to_e2m1, policy ocp: words of 28 bits, {a[15:0], result[3:0], flags[7:0]}" \
    "$("$softfp8" gen f16_to_e2m1 --steps > steps; echo 3c00 | "$softfp8" expand --words - --format readmemh steps | head -n 1)"
