/* SPDX-License-Identifier: MIT */
/* check.c -- checks a file of JSON vectors: its form, and the outputs and tags of every case
 *
 * The rules of the form are those of vectors/json/schema. A reader of JSON does not know the order
 * of members, so a group is read twice: its head, then its cases.
 */
#include "base/json_reader.h"
#include "base/memory.h"
#include "vectors/hash_set.h"
#include "vectors/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 40 };

typedef struct run {
    vectors_check *v;
    json_reader r;
    vector_group group;
    vector_case given, right, seen;
    char id[CASE_ID];
    vector_tags why, used, explained;
    uint64_t promised;
    hash_set ids;
    int stop;
} run;

/* ---- errors ---------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
bad(run *c, const char *format, ...)
{
    va_list list;
    if (c->v->expected[0] || c->r.expected)
        return 0;
    c->v->line = jr_line(&c->r);
    va_start(list, format);
    vsnprintf(c->v->expected, CHECK_TEXT, format, list);
    va_end(list);
    return jr_fail(&c->r, c->v->expected);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
differs(run *c, const char *format, ...)
{
    char text[CHECK_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->stop |= c->v->differs(c->v->context, c->id, text) != 0;
}

/* ---- ids ------------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static int id_is_good(const char *id)
{
    return *id && strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_.:,/+=#^-") == strlen(id);
}

/* ---- words ----------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "7e 3f": codes of a field with a blank between two. */
static int read_words(run *c, const vector_field *f, vector_words *words)
{
    const char *text = "";
    size_t length = 0, digits = (size_t)(f->bits + 3) / 4, count;
    if (!jr_span(&c->r, &text, &length))
        return 0;
    count = (length + 1) / (digits + 1);
    if (count == 0 || length != count * (digits + 1) - 1 || (f->count && count != f->count))
        return f->count == 1 ? bad(c, "%s: expected %zu hexadecimal digit%s", f->key, digits,
                                   digits == 1 ? "" : "s")
                             : bad(c,
                                   "%s: expected codes of %zu hexadecimal digit%s, one blank "
                                   "between two",
                                   f->key, digits, digits == 1 ? "" : "s");
    words_resize(words, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        int good = i + 1 == count || text[i * (digits + 1) + digits] == ' ';
        for (size_t k = 0; k < digits; k++) {
            int digit = digit_of(text[i * (digits + 1) + k]);
            good &= digit >= 0;
            word = word << 4 | (uint64_t)(digit & 15);
        }
        int too_large = (f->bits < 64 && word >> f->bits) ||
                        (strcmp(f->key, "flags") == 0 && word > 0x1f);
        if (!good || too_large)
            return bad(c, "%s: expected lower-case hexadecimal digits of %d bits", f->key,
                       strcmp(f->key, "flags") == 0 ? 5 : f->bits);
        words->word[i] = word;
    }
    return 1;
}

