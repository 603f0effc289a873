/* SPDX-License-Identifier: MIT */
/* check_golden_files.c -- golden vectors, which an x86-64 processor wrote, are what this one
 * computes
 *
 *     check_golden_files [FOLDER]
 *
 * FOLDER is vectors/ of the sources. Of its MANIFEST it reads the step tables, and the tables of
 * functions that are committed. It computes each of their results, and writes each step table
 * again. It needs no test framework, so that it also runs for another processor.
 */
#include "softfp8_vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

static size_t failures, files, rows;

static void failed(const char *path, size_t row, const char *what)
{
    if (failures++ < SHOWN)
        printf("%s: row %zu: %s\n", path, row, what);
}

/* A whole file with a closing 0, or NULL. */
static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    char *text = file ? malloc(room + 1) : NULL;
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, file);
        if (*size < room)
            break;
        room *= 2;
        char *longer = realloc(text, room + 1);
        if (!longer)
            free(text);
        text = longer;
    }
    if (text)
        text[*size] = 0;
    if (file)
        fclose(file);
    return text;
}

/* ---- step tables ----------------------------------------------------------------------------- */

/* The text that has to come next. */
typedef struct expected {
    const char *text;
    size_t left;
} expected;

static int32_t compare(void *context, const char *text, size_t size)
{
    expected *e = context;
    if (size > e->left || memcmp(e->text, text, size) != 0)
        return 1;
    e->text += size;
    e->left -= size;
    return 0;
}

static void check_steps(const char *path, const char *text, size_t size)
{
    sf8_steps_head head;
    sf8_steps walk;
    sf8_step step;
    size_t count = 0, i = 0;
    sf8_status status = sf8_steps_read(text, size, &head, NULL, 0, &count, NULL);
    sf8_step *steps = count ? malloc(count * sizeof *steps) : NULL;
    if (!steps || status != SF8_NO_ROOM ||
        sf8_steps_read(text, size, &head, steps, count, &count, NULL) != SF8_OK ||
        sf8_steps_begin(&walk, head.from, head.to, head.policy, head.random) != SF8_OK) {
        failed(path, 0, "cannot be read");
        free(steps);
        return;
    }
    for (; sf8_steps_next(&walk, &step); i++)
        if (i >= count || steps[i].first != step.first || steps[i].code != step.code ||
            steps[i].flags != step.flags)
            failed(path, i + 1, "another result");
    if (i != count)
        failed(path, i, "another number of rows");
    expected whole = {text, size};
    if (sf8_steps_write(&head, compare, &whole) != SF8_OK || whole.left != 0)
        failed(path, 0, "written in another way");
    rows += count;
    free(steps);
}

/* ---- tables of functions --------------------------------------------------------------------- */

static void check_function(const char *path, const char *name, const char *text)
{
    sf8_function function;
    if (sf8_function_named(name, &function) != SF8_OK) {
        failed(path, 0, "no such function");
        return;
    }
    int32_t wide = function.result.kind == SF8_WORD_FLOAT && function.result.bits > 8;
    for (size_t row = 1; *text; row++, rows++) {
        uint64_t word[5];
        for (int32_t i = 0; i < function.operands + 2; i++) {
            char *end;
            word[i] = strtoull(text, &end, 16);
            if (end == text) {
                failed(path, row, "not a row");
                return;
            }
            text = end;
        }
        text += strspn(text, "\r\n");
        sf8_result r = sf8_function_call(&function, word, wide ? SF8_OCP_NOSAT : SF8_OCP, 0, 0);
        if (r.code != word[function.operands] || r.flags != word[function.operands + 1])
            failed(path, row, "another result");
    }
}

/* One line of the manifest: digest, number of cases, path, command. */
static void check_line(const char *folder, char *line)
{
    char *path, name[SF8_NAME_SIZE], file[1024];
    size_t size;
    if (!strtok(line, " ") || !strtok(NULL, " ") || !(path = strtok(NULL, " ")))
        return;
    int32_t steps = strncmp(path, "steps/", 6) == 0;
    if (!steps && strncmp(path, "unary/", 6) != 0 && strncmp(path, "binary/", 7) != 0)
        return;
    snprintf(file, sizeof file, "%s/%s", folder, path);
    char *text = contents(file, &size);
    files++;
    snprintf(name, sizeof name, "%s", strchr(path, '/') + 1);
    name[strcspn(name, ".")] = 0;
    if (!text)
        failed(path, 0, "no such file");
    else if (steps)
        check_steps(path, text, size);
    else
        check_function(path, name, text);
    free(text);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : SOFTFP8_SOURCE "/vectors";
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/MANIFEST", folder);
    char *manifest = contents(path, &size), *next = manifest;
    if (!manifest) {
        printf("%s: no such file\n", path);
        return 2;
    }
    while (*next) {
        char *line = next;
        next += strcspn(next, "\n");
        if (*next)
            *next++ = 0;
        check_line(folder, line);
    }
    free(manifest);
    printf("%zu files, %zu rows, %zu differences\n", files, rows, failures);
    return failures || files == 0 || rows == 0;
}
