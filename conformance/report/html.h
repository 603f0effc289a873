/* SPDX-License-Identifier: MIT */
/* html.h -- the templates of pages and their style, which CMake turns into C arrays
 *
 * A page draws itself from the JSON in it. report.html is that of conform, page.html that of every
 * other command; style.css stands in both in place of @STYLE@.
 */
#ifndef SOFTFP8_CONFORM_REPORT_HTML_H
#define SOFTFP8_CONFORM_REPORT_HTML_H

#include "report/report.h"

#include <stddef.h>

typedef struct html_template {
    const char *name, *text;
} html_template;

extern const html_template html_templates[];
extern const size_t html_template_count;

/* The beginning of the template of that name, up to `mark`; returns what follows the mark. */
const char *html_begin(const char *name, const char *mark, report_put put, void *context);
/* `text` up to a mark that it has; returns what follows. */
const char *html_until(const char *text, const char *mark, report_put put, void *context);
/* JSON inside a script element: "<" is there in strings alone, and becomes \u003c, so that no text
 * can end the element. */
void html_json(const char *text, size_t size, report_put put, void *context);
/* Any text: & < > " and ' replaced. */
void html_text(const char *text, size_t size, report_put put, void *context);

#endif
