/* SPDX-License-Identifier: MIT */
/* test_sha256.c -- SHA-256: the examples of FIPS 180-4, and lengths near the block's */
#include "check.h"
#include "softfp8/sha256.h"
#include "softfp8_vectors.h"

/* `count` times `piece`, added in pieces of `step` characters. */
static void check_digest(const char *piece, size_t count, size_t step, const char *expected)
{
    static char text[1000000];
    size_t length = strlen(piece), size = 0;
    for (size_t i = 0; i < count; i++, size += length) {
        cr_assert(size + length <= sizeof text);
        memcpy(text + size, piece, length);
    }
    sf8_sha256 state;
    char digits[65];
    sf8_sha256_begin(&state);
    for (size_t at = 0; at < size; at += step)
        sf8_sha256_add(&state, text + at, size - at < step ? size - at : step);
    sf8_sha256_end(&state, digits);
    EXPECT(strcmp(digits, expected) == 0, "%zu characters by %zu: %s", size, step, digits);
}

typedef struct digest {
    const char *piece;
    size_t count;
    const char *digits;
} digest;

/* The first five are NIST's examples. The others: printf 'a%.0s' $(seq 55) | sha256sum */
static const digest digests[] = {
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
     "lmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {"a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
    {"a", 57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
    {"a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
    {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {"a", 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    {"a", 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
    {"a", 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    {"a", 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
};

Test(sha256, digests)
{
    for (size_t i = 0; i < COUNT(digests); i++)
        check_digest(digests[i].piece, digests[i].count, SIZE_MAX, digests[i].digits);
}

/* The same in pieces that do and do not fall on the ends of blocks. */
Test(sha256, in_pieces)
{
    static const size_t steps[] = {1, 3, 55, 63, 64, 65, 127, 128, 200};
    for (size_t i = 0; i < COUNT(digests); i++) {
        for (size_t k = 0; k < COUNT(steps); k++)
            check_digest(digests[i].piece, digests[i].count, steps[k], digests[i].digits);
    }
}

Test(sha256, nothing_added)
{
    sf8_sha256 state;
    char digits[65];
    sf8_sha256_begin(&state);
    sf8_sha256_add(&state, "abc", 0);
    sf8_sha256_end(&state, digits);
    cr_expect(strcmp(digits, digests[1].digits) == 0);
}
