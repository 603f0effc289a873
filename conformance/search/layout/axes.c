/* SPDX-License-Identifier: MIT */
/* axes.c -- the axes of a reading and their values, in words
 *
 * The first value of an axis is not always the plain one: blocks, scales and their layout are as
 * the family or the user has them.
 */
#include "search/layout/layout.h"

static const layout_value order[] = {
    {"low first", "the nibbles are stored low first", "were read low first",
     "take the low nibble of a byte first"},
    {"high first", "the nibbles are stored high first", "were read high first",
     "exchange the nibbles of each byte of the codes"},
    {"reversed", "the eight codes of each 4-byte word are in reverse order", "were read in reverse",
     "read each 4-byte word of the codes from its highest nibble down"},
    {"as AWQ", "the eight codes of each 4-byte word are in the order 0 2 4 6 1 3 5 7",
     "were read in the order of AWQ",
     "reorder the nibbles of each 4-byte word: 0 2 4 6 are its low half, 1 3 5 7 its high half"},
    {"in halves", "the low nibbles of a block hold its first half, the high nibbles its second",
     "were read in halves", "take all low nibbles of a block, then all high ones"},
    {NULL, NULL, NULL, NULL}};

static const layout_value packing[] = {
    {"along rows", "the codes are packed along rows", "were read as packed along rows",
     "read a byte as two neighbours of a row"},
    {"along columns", "the codes are packed along columns", "were read as packed along columns",
     "read a byte as two neighbours of a column: byte (r, c) has rows 2r and 2r+1"},
    {"transposed", "the codes are those of the transposed matrix",
     "were read as those of the transposed matrix", "transpose the matrix of codes"},
    {NULL, NULL, NULL, NULL}};

static const layout_value elements4[] = {
    {"e2m1", "the codes are e2m1", "were read as e2m1", "read the codes as e2m1"},
    {"int4", "the codes are two's complement int4", "were read as int4",
     "read the codes as integers from -8 to 7"},
    {"uint4-8", "the codes are integers from 0 to 15, less 8", "were read as uint4-8",
     "read the codes as integers from 0 to 15, less 8"},
    {NULL, NULL, NULL, NULL}};

static const layout_value elements8[] = {
    {"e4m3", "the codes are e4m3", "were read as e4m3", "read the codes as e4m3"},
    {"e5m2", "the codes are e5m2", "were read as e5m2", "read the codes as e5m2"},
    {"e4m3fnuz", "the codes are e4m3fnuz", "were read as e4m3fnuz", "read the codes as e4m3fnuz"},
    {"e5m2fnuz", "the codes are e5m2fnuz", "were read as e5m2fnuz", "read the codes as e5m2fnuz"},
    {NULL, NULL, NULL, NULL}};

static const layout_value rows[] = {
    {"in order", "the rows are in order", "were read in order", "leave the rows in order"},
    {"of scales exchanged", "the scales have their halves of rows exchanged", "were read in order",
     "exchange the upper and the lower half of the rows of the scales"},
    {"of scales interleaved", "the scales have their halves of rows interleaved",
     "were read in order", "take the even rows of the scales, then the odd ones"},
    {"of scales split", "the scales have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of the scales"},
    {"of codes exchanged", "the codes have their halves of rows exchanged", "were read in order",
     "exchange the upper and the lower half of the rows of the codes"},
    {"of codes interleaved", "the codes have their halves of rows interleaved",
     "were read in order", "take the even rows of the codes, then the odd ones"},
    {"of codes split", "the codes have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of the codes"},
    {"of both exchanged", "codes and scales have their halves of rows exchanged",
     "were read in order", "exchange the upper and the lower half of the rows of codes and scales"},
    {"of both interleaved", "codes and scales have their halves of rows interleaved",
     "were read in order", "take the even rows of codes and scales, then the odd ones"},
    {"of both split", "codes and scales have the even rows first, then the odd ones",
     "were read in order", "interleave the two halves of the rows of codes and scales"},
    {NULL, NULL, NULL, NULL}};

static const layout_value blocks[] = {
    {"of 16", "the blocks are of 16 elements", "were read as of 16", "use blocks of 16"},
    {"of 32", "the blocks are of 32 elements", "were read as of 32", "use blocks of 32"},
    {"of 64", "the blocks are of 64 elements", "", "use blocks of 64"},
    {"of 128", "the blocks are of 128 elements", "were read as of 128", "use blocks of 128"},
    {"whole", "the blocks are whole rows or columns, or the whole matrix",
     "were read as whole rows or the whole matrix",
     "use one scale for all elements of a row or column, or of the matrix"},
    {NULL, NULL, NULL, NULL}};

