/* SPDX-License-Identifier: MIT */
/* rows.c -- the stages of products, by name
 *
 * They are written for tensors of bf16; mid=f16 via=f16 makes them those for f16. Where a kernel's
 * order of a sum is not known, or depends on the launch, the order is `any`.
 */
#include "softfp8_stages.h"
#include "text/names.h"

/* What ran was the product's function, retyped, not its file. */
#define SF8_RAN_TORCH(inputs)                                                                      \
    "ran on a CPU: its operations in PyTorch 2.15.0, " inputs                                      \
    " results in each of bf16, f16 and f32, 0 differ, 2026-11-30"
#define SF8_RAN_HALF(inputs)                                                                       \
    "ran on a CPU: its operations in PyTorch 2.15.0, " inputs                                      \
    " results in each of bf16 and f16, 0 differ, 2026-11-30"
#define SF8_READ "source: as it stands there; it was not run"
#define SF8_ORDER_ON_A_GPU "the order of the sum is that of PyTorch on a CPU, not on a GPU"
#define SF8_EXP_IN_F32                                                                             \
    "in f32, e^x on a CPU is off by one number of f32 at most: all of 180,320 results lie in the " \
    "intervals of ulps=1"
#define SF8_VLLM_NORMS "vllm/model_executor/layers/layernorm.py, "
#define SF8_SGLANG_NORMS "python/sglang/srt/layers/layernorm.py, "
#define SF8_SGLANG_ACTIVATIONS "python/sglang/srt/layers/activation.py, "

