/* SPDX-License-Identifier: MIT */
/* cli.c -- what the subcommands share: errors, progress, the beginning and the end of a program */
#include "cli/cli.h"
#include "files/unfinished.h"
#include "base/descriptors.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *command_at_work = "", *option_at_work, *value_at_work;
static char between = ' ';

static void end_for_memory(const char *message)
{
    fail("%s", message);
}

void fail_as(const char *name)
{
    command_at_work = name;
    memory_on_failure(end_for_memory);
}

void command_is_program(void)
{
    between = '-';
}

char command_separator(void)
{
    return between;
}

void fail_within(const char *option, const char *value)
{
    option_at_work = option;
    value_at_work = value;
}

/* The bytes of a character of UTF-8, which goes to *point; 0 if they are none. */
static size_t character(const unsigned char *c, uint32_t *point)
{
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    *point = length == 1 ? c[0] : c[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (c[i] & 0x3f);
    }
    return length;
}

/* Whether it takes its place in the line and does nothing else: no control character, no mark that
 * turns the direction of writing, no end of a line. */
static int is_printable(uint32_t point)
{
    return point >= 0x20 && !(point >= 0x7f && point < 0xa0) && point != 0x61c &&
           !(point >= 0x200e && point <= 0x200f) && !(point >= 0x2028 && point <= 0x202e) &&
           !(point >= 0x2066 && point <= 0x2069);
}

void make_printable(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        uint32_t point;
        size_t length = character((const unsigned char *)from, &point);
        if (length && is_printable(point)) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length ? length : 1;
    }
    *to = '\0';
}

/* A list of all copies, so that none counts as lost. */
typedef struct copy {
    struct copy *next;
    char text[];
} copy;
static copy *copies;

const char *printable(const char *text)
{
    copy *c = allocate(sizeof *c + strlen(text) + 1, 1);
    c->next = copies;
    copies = c;
    make_printable(strcpy(c->text, text));
    return c->text;
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
    snprintf(where, size, *command_at_work ? "softfp8%c%s: " : "softfp8: ", between,
             command_at_work);
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
    char where[512];
    va_list list;
    begin(where, sizeof where);
    size_t used = strlen(where);
    if (option_at_work)
        snprintf(where + used, sizeof where - used,
                 "%.*s %.400s: ", (int)strcspn(option_at_work, "="), option_at_work, value_at_work);
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

void fail_input(const char *file, const input_error *error)
{
    char text[ERROR_WHOLE];
    fail_at(file, error->line, "%s", input_error_text(error, text));
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

static void no_memory(search_context *context, size_t bytes)
{
    (void)context;
    fail("not enough memory for %zu bytes", bytes);
}

static void tell(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user;
    progress_of_search(what, done, total);
}

search_context cli_search = {.no_memory = no_memory, .progress = tell};

void progress_of_search(const char *what, uint64_t done, uint64_t total)
{
    if (done == total)
        progress_end();
    else
        progress(what, done, total);
}

/* ---- the beginning and the end of a program: signals, standard output ------------------------ */

static void on_signal(int number)
{
    unfinished_remove();
    signal(number, SIG_DFL);
    raise(number);
}

void program_begin(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    descriptors_reserve();
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        if (signal(deadly[i], on_signal) == SIG_IGN)
            signal(deadly[i], SIG_IGN);
    }
    signal(SIGXFSZ, SIG_IGN); /* the write then fails, and says so */
    /* A closed pipe is a reader who has seen enough. */
    signal(SIGPIPE, on_signal);
}

int program_end(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write to standard output");
    return status;
}
