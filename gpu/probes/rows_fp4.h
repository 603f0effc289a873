/* SPDX-License-Identifier: MIT */
/* rows_fp4.h -- rows: every conversion of cuda_fp4.h */

#define ENCODE(f, in, out)                                                                         \
    PROBE_CVT(f, "/e2m1/rne", in, out, __NV_E2M1, cudaRoundNearest)                                \
    PROBE_CVT(f, "/e2m1/rz", in, out, __NV_E2M1, cudaRoundZero)
#define DECODE(f, in, out) PROBE_CVT(f, "/e2m1", in, out, __NV_E2M1)

ENCODE(double_to_fp4, probe::words<double>, probe::code)
ENCODE(double2_to_fp4x2, probe::words<double2>, probe::code4x2)
ENCODE(float_to_fp4, probe::words<float>, probe::code)
ENCODE(float2_to_fp4x2, probe::words<float2>, probe::code4x2)
ENCODE(halfraw_to_fp4, probe::words<__half_raw>, probe::code)
ENCODE(halfraw2_to_fp4x2, probe::words<__half2_raw>, probe::code4x2)
ENCODE(bfloat16raw_to_fp4, probe::words<__nv_bfloat16_raw>, probe::code)
ENCODE(bfloat16raw2_to_fp4x2, probe::words<__nv_bfloat162_raw>, probe::code4x2)
DECODE(fp4_to_halfraw, probe::code, probe::words<__half_raw>)
DECODE(fp4x2_to_halfraw2, probe::code4x2, probe::words<__half2_raw>)

#undef ENCODE
#undef DECODE

PROBE_CLASS(fp4_e2m1)
PROBE_CLASS_X2(fp4x2_e2m1, probe::code4x2)
PROBE_CLASS_X4(fp4x4_e2m1, probe::code4x4)
