/* SPDX-License-Identifier: MIT */
/* rows_fp6.h -- rows: every conversion of cuda_fp6.h */

#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/e3m2/rne", in, out, __NV_E3M2, cudaRoundNearest)                                \
    PROBE_CVT(f, "/e3m2/rz", in, out, __NV_E3M2, cudaRoundZero)                                    \
    PROBE_CVT(f, "/e2m3/rne", in, out, __NV_E2M3, cudaRoundNearest)                                \
    PROBE_CVT(f, "/e2m3/rz", in, out, __NV_E2M3, cudaRoundZero)
#define DECODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/e3m2", in, out, __NV_E3M2)                                                      \
    PROBE_CVT(f, "/e2m3", in, out, __NV_E2M3)

ENCODE(double_to_fp6, probe::words<double>, probe::code)
ENCODE(double2_to_fp6x2, probe::words<double2>, probe::code8x2)
ENCODE(float_to_fp6, probe::words<float>, probe::code)
ENCODE(float2_to_fp6x2, probe::words<float2>, probe::code8x2)
ENCODE(halfraw_to_fp6, probe::words<__half_raw>, probe::code)
ENCODE(halfraw2_to_fp6x2, probe::words<__half2_raw>, probe::code8x2)
ENCODE(bfloat16raw_to_fp6, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat16raw2_to_fp6x2, probe::words<__nv_bfloat162_raw>, probe::code8x2)
DECODE(fp6_to_halfraw, probe::code, probe::words<__half_raw>)
DECODE(fp6x2_to_halfraw2, probe::code8x2, probe::words<__half2_raw>)

#undef ENCODE
#undef DECODE

PROBE_CLASS(fp6_e3m2)
PROBE_CLASS_X2(fp6x2_e3m2, probe::code8x2)
PROBE_CLASS_X4(fp6x4_e3m2, probe::code8x4)
PROBE_CLASS(fp6_e2m3)
PROBE_CLASS_X2(fp6x2_e2m3, probe::code8x2)
PROBE_CLASS_X4(fp6x4_e2m3, probe::code8x4)
