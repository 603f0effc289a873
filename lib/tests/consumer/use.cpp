/* SPDX-License-Identifier: MIT */
/* use.cpp -- what a first program does: convert, calculate, look up names */
#include <softfp8.h>
#include <softfp8/core.h>

#include <string.h>

int main(void)
{
    sf8_status status;
    sf8_format f = sf8_format_named("e4m3", &status);
    sf8_policy policy = sf8_policy_named("ocp-nosat", &status);
    int held = status == SF8_OK && strcmp(sf8_version(), SF8_VERSION) == 0;
    held &= sf8_f32_to_e4m3(500.0f, SF8_OCP) == 0x7e;
    held &= sf8_f32_to_e4m3(500.0f, policy) == 0x7f;
    held &= sf8_e4m3_to_f32(0x7e) == 448.0f;
    held &= sf8_e4m3_mul(0x38, 0x40, SF8_OCP) == 0x40;
    held &= sf8_convert(f, SF8_F32, 0x3f800000, SF8_OCP) == 0x38;
    held &= sf8_core_convert(SF8_E4M3, SF8_F32, 0x3f800000, SF8_OCP, 0).code == 0x38;
    return held ? 0 : 1;
}