static const sf8_stage_row sf8_stage_rows[] = {
    {"vllm-rms-norm", "rms-norm w=w rstd=twice order=torch8 mid=bf16 via=bf16", "vLLM",
     "main at 00cba797", SF8_VLLM_NORMS "RMSNorm.forward_native", SF8_RAN_TORCH("1,692,032"),
     SF8_ORDER_ON_A_GPU},
    {"vllm-add-rms-norm", "add | rms-norm w=w rstd=twice order=torch8 mid=bf16 via=bf16", "vLLM",
     "main at 00cba797", SF8_VLLM_NORMS "RMSNorm.forward_native with a residual",
     SF8_RAN_TORCH("1,692,032"), SF8_ORDER_ON_A_GPU},
    {"vllm-gemma-rms-norm", "rms-norm w=w weight=w+1 rstd=twice order=torch8 via=bf16", "vLLM",
     "main at 00cba797", SF8_VLLM_NORMS "GemmaRMSNorm.forward_static", SF8_RAN_TORCH("1,692,032"),
     SF8_ORDER_ON_A_GPU},
    {"vllm-gemma-add-rms-norm",
     "add via=bf16 | rms-norm w=w weight=w+1 rstd=twice order=torch8 via=bf16", "vLLM",
     "main at 00cba797", SF8_VLLM_NORMS "GemmaRMSNorm.forward_static with a residual, not of f16",
     SF8_RAN_TORCH("1,692,032"), SF8_ORDER_ON_A_GPU},
    {"vllm-rms-norm-static-fp8", "rms-norm w=w order=1024x1 fuse=sum ulps=2 mid=bf16 via=bf16",
     "vLLM", "main at 0112cf23",
     "csrc/layernorm_quant_kernels.cu, rms_norm_static_fp8_quant_kernel", SF8_READ,
     "in which order CUB adds the threads"},
    {"vllm-add-rms-norm-static-fp8",
     "add via=bf16 | rms-norm w=w order=any depth=64 ulps=2 mid=bf16 via=bf16", "vLLM",
     "main at 0112cf23",
     "csrc/layernorm_quant_kernels.cu, fused_add_rms_norm_static_fp8_quant_kernel", SF8_READ,
     "the block has 256 or 1,024 threads, which depends on the number of rows"},
    {"vllm-rms-norm-per-token", "rms-norm w=w order=1024x4 fuse=sum ulps=2 mid=bf16 via=bf16",
     "vLLM", "main at 0112cf23",
     "csrc/quantization/fused_kernels/layernorm_utils.cuh, rows of a multiple of 4 elements",
     SF8_READ, "in which order CUB adds the threads"},
    {"vllm-add-rms-norm-per-token",
     "add | rms-norm w=w order=1024x4 fuse=sum ulps=2 mid=bf16 via=bf16", "vLLM",
     "main at 0112cf23",
     "csrc/quantization/fused_kernels/layernorm_utils.cuh, with a residual, which is added in f32",
     SF8_READ, "in which order CUB adds the threads"},
    {"vllm-silu-mul-static-fp8", "silu-gate ulps=2 mid=bf16 via=bf16", "vLLM", "main at 008b7250",
     "csrc/quantization/activation_kernels.cu, act_and_mul_quant_kernel", SF8_READ, ""},
    {"sglang-rms-norm", "rms-norm w=w rstd=twice order=torch8 via=bf16", "SGLang",
     "main at 000fc1a8", SF8_SGLANG_NORMS "RMSNorm.forward_native", SF8_RAN_TORCH("1,692,032"),
     SF8_ORDER_ON_A_GPU},
    {"sglang-add-rms-norm", "add | rms-norm w=w rstd=twice order=torch8 via=bf16", "SGLang",
     "main at 000fc1a8", SF8_SGLANG_NORMS "RMSNorm.forward_native with a residual",
     SF8_RAN_TORCH("1,692,032"), SF8_ORDER_ON_A_GPU},
    {"sglang-silu-mul", "silu-gate mid=bf16 via=bf16", "SGLang", "main at 0099dee6",
     SF8_SGLANG_ACTIVATIONS "SiluAndMul.forward_native", SF8_RAN_HALF("846,016"), SF8_EXP_IN_F32},
    {"sglang-gelu-tanh-mul", "gelu-tanh-gate mid=bf16 via=bf16", "SGLang", "main at 0099dee6",
     SF8_SGLANG_ACTIVATIONS "GeluAndMul.forward_native",
     "ran on a CPU: its operations in PyTorch 2.15.0, 846,016 results of bf16, of which 781 "
     "differ, "
     "2026-11-30",
     "PyTorch computes tanh with an error: all of 180,320 results lie in the intervals of ulps=2"},
    {"sglang-relu2", "relu2 mid=bf16 via=bf16", "SGLang", "main at 0099dee6",
     SF8_SGLANG_ACTIVATIONS "ReLU2.forward_native", SF8_RAN_TORCH("1,692,032"), ""},
    {"gpt-oss-swiglu", "swiglu-clamp mid=bf16 via=bf16", "gpt-oss", "main at 0568dfc9",
     "gpt_oss/torch/model.py, swiglu, in eager mode, which rounds after each operation",
     SF8_RAN_HALF("846,016"), SF8_EXP_IN_F32},
    {"flashinfer-rms-norm-fp8", "rms-norm w=w order=any depth=32 ulps=2", "FlashInfer",
     "main at 09928cf3", "include/flashinfer/norm.cuh, RMSNormQuantKernel: f32 up to the quantizer",
     SF8_READ, ""},
    {"trtllm-rms-norm", "rms-norm w=w order=any depth=64 ulps=2 via=bf16", "TensorRT-LLM",
     "main at 06255cb7", "cpp/tensorrt_llm/kernels/rmsnormKernels.cu, generalRmsNorm", SF8_READ,
     "with beta; in rows that do not fit into shared memory, codes of scales per token come of "
     "f32"},
    {"te-mxfp8-swiglu", "silu-gate form=product ulps=2 via=bf16", "Transformer Engine",
     "main at 0321f72c", "transformer_engine/common/util/math.h, and the gated kernel of MXFP8",
     SF8_READ, "the commit of the kernel that was read is not known"},
    {"te-mxfp8-srelu", "relu2 via=bf16", "Transformer Engine", "main at 0321f72c",
     "transformer_engine/common/util/math.h, and the kernel of MXFP8 with an activation", SF8_READ,
     "the commit of the kernel that was read is not known"},
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
