/* SPDX-License-Identifier: MIT */
/* recorded.c -- whether a record of a GPU in this repository supports an item of evidence */
#include "recorded.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096, PATH = 4096, WORD = 64 };

typedef struct wanted {
    char gpu[WORD], driver[WORD], date[WORD];
} wanted;

/* The text after `head` up to a character of `end`; "" if it is not there. */
static void text_after(const char *item, const char *head, const char *end, char text[WORD])
{
    const char *at = strstr(item, head);
    text[0] = '\0';
    if (at) {
        at += strlen(head);
        snprintf(text, WORD, "%.*s", (int)strcspn(at, end), at);
    }
}

/* Whether a line of a record is `head` and then this value, before its check. */
static int line_has(const char *line, const char *head, const char *value)
{
    size_t n = strlen(head), length = strlen(value);
    return strncmp(line, head, n) == 0 && strncmp(line + n, value, length) == 0 &&
           line[n + length] == ' ';
}

static int file_supports(const char *path, const wanted *w)
{
    static char line[LINE];
    int gpu = 0, driver = 0, date = 0, cases = 0, differ = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, " differ=");
        gpu |= strncmp(line, "gpu ", 4) == 0 && strstr(line, w->gpu) != NULL;
        driver |= line_has(line, "driver ", w->driver);
        date |= line_has(line, "date ", w->date);
        cases += at != NULL;
        differ |= at && strncmp(at, " differ=0 ", 10) != 0;
    }
    if (file)
        fclose(file);
    return gpu && driver && date && cases > 0 && !differ;
}

static int some_record_supports(const char *root, const wanted *w)
{
    char path[PATH];
    const struct dirent *entry;
    int found = 0;
    snprintf(path, sizeof path, "%.3000s/conformance/records", root);
    DIR *all = opendir(path);
    while (all && !found && (entry = readdir(all)) != NULL) {
        snprintf(path, sizeof path, "%.3000s/conformance/records/%.255s/cases.txt", root,
                 entry->d_name);
        found = file_supports(path, w);
    }
    if (all)
        closedir(all);
    return found;
}

const char *recorded_missing(const char *root, const char *evidence, unsigned *items)
{
    *items = 0;
    for (const char *item = evidence; item; item = strstr(item, "; ")) {
        wanted w;
        item += strncmp(item, "; ", 2) == 0 ? 2 : 0;
        const char *end = strstr(item, "; "), *ours = strstr(item, "our record of ");
        if (!ours || (end && ours > end))
            continue;
        ++*items;
        text_after(item, "hardware: ", ",", w.gpu);
        text_after(item, "driver ", ",", w.driver);
        text_after(item, "our record of ", ":", w.date);
        if (!*w.gpu || !*w.driver || !*w.date || !some_record_supports(root, &w))
            return item;
    }
    return NULL;
}
