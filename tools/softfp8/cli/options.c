/* SPDX-License-Identifier: MIT */
/* options.c -- reads arguments by the table of a subcommand */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* An option as it was written. */
typedef struct written {
    const char *text; /* the whole argument */
    const char *name; /* without dashes */
    size_t length;
    const char *value; /* behind "=", or NULL */
} written;

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t number_of(const char *text, uint64_t least, uint64_t most)
{
    uint64_t number = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (number > (UINT64_MAX - digit) / 10)
            break;
        number = 10 * number + digit;
    }
    if (c == text || *c || number < least || number > most)
        fail("expected a number from %llu to %llu", (unsigned long long)least,
             (unsigned long long)most);
    return number;
}

/* The index of a value in the option's list, whatever the case of its letters. */
static size_t index_of(const cli_option *o, const char *value)
{
    char words[256];
    const char *word;
    for (size_t i = 0; (word = option_value_at(o, i)) != NULL; i++)
        if (strcasecmp(word, value) == 0)
            return i;
    fail("expected one of %s", option_words(o, ' ', words));
}

/* An integer into 4 or 8 bytes. */
static void store_integer(void *place, size_t size, uint64_t number)
{
    uint32_t low = (uint32_t)number;
    memcpy(place, size == sizeof low ? (void *)&low : (void *)&number, size);
}

static void store(const cli_option *o, void *place, const char *value)
{
    double real;
    switch (o->kind) {
    case OPTION_FLAG:
        store_integer(place, o->size, (uint64_t)(int64_t)o->set);
        break;
    case OPTION_FORMAT:
        if (integer_hint(value))
            fail("'%s' is %s", value, integer_hint(value));
        format_to_convert(value);
        value = in_one_word(value);
        memcpy(place, &value, sizeof value);
        break;
    case OPTION_NAME:
        value = option_value_at(o, index_of(o, value));
        memcpy(place, &value, sizeof value);
        break;
    case OPTION_WORD:
        store_integer(place, o->size, index_of(o, value));
        break;
    case OPTION_NUMBER:
        store_integer(place, o->size, number_of(value, o->least, o->most));
        break;
    case OPTION_REAL:
        real = (double)number_of(value, o->least, o->most);
        memcpy(place, &real, sizeof real);
        break;
    case OPTION_CALL:
        if (o->words)
            value = o->words[index_of(o, o->other_name ? o->other_name(value) : value)];
        o->take(place, o, value);
        break;
    default: /* text */
        memcpy(place, &value, sizeof value);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static const cli_option *find(const command *c, const char *name, size_t length, size_t *base)
{
    const cli_option *o;
    option_walk walk = option_walk_of(c->options);
    while ((o = option_next(&walk, base)) != NULL && !option_is(o, name, length))
        ;
    return o;
}

/* The new name of an option that had this one. */
static const char *renamed(const command *c, const written *w)
{
    static const char *const names[][2] = {
        {"out", "result"},
        {"out", "keep"},
        {"units", "keep"},
        {"merge", "join"},
        {"values", "expected"},
        {"g", "global-scale"},
        {"values", "requests"},
        {"values", "as-numbers"},
        {"random", "stochastic"},
        {"base2", "base"},
        {"codes", "as-codes"},
        {"prefix", "prefix-keys"},
        {"layout", "cache-layout"},
        {"names", "reasons"},
        {"order", "norm-order"},
        {"from", "from-layout"},
        {"to", "to-layout"},
        {"scale", "score-scale"},
        {"svg", "json"},
    };
    size_t base;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i][0]) == w->length && memcmp(names[i][0], w->name, w->length) == 0 &&
            find(c, names[i][1], strlen(names[i][1]), &base))
            return names[i][1];
    return NULL;
}

/* Says which option may be meant; one letter is near to too much. Of options that are equally near
 * it is the one with which the text begins: --rounding means --round, not -roddinf. */
static _Noreturn void unknown(const command *c, const written *w)
{
    const char *now = renamed(c, w);
    if (now)
        fail(strcmp(now, "json") == 0 ? "no option '%s'; '--%s' writes the numbers to draw"
                                      : "no option '%s'; it is '--%s' now",
             w->text, now);
    const char *spelling;
    char name[64], near[64] = "";
    size_t at, n, least = w->length < 4 ? 2 : w->length < 7 ? 3 : (w->length + 4) / 3;
    const cli_option *o;
    option_walk walk = option_walk_of(c->options);
    snprintf(name, sizeof name, "%.*s", (int)(w->length < 63 ? w->length : 63), w->name);
    while ((o = option_next(&walk, &at)) != NULL)
        for (const char *names = o->names; names && (n = option_spelling(&names, &spelling)) > 0;) {
            char one[64];
            snprintf(one, sizeof one, "%.*s", (int)n, spelling);
            const char *bare = one + strspn(one, "-");
            size_t d = name_distance(name, bare);
            int begins = near[0] && d == least && strncmp(name, bare, strlen(bare)) == 0;
            int nearer = d < least || begins;
            if (strlen(bare) < 2 || !nearer)
                continue;
            least = d;
            strcpy(near, one);
        }
    if (near[0])
        fail("no option '%s'; did you mean '%s'?", w->text, near);
    fail("no option '%s'; 'softfp8%c%s --help' lists them", w->text, command_separator(), c->name);
}

enum { GIVEN_MOST = 256 };

static const cli_option *given[GIVEN_MOST];
static size_t given_count;

