# SPDX-License-Identifier: MIT
# test_identify.sh -- identify: each policy by its outputs, the classes, broken converters, bad input
#
# The program of broken_converters.c makes the inputs. With SOFTFP8_TIER=full nine pairs of formats are
# gone through, else two; where it is short, as with sanitizers, one, and not what takes every diagnosis twice.
tier=${SOFTFP8_TIER:-quick}
make=$(dirname "$softfp8")/softfp8-test-broken_converters

# ---- each policy's own output is named ----------------------------------------------------------

policies=$("$make" classes rne f16 e4m3 | tr -s ' ' '\n' | sed '/^$/d')
same 'number of policies for f16 to e4m3' 31 "$(echo "$policies" | wc -l | tr -d ' ')"

# names FROM TO ROUND: for each policy the report names it with the rounding, and those alone that
# the pairwise comparison has in its class.
names() {
    "$make" classes "$3" "$1" "$2" | sed 's/^ *//' > classes
    while read -r class; do
        policy=${class%% *}
        "$make" policy "$policy" "$3" "$1" "$2" > codes
        "$softfp8" identify --from "$1" --to "$2" --json codes > out || failed "$policy $1 $2"
        sed -n 's/^ *{"policy": "\([^"]*\)", "round": "'"$3"'".*/\1/p' out | sort | tr '\n' ' ' |
            sed 's/ $//' > named
        same "policies named for $policy, $3, $1 to $2" \
            "$(echo "$class" | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')" "$(cat named)"
    done < classes
}
# The policies that are meant for the conversion.
names e5m2 f16 rne
[ "$tier" = short ] || names bf16 e4m3 rne
[ "$tier" != full ] || for formats in 'f16 e4m3' 'f16 ue4m3' 'f16 e4m3fnuz' 'f16 e8m0' 'f16 e5m2' 'f16 e2m1' \
    'e4m3fnuz bf16'; do
    names $formats rne
done

# Few inputs that fit many policies: the report says that they are too few, and only then.
echo '3C00 38' > one
same 'one input' 'note: 1 input cannot distinguish these 31 policies and 7 roundings; give all inputs, or for example' \
    "$("$softfp8" identify --from f16 --to e4m3 one | grep '^note')"
echo '3f800000 38' > one
same 'one input of f32' 1 "$("$softfp8" identify --from f32 --to e4m3 one | grep -c '^note: 1 input cannot .*; give more inputs, for example$')"
"$softfp8" gen f32_to_e4m3 --columns operands,result --policy ocp -o enough
same 'inputs that are enough' 0 "$("$softfp8" identify --from f32 --to e4m3 enough | grep -c '^note')"
"$make" policy ocp rne f16 e4m3 | od -An -v -tx1 -w1 | awk '{ printf "%04x %s\n", NR - 1, $1 }' > enough
same 'all inputs as pairs' 0 "$("$softfp8" identify --from f16 --to e4m3 enough | grep -c '^note')"

# Roundings are distinguished where they differ, and all named where they do not: e4m3 to f16 is exact.
rounds=$("$softfp8" policies --fields | sed -n 's/^round *rne \(.*\) sr$/\1/p')
for round in $rounds; do
    "$make" policy ptx $round f16 e4m3 > codes
    same "ptx, $round" "cuda-satfinite, $round" \
        "$("$softfp8" identify --from f16 --to e4m3 codes | sed -n 's/^explained: \([^(]*[^ (]\).*/\1/p')"
done
"$make" policy ocp rne e4m3 f16 > codes
same 'an exact conversion' "explained: ocp-nosat, rne
products: numkong for e4m3 to f16
also: ocp-nosat, $rounds (the same code for every input here)" \
    "$("$softfp8" identify --from e4m3 --to f16 codes | sed -n 2,4p)"

# ---- the order of those that match --------------------------------------------------------------

