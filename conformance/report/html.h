/* SPDX-License-Identifier: MIT */
/* html.h -- the template of the page, report.html, which CMake turns into a C array */
#ifndef SOFTFP8_CONFORM_REPORT_HTML_H
#define SOFTFP8_CONFORM_REPORT_HTML_H

#include <stddef.h>

typedef struct html_template {
    const char *name, *text;
} html_template;

extern const html_template html_templates[];
extern const size_t html_template_count;

#endif
