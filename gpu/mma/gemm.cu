/* SPDX-License-Identifier: MIT */
/* gemm.cu -- products of matrices by cuBLASLt
 *
 * The library has half a gigabyte, so that this program does not link it: only its header is needed
 * to build. The library is loaded when the first product is computed.
 */
#include "device.h"
#include "mma/cublaslt.h"
#include "shim.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace
{

constexpr size_t workspace_bytes = size_t{32} << 20;

/* ---- the library ----------------------------------------------------------------------------- */

/* Its functions, with the types of the header. */
#define FUNCTIONS(X)                                                                               \
    X(cublasLtGetVersion)                                                                          \
    X(cublasLtGetStatusName)                                                                       \
    X(cublasLtCreate)                                                                              \
    X(cublasLtDestroy)                                                                             \
    X(cublasLtMatmul)                                                                              \
    X(cublasLtMatmulDescCreate)                                                                    \
    X(cublasLtMatmulDescDestroy)                                                                   \
    X(cublasLtMatmulDescSetAttribute)                                                              \
    X(cublasLtMatrixLayoutCreate)                                                                  \
    X(cublasLtMatrixLayoutDestroy)                                                                 \
    X(cublasLtMatmulPreferenceCreate)                                                              \
    X(cublasLtMatmulPreferenceDestroy)                                                             \
    X(cublasLtMatmulPreferenceSetAttribute)                                                        \
    X(cublasLtMatmulAlgoGetHeuristic)                                                              \
    X(cublasLtMatmulAlgoConfigGetAttribute)

struct library {
#define FIELD(name) decltype(&::name) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

library lt;
char text[2 * GPU_TEXT];

#define STRING_2(x) #x
#define STRING(x) STRING_2(x)

/* Returns NULL, or why the library is not available. */
const char *load()
{
    static const char *why = "";
    static char tried[4 * GPU_TEXT];
    if (!why || *why)
        return why;
    void *handle = gpu_cublaslt_load("libcublasLt.so." STRING(CUBLAS_VER_MAJOR), GPU_CUBLASLT,
                                     tried, sizeof tried);
    if (!handle)
        return why = tried;
#define FIND(name)                                                                                 \
    lt.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name));                           \
    if (!lt.name)                                                                                  \
        return why = "no cuBLASLt: it has no " #name;
    FUNCTIONS(FIND)
#undef FIND
    return why = nullptr;
}

const char *called(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return nullptr;
    snprintf(text, sizeof text, "%s: %s", call, lt.cublasLtGetStatusName(status));
    return text;
}
#define CALL(name, ...) called(lt.name(__VA_ARGS__), #name)

/* ---- a product ------------------------------------------------------------------------------- */

struct product {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    void *a_codes, *b_codes, *words, *scale_a, *scale_b, *workspace;
    uint64_t word_bytes;
    shim::clock clock;
};

cudaDataType_t type_of(const char *format)
{
    static const struct {
        const char *name;
        cudaDataType_t type;
    } types[] = {{"e4m3", CUDA_R_8F_E4M3},
                 {"e5m2", CUDA_R_8F_E5M2},
                 {"f16", CUDA_R_16F},
                 {"bf16", CUDA_R_16BF}};
    for (const auto &t : types)
        if (strcmp(t.name, format) == 0)
            return t.type;
    return CUDA_R_32F;
}

template <class Value>
const char *set(product *x, cublasLtMatmulDescAttributes_t which, Value value)
{
    return CALL(cublasLtMatmulDescSetAttribute, x->what, which, &value, sizeof value);
}

/* Copies the codes and the two scales to the device, and allocates memory for the result. The
 * scales have allocations of their own: the library takes only aligned pointers. */
const char *allocate(product *x, const gpu_product *p)
{
    const uint64_t k = p->k, words = p->rows * p->columns * x->word_bytes;
    const char *error = shim::allocate(&x->a_codes, p->rows * k);
    if (!error)
        error = shim::allocate(&x->b_codes, p->columns * k);
    if (!error)
        error = shim::allocate(&x->words, words);
    if (!error)
        error = shim::allocate(&x->scale_a, sizeof p->scale_a);
    if (!error)
        error = shim::allocate(&x->scale_b, sizeof p->scale_b);
    if (!error)
        error = shim::allocate(&x->workspace, workspace_bytes);
    if (!error)
        error = shim::upload(x->a_codes, p->a, p->rows * k);
    if (!error)
        error = shim::upload(x->b_codes, p->b, p->columns * k);
    if (!error)
        error = shim::upload(x->scale_a, &p->scale_a, sizeof p->scale_a);
    if (!error)
        error = shim::upload(x->scale_b, &p->scale_b, sizeof p->scale_b);
    return error ? error : shim::fill(x->words, 0xa5, words);
}

/* The library's matrices are stored by columns. So A is k x rows and transposed, B is k x columns
 * and not transposed, D is rows x columns. */