# first POLICY FROM TO WHAT...: the report of its own output, without the line of the input.
first() {
    $softfp8 gen "$2_to_$3" --format bin --columns result --policy "$1" -o own
    "$softfp8" identify --from "$2" --to "$3" own > out
    same "$1, $2 to $3" "$4" "$(sed -n 's/^explained: //p' out)"
    same "$1, $2 to $3: products" "$5" "$(sed -n 's/^products: //p' out)"
}
# A policy for double is not named for f16, nor one of hip-fnuz for what MLX was seen to do.
first ml_dtypes f16 e4m3 'torch-2.12, rne' \
    'torch before 2.13, xla, ml_dtypes, tensorflow, onnx-nosat, openvino for f16 to e4m3'
first torch f16 e4m3 'torch-2.13, rne' \
    'torch, onnx, onnx-saturate, onnxruntime for f16 to e4m3'
first mlx f16 e4m3 'fbgemm, rne' 'numkong, mlx for f16 to e4m3'
first cuda bf16 e4m3 'cuda-satfinite, rne' 'cuda for bf16 to e4m3'
first ocp-nosat f16 e4m3 'riscv, rne' ''
# Rules for values above the largest number and near the smallest, each named from all inputs.
if [ "$tier" != short ]; then
    for from in f16 bf16; do
        first paddle $from e4m3 'paddle, rne' "paddle for $from to e4m3"
        first paddle-e5m2 $from e5m2 'paddle-e5m2, rne' "paddle for $from to e5m2"
        first numkong-e5m2 $from e5m2 'numkong-e5m2, rne' "numkong for $from to e5m2"
        first openvino-e5m2 $from e5m2 'openvino-e5m2, rne' "openvino for $from to e5m2"
        first ggml-ue4m3 $from ue4m3 'ggml-ue4m3, rna (ties go away from zero)' \
            "ggml for $from to ue4m3"
        first xla $from e8m0 'ml_dtypes, rne' "xla, ml_dtypes for $from to e8m0"
        first torch $from e8m0 'torch-2.12, rne' "torch for $from to e8m0"
    done
    for to in e4m3 e5m2; do
        first onnxruntime-nosat f16 $to 'onnxruntime-nosat, rne' "onnxruntime-nosat for f16 to $to"
        first onnxruntime-nosat bf16 $to 'ort-nosat-bf16, rne' \
            "onnxruntime-nosat for bf16 to $to"
    done
fi
# The same on the critical set of f32, and for double, whose way through f32 is seen there.
number=0
for line in 'paddle f32 e4m3 paddle' 'paddle-e5m2 f32 e5m2 paddle-e5m2' \
    'onnxruntime-nosat f32 e4m3 onnxruntime-nosat' 'numkong-e5m2 f32 e5m2 numkong-e5m2' \
    'openvino f32 e4m3 openvino' 'openvino-e5m2 f32 e5m2 openvino-e5m2' \
    'ggml-ue4m3 f32 ue4m3 ggml-ue4m3' 'ml_dtypes f32 e8m0 ml_dtypes' 'torch f32 e8m0 torch-2.12' \
    'torch f64 e4m3 torch-2.13' 'paddle f64 e4m3 paddle' 'xla f64 e4m3 xla'; do
    number=$((number + 1))
    [ "$tier" != short ] || [ $((number % 4)) -eq 1 ] || continue
    set -- $line
    "$softfp8" gen "$2_to_$3" --columns operands,result --policy "$1" -o own
    "$softfp8" identify --from "$2" --to "$3" own > out
    same "$1, $2 to $3" "$4" "$(sed -n 's/^explained: \([^,]*\),.*/\1/p' out)"
done

# A policy for another format is named if no other explains the codes, or if the user names it.
first ggml-ue4m3 f16 e4m3 'ggml-ue4m3, rna (ties go away from zero)' ''
"$softfp8" gen f16_to_e4m3 --format bin --columns result --policy cuda-satfinite-f64 -o own
# ---- classes ------------------------------------------------------------------------------------

