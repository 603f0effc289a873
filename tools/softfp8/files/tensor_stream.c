/* SPDX-License-Identifier: MIT */
/* tensor_stream.c -- a tensor in a file, read in pieces */
#include "files/tensor_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sides ----------------------------------------------------------------------------------- */

/* Whether no memory could hold that many words: their number to *words. */
static int too_large(const tensor_sides *s, size_t *words)
{
    *words = s->size[0];
    for (int i = 1; i < s->count; i++) {
        if (!tensor_shape_good(*words, s->size[i]))
            return 1;
        *words *= s->size[i];
    }
    return 0;
}

void tensor_sides_take(void *place, const cli_option *o, const char *text)
{
    tensor_sides s = {.count = 0};
    (void)o;
    s.count = sizes_read(text, s.size, 3);
    if (s.count < 2)
        fail("expected TOKENS,CHANNELS or TOKENS,HEADS,SIZE");
    *(tensor_sides *)place = s;
}

/* ---- the head -------------------------------------------------------------------------------- */

static tensor_shape shape_of(const tensor_stream *s)
{
    size_t columns = s->sides.size[s->sides.count - 1];
    return (tensor_shape){s->words / columns, columns};
}

static void take_head(tensor_stream *s, const char *from)
{
    npy_head head;
    input_error error;
    if (s->sides.count)
        fail_at(s->in->name, 0, "a .npy file has its own shape; --shape is for raw data");
    if (!npy_head_read(s->in->buffer, s->in->end, &head, &error))
        fail_input(input_name(s->path), &error);
    s->format_name = npy_format(s->path, head.descr, from);
    if (head.dimensions != 2 && head.dimensions != 3)
        fail_at(s->in->name, 0,
                "%d dimension%s; expected [tokens][channels] or [tokens][heads][size]",
                head.dimensions, head.dimensions == 1 ? "" : "s");
    s->sides.count = head.dimensions;
    s->sides.size[0] = head.shape.rows;
    if (head.dimensions == 3) {
        s->sides.size[0] /= head.inner;
        s->sides.size[1] = head.inner;
    }
    s->sides.size[head.dimensions - 1] = head.shape.columns;
    s->in->at = head.data;
}

void tensor_stream_open(tensor_stream *s, const char *path, const char *from, tensor_sides sides)
{
    struct stat status;
    memset(s, 0, sizeof *s);
    s->path = path;
    s->sides = sides;
    s->format_name = from;
    s->in = input_open(path);
    off_t begin = lseek(s->in->fd, 0, SEEK_CUR);
    int is_file = fstat(s->in->fd, &status) == 0 && S_ISREG(status.st_mode);
    s->again = is_file && begin >= 0;
    input_fill(s->in);
    if (npy_is(s->in->buffer, s->in->end))
        take_head(s, from);
    else if (!sides.count || !from)
        npy_missing(path, s->in->buffer, s->in->end);
    s->format = format_of_name(s->format_name);
    (void)too_large(&s->sides, &s->words);
    s->left = s->words;
    s->data = (int64_t)begin + (int64_t)s->in->at;
    if (s->again)
        words_check(path, (size_t)(status.st_size > s->data ? status.st_size - s->data : 0),
                    s->format, shape_of(s));
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Words of a file, as f32. */
static void widen(const tensor_stream *s, const char *bytes, uint32_t *to, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;
    uint16_t half[256];
    if (tensor_width(s->format) == 4) {
        for (size_t i = 0; i < n; i++, b += 4)
            to[i] = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        return;
    }
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < 256 ? n - done : 256;
        for (size_t i = 0; i < some; i++, b += 2)
            half[i] = (uint16_t)(b[0] | b[1] << 8);
        sf8_convert_n(SF8_F32, to + done, s->format, half, some, SF8_OCP_NOSAT);
    }
}

size_t tensor_stream_read(tensor_stream *s, uint32_t *words, size_t most)
{
    size_t n = s->left < most ? s->left : most, width = tensor_width(s->format), done = 0;
    while (done < n) {
        size_t some = (s->in->end - s->in->at) / width;
        if (some == 0 && (some = input_fill(s->in) / width) == 0)
            words_check(s->path, (s->words - s->left + done) * width + s->in->end - s->in->at,
                        s->format, shape_of(s));
        some = some < n - done ? some : n - done;
        widen(s, s->in->buffer + s->in->at, words + done, some);
        s->in->at += some * width;
        done += some;
    }
    s->left -= n;
    if (s->left == 0 && input_fill(s->in) > 0)
        fail_at(s->in->name, 0, "more than the expected %zu bytes of %zu values", s->words * width,
                s->words);
    return n;
}

void tensor_stream_rewind(tensor_stream *s)
{
    if (lseek(s->in->fd, (off_t)s->data, SEEK_SET) < 0)
        fail("cannot read %s again: %s", s->in->name, strerror(errno));
    s->in->at = s->in->end = 0;
    s->in->ended = 0;
    s->left = s->words;
}

void tensor_stream_close(tensor_stream *s)
{
    input_close(s->in);
    s->in = NULL;
}
