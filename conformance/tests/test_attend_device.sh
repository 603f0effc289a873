# SPDX-License-Identifier: MIT
# test_attend_device.sh -- the kernels of attention on this processor, and their records
. "$source/tools/softfp8/tests/common.sh"
. "$source/conformance/tests/recorded.sh"

# Every kernel: caches, sums, rows; in the full tier every batch in every way. With sanitizers only
# kernels of one cache and eight rows run, and there is no record.
tier=quick only='attend-device/*' cases=27
case ${SOFTFP8_TIER-} in
full) tier=soak ;;
short) only='attend-device/nvfp4/*/8' cases=3 ;;
esac
status 'kernels against the library' 0 \
    "$softfp8" conform --tier $tier --only "$only" --records none --json report.json
same 'kernels' $cases \
    "$(grep -c '"name": "attend-device/.*"status": "passed".*"domain": "queries"' report.json)"

# A sourced script ends by `return`.
[ "${SOFTFP8_TIER-}" != short ] || return 0

# The sums differ from each other on these requests. The number of rows at once has no effect.
exact=$(digest attend-device/nvfp4/exact/8 report.json)
f16=$(digest attend-device/nvfp4/mma-f16/8 report.json)
bf16=$(digest attend-device/nvfp4/mma-bf16/8 report.json)
tests=$((tests + 1))
[ -n "$exact" ] && [ "$exact" != "$f16" ] && [ "$exact" != "$bf16" ] && [ "$f16" != "$bf16" ] ||
    failed 'sums are alike'
same '8 rows and 32, f16' "$f16" "$(digest attend-device/nvfp4/mma-f16/32 report.json)"
same '8 rows and 32, bf16' "$bf16" "$(digest attend-device/nvfp4/mma-bf16/32 report.json)"

replays 'attend-device/nvfp4/*/8' 3 attend queries "$softfp8"
as_then attend-device/nvfp4/mma-f16/8
sed -i '/mma-f16/s/ #.*/ 524288:2147483648:500000:400000:490000:0/' kept/seconds.txt
replay_changed '/exact/s/queries:[0-9]*/queries:17/' 'other requests' 1 \
    'the suite now has other requests'
same 'a speed' 1 "$(grep -c '524288 keys: 500.0 us, 4.29 TB/s, 80 % of a copy (goal 70), 1.020 of the time in any order (goal 1.05)' replay.json)"

# GPUs of sm_89 and sm_120 have 99 KiB of shared memory for a block. Kernels that need more are
# skipped, with both numbers; nothing is broken, and the others pass.
status 'less shared memory' 3 env SOFTFP8_SHIM_SHARED=101376 "$softfp8" conform \
    --only 'attend-device/bf16/*' --records none
same 'two kernels pass' '2 passed, 0 failed, 0 known, 3 skipped' "$(tail -n 1 out)"
for needs in 157232 152624 103568; do
    same "one needs $needs" "skipped: attend-device, 1 case: needs $needs bytes of shared memory in a \
block, the GPU has 101376" "$(grep " $needs " out)"
done
status 'one that was asked for' 3 env SOFTFP8_SHIM_SHARED=103567 "$softfp8" conform \
    --only 'attend-device/bf16/mma-bf16/32' --records none
status 'as much as it needs' 0 env SOFTFP8_SHIM_SHARED=103568 "$softfp8" conform \
    --only 'attend-device/bf16/mma-bf16/32' --records none
