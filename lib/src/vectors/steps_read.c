/* SPDX-License-Identifier: MIT */
/* steps_read.c -- step tables read from text, every rule of the grammar checked */
#include "vectors/steps_line.h"

/* The reader. `line` is the last line taken, to which an error refers. */
typedef struct sf8_table {
    const char *text;
    size_t size, at;
    const char *line;
    size_t length;
    const char *function; /* the line of the function, which the names must match */
    size_t function_length;
    sf8_text_error error;
} sf8_table;

static int sf8_table_error(sf8_table *table, const char *expected)
{
    table->error.expected = expected;
    return 0;
}

/* Takes the next line, of which `expected` describes the form. */
static int sf8_table_next(sf8_table *table, const char *expected)
{
    table->error.line++;
    size_t left = table->size - table->at;
    if (left == 0)
        return sf8_table_error(table, expected);
    table->line = table->text + table->at;
    const char *end = (const char *)memchr(table->line, '\n', left);
    if (!end)
        return sf8_table_error(table, "a line end");
    table->length = (size_t)(end - table->line);
    table->at += table->length + 1;
    if (table->length > 0 && end[-1] == '\r')
        return sf8_table_error(table, "a line end without a carriage return");
    return 1;
}

static int sf8_table_is(const sf8_table *table, const sf8_line *line)
{
    return sf8_line_is(line, table->line, table->length);
}

static const char *sf8_field_expected(size_t i)
{
#define SF8_EXPECT_FIELD(name, width, values)                                                      \
    if (i-- == 0)                                                                                  \
        return sizeof values > 1 ? "\"# " #name ": \" and one of " values                          \
                                 : "\"# " #name ": \" and a number from 1 to 32";
    SF8_POLICY_FIELDS(SF8_EXPECT_FIELD)
#undef SF8_EXPECT_FIELD
    return "";
}

static const char *sf8_head_expected(size_t i)
{
    switch (i) {
    case SF8_LINE_TITLE:
        return "\"# softfp8: step table 1\", the only version there is";
    case SF8_LINE_FUNCTION:
        return "\"# function: <from>_to_<to>\"";
    case SF8_LINE_FROM:
        return "\"# from: <name> exp=<n> man=<n> signed=<n> nan=<kind> inf=<n> zero=<n> bias=<n>\"";
    case SF8_LINE_TO:
        return "\"# to: <name> exp=<n> man=<n> signed=<n> nan=<kind> inf=<n> zero=<n> bias=<n>\"";
    case SF8_LINE_POLICY:
        return "\"# policy: <name>\"";
    case SF8_LINE_RANDOM:
        return "\"# random: \" and 8 lower-case hexadecimal digits";
    case SF8_LINE_COLUMNS:
        return "\"# columns: first-input-word code flags\"";
    default:
        return sf8_field_expected(i - SF8_LINE_FIELDS);
    }
}

/* Skips `word` at the beginning of *text, or returns 0. */
static int sf8_take(const char **text, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*text, word, n) != 0)
        return 0;
    *text += n;
    return 1;
}

static int sf8_take_name(const char **text, char name[SF8_NAME_SIZE])
{
    size_t n = sf8_name_length(*text);
    if (n == 0 || n >= SF8_NAME_SIZE)
        return 0;
    memcpy(name, *text, n);
    name[n] = '\0';
    *text += n;
    return 1;
}

static int sf8_take_integer(const char **text, int32_t *value)
{
    int32_t negative = sf8_take(text, "-");
    *value = 0;
    for (int digits = 0; **text >= '0' && **text <= '9'; (*text)++) {
        if (++digits > 4)
            return 0;
        *value = 10 * *value + (**text - '0');
    }
    *value = negative ? -*value : *value;
    return 1;
}

static int sf8_take_nan_kind(const char **text, int32_t *kind)
{
    for (*kind = SF8_NANS_NONE; *kind <= SF8_NANS_NEG_ZERO; ++*kind) {
        if (sf8_take(text, sf8_nan_kinds[*kind]))
            return 1;
    }
    return 0;
}

static int sf8_take_format(const char **text, char name[SF8_NAME_SIZE], sf8_format *f)
{
    int32_t v[SF8_ROW_VALUES];
    if (!sf8_take_name(text, name))
        return 0;
    for (int i = 0; i < SF8_ROW_VALUES; i++) {
        if (!sf8_take(text, sf8_row_keys[i]) ||
            !(i == SF8_ROW_NAN ? sf8_take_nan_kind(text, &v[i]) : sf8_take_integer(text, &v[i])))
            return 0;
    }
    *f = sf8_format_row(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
    return 1;
}

/* The value of a lower-case hexadecimal digit, or 16. */
static uint32_t sf8_hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) : 16;
}

