/* SPDX-License-Identifier: MIT */
/* sample.h -- a subject's kernel: its codes for a chunk of inputs
 *
 * Each lane gets all inputs, in an order of its own, so that the elements of a tuple differ:
 * lane 1 from the last to the first, 2 and 3 turned by half the chunk. The codes are stored
 * as words, the lanes of a tuple side by side.
 */
#ifndef SOFTFP8_GPU_SAMPLE_H
#define SOFTFP8_GPU_SAMPLE_H

#include "shim.h"
#include "subjects.h"

namespace gpu
{

/* A chunk of inputs: its list, or (NULL) the numbers from `base` on. */
struct inputs {
    const uint64_t *list;
    uint64_t base;
    uint32_t n;

    SHIM_FN uint64_t at(uint32_t i) const
    {
        return list ? list[i] : base + i;
    }
};

/* Where input i of n stands in a lane. */
SHIM_FN inline uint32_t place_of(uint32_t i, uint32_t n, int lane)
{
    uint32_t turn = n / 2;
    if (lane & 2)
        i = i + turn < n ? i + turn : i + turn - n;
    return lane & 1 ? n - 1 - i : i;
}

/* Which input stands there. */
SHIM_FN inline uint32_t input_at(uint32_t place, uint32_t n, int lane)
{
    uint32_t turn = n / 2, i = lane & 1 ? n - 1 - place : place;
    if (lane & 2)
        i = i >= turn ? i - turn : i + n - turn;
    return i;
}

/* The words of a tuple as one object, stored at once where they are no more than 16 bytes. */
template <class Word, int lanes>
struct alignas(sizeof(Word) * lanes > 16 ? 16 : sizeof(Word) * lanes) tuple {
    Word word[lanes];
};

template <int row> struct sample {
    inputs in;
    void *out;

    SHIM_FN void run(shim::place at) const
    {
        using In = typename subject<row>::In;
        using Out = typename subject<row>::Out;
        tuple<typename Out::word, Out::lanes> *to =
            static_cast<tuple<typename Out::word, Out::lanes> *>(out);
        static_assert(In::lanes == Out::lanes, "as many words out as in");
        for (uint32_t t = at.first(); t < in.n; t += at.stride()) {
            tuple<typename In::word, In::lanes> x;
            tuple<typename Out::word, Out::lanes> y;
            for (int lane = 0; lane < In::lanes; lane++)
                x.word[lane] = static_cast<typename In::word>(in.at(input_at(t, in.n, lane)));
            Out::store(subject<row>::Call::of(In::load(x.word)), y.word);
            to[t] = y;
        }
    }
};

/* ---- the kernels of all rows, dealt out over several files ------------------------------------
 */

struct sampler {
    int row; /* its own number: what looks a kernel up compares it */
    const char *(*prepare)(void);
    const char *(*launch)(inputs in, void *out);
};

template <int row> const char *launch_sample(inputs in, void *out)
{
    return shim::launch(sample<row>{in, out}, in.n);
}

/* Both NULL where the target does not have what the row needs. */
template <int row> constexpr sampler sampler_of()
{
    if constexpr (subject<row>::runs)
        return {row, shim::prepare<sample<row>>, launch_sample<row>};
    else
        return {row, nullptr, nullptr};
}

/* The rows with row % GPU_PARTS == part, by row / GPU_PARTS; from the file that has this part. */
template <int part> const sampler *samplers();

} // namespace gpu

#endif
