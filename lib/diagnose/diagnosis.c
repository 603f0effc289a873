/* SPDX-License-Identifier: MIT */
/* diagnosis.c -- a diagnosis and its memory, made and freed */
#include "diagnose/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What lies before each diagnosis: the memory of all of it, this block included. */
typedef struct head {
    search_context memory;
} head;

static void no_memory(search_context *context, size_t bytes)
{
    (void)bytes;
    longjmp(((diagnosis_run *)context)->out, 1);
}

static void no_memory_kept(search_context *kept, size_t bytes)
{
    (void)bytes;
    longjmp(((diagnosis_run *)kept->user)->out, 1);
}

static sf8_status search_guarded(diagnosis_run *run, diagnosis_search search, const void *results,
                                 size_t size, void **diagnosis)
{
    if (setjmp(run->out))
        return SF8_NO_ROOM;
    *diagnosis = (head *)search_allocate(&run->kept, 1, sizeof(head) + size) + 1;
    return search(run, results, *diagnosis);
}

search_context diagnosis_limits(double seconds,
                                void (*progress)(void *, const char *, uint64_t, uint64_t),
                                void *user)
{
    return (search_context){.progress = progress,
                            .user = user,
                            .deadline = seconds > 0 ? search_seconds() + seconds : 0};
}

sf8_status diagnosis_make(search_context limits, diagnosis_search search, const void *results,
                          size_t size, void **diagnosis)
{
    diagnosis_run run = {.context = limits, .kept = {.no_memory = no_memory_kept, .tracks = 1}};
    run.context.no_memory = no_memory;
    run.context.tracks = 1;
    run.kept.user = &run;
    sf8_status status = search_guarded(&run, search, results, size, diagnosis);
    search_free_all(&run.context);
    if (status == SF8_OK) {
        ((head *)*diagnosis - 1)->memory = run.kept;
        return SF8_OK;
    }
    search_free_all(&run.kept);
    *diagnosis = NULL;
    return status;
}

void diagnosis_free(void *diagnosis)
{
    if (!diagnosis)
        return;
    search_context memory = ((head *)diagnosis - 1)->memory;
    search_free_all(&memory);
}

void *diagnosis_allocate(diagnosis_run *run, size_t count, size_t size)
{
    return search_allocate(&run->kept, count, size);
}

const char *diagnosis_text(diagnosis_run *run, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = search_allocate(&run->kept, (size_t)length + 1, 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

/* ---- an explanation for users ---------------------------------------------------------------- */

void explanation_add(sf8_explanation *e, const char *name, const char *value, const char *words)
{
    e->cause[e->count++] = (sf8_cause){name, value, words};
}

const char *explanation_causes(diagnosis_run *run, const sf8_explanation *e, const char *between)
{
    const char *text = "";
    for (size_t i = 0; i < e->count; i++)
        text = diagnosis_text(run, "%s%s%s", text, i ? between : "", e->cause[i].words);
    return text;
}

void explanation_say(diagnosis_run *run, sf8_explanation *e)
{
    const char *text = e->policy;
    for (size_t i = 0; i < e->count; i++) {
        const sf8_cause *c = &e->cause[i];
        text = diagnosis_text(run, "%s%s%s%s%s", text, i ? " " : " with ", c->name,
                              c->value[0] ? "=" : "", c->value);
    }
    e->words = e->count == 0
                   ? text
                   : diagnosis_text(run, "%s: %s", text, explanation_causes(run, e, ", and "));
}
