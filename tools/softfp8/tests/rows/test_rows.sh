# SPDX-License-Identifier: MIT
# test_rows.sh -- softfp8 formats and softfp8 policies

# ---- formats ----------------------------------------------------------------------------------
status "formats" 0 "$softfp8" formats
same "formats: width" "" "$(grep -E '.{101}' out)"
# e4m3: max 1.75 * 2^8; f32: 2^128 less one of its last place, 2^(127-23); f64 likewise
same "e4m3" "e4m3 8 4 3 7 yes top no yes 448 2^-6 2^-9" "$(grep '^e4m3 ' out | xargs)"
same "e8m0" "e8m0 8 8 0 127 no top no no 2^127 2^-127 2^-127" "$(grep '^e8m0 ' out | xargs)"
same "f32" "f32 32 8 23 127 yes ieee yes yes 2^128-2^104 2^-126 2^-149" \
    "$(grep '^f32 ' out | xargs)"
same "f64" "f64 64 11 52 1023 yes ieee yes yes 2^1024-2^971 2^-1022 2^-1074" \
    "$(grep '^f64 ' out | xargs)"
same "the family is listed" 1 "$(grep -c '^also p3109_k<K>p<P>{s,u}{e,f}' out)"
formats=$("$softfp8" formats --names | wc -l)
same "a head, a row for each, the others" $((formats + 4)) "$(wc -l < out | xargs)"
same "names" "e4m3 e5m2 e2m1 e3m2 e2m3 e8m0 f16 bf16 tf32 f32 f64" \
    "$("$softfp8" formats --names | sed -n '1,6p;/^t*b*f[0-9]/p' | xargs)"
# K = 8, P = 2, signed: E = 6, bias 2^5; the largest 1.5 * 2^(63-32)
same "one of the family" "p3109_k8p2sf 8 6 1 32 yes neg-zero no yes 3*2^30 2^-31 2^-32" \
    "$("$softfp8" formats p3109_k8p2sf | tail -n 1 | xargs)"
same "those named, in order" "f16 e2m1" "$("$softfp8" formats f16 e2m1 --names | xargs)"
same "json" '[{"name": "e4m3", "bits": 8, "exp_bits": 4, "man_bits": 3, "bias": 7, "signed": true, "nan": "top", "inf": false, "zero": true, "max": {"code": "7e", "value": "0x1.cp+8"}, "min_normal": {"code": "08", "value": "0x1p-6"}, "min_positive": {"code": "01", "value": "0x1p-9"}}]' \
    "$("$softfp8" formats e4m3 --json)"
same "json: a list" "$formats 1 1" \
    "$("$softfp8" formats --json > out; echo $(grep -c '"name"' out) $(grep -c '^\[' out) $(grep -c '\]$' out))"
refuses "unknown format" "no format 'e4m4'; did you mean 'e4m3'" "$softfp8" formats e5m2 e4m4
refuses "nothing like it" "no format 'quadruple'; 'softfp8 formats' lists them" \
    "$softfp8" formats quadruple
refuses "unknown option" "no option '--name'" "$softfp8" formats --name
refuses "a value" "takes no value" "$softfp8" formats --names=1

# ---- policies ---------------------------------------------------------------------------------
status "policies" 0 "$softfp8" policies
policies=$("$softfp8" policies --names | wc -l)
same "a line for each" "$policies" "$(wc -l < out | xargs)"
same "name and source" "torch-2.12 verified on a CPU PyTorch, CPU" "$(grep '^torch-2.12 ' out | xargs | cut -d' ' -f1-7)"
same "names" "ocp ocp-nosat cuda-satfinite" "$("$softfp8" policies --names | head -n 3 | xargs)"
status "one in full" 0 "$softfp8" policies ocp-nosat
same "what differs is marked" "* overflow special (ocp: max) * inf special (ocp: max)" \
    "$(grep '^  \*' out | xargs -n 20)"
same "the rest is there" 25 "$(grep -c '^    ' out)"
same "product" "product OCP OFP8 versions 1.0 rule the non-saturating conversions" \
    "$(sed -n 2,4p out | xargs)"
