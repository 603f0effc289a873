# SPDX-License-Identifier: MIT
# test_blocks.sh -- the block kernels on this processor, and where there is no GPU
. "$source/tools/softfp8/tests/common.sh"

# With sanitizers only kernels for codes of four bits run, and three others below.
which='blocks-*' many=60
[ "${SOFTFP8_TIER:-quick}" != short ] || which='blocks-*fp4-*' many=30
status 'every kernel against the library' 0 "$softfp8" conform --only "$which" --json report.json
same 'kernels' $many \
    "$(grep -c '"name": "blocks-.*"status": "passed".*"domain": "blocks"' report.json)"
same 'digests' $many "$(grep -cE '"name": "blocks-.*"digest": "[0-9a-f]{64}"' report.json)"

# digest NAME FILE
digest() { sed -nE "s,.*\"name\": \"$1\".*\"digest\": \"([0-9a-f]{64})\".*,\\1,p" "$2"; }

# Recipes differ from each other on these matrices, and tensors do.
differ() {
    tests=$((tests + 1))
    [ "$(digest "blocks-$1" report.json)" != "$(digest "blocks-$2" report.json)" ] ||
        failed "$1 is as $2"
}
differ quantize/nvfp4-te/bf16 quantize/nvfp4-vllm/bf16
differ quantize/mxfp4-floor/f32 quantize/mxfp4-even/f32
differ quantize/mxfp4-even/f16 quantize/mxfp4-rceil/f16
differ quantize/mxfp4-ceil/bf16 quantize/mxfp4-rceil/bf16
[ $many = 30 ] || differ quantize/mxfp8-e4m3-floor/f16 quantize/mxfp8-e5m2-floor/f16
differ dequantize/nvfp4-te/f32 dequantize/nvfp4-torchao/f32

# A record of these kernels made here and replayed here; a recorded digest that is not the right one
# now.
mx='blocks-quantize/mx*-even/bf16'
status 'a record' 0 "$softfp8" record --keep kernels --only "$mx"
same 'lines of cases' 3 \
    "$(grep -c '^blocks-quantize/.* group=blocks inputs=blocks:[0-9]* digest=' kernels/cases.txt)"
status 'its replay' 0 "$softfp8" conform --records kernels --only 'record/*' --json replay.json
same 'replayed' 3 "$(grep -c '"name": "record/kernels/blocks-.*"status": "passed"' replay.json)"
same 'what came then is what is right now' \
    "$(digest blocks-quantize/mxfp4-even/bf16 report.json)" \
    "$(digest record/kernels/blocks-quantize/mxfp4-even/bf16 replay.json)"

wrong=0000000000000000000000000000000000000000000000000000000000000000
sed -i "/mxfp4/s/digest=[0-9a-f]*/digest=$wrong/" kernels/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" kernels
status 'another digest' 1 "$softfp8" conform --records kernels --only 'record/*'
same 'is said' "  the result has the digest $wrong" "$(grep 'has the digest' out)"
sed -i '/mxfp4/s/blocks:[0-9]*/blocks:17/' kernels/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" kernels
status 'other matrices' 1 "$softfp8" conform --records kernels --only 'record/*'
same 'is said too' '  the suite now has other matrices' "$(grep 'matrices' out)"
