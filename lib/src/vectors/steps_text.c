/* SPDX-License-Identifier: MIT */
/* steps_text.c -- step tables written as text; steps_read.c reads it */
#include "vectors/steps_line.h"

/* The writer stores the digest as bytes, so that SHA-256 is not part of the public header. */
static sf8_sha256 sf8_writer_digest(const sf8_steps_writer *writer)
{
    sf8_sha256 digest;
    memcpy(&digest, writer->digest, sizeof digest);
    return digest;
}

static void sf8_writer_keep(sf8_steps_writer *writer, sf8_sha256 digest)
{
    memcpy(writer->digest, &digest, sizeof digest);
}

static sf8_status sf8_writer_put(sf8_steps_writer *writer, sf8_line *line)
{
    sf8_sha256 digest = sf8_writer_digest(writer);
    line->text[line->length++] = '\n';
    sf8_sha256_add(&digest, line->text, line->length);
    sf8_writer_keep(writer, digest);
    return writer->put(writer->context, line->text, line->length) == 0 ? SF8_OK : SF8_NO_ROOM;
}

sf8_status sf8_steps_write_head(sf8_steps_writer *writer, const sf8_steps_head *head, sf8_put put,
                                void *context)
{
    sf8_sha256 digest;
    memset(writer, 0, sizeof *writer);
    writer->put = put;
    writer->context = context;
    sf8_sha256_begin(&digest);
    sf8_writer_keep(writer, digest);
    if (!sf8_format_valid(head->from) || !sf8_format_valid(head->to))
        return SF8_BAD_FORMAT;
    if (!sf8_name_is_good(head->from_name) || !sf8_name_is_good(head->to_name) ||
        !sf8_name_is_good(head->policy_name))
        return SF8_BAD_TEXT;
    if (!sf8_name_fits(head->from_name, head->from) || !sf8_name_fits(head->to_name, head->to))
        return SF8_BAD_FORMAT;
    writer->from_digits = sf8_hex_digits(head->from);
    writer->to_digits = sf8_hex_digits(head->to);
    /* Checked first, so that a bad head writes nothing. */
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < SF8_HEAD_LINES; i++) {
            sf8_line line;
            sf8_status status = sf8_head_line(&line, head, i);
            if (status == SF8_OK && pass == 1 && !sf8_head_left_out(head, i))
                status = sf8_writer_put(writer, &line);
            if (status != SF8_OK)
                return status;
        }
    }
    return SF8_OK;
}

static int sf8_fits_digits(uint64_t value, int32_t digits)
{
    return digits >= 16 || value >> (4 * digits) == 0;
}

sf8_status sf8_steps_write_row(sf8_steps_writer *writer, const sf8_step *step)
{
    sf8_line line;
    if (!sf8_fits_digits(step->first, writer->from_digits) ||
        !sf8_fits_digits(step->code, writer->to_digits) || step->flags > SF8_ALL_FLAGS)
        return SF8_BAD_TEXT;
    line.length = 0;
    sf8_line_add_hex(&line, step->first, writer->from_digits);
    sf8_line_add(&line, " ");
    sf8_line_add_hex(&line, step->code, writer->to_digits);
    sf8_line_add(&line, " ");
    sf8_line_add_hex(&line, step->flags, 2);
    writer->rows++;
    return sf8_writer_put(writer, &line);
}

sf8_status sf8_steps_write_end(sf8_steps_writer *writer)
{
    sf8_line line;
    sf8_rows_line(&line, writer->rows);
    sf8_status status = sf8_writer_put(writer, &line);
    if (status != SF8_OK)
        return status;
    sf8_sha256 digest = sf8_writer_digest(writer);
    sf8_digest_line(&line, &digest);
    return sf8_writer_put(writer, &line);
}

sf8_status sf8_steps_write(const sf8_steps_head *head, sf8_put put, void *context)
{
    sf8_steps_writer writer;
    sf8_steps walk;
    sf8_step step;
    sf8_status status = sf8_steps_begin(&walk, head->from, head->to, head->policy, head->random);
    if (status == SF8_OK)
        status = sf8_steps_write_head(&writer, head, put, context);
    while (status == SF8_OK && sf8_steps_next(&walk, &step))
        status = sf8_steps_write_row(&writer, &step);
    return status == SF8_OK ? sf8_steps_write_end(&writer) : status;
}
