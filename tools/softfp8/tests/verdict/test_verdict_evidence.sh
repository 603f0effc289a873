# SPDX-License-Identifier: MIT
# test_verdict_evidence.sh -- what a GPU computes and what an interpreter computes have a row each,
# and each row says how it is known

# stored RECIPE: the scale of 1.015625 and 0.5. On a GPU vLLM's kernel multiplies by 3b124925, which
# is 1/448 rounded; its interpreter divides by 448. 1.015625 * 3b124925 is 3b14924a.
stored() {
    "$softfp8" explain --recipe "$1" 1.015625 0.5 | sed -n 's/^  stored *\([0-9a-f]*\) .*/\1/p' |
        head -n 1
}
same 'on a GPU' 3b14924a "$(stored fp8-per-token-head)"
same 'in the interpreter' 3b149249 "$(stored fp8-per-token-head-interpreted)"
# 1.1171875 is a mantissa of bf16 where 1/127 rounded and the division differ; NumPy's f32 says so.
same 'int8 on a GPU' 3c102040 "$("$softfp8" explain --recipe int8-per-token-head 1.1171875 |
    sed -n 's/^  stored *\([0-9a-f]*\) .*/\1/p')"

for format in fp8 int8 int4; do
    row=$("$softfp8" recipes "$format-per-token-head")
    same "$format: nothing ran on a GPU" '1 0' \
        "$(echo "$row" | grep -c '^  evidence    machine code: .*sm_90.*, not run$') $(echo "$row" | grep -c 'ran ')"
    same "$format: the interpreter ran" 1 "$("$softfp8" recipes "$format-per-token-head-interpreted" |
        grep -c '^  evidence    ran interpreted: vLLM 0.33.0, .*, 0 differences, ')"
done

# Every row of every table says how it is known, in one of five ways.
ways='"(read|interpreted|compiled for a CPU|on a CPU|on a GPU)"'
for table in recipes policies; do
    "$softfp8" "$table" --json > rows.json
    same "$table: each row says how" "$(grep -c '"evidence"' rows.json)" \
        "$(grep -cE "\"how\": $ways" rows.json)"
    same "$table: nothing just ran" 0 "$(grep -cE '"evidence": "(.*; )?(ran|verified): ' rows.json)"
done
"$softfp8" recipes > list
same 'the list says how' 0 "$(grep -cE ' (ran|verified) {2,}' list)"
has_row() { tests=$((tests + 1)); grep -qE "$2" list || failed "$1: $(grep "^$3 " list)"; }
has_row 'Triton source' '^fp8-group128-vllm-triton .* verified interpreted ' fp8-group128-vllm-triton
has_row 'CUDA source' '^nvfp4-flashinfer .* verified compiled for a CPU ' nvfp4-flashinfer
has_row 'code for a CPU' '^nvfp4-torchao .* verified on a CPU ' nvfp4-torchao
# Two products, each beside its own version.
has_row 'two products' '^mxfp4-floor .* OCP MX 1\.0, torchao 36027d8, which is not released$' mxfp4-floor