const cli_option *option_given_at(size_t i)
{
    return i < given_count ? given[i] : NULL;
}

int option_was_given(const char *name)
{
    for (size_t i = 0; i < given_count; i++)
        if (option_is(given[i], name, strlen(name)))
            return 1;
    return 0;
}

void options_need(const char *const *options, size_t count, const char *what)
{
    const char *missing[4];
    char text[128] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        if (!option_was_given(options[i]))
            missing[n++] = options[i];
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s--%s",
                                 i == 0       ? ""
                                 : i == n - 1 ? " and "
                                              : ", ",
                                 missing[i]);
    if (n)
        fail("%s %s missing: %s", text, n == 1 ? "is" : "are", what);
}

void options_only(const char *names, const char *why)
{
    const cli_option *o;
    for (size_t i = 0; (o = option_given_at(i)) != NULL; i++) {
        const char *list = names, *name;
        size_t n;
        while ((n = option_spelling(&list, &name)) > 0 && !option_is(o, name, n))
            ;
        if (n == 0)
            fail("%s: leave out %.*s", why, (int)strcspn(o->names, " "), o->names);
    }
}

void options_once(void)
{
    for (size_t i = 0; i < given_count; i++)
        for (size_t k = 0; k < i; k++)
            if (given[k] == given[i])
                fail("%.*s: given twice", (int)strcspn(given[i]->names, " "), given[i]->names);
}

/* The latest are kept, if there are too many. */
static void note_given(const cli_option *o)
{
    if (given_count == GIVEN_MOST)
        memmove(given, given + 1, --given_count * sizeof given[0]);
    given[given_count++] = o;
}

static void take(const cli_option *o, char *place, const written *w, const char *value)
{
    char text[256];
    int takes = option_takes_value(o);
    if (!takes && w->value)
        fail("%s takes no value", w->text);
    if (takes && !value)
        fail("%s needs a value: %s", w->text, option_placeholder(o, text));
    if (takes)
        fail_within(w->text, value);
    store(o, place + o->at, value);
    fail_within(NULL, NULL);
    note_given(o);
}

static int is_help(const char *name)
{
    return strcmp(name, "help") == 0 || strcmp(name, "h") == 0;
}

/* Takes the option, whose value may be the next argument: 1 if it was. */
static int take_option(const command *c, char *place, const written *w, const char *next)
{
    size_t base;
    if (is_help(w->name))
        command_help(c);
    const cli_option *o = find(c, w->name, w->length, &base);
    if (!o)
        unknown(c, w);
    int uses_next = option_takes_value(o) && !w->value;
    take(o, place + base, w, uses_next ? next : w->value);
    return uses_next;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* "-1", "-.5", "-0x1p3", "-inf", "-nan": values, not options. */
static int is_negative_value(const char *text)
{
    return (text[1] >= '0' && text[1] <= '9') || text[1] == '.' || strcasecmp(text, "-inf") == 0 ||
           strcasecmp(text, "-infinity") == 0 || strcasecmp(text, "-nan") == 0;
}

static int is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0' && !is_negative_value(text);
}

static _Noreturn void too_many(const command *c, char **operands, const char *text)
{
    if (c->operands_most == 0)
        fail("unexpected '%s': this command takes options only%s%s", text, c->operands ? "; " : "",
             c->operands ? c->operands : "");
    if (c->operands_most == 1)
        fail("expected one %s, got '%s' and '%s'", c->operands, operands[0], text);
    fail("unexpected '%s'; expected only %s", text, c->operands);
}

size_t options_read(const command *c, int argc, char **argv, void *place)
{
    size_t count = 0;
    int only_operands = 0;
    given_count = 0;
    for (int i = 1; i < argc; i++) {
        char *text = argv[i];
        if (!only_operands && strcmp(text, "--") == 0) {
            only_operands = 1;
        } else if (only_operands || !is_option(text)) {
            if (count >= c->operands_most)
                too_many(c, argv, text);
            argv[count++] = text;
        } else {
            written w = {text, text + (text[1] == '-' ? 2 : 1), 0, NULL};
            w.length = strcspn(w.name, "=");
            w.value = w.name[w.length] ? w.name + w.length + 1 : NULL;
            i += take_option(c, place, &w, i + 1 < argc ? argv[i + 1] : NULL);
        }
    }
    return count;
}

/* ---- subcommands ----------------------------------------------------------------------------- */

static const command *const *verbs_at_work;

/* Without the name of the command before it. */
static const char *verb_name_at(size_t i)
{
    return verbs_at_work[i] ? strchr(verbs_at_work[i]->name, ' ') + 1 : NULL;
}

int command_run(const command *c, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char names[256] = "";
    fail_as(c->name);
    if (!c->verbs)
        return c->run(argc, argv);
    verbs_at_work = c->verbs;
    for (size_t i = 0; c->verbs[i]; i++) {
        if (strcmp(what, verb_name_at(i)) == 0)
            return command_run(c->verbs[i], argc - 1, argv + 1);
        strcat(strcat(names, " "), verb_name_at(i));
    }
    const char *near = *what ? nearest_name(what, verb_name_at) : NULL;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && is_help(argv[i] + 1 + (argv[i][1] == '-')))
            command_help(c);
    if (near)
        fail("no '%s'; did you mean '%s'?", what, near);
    fail("expected one of%s%s%s", names, *what ? ", not " : "", what);
}
