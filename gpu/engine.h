/* SPDX-License-Identifier: MIT */
/* engine.h -- gpu_open, gpu_run: a sweep in chunks, with its rows and sums
 *
 * This text is compiled once for the GPU and once for this processor; shim.h hides the differences.
 * For a chunk three kinds of kernels compute the subject's codes, the oracle's codes, and the rows
 * and sums. Rows arrive in any order. They are sorted here, and joined if neighbours have the same
 * code.
 */
#ifndef SOFTFP8_GPU_ENGINE_H
#define SOFTFP8_GPU_ENGINE_H

#include "examine.h"
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>

namespace gpu
{

constexpr uint64_t rows_most = UINT64_C(1) << 20; /* of a lane */
constexpr uint64_t memory_most = UINT64_C(2) << 30;
constexpr int poison = 0xa5; /* fills memory before codes are written */

/* One call of gpu_run. */
struct sweep_run {
    const gpu_sweep *sweep;
    const gpu_device_subject *subject;
    const sampler *kernel;
    gpu_answer *answer;
    uint64_t chunk, room; /* inputs of a chunk, rows of a lane of it */
    /* on the device */
    unsigned char *out, *right;
    uint64_t *list;  /* the chunk's, if there is one */
    gpu_row *rows;   /* space for `room` rows a lane */
    uint64_t *count; /* of rows, a lane each */
    uint64_t *sums;  /* SUMS times CELLS numbers a lane */
    shim::clock clock;
    /* here */
    gpu_row *read;
    uint64_t row_room[GPU_LANES];
};

/* ---- the subject's kernel -------------------------------------------------------------------- */

template <int... part> const sampler *sampler_at(int row, std::integer_sequence<int, part...>)
{
    static const sampler *(*const tables[])(void) = {samplers<part>...};
    return &tables[row % GPU_PARTS]()[row / GPU_PARTS];
}

/* Returns why this subject cannot be run, or NULL. */
inline const char *find_kernel(sweep_run *r)
{
    size_t count;
    const gpu_device_subject *subjects = gpu_device_subjects(&count);
    r->subject = r->sweep->subject;
    if (r->subject < subjects || r->subject >= subjects + count)
        return "not a subject of the list";
    int row = static_cast<int>(r->subject - subjects);
    r->kernel = sampler_at(row, std::make_integer_sequence<int, GPU_PARTS>());
    if (r->kernel->row != row)
        return "the table of kernels has another row at this place";
    if (r->kernel->launch)
        return nullptr;
    static char text[GPU_TEXT];
    snprintf(text, sizeof text, "needs %s", r->subject->needs);
    return text;
}

/* ---- the oracle's kernel, and what looks at both --------------------------------------------- */

inline int same_format(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

template <class Word> const char *launch_judge(const sweep_run *r, inputs in, uint32_t random)
{
    const gpu_sweep *s = r->sweep;
    oracle rule = {s->from, s->to, s->policy, random, s->relu};
    Word *right = reinterpret_cast<Word *>(r->right);
    if constexpr (sizeof(Word) == 1) {
#define IF_IT_IS(name)                                                                             \
    if (same_format(s->from, SF8_F32) && same_format(s->to, sf8_##name##_format()))                \
        return shim::launch(judge<Word, f32_to_##name>{in, rule, right}, in.n);
        GPU_F32_TARGETS(IF_IT_IS)
#undef IF_IT_IS
    }
    return shim::launch(judge<Word, any_formats>{in, rule, right}, in.n);
}

template <class Word> const char *prepare_judge()
{
    const char *error = shim::prepare<judge<Word, any_formats>>();
    if constexpr (sizeof(Word) == 1) {
#define PREPARE(name) error = error ? error : shim::prepare<judge<Word, f32_to_##name>>();
        GPU_F32_TARGETS(PREPARE)
#undef PREPARE
    }
    return error;
}

/* Runs the lanes one after the other. The oracle runs again if a lane has a different random
 * number. */
template <class Word> const char *launch_examine(const sweep_run *r, inputs in, uint64_t base)
{
    const gpu_sweep *s = r->sweep;
    int lanes = r->subject->lanes;
    for (int lane = 0; lane < lanes; lane++) {
        const char *error = nullptr;
        if (s->check && (lane == 0 || s->random[lane] != s->random[lane - 1]))
            error = launch_judge<Word>(r, in, s->random[lane]);
        examine<Word> body = {
            reinterpret_cast<const Word *>(r->out),
            s->check ? reinterpret_cast<const Word *>(r->right) : nullptr,
            {r->rows + static_cast<uint64_t>(lane) * r->room, r->count + lane, r->room},
            r->sums + lane * SUMS * CELLS,
            base,
            in.n,
            lane,
            lanes};
        if (!error)
            error = shim::launch(body, in.n);
        if (error)
            return error;
    }
    return nullptr;
}

template <class Word> const char *prepare_word()
{
    const char *error = prepare_judge<Word>();
    return error ? error : shim::prepare<examine<Word>>();
}

inline const char *prepare_look(int bytes)
{
    switch (bytes) {
    case 1:
        return prepare_word<uint8_t>();
    case 2:
        return prepare_word<uint16_t>();
    case 4:
        return prepare_word<uint32_t>();
    default:
        return prepare_word<uint64_t>();
    }
}

inline const char *look(const sweep_run *r, inputs in, uint64_t base)
{
    switch (r->subject->out_bytes) {
    case 1:
        return launch_examine<uint8_t>(r, in, base);
    case 2:
        return launch_examine<uint16_t>(r, in, base);
    case 4:
        return launch_examine<uint32_t>(r, in, base);
    default:
        return launch_examine<uint64_t>(r, in, base);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

inline int by_index(const void *a, const void *b)
{
    uint64_t x = static_cast<const gpu_row *>(a)->index, y = static_cast<const gpu_row *>(b)->index;
    return x < y ? -1 : x > y;
}

/* Adds the sorted rows of a chunk to the lane's, as far as they fit. */
inline const char *append_rows(sweep_run *r, int which, uint64_t count)
{
    gpu_lane *lane = &r->answer->lane[which];
    for (uint64_t i = 0; i < count; i++) {
        if (lane->rows > 0 && lane->row[lane->rows - 1].code == r->read[i].code)
            continue;
        if (lane->rows == rows_most) {
            r->answer->too_many = 1;
            return nullptr;
        }
        if (lane->rows == r->row_room[which]) {
            uint64_t room = lane->rows ? 2 * lane->rows : 1024;
            void *more = realloc(lane->row, room * sizeof lane->row[0]);
            if (!more)
                return "realloc: out of memory";
            lane->row = static_cast<gpu_row *>(more);
            r->row_room[which] = room;
        }
        lane->row[lane->rows++] = r->read[i];
    }
    return nullptr;
}

/* Collects the rows of the chunk that was examined. Once there were too many, they are ignored. */
inline const char *gather_rows(sweep_run *r)
{
    uint64_t count[GPU_LANES];
    int lanes = r->subject->lanes;
    const char *error = shim::download(count, r->count, sizeof count);
    for (int lane = 0; lane < lanes && !error && !r->answer->too_many; lane++) {
        if (count[lane] > r->room) {
            r->answer->too_many = 1;
            break;
        }
        error = shim::download(r->read, r->rows + static_cast<uint64_t>(lane) * r->room,
                               count[lane] * sizeof r->read[0]);
        if (!error) {
            qsort(r->read, count[lane], sizeof r->read[0], by_index);
            error = append_rows(r, lane, count[lane]);
        }
    }
    return error;
}

inline const char *gather_sums(sweep_run *r)
{
    static uint64_t cell[GPU_LANES][SUMS][CELLS];
    const char *error = shim::download(cell, r->sums, sizeof cell);
    for (int i = 0; i < r->subject->lanes && !error; i++) {
        gpu_lane *lane = &r->answer->lane[i];
        for (int j = 0; j < CELLS; j++) {
            lane->sum += cell[i][SUM][j];
            lane->weighted += cell[i][WEIGHTED][j];
            lane->right_sum += cell[i][RIGHT_SUM][j];
            lane->right_weighted += cell[i][RIGHT_WEIGHTED][j];
            lane->differ += cell[i][DIFFER][j];
        }
    }
    return error;
}

/* ---- a sweep --------------------------------------------------------------------------------- */

/* The size of a chunk: what fits into the device's memory, at most the inputs of the sweep. */
inline const char *choose_chunk(sweep_run *r)
{
    uint64_t unused = 0;
    const char *error = shim::free_bytes(&unused);
    uint64_t most = unused / 2 < memory_most ? unused / 2 : memory_most;
    uint64_t bytes = static_cast<uint64_t>(r->subject->out_bytes);
    uint64_t each = bytes * static_cast<uint64_t>(r->subject->lanes + 1) + (r->sweep->list ? 8 : 0);
    r->chunk = shim::chunk_most();
    while (r->chunk > 1024 && r->chunk * each > most)
        r->chunk /= 2;
    if (r->chunk > r->sweep->count)
        r->chunk = r->sweep->count;
    r->room = r->chunk < rows_most ? r->chunk : rows_most;
    return error;
}

inline const char *begin(sweep_run *r)
{
    const char *error = find_kernel(r);
    if (!error)
        error = choose_chunk(r);
    if (error)
        return error;
    uint64_t bytes = static_cast<uint64_t>(r->subject->out_bytes);
    uint64_t lanes = static_cast<uint64_t>(r->subject->lanes);
    r->answer->lanes = r->subject->lanes;
    r->read = static_cast<gpu_row *>(malloc((r->room + 1) * sizeof r->read[0]));
    if (!r->read)
        return "malloc: out of memory";
    error = r->clock.begin();
    if (!error)
        error = shim::allocate(&r->out, r->chunk * lanes * bytes);
    if (!error && r->sweep->check)
        error = shim::allocate(&r->right, r->chunk * bytes);
    if (!error && r->sweep->list)
        error = shim::allocate(&r->list, r->chunk * sizeof r->list[0]);
    if (!error)
        error = shim::allocate(&r->rows, r->room * lanes * sizeof r->rows[0]);
    if (!error)
        error = shim::allocate(&r->count, GPU_LANES * sizeof r->count[0]);
    uint64_t sums = GPU_LANES * SUMS * CELLS * sizeof r->sums[0];
    if (!error)
        error = shim::allocate(&r->sums, sums);
    if (!error)
        error = shim::fill(r->sums, 0, sums);
    if (!error)
        error = r->kernel->prepare();
    return error ? error : prepare_look(r->subject->out_bytes);
}

/* The times are those of the kernels: memory is filled and the inputs are copied before. */
inline const char *run_chunk(sweep_run *r, uint64_t base, uint32_t n)
{
    uint64_t bytes = static_cast<uint64_t>(r->subject->lanes * r->subject->out_bytes);
    inputs in = {r->sweep->list ? r->list : nullptr, base, n};
    const char *error = shim::fill(r->out, poison, n * bytes);
    if (!error)
        error = shim::fill(r->count, 0, GPU_LANES * sizeof r->count[0]);
    if (!error && in.list)
        error = shim::upload(r->list, r->sweep->list + base, n * sizeof r->list[0]);
    if (!error)
        error = r->clock.mark(0);
    if (!error)
        error = r->kernel->launch(in, r->out);
    if (!error)
        error = r->clock.mark(1);
    if (!error)
        error = look(r, in, base);
    if (!error)
        error = r->clock.mark(2);
    if (!error)
        error = r->clock.wait();
    double subject = 0, all = 0;
    if (!error)
        error = r->clock.seconds(0, 1, &subject);
    if (!error)
        error = r->clock.seconds(0, 2, &all);
    r->answer->subject_seconds += subject;
    r->answer->seconds += all;
    return error || r->answer->too_many ? error : gather_rows(r);
}

/* Gives everything back; what was wrong before is worth more than what is wrong now, and is kept in
 * a text of its own: the shim has one for all failures. */
inline const char *end(sweep_run *r, const char *error)
{
    static char before[2 * GPU_TEXT];
    if (error) {
        snprintf(before, sizeof before, "%s", error);
        error = before;
    }
    void *memory[] = {r->out, r->right, r->list, r->rows, r->count, r->sums};
    for (void *one : memory) {
        const char *now = one ? shim::release(one) : nullptr;
        error = error ? error : now;
    }
    const char *now = r->kernel ? r->clock.end() : nullptr;
    free(r->read);
    return error ? error : now;
}

inline void drop_rows(gpu_answer *answer)
{
    for (gpu_lane &lane : answer->lane) {
        free(lane.row);
        lane.row = nullptr;
        lane.rows = 0;
    }
}

} // namespace gpu

const char *gpu_open(gpu_device *device)
{
    memset(device, 0, sizeof *device);
    return shim::open(device);
}

const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer)
{
    gpu::sweep_run r = {};
    memset(answer, 0, sizeof *answer);
    r.sweep = sweep;
    r.answer = answer;
    const char *error = gpu::begin(&r);
    for (uint64_t base = 0; base < sweep->count && !error; base += r.chunk) {
        uint64_t left = sweep->count - base;
        error = gpu::run_chunk(&r, base, static_cast<uint32_t>(left < r.chunk ? left : r.chunk));
    }
    if (!error)
        error = gpu::gather_sums(&r);
    error = gpu::end(&r, error);
    if (error || answer->too_many)
        gpu::drop_rows(answer);
    if (error)
        memset(answer, 0, sizeof *answer);
    return error;
}

void gpu_answer_free(gpu_answer *answer)
{
    gpu::drop_rows(answer);
    memset(answer, 0, sizeof *answer);
}

#endif
