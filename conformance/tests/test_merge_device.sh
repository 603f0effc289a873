# SPDX-License-Identifier: MIT
# test_merge_device.sh -- the kernels that join parts of attention on this processor, their records
. "$source/tools/softfp8/tests/common.sh"
. "$source/conformance/tests/recorded.sh"

tier=quick
[ "${SOFTFP8_TIER-}" = full ] && tier=soak
status 'every rule against the library' 0 \
    "$softfp8" conform --tier $tier --only 'merge-device/*' --records none --json report.json
same 'seven rules, two kinds of words' 14 \
    "$(grep -c '"name": "merge-device/.*"status": "passed".*"domain": "parts"' report.json)"

same 'all of them differ' 14 \
    "$(grep -o '"digest": "[0-9a-f]*"' report.json | sort -u | wc -l)"

# All pairs of 24 lse with 20 outputs a part, with fma and without, each twice.
inputs() { sed -nE "s,.*\"name\": \"merge-device/$1\".*\"inputs\": ([0-9]+).*,\\1,p" report.json; }
tests=$((tests + 1))
[ "$(inputs fa3/bf16)" -gt $((4 * 576)) ] || failed 'pairs are missing'

replays 'merge-device/fa3/*' 2 merge parts "$softfp8"
[ $tier = soak ] || as_then merge-device/fa3/f32
replay_changed '/f32/s/parts:[0-9]*/parts:17/' 'other parts' 1 'the suite now has other rows'
