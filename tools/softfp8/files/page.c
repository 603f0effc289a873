/* SPDX-License-Identifier: MIT */
/* page.c -- the files of a report */
#include "files/page.h"

#include "report/html.h"

#include <string.h>

static void put_plain(void *context, const char *text, size_t size)
{
    output_write(context, text, size);
}

static void filter_json(output *page, const char *text, size_t size)
{
    html_json(text, size, put_plain, page);
}

static void filter_text(output *page, const char *text, size_t size)
{
    html_text(text, size, put_plain, page);
}

/* The template with the JSON, the command's name and the words. */
static output *write_page(const page_report *r)
{
    output *page = output_open(r->html);
    const char *rest = html_begin("page", "@JSON@", put_plain, page);
    page->filter = filter_json;
    r->put_json(page, r->report);
    page->filter = NULL;
    rest = html_until(rest, "@COMMAND@", put_plain, page);
    output_write(page, r->command, strlen(r->command));
    rest = html_until(rest, "@TEXT@", put_plain, page);
    page->filter = filter_text;
    r->put_words(page, r->report);
    page->filter = NULL;
    output_write(page, rest, strlen(rest));
    return page;
}

void page_write(const page_report *r)
{
    int is_quiet = r->is_quiet || output_is_standard(r->json) || output_is_standard(r->html);
    output *json = r->json ? output_open(r->json) : NULL;
    if (json)
        r->put_json(json, r->report);
    output *page = r->html ? write_page(r) : NULL;
    output *words = r->text || !is_quiet ? output_open(r->text) : NULL;
    if (words)
        r->put_words(words, r->report);
    outputs_close((output *const[]){json, page, r->also, words}, 4);
}
