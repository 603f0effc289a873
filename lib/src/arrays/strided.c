/* SPDX-License-Identifier: MIT */
/* strided.c -- conversions of arrays whose elements do not lie next to each other */
#include "arrays/array.h"

/* Returns 1 if n elements at this stride are inside the address space. */
static int sf8_stride_fits(size_t n, ptrdiff_t stride, size_t width)
{
    size_t distance = stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
    return distance == 0 || n <= PTRDIFF_MAX / width / distance;
}

sf8_status sf8_convert_strided_n(sf8_format to, void *dst, ptrdiff_t dst_stride, sf8_format from,
                                 const void *src, ptrdiff_t src_stride, size_t n, sf8_policy policy)
{
    enum { PIECE = 512 };
    uint64_t in[PIECE], out[PIECE];
    sf8_status status = sf8_array_check(to, from, n, policy.round == SF8_SR);
    if (status != SF8_OK || n == 0)
        return status;
    size_t wide = sf8_array_width(from), narrow = sf8_array_width(to);
    if (!sf8_stride_fits(n, src_stride, wide) || !sf8_stride_fits(n, dst_stride, narrow) ||
        (dst_stride == 0 && n > 1) || !dst || !src)
        return SF8_BAD_CALL;
    if (dst_stride == 1 && src_stride == 1)
        return sf8_convert_n(to, dst, from, src, n, policy);
    const unsigned char *read = (const unsigned char *)src;
    unsigned char *write = (unsigned char *)dst;
    ptrdiff_t read_step = src_stride * (ptrdiff_t)wide, write_step = dst_stride * (ptrdiff_t)narrow;
    for (size_t done = 0; done < n; done += PIECE) {
        size_t count = n - done < (size_t)PIECE ? n - done : (size_t)PIECE;
        for (size_t i = 0; i < count; i++)
            sf8_array_store(in, i, wide,
                            sf8_array_load(read + (ptrdiff_t)(done + i) * read_step, 0, wide));
        sf8_convert_n(to, out, from, in, count, policy);
        for (size_t i = 0; i < count; i++)
            sf8_array_store(write + (ptrdiff_t)(done + i) * write_step, 0, narrow,
                            sf8_array_load(out, i, narrow));
    }
    return SF8_OK;
}
