# SPDX-License-Identifier: MIT
# test_record_counts.sh -- pages say how many cases the record of the H100 has: what a script counts
#
# $softfp8 is the command.
counts=$source/conformance/records/counts
"$counts" "$softfp8" "$source/conformance/records/h100" > counted
while read -r name number; do
    eval "n_$(echo "$name" | tr - _)=\$number"
done < counted
# Named by the lines of `counted`.
# shellcheck disable=SC2154
lost="$n_kv_store $n_kv_gather $n_attend_device"
# shellcheck disable=SC2154
same 'nothing else is missing' "$n_lacks $lost" \
    "$(sed '1,4d' counted | awk '{ n += $2; s = s " " $2 } END { print n s }')"

# says PAGE TEXT: the page has this text, wherever its lines break.
says() {
    tests=$((tests + 1))
    tr '\n' ' ' < "$source/$1" | sed 's/  */ /g' | grep -qF -- "$2" || failed "$1 does not say: $2"
}
# shellcheck disable=SC2154
{
    says README.md "Its record has $n_has of the $n_can cases that an H100 can run"
    says README.md "The other $n_lacks were never compared on a GPU"
    says CHANGELOG.md "$n_has of the $n_can cases that an H100 can run, no difference."
    says conformance/records/README.md "$n_has of the $n_can cases that it can run; $n_kv_store \
stores and $n_kv_gather gathers of 4-bit caches are missing, and $n_attend_device kernels of attention"
    says docs/gpu.md "$n_elsewhere conversions are compiled for another GPU. The kernels of $n_lacks cases"
    says docs/guides/run-on-gpu.md "An H100 has run $n_can cases"
    says docs/guides/run-on-gpu.md "$n_lacks of them have kernels that are newer"
    says docs/internals/kernels.md "kernels of $n_lacks cases have changed: $n_kv_store stores of bf16 \
to 4 bits, $n_kv_gather gathers of 4 bits to bf16 and f16, and $n_attend_device of attention"
    says docs/benchmarks/h100.md "$n_elsewhere more cases are conversions that are compiled for"
    says docs/benchmarks/h100.md "has $n_has of the other $n_can, and lacks $n_lacks."
    says docs/benchmarks/h100.md "- $n_kv_gather read 4-bit caches"
    says docs/benchmarks/h100.md "- $n_kv_store store bf16 to 4 bits"
    says docs/benchmarks/h100.md "- $n_attend_device are attention over"
}

# A record without some cases: they are counted, in the order of the suite.
mkdir small
grep -vE '^(merge-device/vllm/f32|kv-store/copy16/nhd|ptx/cvt.rn.satfinite.e4m3x2.f32) ' \
    "$source/conformance/records/h100/cases.txt" > small/cases.txt
"$counts" "$softfp8" small > fewer
same 'fewer' "lacks $((n_lacks + 2)) merge-device 1" \
    "$(grep ^lacks fewer) $(grep ^merge-device fewer)"
same 'another kernel of a store' "kv-store $((n_kv_store + 1))" "$(grep ^kv-store fewer)"
same 'an instruction of another target' "elsewhere $((n_elsewhere + 1))" "$(grep ^elsewhere fewer)"
