/* SPDX-License-Identifier: MIT */
/* list.h -- the links that are kernels: X(name, struct, words in, words out); Y where a warp
 * has an item, of as many words as the caller says
 */
#ifndef SOFTFP8_GPU_KERNELS_CHAIN_LIST_H
#define SOFTFP8_GPU_KERNELS_CHAIN_LIST_H

#define CHAIN_LINKS(X, Y)                                                                          \
    X("scale", scale, 1, 4)                                                                        \
    X("cast", cast, 2, 4)                                                                          \
    X("identical", identical, 9, 4)                                                                \
    X("scan", scan, 1, 4)                                                                          \
    Y("variance", variance, 0, 16)                                                                 \
    X("nan", nan, 12, 13)                                                                          \
    X("cache", cached, 9, 6)                                                                       \
    X("argmax", largest, 4, 3)                                                                     \
    X("cures", cures, 9, 136)

#endif
