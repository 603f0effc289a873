/* SPDX-License-Identifier: MIT */
/* archive.c -- the entries of a zip archive that is not compressed */
#include "files/archive.h"

#include <string.h>

uint64_t archive_little(const unsigned char *b, int n)
{
    uint64_t word = 0;
    while (n-- > 0)
        word = word << 8 | b[n];
    return word;
}

static int wrong(const archive *a, size_t at, const char *what)
{
    return input_wrong_at(a->error, at, "%s", what);
}

/* The end says where its list of entries is; a large one says it once more before.
 */
int archive_open(archive *a)
{
    enum { END = 22, COMMENT = 65535, LOCATOR = 20, WIDE_END = 56 };
    size_t last = a->size > END + COMMENT ? a->size - END - COMMENT : 0;
    for (size_t at = a->size < END ? 0 : a->size - END + 1; at-- > last;) {
        const unsigned char *b = a->bytes + at;
        if (memcmp(b, "PK\5\6", 4) != 0)
            continue;
        uint64_t entries = archive_little(b + 10, 2), directory = archive_little(b + 16, 4);
        uint64_t wide = at >= LOCATOR && memcmp(b - LOCATOR, "PK\6\7", 4) == 0
                            ? archive_little(b - LOCATOR + 8, 8)
                            : a->size;
        if (a->size >= WIDE_END && wide <= a->size - WIDE_END &&
            memcmp(a->bytes + wide, "PK\6\6", 4) == 0) {
            entries = archive_little(a->bytes + wide + 32, 8);
            directory = archive_little(a->bytes + wide + 48, 8);
        }
        if (directory > at || entries > a->size)
            return wrong(a, at, "the list of the archive's entries lies outside of it");
        a->entries = (size_t)entries;
        a->directory = (size_t)directory;
        return 1;
    }
    return wrong(a, a->size, "a zip archive that is cut off; expected a file of torch.save");
}

/* What a wide entry has instead of 0xffffffff: the next of the 8-byte numbers of its extra field.
 */
static uint64_t wide_number(uint64_t narrow, const unsigned char **extra, const unsigned char *end)
{
    if (narrow != 0xffffffff || end - *extra < 8)
        return narrow;
    *extra += 8;
    return archive_little(*extra - 8, 8);
}

/* The entry whose head in the list is at *at, which is moved to the next one. */
static int next_entry(const archive *a, size_t *at, archive_entry *e)
{
    enum { HEAD = 46, LOCAL = 30 };
    const unsigned char *b = a->bytes + *at;
    if (*at > a->size || a->size - *at < HEAD || memcmp(b, "PK\1\2", 4) != 0)
        return wrong(a, *at, "expected an entry of the archive's list");
    size_t name = (size_t)archive_little(b + 28, 2), extra = (size_t)archive_little(b + 30, 2);
    size_t whole = HEAD + name + extra + (size_t)archive_little(b + 32, 2);
    if (a->size - *at < whole)
        return wrong(a, *at, "the archive's list is cut off");
    const unsigned char *more = b + HEAD + name, *end = more + extra;
    while (end - more >= 4 && archive_little(more, 2) != 1) {
        size_t step = 4 + (size_t)archive_little(more + 2, 2);
        more = step < (size_t)(end - more) ? more + step : end;
    }
    more = end - more >= 4 ? more + 4 : end;
    uint64_t size = wide_number(archive_little(b + 24, 4), &more, end);
    uint64_t packed = wide_number(archive_little(b + 20, 4), &more, end);
    uint64_t local = wide_number(archive_little(b + 42, 4), &more, end);
    if (archive_little(b + 10, 2) != 0 || size != packed)
        return wrong(a, *at, "a compressed entry; torch.save does not compress");
    if (a->size < LOCAL || local > a->size - LOCAL || memcmp(a->bytes + local, "PK\3\4", 4) != 0)
        return wrong(a, *at, "the entry lies outside of the file");
    const unsigned char *head = a->bytes + local;
    e->name = b + HEAD;
    e->name_length = name;
    e->begin = (size_t)(local + LOCAL + archive_little(head + 26, 2) +
                        archive_little(head + 28, 2));
    e->size = (size_t)size;
    if (e->begin > a->size || e->size > a->size - e->begin)
        return wrong(a, *at, "the entry lies outside of the file");
    *at += whole;
    return 1;
}

/* The entry in the folder of the archive, "/data.pkl" or "/data/0"; 0 and *error if there is none.
 */
int archive_find(const archive *a, const char *name, archive_entry *e)
{
    size_t at = a->directory, length = strlen(name);
    for (size_t i = 0; i < a->entries; i++) {
        if (!next_entry(a, &at, e))
            return 0;
        const unsigned char *slash = memchr(e->name, '/', e->name_length);
        if (slash && (size_t)(e->name + e->name_length - slash) == length &&
            memcmp(slash, name, length) == 0)
            return 1;
    }
    return input_wrong(a->error, 0,
                       "no entry '%.60s' in the archive; expected a file of torch.save", name + 1);
}
