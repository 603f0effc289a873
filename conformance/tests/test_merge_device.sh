# SPDX-License-Identifier: MIT
# test_merge_device.sh -- the kernels that join parts of attention on this processor, their records
. "$source/tools/softfp8/tests/common.sh"

tier=quick
[ "${SOFTFP8_TIER-}" = full ] && tier=soak
status 'every rule against the library' 0 \
    "$softfp8" conform --tier $tier --only 'merge-device/*' --records none --json report.json
same 'seven rules, two kinds of words' 14 \
    "$(grep -c '"name": "merge-device/.*"status": "passed".*"domain": "parts"' report.json)"

# digest NAME FILE
digest() { sed -nE "s,.*\"name\": \"$1\".*\"digest\": \"([0-9a-f]{64})\".*,\\1,p" "$2"; }
same 'all of them differ' 14 \
    "$(grep -o '"digest": "[0-9a-f]*"' report.json | sort -u | wc -l)"

# All pairs of 24 lse with 20 outputs a part, with fma and without, each twice.
inputs() { sed -nE "s,.*\"name\": \"merge-device/$1\".*\"inputs\": ([0-9]+).*,\\1,p" report.json; }
tests=$((tests + 1))
[ "$(inputs fa3/bf16)" -gt $((4 * 576)) ] || failed 'pairs are missing'

# A record made here and replayed here; a recorded digest that is not the right one now; other rows.
status 'a record' 0 "$softfp8" record --keep joined --only 'merge-device/fa3/*'
same 'lines of cases' 2 \
    "$(grep -c '^merge-device/.* group=merge inputs=parts:[0-9]* digest=' joined/cases.txt)"
status 'its replay' 0 "$softfp8" conform --records joined --only 'record/*' --json replay.json
same 'replayed' 2 "$(grep -c '"name": "record/joined/merge-.*"status": "passed"' replay.json)"
[ $tier = soak ] || same 'what came then is what is right now' "$(digest merge-device/fa3/f32 report.json)" \
    "$(digest record/joined/merge-device/fa3/f32 replay.json)"
wrong=0000000000000000000000000000000000000000000000000000000000000000
sed -i "/f32/s/digest=[0-9a-f]*/digest=$wrong/" joined/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" joined
status 'another digest' 1 "$softfp8" conform --records joined --only 'record/*'
same 'is said' "  the result has the digest $wrong" "$(grep 'has the digest' out)"
sed -i '/f32/s/parts:[0-9]*/parts:17/' joined/cases.txt
"${softfp8%/*}/softfp8-test-mend_record" joined
status 'other parts' 1 "$softfp8" conform --records joined --only 'record/*'
same 'is said too' '  the suite now has other rows' "$(grep 'other rows' out)"
