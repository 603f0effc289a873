/* SPDX-License-Identifier: MIT */
/* fuzz_api.c -- libFuzzer: the functions of softfp8.h with formats, policies and sizes of any bits
 *
 * An invalid format is refused. Everything else has a result that is a code of the format, and an
 * array function gives the results of the function for one value, at any alignment. Sizes that no
 * memory has are refused before a pointer is used.
 */
#include "fuzz_input.h"
#include "softfp8/number/hif8.h"

/* Any bits, any row that is nearly valid, or one of the library. */
static sf8_format any_format(input *in)
{
    sf8_format f;
    uint8_t how;
    take(in, &how, 1);
    take(in, &f, sizeof f);
    if (how < 96 && sf8_format_at(how % 32, &f))
        return f;
    if (how < 224) {
        f.exp_bits %= 13;
        f.man_bits %= 54;
        f.is_signed &= 1;
        f.has_inf &= 1;
        f.has_zero &= 1;
        f.nan %= 5;
        f.bias = (int16_t)(f.bias % 2050);
    }
    return f;
}

static void check_result(sf8_format f, int supported, sf8_result r)
{
    if (!supported) {
        CHECK(r.code == 0 && r.flags == SF8_UNSUPPORTED);
        return;
    }
    CHECK((r.flags & ~31u) == 0);
    CHECK(sf8_is_hif8(f) ? r.code < 256 : (r.code & ~sf8_format_code_mask(f)) == 0);
}

static int has_arithmetic(sf8_format f)
{
    return sf8_format_valid(f) && f.man_bits < 24;
}

static void check_scalar(sf8_format f, sf8_format to, sf8_policy p, input *in)
{
    uint64_t a = word(in), b = word(in), c = word(in);
    uint32_t random = (uint32_t)word(in), flags = 77;
    int valid = sf8_format_valid(f), arithmetic = has_arithmetic(f);
    int converts = sf8_format_converts(f) && sf8_format_converts(to);
    check_result(to, converts, sf8_convert_sr(to, f, a, p, random));
    check_result(f, valid, sf8_from_i64_sr(f, (int64_t)a, p, random));
    check_result(f, valid, sf8_from_u64_sr(f, a, p, random));
#define SCALAR(any, op) check_result(f, arithmetic, sf8_##op##_sr(f, a, b, p, random));
    SF8_BINARY_ARITHMETIC(SCALAR, any)
#define EXTREMUM(any, op, greater, magnitude, number) check_result(f, valid, sf8_##op(f, a, b, p));
    SF8_EXTREMA(EXTREMUM, any)
    check_result(f, arithmetic, sf8_sqrt_sr(f, a, p, random));
    check_result(f, arithmetic, sf8_fma_sr(f, a, b, c, p, random));
    check_result(f, valid, sf8_rint_sr(f, a, p, (int32_t)b, random));
    check_result(f, valid, sf8_scalb_sr(f, a, (int32_t)b, p, random));
    check_result(f, valid, sf8_next_up(f, a, p));
    check_result(f, valid, sf8_next_down(f, a, p));
    check_result(f, valid, sf8_negate(f, a, p));
    check_result(f, valid, sf8_abs_flags(f, a, p));
    check_result(f, valid, sf8_copy_sign_flags(f, a, b, p));
    sf8_result bare = {sf8_abs(f, a), valid ? 0 : SF8_UNSUPPORTED};
    check_result(f, valid, bare);
    bare.code = sf8_copy_sign(f, a, b);
    check_result(f, valid, bare);
    int32_t order = sf8_compare(f, a, b, p, &flags);
    CHECK(order >= SF8_LESS && order <= SF8_UNORDERED && sf8_compare(f, a, b, p, NULL) == order);
    CHECK(valid ? (flags & ~31u) == 0 : order == SF8_UNORDERED && flags == SF8_UNSUPPORTED);
    int32_t class = sf8_class(f, a, p);
    CHECK(valid ? class >= 0 && class <= SF8_CLASS_POS_INFINITY : class == -1);
    CHECK((sf8_total_order(f, a, b, p) & ~1) == 0);
    int32_t width = b & 1 ? (int32_t)c : 8 << (c & 3);
    int wide = width == 8 || width == 16 || width == 32 || width == 64;
    sf8_result integer = sf8_to_integer(f, a, width, (int32_t)b, p, (int32_t)c);
    CHECK(valid && wide ? (integer.flags & ~31u) == 0 : integer.flags == SF8_UNSUPPORTED);
    CHECK(integer.flags == SF8_UNSUPPORTED || width == 64 || integer.code >> width == 0);
}