for formats in 'bf16 e8m0' 'e4m3 f16' - 'f16 e4m3' 'f16 e5m2' 'bf16 e4m3' 'f16 e2m1' \
    'f16 e4m3fnuz' 'f16 ue4m3' 'f16 e8m0'; do
    set -- $formats
    case $tier$1 in
        short-) break ;;
        *-) continue ;;
    esac
    "$softfp8" identify --classes --all --from "$1" --to "$2" > classes
    for round in rne rz ro; do
        "$make" classes $round "$1" "$2" > want
        sed -n "/^$round:/,/^r/p" classes | grep '^ ' > got
        same_file "classes $1 $2 $round" want got
    done
done
"$softfp8" identify --classes --from f32 --to e4m3 > out
same 'classes from f32: those of the table in docs/spec/policy-results.md' \
    '  ocp cuda-satfinite ptx cutlass riscv-sat arm-sat p3109-satfinite p3109-satpropagate p3109-4.0-satnone
  ocp-nosat riscv arm p3109-satnone' "$(sed -n 3,4p out)"
"$softfp8" identify --classes --from f16 --to e4m3 --json > out
same 'classes as JSON' \
    '{"from": "f16", "to": "e4m3", "inputs": "65536", "classes": [{"round": "rne", "policies": [
    ["ocp", "cuda-satfinite", "ptx", "cutlass", "riscv-sat", "arm-sat", "p3109-satfinite", "p3109-satpropagate", "p3109-4.0-satnone"],' \
    "$(sed -n 1,2p out)"
# On 1.0 alone all policies agree.
printf '3c00 38\n' > pairs
"$softfp8" identify --classes --from f16 --to e4m3 pairs > out
same 'classes on one input' 2:31 "$(sed 1d out | wc -l | tr -d ' '):$(sed -n 3p out | wc -w | tr -d ' ')"

# ---- broken converters --------------------------------------------------------------------------

# says WHAT STATUS PATTERN FROM FILE: the status, and the report has the line. Several lines of one
# report are from one run.
said_of=
says() {
    key="$4 $5 $(cksum < "$5")"
    if [ "$key" != "$said_of" ]; then
        status "$1" "$2" "$softfp8" identify --from "$4" --to e4m3 "$5"
        cp out said
        said_of=$key
    fi
    tests=$((tests + 1))
    grep -qxF -- "$3" said || { failed "$1"; head -n 30 said; }
}
bad=1
explained=0
"$make" raw good > codes
says 'good' $explained 'explained: cuda-satfinite, rne' f16 codes
for form in pairs steps; do
    "$make" $form good > codes
    says "good, $form" $explained 'explained: cuda-satfinite, rne' f32 codes
done

# lib.diagnose_cast has the names of all mistakes, from raw codes: here are the forms, and the report.
while IFS='|' read -r form name from want line; do
    "$make" "$form" "$name" > codes
    says "$name, $form" "$want" "$line" "$from" codes
done << 'END'
steps|ties_away|f32|0|explained: cuda-satfinite, rna (ties go away from zero)
pairs|flush|f32|1|diagnosis: ocp, rne, with flush=outputs; this explains every input:
pairs|flush|f32|1|  flush=outputs: subnormal results are flushed to zero
steps|via_bf16|f32|1|diagnosis: ocp, rne, with via=bf16; this explains every input:
steps|via_bf16|f32|1|  via=bf16: rounds twice, first to bf16
raw|clamp_240|f16|1|  clamp: overflow is clamped to 77 (240), with a sign f7
raw|flush_unsigned|f16|1|diagnosis: ocp, rne, with flush=outputs and zero_unsigned; this explains every input:
raw|nan_zero|f16|1|  missing_nan=zero: NaN gives +0
raw|fnuz|f16|1|diagnosis: these are codes of e4m3fnuz; this explains every input:
END
# An f16 is itself when rounded to f16, so nothing is wrong there.
"$make" raw via_f16 > codes
says 'via f16 from f16' $explained 'explained: cuda-satfinite, rne' f16 codes
# 64 words in (448, 464] of either sign.
"$make" raw early > codes
says 'early: the closest' $bad \
    'closest: ocp-nosat, rne; 128 of 65536 inputs differ (0.195 %): all are above the largest finite number' \
    f16 codes