static const char *word_text(const vector_field *f, uint64_t word, char text[20])
{
    snprintf(text, 20, "%0*llx", (f->bits + 3) / 4, (unsigned long long)word);
    return text;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void read_why(run *c)
{
    c->why = 0;
    for (jr_begin(&c->r, '['); jr_element(&c->r);) {
        char name[KEY_SIZE];
        if (!jr_text(&c->r, name, sizeof name))
            return;
        vector_tag tag = tag_named(name);
        if (tag == TAG_COUNT)
            bad(c, "'%s': expected a tag of docs/spec/vectors.md", name);
        else if (c->why >> tag & 1)
            bad(c, "'%s': expected each tag once", name);
        else
            c->why |= tag_if(1, tag);
    }
    if (!c->why)
        bad(c, "why: expected at least one tag");
}

/* The outputs that a faulty program returned: whether one differs from the given one. */
static void read_seen(run *c, const json_reader *at)
{
    char key[KEY_SIZE];
    int wrong = 0, any = 0;
    c->r = *at;
    for (jr_begin(&c->r, '{'); jr_member(&c->r, key, sizeof key); any = 1) {
        int i = group_find(&c->group, key);
        if (i < 0 || !c->group.field[i].output) {
            bad(c, "seen: '%s': expected an output of the case", key);
            return;
        }
        if (!read_words(c, &c->group.field[i], &c->seen.field[i]))
            return;
        wrong |= !words_equal(&c->seen.field[i], &c->right.field[i]);
    }
    if (!any)
        bad(c, "seen: expected at least one output");
    if (!c->r.expected && !wrong)
        differs(c, "a bug shows the right output as the wrong one");
}

static void read_bug(run *c)
{
    char key[KEY_SIZE], text[CHECK_TEXT];
    int has_link = 0;
    for (jr_begin(&c->r, '{'); jr_member(&c->r, key, sizeof key);) {
        if (strcmp(key, "link") == 0) {
            has_link = jr_text(&c->r, text, sizeof text) && strncmp(text, "https://", 8) == 0;
            if (!has_link)
                bad(c, "link: expected an address that begins with https://");
        } else if (strcmp(key, "note") == 0) {
            jr_text(&c->r, text, sizeof text);
        } else if (strcmp(key, "seen") == 0) {
            json_reader at = c->r;
            read_seen(c, &at);
        } else {
            bad(c, "'%s': a bug has link, seen and note", key);
        }
    }
    if (!has_link)
        bad(c, "a bug needs a link");
}

static void read_bugs(run *c, json_reader at)
{
    json_reader after = c->r;
    size_t count = 0;
    c->r = at;
    for (jr_begin(&c->r, '['); jr_element(&c->r); count++)
        read_bug(c);
    if (count == 0)
        bad(c, "bugs: expected at least one bug, or no member of this name");
    if (!c->r.expected)
        c->r = after;
}

/* "tie, subnormal": the tags of the case. */
static const char *why_text(const run *c, char text[CHECK_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < TAG_COUNT; i++) {
        if ((c->why >> i & 1) && used < CHECK_TEXT)
            used += (size_t)snprintf(text + used, CHECK_TEXT - used, "%s%s", used ? ", " : "",
                                     tag_name((vector_tag)i));
    }
    return text;
}

/* Whether a field may be missing, and is not compared. */
static int is_left_out(const run *c, const vector_field *f)
{
    return c->v->no_flags && strcmp(f->key, "flags") == 0;
}

/* Whether a result that is not the right one may stand for it; only functions have NaN results of
 * which any is as good. */
static int is_accepted(const run *c, const vector_field *f, uint64_t found, uint64_t right)
{
    return c->v->any_nan && c->group.function.operands && strcmp(f->key, "result") == 0 &&
           word_is_any_nan(&c->group.function.result, found, right);
}

/* The outputs that are wrong, the first word of each. */
static void compare_outputs(run *c)
{
    char found[20], right[20], why[CHECK_TEXT];
    why_text(c, why);
    for (int i = 0; i < c->group.fields; i++) {
        const vector_field *f = &c->group.field[i];
        const vector_words *a = &c->given.field[i], *b = &c->right.field[i];
        size_t k = 0;
        if (!f->output || is_left_out(c, f) || words_equal(a, b))
            continue;
        if (a->count != b->count) {
            differs(c, "%s has %zu codes, expected %zu (%s)", f->key, a->count, b->count, why);
            continue;
        }
        while (a->word[k] == b->word[k])
            k++;
        if (is_accepted(c, f, a->word[k], b->word[k]))
            continue;
        word_text(f, a->word[k], found);
        word_text(f, b->word[k], right);
        if (f->count == 1)
            differs(c, "%s %s, expected %s (%s)", f->key, found, right, why);
        else
            differs(c, "%s, number %zu: %s, expected %s (%s)", f->key, k, found, right, why);
    }
}

static void compare_tags(run *c)
{
    vector_tags hold = c->group.kind->tags(&c->group, &c->right);
    for (int i = 0; i < TAG_COUNT; i++) {
        if (c->why & ~hold & tag_if(1, (vector_tag)i))
            differs(c, "the tag %s does not hold", tag_name((vector_tag)i));
    }
}

/* The members that a case needs: its fields, an id, why. Reports the first that is missing. */
static int is_whole(run *c, unsigned fields, int has_id, int has_why)
{
    for (int i = 0; i < c->group.fields; i++) {
        if (!(fields >> i & 1) && !is_left_out(c, &c->group.field[i]))
            return bad(c, "the case ends without '%s'", c->group.field[i].key);
    }
    return has_id && has_why ? 1 : bad(c, "the case ends without '%s'", has_id ? "why" : "id");
}

static int read_field(run *c, const char *key, unsigned *fields)
{
    int i = group_find(&c->group, key);
    if (i < 0)
        return bad(c, "'%s': a case of this group has no such member", key);
    if (*fields >> i & 1)
        return bad(c, "'%s': expected each member once", key);
    *fields |= 1u << i;
    return read_words(c, &c->group.field[i], &c->given.field[i]);
}

static void check_case(run *c)
{
    case_copy_inputs(&c->group, &c->right, &c->given);
    const char *expected = c->group.kind->run(&c->group, &c->right);
    if (expected) {
        bad(c, "expected %s", expected);
        return;
    }
    compare_outputs(c);
    compare_tags(c);
    c->used |= c->why;
    c->v->tests++;
}

static void read_case(run *c)
{
    char key[KEY_SIZE], comment[4096];
    json_reader bugs;
    unsigned fields = 0;
    int has_id = 0, has_why = 0, has_bugs = 0;
    for (jr_begin(&c->r, '{'); jr_member(&c->r, key, sizeof key);) {
        if (strcmp(key, "id") == 0) {
            has_id++;
            if (jr_text(&c->r, c->id, sizeof c->id) && !id_is_good(c->id))
                bad(c, "id: expected letters, digits and _ . : , / + = # ^ - alone");
        } else if (strcmp(key, "why") == 0) {
            has_why++;
            read_why(c);
        } else if (strcmp(key, "comment") == 0) {
            jr_text(&c->r, comment, sizeof comment);
        } else if (strcmp(key, "bugs") == 0) {
            has_bugs++;
            bugs = c->r;
            jr_skip(&c->r);
        } else {
            read_field(c, key, &fields);
        }
    }
    if (c->r.expected || !is_whole(c, fields, has_id, has_why))
        return;
    if (has_id > 1 || has_why > 1 || has_bugs > 1)
        bad(c, "a member twice: expected each member once");
    if (!hash_set_add(&c->ids, hash_of(c->id)))
        bad(c, "'%s': expected an id that no other case has", c->id);
    if (!c->r.expected)
        check_case(c);
    if (has_bugs && !c->r.expected)
        read_bugs(c, bugs);
}

/* ---- a group --------------------------------------------------------------------------------- */

static void read_head_member(run *c, const char *key)
{
    const vector_kind *kind = c->group.kind;
    for (int i = 0; i < HEAD_MOST && kind->head[i].key; i++) {
        char *text = c->group.head[i];
        if (strcmp(kind->head[i].key, key) != 0)
            continue;
        if (text[0])
            bad(c, "'%s': expected each member once", key);
        else if (kind->head[i].type == 's')
            jr_text(&c->r, text, HEAD_TEXT);
        else if (kind->head[i].type == 'b')
            snprintf(text, HEAD_TEXT, "%s", jr_bool(&c->r) ? "true" : "false");
        else
            snprintf(text, HEAD_TEXT, "%llu", (unsigned long long)jr_unsigned(&c->r));
        return;
    }
    bad(c, "'%s': a group of kind %s has no such member", key, kind->name);
}

/* The kind, which says what other members there are. */
static const vector_kind *read_kind(run *c)
{
    json_reader start = c->r;
    const vector_kind *kind = NULL;
    char key[KEY_SIZE], name[KEY_SIZE];
    for (jr_begin(&c->r, '{'); jr_member(&c->r, key, sizeof key);) {
        if (strcmp(key, "kind") != 0) {
            jr_skip(&c->r);
            continue;
        }
        if (jr_text(&c->r, name, sizeof name) && (kind = kind_named(name)) == NULL)
            bad(c,
                "kind: '%s': expected convert, unary, binary, fma, quantize, dequantize, mma, "
                "merge, "
                "attend or kv-store",
                name);
    }
    if (!kind)
        bad(c, "the group ends without 'kind'");
    if (!c->r.expected)
        c->r = start;
    return kind;
}

static void open_group(run *c)
{
    const vector_kind *kind = c->group.kind;
    const char *expected = NULL;
    for (int i = 0; i < HEAD_MOST && kind->head[i].key && !c->r.expected; i++) {
        if (!kind->head[i].optional && !c->group.head[i][0])
            bad(c, "the group ends without '%s'", kind->head[i].key);
    }
    if (!c->r.expected && (expected = kind->open(&c->group)) != NULL)
        bad(c, "expected %s", expected);
}

static void read_group(run *c)
{
    char key[KEY_SIZE];
    json_reader start = c->r, cases = start, after;
    int has_cases = 0;
    const vector_kind *kind = read_kind(c);
    if (!kind)
        return;
    group_begin(&c->group, kind);
    for (jr_begin(&c->r, '{'); jr_member(&c->r, key, sizeof key);) {
        if (strcmp(key, "cases") == 0) {
            has_cases++;
            cases = c->r;
        }
        if (strcmp(key, "cases") == 0 || strcmp(key, "kind") == 0)
            jr_skip(&c->r);
        else
            read_head_member(c, key);
    }
    if (has_cases != 1)
        bad(c, "a group needs 'cases' once");
    after = c->r;
    if (c->r.expected)
        return;
    c->r = cases; /* errors of the head are reported where its cases begin */
    jr_kind(&c->r);
    open_group(c);
    for (jr_begin(&c->r, '['); !c->stop && jr_element(&c->r);)
        read_case(c);
    if (!c->r.expected)
        c->r = after;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void read_tags(run *c)
{
    char name[KEY_SIZE], text[CHECK_TEXT];
    for (jr_begin(&c->r, '{'); jr_member(&c->r, name, sizeof name);) {
        vector_tag tag = tag_named(name);
        if (tag == TAG_COUNT)
            bad(c, "'%s': expected a tag of docs/spec/vectors.md", name);
        else if (jr_text(&c->r, text, sizeof text) && strcmp(text, tag_text(tag)) != 0)
            bad(c, "%s: expected the sentence \"%.200s\"", name, tag_text(tag));
        else
            c->explained |= tag_if(1, tag);
    }
}

enum { HAS_SCHEMA = 1, HAS_TITLE = 2, HAS_GROUPS = 4, HAS_TAGS = 8, HAS_COUNT = 16 };

static void read_groups(run *c)
{
    for (jr_begin(&c->r, '['); !c->stop && jr_element(&c->r);)
        read_group(c);
}

static int read_file_member(run *c, const char *key)
{
    char text[CHECK_TEXT];
    if (strcmp(key, "schema") == 0) {
        if (jr_text(&c->r, text, sizeof text) && strcmp(text, "vectors-1") != 0)
            bad(c, "schema: '%.40s': expected vectors-1", text);
        return HAS_SCHEMA;
    }
    if (strcmp(key, "title") == 0)
        return jr_text(&c->r, text, sizeof text), HAS_TITLE;
    if (strcmp(key, "groups") == 0)
        return read_groups(c), HAS_GROUPS;
    if (strcmp(key, "tags") == 0)
        return read_tags(c), HAS_TAGS;
    if (strcmp(key, "count") == 0)
        return c->promised = jr_unsigned(&c->r), HAS_COUNT;
    return bad(c, "'%s': a file has schema, title, groups, tags and count", key);
}

static void check_end(run *c, int has)
{
    static const char *const members[] = {"schema", "title", "groups", "tags", "count"};
    for (int i = 0; i < 5; i++) {
        if (!(has >> i & 1))
            bad(c, "the file ends without '%s'", members[i]);
    }
    if (c->promised != c->v->tests)
        bad(c, "count: the file has %llu cases, expected %llu", (unsigned long long)c->v->tests,
            (unsigned long long)c->promised);
    for (int i = 0; i < TAG_COUNT; i++) {
        if ((c->used ^ c->explained) >> i & 1)
            bad(c, "tags: '%s' is %s", tag_name((vector_tag)i),
                c->used >> i & 1 ? "used, but not explained" : "explained, but no case has it");
    }
}

int vectors_check_text(vectors_check *v, const char *text, size_t size)
{
    run *c = allocate(1, sizeof *c);
    char key[KEY_SIZE];
    int has = 0;
    c->v = v;
    c->r = json_read(text, size);
    v->tests = v->line = 0;
    v->expected[0] = '\0';
    for (jr_begin(&c->r, '{'); !c->stop && jr_member(&c->r, key, sizeof key);) {
        int member = read_file_member(c, key);
        if (has & member)
            bad(c, "'%s': expected each member once", key);
        has |= member;
    }
    if (!c->stop && jr_end(&c->r))
        check_end(c, has);
    if (c->r.expected && !v->expected[0]) {
        v->line = jr_line(&c->r);
        snprintf(v->expected, CHECK_TEXT, "expected %s", c->r.expected);
    }
    int good = !c->r.expected;
    case_free(&c->given);
    case_free(&c->right);
    case_free(&c->seen);
    free(c->ids.hash);
    free(c);
    return good;
}
