/* SPDX-License-Identifier: MIT */
/* caches.c -- rows: caches of keys and values, on this processor */
#include "cases.h"

#define CASE(subject)                                                                              \
    {                                                                                              \
        subject, subject, PLACE_CACHES, DOMAIN_ROWS, {{NULL, NULL, NULL}}, 0, NULL, SLICES_NONE, 0 \
    }

const conform_case caches_cases[] = {
    CASE("codes/div_vs_recip"),
    CASE("codes/recipes_matrix"),
    CASE("codes/fast_dequant"),
    CASE("codes/boundary_vectors"),
    CASE("codes/e2m1"),
    CASE("codes/e2m1_nibble"),
    CASE("codes/e8m0_modes"),
    CASE("scale/calc_200_100"),
    CASE("scale/zero_nan_inf_amax"),
    CASE("scale/per_token_head"),
    CASE("scale/ds_mla"),
    CASE("scale/indexer_ue8m0"),
    CASE("scale/nvfp4_global"),
    CASE("scale/sf_underflow_overflow"),
    CASE("scale/zero_block"),
    CASE("store/slot_mapping"),
    CASE("store/xpacked_full_coverage"),
    CASE("store/layout_nhd_hnd"),
    CASE("store/per_head_scale"),
    CASE("store/auto_dtype_bits"),
    CASE("store/strided_input"),
    CASE("policy/scale_roundtrip"),
    CASE("policy/scale_mirror"),
    CASE("policy/scale_calibration_trace"),
    CASE("policy/prefix_hit_equals_cold"),
    CASE("policy/transfer_metadata"),
    CASE("policy/cascade_gate"),
    CASE("policy/num_splits"),
    CASE("policy/bytes_per_token"),
};
const size_t caches_count = sizeof caches_cases / sizeof caches_cases[0];
