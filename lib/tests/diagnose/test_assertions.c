/* SPDX-License-Identifier: MIT */
/* test_assertions.c -- softfp8_test.h in a test of Criterion, as its users write it */
#include "softfp8_test.h"

#include <criterion/criterion.h>
#include <signal.h>

static const float x[] = {1, 17, 18, -19, 0.3F, -17};
static const uint8_t right[] = {0x38, 0x58, 0x59, 0xda, 0x2a, 0xd8},
                     cut[] = {0x38, 0x58, 0x59, 0xd9, 0x29, 0xd8};

Test(assertions, a_right_cast_has_no_message)
{
    char *why = sf8_check_cast(SF8_F32, x, SF8_E4M3, right, 6, "ocp");
    cr_assert_null(why, "%s", why);
    SF8_ASSERT_CAST(SF8_F32, x, SF8_E4M3, right, 6, NULL);
}

Test(assertions, a_wrong_cast_has_one)
{
    char *why = sf8_check_cast(SF8_F32, x, SF8_E4M3, cut, 6, "ocp");
    cr_assert_not_null(why);
    cr_expect(strstr(why, "\n  likely mistake: rounds toward zero"), "%s", why);
    sf8_check_free(why);
}

Test(assertions, a_wrong_cast_aborts, .signal = SIGABRT)
{
    SF8_ASSERT_CAST(SF8_F32, x, SF8_E4M3, cut, 6, "ocp");
}

Test(assertions, a_wrong_code_aborts, .signal = SIGABRT)
{
    SF8_ASSERT_CODES(SF8_E4M3, cut, right, 6);
}
