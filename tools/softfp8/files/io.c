/* SPDX-License-Identifier: MIT */
/* io.c -- input by lines and whole, output that is complete or absent */
#include "files/io.h"
#include "files/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- output ---------------------------------------------------------------------------------- */

static void remember(output *out)
{
    out->place = unfinished_add(out->aside);
    if (out->place >= 0)
        return;
    unlink(out->aside);
    fail("cannot write %s: too many output files are open", out->name);
}

static int is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* "DIR/NAME.XXXXXX", made and open. What is no regular file (a device, a pipe) is written itself.
 */
static void open_aside(output *out, const char *path)
{
    struct stat status;
    int exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        fail("cannot write %s: it is a directory", path);
    if (exists && !S_ISREG(status.st_mode)) {
        out->fd = open(path, O_WRONLY);
        if (out->fd < 0)
            fail("cannot write %s: %s", path, strerror(errno));
        return;
    }
    /* Through a symbolic link to the file itself, so that the link stays. */
    out->final = exists ? realpath(path, NULL) : NULL;
    size_t length = strlen(out->final ? out->final : path);
    out->aside = allocate(length + 8, 1);
    if (!out->final) {
        out->final = allocate(length + 1, 1);
        memcpy(out->final, path, length);
    }
    path = out->final;
    memcpy(out->aside, path, length);
    memcpy(out->aside + length, ".XXXXXX", 8);
    out->fd = mkstemp(out->aside);
    if (out->fd < 0)
        fail("cannot write %s: %s", path, strerror(errno));
    remember(out);
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(out->fd, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

output *output_open(const char *path)
{
    output *out = allocate(1, sizeof *out);
    out->buffer = allocate(1, OUTPUT_BUFFER);
    out->fd = STDOUT_FILENO;
    out->place = -1;
    out->name = "standard output";
    if (!is_standard(path)) {
        out->name = path;
        open_aside(out, path);
    }
    return out;
}

int output_is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* The folder of a path; "" if that is too long. */
static const char *folder_of(const char *path, char folder[4096])
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + (slash == path) : 1;
    snprintf(folder, 4096, "%.*s", (int)(length < 4096 ? length : 0), slash ? path : ".");
    return folder;
}

void output_check(const char *path)
{
    struct stat status;
    if (!path || output_is_standard(path))
        return;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        fail("cannot write %s: it is a directory", path);
    char folder[4096];
    if (access(folder_of(path, folder), W_OK | X_OK) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

/* ---- what a path leads to -------------------------------------------------------------------- */

/* A file that is there, by device and inode; or the folder's, and the name it will have there. */
typedef struct identity {
    int is_there, is_device;
    dev_t device;
    ino_t inode;
    const char *name;
} identity;

static identity identity_of(const char *path, int standard)
{
    struct stat s = {0};
    identity id = {1, 0, 0, 0, NULL};
    char folder[4096];
    if (is_standard(path)) {
        id.is_device = fstat(standard, &s) != 0;
    } else if (stat(path, &s) != 0) {
        const char *slash = strrchr(path, '/');
        id.is_there = 0;
        id.name = slash ? slash + 1 : path;
        if (stat(folder_of(path, folder), &s) != 0)
            id.is_device = 1; /* nothing can be there: not the same as anything */
    }
    id.is_device |= S_ISCHR(s.st_mode) != 0;
    id.device = s.st_dev;
    id.inode = s.st_ino;
    return id;
}

static int is_same(const identity *a, const identity *b)
{
    return !a->is_device && !b->is_device && a->is_there == b->is_there && a->device == b->device &&
           a->inode == b->inode && (a->is_there || strcmp(a->name, b->name) == 0);
}

/* Two paths that are written alike need no file to be the same, nor does "-". */
static void check_apart(const char *a, const char *b)
{
    identity x = identity_of(a, STDOUT_FILENO), y = identity_of(b, STDOUT_FILENO);
    if (strcmp(a, b) == 0 && (!x.is_device || is_standard(a)))
        fail("two outputs go to the same file '%s'", b);
    if (is_same(&x, &y))
        fail("two outputs go to the same file '%s', which is '%s'", b, a);
}

void outputs_check(const char *const *paths, size_t count, const char *const *inputs,
                   size_t input_count)
{
    for (size_t i = 0; i < count; i++) {
        if (!paths[i])
            continue;
        output_check(paths[i]);
        for (size_t k = 0; k < i; k++)
            if (paths[k])
                check_apart(paths[k], paths[i]);
        identity out = identity_of(paths[i], STDOUT_FILENO);
        for (size_t k = 0; k < input_count; k++) {
            identity in = identity_of(inputs[k], STDIN_FILENO);
            if (out.is_there && in.is_there && is_same(&in, &out))
                fail("the output '%s' would overwrite the input '%s'", paths[i],
                     input_name(inputs[k]));
        }
    }
}

void output_check_input(const char *path, const char *source)
{
    outputs_check(&path, 1, &source, 1);
}

/* ---- writing --------------------------------------------------------------------------------- */

output *output_open_digest(void)
{
    output *out = allocate(1, sizeof *out);
    out->buffer = allocate(1, OUTPUT_BUFFER);
    out->digest = allocate(1, sizeof *out->digest);
    out->name = "nowhere";
    out->place = -1;
    out->fd = -1;
    sf8_sha256_begin(out->digest);
    return out;
}

void output_digest(output *out, char text[65])
{
    output_flush(out);
    sf8_sha256_end(out->digest, text);
}

static _Noreturn void write_failed(const output *out)
{
    if (errno == EPIPE)
        raise(SIGPIPE);
    fail("cannot write %s: %s", out->name, strerror(errno));
}

void output_flush(output *out)
{
    size_t done = 0;
    if (out->digest)
        sf8_sha256_add(out->digest, out->buffer, out->used);
    while (out->fd >= 0 && done < out->used) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            write_failed(out);
        done += (size_t)n;
    }
    out->used = 0;
}

void output_write(output *out, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        size_t n = OUTPUT_BUFFER - out->used;
        if (n == 0) {
            output_flush(out);
            n = OUTPUT_BUFFER;
        }
        n = n < size ? n : size;
        memcpy(out->buffer + out->used, from, n);
        output_used(out, n);
        from += n;
        size -= n;
    }
}

void output_put(void *context, const char *text, size_t size)
{
    output *out = context;
    if (out->filter)
        out->filter(out, text, size);
    else
        output_write(out, text, size);
}

void output_print(output *out, const char *format, ...)
{
    enum { LINE = 4096 };
    va_list list;
    char own[LINE], *text = out->filter ? own : output_room(out, LINE);
    va_start(list, format);
    int n = vsnprintf(text, LINE, format, list);
    va_end(list);
    if (n < 0 || n >= LINE)
        fail("internal error: a line of output is too long");
    if (out->filter)
        out->filter(out, text, (size_t)n);
    else
        output_used(out, (size_t)n);
}

/* All of it is there, beside its place. */
static void finish(output *out)
{
    output_flush(out);
    if (out->final && (fsync(out->fd) != 0 && errno != EINVAL))
        write_failed(out);
    if (out->fd >= 0 && out->fd != STDOUT_FILENO && close(out->fd) != 0)
        write_failed(out);
}

static void put_in_place(output *out)
{
    if (out->final && rename(out->aside, out->final) != 0)
        fail("cannot write %s: %s", out->final, strerror(errno));
    if (out->place >= 0)
        unfinished_forget(out->place);
    free(out->aside);
    free(out->final);
    free(out->digest);
    free(out->buffer);
    free(out);
}

void outputs_close(output *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i])
            finish(list[i]);
    for (size_t i = 0; i < count; i++)
        if (list[i])
            put_in_place(list[i]);
}