says 'early: the range' $bad '  5f01..5f40 (448.2 .. 464) gives 7f, not 7e' f16 codes
says 'early: the other range' $bad '  df01..df40 (-448.2 .. -464) gives 7f, not fe' f16 codes
noise=
if [ "$tier" != short ]; then
    noise=noise # every diagnosis is tried
    "$make" raw noise > codes
    says 'noise' $bad 'diagnosis: none found' f16 codes
fi

# Down for the even words and up for the odd ones: each code is next to its value, by no rule.
for round in rd ru; do
    "$make" policy ocp $round f16 e4m3 | od -An -v -tx1 -w1 | tr -d ' ' > $round
done
paste rd ru | awk '{ print $(1 + NR % 2) }' > codes
says 'rounded at random' $bad \
    'diagnosis: every code is one of the two nearest its value: rounded in another way, perhaps at random' \
    f16 codes
# One damaged code of all, that of 0x3c40, is no rounding.
"$make" policy ocp rne f16 e4m3 | od -An -v -tx1 -w1 | tr -d ' ' | sed '15425s/38/39/' > codes
says 'one damaged code' $bad \
    'diagnosis: every code is one of the two nearest its value, but no rule for the rounding was found' \
    f16 codes
# A line whose value needs no rounding shows nothing of random numbers.
printf '3f800000 0001 38\n' > line
status 'one line' 0 "$softfp8" identify --from f32 --to e4m3 --stochastic line
same 'no effect is shown' 'these lines show no effect of random numbers: ocp gives all codes too' "$(sed -n 2p out)"

# ---- other readings -----------------------------------------------------------------------------

"$make" policy cuda-nosat rne bf16 e4m3 > codes
says 'codes for bf16 taken for those of f16' $bad \
    'diagnosis: the inputs are those of bf16; this explains every input:' f16 codes
# Word 0102 hexadecimal is where 0201 belongs: columns and rows of a 256 by 256 table exchanged.
"$make" policy cuda-nosat rne f16 e4m3 > codes
od -An -v -tx1 -w1 codes | tr -d ' ' > words
awk '{ code[NR - 1] = $0 }
     END { for (i = 0; i < 65536; i++) print code[(i % 256) * 256 + int(i / 256)] }' words > swapped
says 'inputs in the wrong order' $bad \
    'diagnosis: the inputs were taken with their bytes swapped; this explains every input:' f16 swapped
[ "$tier" = short ] || says 'and read so' $bad '  cuda-nosat, rne' f16 swapped

# ---- the same input in every form ---------------------------------------------------------------

says 'raw' $explained 'explained: cuda-nosat, rne' f16 codes
says 'words' $explained 'input: words, words, f16 to e4m3, all 65536 inputs' f16 words
says 'words' $explained 'explained: cuda-nosat, rne' f16 words
awk '{ printf "0x%04X\t%s\r\n", NR - 1, $0 }' words | sort -r > pairs
says 'pairs' $explained 'explained: cuda-nosat, rne' f16 pairs
says 'pairs' $explained 'input: pairs, pairs, f16 to e4m3, 65536 inputs' f16 pairs
cat pairs pairs > twice
says 'pairs twice' $explained 'input: twice, pairs, f16 to e4m3, 65536 inputs' f16 twice
status 'standard input' 0 sh -c '"$1" identify --from f16 --to e4m3 - < codes' sh "$softfp8"

# 448 and 500 with flags: what 500 gives shows in the code, infinity by the flags.
printf '# word code flags\n\n5f00 7e 00\n5fd0 7e 05\n7c00 7e 10\n' > pairs

# ---- step tables --------------------------------------------------------------------------------