static int sf8_take_hex(const char **text, int32_t digits, uint64_t *value)
{
    for (*value = 0; digits > 0; digits--, (*text)++) {
        uint32_t digit = sf8_hex_value(**text);
        if (digit > 15)
            return 0;
        *value = *value << 4 | digit;
    }
    return 1;
}

/* Parses the i-th line of the head, in whatever form. */
static int sf8_take_head_line(const char *text, sf8_steps_head *head, size_t i)
{
    uint64_t random = 0;
    const char *field;
    switch (i) {
    case SF8_LINE_TITLE:
    case SF8_LINE_FUNCTION:
    case SF8_LINE_COLUMNS:
        return 1;
    case SF8_LINE_FROM:
        return sf8_take(&text, "# from: ") && sf8_take_format(&text, head->from_name, &head->from);
    case SF8_LINE_TO:
        return sf8_take(&text, "# to: ") && sf8_take_format(&text, head->to_name, &head->to);
    case SF8_LINE_POLICY:
        return sf8_take(&text, "# policy: ") && sf8_take_name(&text, head->policy_name);
    case SF8_LINE_RANDOM:
        if (!sf8_take(&text, "# random: ") || !sf8_take_hex(&text, 8, &random))
            return 0;
        head->random = (uint32_t)random;
        return 1;
    default:
        field = sf8_policy_field_at(i - SF8_LINE_FIELDS);
        return sf8_take(&text, "# ") && sf8_take(&text, field) && sf8_take(&text, ": ") &&
               sf8_policy_set(&head->policy, field, text) == SF8_OK;
    }
}

/* Takes the i-th line of the head: read, written again, compared. */
static int sf8_table_head_line(sf8_table *table, sf8_steps_head *head, size_t i)
{
    const char *expected = sf8_head_expected(i);
    char copy[SF8_LINE_SIZE];
    sf8_line line;
    if (!sf8_table_next(table, expected))
        return 0;
    if (table->length >= sizeof copy)
        return sf8_table_error(table, expected);
    memcpy(copy, table->line, table->length);
    copy[table->length] = '\0';
    if (!sf8_take_head_line(copy, head, i))
        return sf8_table_error(table, expected);
    if (i == SF8_LINE_FUNCTION) /* the names follow */
        return 1;
    if (sf8_head_line(&line, head, i) != SF8_OK || !sf8_table_is(table, &line))
        return sf8_table_error(table, expected);
    const char *name = i == SF8_LINE_FROM ? head->from_name : head->to_name;
    sf8_format f = i == SF8_LINE_FROM ? head->from : head->to;
    if ((i == SF8_LINE_FROM || i == SF8_LINE_TO) && !sf8_format_valid(f))
        return sf8_table_error(table, "a valid format (docs/spec/formats.md)");
    if ((i == SF8_LINE_FROM || i == SF8_LINE_TO) && !sf8_name_fits(name, f))
        return sf8_table_error(table, "the row that belongs to the name");
    return 1;
}

/* Returns 1 if the next line is that of a field, "# via: ...". */
static int sf8_table_has_field(const sf8_table *table, size_t i)
{
    const char *field = sf8_policy_field_at(i - SF8_LINE_FIELDS), *at = table->text + table->at;
    size_t n = strlen(field), left = table->size - table->at;
    return left > n + 4 && memcmp(at, "# ", 2) == 0 && memcmp(at + 2, field, n) == 0 &&
           memcmp(at + 2 + n, ": ", 2) == 0;
}

/* The line of the function comes before the two names that it consists of. */
static int sf8_table_function(sf8_table *table, const sf8_steps_head *head)
{
    sf8_line line;
    sf8_head_line(&line, head, SF8_LINE_FUNCTION);
    if (sf8_line_is(&line, table->function, table->function_length))
        return 1;
    table->error.line = SF8_LINE_FUNCTION + 1;
    return sf8_table_error(table, "\"# function: <from>_to_<to>\" of the two names below");
}

