/* SPDX-License-Identifier: MIT */
/* torch_file.c -- the tensors of a file that torch.save wrote */
#include "files/torch_file.h"
#include "base/memory.h"
#include "files/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int torch_is(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

/* ---- the pickle ------------------------------------------------------------------------------ */

typedef enum item_kind {
    IS_OTHER,
    IS_MARK,
    IS_NUMBER,
    IS_TEXT,    /* and the name of what is global */
    IS_TUPLE,   /* `count` items of the pool from `first` on */
    IS_STORAGE, /* `text` is its key, `type` that of its elements */
    IS_TENSOR   /* the number is its place in the list */
} item_kind;

typedef struct item {
    item_kind kind;
    int64_t number;
    const char *text, *type;
    size_t length, type_length, first, count;
} item;

enum { ITEMS_MOST = 1 << 20 };

typedef struct items {
    item *list;
    size_t count, room;
} items;

typedef struct pickle {
    const archive *archive;
    const unsigned char *at, *end;
    items stack, pool, memo;
    torch_file *file;
} pickle;

static int bad(const pickle *p, const char *what)
{
    return input_wrong_at(p->archive->error, (size_t)(p->at - p->archive->bytes), "%s", what);
}

static int push(pickle *p, items *to, item one)
{
    if (to->count == ITEMS_MOST)
        return bad(p, "a pickle with more than 1048576 items");
    to->list = grow(to->list, to->count, &to->room, sizeof one);
    to->list[to->count++] = one;
    return 1;
}

static item pop(pickle *p)
{
    return p->stack.count ? p->stack.list[--p->stack.count] : (item){.kind = IS_MARK};
}

static int number_of(pickle *p, int bytes, int is_signed, int64_t *n)
{
    if (p->end - p->at < bytes)
        return bad(p, "the pickle is cut off");
    *n = (int64_t)archive_little(p->at, bytes);
    if (is_signed && bytes > 0 && bytes < 8 && *n >> (8 * bytes - 1))
        *n -= (int64_t)1 << (8 * bytes);
    p->at += bytes;
    return 1;
}

static int push_number(pickle *p, int bytes)
{
    item one = {.kind = IS_NUMBER};
    return number_of(p, bytes, bytes != 1 && bytes != 2, &one.number) && push(p, &p->stack, one);
}

static int push_text(pickle *p, int bytes)
{
    item one = {.kind = IS_TEXT};
    int64_t length;
    if (!number_of(p, bytes, 0, &length))
        return 0;
    if (length > p->end - p->at)
        return bad(p, "the pickle is cut off");
    one.text = (const char *)p->at;
    one.length = (size_t)length;
    p->at += length;
    return push(p, &p->stack, one);
}

/* Two lines, a module and a name: the name. */
static int push_global(pickle *p)
{
    item one = {.kind = IS_TEXT};
    for (int line = 0; line < 2; line++) {
        const unsigned char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
        if (!end)
            return bad(p, "the pickle is cut off");
        one.text = (const char *)p->at;
        one.length = (size_t)(end - p->at);
        p->at = end + 1;
    }
    return push(p, &p->stack, one);
}

/* The last `count` items, or those behind the last mark, become a tuple. */
static int push_tuple(pickle *p, size_t count, int marked)
{
    size_t n = 0;
    while (marked ? n < p->stack.count && p->stack.list[p->stack.count - 1 - n].kind != IS_MARK
                  : n < count)
        n++;
    if (n + (marked != 0) > p->stack.count)
        return bad(p, "a tuple of items that are not there");
    item one = {.kind = IS_TUPLE, .first = p->pool.count, .count = n};
    for (size_t i = 0; i < n; i++)
        if (!push(p, &p->pool, p->stack.list[p->stack.count - n + i]))
            return 0;
    p->stack.count -= n + (marked != 0);
    return push(p, &p->stack, one);
}

/* ---- tensors --------------------------------------------------------------------------------- */

static int is_text(const item *i, const char *text)
{
    return i->kind == IS_TEXT && i->length == strlen(text) && memcmp(i->text, text, i->length) == 0;
}