same "evidence" "evidence document: OCP 8-bit Floating Point 1.0, section 5" "$(sed -n 5p out | xargs)"
same "nothing open" "  open        nothing" "$("$softfp8" policies p3109-satfinite | grep open)"
same "formats of a policy" "  formats     to e8m0, from f64" \
    "$("$softfp8" policies xla-e8m0 | grep '  formats')"
same "formats of a policy: json" '"to": "e8m0", "from": "f64"' \
    "$("$softfp8" policies xla-e8m0 --json | grep -o '"to".*"f64"')"
same "two in full" "ocp llvm" "$("$softfp8" policies ocp llvm | grep '^[a-z]' | xargs)"
status "fields" 0 "$softfp8" policies --fields
same "fields: words" "round rne rna rz ru" "$(head -n 1 out | xargs | cut -d" " -f1-5)"
same "fields: a number" "sr_bits 1 to 32 (16)" "$(grep sr_bits out | xargs)"
same "fields: all" 27 "$(wc -l < out | xargs)"
same "json: a policy" '"overflow": "special", "inf": "special", "nan": "kept"' \
    "$("$softfp8" policies ocp-nosat --json | grep -o '"overflow.*"kept"')"
same "json: a number" '"sr_bits": 16' "$("$softfp8" policies ocp --json | grep -o '"sr_bits": [0-9]*')"
same "--for: policies for these formats only" "ocp openvino" \
    "$("$softfp8" policies --for e4m3 | sed -n 's/^\(ocp\|openvino[^ ]*\) .*/\1/p' | xargs)"
same "--for: another policy by its name" 1 \
    "$("$softfp8" policies --for e4m3 openvino-e5m2 | grep -c '^openvino-e5m2 ')"
same "json: all" "$policies" "$("$softfp8" policies --json | grep -c '"name"')"
if command -v python3 > /dev/null; then
    for command in formats policies; do
        same "$command: it is JSON" "list" \
            "$("$softfp8" $command --json | python3 -c 'import json, sys
print(type(json.load(sys.stdin)).__name__)')"
    done
fi
refuses "unknown policy" "no policy 'torch-2.x'; did you mean 'torch-2.12'" \
    "$softfp8" policies ocp torch-2.x
refuses "no policy is like it" "no policy 'gpt'; 'softfp8 policies' lists them" "$softfp8" policies gpt
# ggml has no conversion to e4m3, so none of it is the first; NAME of another kind says of which.
same "a product without e4m3" "ggml is a product any version, to ue4m3, from f32 f16 bf16: ggml-ue4m3" \
    "$("$softfp8" policies llama.cpp | sed -n 's/^\(ggml is a product\).*/\1/p; s/^  //p' | xargs)"
# The policies that the name of a product does not give.
same "cuda's other policies" "cuda-nosat cuda-nosat-f64" \
    "$("$softfp8" policies nvidia | sed '1,/^Other policies/d' | sed -n 's/^  \([^:]*\):.*/\1/p' | xargs)"
same "hip's other policies" "hip-nosat hip-fnuz" \
    "$("$softfp8" policies amd | sed '1,/^Other policies/d' | sed -n 's/^  \([^:]*\):.*/\1/p' | xargs)"
same "P3109's other policies" "p3109-satpropagate p3109-satnone p3109-4.0-satnone" \
    "$("$softfp8" policies p3109 | sed '1,/^Other policies/d' | sed -n 's/^  \([^:]*\):.*/\1/p' | xargs)"
same "formats that cuda lacks" "cuda-satfinite" \
    "$("$softfp8" policies cuda | sed -n 's/^  formats that it lacks: //p')"
same "PyTorch has no others" 0 "$("$softfp8" policies torch | grep -cE 'lacks|Other' || true)"
same "jax is XLA" "xla is a product" "$("$softfp8" policies jax | sed -n 's/^\(xla is a product\).*/\1/p')"
refuses "a format" "'float8_e4m3fn' is a format, not a policy; 'softfp8 policies --for float8_e4m3fn'" \
    "$softfp8" policies float8_e4m3fn
refuses "a wide format" "'float32' is a format, not a policy; 'softfp8 formats float32'" \
    "$softfp8" policies float32
