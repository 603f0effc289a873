/* SPDX-License-Identifier: MIT */
/* count.c -- counts the codes of a cache along its axes, in one pass */
#include "inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

const char *const inspect_names[] = {"layer", "batch", "kv",      "block",
                                     "token", "head",  "channel", NULL};

int inspect_find(const inspect_report *r, const char *name)
{
    for (int a = 0; a < r->axes; a++)
        if (strcmp(r->axis[a].name, name) == 0)
            return a;
    return -1;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* The axes that caches with this number of dimensions have in vLLM and SGLang. With five and six an
 * axis of length 2 that comes first, or after layers or blocks, is that of keys and values. */
static const char *usual_axes(const size_t *side, int count)
{
    switch (count) {
    case 1:
        return "channel";
    case 2:
        return "token,channel";
    case 3:
        return "token,head,channel";
    case 4:
        return "block,token,head,channel";
    case 5:
        return side[0] == 2   ? "kv,block,token,head,channel"
               : side[1] == 2 ? "block,kv,token,head,channel"
                              : "layer,block,token,head,channel";
    default:
        return side[1] == 2   ? "layer,kv,block,token,head,channel"
               : side[2] == 2 ? "layer,block,kv,token,head,channel"
                              : NULL;
    }
}

/* The word of inspect_names that begins the text, or NULL. */
static const char *name_of(const char *text, size_t length)
{
    for (size_t i = 0; inspect_names[i]; i++)
        if (strlen(inspect_names[i]) == length && memcmp(inspect_names[i], text, length) == 0)
            return inspect_names[i];
    return NULL;
}

static void take_axes(inspect_report *r, const size_t *side, int count, const char *text)
{
    const char *name = input_name(r->path), *from_user = text;
    if (count > INSPECT_AXES)
        fail_at(name, 0, "%d dimensions; expected at most %d", count, (int)INSPECT_AXES);
    if (!text && !(text = usual_axes(side, count)))
        fail_at(name, 0,
                "6 dimensions: say what they are, such as --axes "
                "layer,kv,block,token,head,channel");
    for (const char *next; text; text = next ? next + 1 : NULL) {
        next = strchr(text, ',');
        size_t length = next ? (size_t)(next - text) : strlen(text);
        const char *axis = name_of(text, length);
        if (!axis)
            fail("--axes %s: '%.*s': expected layer, batch, kv, block, token, head or channel",
                 from_user, (int)length, text);
        if (inspect_find(r, axis) >= 0)
            fail("--axes %s: '%s' is there twice", from_user, axis);
        if (r->axes == count)
            fail("--axes %s: %s has %d dimension%s", from_user, name, count, count == 1 ? "" : "s");
        if (strcmp(axis, "kv") == 0 && side[r->axes] != 2)
            fail("--axes %s: the axis kv has %zu parts; expected 2, keys and values", from_user,
                 side[r->axes]);
        r->axis[r->axes] = (inspect_axis){.name = axis, .length = side[r->axes]};
        r->axes++;
    }
    if (r->axes != count)
        fail("--axes %s: %s has %d dimensions", from_user, name, count);
}

/* The blocks of a sequence: the axis of tokens becomes that of the sequence. */
static void take_pages(inspect_report *r, const inspect_options *o)
{
    int block = inspect_find(r, "block"), token = inspect_find(r, "token");
    if (token < 0 && (o->tokens || o->pages))
        fail("%s: no axis of tokens; name it by --axes", o->pages ? "--block-table" : "--tokens");
    if (!o->pages) {
        if (block >= 0 && o->tokens)
            fail("--tokens needs --block-table: which blocks the tokens are in");
        if (o->tokens > (token < 0 ? 0 : r->axis[token].length))
            fail("--tokens %zu: %s has %zu", o->tokens, input_name(r->path), r->axis[token].length);
        return;
    }
    if (block < 0 || block == r->axes - 1)
        fail("--block-table: %s", block < 0 ? "no axis of blocks; name it by --axes"
                                            : "the axis of blocks cannot be the last one");
    r->blocks = r->axis[block].length;
    r->slots = r->axis[token].length;
    r->place = allocate(r->blocks, sizeof r->place[0]);
    memset(r->place, 255, r->blocks * sizeof r->place[0]);
    for (size_t i = 0; i < o->page_count; i++) {
        if (o->pages[i] >= r->blocks)
            fail("--block-table: block %u; %s has %zu", (unsigned)o->pages[i], input_name(r->path),
                 r->blocks);
        if (r->place[o->pages[i]] != SIZE_MAX)
            fail("--block-table: block %u is there twice", (unsigned)o->pages[i]);
        r->place[o->pages[i]] = i;
    }
    r->axis[token].length = o->page_count * r->slots;
    if (o->tokens > r->axis[token].length)
        fail("--tokens %zu: the %zu blocks of --block-table have %zu", o->tokens, o->page_count,
             r->axis[token].length);
}

/* Room for the codes that will be compared with what was stored. */
static void keep_codes(inspect_report *r, const inspect_options *o)
{
    int head = inspect_find(r, "head"), token = inspect_find(r, "token");
    int block = inspect_find(r, "block"), channel = inspect_find(r, "channel");
    if (!o->stored[0] && !o->stored[1])
        return;
    const char *option = o->stored[0] ? "--keys" : "--values";
    if (token < 0 || channel < 0)
        fail("%s: no axis of %s; name it by --axes", option, token < 0 ? "tokens" : "channels");
    for (int a = 0; a < r->axes; a++)
        if ((strcmp(r->axis[a].name, "layer") == 0 || strcmp(r->axis[a].name, "batch") == 0) &&
            r->axis[a].length > 1)
            fail("%s: %s has %zu of the axis %s; give one of them", option, input_name(r->path),
                 r->axis[a].length, r->axis[a].name);
    if (inspect_find(r, "kv") < 0 && o->stored[0] && o->stored[1])
        fail("--keys and --values: %s has no axis kv; give one of them", input_name(r->path));
    r->heads = head < 0 ? 1 : r->axis[head].length;
    r->channels = r->axis[channel].length;
    r->kept_count = (o->tokens ? o->tokens : r->axis[token].length) * r->heads * r->channels;
    if (block >= 0 && !r->place)
        r->kept_count *= r->axis[block].length;
    for (int part = 0; part < 2; part++)
        if (o->stored[part])
            r->kept[part] = allocate(r->kept_count, 1);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* The kind of each of the 256 codes. */
static void kinds_of(sf8_format f, unsigned char kind[256])
{
    uint64_t max = sf8_format_max(f), mask = sf8_format_mag_mask(f);
    for (unsigned code = 0; code < 256; code++) {
        uint64_t magnitude = code & mask;
        int is_nan = sf8_is_nan(f, code), is_inf = !is_nan && sf8_is_inf(f, code);
        kind[code] = (unsigned char)(is_nan             ? CODE_NAN
                                     : is_inf           ? CODE_INFINITE
                                     : magnitude == max ? CODE_LARGEST
                                     : magnitude == 0   ? CODE_ZERO
                                                        : CODE_KINDS);
    }
}

/* Where the reader is; of a paged cache `index` has the token of the sequence. */
typedef struct walk {
    inspect_report *r;
    unsigned char kind[256];
    size_t side[INSPECT_AXES], at[INSPECT_AXES], index[INSPECT_AXES];
    int block, token;
    size_t tokens;
} walk;

/* How many codes of the row that begins here belong to the sequence; sets the index. */
static size_t row_of(walk *w)
{
    inspect_report *r = w->r;
    size_t length = w->side[r->axes - 1], first = 0;
    memcpy(w->index, w->at, sizeof w->index);
    if (r->place) {
        size_t place = r->place[w->at[w->block]];
        if (place == SIZE_MAX)
            return 0;
        first = place * r->slots;
        w->index[w->token] += first;
    }
    if (!w->tokens)
        return length;
    if (w->token != r->axes - 1)
        return w->index[w->token] < w->tokens ? length : 0;
    return first >= w->tokens ? 0 : w->tokens - first < length ? w->tokens - first : length;
}

static void count_row(walk *w, const unsigned char *codes, size_t n)
{
    inspect_report *r = w->r;
    int last = r->axes - 1;
    size_t begin = w->index[last];
    inspect_axis *inner = &r->axis[last];
    uint64_t count[CODE_KINDS] = {0};
    for (size_t i = 0; i < n; i++) {
        unsigned kind = w->kind[codes[i]];
        r->each[codes[i]]++;
        inner->codes[begin + i]++;
        if (kind == CODE_KINDS)
            continue;
        if (r->count[kind] + count[kind]++ == 0) {
            memcpy(r->first[kind], w->index, sizeof w->index);
            r->first[kind][last] = begin + i;
        }
        inner->count[kind][begin + i]++;
    }
    r->codes += n;
    r->rows++;
    r->rows_of_largest += count[CODE_LARGEST] > 0;
    for (int a = 0; a < last; a++) {
        r->axis[a].codes[w->index[a]] += n;
        for (int k = 0; k < CODE_KINDS; k++)
            r->axis[a].count[k][w->index[a]] += count[k];
    }
    for (int k = 0; k < CODE_KINDS; k++)
        r->count[k] += count[k];
}

/* Puts the codes of a row where values have their place. */
static void keep_row(walk *w, const unsigned char *codes, size_t n)
{
    inspect_report *r = w->r;
    size_t place = 0, step = 0, of_token = r->heads * r->channels;
    int part = r->kept[0] ? 0 : 1;
    for (int a = 0; a < r->axes; a++) {
        const char *name = r->axis[a].name;
        size_t stride = strcmp(name, "channel") == 0 ? 1
                        : strcmp(name, "head") == 0  ? r->channels
                        : strcmp(name, "token") == 0 ? of_token
                        : a == w->block && !r->place ? of_token * r->axis[w->token].length
                                                     : 0;
        place += stride * w->index[a];
        step = stride;
        part = strcmp(name, "kv") == 0 ? (int)w->index[a] : part;
    }
    for (size_t i = 0; r->kept[part] && i < n; i++)
        r->kept[part][place + i * step] = codes[i];
}

/* To the next row; 0 behind the last. */
static int next_row(walk *w)
{
    for (int a = w->r->axes - 2; a >= 0; a--) {
        if (++w->at[a] < w->side[a])
            return 1;
        w->at[a] = 0;
    }
    return 0;
}

static void count_all(inspect_report *r, input *in, const size_t *side, const inspect_options *o)
{
    walk w = {.r = r, .block = inspect_find(r, "block"), .token = inspect_find(r, "token")};
    size_t length = side[r->axes - 1], rows = 1, done = 0;
    unsigned char *row = allocate(length, 1);
    memcpy(w.side, side, (size_t)r->axes * sizeof side[0]);
    w.tokens = o->tokens;
    kinds_of(r->format, w.kind);
    for (int a = 0; a + 1 < r->axes; a++)
        rows *= side[a];
    do {
        for (size_t got = 0; got < length;) {
            size_t some = in->end - in->at;
            if (some == 0 && (some = input_fill(in)) == 0)
                fail_at(in->name, 0, "%zu bytes of codes; expected %zu", done * length + got,
                        rows * length);
            some = some < length - got ? some : length - got;
            memcpy(row + got, in->buffer + in->at, some);
            in->at += some;
            got += some;
        }
        size_t n = row_of(&w);
        if (n)
            count_row(&w, row, n);
        if (n && r->kept_count)
            keep_row(&w, row, n);
        if ((++done & 0xfff) == 0)
            progress("codes", done * length, rows * length);
    } while (next_row(&w));
    progress_end();
    if (in->at < in->end || input_fill(in))
        fail_at(in->name, 0, "more than the expected %zu bytes of codes", rows * length);
    free(row);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Of the head of a .npy file, or of --shape. */
int inspect_sides(input *in, const char *path, const inspect_options *o, size_t *side)
{
    npy_head head;
    input_error error;
    size_t begin;
    if (!npy_is(in->buffer, in->end)) {
        if (!o->side_count)
            fail_at(in->name, 0,
                    "not a .npy file; raw codes need --shape, such as "
                    "--shape 64,16,8,128 for blocks, tokens, heads and channels");
        memcpy(side, o->sides, sizeof o->sides);
        return o->side_count;
    }
    if (o->side_count)
        fail_at(in->name, 0, "a .npy file has its own shape; --shape is for raw codes");
    if (!npy_head_read(in->buffer, in->end, &head, &error))
        fail_input(input_name(path), &error);
    if (head.descr[0] && head.descr[1] == 'f')
        fail_at(in->name, 0, "dtype '%s': numbers, not codes; 'softfp8 kv doctor' reads them",
                head.descr);
    if (!npy_codes_head(in->buffer, in->end, 1, &begin, &error))
        fail_input(input_name(path), &error);
    in->at = begin;
    for (int a = 0; a < head.dimensions && a < INSPECT_AXES; a++)
        side[a] = head.axis[a];
    return head.dimensions;
}

void inspect_count(inspect_report *r, const char *path, const inspect_options *o)
{
    size_t side[INSPECT_AXES] = {0};
    const char *format = o->format ? o->format : "e4m3";
    memset(r, 0, sizeof *r);
    r->path = path;
    r->format_name = format;
    r->format = format_of_name(format);
    if (sf8_format_bits(r->format) != 8 || !r->format.is_signed)
        fail("--from %s: expected a format of 8 bits with a sign", format);
    input *in = tensor_input(path);
    input_fill(in);
    int count = inspect_sides(in, path, o, side);
    take_axes(r, side, count, o->axes);
    take_pages(r, o);
    keep_codes(r, o);
    for (int a = 0; a < r->axes; a++) {
        r->axis[a].codes = allocate(r->axis[a].length, sizeof(uint64_t));
        for (int k = 0; k < CODE_KINDS; k++)
            r->axis[a].count[k] = allocate(r->axis[a].length, sizeof(uint64_t));
    }
    count_all(r, in, side, o);
    input_close(in);
}

void inspect_free(inspect_report *r)
{
    for (int a = 0; a < r->axes; a++) {
        free(r->axis[a].codes);
        for (int k = 0; k < CODE_KINDS; k++)
            free(r->axis[a].count[k]);
    }
    free(r->place);
    free(r->kept[0]);
    free(r->kept[1]);
}
