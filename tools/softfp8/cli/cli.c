/* SPDX-License-Identifier: MIT */
/* cli.c -- what the subcommands share: arguments, errors, progress */
#include "cli/cli.h"
#include "files/unfinished.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *command_at_work = "";

static void end_for_memory(const char *message)
{
    fail("%s", message);
}

void fail_as(const char *name)
{
    command_at_work = name;
    memory_on_failure(end_for_memory);
}

/* One line, whatever the input it quotes was. */
static void make_printable(char *text)
{
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
}

static void say(char *where, const char *format, va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, list);
    make_printable(where);
    make_printable(text);
    progress_end();
    fprintf(stderr, "%s%s\n", where, text);
}

static void begin(char *where, size_t size)
{
    snprintf(where, size, *command_at_work ? "softfp8 %s: " : "softfp8: ", command_at_work);
}

/* The process ends here and now: what it holds is not looked for, and needs not be freed. */
static _Noreturn void stop(void)
{
    unfinished_remove();
    fflush(NULL);
    _Exit(STATUS_USAGE);
}

void fail(const char *format, ...)
{
    char where[64];
    va_list list;
    begin(where, sizeof where);
    va_start(list, format);
    say(where, format, list);
    va_end(list);
    stop();
}

void fail_at(const char *file, uint64_t line, const char *format, ...)
{
    char where[512];
    va_list list;
    if (line)
        snprintf(where, sizeof where, "%.450s:%llu: ", file, (unsigned long long)line);
    else
        snprintf(where, sizeof where, "%.450s: ", file);
    va_start(list, format);
    say(where, format, list);
    va_end(list);
    stop();
}

void note(const char *format, ...)
{
    char where[64];
    va_list list;
    begin(where, sizeof where);
    va_start(list, format);
    say(where, format, list);
    va_end(list);
}

/* ---- arguments ------------------------------------------------------------------------------- */

arguments arguments_of(int argc, char **argv)
{
    arguments a = {argc, argv, 0, 0, NULL, NULL, 0, NULL};
    return a;
}

/* "-1", "-.5", "-0x1p3", "-inf", "-nan": values, not options. */
static int is_negative_value(const char *text)
{
    return (text[1] >= '0' && text[1] <= '9') || text[1] == '.' || strcasecmp(text, "-inf") == 0 ||
           strcasecmp(text, "-infinity") == 0 || strcasecmp(text, "-nan") == 0;
}

int arguments_next(arguments *a)
{
    if (++a->at >= a->count)
        return 0;
    a->text = a->list[a->at];
    a->option = a->given = NULL;
    if (!a->only_operands && strcmp(a->text, "--") == 0) {
        a->only_operands = 1;
        return arguments_next(a);
    }
    if (a->only_operands || a->text[0] != '-' || a->text[1] == '\0' || is_negative_value(a->text))
        return 1;
    a->option = a->text + (a->text[1] == '-' ? 2 : 1);
    a->given = strchr(a->option, '=');
    a->option_length = a->given ? (size_t)(a->given - a->option) : strlen(a->option);
    if (a->given)
        a->given++;
    return 1;
}

int argument_is(const arguments *a, const char *name)
{
    return a->option && strlen(name) == a->option_length &&
           memcmp(name, a->option, a->option_length) == 0;
}

int argument_flag(const arguments *a, const char *name)
{
    if (!argument_is(a, name))
        return 0;
    if (a->given)
        fail("%s takes no value", a->text);
    return 1;
}

const char *argument_value(arguments *a)
{
    if (a->given)
        return a->given;
    if (a->at + 1 >= a->count)
        fail("%s needs a value", a->text);
    return a->list[++a->at];
}

uint64_t argument_number(arguments *a, uint64_t least, uint64_t most)
{
    const char *option = a->text, *value = argument_value(a);
    uint64_t number = 0;
    const char *c = value;
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (number > (UINT64_MAX - digit) / 10)
            break;
        number = 10 * number + digit;
    }
    if (c == value || *c || number < least || number > most)
        fail("%.*s %s: expected a number from %llu to %llu", (int)strcspn(option, "="), option,
             value, (unsigned long long)least, (unsigned long long)most);
    return number;
}

int argument_word(arguments *a, const char *const *words)
{
    const char *option = a->text, *value = argument_value(a);
    char list[512] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0)
            return i;
        snprintf(list + strlen(list), sizeof list - strlen(list), " %s", words[i]);
    }
    fail("%.*s %s: expected one of%s", (int)strcspn(option, "="), option, value, list);
}

void argument_unknown(const arguments *a)
{
    fail("no option '%s'; 'softfp8 %s --help' lists them", a->text, command_at_work);
}

/* ---- progress -------------------------------------------------------------------------------- */

static int shown, always;

void progress_always(void)
{
    always = 1;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress(const char *what, uint64_t done, uint64_t total)
{
    static double began, next;
    if (!always && !isatty(STDERR_FILENO))
        return;
    double now = seconds();
    if (began == 0) {
        began = now;
        next = always ? now : now + 1;
    }
    if (now < next)
        return;
    next = now + 0.25;
    shown = 1;
    if (total)
        fprintf(stderr, "\r%s: %llu of %llu, %d %%\033[K", what, (unsigned long long)done,
                (unsigned long long)total, (int)((double)done / (double)total * 100));
    else
        fprintf(stderr, "\r%s: %llu\033[K", what, (unsigned long long)done);
}

void progress_end(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = 0;
}

void progress_of_search(const char *what, uint64_t done, uint64_t total)
{
    if (done == total)
        progress_end();
    else
        progress(what, done, total);
}