static int sf8_table_head(sf8_table *table, sf8_steps_head *head)
{
    memset(head, 0, sizeof *head);
    head->policy = sf8_policy_default();
    for (size_t i = 0; i < SF8_HEAD_LINES; i++) {
        if (sf8_head_left_out(head, i) && !sf8_table_has_field(table, i))
            continue;
        if (!sf8_table_head_line(table, head, i))
            return 0;
        if (sf8_head_left_out(head, i))
            return sf8_table_error(table, "no line for this value, which is the usual one");
        if (i == SF8_LINE_FUNCTION) {
            table->function = table->line;
            table->function_length = table->length;
        }
        if (i == SF8_LINE_TO && !sf8_table_function(table, head))
            return 0;
    }
    return 1;
}

static int sf8_take_row(const sf8_table *table, const sf8_steps_head *head, sf8_step *step)
{
    int32_t from_digits = sf8_hex_digits(head->from), to_digits = sf8_hex_digits(head->to);
    const char *text = table->line;
    uint64_t flags;
    if (table->length != (size_t)(from_digits + 1 + to_digits + 1 + 2))
        return 0;
    if (!sf8_take_hex(&text, from_digits, &step->first) || *text++ != ' ' ||
        !sf8_take_hex(&text, to_digits, &step->code) || *text++ != ' ' ||
        !sf8_take_hex(&text, 2, &flags))
        return 0;
    step->flags = (uint32_t)flags;
    return 1;
}

/* `before` is the previous row, NULL for the first. */
static int sf8_table_row(sf8_table *table, const sf8_steps_head *head, const sf8_step *before,
                         sf8_step *step)
{
    if (!sf8_take_row(table, head, step))
        return sf8_table_error(table, "a row: first-input-word code flags");
    if (step->first & ~sf8_format_code_mask(head->from))
        return sf8_table_error(table, "a word within the width of the source format");
    if (step->code & ~sf8_format_code_mask(head->to))
        return sf8_table_error(table, "a code within the width of the target format");
    if (step->flags > SF8_ALL_FLAGS)
        return sf8_table_error(table, "flags of at most 1f");
    if (!before && step->first != 0)
        return sf8_table_error(table, "a first row that begins at word 0");
    if (before && step->first <= before->first)
        return sf8_table_error(table, "a word above that of the row before");
    if (before && step->code == before->code && step->flags == before->flags)
        return sf8_table_error(table, "a result that differs from that of the row before");
    return 1;
}

/* Takes the rows and the first line after them, which begins with '#'. */
static int sf8_table_rows(sf8_table *table, const sf8_steps_head *head, sf8_step *steps,
                          size_t room, size_t *count)
{
    sf8_step step = {0, 0, 0}, before = {0, 0, 0};
    for (*count = 0;; before = step, ++*count) {
        if (!sf8_table_next(table, "a row, or \"# rows: \" and their number"))
            return 0;
        if (*count > 0 && table->length > 0 && table->line[0] == '#')
            return 1;
        if (!sf8_table_row(table, head, *count > 0 ? &before : NULL, &step))
            return 0;
        if (*count < room)
            steps[*count] = step;
    }
}

/* Checks the line just taken, the number of rows, and takes the last one. */
static int sf8_table_end(sf8_table *table, size_t count)
{
    static const char expected[] = "\"# sha256: \" and the 64 lower-case hexadecimal digits of the "
                                   "SHA-256 of all lines above";
    sf8_line line;
    sf8_sha256 digest;
    sf8_rows_line(&line, count);
    if (!sf8_table_is(table, &line))
        return sf8_table_error(table, "\"# rows: \" and the number of rows above");
    sf8_sha256_begin(&digest);
    sf8_sha256_add(&digest, table->text, table->at);
    sf8_digest_line(&line, &digest);
    if (!sf8_table_next(table, expected))
        return 0;
    if (!sf8_table_is(table, &line)) {
        int is_digest = table->length == line.length && memcmp(table->line, line.text, 10) == 0;
        return sf8_table_error(table, is_digest ? "the SHA-256 of all lines above; one was changed"
                                                : expected);
    }
    if (table->at != table->size) {
        table->error.line++;
        return sf8_table_error(table, "the end of the text");
    }
    return 1;
}

sf8_status sf8_steps_read(const char *text, size_t size, sf8_steps_head *head, sf8_step *steps,
                          size_t room, size_t *count, sf8_text_error *error)
{
    sf8_table table;
    memset(&table, 0, sizeof table);
    table.text = text;
    table.size = size;
    *count = 0;
    if (!sf8_table_head(&table, head) || !sf8_table_rows(&table, head, steps, room, count) ||
        !sf8_table_end(&table, *count)) {
        *count = 0;
        if (error)
            *error = table.error;
        return SF8_BAD_TEXT;
    }
    return *count > room ? SF8_NO_ROOM : SF8_OK;
}
