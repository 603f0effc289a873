/* SPDX-License-Identifier: MIT */
/* rows_later.h -- rows: functions that the CUDA headers have since a version after 13.0
 *
 * Version 13.4 has UE5M3, and decodes to bfloat16. Version 13.5 rounds to E8M0 to nearest and down;
 * before, a program ends that asks for it, or its numbers are truncated. SOFTFP8_CUDA_NUMBER is 1304
 * for 13.4.
 */
#if SOFTFP8_CUDA_NUMBER >= 1304

/* ---- ue5m3 ----------------------------------------------------------------------------------- */

#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/satfinite/rn", in, out, __NV_SATFINITE, cudaRoundNearest)                       \
    PROBE_CVT(f, "/satfinite/rz", in, out, __NV_SATFINITE, cudaRoundZero)                          \
    PROBE_CVT(f, "/satfinite/ru", in, out, __NV_SATFINITE, cudaRoundPosInf)                        \
    PROBE_CVT(f, "/satfinite/rd", in, out, __NV_SATFINITE, cudaRoundMinInf)                        \
    PROBE_CVT(f, "/nosat/rn", in, out, __NV_NOSAT, cudaRoundNearest)                               \
    PROBE_CVT(f, "/nosat/rz", in, out, __NV_NOSAT, cudaRoundZero)                                  \
    PROBE_CVT(f, "/nosat/ru", in, out, __NV_NOSAT, cudaRoundPosInf)                                \
    PROBE_CVT(f, "/nosat/rd", in, out, __NV_NOSAT, cudaRoundMinInf)
#define DECODE(f, in, out) SUBJECT(#f, "__nv_cvt_" #f, in, out, probe::function<__nv_cvt_##f>)

ENCODE(double_to_ue5m3, probe::words<double>, probe::code)
ENCODE(double2_to_ue5m3x2, probe::words<double2>, probe::code8x2)
ENCODE(float_to_ue5m3, probe::words<float>, probe::code)
ENCODE(float2_to_ue5m3x2, probe::words<float2>, probe::code8x2)
ENCODE(halfraw_to_ue5m3, probe::words<__half_raw>, probe::code)
ENCODE(half2raw_to_ue5m3x2, probe::words<__half2_raw>, probe::code8x2)
ENCODE(bfloat16raw_to_ue5m3, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat162raw_to_ue5m3x2, probe::words<__nv_bfloat162_raw>, probe::code8x2)
DECODE(ue5m3_to_halfraw, probe::code, probe::words<__half_raw>)
DECODE(ue5m3x2_to_halfraw2, probe::code8x2, probe::words<__half2_raw>)
DECODE(ue5m3_to_bf16raw, probe::code, probe::words<__nv_bfloat16_raw>)
DECODE(ue5m3x2_to_bf162raw, probe::code8x2, probe::words<__nv_bfloat162_raw>)

#undef ENCODE
#undef DECODE

PROBE_CLASS(fp8_ue5m3)
PROBE_CLASS_X2(fp8x2_ue5m3, probe::code8x2)
PROBE_TO(fp8x2_ue5m3, probe::code8x2, bf162, __nv_bfloat162)
PROBE_CLASS_X4(fp8x4_ue5m3, probe::code8x4)

/* ---- to bfloat16 ----------------------------------------------------------------------------- */

PROBE_CVT(fp8_to_bf16raw, "/e4m3", probe::code, probe::words<__nv_bfloat16_raw>, __NV_E4M3)
PROBE_CVT(fp8_to_bf16raw, "/e5m2", probe::code, probe::words<__nv_bfloat16_raw>, __NV_E5M2)
PROBE_CVT(fp8x2_to_bf162raw, "/e4m3", probe::code8x2, probe::words<__nv_bfloat162_raw>, __NV_E4M3)
PROBE_CVT(fp8x2_to_bf162raw, "/e5m2", probe::code8x2, probe::words<__nv_bfloat162_raw>, __NV_E5M2)
PROBE_CVT(fp6_to_bf16raw, "/e3m2", probe::code, probe::words<__nv_bfloat16_raw>, __NV_E3M2)
PROBE_CVT(fp6_to_bf16raw, "/e2m3", probe::code, probe::words<__nv_bfloat16_raw>, __NV_E2M3)
PROBE_CVT(fp6x2_to_bf162raw, "/e3m2", probe::code8x2, probe::words<__nv_bfloat162_raw>, __NV_E3M2)
PROBE_CVT(fp6x2_to_bf162raw, "/e2m3", probe::code8x2, probe::words<__nv_bfloat162_raw>, __NV_E2M3)
PROBE_CVT(fp4_to_bf16raw, "/e2m1", probe::code, probe::words<__nv_bfloat16_raw>, __NV_E2M1)
PROBE_CVT(fp4x2_to_bf162raw, "/e2m1", probe::code4x2, probe::words<__nv_bfloat162_raw>, __NV_E2M1)
PROBE_TO(fp8x2_e4m3, probe::code8x2, bf162, __nv_bfloat162)
PROBE_TO(fp8x2_e5m2, probe::code8x2, bf162, __nv_bfloat162)
PROBE_TO(fp6x2_e3m2, probe::code8x2, bf162, __nv_bfloat162)
PROBE_TO(fp6x2_e2m3, probe::code8x2, bf162, __nv_bfloat162)
PROBE_TO(fp4x2_e2m1, probe::code4x2, bf162, __nv_bfloat162)

#endif

/* ---- e8m0 ------------------------------------------------------------------------------------ */

#if SOFTFP8_CUDA_NUMBER >= 1305
#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/satfinite/rn", in, out, __NV_SATFINITE, cudaRoundNearest)                       \
    PROBE_CVT(f, "/satfinite/rd", in, out, __NV_SATFINITE, cudaRoundMinInf)                        \
    PROBE_CVT(f, "/nosat/rn", in, out, __NV_NOSAT, cudaRoundNearest)                               \
    PROBE_CVT(f, "/nosat/rd", in, out, __NV_NOSAT, cudaRoundMinInf)

ENCODE(double_to_e8m0, probe::words<double>, probe::code)
ENCODE(double2_to_e8m0x2, probe::words<double2>, probe::code8x2)
ENCODE(float_to_e8m0, probe::words<float>, probe::code)
ENCODE(float2_to_e8m0x2, probe::words<float2>, probe::code8x2)
ENCODE(bfloat16raw_to_e8m0, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat162raw_to_e8m0x2, probe::words<__nv_bfloat162_raw>, probe::code8x2)

#undef ENCODE
#endif
