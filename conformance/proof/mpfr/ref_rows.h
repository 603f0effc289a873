/* SPDX-License-Identifier: MIT */
/* ref_rows.h -- the formats of docs/spec/formats.md by hand, and formats that a user may make
 *
 * A row has the name; the bits of exponent and mantissa; signed; bias; NaNs; infinity; zero. It is
 * copied from the document and not from the library, with which the proof compares it.
 */
#ifndef REF_ROWS_H
#define REF_ROWS_H

/* clang-format off */
#define REF_NARROW_ROWS(X)                                                                         \
    X(e4m3, 4, 3, 1, 7, REF_NANS_TOP, 0, 1)                                                        \
    X(e5m2, 5, 2, 1, 15, REF_NANS_IEEE, 1, 1)                                                      \
    X(e2m1, 2, 1, 1, 1, REF_NANS_NONE, 0, 1)                                                       \
    X(e3m2, 3, 2, 1, 3, REF_NANS_NONE, 0, 1)                                                       \
    X(e2m3, 2, 3, 1, 1, REF_NANS_NONE, 0, 1)                                                       \
    X(e8m0, 8, 0, 0, 127, REF_NANS_TOP, 0, 0)                                                      \
    X(ue4m3, 4, 3, 0, 7, REF_NANS_TOP, 0, 1)                                                       \
    X(ue5m3, 5, 3, 0, 15, REF_NANS_TOP, 0, 1)                                                      \
    X(e4m3fnuz, 4, 3, 1, 8, REF_NANS_NEG_ZERO, 0, 1)                                               \
    X(e5m2fnuz, 5, 2, 1, 16, REF_NANS_NEG_ZERO, 0, 1)                                              \
    X(e4m3b11fnuz, 4, 3, 1, 11, REF_NANS_NEG_ZERO, 0, 1)                                           \
    X(e4m3ieee, 4, 3, 1, 7, REF_NANS_IEEE, 1, 1)                                                   \
    X(e3m4, 3, 4, 1, 3, REF_NANS_IEEE, 1, 1)                                                       \
    X(e4m3b15, 4, 3, 1, 15, REF_NANS_NONE, 0, 1)                                                   \
    X(p3109_k8p4se, 4, 3, 1, 8, REF_NANS_NEG_ZERO, 1, 1)                                           \
    X(p3109_k8p3se, 5, 2, 1, 16, REF_NANS_NEG_ZERO, 1, 1)                                          \
    X(p3109_k8p4sf, 4, 3, 1, 8, REF_NANS_NEG_ZERO, 0, 1)                                           \
    X(p3109_k8p3sf, 5, 2, 1, 16, REF_NANS_NEG_ZERO, 0, 1)

#define REF_WIDE_ROWS(X)                                                                           \
    X(f16, 5, 10, 1, 15, REF_NANS_IEEE, 1, 1)                                                      \
    X(bf16, 8, 7, 1, 127, REF_NANS_IEEE, 1, 1)                                                     \
    X(tf32, 8, 10, 1, 127, REF_NANS_IEEE, 1, 1)                                                    \
    X(f32, 8, 23, 1, 127, REF_NANS_IEEE, 1, 1)                                                     \
    X(f64, 11, 52, 1, 1023, REF_NANS_IEEE, 1, 1)

/* Formats of P3109 with more than 8 bits, 2 with the most bits of exponent that this library has,
 * and with precisions from 1 to K. */
#define REF_LONG_ROWS(X)                                                                           \
    X(p3109_k9p4se, 5, 3, 1, 16, REF_NANS_NEG_ZERO, 1, 1)                                          \
    X(p3109_k9p5uf, 5, 4, 0, 16, REF_NANS_TOP, 0, 1)                                               \
    X(p3109_k10p1se, 9, 0, 1, 256, REF_NANS_NEG_ZERO, 1, 1)                                        \
    X(p3109_k11p5ue, 7, 4, 0, 64, REF_NANS_TOP, 1, 1)                                              \
    X(p3109_k12p2sf, 10, 1, 1, 512, REF_NANS_NEG_ZERO, 0, 1)                                       \
    X(p3109_k12p8se, 4, 7, 1, 8, REF_NANS_NEG_ZERO, 1, 1)                                          \
    X(p3109_k14p4se, 10, 3, 1, 512, REF_NANS_NEG_ZERO, 1, 1)                                       \
    X(p3109_k15p5ue, 11, 4, 0, 1024, REF_NANS_TOP, 1, 1)                                           \
    X(p3109_k16p8uf, 9, 7, 0, 256, REF_NANS_TOP, 0, 1)                                             \
    X(p3109_k16p11se, 5, 10, 1, 16, REF_NANS_NEG_ZERO, 1, 1)                                       \
    X(p3109_k16p6sf, 10, 5, 1, 512, REF_NANS_NEG_ZERO, 0, 1)                                       \
    X(p3109_k16p16uf, 1, 15, 0, 1, REF_NANS_TOP, 0, 1)

