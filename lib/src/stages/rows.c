/* SPDX-License-Identifier: MIT */
/* rows.c -- the stages of products, by name */
#include "softfp8_stages.h"
#include "text/names.h"

static const sf8_stage_row sf8_stage_rows[] = {
    {"vllm-rms-norm", "rms-norm w=w rstd=twice order=torch8 mid=bf16 via=bf16", "vLLM",
     "main at 00cba797", "vllm/model_executor/layers/layernorm.py, RMSNorm.forward_native",
     "from the source text", "the order of the sum is that of PyTorch on a CPU with AVX2"},
    {"sglang-rms-norm", "rms-norm w=w rstd=twice order=torch8 via=bf16", "SGLang",
     "main at 000fc1a8", "python/sglang/srt/layers/layernorm.py, RMSNorm.forward_native",
     "from the source text", "the order of the sum is that of PyTorch on a CPU with AVX2"},
};

enum { SF8_STAGE_ROWS = sizeof sf8_stage_rows / sizeof sf8_stage_rows[0] };

const sf8_stage_row *sf8_stage_at(size_t i)
{
    return i < SF8_STAGE_ROWS ? &sf8_stage_rows[i] : NULL;
}

const sf8_stage_row *sf8_stage_named(const char *name)
{
    for (size_t i = 0; i < SF8_STAGE_ROWS; i++)
        if (sf8_is_named(sf8_stage_rows[i].name, name))
            return &sf8_stage_rows[i];
    return NULL;
}
