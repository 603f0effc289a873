/* SPDX-License-Identifier: MIT */
/* page.h -- the files of a report: its words, JSON, and a page with pictures drawn from that
 */
#ifndef SOFTFP8_PAGE_H
#define SOFTFP8_PAGE_H

#include "files/io.h"

/* Writes a part of a report with output_put and output_print. */
typedef void page_part(output *out, const void *report);

typedef struct page_report {
    const char *command;     /* what page.html draws */
    const char *json, *html; /* files; NULL: not wanted */
    const char *text;        /* the file of the words; NULL: standard output */
    int is_quiet;            /* no words on standard output, which has something else */
    output *also;            /* a file that is written already, or NULL */
    page_part *put_json, *put_words;
    const void *report;
} page_report;

/* None of the files appears before all are whole. The words go to standard output unless one of
 * the others does. */
void page_write(const page_report *r);

#endif
