/* SPDX-License-Identifier: MIT */
/* test_cast_gtest.cpp -- a cast in GoogleTest; -lgtest -lgtest_main -lsoftfp8_diagnose -lsoftfp8 */
#include "my_cast.h"

#include <gtest/gtest.h>
#include <softfp8.hpp>
#include <softfp8_test.h>
#include <vector>

TEST(my_cast, agrees_for_every_bf16)
{
    for (sf8::bf16 x : sf8::all<sf8::bf16>()) {
        float value = static_cast<float>(x);
        ASSERT_EQ(my_cast(value), sf8::e4m3(value).code()) << "x = " << x;
    }
}

TEST(my_cast, saturates)
{
    EXPECT_EQ(sf8::e4m3::from_code(my_cast(500.0f)), sf8::e4m3(448));
}

/* The message says which inputs differ, and what the cast does instead. */
TEST(my_cast, does_what_the_policy_says)
{
    std::vector<float> x;
    std::vector<std::uint8_t> codes;
    for (sf8::bf16 value : sf8::all<sf8::bf16>()) {
        x.push_back(static_cast<float>(value));
        codes.push_back(my_cast(x.back()));
    }
    char *why = sf8_check_cast(SF8_F32, x.data(), SF8_E4M3, codes.data(), x.size(), "ocp");
    EXPECT_EQ(why, nullptr) << why;
    sf8_check_free(why);
}
