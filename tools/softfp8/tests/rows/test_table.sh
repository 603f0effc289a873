# SPDX-License-Identifier: MIT
# test_table.sh -- softfp8 table

# The whole of a small one: e2m1 is 0 0.5 1 1.5 2 3 4 6.
status "e2m1" 0 "$softfp8" table e2m1
cat > want << 'EOF'
e2m1: signed, exponent 2 bits, bias 1, mantissa 1 bit
max 6, min normal 2^0, min subnormal 2^-1, no NaN, no infinity

code  exp     +0   +1
   0  sub      0  0.5
   2  2^0      1  1.5
   4  2^1      2    3
   6  2^2      4    6

The negatives are code + 8: f is -6, 8 is -0
EOF
same_file "e2m1" want out

# e4m3: 448 stays 448; 2^-9 = 0.001953125 is shortened, and says so; 2^-6 = 0.015625 is not
"$softfp8" table e4m3 > out
same "e4m3: the first lines" "e4m3: signed, exponent 4 bits, bias 7, mantissa 3 bits
max 448, min normal 2^-6, min subnormal 2^-9, NaN 7f ff, no infinity" "$(head -n 2 out)"
same "e4m3: subnormals" "00 sub 0 ~0.002 ~0.004 ~0.006 ~0.008 ~0.01 ~0.012 ~0.014" \
    "$(sed -n 5p out | xargs)"
same "e4m3: the next row" "08 2^-6 0.015625 ~0.018" "$(sed -n 6p out | xargs | cut -d' ' -f1-4)"
same "e4m3: 1" "38 2^0 1 1.125 1.25 1.375 1.5 1.625 1.75 1.875" "$(sed -n 12p out | xargs)"
same "e4m3: the last row" "78 2^8 256 288 320 352 384 416 448 nan" "$(sed -n 20p out | xargs)"
same "e4m3: the end" "The negatives are code + 80: fe is -448, 80 is -0" "$(tail -n 1 out)"
same "the ~ is explained" 1 "$(grep -c '^~ ' out)"

"$softfp8" table e5m2 > out
same "e5m2: NaN and infinity" \
    "max 57344, min normal 2^-14, min subnormal 2^-16, NaN 7d-7f fd-ff, infinity 7c fc" \
    "$(sed -n 2p out)"
same "e5m2: the last row" "7c inf nan nan nan" "$(grep '^  7c' out | xargs)"
"$softfp8" table e8m0 > out
same "e8m0: powers" "00 2^-127 2^-126" "$(sed -n 5p out | xargs | cut -d' ' -f1-3)"
same "e8m0: the last row" "f8 2^121 2^122 2^123 2^124 2^125 2^126 2^127 nan" \
    "$(grep '^  f8' out | xargs)"
same "e8m0: no zero" "max 2^127, min normal 2^-127, NaN ff, no infinity, no zero" \
    "$(sed -n 2p out)"
same "e8m0: no negatives" "" "$(grep negatives out)"
same "fnuz" "The negatives are code + 80: ff is -240, 80 is NaN" \
    "$("$softfp8" table e4m3fnuz | tail -n 1)"
same "fnuz: its NaN" "max 240, min normal 2^-7, min subnormal 2^-10, NaN 80, no infinity" \
    "$("$softfp8" table e4m3fnuz | sed -n 2p)"
# E = 6, bias 32: the largest is e = 63, m = 1: 1.5 * 2^31
same "precision 2" "78 2^28 3*2^27 2^29 3*2^28 2^30 3*2^29 2^31 3*2^30" \
    "$("$softfp8" table p3109_k8p2sf | grep '^  78' | xargs)"
same "the smallest" "0 0 2^-3 2^-2 2^-1 2^0 2^1 inf nan" \
    "$("$softfp8" table p3109_k3p1ue | sed -n 5p | xargs)"