refuses "several formats" "no policy 'fp8'; it is the name of several formats: e4m3 and e5m2" "$softfp8" policies fp8
refuses "a word for recipes" "no policy 'deepseek'; 'softfp8 recipes deepseek' lists recipes" \
    "$softfp8" convert --from f32 --to e4m3 --policy deepseek
same "a product" "pytorch is a product torch-2.13" \
    "$("$softfp8" policies pytorch | sed -n 's/^torch is a product.*/pytorch is a product/p; s/.*from 2.13 on, to e4m3, .*: //p' | xargs)"
same "a product of a version" "7e 7f 7c 7c" "$(for p in torch torch-2.12; do
    echo 43fa0000 | "$softfp8" convert --from f32 --to e4m3 --policy $p
done | xargs) $(for p in torch-2.15 pytorch-2.13; do
    echo 47700000 | "$softfp8" convert --from f32 --to e5m2 --policy $p
done | xargs)"
same "a version that follows a policy" "torch-2.2 follows torch-2.12 for f32 to e4m3: torch-2.12" \
    "$("$softfp8" policies torch-2.2 | sed -n 1,2p | xargs)"
for word in fp4 NVFP4 mxfp4 mxfp8 int8; do # what the message says to type
    advice=$("$softfp8" formats $word 2>&1 | sed -n "s/.*'softfp8 \(recipes[^']*\)'.*/\1/p")
    # shellcheck disable=SC2086
    status "$word: softfp8 $advice" 0 "$softfp8" $advice
done

# ---- policies --for: the codes of docs/spec/policy-results.md ------------------------------------
status "for e4m3" 0 "$softfp8" policies --for e4m3
same "for: width" "" "$(grep -E '.{101}' out)"
same "for: labels" ">max tie >tie -huge inf -inf nan -nan -0" "$(sed -n 1p out | xargs)"
same "for: inputs" "input 43e00001 43e80000 43e80001 ff7fffff 7f800000 ff800000 7fc00000 ffc00000 80000000" \
    "$(sed -n 2p out | xargs)"
same "for: ocp" "ocp 7e/01 7e/01 7e/05 fe/05 7e/10 fe/10 7f/00 7f/00 80/00" \
    "$(grep '^ocp ' out | xargs)"
same "for: torch-2.12" "torch-2.12 7e/01 7e/01 7f/05 ff/05 7f/00 ff/00 7f/00 ff/00 80/00" \
    "$(grep '^torch-2.12 ' out | xargs)"
same "for: hip-nosat" "hip-nosat 7f/05 7f/05 7f/05 ff/05 7f/00 ff/00 7f/00 ff/00 80/00" \
    "$(grep '^hip-nosat ' out | xargs)"
# from e5m2: 464 is not among its numbers, so there is no tie; the next after 448 is 512 = 60
same "for: from e5m2" ">max -huge inf -inf nan -nan -0|input 60 fb 7c fc 7e fe 80|ocp 7e/05 fe/05 7e/10 fe/10 7f/00 7f/00 80/00|" \
    "$("$softfp8" policies --for e4m3 --from e5m2 ocp | xargs -n 100 | sed 's/ input/|input/; s/ ocp/|ocp/; s/$/|/')"
# 15.5 is not in e5m2 either: the first above it is 16 = 0 10011 00
same "for: the largest is not in the source" "input 4c" \
    "$("$softfp8" policies --for e3m4 --from e5m2 ocp | sed -n 2p | xargs | cut -d' ' -f1-2)"
refuses "for: nothing too large" "no e4m3 value is too large for f16" \
    "$softfp8" policies --for f16 --from e4m3
refuses "for: unknown format" "no format 'e4m4'" "$softfp8" policies --for e4m4

refuses "units are no command" "no command 'units'; 'softfp8 mma --list' lists them" "$softfp8" units
refuses "orders are none" "no command 'orders'; 'softfp8 attend --orders' lists them" "$softfp8" orders

for command in formats policies; do
    "$softfp8" $command -o file
    "$softfp8" $command > out
    same_file "$command -o" out file
    if [ -c /dev/full ]; then
        got=0
        "$softfp8" $command > /dev/full 2> err || got=$?
        same "$command: disk full" "2 1" "$got $(wc -l < err | xargs)"
    fi
done
