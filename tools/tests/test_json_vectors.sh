# SPDX-License-Identifier: MIT
# test_json_vectors.sh -- gen --format json and ver: the text, the tags, and what is refused

# ---- the text, literally: sqrt of e2m1, see forms.session
"$softfp8" gen e2m1_sqrt --format json > sqrt.json
# ---- tags, worked out by hand

# tags FILE ID: the tags of a case
tags() { sed -n "s|^{\"id\": \"$2\".*\"why\": \[\(.*\)\]}.*|\1|p" "$1" | tr -d '",'; }

"$softfp8" gen f32_to_e4m3 --format json > e4m3.json
check() { same "f32_to_e4m3 of $1: $3" "$2" "$(tags e4m3.json "f32_to_e4m3/ocp/$1")"; }
check 3f800000 "exact" "1"
check 3f880000 "tie" "1.0625, between 1 and 1.125"
check 3f880001 "rounded near-tie double-rounding-f16 double-rounding-bf16" \
    "just above: both formats drop the last bit and make it a tie, which goes down"
check 3f87ffff "rounded near-tie" "just below: rounding to f16 first gives the tie, which goes down too"
check 43e80000 "tie tie-to-even-at-max above-max overflow-464" "464, to 448"
check 43e80001 "rounded near-tie overflow overflow-464 saturated" "above 464"
check 43e00001 "rounded above-max overflow-464" "just above 448"
check 43f00000 "rounded overflow saturated" "480"
check 7f800000 "saturated infinity" "infinity"
check 80000000 "exact neg-zero" "-0"
check 3a800000 "tie underflow-to-zero" "2^-10, half of the smallest number"
check ba800000 "tie underflow-to-zero neg-zero" "-2^-10, to -0"
check 3b000000 "exact subnormal" "2^-9"
check 3c700000 "tie subnormal-boundary" "15 * 2^-10, to the smallest normal number"
check 3c780000 "rounded subnormal-boundary tininess" "31 * 2^-11: rounded to 4 bits it is 2^-6, not tiny"
check 3c77ffff "rounded subnormal-boundary" "just below: rounded to 4 bits it is 30 * 2^-11, tiny"
check 7fc00000 "nan" "the quiet NaN"
check 7f800001 "nan signaling-nan nan-payload" "a signaling NaN"

"$softfp8" gen e2m1_mulAdd --format json > fma.json
same "0.5 * 0.5 + 0.5 = 0.75, a tie; 0.25 would be rounded to 0 before" "tie subnormal-boundary fused" \
    "$(tags fma.json e2m1_mulAdd/ocp/1-1-1)"
"$softfp8" gen e4m3_add --format json > add.json
same "1 - 1: the sign of zero" "exact zero-sign" "$(tags add.json e4m3_add/ocp/38-b8)"
"$softfp8" gen e5m2_div --policy ocp-nosat --format json > div.json
same "1 / 0" "divbyzero" "$(tags div.json e5m2_div/ocp-nosat/3c-00 | tr ' ' '\n' | grep div)"
same "0 / 0" "invalid" "$(tags div.json e5m2_div/ocp-nosat/00-00 | tr ' ' '\n' | grep invalid)"
"$softfp8" gen f16_to_e4m3fnuz --format json > fnuz.json
same "-0, where there is none" "exact neg-zero missing-neg-zero" \
    "$(tags fnuz.json f16_to_e4m3fnuz/ocp/8000)"
"$softfp8" gen e4m3_to_ui8 --format json > ui8.json
same "-1 does not fit" "negative-unsigned out-of-range" "$(tags ui8.json e4m3_to_ui8/ocp/b8)"
same "-0 does" "exact neg-zero" "$(tags ui8.json e4m3_to_ui8/ocp/80)"
"$softfp8" gen f16_to_e8m0 --format json > e8m0.json
same "-1.5 is refused, and no tie" "negative-unsigned" "$(tags e8m0.json f16_to_e8m0/ocp/be00)"
"$softfp8" gen f32_to_e4m3 --overflow clip --format json > clip.json
same "2^20: what is infinite in f16 has no two roundings" "rounded overflow saturated" \
    "$(tags clip.json f32_to_e4m3/ocp+inf=special/49800000)"
"$softfp8" gen f16_to_e2m1 --format json > e2m1.json
same "no NaN" "nan missing-nan" "$(tags e2m1.json f16_to_e2m1/ocp/7e00)"

