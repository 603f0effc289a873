/* SPDX-License-Identifier: MIT */
/* axes.c -- the axes of a reading and their values, in words
 *
 * A mistake is one row: its name, what it costs, and its phrases. The first value of an axis is not
 * always the plain one: blocks, scales and their layout are as the family or the user has them.
 * Costs are tenths of an ordinary change. Of two readings that explain the same, the one that costs
 * less is found.
 */
#include "diagnose/layout/layout.h"

static const layout_value order[] = {
    {"low first", 10, "the nibbles are stored low first", "were read low first",
     "take the low nibble of a byte first"},
    {"high first", 10, "the nibbles are stored high first", "were read high first",
     "exchange the nibbles of each byte of the codes"},
    {"reversed", 12, "the eight codes of each 4-byte word are in reverse order",
     "were read in reverse", "read each 4-byte word of the codes from its highest nibble down"},
    {"as AWQ", 12, "the eight codes of each 4-byte word are in the order 0 2 4 6 1 3 5 7",
     "were read in the order of AWQ",
     "reorder the nibbles of each 4-byte word: 0 2 4 6 are its low half, 1 3 5 7 its high half"},
    {"in halves", 12, "the low nibbles of a block hold its first half, the high nibbles its second",
     "were read in halves", "take all low nibbles of a block, then all high ones"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value packing[] = {
    {"along rows", 10, "the codes are packed along rows", "were read as packed along rows",
     "read a byte as two neighbours of a row"},
    {"along columns", 12, "the codes are packed along columns", "were read as packed along columns",
     "read a byte as two neighbours of a column: byte (r, c) has rows 2r and 2r+1"},
    {"transposed", 12, "the codes are those of the transposed matrix",
     "were read as those of the transposed matrix", "transpose the matrix of codes"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value elements4[] = {
    {"e2m1", 10, "the codes are e2m1", "were read as e2m1", "read the codes as e2m1"},
    {"int4", 10, "the codes are two's complement int4", "were read as int4",
     "read the codes as integers from -8 to 7"},
    {"uint4-8", 10, "the codes are integers from 0 to 15, less 8", "were read as uint4-8",
     "read the codes as integers from 0 to 15, less 8"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value elements8[] = {
    {"e4m3", 10, "the codes are e4m3", "were read as e4m3", "read the codes as e4m3"},
    {"e5m2", 10, "the codes are e5m2", "were read as e5m2", "read the codes as e5m2"},
    {"e4m3fnuz", 10, "the codes are e4m3fnuz", "were read as e4m3fnuz",
     "read the codes as e4m3fnuz"},
    {"e5m2fnuz", 10, "the codes are e5m2fnuz", "were read as e5m2fnuz",
     "read the codes as e5m2fnuz"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value rows[] = {
    {"in order", 10, "the rows are in order", "were read in order", "leave the rows in order"},
    {"of scales exchanged", 12, "the scales have their halves of rows exchanged",
     "were read in order", "exchange the upper and the lower half of the rows of the scales"},
    {"of scales interleaved", 12, "the scales have their halves of rows interleaved",
     "were read in order", "take the even rows of the scales, then the odd ones"},
    {"of scales split", 12, "the scales have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of the scales"},
    {"of codes exchanged", 12, "the codes have their halves of rows exchanged",
     "were read in order", "exchange the upper and the lower half of the rows of the codes"},
    {"of codes interleaved", 12, "the codes have their halves of rows interleaved",
     "were read in order", "take the even rows of the codes, then the odd ones"},
    {"of codes split", 12, "the codes have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of the codes"},
    {"of both exchanged", 12, "codes and scales have their halves of rows exchanged",
     "were read in order", "exchange the upper and the lower half of the rows of codes and scales"},
    {"of both interleaved", 12, "codes and scales have their halves of rows interleaved",
     "were read in order", "take the even rows of codes and scales, then the odd ones"},
    {"of both split", 12, "codes and scales have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of codes and scales"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value blocks[] = {
    {"of 16", 10, "the blocks are of 16 elements", "were read as of 16", "use blocks of 16"},
    {"of 32", 10, "the blocks are of 32 elements", "were read as of 32", "use blocks of 32"},
    {"of 64", 10, "the blocks are of 64 elements", "", "use blocks of 64"},
    {"of 128", 10, "the blocks are of 128 elements", "were read as of 128", "use blocks of 128"},
    {"whole", 10, "the blocks are whole rows or columns, or the whole matrix",
     "were read as whole rows or the whole matrix",
     "use one scale for all elements of a row or column, or of the matrix"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value along[] = {
    {"along rows", 10, "the blocks are parts of rows", "were read as parts of rows",
     "take a block from a row"},
    {"along columns", 10, "the blocks are parts of columns", "were read as parts of columns",
     "take a block from a column"},
    {"squares", 10, "the blocks are squares", "were read as squares",
     "use one scale for as many rows as columns"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value place[] = {
    {"linear", 10, "the scales are linear", "were read as linear",
     "read the scales as they are, row by row"},
    {"padded", 10, "the scales are linear, each row padded to a multiple of 4",
     "were read as padded", "skip the padding at the end of each row of scales"},
    {"128x4", 10, "the scales have the layout 128x4", "were read as 128x4",
     "softfp8 layout move --from-layout 128x4 --to-layout linear"},
    {"8x4", 10, "the scales have the layout 8x4", "were read as 8x4",
     "softfp8 layout move --from-layout 8x4 --to-layout linear"},
    {"4-token", 10, "the scales have the layout 4-token", "were read as 4-token",
     "softfp8 layout move --from-layout 4-token --to-layout linear"},
    {"from 128x4 though linear", 12, "the scales were linear and went through the inverse of 128x4",
     "", "undo it: softfp8 layout move --from-layout linear --to-layout 128x4"},
    {"from 8x4 though linear", 12, "the scales were linear and went through the inverse of 8x4", "",
     "undo it: softfp8 layout move --from-layout linear --to-layout 8x4"},
    {"from 4-token though linear", 12,
     "the scales were linear and went through the inverse of 4-token", "",
     "undo it: softfp8 layout move --from-layout linear --to-layout 4-token"},
    {"128x4 twice", 14, "the scales went to 128x4 twice", "",
     "twice: softfp8 layout move --from-layout 128x4 --to-layout linear"},
    {"in words by columns", 10,
     "four scales of a row are a word, and the words lie column by column", "",
     "read byte (r, c) at 4 * (c / 4 * R + r) + c % 4; R is the rows, padded to a multiple of 4"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value turn[] = {
    {"by rows", 10, "the scales are stored row by row", "were read as row by row",
     "leave the matrix of scales as it is"},
    {"transposed", 10, "the scales are stored transposed, column by column",
     "were read as transposed", "transpose the matrix of scales"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value scale[] = {
    {"e4m3", 10, "the scales are e4m3", "were read as e4m3", "read the scales as e4m3"},
    {"e4m3 without sign", 11, "the scales are e4m3 whose bit 7 must be ignored", "",
     "clear bit 7 of the scales"},
    {"e8m0", 10, "the scales are e8m0", "were read as e8m0",
     "read the scales as e8m0: 2^(byte - 127)"},
    {"e8m0 one too large", 11, "the scales are e8m0 one too large, as with a bias of 128", "",
     "subtract 1 from each scale, or read it as 2^(byte - 128)"},
    {"e8m0 one too small", 11, "the scales are e8m0 one too small, as with a bias of 126", "",
     "add 1 to each scale, or read it as 2^(byte - 126)"},
    {"e5m2", 11, "the scales are e5m2", "", "read the scales as e5m2"},
    {"e4m3fnuz", 11, "the scales are e4m3fnuz, half of e4m3", "",
     "read the scales as e4m3fnuz, or halve them"},
    {"integers", 11, "the scales are the bytes themselves, as integers from 0 to 255", "",
     "multiply by the byte as an integer; if your own code made these values, it lacks the "
     "conversion of the scales"},
    {"left out", 10, "the scales take no part in the values", "",
     "a quantizer has to divide by the scales before the cast; a reader to multiply by them"},
    {"e4m3, subnormals as normal", 11,
     "the scales are e4m3 whose subnormal numbers have a hidden bit like normal ones", "",
     "decode scales below 2^-6 without a hidden bit: 1 is 2^-9. The codes, or these values, were "
     "made with one"},
    {"as they are", 10, "the scales are factors", "were read as factors", "multiply by the scales"},
    {"inverted", 10, "the scales are the inverses of the factors", "", "divide by the scales"},
    {"left out", 10, "the scales take no part in the values", "",
     "a quantizer has to divide by the scales before the cast; a reader to multiply by them"},
    {"rounded up after the codes", 11,
     "the scales were rounded up to powers of two after the codes had been computed", "",
     "round each scale up first, and divide by the rounded one"},
    {"rounded down after the codes", 11,
     "the scales were rounded down to powers of two after the codes had been computed", "",
     "round each scale first, and divide by the rounded one"},
    {"rounded after the codes", 12,
     "the scales were rounded to powers of two, some up and some down, after the codes had been "
     "computed",
     "", "round each scale first, and divide by the rounded one"},
    {"with leaked mantissas", 12,
     "mantissa bits leaked into the scales: numbers of f32 were packed by four without a mask", "",
     "round each scale up to a power of two first, and divide by the rounded one"},
    {NULL, 0, NULL, NULL, NULL}};

static const layout_value second[] = {
    {"as given", 8, "g is right as given", "was used as given", "use g as it is"},
    {"inverted", 8, "g is the inverse of what was given", "", "give 1/g instead"},
    {"twice", 8, "g is to be applied twice", "", "apply g twice"},
    {"not used", 8, "g was not used when quantizing", "was not used", "leave g out, or give 1"},
    {"in the scales", 10, "g is already in the scales, which were rounded with it", "",
     "leave g out: the scales contain it"},
    {"times 6", 8, "g lacks a factor of 6", "", "multiply g by 6"},
    {"over 6", 8, "g has a factor of 6 too many", "", "divide g by 6"},
    {"off by a factor", 9, "g is another number", "", "give another g"},
    {NULL, 0, NULL, NULL, NULL}};

/* These two are facts about elements, not readings of bytes: one element is enough to tell them,
 * and they cost next to nothing. The phrases follow the number of elements. */
static const layout_value overflow[] = {
    {"in range", 1, "elements are in range", "", ""},
    {"overflowed", 1, "elements overflowed to NaN or infinity", "",
     "saturate: a code that overflowed becomes the largest one of its sign"},
    {"clipped", 1, "elements were clipped to the largest code", "", ""},
    {NULL, 0, NULL, NULL, NULL}};

/* A factor where no g is given: nothing says that there is one. */
enum { COST_OF_FACTOR = 15 };

int layout_cost(const layout_data *d, int axis, int value)
{
    if (axis == AXIS_G && value == G_FREE && !d->has_g)
        return COST_OF_FACTOR;
    return layout_value_at(axis, d->bits, value)->cost;
}

const char *layout_axis_name(int axis)
{
    static const char *const names[AXES] = {"nibbles", "packing", "codes",  "rows",
                                            "blocks",  "blocks",  "scales", "scales",
                                            "scales",  "g",       "codes"};
    return names[axis];
}

const layout_value *layout_value_at(int axis, int bits, int value)
{
    static const layout_value *const lists[AXES] = {
        order, packing, elements4, rows, blocks, along, turn, place, scale, second, overflow};
    const layout_value *list = axis == AXIS_ELEMENT && bits == 8 ? elements8 : lists[axis];
    for (int i = 0; i < value; i++) {
        if (!list[i].name)
            return NULL;
    }
    return list[value].name ? &list[value] : NULL;
}