static const layout_value along[] = {{"along rows", "the blocks are parts of rows",
                                      "were read as parts of rows", "take a block from a row"},
                                     {"along columns", "the blocks are parts of columns",
                                      "were read as parts of columns",
                                      "take a block from a column"},
                                     {"squares", "the blocks are squares", "were read as squares",
                                      "use one scale for as many rows as columns"},
                                     {NULL, NULL, NULL, NULL}};

static const layout_value place[] = {
    {"linear", "the scales are linear", "were read as linear",
     "read the scales as they are, row by row"},
    {"padded", "the scales are linear, each row padded to a multiple of 4", "were read as padded",
     "skip the padding at the end of each row of scales"},
    {"128x4", "the scales have the layout 128x4", "were read as 128x4",
     "softfp8 layout move --from 128x4 --to linear"},
    {"8x4", "the scales have the layout 8x4", "were read as 8x4",
     "softfp8 layout move --from 8x4 --to linear"},
    {"4-token", "the scales have the layout 4-token", "were read as 4-token",
     "softfp8 layout move --from 4-token --to linear"},
    {"from 128x4 though linear", "the scales were linear and went through the inverse of 128x4", "",
     "undo it: softfp8 layout move --from linear --to 128x4"},
    {"from 8x4 though linear", "the scales were linear and went through the inverse of 8x4", "",
     "undo it: softfp8 layout move --from linear --to 8x4"},
    {"from 4-token though linear", "the scales were linear and went through the inverse of 4-token",
     "", "undo it: softfp8 layout move --from linear --to 4-token"},
    {"128x4 twice", "the scales went to 128x4 twice", "",
     "twice: softfp8 layout move --from 128x4 --to linear"},
    {"in words by columns", "four scales of a row are a word, and the words lie column by column",
     "",
     "read byte (r, c) at 4 * (c / 4 * R + r) + c % 4; R is the rows, padded to a multiple of 4"},
    {NULL, NULL, NULL, NULL}};

static const layout_value turn[] = {
    {"by rows", "the scales are stored row by row", "were read as row by row",
     "leave the matrix of scales as it is"},
    {"transposed", "the scales are stored transposed, column by column", "were read as transposed",
     "transpose the matrix of scales"},
    {NULL, NULL, NULL, NULL}};

static const layout_value scale[] = {
    {"e4m3", "the scales are e4m3", "were read as e4m3", "read the scales as e4m3"},
    {"e4m3 without sign", "the scales are e4m3 whose bit 7 must be ignored", "",
     "clear bit 7 of the scales"},
    {"e8m0", "the scales are e8m0", "were read as e8m0", "read the scales as e8m0: 2^(byte - 127)"},
    {"e8m0 one too large", "the scales are e8m0 one too large, as with a bias of 128", "",
     "subtract 1 from each scale, or read it as 2^(byte - 128)"},
    {"e8m0 one too small", "the scales are e8m0 one too small, as with a bias of 126", "",
     "add 1 to each scale, or read it as 2^(byte - 126)"},
    {"e5m2", "the scales are e5m2", "", "read the scales as e5m2"},
    {"e4m3fnuz", "the scales are e4m3fnuz, half of e4m3", "",
     "read the scales as e4m3fnuz, or halve them"},
    {"as they are", "the scales are factors", "were read as factors", "multiply by the scales"},
    {"inverted", "the scales are the inverses of the factors", "", "divide by the scales"},
    {NULL, NULL, NULL, NULL}};

static const layout_value second[] = {
    {"as given", "g is right as given", "was used as given", "use g as it is"},
    {"inverted", "g is the inverse of what was given", "", "give 1/g instead"},
    {"twice", "g is to be applied twice", "", "apply g twice, or quantize without the second time"},
    {"not used", "g was not used when quantizing", "was not used", "leave g out, or give 1"},
    {"in the scales", "g is already in the scales, which were rounded with it", "",
     "leave g out: the scales contain it"},
    {"times 6", "g lacks a factor of 6", "", "multiply g by 6"},
    {"over 6", "g has a factor of 6 too many", "", "divide g by 6"},
    {NULL, NULL, NULL, NULL}};

const char *layout_axis_name(int axis)
{
    static const char *const names[AXES] = {"nibbles", "packing", "codes",  "rows",   "blocks",
                                            "blocks",  "scales",  "scales", "scales", "g"};
    return names[axis];
}

const layout_value *layout_value_at(int axis, int bits, int value)
{
    static const layout_value *const lists[AXES] = {order, packing, elements4, rows,  blocks,
                                                    along, turn,    place,     scale, second};
    const layout_value *list = axis == AXIS_ELEMENT && bits == 8 ? elements8 : lists[axis];
    for (int i = 0; i < value; i++) {
        if (!list[i].name)
            return NULL;
    }
    return list[value].name ? &list[value] : NULL;
}
