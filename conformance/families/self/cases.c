/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the library itself about KV caches, against known answers */
#include "families/self/self.h"

#define CASE(what)                                                                                 \
    {                                                                                              \
        .name = "self/" what, .subject = what                                                      \
    }

static const conform_case rows[] = {
    CASE("codes/div_vs_recip"),
    CASE("codes/recipes_matrix"),
    CASE("codes/fast_dequant"),
    CASE("codes/boundary_vectors"),
    CASE("codes/e2m1"),
    CASE("codes/e2m1_casts"),
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
    CASE("store/x_packed_covers_all_bytes"),
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
    CASE("attend/ref_fixed_order"),
    CASE("attend/splits_equiv"),
    CASE("attend/split_bf16_partial"),
    CASE("attend/cascade_equiv"),
    CASE("attend/batch_invariance"),
    CASE("attend/prefix_hit_equals_cold"),
    CASE("attend/chunked_equals_whole"),
    CASE("attend/scales_of_k_and_v_differ"),
    CASE("attend/descale_per_head"),
    CASE("attend/weights_in_e4m3_times_256"),
    CASE("attend/exact_integer"),
    CASE("attend/uniform"),
    CASE("attend/long_accumulate"),
    CASE("attend/e5m2_bound"),
    CASE("merge/golden"),
    CASE("merge/fma_order"),
    CASE("merge/lse_base"),
    CASE("merge/assoc"),
    CASE("merge/passthrough"),
    CASE("poison/unused_slots"),
    CASE("poison/null_block"),
    CASE("poison/masked_future"),
    CASE("poison/one_key"),
    CASE("poison/neighbour_isolation"),
    CASE("poison/slot_reuse"),
    CASE("poison/launder"),
    CASE("poison/fa_finalize"),
    CASE("poison/split_hides"),
};

static void cases(case_list *list)
{
    case_list_rows(list, rows, sizeof rows / sizeof rows[0]);
}

const conform_family self_family = {.name = "self",
                                    .inputs = "rows",
                                    .subjects = "the library's",
                                    .against = "known answers",
                                    .cases = cases,
                                    .run = self_run};
