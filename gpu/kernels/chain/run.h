/* SPDX-License-Identifier: MIT */
/* run.h -- the kernels of the chain by their number in the list, and how one is run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_CHAIN_RUN_H
#define SOFTFP8_GPU_KERNELS_CHAIN_RUN_H

#include "kernels/chain/chain.h"
#include "kernels/chain/list.h"
#include "kernels/timing.h"

namespace kernels
{

constexpr int chain_poison = 0xa5, chain_guard = 256;
constexpr size_t chain_most = size_t{1} << 26; /* words */

template <class Link>
const char *launch_items(const uint32_t *from, uint32_t *to, uint32_t, uint32_t count)
{
    const char *error = shim::prepare<chain_items<Link>>();
    chain_items<Link> body = {from, to, count};
    return error ? error : shim::launch(body, count);
}

inline const char *launch_variance(const uint32_t *from, uint32_t *to, uint32_t n, uint32_t count)
{
    const char *error = shim::prepare_warps<chain_variance>();
    chain_variance body = {from, to, n, count};
    return error ? error : shim::launch_warps(body);
}

struct chain_launcher {
    const char *(*launch)(const uint32_t *from, uint32_t *to, uint32_t n, uint32_t count);
    int in, out;
};

#define CHAIN_ITEMS(name, link, in_words, out_words)                                               \
    {launch_items<links::link>, links::link::in, links::link::out},
#define CHAIN_WARPS(name, link, in_words, out_words)                                               \
    {launch_variance, in_words, chain_variance::out},
static const chain_launcher chain_launchers[] = {CHAIN_LINKS(CHAIN_ITEMS, CHAIN_WARPS)};

/* A guard follows the memory that is written. */
inline const char *check_guard(const unsigned char *guard)
{
    for (int i = 0; i < chain_guard; i++)
        if (guard[i] != chain_poison)
            return "it wrote beyond its words";
    return nullptr;
}

inline const char *run_link(const chain_launcher &k, size_t n, const uint32_t *in, uint32_t *out,
                            size_t count)
{
    size_t in_bytes = 4 * n * count, out_bytes = 4 * static_cast<size_t>(k.out) * count;
    unsigned char *from = nullptr, *to = nullptr, guard[chain_guard];
    const char *error = shim::allocate(&from, in_bytes);
    if (!error)
        error = shim::allocate(&to, out_bytes + chain_guard);
    if (!error)
        error = shim::fill(to, chain_poison, out_bytes + chain_guard);
    if (!error)
        error = shim::upload(from, in, in_bytes);
    if (!error)
        error = k.launch(reinterpret_cast<uint32_t *>(from), reinterpret_cast<uint32_t *>(to),
                         static_cast<uint32_t>(n), static_cast<uint32_t>(count));
    if (!error)
        error = shim::download(out, to, out_bytes);
    if (!error)
        error = shim::download(guard, to + out_bytes, chain_guard);
    if (!error)
        error = check_guard(guard);
    unsigned char *both[] = {from, to};
    for (unsigned char *p : both) {
        const char *now = p ? shim::release(p) : nullptr;
        error = error ? error : now;
    }
    return error;
}

} // namespace kernels

const char *gpu_link_run(const gpu_link *link, size_t n, const uint32_t *in, uint32_t *out,
                         size_t count)
{
    size_t rows, row = static_cast<size_t>(link - gpu_links(&rows));
    if (row >= rows || rows != sizeof kernels::chain_launchers / sizeof kernels::chain_launchers[0])
        return "not a link of the list";
    const kernels::chain_launcher &k = kernels::chain_launchers[row];
    if (k.in != link->in || k.out != link->out || (k.in && n != static_cast<size_t>(k.in)))
        return "not the words of this link";
    if (n == 0 || n > 8192 || count > kernels::chain_most / n)
        return "too many words";
    return kernels::run_link(k, n, in, out, count);
}

#endif
