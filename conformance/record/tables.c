/* SPDX-License-Identifier: MIT */
/* tables.c -- the file of a record's tables, read
 *
 * A damaged row is found by its digits, by its order, or by its neighbour with the same code; what
 * is left by the name of its table, which is the digest of its text.
 */
#include "base/memory.h"
#include "record/parse.h"

#include <string.h>

static int take_bytes(line_reader *lines, int *bytes)
{
    uint64_t value;
    if (!line_take_number(lines, 8, &value))
        return 0;
    *bytes = (int)value;
    return (value && (value & (value - 1)) == 0) ||
           line_wrong(lines, "words of 1, 2, 4 or 8 bytes");
}

/* "table 0123456789abcdef in=4 out=1 rows=504"; *digested gets where the digested text begins. */
static int take_head(line_reader *lines, record_table *table, const char **digested)
{
    uint64_t rows;
    if (!line_take(lines, "table ") || !line_take_hex(lines, 16, &table->id) ||
        !line_take(lines, " "))
        return 0;
    *digested = lines->at;
    table->line = lines->line;
    if (!line_take(lines, "in=") || !take_bytes(lines, &table->in_bytes) ||
        !line_take(lines, " out=") || !take_bytes(lines, &table->out_bytes) ||
        !line_take(lines, " rows=") || !line_take_number(lines, RECORD_SIZE, &rows) ||
        !line_is_done(lines))
        return 0;
    /* no more memory than the file has text for */
    size_t most = (lines->size - lines->next) / (size_t)(2 * table->in_bytes + 2);
    if (rows < 1 || rows > most)
        return line_wrong(lines, "%llu rows, and the file ends before", (unsigned long long)rows);
    table->rows = (size_t)rows;
    return 1;
}

static int take_row(line_reader *lines, const record_table *table, size_t i)
{
    gpu_row *row = &table->row[i];
    if (!line_next(lines, "a row") || !line_take_hex(lines, 2 * table->in_bytes, &row->index) ||
        !line_take(lines, " ") || !line_take_hex(lines, 2 * table->out_bytes, &row->code) ||
        !line_is_done(lines))
        return 0;
    if (i > 0 && row->index <= row[-1].index)
        return line_wrong(lines, "the word is not above that of the row before");
    if (i > 0 && row->code == row[-1].code)
        return line_wrong(lines, "the code is that of the row before");
    return 1;
}

static int take_table(line_reader *lines, record_table *table)
{
    const char *begin;
    if (!line_next(lines, "a table") || !take_head(lines, table, &begin))
        return 0;
    table->row = allocate(table->rows, sizeof table->row[0]);
    for (size_t i = 0; i < table->rows; i++) {
        if (!take_row(lines, table, i))
            return 0;
    }
    size_t last = lines->line;
    if (record_id(begin, (size_t)(lines->text + lines->next - begin)) == table->id)
        return 1;
    lines->line = table->line;
    return line_wrong(
        lines, "the name of the table is not the digest of its rows, down to line %zu", last);
}

int record_read_tables(record_contents *r, line_reader *lines)
{
    static const uint64_t most = RECORD_MOST * GPU_LANES;
    size_t room = 0;
    uint64_t count;
    if (!line_next(lines, "softfp8-record-tables 1") ||
        !line_take(lines, "softfp8-record-tables 1") || !line_is_done(lines))
        return 0;
    while (!line_begins(lines, "end ")) {
        if (r->tables == most)
            return line_wrong(lines, "too many tables");
        r->table = grow(r->table, r->tables, &room, sizeof r->table[0]);
        memset(&r->table[r->tables], 0, sizeof r->table[0]);
        if (!take_table(lines, &r->table[r->tables++]))
            return 0;
    }
    if (!line_next(lines, "the end") || !line_take(lines, "end tables=") ||
        !line_take_number(lines, most, &count) || !line_take(lines, " sha256="))
        return 0;
    if (count != r->tables)
        return line_wrong(lines, "expected %llu tables, found %zu", (unsigned long long)count,
                          r->tables);
    return line_take_end(lines);
}
