# SPDX-License-Identifier: MIT
# test_kv.sh -- the kernels of KV caches on this processor, and their records
. "$source/tools/softfp8/tests/common.sh"
. "$source/conformance/tests/recorded.sh"

# Every kernel and every layout, in the full tier all pairs of them.
tier=quick cases=156
only='bf16/nhd bf16/page-* bf16/token bf16/ds-mla bf16/indexer kv-vllm/*/mla f16/hnd f16/x-packed
f32/columns f32/token-hnd copy*/nhd'
[ "${SOFTFP8_TIER-}" != full ] || tier=full cases=509 only='*'
: > report.json
set -f
for pattern in $only; do
    status "kernels against the library: $pattern" 0 \
        "$softfp8" conform --tier $tier --only "kv-[sg]*/$pattern" --json part.json
    cat part.json >> report.json
done
set +f
same 'kernels by layouts' $cases \
    "$(grep -c '"name": "kv-.*"status": "passed".*"domain": "tokens"' report.json)"
same 'digests' $cases "$(grep -cE '"name": "kv-.*"digest": "[0-9a-f]{64}"' report.json)"

# Recipes, tensors and layouts differ from each other on these tokens.
differ kv-store/kv-vllm/bf16/nhd kv-store/kv-vllm-scaled/bf16/nhd
differ kv-store/kv-vllm/bf16/nhd kv-store/kv-nosat/bf16/nhd
differ kv-store/kv-sglang-f16/f16/hnd kv-store/kv-trtllm-f16/f16/hnd
differ kv-store/kv-vllm-indexer/bf16/indexer kv-store/kv-vllm-indexer-ue8m0/bf16/indexer
differ kv-store/kv-vllm/f16/hnd kv-store/kv-vllm/f16/x-packed
differ kv-store/kv-vllm/f32/columns kv-store/kv-vllm-e5m2/f32/columns
differ kv-store/nvfp4-te/bf16/page-k kv-store/nvfp4-te/bf16/page-v
differ kv-gather/fp8-per-token-head-interpreted/f16/hnd kv-gather/int8-per-token-head-interpreted/f16/hnd
differ kv-gather/kv-vllm/f16/hnd kv-gather/kv-flashinfer/f16/hnd

# NaN alone would distinguish kv-vllm-scaled. Of the finite values of bf16 30 are stored differently
# with the scale 3b1db6db, which both cases have: there the division is a tie. They were counted by
# a program of plain float.
# stored RECIPE: the codes of all values except NaN and infinities.
stored() {
    "$softfp8" quantize --recipe "$1" --global-scale 3b1db6db --from bf16 --shape 1,65280 \
        --codes "$1.codes" --scales scale finite > /dev/null 2>&1
}
octals() {
    awk 'BEGIN { for (i = 0; i < 65536; i++) if (int(i / 128) % 256 != 255)
        printf "\\%03o\\%03o", i % 256, int(i / 256) }'
}
octals | fold -w 8000 | while IFS= read -r octal || [ -n "$octal" ]; do
    # shellcheck disable=SC2059
    printf "$octal"
done > finite
same 'finite words' 130560 "$(wc -c < finite | tr -d ' ')"
stored kv-vllm
stored kv-vllm-scaled
same 'finite words that are stored otherwise' 30 \
    "$(cmp -l kv-vllm.codes kv-vllm-scaled.codes | wc -l | tr -d ' ')"

replays 'kv-store/*-per-token-head-interpreted/bf16/nhd' 3 'kv[a-z]*' tokens "$softfp8"
as_then kv-store/int4-per-token-head-interpreted/bf16/nhd

# The speed of a kernel on a GPU is recorded after its seconds, and shown by a replay; that of this
# processor is not kept.
same 'no speed' '' "$(grep :.*: kept/seconds.txt)"
sed -i '/int8/s/ #.*/ 4096:12000000:4000:3400:5000:0/' kept/seconds.txt
"${softfp8%/*}/softfp8-test-mend_record" kept
status 'a speed' 0 "$softfp8" conform --records kept --only 'record/*' --json speed.json
same 'is shown' 1 "$(grep -c '4096 tokens: 4.0 us, 3.00 TB/s, 85 % of a copy, unconverted values 5.0; goals: 85 % of a copy reached, no slower than unconverted values reached' speed.json)"

wrong=$(printf %064d 0)
replay_changed "/int4/s/digest=[0-9a-f]*/digest=$wrong/" 'another digest' 1 \
    "the result has the digest $wrong"
replay_changed '/int4/s/tokens:[0-9]*/tokens:17/' 'other tokens' 1 'the suite now has other tokens'
