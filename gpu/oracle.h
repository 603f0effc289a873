/* SPDX-License-Identifier: MIT */
/* oracle.h -- the oracle's kernel: the right code for each input of a chunk, by the core
 *
 * The same text makes the right codes on the host.
 */
#ifndef SOFTFP8_GPU_ORACLE_H
#define SOFTFP8_GPU_ORACLE_H

#include "sample.h"

#include "softfp8/core.h"

namespace gpu
{

struct oracle {
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
    int relu;
};

/* The formats: what the sweep says; or f32 and a target known when compiling, which takes less than
 * half the time. These are the long sweeps. */
struct any_formats {
    SHIM_FN static sf8_format from(const oracle &rule)
    {
        return rule.from;
    }
    SHIM_FN static sf8_format to(const oracle &rule)
    {
        return rule.to;
    }
};

#define GPU_F32_TARGETS(X) X(e4m3) X(e5m2) X(e3m2) X(e2m3) X(e2m1) X(e8m0)
#define GPU_F32_TO(name)                                                                           \
    struct f32_to_##name {                                                                         \
        SHIM_FN static sf8_format from(const oracle &)                                             \
        {                                                                                          \
            return SF8_F32;                                                                        \
        }                                                                                          \
        SHIM_FN static sf8_format to(const oracle &)                                               \
        {                                                                                          \
            return sf8_##name##_format();                                                          \
        }                                                                                          \
    };
GPU_F32_TARGETS(GPU_F32_TO)
#undef GPU_F32_TO

template <class Word, class Formats> struct judge {
    inputs in;
    oracle rule;
    Word *right;

    SHIM_FN void run(shim::place at) const
    {
        sf8_format to = Formats::to(rule), from = Formats::from(rule);
        for (uint32_t i = at.first(); i < in.n; i += at.stride()) {
            uint64_t code = sf8_core_convert(to, from, in.at(i), rule.policy, rule.random).code;
            if (rule.relu && sf8_core_sign(to, code) && !sf8_is_nan(to, code))
                code = 0;
            right[i] = static_cast<Word>(code);
        }
    }
};

} // namespace gpu

#endif