# ---- tags of conversions against explain, which finds midpoints and neighbours by itself
some=0
for function in f32_to_e4m3 f16_to_e5m2 f32_to_e2m1 f16_to_e8m0 bf16_to_e3m2 f16_to_e4m3fnuz; do
    to=${function#*_to_}
    from=${function%_to_*}
    "$softfp8" gen "$function" --set negative=abs --format json | grep '^{"id": ' > cases
    sed 's/.*"a": "\([0-9a-f]*\)".*/\1/' cases > words
    # shellcheck disable=SC2046
    "$softfp8" explain --set negative=abs --to "$to" --from "$from" --as-codes --json $(cat words) > explained
    same "$function: as many" "$(wc -l < cases)" "$(wc -l < explained)"
    for pair in '"tie" "side":"at"' '"exact" "exact":true' '"nan" "class":"nan"' \
        '"(above-max|overflow)" "overflow_range":true'; do
        grep -nE "\"why\".*${pair% *}" cases | cut -d : -f 1 > by_tag
        grep -n "${pair#* }" explained | cut -d : -f 1 > by_explain
        same_file "$function: $pair" by_explain by_tag
        some=$((some + $(wc -l < by_tag)))
    done
done

same "there were such cases" yes "$([ "$some" -gt 5000 ] && echo yes)"

# member FILE ID KEY: a member of a case
member() { sed -n "s|^{\"id\": \"$2\".*\"$3\": \"\([^\"]*\)\".*|\1|p" "$1"; }

# ---- recipes and units: the tags that this set is there for
"$softfp8" gen quantize --recipe nvfp4-te --format json > nvfp4.json
for tag in zero-block scale-subnormal scale-underflow scale-overflow element-tie element-saturated \
    amax-power-of-two short-block nan infinity; do
    same "nvfp4-te has $tag" yes "$(grep -q "^{\"id.*\"$tag\"" nvfp4.json && echo yes)"
done
same "a scale of zero does not underflow" "zero-block" "$(tags nvfp4.json quantize/nvfp4-te/f32/zeros)"
# amax = 1: scale 448 (7e), g = 2688 = 45280000. Each element is multiplied by 6: 0.25 is the tie
# between 0 and 0.5, at 3d2aaaab; 0.75 that between 0.5 and 1, at 3e000000
same "boundaries of e2m1" "3f800000 3d2aaaac 3d2aaaab 3e000000 3dffffff" \
    "$(sed -n 's|^{"id": "quantize/nvfp4-te/f32/boundaries-0-0", "values": "\(.\{44\}\).*|\1|p' nvfp4.json)"
"$softfp8" gen quantize --recipe kv-vllm --format json > kv.json
sed 's/"kv-vllm"/"kv-sglang-bf16"/' kv.json > other.json
status "a cache that rounds the values differently is found" 1 "$softfp8" ver -errors 0 other.json
"$softfp8" gen mma --unit hopper-qgmma --format json > mma.json
for tag in sum-fraction sum-rounding sum-cut sum-zero sum-length sum-precision; do
    same "hopper-qgmma has $tag" yes "$(grep -q "^{\"id.*\"$tag\"" mma.json && echo yes)"
done
# ---- units: a unit with one parameter changed gives another d; conformance.mma_vectors has them all
while read -r unit in out change; do
    "$softfp8" gen mma --unit "$unit" --in "$in" --result "$out" --format json > mma.json
    sed "s/\"unit\": \"$unit\"/\"unit\": \"$unit $change\"/" mma.json > other.json
    status "$unit $in $out: $change is found" 1 "$softfp8" ver -errors 0 other.json
    same "$unit $in $out: by its results" yes "$(grep -q '/[^ ]*: d [0-9a-f]*, expected' out && echo yes)"
done <<'UNITS'
sm120-mxf4nvf4 e2m1 f32 fraction=25
sm120-mxf4nvf4 e2m1 f32 fraction=33
sm120-mxf4 e2m1 f32 fraction=25
blackwell-tcgen05 e2m1 f32 cut=down
blackwell-tcgen05 e2m1 f32 zero=-120
blackwell-tcgen05 e4m3 f32 zero=-120
cdna3-fp8 e4m3fnuz f32 zero=-120
blackwell-tcgen05 e5m2 f16 underflow=positive
hopper-qgmma e4m3,e5m2 f16 underflow=signed
UNITS
"$softfp8" gen mma --unit sm120-mxf4nvf4 --in e2m1 --format json > mma.json
one=mma/sm120-mxf4nvf4/e2m1/e2m1/f32
same "a scale of NaN" "7fffffff nan-scale" \
    "$(member mma.json $one/nan-scale-a d) $(tags mma.json $one/nan-scale-a | grep -q scale-nan && echo nan-scale)"
same "1 * 1 with -1 as a scale of ue4m3, whose sign is ignored" "b8 3f800000" \
    "$(member mma.json $one/signed-scale-a scale_a | cut -d ' ' -f 1) $(member mma.json $one/signed-scale-a d)"
same "the least scales: 2^-9 * 2^-9" "01 36800000" \
    "$(member mma.json $one/least-scales scale_b | cut -d ' ' -f 1) $(member mma.json $one/least-scales d)"
"$softfp8" gen mma --unit blackwell-tcgen05 --in e5m2 --result f16 --format json > mma.json
one=mma/blackwell-tcgen05/e5m2/e5m2/f16
same "-2^-16 * 2^-16 rounds to -0" "8000 sum-underflow" \
    "$(member mma.json $one/minus-least d) $(tags mma.json $one/minus-least | grep -o sum-underflow)"
same "1.5 * 1.5" sum-products "$(tags mma.json $one/products=normalised | grep -o sum-products)"

# ---- a unit with parameters of one's own
"$softfp8" gen mma --unit 'hopper-qgmma fraction=20,sum=f32' --format json > mma.json
same "the head says them" '{"kind": "mma", "unit": "hopper-qgmma fraction=20 sum=f32", "a_format": "e4m3", "b_format": "e4m3", "out_format": "f32", "cases": [' \
    "$(sed -n 5p mma.json)"
same "and the ids" "mma/hopper-qgmma+fraction=20+sum=f32/e4m3/e4m3/f32/zeros" \
    "$(sed -n '6s/{"id": "\([^"]*\)".*/\1/p' mma.json)"
status "ver computes by them" 0 "$softfp8" ver mma.json
sed 's/fraction=20 sum/fraction=19 sum/' mma.json > other.json
status "one bit less is found" 1 "$softfp8" ver -errors 0 other.json
sed 's/"hopper-qgmma fraction=20/"hopper-qgmma fraction=41/' mma.json > other.json
status "a parameter out of range" 2 "$softfp8" ver other.json
same "says what was expected" "other.json:5: expected parameters that 'softfp8 mma --set' can change for this unit, one blank before each: \"hopper-qgmma fraction=20\"" \
    "$(cat err)"
"$softfp8" gen merge --rule vllm --format json > merge.json
empty=$(grep '"merge/vllm/lse-00000000-ff800000"' merge.json)
same "a part without keys is left out" "$(echo "$empty" | sed 's/.*"a": "\([^"]*\)".*/\1/')" \
    "$(echo "$empty" | sed 's/.*"out": "\([^"]*\)".*/\1/')"
same "with its reasons" "infinity empty-part" "$(tags merge.json merge/vllm/lse-00000000-ff800000)"
same "104 below: the weight is zero" yes \
    "$(tags merge.json merge/vllm/lse-00000000-c2d00000 | grep -q weight-underflow && echo yes)"
# ---- attend: what needs no computing

"$softfp8" gen attend --recipe f32 --format json > attend.json
one=attend/exact/f32/f32/16
same "one key: its value" "$(member attend.json $one/1-keys-random v)" \
    "$(member attend.json $one/1-keys-random out)"
same "a score far above the others: the value of that key, the 17th" \
    "$(member attend.json $one/33-keys-needle v | cut -d ' ' -f 257-272)" \
    "$(member attend.json $one/33-keys-needle out)"
same "a NaN in a key: all of the output" "7fc00000" \
    "$(member attend.json $one/5-keys-nan-key out | tr ' ' '\n' | sort -u)"
same "a NaN in a value: one element" 1 \
    "$(member attend.json $one/5-keys-nan-value out | tr ' ' '\n' | grep -c 7fc00000)"
same "one key has its tag" "one-key" "$(tags attend.json $one/1-keys-random)"
same "equal keys have theirs" yes "$(tags attend.json $one/17-keys-equal | grep -q equal-scores && echo yes)"
same "keys without a weight have theirs" yes "$(tags attend.json $one/33-keys-needle | grep -q idle-key && echo yes)"
sed 's/"order": "exact"/"order": "mma-f16"/' attend.json > other.json
status "another order is found" 1 "$softfp8" ver -errors 0 other.json

# one key, of codes: the value of each code times the scale of the values, 0.1 as f32
"$softfp8" gen attend --format json > codes.json
one=attend/exact/kv-vllm/f32/16/1-keys-random
member codes.json $one v | tr ' ' '\n' | "$softfp8" convert --from e4m3 --to f64 --show |
    awk '{ printf "%.17g\n", $2 * 0.100000001490116119384765625 }' |
    "$softfp8" convert --as-numbers --to f32 > products
same "codes and their scale" "$(xargs < products)" "$(member codes.json $one out)"

# ---- kv-store: the codes of a token are those of the conversion, and lie in its slot
"$softfp8" gen kv-store --format json > store.json
one=kv-store/nhd/kv-vllm/f32/3x4x2x16/in-a-row-g-3f800000
member store.json $one values | tr ' ' '\n' | head -n 32 > values
"$softfp8" convert --from f32 --to e4m3 --policy cuda-satfinite values > codes
same "slot 0 stays as it was" "aa" "$(member store.json $one image | tr ' ' '\n' | head -n 32 | sort -u)"
same "slot 1 has the first token" "$(xargs < codes)" "$(member store.json $one image | cut -d ' ' -f 33-64)"
one=kv-store/nhd/kv-vllm/f32/3x4x2x16/one-nowhere-g-3f800000
same "a token without a slot is not stored" "aa" \
    "$(member store.json $one image | cut -d ' ' -f 33-64 | tr ' ' '\n' | sort -u)"
same "its tag" yes "$(tags store.json $one | grep -q skipped-token && echo yes)"
for layout in hnd x-packed columns; do
    sed "s/\"layout\": \"nhd\"/\"layout\": \"$layout\"/" store.json > other.json
    status "$layout is another layout" 1 "$softfp8" ver -errors 0 other.json
    "$softfp8" gen kv-store --cache-layout $layout --format json > other.json
    same "$layout has the same bytes in other places" \
        "$(member store.json $one image | tr ' ' '\n' | sort | xargs)" \
        "$(member other.json $(echo $one | sed "s/nhd/$layout/") image | tr ' ' '\n' | sort | xargs)"
done

for arguments in "merge --rule vllm-triton" "merge --rule flashinfer" "merge --rule fa3" "quantize --recipe q4_1-gguf --in bf16" "dequantize --recipe q4_1-gguf --result f16" \
    "mma --unit blackwell-hmma --in f16 --result f16" "attend --order flashinfer" \
    "attend --order mma-bf16 --recipe bf16 --in bf16" "kv-store --cache-layout hnd --in bf16" "f32_to_e4m3 --round sr -seed 7" "i32_to_e4m3" \
    "e4m3_add --round rz --set overflow=inf" "e4m3_to_i8 -exact" "f32_mul -n 80000" "e2m1_class"; do
    # shellcheck disable=SC2086
    "$softfp8" gen --format json $arguments > some.json
    status "ver agrees: $arguments" 0 "$softfp8" ver some.json
done

# ---- every digit of the outputs of a small file: one that is changed is found
for n in $(seq 6 21); do
    for place in result flags; do
        awk -v n="$n" -v key="\"$place\": \"" 'NR == n {
            at = index($0, key) + length(key)
            digit = substr($0, at, 1) == "1" ? "0" : "1"
            $0 = substr($0, 1, at - 1) digit substr($0, at + 1)
        } { print }' sqrt.json > wrong.json
        status "a digit of $place in line $n" 1 "$softfp8" ver wrong.json
    done
done

# ---- every tag is in the specification and in the schema, with the same sentence
awk '/define VECTOR_TAGS/ { on = 1; next } on && /^$/ { exit } on' "$source/conformance/vectors/tags.h" \
    | sed 's/\\$//' | tr -d '\n' | sed 's/" *"//g; s/) *X(/)\n X(/g' \
    | sed -n 's/^ *X([A-Z0-9_]*, *"\([a-z0-9-]*\)", *"\(.*\)") *$/\1 \2/p' > table
echo >> table
same "the table was read" yes "$([ "$(wc -l < table)" -gt 40 ] && echo yes)"
sed -n 's/^| `\([a-z0-9-]*\)` | \(.*\) |$/\1 \2/p' "$source/docs/spec/vectors.md" > spec
same_file "docs/spec/vectors.md has the table" table spec
sed -n '/"tag": {/,/]/s/^ *"\([a-z0-9-]*\)",*$/\1/p' "$source/vectors/json/schema/common.json" > schema
cut -d ' ' -f 1 table > names
same_file "schema/common.json has the names" names schema
