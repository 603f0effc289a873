# SPDX-License-Identifier: MIT
# test_own_rows.sh -- formats and policies that are written by their fields, in every command

own='e=4 m=3 bias=11 nan=top'
codes() { "$softfp8" convert --values "$@" < values | xargs; }
printf '1.55\n300\n0\n-28\n0x1p-13\nnan\n' > values

# ---- the same bits as the named format with these fields

same "e4m3 by its fields" "$(codes --to e4m3)" "$(codes --to 'e=4 m=3 nan=top')"
same "e5m2" "$(codes --to e5m2)" "$(codes --to e=5,m=2)"
same "e4m3fnuz" "$(codes --to e4m3fnuz)" "$(codes --to 'e4m3 bias=8 nan=neg-zero')"
# bias 11: 1.55 is 1.1000|11... * 2^0, field 11: 0 1011 100; the largest is 1.75 * 2^4 = 28
same "bias 11" "5c 7e 00 fe 01 7f" "$(codes --to "$own")"
same "to f32 and back" "3fc00000" \
    "$(echo 5c | "$softfp8" convert --from "$own" --to f32)"
same "a policy with fields" "$(codes --to e4m3 --policy ocp --round rz)" \
    "$(codes --to e4m3 --policy 'ocp round=rz')"
same "fields alone" "$(codes --to e4m3 --round ru)" "$(codes --to e4m3 --policy round=ru)"
same "a product with fields" "$(codes --to e4m3 --policy cuda --round ru)" \
    "$(codes --to e4m3 --policy cuda,round=ru)"
same "explain" "1.55 -> e4m3,bias=11 5c = 1.5 (policy ocp, round=rz)" \
    "$("$softfp8" explain 1.55 --to 'e4m3 bias=11' --policy 'ocp round=rz' | head -n 1 | xargs)"
same "table" "e=3,m=1,nan=none: signed, exponent 3 bits, bias 3, mantissa 1 bit" \
    "$("$softfp8" table 'e=3  m=1, nan=none' | head -n 1)"
same "formats" "e4m3,bias=11 8 4 3 11 yes top no yes 28 2^-10 2^-13" \
    "$("$softfp8" formats 'e4m3 bias=11' | tail -n 1 | xargs)"
same "a long P3109 format" "p3109_k12p5se 12 7 4 64 yes neg-zero yes yes 15*2^60 2^-63 2^-67" \
    "$("$softfp8" formats p3109_k12p5se | tail -n 1 | xargs)"

# ---- vectors: written, read and checked

function="f32_to_$own"
"$softfp8" gen "$function" --steps > steps
same "the head of a step table is of single words" \
    "# to: e=4,m=3,bias=11,nan=top exp=4 man=3 signed=1 nan=top inf=0 zero=1 bias=11" \
    "$(grep '^# to: ' steps)"
status "ver --steps" 0 "$softfp8" ver --steps steps
sed 's/bias=11,nan=top exp/bias=12,nan=top exp/' steps > bad
status "a name that says something else" 2 "$softfp8" ver --steps bad
"$softfp8" gen "$function" --format json -n 5000 > own.json
status "ver of JSON" 0 "$softfp8" ver own.json
"$softfp8" gen "$own"_add > sums
status "ver of an operation" 0 "$softfp8" ver "$own"_add sums
printf '38 38 41 00\n' > one
status "a wrong sum" 1 "$softfp8" ver "$own"_add one
same "c: an identifier" 1 \
    "$("$softfp8" gen "$function" --format c -n 5000 | grep -c 'f32_to_e_4_m_3_bias_11_nan_top\[')"

# ---- bad ones

refuses "no such field" "no field 'x'; the fields are e m bias signed nan inf zero" \
    "$softfp8" convert --from f32 --to 'e=4 x=3'
refuses "no such value" "nan=all: expected one of none ieee top neg-zero" \
    "$softfp8" convert --from f32 --to 'e=4 m=3 nan=all'
refuses "no number" "m=three: expected a number" "$softfp8" convert --from f32 --to 'e=4 m=three'
refuses "no such format" "'e4m9' is no format" "$softfp8" convert --from f32 --to 'e4m9 bias=3'
refuses "too large" "these fields make no format; without a name" \
    "$softfp8" convert --from f32 --to 'e=12 m=3'
refuses "e alone" "are needed; bias" "$softfp8" formats e=4
refuses "in a function" "no field 'bais'" "$softfp8" gen 'f32_to_e=4 m=3 bais=11'
refuses "no such policy field" "no such field" "$softfp8" convert --to e4m3 --from f32 \
    --policy 'ocp rund=rz'
refuses "no such policy value" "round 'rx': expected one of rne" "$softfp8" convert --to e4m3 \
    --from f32 --policy 'ocp round=rx'
refuses "the name behind" "'ocp': expected FIELD=VALUE" "$softfp8" convert --to e4m3 --from f32 \
    --policy 'round=rz ocp'
refuses "very long" "too long" "$softfp8" convert --from f32 --to \
    "e=4 m=3 $(head -c 20000 /dev/zero | tr '\0' ' ')nan=top"
