# SPDX-License-Identifier: MIT
# test_caches.sh -- the cases about KV caches that need no device
. "$source/tools/softfp8/tests/common.sh"

codes='boundary_vectors div_vs_recip e2m1 e2m1_casts e2m1_nibble e8m0_modes fast_dequant recipes_matrix'
scale='calc_200_100 ds_mla indexer_ue8m0 nvfp4_global per_token_head sf_underflow_overflow zero_block
zero_nan_inf_amax'
store='auto_dtype_bits layout_nhd_hnd per_head_scale slot_mapping strided_input x_packed_covers_all_bytes'
policy='bytes_per_token cascade_gate num_splits prefix_hit_equals_cold scale_calibration_trace
scale_mirror scale_roundtrip transfer_metadata'
attend='batch_invariance cascade_equiv chunked_equals_whole descale_per_head e5m2_bound exact_integer
long_accumulate prefix_hit_equals_cold ref_fixed_order scales_of_k_and_v_differ split_bf16_partial
splits_equiv uniform weights_in_e4m3_times_256'
merge='assoc fma_order golden lse_base passthrough'
poison='fa_finalize launder masked_future neighbour_isolation null_block one_key slot_reuse split_hides
unused_slots'

# family NAME INPUTS CASES...: these cases have this number of inputs together, and every case
# passes.
family() {
    name=self/$1 inputs=$2
    shift 2
    status "$name" 0 "$softfp8" conform --only "$name/*" --records none --json report.json
    same "$name, listed" "$*" \
        "$("$softfp8" conform --list --only "$name/*" | sed "s,$name/\([^ ]*\) .*,\1," | sort | xargs)"
    for case in "$@"; do
        same "$name/$case" 1 \
            "$(grep -c "\"name\": \"$name/$case\", \"status\": \"passed\"" report.json)"
    done
    same "$name, where" $# "$(grep -c '"place": "self"' report.json)"
    same "$name, words" "$inputs" "$(sed -nE "s,.*\"name\": \"$name/.*\"inputs\": ([0-9]+).*,\1,p" \
        report.json | awk '{ sum += $1 } END { print sum }')"
}
# shellcheck disable=SC2086
family codes 1142 $codes
# shellcheck disable=SC2086
family scale 350 $scale
# shellcheck disable=SC2086
family store 346 $store
# shellcheck disable=SC2086
family policy 2086 $policy
# shellcheck disable=SC2086
family attend 2804 $attend
# shellcheck disable=SC2086
family merge 199 $merge
# shellcheck disable=SC2086
family poison 8646 $poison
