# SPDX-License-Identifier: MIT
# test_shim.sh -- the cases of the device, with their kernels run on this processor
#
# Only instructions are replaced, by models. Inputs, lanes, packing, the reduction to rows, the
# sums, and the oracle beside the subject are those of the device.
. "$source/tools/softfp8/tests/common.sh"

digests() {
    sed -nE 's/^ *\{"name": "'"$2"'\/([^"]*)".*"digest": "([0-9a-f]{64})".*/\1 \2/p' "$1"
}

# With sanitizers only one format runs.
which='cuda-[hd]*' many=363
[ "${SOFTFP8_TIER:-quick}" != short ] || which='cuda-[hd]*/*e4m3*' many=59
status 'the headers' 0 "$softfp8" conform --only "$which" --json report.json
digests report.json cuda-host > host
digests report.json cuda-device > device
same 'cases with a digest' $many "$(wc -l < host | tr -d ' ')"
same_file 'what the CPU paths gave <, what the kernels gave >' host device

# The instructions: of the 60 rows with a random number, those of one number.
status 'instructions' 0 "$softfp8" conform --only 'ptx/cvt.r[nzp]*' --json report.json
same 'instructions' 35 "$(digests report.json ptx | wc -l | tr -d ' ')"
status 'stochastic rounding' 0 "$softfp8" conform --only 'ptx/cvt.rs*/rbits=12345678' --json rs.json
same 'stochastic rounding' 10 "$(digests rs.json ptx | wc -l | tr -d ' ')"

# An instruction and the function that is built on it: the same codes.
digests report.json ptx | sed -n 's/^cvt.rn.satfinite.e4m3x2.f32 //p' > ptx
sed -n 's,^float2_to_fp8x2/e4m3/satfinite ,,p' host > function
same_file 'float2_to_fp8x2 <, its instruction >' function ptx
# Pairs and single values have the same inputs.
sed -n 's,^float_to_fp8/e4m3/satfinite ,,p' host > single
same_file 'float2_to_fp8x2 <, float_to_fp8 >' function single
# relu changes something.
digests report.json ptx | sed -n 's/^cvt.rn.satfinite.relu.e4m3x2.f32 //p' > relu
tests=$((tests + 1))
cmp -s relu ptx && failed 'relu gives the same codes'

status 'no GPU is a record of none' 0 "$softfp8" conform --only 'ptx/cvt.rn.f16x2.e4m3x2'
