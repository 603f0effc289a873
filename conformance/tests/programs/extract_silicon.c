/* SPDX-License-Identifier: MIT */
/* extract_silicon.c -- writes conformance/records/published/GPU.txt from whole sets of results
 *
 *     extract_silicon FOLDER GPU > conformance/records/published/GPU.txt
 *
 * FOLDER is what SOFTFP8_SILICON names, GPU is "h100". Of each set it takes the first FOR_EACH rows
 * on which a rival fails, for each rival, and then further rows up to AT_LEAST, those first that
 * some rival gets wrong. Rows keep their order.
 */
#include "families/published/silicon.h"

#include <stdlib.h>
#include <string.h>

enum { FOR_EACH = 24, AT_LEAST = 96, SIZE_MOST = 1 << 24, SETS_MOST = 16 };

typedef struct whole_set {
    const silicon_set *set;
    char *text;
    silicon_rows rows;
    conform_result result;
    unsigned char *chosen;
    size_t count; /* of those that are chosen */
} whole_set;

static _Noreturn void stop(const char *what, const char *name)
{
    fprintf(stderr, "extract_silicon: %s %s\n", what, name);
    exit(2);
}

static void read_set(whole_set *w, const char *folder)
{
    char path[1024], why[CONFORM_LONG];
    snprintf(path, sizeof path, "%s/%s.txt", folder, w->set->file);
    FILE *in = fopen(path, "rb");
    w->text = malloc(SIZE_MOST);
    if (!in || !w->text)
        stop("cannot read", path);
    silicon_text text = {path, w->text, fread(w->text, 1, SIZE_MOST - 1, in), 0};
    fclose(in);
    w->text[text.size] = '\0';
    if (!silicon_read(&w->rows, w->set, &text, why))
        stop("", why);
    silicon_judge(w->set, &w->rows, &w->result);
    if (w->result.status != CONFORM_PASSED)
        stop(w->set->file, w->result.why);
}

/* Chooses rows that are marked, up to `most` of those. */
static void choose_marked(whole_set *w, const unsigned char *marked, size_t most)
{
    for (size_t i = 0, n = 0; i < w->rows.count && n < most; i++) {
        if (!marked[i])
            continue;
        n++;
        w->count += !w->chosen[i];
        w->chosen[i] = 1;
    }
}

static void choose_rows(whole_set *w)
{
    unsigned char *fails = calloc(w->rows.count, 1), *any = calloc(w->rows.count, 1);
    w->chosen = calloc(w->rows.count, 1);
    if (!fails || !any || !w->chosen)
        stop("not enough memory for", w->set->file);
    char rival[48];
    for (const char *at = w->set->rivals; silicon_next_rival(&at, rival);) {
        silicon_rival(w->set, &w->rows, rival, fails);
        choose_marked(w, fails, FOR_EACH);
        for (size_t i = 0; i < w->rows.count; i++)
            any[i] |= fails[i];
    }
    for (size_t n = 1; w->count < AT_LEAST && n <= w->rows.count; n++)
        choose_marked(w, any, n);
    memset(any, 1, w->rows.count);
    for (size_t n = 1; w->count < AT_LEAST && n <= w->rows.count; n++)
        choose_marked(w, any, n);
    free(fails);
    free(any);
}

/* The line with this number, from 1. */
static const char *line_of(const whole_set *w, uint64_t number)
{
    const char *at = w->text;
    while (--number > 0)
        at = strchr(at, '\n') + 1;
    return at;
}

static void write_set(const whole_set *w)
{
    printf("case %s by=mma of=%zu digest=%s rows=%zu\n", strchr(w->set->file, '-') + 1,
           w->rows.count, w->result.digest, w->count);
    for (size_t i = 0; i < w->rows.count; i++) {
        const char *line = line_of(w, w->rows.row[i].line);
        if (w->chosen[i])
            printf("%.*s\n", (int)strcspn(line, "\n"), line);
    }
}

/* "e4m3-fp32: instruction wgmma (QGMMA), inputs E4M3, result fp32, K 32" */
static void write_measured(const whole_set *w)
{
    printf("measured %s:", strchr(w->set->file, '-') + 1);
    const char *words = strstr(w->rows.origin, "instruction");
    for (const char *at = words ? words : w->rows.origin; *at; at++) {
        if (at == words || (at[0] != ' ' && at[-1] == ' '))
            printf("%s ", at != words && at[-2] == ' ' ? "," : "");
        if (*at != ' ')
            putchar(*at);
    }
    putchar('\n');
}

static void write_head(const char *gpu, const whole_set *sets, size_t count)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(sets[0].rows.origin, " "),
             sets[0].rows.origin);
    printf("softfp8-published 1\nhardware NVIDIA %s\nname %s\n", name, gpu);
    printf("source https://github.com/north-numerical-computing/MATLAB-tensor-core "
           "model_validation\n");
    printf("commit b12b5a700957655375a1b0c1d0c26e76065da015\nlicence BSD-2-Clause\n");
    printf("measured inner products of random operands, as the tensor cores returned them\n");
    for (size_t i = 0; i < count; i++)
        write_measured(&sets[i]);
}

int main(int argc, char **argv)
{
    /* Kept until the end of the program. */
    static whole_set sets[SETS_MOST];
    static case_list list = {.family = &silicon_family};
    size_t count = 0;
    if (argc != 3)
        stop("expected", "FOLDER GPU");
    case_list_all(&list);
    for (size_t i = 0; i < list.count; i++) {
        const silicon_set *set = list.cases[i].data;
        size_t n = strlen(argv[2]);
        if (strncmp(set->file, argv[2], n) != 0 || set->file[n] != '-' || count == SETS_MOST)
            continue;
        sets[count].set = set;
        read_set(&sets[count], argv[1]);
        choose_rows(&sets[count++]);
    }
    if (count == 0)
        stop("no set of", argv[2]);
    write_head(argv[2], sets, count);
    for (size_t i = 0; i < count; i++)
        write_set(&sets[i]);
    printf("end %zu\n", count);
    return 0;
}
