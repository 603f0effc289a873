# SPDX-License-Identifier: MIT
# test_chain.sh -- the steps of the chain as kernels, on this processor
. "$source/tools/softfp8/tests/common.sh"

tier=quick
[ "${SOFTFP8_TIER-}" = full ] && tier=full
status 'every link against the library' 0 \
    "$softfp8" conform --tier $tier --only 'chain-device/*' --records none --json report.json
same 'nine of them' 9 \
    "$(grep -c '"name": "chain-device/.*"status": "passed".*"domain": "rows"' report.json)"

# inputs LINK: how many items the step had.
inputs() { sed -nE "s,.*\"name\": \"chain-device/$1\".*\"inputs\": ([0-9]+).*,\\1,p" report.json; }
same 'every amax of bf16, with 0, infinity and NaN' 32642 "$(inputs scale)"
same 'every value of bf16 by 3 scales, and those around 96 limits' $((3 * 65536 + 3 * 96)) "$(inputs cast)"
same 'ten sizes of six lists' 60 "$(inputs variance)"
same 'each four scores of six, three times' $((3 * 1296)) "$(inputs nan)"
same 'each code in a slot, three times' 768 "$(inputs cache)"
same 'each four logits of seven' 2401 "$(inputs argmax)"

# A step on the device has no record, and asking for none is no error.
status 'record leaves them out' 2 "$softfp8" record --keep records --only 'chain-device/*'