for format in $("$softfp8" formats --names); do
    case $format in f16 | bf16 | tf32 | f32 | f64) continue ;; esac
    same "$format: the width" "" "$("$softfp8" table "$format" | grep -E '.{101}')"
    same "$format: the width in hexadecimal" "" \
        "$("$softfp8" table "$format" --hex | grep -E '.{101}')"
done

same "hex" "78 2^8 0x1p+8 0x1.2p+8 0x1.4p+8 0x1.6p+8 0x1.8p+8 0x1.ap+8 0x1.cp+8 nan" \
    "$("$softfp8" table e4m3 --hex | sed -n 20p | xargs)"
"$softfp8" table e4m3 --exact > out
same "exact: fields" "01 0 0000 001 0.001953125 subnormal" "$(grep '^01' out | xargs)"
same "exact: negative" "b9 1 0111 001 -1.125 normal" "$(grep '^b9' out | xargs)"
same "exact: all codes" 256 "$(sed 1,3d out | wc -l)"
# 2^-127, by a program with long numbers
same "exact: e8m0" "00 00000000 5.8774717541114375398436826861112283890933277838604376075437585313920862972736358642578125e-39 normal" \
    "$("$softfp8" table e8m0 --exact | grep '^00' | xargs)"

"$softfp8" table e2m1 --csv > out
cat > want << 'EOF'
code,value,class
0x0,0,zero
0x1,0.5,subnormal
0x2,1,normal
0x3,1.5,normal
0x4,2,normal
0x5,3,normal
0x6,4,normal
0x7,6,normal
0x8,-0,zero
0x9,-0.5,subnormal
0xa,-1,normal
0xb,-1.5,normal
0xc,-2,normal
0xd,-3,normal
0xe,-4,normal
0xf,-6,normal
EOF
same_file "csv" want out
same "csv of special codes" "0x7c,inf,infinity 0x7d,nan,signaling-nan 0x7e,nan,nan" \
    "$("$softfp8" table e5m2 --csv | sed -n '126,128p' | xargs)"
same "csv hex" "0x01,0x1p-9,subnormal" "$("$softfp8" table e4m3 --csv --hex | sed -n 3p)"
"$softfp8" table e4m3 --csv -o file.csv
same "a file" "0xfe,-448,normal" "$(sed -n 256p file.csv)"

refuses "no format" "no FORMAT given" "$softfp8" table
refuses "unknown format" "no format 'e4m4'; did you mean 'e4m3'" "$softfp8" table e4m4
refuses "two formats" "expected one FORMAT, got 'e4m3' and 'e5m2'" "$softfp8" table e4m3 e5m2
refuses "a wide one" "f16 has 16 bits, too many codes for a grid; --csv and --exact list up to 16" \
    "$softfp8" table f16
refuses "a very wide one" \
    "f64 has 64 bits; expected at most 16; 'softfp8 convert --from f64 --to f64 --show FILE'" \
    "$softfp8" table f64 --csv
refuses "17 bits" "has 17 bits; expected at most 16" "$softfp8" table 'e=8 m=8' --exact
# 3c00 is 1, 7bff 65504, 7c00 infinity; f16 has 65536 codes
"$softfp8" table f16 --csv > out
same "csv of f16" "65537 0x3c00,1,normal 0x7bff,65504,normal 0x7c00,inf,infinity" \
    "$(wc -l < out | xargs) $(grep -E '^0x(3c00|7bff|7c00)' out | xargs)"
same "exact of bf16" "3f80 0 01111111 0000000 1 normal" \
    "$("$softfp8" table bf16 --exact | grep '^3f80' | xargs)"
refuses "two styles" "--exact excludes" "$softfp8" table e4m3 --exact --csv
refuses "unknown option" "no option '--all'" "$softfp8" table e4m3 --all
refuses "a directory" "it is a directory" "$softfp8" table e4m3 -o .
if [ -c /dev/full ]; then
    got=0
    "$softfp8" table e4m3 > /dev/full 2> err || got=$?
    same "disk full" "2 1" "$got $(wc -l < err | xargs)"
fi
