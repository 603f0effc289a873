/* SPDX-License-Identifier: MIT */
/* list_cuda.c -- the host subjects and the rows of cuda_host.c as text, for test_cuda_coverage.sh
 *
 *     list_cuda covers    what a subject calls in the headers, one line each
 *     list_cuda subjects  name, bytes of an element in and out
 *     list_cuda rows      the same of the subjects that rows name, by the functions of the oracle;
 *                         - if a row has none
 */
#include "families/convert/convert.h"

#include <stdlib.h>
#include <string.h>

static void list_subjects(int covers)
{
    size_t count;
    const gpu_subject *subject = gpu_host_subjects(&count);
    for (; count > 0; count--, subject++) {
        if (covers)
            printf("%s\n", subject->covers);
        else
            printf("%s %d %d\n", subject->name, subject->in_bytes, subject->out_bytes);
    }
}

static int bytes_of(const sf8_word *word)
{
    return word->bits <= 8 ? 1 : word->bits / 8;
}

static int has_subject(const char *name)
{
    size_t count;
    const gpu_subject *subject = gpu_host_subjects(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(subject[i].name, name) == 0)
            return 1;
    }
    return 0;
}

/* Rows of later headers that these headers lack are left out. */
static void list_rows(void)
{
    static case_list list = {.family = &cuda_host_family};
    case_list_all(&list);
    list.family = &cuda_later_family;
    case_list_all(&list);
    for (const conform_case *c = list.cases; c < list.cases + list.count; c++) {
        char why[CONFORM_TEXT];
        oracle o;
        if (c->family == &cuda_later_family && !has_subject(c->subject))
            continue;
        if (!oracle_open(&o, c, why)) {
            fprintf(stderr, "list_cuda: %s: %s\n", c->name, why);
            exit(2);
        }
        printf("%s %d %d\n", c->subject, bytes_of(oracle_source(&o)), bytes_of(oracle_target(&o)));
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "covers") == 0) {
        list_subjects(1);
    } else if (argc == 2 && strcmp(argv[1], "subjects") == 0) {
        list_subjects(0);
    } else if (argc == 2 && strcmp(argv[1], "rows") == 0) {
        list_rows();
    } else {
        fprintf(stderr, "list_cuda: covers, subjects or rows\n");
        return 2;
    }
    return 0;
}
