/* SPDX-License-Identifier: MIT */
/* list.h -- the steps that are kernels: X(name, struct, numbers in, numbers out); Y where a warp
 * has an item, of as many numbers as the caller chooses */
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