void output_close(output *out)
{
    outputs_close(&out, 1);
}

/* ---- input ----------------------------------------------------------------------------------- */

const char *input_name(const char *path)
{
    return is_standard(path) ? "standard input" : path;
}

static int open_to_read(const char *path)
{
    if (is_standard(path))
        return STDIN_FILENO;
    int fd = open(path, O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        fail("cannot read %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        fail("cannot read %s: it is a directory", path);
    return fd;
}

input *input_open(const char *path)
{
    input *in = allocate(1, sizeof *in);
    in->fd = open_to_read(path);
    in->name = input_name(path);
    in->buffer = allocate(1, INPUT_BUFFER + 1);
    return in;
}

static size_t read_some(int fd, const char *name, char *to, size_t size)
{
    for (;;) {
        ssize_t n = read(fd, to, size);
        if (n >= 0)
            return (size_t)n;
        if (errno != EINTR)
            fail("cannot read %s: %s", name, strerror(errno));
    }
}

size_t input_more(input *in)
{
    size_t left = in->end - in->at;
    if (in->at > 0)
        memmove(in->buffer, in->buffer + in->at, left);
    in->at = 0;
    in->end = left;
    if (!in->ended && left < INPUT_BUFFER) {
        size_t n = read_some(in->fd, in->name, in->buffer + left, INPUT_BUFFER - left);
        in->ended = n == 0;
        in->end += n;
    }
    return in->end;
}

char *input_line(input *in, size_t *length)
{
    size_t searched = 0;
    char *end;
    while (!(end = memchr(in->buffer + in->at + searched, '\n', in->end - in->at - searched))) {
        searched = in->end - in->at;
        if (searched > INPUT_LINE_MOST)
            fail_at(in->name, in->line + 1, "the line is longer than %d characters",
                    INPUT_LINE_MOST);
        if (input_more(in) == searched && in->ended) {
            if (searched == 0)
                return NULL;
            end = in->buffer + in->end;
            in->end++; /* the place of the missing "\n": the buffer has one byte to spare */
            break;
        }
    }
    char *line = in->buffer + in->at;
    *length = (size_t)(end - line);
    in->at += *length + 1;
    in->line++;
    if (*length > 0 && end[-1] == '\r')
        --*length;
    line[*length] = '\0';
    return line;
}

size_t input_fill(input *in)
{
    while (!in->ended && in->end - in->at < INPUT_BUFFER)
        input_more(in);
    return in->end - in->at;
}

void input_close(input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->buffer);
    free(in);
}

char *input_whole(const char *path, size_t *size, size_t most)
{
    int fd = open_to_read(path);
    const char *name = input_name(path);
    size_t room = 1 << 16, used = 0;
    char *text = allocate(1, room + 1);
    for (;;) {
        size_t n = read_some(fd, name, text + used, room - used);
        used += n;
        if (n == 0)
            break;
        if (used > most)
            fail("%s: longer than %zu bytes", name, most);
        if (used == room) {
            room *= 2;
            text = reallocate(text, 1, room + 1);
        }
    }
    if (fd != STDIN_FILENO)
        close(fd);
    text[used] = '\0';
    *size = used;
    return text;
}