"$make" steps good > steps
says 'a step table' $explained 'input: steps, a step table, f32 to e4m3, all 4294967296 inputs, with flags' \
    f32 steps
says 'the head of a step table' $explained '       (the file names the policy ocp; identify does not rely on it)' \
    f32 steps
status 'a step table names its formats' 0 "$softfp8" identify steps
# Every policy's own table from f32: named, its flags too, exactly on all inputs.
for policy in $policies; do
    "$softfp8" gen f32_to_e4m3 --steps --policy "$policy" -o table
    status "the table of $policy" 0 "$softfp8" identify --json table
    same "the table of $policy" 1 \
        "$(grep -c "^  {\"policy\": \"$policy\", \"round\": \"[a-z]*\", \"flags\": true}" out)"
done
# Infinity raises invalid in ocp, nothing in cuda-satfinite: the same codes, not the same flags.
"$softfp8" gen f32_to_e4m3 --steps --policy ocp -o table
"$softfp8" identify --json table > out
same 'flags tell ocp and cuda-satfinite apart' 'true false' \
    "$(sed -nE 's/.*"policy": "(ocp|cuda-satfinite)".*"flags": ([a-z]*).*/\2/p' out | tr '\n' ' ' | sed 's/ $//')"
# Row "7f800001 7f 00" is the NaNs; 7e would continue the row before.
sed 's/^7f800001 7f/7f800001 7e/' steps > changed
refuses 'a changed step table' 'changed:[0-9]+: expected a result that differs' "$softfp8" identify changed
sed 's/^7f800001 7f/7f800001 55/' steps > changed
refuses 'another row' 'changed:[0-9]+: expected the SHA-256 of all lines above; one was changed' \
    "$softfp8" identify changed
sed '$s/^# sha256: .*/# sha256/' steps > changed
refuses 'no digest' 'changed:[0-9]+: expected "# sha256: " and the 64' "$softfp8" identify changed
refuses 'another source' 'steps:2: the step table converts from f32, but --from is f16' \
    "$softfp8" identify --from f16 --to e4m3 steps
refuses 'another target' 'steps:2: the step table converts to e4m3, but --to is e5m2' \
    "$softfp8" identify --from f32 --to e5m2 steps
refuses 'pairs are no step table' 'pairs:1: expected' \
    "$softfp8" identify --from f16 --to e4m3 --input steps pairs

# ---- JSON ---------------------------------------------------------------------------------------

"$make" raw early > codes
status 'JSON' 1 "$softfp8" identify --from f16 --to e4m3 --json codes
same 'JSON of what is not explained' \
    '{"file": "codes", "from": "f16", "to": "e4m3", "input": "raw", "inputs": "65536",
"explained": false,
"fits": [],
"products": [],
"closest": {"policy": "ocp-nosat", "round": "rne", "differ": "128", "share": 0.00195312, "kinds": {"above-largest": "128"},
  "ranges": [
    {"first": "5f01", "last": "5f40", "inputs": "64", "got_first": "7f", "got_last": "7f", "expected_first": "7e", "expected_last": "7e", "kind": "above-largest"},
    {"first": "df01", "last": "df40", "inputs": "64", "got_first": "7f", "got_last": "7f", "expected_first": "fe", "expected_last": "fe", "kind": "above-largest"}]},
"reading": null,
"diagnosis": {"complete": true, "policy": "ocp-nosat", "round": "rne", "changes": [{"field": "overflow_test", "value": "exact", "words": "overflow is tested before rounding"}], "broken": "0",' \
    "$(sed '/^  "differ"/,$d' out)"
command -v python3 > /dev/null || echo "skipped: JSON read by another program: no python3"
for name in good fnuz $noise flush; do
    "$make" raw $name > codes
    want=1
    [ $name != good ] || want=0
    status "JSON of $name" $want "$softfp8" identify --from f16 --to e4m3 --json codes
    if command -v python3 > /dev/null; then
        tests=$((tests + 1))
        python3 -m json.tool out > tidy || failed "JSON of $name"
    fi
done