/* How .npy writes a dtype, and its bytes; NULL: none that is read. */
static const char *descr_of(const char *type, size_t length, size_t *width)
{
    static const struct {
        const char *name, *storage, *descr;
        size_t width;
    } types[] = {{"uint8", "ByteStorage", "|u1", 1},
                 {"int8", "CharStorage", "|i1", 1},
                 {"bool", "BoolStorage", "|u1", 1},
                 {"float8_e4m3fn", "", "|u1", 1},
                 {"float8_e5m2", "", "|u1", 1},
                 {"float8_e4m3fnuz", "", "|u1", 1},
                 {"float8_e5m2fnuz", "", "|u1", 1},
                 {"float8_e8m0fnu", "", "|u1", 1},
                 {"float4_e2m1fn_x2", "", "|u1", 1},
                 {"float16", "HalfStorage", "<f2", 2},
                 {"bfloat16", "BFloat16Storage", "bf16", 2},
                 {"int16", "ShortStorage", "<i2", 2},
                 {"uint16", "", "<u2", 2},
                 {"float32", "FloatStorage", "<f4", 4},
                 {"int32", "IntStorage", "<i4", 4},
                 {"uint32", "", "<u4", 4},
                 {"float64", "DoubleStorage", "<f8", 8},
                 {"int64", "LongStorage", "<i8", 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *names[] = {types[i].name, types[i].storage};
        for (int k = 0; k < 2; k++)
            if (length && strlen(names[k]) == length && memcmp(names[k], type, length) == 0) {
                *width = types[i].width;
                return types[i].descr;
            }
    }
    return NULL;
}

/* The axes, if the words lie row by row; the number of words to *count. */
static int take_axes(const pickle *p, const item *axes, const item *strides, torch_tensor *t,
                     size_t *count)
{
    *count = 1;
    if (axes->kind != IS_TUPLE || strides->kind != IS_TUPLE || axes->count != strides->count ||
        axes->count > TORCH_AXES)
        return bad(p, "expected a tensor of at most 8 axes");
    t->dimensions = (int)axes->count;
    for (size_t a = axes->count; a-- > 0;) {
        const item *axis = &p->pool.list[axes->first + a];
        const item *stride = &p->pool.list[strides->first + a];
        if (axis->kind != IS_NUMBER || stride->kind != IS_NUMBER || axis->number < 0 ||
            (axis->number && *count > p->archive->size / (uint64_t)axis->number))
            return bad(p, "a tensor that is larger than the file");
        if (axis->number > 1 && stride->number != (int64_t)*count)
            return bad(p, "a tensor whose rows do not lie one after the other: save "
                          "x.contiguous()");
        t->axis[a] = (size_t)axis->number;
        *count *= t->axis[a];
    }
    return 1;
}

/* _rebuild_tensor_v2(storage, offset, size, stride, ...), and _v3 with the dtype at the end. */
static int push_tensor(pickle *p, const item *args)
{
    const item *arg = &p->pool.list[args->first];
    torch_tensor t = {.name = ""};
    size_t count, width = 0;
    archive_entry data;
    char name[80];
    if (args->count < 4 || arg->kind != IS_STORAGE || arg[1].kind != IS_NUMBER ||
        arg[1].number < 0 || !take_axes(p, &arg[2], &arg[3], &t, &count))
        return p->archive->error->text[0] ? 0 : bad(p, "expected a storage, an offset and a shape");
    const item *type = &arg[args->count - 1];
    t.dtype = args->count > 6 && type->kind == IS_TEXT
                  ? descr_of(type->text, type->length, &width)
                  : descr_of(arg->type, arg->type_length, &width);
    if (!t.dtype)
        return bad(p, "a tensor of a dtype that is not read");
    snprintf(name, sizeof name, "/data/%.*s", (int)(arg->length < 64 ? arg->length : 64),
             arg->text);
    if (!archive_find(p->archive, name, &data))
        return 0;
    if ((uint64_t)arg[1].number > data.size / width ||
        count > data.size / width - (size_t)arg[1].number)
        return bad(p, "a tensor that is larger than its storage");
    t.begin = data.begin + (size_t)arg[1].number * width;
    t.bytes = count * width;
    p->file->tensor = grow(p->file->tensor, p->file->count, &p->file->room, sizeof t);
    p->file->tensor[p->file->count] = t;
    return push(p, &p->stack, (item){.kind = IS_TENSOR, .number = (int64_t)p->file->count++});
}

/* What a function returns: a tensor, or something that is not kept. */
static int reduce(pickle *p)
{
    item args = pop(p), function = pop(p);
    if (args.kind != IS_TUPLE || function.kind == IS_MARK)
        return bad(p, "expected a function and its arguments");
    if (is_text(&function, "_rebuild_tensor_v2") || is_text(&function, "_rebuild_tensor_v3"))
        return push_tensor(p, &args);
    if (is_text(&function, "_rebuild_parameter") && args.count)
        return push(p, &p->stack, p->pool.list[args.first]);
    return push(p, &p->stack, (item){.kind = IS_OTHER});
}

/* ("storage", type, key, ...) */
static int push_storage(pickle *p)
{
    item id = pop(p);
    const item *part = id.kind == IS_TUPLE ? &p->pool.list[id.first] : NULL;
    if (!part || id.count < 3 || !is_text(part, "storage") || part[1].kind != IS_TEXT ||
        part[2].kind != IS_TEXT)
        return bad(p, "expected the id of a storage");
    return push(p, &p->stack,
                (item){.kind = IS_STORAGE,
                       .text = part[2].text,
                       .length = part[2].length,
                       .type = part[1].text,
                       .type_length = part[1].length});
}

/* A tensor in a dictionary has its key for a name. */
static void name_tensor(pickle *p, const item *key, const item *value)
{
    if (value->kind != IS_TENSOR || key->kind != IS_TEXT)
        return;
    torch_tensor *t = &p->file->tensor[value->number];
    snprintf(t->name, sizeof t->name, "%.*s",
             (int)(key->length < TORCH_NAME ? key->length : TORCH_NAME - 1), key->text);
}

/* What is put onto a list; a tensor has its number for a name. */
static int append_items(pickle *p)
{
    if (!push_tuple(p, 0, 1))
        return 0;
    item list = pop(p);
    for (size_t i = 0; i < list.count; i++) {
        char text[24];
        item key = {
            .kind = IS_TEXT, .text = text, .length = (size_t)snprintf(text, sizeof text, "%zu", i)};
        name_tensor(p, &key, &p->pool.list[list.first + i]);
    }
    return 1;
}

/* Pairs of keys and values behind the last mark. */
static int set_items(pickle *p)
{
    if (!push_tuple(p, 0, 1))
        return 0;
    item pairs = pop(p);
    for (size_t i = 0; i + 1 < pairs.count; i += 2)
        name_tensor(p, &p->pool.list[pairs.first + i], &p->pool.list[pairs.first + i + 1]);
    return 1;
}

static int remember(pickle *p, size_t at)
{
    if (p->stack.count == 0 || at >= ITEMS_MOST)
        return bad(p, "nothing to be remembered");
    while (p->memo.count <= at)
        if (!push(p, &p->memo, (item){.kind = IS_OTHER}))
            return 0;
    p->memo.list[at] = p->stack.list[p->stack.count - 1];
    return 1;
}

static int recall(pickle *p, int bytes)
{
    int64_t at = 0;
    if (!number_of(p, bytes, 0, &at))
        return 0;
    if ((size_t)at >= p->memo.count)
        return bad(p, "nothing was remembered there");
    return push(p, &p->stack, p->memo.list[at]);
}

static int drop(pickle *p, size_t count)
{
    while (count-- > 0)
        pop(p);
    return 1;
}

static int skip(pickle *p, int bytes)
{
    int64_t n;
    return number_of(p, bytes, 0, &n);
}

/* One instruction; *done at the last. */
static int step(pickle *p, int *done)
{
    int64_t n = 0;
    item key, value;
    if (p->at == p->end)
        return bad(p, "the pickle is cut off");
    switch (*p->at++) {
    case 0x80:
        return skip(p, 1); /* the version */
    case 0x95:
        return skip(p, 8); /* a frame */
    case 'c':
        return push_global(p);
    case 0x93: /* what is global, of a module and a name */
        value = pop(p);
        return drop(p, 1) && push(p, &p->stack, value);
    case '(':
        return push(p, &p->stack, (item){.kind = IS_MARK});
    case ')':
        return push_tuple(p, 0, 0);
    case 't':
        return push_tuple(p, 0, 1);
    case 0x85:
        return push_tuple(p, 1, 0);
    case 0x86:
        return push_tuple(p, 2, 0);
    case 0x87:
        return push_tuple(p, 3, 0);
    case 'N':
    case 0x88:
    case 0x89:
    case '}':
    case ']':
        return push(p, &p->stack, (item){.kind = IS_OTHER});
    case 'K':
        return push_number(p, 1);
    case 'M':
        return push_number(p, 2);
    case 'J':
        return push_number(p, 4);
    case 0x8a: /* the length of a number in bytes, and the number */
        if (!number_of(p, 1, 0, &n) || n > 8)
            return bad(p, "a number of more than 8 bytes");
        return push_number(p, (int)n);
    case 'G':
        return skip(p, 8) && push(p, &p->stack, (item){.kind = IS_OTHER});
    case 'X':
        return push_text(p, 4);
    case 0x8c:
    case 'U':
        return push_text(p, 1);
    case 'Q':
        return push_storage(p);
    case 'R':
        return reduce(p);
    case 'b':
        return drop(p, 1); /* the state of an object */
    case '0':
        return drop(p, 1);
    case 'a':
        return drop(p, 1); /* onto a list */
    case 'e':
        return append_items(p);
    case 'u':
        return set_items(p);
    case 's':
        value = pop(p);
        key = pop(p);
        name_tensor(p, &key, &value);
        return 1;
    case 'q':
        return number_of(p, 1, 0, &n) && remember(p, (size_t)n);
    case 'r':
        return number_of(p, 4, 0, &n) && remember(p, (size_t)n);
    case 0x94:
        return remember(p, p->memo.count);
    case 'h':
        return recall(p, 1);
    case 'j':
        return recall(p, 4);
    case '.':
        *done = 1;
        return 1;
    default:
        p->at--;
        return bad(p, "a pickle of something else than tensors, lists and dictionaries");
    }
}

int torch_read(const char *bytes, size_t size, torch_file *file, input_error *error)
{
    archive a = {.bytes = (const unsigned char *)bytes, .size = size, .error = error};
    archive_entry data;
    int done = 0, good;
    error->text[0] = '\0';
    if (!archive_open(&a) || !archive_find(&a, "/data.pkl", &data))
        return 0;
    pickle p = {.archive = &a,
                .at = a.bytes + data.begin,
                .end = a.bytes + data.begin + data.size,
                .file = file};
    do
        good = step(&p, &done);
    while (good && !done);
    if (good && !file->count)
        good = bad(&p, "no tensor in the file");
    free(p.stack.list);
    free(p.pool.list);
    free(p.memo.list);
    return good;
}