static size_t width_of(sf8_format f)
{
    int32_t bits = sf8_is_hif8(f) ? 8 : sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t element(const uint8_t *at, size_t i, size_t width)
{
    uint8_t x;
    uint16_t x16;
    uint32_t x32;
    uint64_t x64;
    memcpy(&x, at + i * width, 1);
    if (width == 1)
        return x;
    memcpy(&x16, at + i * width, 2);
    if (width == 2)
        return x16;
    memcpy(&x32, at + i * width, 4);
    if (width == 4)
        return x32;
    memcpy(&x64, at + i * width, 8);
    return x64;
}

static void check_convert(sf8_format f, sf8_format to, sf8_policy p, size_t n, input *in)
{
    int converts = sf8_format_converts(f) && sf8_format_converts(to);
    size_t from_width = width_of(f), to_width = width_of(to);
    array src = array_of(in, n, from_width), dst = array_of(in, n, to_width);
    sf8_status want = !converts ? SF8_BAD_FORMAT : p.round == SF8_SR ? SF8_BAD_CALL : SF8_OK;
    CHECK(sf8_convert_n(to, dst.at, f, src.at, n, p) == want);
    for (size_t i = 0; want == SF8_OK && i < n; i++)
        CHECK(element(dst.at, i, to_width) ==
              sf8_convert(to, f, element(src.at, i, from_width), p));
    CHECK(sf8_convert_strided_n(to, dst.at + (n ? (n - 1) * to_width : 0), -1, f, src.at, 1, n,
                                p) == want);
    for (size_t i = 0; want == SF8_OK && i < n; i++)
        CHECK(element(dst.at, n - 1 - i, to_width) ==
              sf8_convert(to, f, element(src.at, i, from_width), p));
    if (p.round == SF8_SR) {
        array random = array_of(in, n, 4);
        uint32_t words[80];
        memcpy(words, random.at, n * 4);
        CHECK(sf8_convert_sr_n(to, dst.at, f, src.at, n, p, words) ==
              (converts ? SF8_OK : SF8_BAD_FORMAT));
        for (size_t i = 0; converts && i < n; i++)
            CHECK(element(dst.at, i, to_width) ==
                  sf8_convert_sr(to, f, element(src.at, i, from_width), p, words[i]).code);
        free(random.whole);
    }
    free(src.whole);
    free(dst.whole);
}

typedef sf8_status (*binary_n)(sf8_format, void *, const void *, const void *, size_t, sf8_policy);
typedef sf8_result (*binary)(sf8_format, uint64_t, uint64_t, sf8_policy);

static const struct {
    binary_n array;
    binary scalar;
    int arithmetic;
} binaries[] = {
#define ROW(any, op) {sf8_##op##_n, sf8_##op, 1},
#define ROW_EXTREMUM(any, op, greater, magnitude, number) {sf8_##op##_n, sf8_##op, 0},
    SF8_BINARY_ARITHMETIC(ROW, any) SF8_EXTREMA(ROW_EXTREMUM, any)};

static void check_binary(sf8_format f, sf8_policy p, size_t which, size_t n, input *in)
{
    size_t width = width_of(f);
    int supported = binaries[which].arithmetic ? has_arithmetic(f) : sf8_format_valid(f);
    int random = binaries[which].arithmetic && p.round == SF8_SR;
    array a = array_of(in, n, width), b = array_of(in, n, width), dst = array_of(in, n, width);
    sf8_status want = !supported ? SF8_BAD_FORMAT : random ? SF8_BAD_CALL : SF8_OK;
    CHECK(binaries[which].array(f, dst.at, a.at, b.at, n, p) == want);
    for (size_t i = 0; want == SF8_OK && i < n; i++)
        CHECK(element(dst.at, i, width) ==
              binaries[which].scalar(f, element(a.at, i, width), element(b.at, i, width), p).code);
    /* In place. */
    CHECK(binaries[which].array(f, a.at, a.at, b.at, n, p) == want);
    CHECK(want != SF8_OK || n == 0 || memcmp(a.at, dst.at, n * width) == 0);
    free(a.whole);
    free(b.whole);
    free(dst.whole);
}

/* What no memory can hold, and what needs none. */
static void check_sizes(sf8_format f, sf8_format to, sf8_policy p, int32_t bits, input *in)
{
    size_t n = (size_t)word(in) | (size_t)PTRDIFF_MAX + 1;
    uint8_t none[1];
    CHECK(sf8_convert_n(to, none, f, none, n, p) != SF8_OK);
    CHECK(sf8_convert_sr_n(to, none, f, none, n, p, (const uint32_t *)(const void *)none) !=
          SF8_OK);
    CHECK(sf8_convert_strided_n(to, none, (ptrdiff_t)word(in), f, none, (ptrdiff_t)word(in), n,
                                p) != SF8_OK);
    /* Two elements that are too far from each other. */
    CHECK(sf8_convert_strided_n(to, none, PTRDIFF_MAX, f, none, 0, 2, p) != SF8_OK);
    CHECK(sf8_convert_strided_n(to, none, PTRDIFF_MIN, f, none, 0, 2, p) != SF8_OK);
    CHECK(sf8_convert_strided_n(to, none, 1, f, none, PTRDIFF_MIN, 2, p) != SF8_OK);
    CHECK(sf8_convert_strided_n(to, none, 0, f, none, 1, 2, p) != SF8_OK);
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++) {
        CHECK(binaries[i].array(f, none, none, none, n, p) != SF8_OK);
        CHECK(binaries[i].array(SF8_E4M3, NULL, NULL, NULL, 0, SF8_OCP) == SF8_OK);
    }
    CHECK(sf8_fma_n(f, none, none, none, none, n, p) != SF8_OK);
    CHECK(sf8_sqrt_n(f, none, none, n, p) != SF8_OK);
    CHECK(sf8_rint_n(f, none, none, n, p) != SF8_OK);
    CHECK(sf8_scalb_n(f, none, none, NULL, n, p) != SF8_OK);
    CHECK(sf8_pack_n(bits, none, none, n) != SF8_OK && sf8_unpack_n(bits, none, none, n) != SF8_OK);
    CHECK(sf8_convert_n(SF8_E4M3, NULL, SF8_F32, NULL, 0, SF8_OCP) == SF8_OK);
    CHECK(sf8_convert_n(to, NULL, f, none, 1, p) != SF8_OK);
    CHECK(sf8_convert_n(to, none, f, NULL, 1, p) != SF8_OK);
    CHECK(sf8_pack_n(4, NULL, NULL, 0) == SF8_OK && sf8_unpack_n(6, NULL, NULL, 0) == SF8_OK);
    CHECK(bits >= 1 && bits <= 8 ? sf8_packed_size(bits, n) <= n : sf8_packed_size(bits, n) == 0);
}