const char *describe(product *x, const gpu_product *p)
{
    const gpu_gemm *g = p->gemm;
    const char *error = CALL(cublasLtMatmulDescCreate, &x->what, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (!error)
        error = set(x, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (!error)
        error = set(x, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    if (!error)
        error = set(x, CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<int8_t>(g->fast != 0));
    if (!error)
        error = set(x, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, x->scale_a);
    if (!error)
        error = set(x, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, x->scale_b);
    const int64_t k = static_cast<int64_t>(p->k);
    if (!error)
        error = CALL(cublasLtMatrixLayoutCreate, &x->a, type_of(g->a), p->k, p->rows, k);
    if (!error)
        error = CALL(cublasLtMatrixLayoutCreate, &x->b, type_of(g->b), p->k, p->columns, k);
    if (!error)
        error = CALL(cublasLtMatrixLayoutCreate, &x->d, type_of(g->out), p->rows, p->columns,
                     static_cast<int64_t>(p->rows));
    return error;
}

/* One number of the algorithm; -1 if the library does not report it. */
int attribute(const product *x, cublasLtMatmulAlgoConfigAttributes_t which)
{
    uint32_t value = 0;
    size_t written = 0;
    cublasStatus_t status = lt.cublasLtMatmulAlgoConfigGetAttribute(&x->found.algo, which, &value,
                                                                    sizeof value, &written);
    if (status != CUBLAS_STATUS_SUCCESS) /* it has 16 bits */
        status = lt.cublasLtMatmulAlgoConfigGetAttribute(&x->found.algo, which, &value,
                                                         sizeof(uint16_t), &written);
    return status == CUBLAS_STATUS_SUCCESS ? static_cast<int>(value) : -1;
}

void tell(const product *x, gpu_gemm_choice *choice)
{
    choice->version = static_cast<long>(lt.cublasLtGetVersion());
    choice->algo = attribute(x, CUBLASLT_ALGO_CONFIG_ID);
    choice->tile = attribute(x, CUBLASLT_ALGO_CONFIG_TILE_ID);
    choice->stages = attribute(x, CUBLASLT_ALGO_CONFIG_STAGES_ID);
    choice->splits = attribute(x, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
    choice->reduction = attribute(x, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
    choice->swizzle = attribute(x, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING);
    choice->custom = attribute(x, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION);
    choice->inner = attribute(x, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID);
    choice->cluster = attribute(x, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
}

const char *choose(product *x)
{
    int count = 0;
    const char *error = CALL(cublasLtMatmulPreferenceCreate, &x->preference);
    if (!error)
        error = CALL(cublasLtMatmulPreferenceSetAttribute, x->preference,
                     CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                     sizeof workspace_bytes);
    if (!error)
        error = CALL(cublasLtMatmulAlgoGetHeuristic, x->handle, x->what, x->a, x->b, x->d, x->d,
                     x->preference, 1, &x->found, &count);
    return error || count == 1 ? error : "cublasLtMatmulAlgoGetHeuristic: no algorithm";
}

const char *multiply(product *x, const gpu_product *p, gpu_gemm_choice *choice)
{
    float alpha, beta = 0;
    memcpy(&alpha, &p->alpha, sizeof alpha);
    const char *error = x->clock.mark(0);
    if (!error)
        error = CALL(cublasLtMatmul, x->handle, x->what, &alpha, x->a_codes, x->a, x->b_codes, x->b,
                     &beta, x->words, x->d, x->words, x->d, &x->found.algo, x->workspace,
                     workspace_bytes, nullptr);
    if (!error)
        error = x->clock.mark(1);
    if (!error)
        error = x->clock.wait();
    return error ? error : x->clock.seconds(0, 1, &choice->seconds);
}

/* The results, row by row. */
const char *fetch(const product *x, const gpu_product *p)
{
    const size_t count = p->rows * p->columns;
    unsigned char *words = static_cast<unsigned char *>(malloc(count * x->word_bytes));
    if (!words)
        return "malloc: out of memory";
    const char *error = shim::download(words, x->words, count * x->word_bytes);
    for (size_t i = 0; i < count && !error; i++) {
        const unsigned char *from = words +
                                    (i % p->columns * p->rows + i / p->columns) * x->word_bytes;
        p->d[i] = 0;
        memcpy(&p->d[i], from, x->word_bytes);
    }
    free(words);
    return error;
}

void close(product *x)
{
    void *const memory[] = {x->a_codes, x->b_codes, x->words, x->scale_a, x->scale_b, x->workspace};
    for (void *m : memory)
        if (m)
            (void)shim::release(m);
    if (x->preference)
        lt.cublasLtMatmulPreferenceDestroy(x->preference);
    for (cublasLtMatrixLayout_t layout : {x->a, x->b, x->d})
        if (layout)
            lt.cublasLtMatrixLayoutDestroy(layout);
    if (x->what)
        lt.cublasLtMatmulDescDestroy(x->what);
    if (x->handle)
        lt.cublasLtDestroy(x->handle);
}

} // namespace

const char *gpu_gemm_missing(void)
{
    return load();
}

const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice)
{
    static char before[2 * GPU_TEXT];
    product x = {};
    memset(choice, 0, sizeof *choice);
    const char *error = load();
    if (error)
        return error;
    x.word_bytes = strcmp(p->gemm->out, "f32") == 0 ? 4 : 2;
    error = x.clock.begin();
    if (!error)
        error = CALL(cublasLtCreate, &x.handle);
    if (!error)
        error = allocate(&x, p);
    if (!error)
        error = describe(&x, p);
    if (!error)
        error = choose(&x);
    if (!error)
        tell(&x, choice);
    if (!error)
        error = multiply(&x, p, choice);
    if (!error)
        error = fetch(&x, p);
    if (error) { /* kept: what is closed may say more */
        snprintf(before, sizeof before, "%s", error);
        error = before;
    }
    close(&x);
    const char *now = x.clock.end();
    return error ? error : now;
}
