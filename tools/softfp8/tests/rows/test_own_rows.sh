# SPDX-License-Identifier: MIT
# test_own_rows.sh -- formats and policies that are written by their fields, in every command

own='e=4 m=3 bias=11 nan=top'
codes() { "$softfp8" convert --as-numbers "$@" < values | xargs; }
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
# Each broken rule is named, with what to write instead.
breaks() {
    refuses "$1" "^softfp8 formats: format '$1': $2\$" "$softfp8" formats "$1"
}
breaks 'e=12 m=3' 'e=12: expected 1 to 11'
breaks 'e=0 m=3' 'e=0: expected 1 to 11'
breaks 'e=4 m=60' 'm=60: expected 0 to 52'
breaks 'e=4 m=3 bias=2049' 'bias=2049: expected -2048 to 2048'
breaks 'e=4' 'm is missing; without the name of a format, e and m are needed'
breaks 'm=3' 'e is missing; without the name of a format, e and m are needed'
breaks 'e=3 m=4 bias=5 inf=0' \
    'nan=ieee, the default, needs inf=1; write nan=none or nan=top for a format without infinity'
breaks 'e5m2 inf=0' \
    'nan=ieee, that of the named format, needs inf=1; write nan=none or nan=top for a format without infinity'
breaks 'e=8 m=0 nan=ieee' \
    'nan=ieee needs m above 0: the mantissa distinguishes NaN from infinity; write nan=none or nan=top'
breaks 'e=4 m=3 zero=0' 'zero=0 needs signed=0 and m=0; write signed=0 and m=0, or zero=1'
breaks 'e=4 m=0 zero=0' 'zero=0 needs signed=0 and m=0; write signed=0, or zero=1'
breaks 'e=4 m=3 signed=0 nan=neg-zero' \
    'nan=neg-zero needs signed=1 and zero=1: NaN has the code of -0; write nan=top or nan=none'
breaks 'e=11 m=52 nan=none' \
    'e=11 m=52: expected at most 62 bits of exponent and mantissa, unless nan=ieee'
breaks 'e=1,m=1,inf=1,nan=top' \
    'e=1 m=1 leaves no normal number beside nan=top and inf=1; write e=2, or leave out one of them'
breaks 'e=1 m=0 inf=1' 'e=1 m=0 leaves no normal number beside inf=1; write e=2, or inf=0'
breaks 'hif8 bias=3' 'hif8 has no fields: its precision depends on the exponent'

# What is not a format, and what is written instead.
for name in bf8:'e5m2 \(OCP, Intel\), or e5m2fnuz' hf8:'e4m3 \(OCP' mxint8:"recipes mxint8'" \
    bfp8:"recipes bfp'" bfp16:"recipes bfp'" mxint4:"recipes mxint8'" posit8:'no posits' \
    i8:"gen e4m3_to_i8'" int32:"gen e4m3_to_i8'" int8:"gen e4m3_to_i8'" ui16:e4m3_to_i8 \
    uint8:e4m3_to_i8 nf4:'lookup table' \
    F4:'f32 \(NumPy.*e2m1' CUDA_R_8F_UE4M3:'the value of CUDA_R_8F_E4M3'; do
    refuses "${name%%:*} is no format" "'${name%%:*}' is .*${name#*:}" \
        "$softfp8" convert --from f32 --to "${name%%:*}"
done
refuses "the fields of a name" "no format 'e3m3'; did you mean 'e4m3'\? 'e=3 m=3' is a format of your own" \
    "$softfp8" formats e3m3
refuses "the fields of a name alone" "no format 'ue10m20'; write 'e=10 m=20 signed=0' for one like" \
    "$softfp8" formats ue10m20
status "the hint" 0 "$softfp8" formats 'e=10 m=20 signed=0'
refuses "in a function" "no field 'bais'" "$softfp8" gen 'f32_to_e=4 m=3 bais=11'
refuses "no such policy field" "no such field" "$softfp8" convert --to e4m3 --from f32 \
    --policy 'ocp rund=rz'
refuses "no such policy value" "round 'rx': expected one of rne" "$softfp8" convert --to e4m3 \
    --from f32 --policy 'ocp round=rx'
refuses "the name behind" "'ocp': expected FIELD=VALUE" "$softfp8" convert --to e4m3 --from f32 \
    --policy 'round=rz ocp'
refuses "very long" "too long" "$softfp8" convert --from f32 --to \
    "e=4 m=3 $(head -c 20000 /dev/zero | tr '\0' ' ')nan=top"
