/* SPDX-License-Identifier: MIT */
/* rows_fp8.h -- rows: every conversion of cuda_fp8.h */

/* ---- e4m3, e5m2 ------------------------------------------------------------------------------ */

#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/e4m3/satfinite", in, out, __NV_SATFINITE, __NV_E4M3)                            \
    PROBE_CVT(f, "/e4m3/nosat", in, out, __NV_NOSAT, __NV_E4M3)                                    \
    PROBE_CVT(f, "/e5m2/satfinite", in, out, __NV_SATFINITE, __NV_E5M2)                            \
    PROBE_CVT(f, "/e5m2/nosat", in, out, __NV_NOSAT, __NV_E5M2)
#define DECODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/e4m3", in, out, __NV_E4M3)                                                      \
    PROBE_CVT(f, "/e5m2", in, out, __NV_E5M2)

ENCODE(double_to_fp8, probe::words<double>, probe::code)
ENCODE(double2_to_fp8x2, probe::words<double2>, probe::code8x2)
ENCODE(float_to_fp8, probe::words<float>, probe::code)
ENCODE(float2_to_fp8x2, probe::words<float2>, probe::code8x2)
ENCODE(halfraw_to_fp8, probe::words<__half_raw>, probe::code)
ENCODE(halfraw2_to_fp8x2, probe::words<__half2_raw>, probe::code8x2)
ENCODE(bfloat16raw_to_fp8, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat16raw2_to_fp8x2, probe::words<__nv_bfloat162_raw>, probe::code8x2)
DECODE(fp8_to_halfraw, probe::code, probe::words<__half_raw>)
DECODE(fp8x2_to_halfraw2, probe::code8x2, probe::words<__half2_raw>)

#undef ENCODE
#undef DECODE

/* ---- e8m0 ------------------------------------------------------------------------------------ */

#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/satfinite/rz", in, out, __NV_SATFINITE, cudaRoundZero)                          \
    PROBE_CVT(f, "/satfinite/ru", in, out, __NV_SATFINITE, cudaRoundPosInf)                        \
    PROBE_CVT(f, "/nosat/rz", in, out, __NV_NOSAT, cudaRoundZero)                                  \
    PROBE_CVT(f, "/nosat/ru", in, out, __NV_NOSAT, cudaRoundPosInf)
#define DECODE(f, in, out) SUBJECT(#f, "__nv_cvt_" #f, in, out, probe::function<__nv_cvt_##f>)

ENCODE(double_to_e8m0, probe::words<double>, probe::code)
ENCODE(double2_to_e8m0x2, probe::words<double2>, probe::code8x2)
ENCODE(float_to_e8m0, probe::words<float>, probe::code)
ENCODE(float2_to_e8m0x2, probe::words<float2>, probe::code8x2)
ENCODE(bfloat16raw_to_e8m0, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat162raw_to_e8m0x2, probe::words<__nv_bfloat162_raw>, probe::code8x2)
DECODE(e8m0_to_bf16raw, probe::code, probe::words<__nv_bfloat16_raw>)
DECODE(e8m0x2_to_bf162raw, probe::code8x2, probe::words<__nv_bfloat162_raw>)

#undef ENCODE
#undef DECODE

/* ---- classes --------------------------------------------------------------------------------- */

PROBE_CLASS(fp8_e4m3)
PROBE_CLASS_X2(fp8x2_e4m3, probe::code8x2)
PROBE_CLASS_X4(fp8x4_e4m3, probe::code8x4)
PROBE_CLASS(fp8_e5m2)
PROBE_CLASS_X2(fp8x2_e5m2, probe::code8x2)
PROBE_CLASS_X4(fp8x4_e5m2, probe::code8x4)
PROBE_CLASS(fp8_e8m0)
PROBE_CLASS_X2(fp8x2_e8m0, probe::code8x2)
PROBE_TO(fp8x2_e8m0, probe::code8x2, bf162, __nv_bfloat162)
PROBE_CLASS_X4(fp8x4_e8m0, probe::code8x4)
