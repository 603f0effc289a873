/* SPDX-License-Identifier: MIT */
/* guarded.h -- an array of the caller's on the device: copied there and back, and compared with its
 * original contents */
#ifndef SOFTFP8_GPU_KERNELS_GUARDED_H
#define SOFTFP8_GPU_KERNELS_GUARDED_H

#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace kernels
{

constexpr int guard_bytes = 256, guard_byte = 0xa5;

/* An array of the caller's and its place on the device, `skew` bytes beyond a multiple of 16, with
 * a guard before it and one behind it. Copies may follow, each with guards. */
struct guarded {
    const void *here;
    void *back; /* where it is copied afterwards; NULL: it must be unchanged */
    size_t bytes, skew;
    const char *name;
    unsigned char *room, *there;
    uint64_t copies;

    /* From one copy to the next. */
    size_t stride() const
    {
        return (bytes + skew + 2 * guard_bytes + 15) / 16 * 16;
    }
    /* If there is room already, the array is in it. */
    const char *put()
    {
        const char *error = room ? nullptr : copy_there();
        there = room + guard_bytes + skew;
        return error;
    }
    const char *copy_there()
    {
        const char *error = shim::allocate(&room, copies * stride());
        if (error)
            return error;
        error = shim::fill(room, guard_byte, copies * stride());
        for (uint64_t i = 0; i < copies && bytes && !error; i++)
            error = shim::upload(room + guard_bytes + skew + i * stride(), here, bytes);
        return error;
    }
    /* Copies back what was written, and checks the guards around it. */
    const char *get() const
    {
        static char wrong[GPU_TEXT];
        unsigned char guard[2 * guard_bytes];
        size_t before = guard_bytes + skew;
        const char *error = bytes == 0 ? nullptr
                            : back     ? shim::download(back, there, bytes)
                                       : same();
        for (int side = 0; side < 2 && !error; side++) {
            size_t n = side ? static_cast<size_t>(guard_bytes) : before;
            error = shim::download(guard, side ? there + bytes : room, n);
            for (size_t i = 0; i < n && !error; i++) {
                if (guard[i] == guard_byte)
                    continue;
                snprintf(wrong, sizeof wrong, "it wrote %s its %s", side ? "beyond" : "before",
                         name);
                error = wrong;
            }
        }
        return error;
    }
    const char *same() const
    {
        static char wrong[GPU_TEXT];
        unsigned char *now = static_cast<unsigned char *>(malloc(bytes));
        const char *error = now ? shim::download(now, there, bytes) : "no memory";
        if (!error && memcmp(now, here, bytes) != 0) {
            snprintf(wrong, sizeof wrong, "it wrote to its %s", name);
            error = wrong;
        }
        free(now);
        return error;
    }
};

} // namespace kernels

#endif