static void check_pack(int32_t bits, size_t n, input *in)
{
    size_t size = sf8_packed_size(bits, n);
    array codes = array_of(in, n, 1), packed = array_of(in, size, 1), back = array_of(in, n, 1);
    sf8_status want = bits >= 1 && bits <= 8 ? SF8_OK : SF8_BAD_FORMAT;
    CHECK(sf8_pack_n(bits, packed.at, codes.at, n) == want);
    CHECK(sf8_unpack_n(bits, back.at, packed.at, n) == want);
    for (size_t i = 0; want == SF8_OK && i < n; i++)
        CHECK(back.at[i] == (codes.at[i] & ((1u << bits) - 1)));
    free(codes.whole);
    free(packed.whole);
    free(back.whole);
}

/* Texts of what has any bits, into memory that is too small or not. */
static void check_text(sf8_format f, sf8_policy p, input *in)
{
    char text[1600];
    size_t size = (size_t)word(in) % sizeof text, length = 0;
    int32_t style = (int32_t)(word(in) % 3);
    uint64_t code = word(in);
    char *exact = malloc(size + 1);
    CHECK(exact);
    sf8_status status = sf8_to_text(f, code, (sf8_text_style)style, exact, size, &length);
    CHECK(status == SF8_BAD_FORMAT || status == SF8_NO_ROOM || status == SF8_OK);
    CHECK((status == SF8_BAD_FORMAT) == !sf8_format_converts(f));
    CHECK(status != SF8_OK || (length < size && strlen(exact) == length));
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        status = sf8_policy_get(p, sf8_policy_field_at(i), exact, size);
        CHECK(status == SF8_OK || status == SF8_BAD_TEXT || status == SF8_NO_ROOM);
    }
    free(exact);
    sf8_policy again = SF8_OCP;
    uint64_t bits = word(in);
    if (sf8_policy_unpack(bits, &again) == SF8_OK)
        CHECK(sf8_policy_pack(again) == bits);
    (void)sf8_policy_pack(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    sf8_format f = any_format(&in), to = any_format(&in);
    sf8_policy p;
    uint8_t what[4];
    take(&in, &p, sizeof p);
    take(&in, what, sizeof what);
    int32_t bits = what[2] & 1 ? (int32_t)word(&in) : what[3] % 10;
    size_t n = what[1] % 80;
    switch (what[0] % 6) {
    case 0:
        check_scalar(f, to, p, &in);
        break;
    case 1:
        check_convert(f, to, p, n, &in);
        break;
    case 2:
        check_binary(f, p, what[2] % (sizeof binaries / sizeof binaries[0]), n, &in);
        break;
    case 3:
        check_sizes(f, to, p, bits, &in);
        break;
    case 4:
        check_pack(bits, n, &in);
        break;
    default:
        check_text(f, p, &in);
        break;
    }
    return 0;
}
