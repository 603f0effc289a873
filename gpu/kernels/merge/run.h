/* SPDX-License-Identifier: MIT */
/* run.h -- the kernels that join parts by their number in the list, and how one is run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_MERGE_RUN_H
#define SOFTFP8_GPU_KERNELS_MERGE_RUN_H

#include "kernels/guarded.h"
#include "kernels/merge/merge.h"
#include "kernels/merge/list.h"
#include "kernels/timing.h"

namespace kernels
{

namespace merging
{

constexpr size_t merge_most = size_t{1} << 28; /* words of all parts */

enum { OUT, LSE, SUMS, TO, TO_LSE, ARRAYS };

template <class Rule, class Words> const char *launch_rows(const gpu_merge *m, guarded *a)
{
    using word = typename Words::word;
    const uint32_t rows = static_cast<uint32_t>(m->rows);
    const uint32_t channels = static_cast<uint32_t>(m->channels);
    const uint32_t pieces = (channels + EACH - 1) / EACH;
    merge_rows<Rule, Words> body = {{reinterpret_cast<const word *>(a[OUT].there),
                                     reinterpret_cast<const uint32_t *>(a[LSE].there),
                                     reinterpret_cast<const uint32_t *>(a[SUMS].there),
                                     static_cast<uint32_t>(m->parts), rows, channels,
                                     static_cast<uint32_t>(m->fuse)},
                                    reinterpret_cast<word *>(a[TO].there),
                                    reinterpret_cast<uint32_t *>(a[TO_LSE].there),
                                    static_cast<uint32_t>(m->joined),
                                    divider_of(pieces)};
    const char *error = shim::prepare<merge_rows<Rule, Words>>();
    return error ? error : shim::launch(body, static_cast<uint64_t>(rows) * pieces);
}

struct launcher {
    const char *(*launch)(const gpu_merge *m, guarded *a);
    size_t word_bytes;
    bool sums;
};

#define MERGE_LAUNCH(name, rule, words, sums, theirs)                                              \
    {launch_rows<rule, words##_words>, sizeof(words##_words::word), sums},
static const launcher launchers[] = {MERGE_LIST(MERGE_LAUNCH)};
constexpr size_t launcher_count = sizeof launchers / sizeof launchers[0];

inline const char *refuse(const gpu_merge *m)
{
    const bool power = (m->parts & (m->parts - 1)) == 0;
    if (m->parts == 0 || m->parts > MOST || m->joined > m->rows ||
        (strcmp(m->kernel->rule, "segments") == 0 && !power))
        return "not parts of this kernel";
    if (m->rows == 0 || m->channels == 0 || m->channels > merge_most ||
        m->rows > merge_most / m->channels / m->parts)
        return "too many words, or none";
    return nullptr;
}

/* Whether what is on the device now is right, out and lse. */
inline const char *is_right(const gpu_merge *m, const guarded *a, unsigned char *room, bool *right)
{
    const char *error = shim::download(room, a[TO].there, a[TO].bytes);
    *right = !error && memcmp(room, m->right_out, a[TO].bytes) == 0;
    if (!error)
        error = shim::download(room, a[TO_LSE].there, a[TO_LSE].bytes);
    *right = *right && memcmp(room, m->right_lse, a[TO_LSE].bytes) == 0;
    return error;
}

/* The parts are on the device already. */
inline const char *launch_again(const launcher &k, const gpu_merge *m, guarded *a)
{
    unsigned char *room = static_cast<unsigned char *>(malloc(a[TO].bytes + a[TO_LSE].bytes));
    const char *error = room ? nullptr : "no memory";
    bool right = true;
    for (int i = 0; i < m->times && !error; i++) {
        error = is_right(m, a, room, &right);
        if (!right)
            break;
        if (!error)
            error = shim::fill(a[TO].there, 0x5a, a[TO].bytes);
        if (!error)
            error = shim::fill(a[TO_LSE].there, 0x5a, a[TO_LSE].bytes);
        if (!error)
            error = k.launch(m, a);
    }
    free(room);
    return error;
}

inline const char *run_merge(const launcher &k, const gpu_merge *m)
{
    const size_t rows = 4 * m->rows, words = m->rows * m->channels * k.word_bytes;
    guarded a[ARRAYS] = {
        {m->part_out, nullptr, m->parts * words, 0, "parts", nullptr, nullptr, 1},
        {m->part_lse, nullptr, m->parts * rows, 0, "lse of parts", nullptr, nullptr, 1},
        {m->part_sum, nullptr, k.sums ? m->parts * rows : 0, 0, "sums", nullptr, nullptr, 1},
        {m->out, m->out, words, 0, "output", nullptr, nullptr, 1},
        {m->lse, m->lse, rows, 0, "lse", nullptr, nullptr, 1},
    };
    const char *error = nullptr;
    for (int i = 0; i < ARRAYS && !error; i++)
        error = a[i].put();
    if (!error)
        error = k.launch(m, a);
    if (!error && m->times > 0)
        error = launch_again(k, m, a);
    for (int i = 0; i < ARRAYS && !error; i++)
        error = a[i].get();
    static char kept[2 * GPU_TEXT]; /* the shim has a single buffer for messages */
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    for (const guarded &x : a) {
        const char *now = x.room ? shim::release(x.room) : nullptr;
        error = error ? error : now;
    }
    return error;
}

} // namespace merging

} // namespace kernels

const char *gpu_merge_run(const gpu_merge *m)
{
    size_t count, row = static_cast<size_t>(m->kernel - gpu_merges(&count));
    if (row >= count || count != kernels::merging::launcher_count)
        return "not a kernel of the list";
    const char *wrong = kernels::merging::refuse(m);
    return wrong ? wrong : kernels::merging::run_merge(kernels::merging::launchers[row], m);
}

#endif
