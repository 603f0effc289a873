# SPDX-License-Identifier: MIT
# test_mma_cases.sh -- the instructions of matrix units, by their models on this processor
. "$source/tools/softfp8/tests/common.sh"
. "$source/conformance/tests/recorded.sh"

# rows PATTERN: how many cases passed, by the last report
rows() { grep -c "\"name\": \"$1\".*\"status\": \"passed\".*\"domain\": \"tiles\"" report.json; }

# With sanitizers only one pair of formats runs.
which='mma-directed/*n[86]*' many=63
[ "${SOFTFP8_TIER:-quick}" != short ] || which='mma-directed/*n[86]*/e4m3.e5m2/*' many=8
status 'directed rows' 0 "$softfp8" conform --only "$which" --records none --json report.json
same 'instructions' $many "$(rows 'mma-directed/.*')"
same 'digests' $many "$(grep -cE '"name": "mma-directed/.*"digest": "[0-9a-f]{64}"' report.json)"
# A in registers and in shared memory: the same results.
same 'ss and rs' "$(digest 'mma-directed/wgmma.m64n64k32/e4m3.e5m2/f16/ss' report.json)" \
    "$(digest 'mma-directed/wgmma.m64n64k32/e4m3.e5m2/f16/rs' report.json)"

# Sparse A: in registers and in shared memory too.
status 'sparse rows' 0 "$softfp8" conform --only 'mma-sparse/*n8k64*' --records none \
    --json report.json
same 'sparse' 16 "$(rows 'mma-sparse/.*')"
same 'sparse, ss and rs' "$(digest 'mma-sparse/wgmma.sp.m64n8k64/e4m3.e5m2/f32/ss' report.json)" \
    "$(digest 'mma-sparse/wgmma.sp.m64n8k64/e4m3.e5m2/f32/rs' report.json)"
# Products by cuBLASLt only run on a GPU.
status 'products' 3 "$softfp8" conform --only 'mma-gemm-*' --records none --json report.json
same 'products are not run' 96 "$(grep -c '"name": "mma-gemm-.*"status": "not_run"' report.json)"
same 'the missing dependency is named' 96 "$(grep -c '"name": "mma-gemm-.*no cuBLASLt on this processor' report.json)"

status 'single products' 0 "$softfp8" conform --only 'mma-single/*n8k32/e[45]m*.e4m3/f16*' \
    --records none --json report.json
same 'single' 7 "$(rows 'mma-single/.*')"
status 'sweeps' 0 "$softfp8" conform --only 'mma-[apr]*/mma.sync.m16n8k32/e5m2.e4m3/*' \
    --records none --json report.json
same 'kinds' 16 "$(rows 'mma-.*')"
status 'shards' 0 "$softfp8" conform --only 'mma-random/*/mma.sync.m16n8k16/e4m3.e4m3/f32' \
    --shard 2/3 --tier full --records none --json report.json
same 'a shard has every kind' 6 "$(rows 'mma-random/.*')"

# Replayed by the command alone, which runs the models.
replays 'mma-[ds]*/mma.sync.m16n8k*/e4m3.e5m2/f16' 4 mma tiles "${softfp8%-shim}"
status 'sweeps leave nothing' 0 "$softfp8" record --keep sweeps \
    --only 'mma-*/mma.sync.m16n8k16/e4m3.e5m2/f16'
same 'sweeps leave nothing' 2 "$(grep -c '^mma-' sweeps/cases.txt)"
wrong=$(printf %064d 0)
replay_changed "/^mma-single/s/digest=[0-9a-f]*/digest=$wrong/" 'another digest' 2 \
    ".*the result has the digest $wrong"
replay_changed 's/tiles:[0-9]*/tiles:17/; /^mma-/s/differ=[0-9]*/differ=0/' 'other tiles' 4 \
    'the suite now has other tiles'

# Where there is no GPU they are counted as skipped.
real=${softfp8%-shim}
if ! "$real" conform --only 'mma-directed/*/e4m3.e4m3/f16/rs/neg-b' > out 2> err < /dev/null ||
    ! grep -q '1 passed' out; then
    same 'not run' 1 "$(grep -cE '0 passed, 0 failed, 0 known, 1 skipped' out)"
fi
finish
