# SPDX-License-Identifier: MIT
# test_blocks.sh -- the block kernels on this processor, and where there is no GPU
. "$source/tools/softfp8/tests/common.sh"
. "$source/conformance/tests/recorded.sh"

# With sanitizers only kernels for codes of four bits run, and three others below.
which='blocks-*' many=60
[ "${SOFTFP8_TIER:-quick}" != short ] || which='blocks-*fp4-*' many=30
status 'every kernel against the library' 0 "$softfp8" conform --only "$which" --json report.json
same 'kernels' $many \
    "$(grep -c '"name": "blocks-.*"status": "passed".*"domain": "blocks"' report.json)"
same 'digests' $many "$(grep -cE '"name": "blocks-.*"digest": "[0-9a-f]{64}"' report.json)"

# Recipes differ from each other on these matrices, and tensors do.
differ blocks-quantize/nvfp4-te/bf16 blocks-quantize/nvfp4-vllm/bf16
differ blocks-quantize/mxfp4-floor/f32 blocks-quantize/mxfp4-even/f32
differ blocks-quantize/mxfp4-even/f16 blocks-quantize/mxfp4-rceil/f16
differ blocks-quantize/mxfp4-ceil/bf16 blocks-quantize/mxfp4-rceil/bf16
[ $many = 30 ] || differ blocks-quantize/mxfp8-e4m3-floor/f16 blocks-quantize/mxfp8-e5m2-floor/f16
differ blocks-dequantize/nvfp4-te/f32 blocks-dequantize/nvfp4-torchao/f32

replays 'blocks-quantize/mx*-even/bf16' 3 blocks blocks "$softfp8"
as_then blocks-quantize/mxfp4-even/bf16
replay_changed '/mxfp4/s/blocks:[0-9]*/blocks:17/' 'other matrices' 1 \
    'the suite now has other matrices'
