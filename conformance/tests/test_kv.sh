# SPDX-License-Identifier: MIT
# test_kv.sh -- the kernels of KV caches on this processor, and their records
. "$source/tools/softfp8/tests/common.sh"

tier=quick
[ "${SOFTFP8_TIER-}" = full ] && tier=full
status 'every kernel against the library' 0 \
    "$softfp8" conform --tier $tier --only 'kv-[sg]*' --json report.json
same 'kernels by layouts' 166 \
    "$(grep -c '"name": "kv-.*"status": "passed".*"domain": "tokens"' report.json)"
same 'digests' 166 "$(grep -cE '"name": "kv-.*"digest": "[0-9a-f]{64}"' report.json)"

# digest NAME FILE
digest() { sed -nE "s,.*\"name\": \"$1\".*\"digest\": \"([0-9a-f]{64})\".*,\\1,p" "$2"; }

# Recipes, tensors and layouts differ from each other on these tokens.
differ() {
    tests=$((tests + 1))
    [ "$(digest "kv-$1" report.json)" != "$(digest "kv-$2" report.json)" ] || failed "$1 is as $2"
}
differ store/kv-vllm/bf16/nhd store/kv-vllm-scaled/bf16/nhd
differ store/kv-vllm/f32/nhd store/kv-nosat/f32/nhd
differ store/kv-vllm/f16/nhd store/kv-vllm/f16/hnd
differ store/kv-vllm/f16/hnd store/kv-vllm/f16/x-packed
differ store/kv-vllm/f16/columns store/kv-vllm/f16/x-packed
differ store/nvfp4-te/bf16/page-k store/nvfp4-te/bf16/page-v
differ gather/fp8-per-token-head/f16/nhd gather/int8-per-token-head/f16/nhd

# A record made here, replayed here; a digest that came then and is not right now.
some='kv-store/*-per-token-head/bf16/hnd'
status 'a record' 0 "$softfp8" record --out kernels --only "$some"
same 'lines of cases' 3 \
    "$(grep -c '^kv-store/.* group=kv inputs=tokens:[0-9]* digest=' kernels/cases.txt)"
status 'its replay' 0 "$softfp8" conform --records kernels --only 'record/*' --json replay.json
same 'replayed' 3 "$(grep -c '"name": "record/kernels/kv-.*"status": "passed"' replay.json)"
same 'what came then is what is right now' \
    "$(digest kv-store/int4-per-token-head/bf16/hnd report.json)" \
    "$(digest record/kernels/kv-store/int4-per-token-head/bf16/hnd replay.json)"

wrong=0000000000000000000000000000000000000000000000000000000000000000
sed -i "/int4/s/digest=[0-9a-f]*/digest=$wrong/" kernels/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" kernels
status 'another digest' 1 "$softfp8" conform --records kernels --only 'record/*'
same 'is said' "  what came has the digest $wrong" "$(grep 'what came' out)"
sed -i '/int4/s/tokens:[0-9]*/tokens:17/' kernels/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" kernels
status 'other tokens' 1 "$softfp8" conform --records kernels --only 'record/*'
same 'is said too' '  the suite has other tokens now' "$(grep 'other tokens' out)"
