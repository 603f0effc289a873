/* SPDX-License-Identifier: MIT */
/* test_cast_gtest.cpp -- a test of a cast in GoogleTest: c++ test_cast_gtest.cpp -lgtest -lgtest_main */
#include "my_cast.h"

#include <gtest/gtest.h>
#include <softfp8.hpp>

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
