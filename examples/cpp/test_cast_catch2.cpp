/* SPDX-License-Identifier: MIT */
/* test_cast_catch2.cpp -- a test of a cast in Catch2: with version 3, link with -lCatch2Main -lCatch2 */
#include "my_cast.h"

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include <softfp8.hpp>

TEST_CASE("my_cast agrees for every bf16")
{
    for (sf8::bf16 x : sf8::all<sf8::bf16>()) {
        float value = static_cast<float>(x);
        CAPTURE(value);
        REQUIRE(my_cast(value) == sf8::e4m3(value).code());
    }
}

TEST_CASE("my_cast saturates")
{
    CHECK(sf8::e4m3::from_code(my_cast(500.0f)) == sf8::e4m3(448));
}