/* Every kind of NaN with and without infinity, signed and not; one exponent bit, where only
 * subnormals are finite; precision 1; numbers that are all integers; extreme biases. */
#define REF_OWN_ROWS(X)                                                                            \
    X(own0, 2, 2, 1, 1, REF_NANS_NONE, 1, 1)                                                       \
    X(own1, 3, 2, 1, 3, REF_NANS_NONE, 1, 1)                                                       \
    X(own2, 3, 2, 0, 3, REF_NANS_NONE, 0, 1)                                                       \
    X(own3, 3, 3, 0, 3, REF_NANS_NONE, 1, 1)                                                       \
    X(own4, 4, 0, 1, 7, REF_NANS_NONE, 0, 1)                                                       \
    X(own5, 4, 0, 1, 7, REF_NANS_TOP, 1, 1)                                                        \
    X(own6, 4, 0, 0, 7, REF_NANS_TOP, 1, 0)                                                        \
    X(own7, 5, 0, 0, 15, REF_NANS_NONE, 0, 0)                                                      \
    X(own8, 5, 0, 0, 15, REF_NANS_NONE, 1, 0)                                                      \
    X(own9, 5, 0, 0, -4, REF_NANS_TOP, 0, 0)                                                       \
    X(own10, 3, 0, 0, 40, REF_NANS_TOP, 0, 0)                                                      \
    X(own11, 3, 3, 1, 3, REF_NANS_TOP, 1, 1)                                                       \
    X(own12, 4, 2, 0, 7, REF_NANS_IEEE, 1, 1)                                                      \
    X(own13, 3, 1, 1, 3, REF_NANS_IEEE, 1, 1)                                                      \
    X(own14, 1, 3, 1, 1, REF_NANS_IEEE, 1, 1)                                                      \
    X(own15, 1, 3, 1, 0, REF_NANS_TOP, 0, 1)                                                       \
    X(own16, 1, 5, 1, 5, REF_NANS_NONE, 0, 1)                                                      \
    X(own17, 1, 6, 1, 1, REF_NANS_NONE, 0, 1)                                                      \
    X(own18, 2, 4, 1, 1, REF_NANS_IEEE, 1, 1)                                                      \
    X(own19, 3, 3, 1, -2, REF_NANS_NEG_ZERO, 0, 1)                                                 \
    X(own20, 3, 2, 1, 2048, REF_NANS_NEG_ZERO, 1, 1)                                               \
    X(own21, 4, 2, 1, -2048, REF_NANS_TOP, 0, 1)                                                   \
    X(own22, 4, 3, 0, 1100, REF_NANS_TOP, 1, 1)                                                    \
    X(own23, 5, 1, 1, 15, REF_NANS_NEG_ZERO, 1, 1)                                                 \
    X(own24, 5, 1, 1, 15, REF_NANS_IEEE, 1, 1)                                                     \
    X(own25, 6, 0, 1, 31, REF_NANS_NONE, 1, 1)                                                     \
    X(own26, 6, 0, 1, 31, REF_NANS_NEG_ZERO, 0, 1)                                                 \
    X(own27, 2, 1, 0, 1, REF_NANS_NONE, 0, 1)                                                      \
    X(own28, 2, 4, 0, 2, REF_NANS_TOP, 1, 1)                                                       \
    X(own29, 3, 3, 1, 3, REF_NANS_NONE, 0, 1)                                                      \
    X(own30, 6, 0, 0, 31, REF_NANS_TOP, 0, 0)                                                      \
    X(own31, 7, 0, 1, 63, REF_NANS_TOP, 0, 1)                                                      \
    X(own32, 4, 2, 1, -20, REF_NANS_IEEE, 1, 1)                                                    \
    X(own33, 1, 1, 0, 0, REF_NANS_NONE, 0, 1)                                                      \
    X(own34, 2, 5, 1, 70, REF_NANS_NONE, 0, 1)                                                     \
    X(own35, 3, 4, 1, -60, REF_NANS_IEEE, 1, 1)                                                    \
    X(own36, 1, 0, 1, 1, REF_NANS_NONE, 0, 1)                                                      \
    X(own37, 2, 0, 1, 1, REF_NANS_TOP, 1, 1)                                                       \
    X(own38, 1, 0, 0, 3, REF_NANS_NONE, 0, 0)
/* clang-format on */

#endif
