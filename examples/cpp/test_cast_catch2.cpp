/* SPDX-License-Identifier: MIT */
/* test_cast_catch2.cpp -- a cast in Catch2; -lCatch2Main -lCatch2 -lsoftfp8_diagnose -lsoftfp8 */
#include "my_cast.h"

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include <softfp8.hpp>
#include <softfp8_test.h>
#include <vector>

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

/* The message says which inputs differ, and what the cast does instead. */
TEST_CASE("my_cast does what the policy says")
{
    std::vector<float> x;
    std::vector<std::uint8_t> codes;
    for (sf8::bf16 value : sf8::all<sf8::bf16>()) {
        x.push_back(static_cast<float>(value));
        codes.push_back(my_cast(x.back()));
    }
    char *why = sf8_check_cast(SF8_F32, x.data(), SF8_E4M3, codes.data(), x.size(), "ocp");
    INFO((why ? why : ""));
    CHECK(why == nullptr);
    sf8_check_free(why);
}
