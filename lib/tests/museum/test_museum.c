/* SPDX-License-Identifier: MIT */
/* test_museum.c -- bugs of other projects: right here, and each case differs from what was seen
 *
 * vectors/museum/museum.json has the bugs. For each case softfp8 has to return the right outputs,
 * and the outputs that were seen have to differ from them. Where a bug has members bug_NAME,
 * softfp8 with these instead has to return what was seen: the bug, written as a policy, a recipe, a
 * layout or the like. docs/museum.md is made from the same file.
 */
#include "museum/kinds.h"
#include "softfp8/sha256.h"
#include "table.h"

#include <stdio.h>

enum { LEAST = 60 }; /* different links */

#define MUSEUM SOFTFP8_SOURCE "/vectors/museum/museum.json"
#define PAGE SOFTFP8_SOURCE "/docs/museum.md"

/* ---- the file -------------------------------------------------------------------------------- */

static char *text, *texts;
static json *pool;
static const json *bugs;
static char digest[65]; /* of the file */

static void open_museum(void)
{
    text = table_text(MUSEUM);
    sf8_sha256 hash;
    size_t size = strlen(text);
    sf8_sha256_begin(&hash);
    sf8_sha256_add(&hash, text, size);
    sf8_sha256_end(&hash, digest);
    size_t room = 1;
    for (const char *at = text; *at; at++)
        room += strchr("{[,:", *at) != NULL;
    pool = malloc(room * sizeof *pool);
    texts = malloc(size + 1);
    cr_assert(pool && texts);
    json_reader reader = json_read(text, size);
    const json *root = json_value(&(json_tree){pool, texts, texts + size + 1}, &reader);
    jr_end(&reader);
    cr_assert(!reader.expected, "%s:%zu: expected %s", MUSEUM, jr_line(&reader), reader.expected);
    const json *schema = json_get(root, "schema");
    cr_assert(schema && schema->type == '"' && strcmp(schema->text, "museum-1") == 0);
    bugs = json_get(root, "bugs");
    cr_assert(bugs && bugs->type == '[' && bugs->first);
}

static void close_museum(void)
{
    free(pool);
    free(texts);
    free(text);
}

TestSuite(museum, .init = open_museum, .fini = close_museum);

/* The text of a member that every bug has. */
static const char *must(const json *bug, const char *name)
{
    const json *m = json_get(bug, name);
    cr_assert(m && m->type == '"' && *m->text, "%.30s: no %s", bug->first->text, name);
    return m->text;
}

static const char *may(const json *bug, const char *name)
{
    const json *m = json_get(bug, name);
    return m && m->type == '"' ? m->text : "";
}

/* ---- cases ----------------------------------------------------------------------------------- */

static int is(const json *m, const char *expected)
{
    if (m->type == '"')
        return strcmp(m->text, expected) == 0;
    return m->type == '0' && strtoul(m->text, NULL, 10) == strtoul(expected, NULL, 10);
}

static outputs run(const json *bug, const json *one, int faulty)
{
    outputs o = {0};
    frame f = {bug, one, faulty};
    kind_of(bug)->run(&f, &o);
    return o;
}

/* A member that is not known, for example misspelt, would not be tested. */
static void check_used(const char *id, const json *object)
{
    for (const json *m = object->first; m; m = m->next)
        cr_expect(m->used, "%s: the member %s is not used", id, m->key);
}

static int crashes(const json *bug)
{
    return strcmp(must(bug, "seen_by"), "crash") == 0;
}

/* What was seen: outputs of the case, at least one of them wrong; or nothing after a crash. */
static void check_seen(const json *bug, const json *one, const json *seen)
{
    const char *id = must(bug, "id");
    unsigned wrong = !seen->first && crashes(bug);
    for (json *s = seen->first; s; s = s->next) {
        const json *right = json_get(one, s->key);
        cr_expect(right != NULL, "%s: %s was seen, but is not an output", id, s->key);
        wrong += right && right->type == s->type &&
                 (s->type == '"' ? !is(right, s->text)
                                 : strtoul(right->text, NULL, 10) != strtoul(s->text, NULL, 10));
    }
    cr_expect(wrong > 0, "%s: what was seen is right", id);
}

static int has_faulty_rule(const json *bug)
{
    for (const json *m = bug->first; m; m = m->next)
        if (strncmp(m->key, "bug_", 4) == 0)
            return 1;
    return 0;
}

static void check_case(const json *bug, const json *one)
{
    const char *id = must(bug, "id");
    const json *seen = json_get(one, "seen");
    cr_assert(seen && seen->type == '{', "%s: nothing was seen", id);
    check_seen(bug, one, seen);
    unsigned compared = 0;
    for (int faulty = 0; faulty <= has_faulty_rule(bug); faulty++) {
        outputs o = run(bug, one, faulty);
        for (size_t i = 0; i < o.n; i++) {
            const json *expected = faulty ? json_get(seen, o.of[i].name) : NULL;
            if (!expected)
                expected = json_get(one, o.of[i].name);
            if (!expected)
                continue;
            compared++;
            cr_expect(is(expected, o.of[i].text), "%s: %s is %s, not %.*s%s", id, o.of[i].name,
                      o.of[i].text, 40, expected->text, faulty ? ", by the rule of the bug" : "");
        }
    }
    cr_expect(compared > 0, "%s: no output is compared", id);
    for (json *s = seen->first; s; s = s->next)
        s->used = 1;
    check_used(id, one);
}

Test(museum, cases)
{
    for (const json *bug = bugs->first; bug; bug = bug->next) {
        const char *id = must(bug, "id"), *by = must(bug, "seen_by");
        cr_assert(kind_of(bug) != NULL, "%s: no such kind", id);
        cr_expect(strcmp(by, "report") == 0 || strcmp(by, "derived") == 0 ||
                      strcmp(by, "run") == 0 || crashes(bug),
                  "%s: seen by %s", id, by);
        must(bug, "link");
        must(bug, "product");
        must(bug, "date");
        must(bug, "what");
        may(bug, "version");
        const json *why = json_get(bug, "why"), *cases = json_get(bug, "cases");
        cr_expect(why && why->type == '[' && why->first, "%s: no reason", id);
        cr_assert(cases && cases->type == '[' && cases->first, "%s: no case", id);
        for (const json *one = cases->first; one; one = one->next)
            check_case(bug, one);
        check_used(id, bug);
    }
}

/* As many bugs as the museum is meant to have, each once. */
Test(museum, links)
{
    unsigned links = 0;
    for (const json *bug = bugs->first; bug; bug = bug->next) {
        const char *link = must(bug, "link");
        cr_expect(strncmp(link, "https://github.com/", 19) == 0, "%s", link);
        int first = 1;
        for (const json *other = bugs->first; other != bug; other = other->next) {
            cr_expect(strcmp(must(bug, "id"), must(other, "id")) != 0, "%s twice", may(bug, "id"));
            first = first && strcmp(link, must(other, "link")) != 0;
        }
        links += (unsigned)first;
    }
    cr_expect(links >= LEAST, "%u links", links);
}

/* ---- the page -------------------------------------------------------------------------------- */

typedef struct page {
    char *text;
    size_t used, room;
} page;

static void add(page *p, const char *what, size_t n)
{
    if (p->room - p->used <= n) {
        p->room = 2 * (p->room + n) + 1;
        p->text = realloc(p->text, p->room);
        cr_assert(p->text != NULL);
    }
    memcpy(p->text + p->used, what, n);
    p->used += n;
    p->text[p->used] = '\0';
}

static void add_text(page *p, const char *what)
{
    add(p, what, strlen(what));
}

/* The words of a member, but for a long list. */
static void add_member(page *p, const json *m)
{
    size_t n = m->type == '0' ? strspn(m->text, "0123456789") : strlen(m->text);
    add(p, m->text, n > 36 ? 36 : n);
    if (n > 36)
        add_text(p, "...");
}

/* [owner/name#number](link) */
static void add_link(page *p, const char *link)
{
    const char *name = link + strlen("https://github.com/"), *number = strstr(name, "/pull/");
    if (!number)
        number = strstr(name, "/issues/");
    add_text(p, "[");
    add(p, name, number ? (size_t)(number - name) : strlen(name));
    if (number) {
        add_text(p, "#");
        add_text(p, strrchr(number, '/') + 1);
    }
    add_text(p, "](");
    add_text(p, link);
    add_text(p, ")");
}

static int is_output(const outputs *o, const char *name)
{
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->of[i].name, name) == 0)
            return 1;
    return 0;
}

static void add_word(page *p, const json *m, int *more)
{
    add_text(p, (*more)++ ? ", `" : "`");
    add_member(p, m);
    add_text(p, "`");
}

/* The function, the recipe, the layout, ... that the bug is about. */
static const char *rule_of(const json *bug)
{
    static const char *const names[] = {"function", "recipe", "layout", "rule", "unit"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (*may(bug, names[i]))
            return may(bug, names[i]);
    return "weighted sum";
}

/* The row of a bug, with its first case. */
static void add_row(page *p, const json *bug)
{
    const json *one = json_get(bug, "cases")->first, *seen = json_get(one, "seen");
    outputs o = run(bug, one, 0);
    int more = 0;
    add_text(p, "| ");
    add_link(p, must(bug, "link"));
    add_text(p, " | ");
    add_text(p, must(bug, "product"));
    add_text(p, *may(bug, "version") ? " " : "");
    add_text(p, may(bug, "version"));
    add_text(p, ", ");
    add_text(p, must(bug, "date"));
    add_text(p, " | ");
    add_text(p, must(bug, "what"));
    add_text(p, " | `");
    add_text(p, rule_of(bug));
    add_text(p, "` | ");
    for (const json *m = one->first; m; m = m->next)
        if (m != seen && !is_output(&o, m->key))
            add_word(p, m, &more);
    add_text(p, " | ");
    more = 0;
    for (const json *m = seen->first; m; m = m->next)
        add_word(p, m, &more);
    if (strcmp(must(bug, "seen_by"), "report") != 0) {
        add_text(p, more ? " " : "");
        add_text(p, must(bug, "seen_by"));
    }
    add_text(p, " | ");
    more = 0;
    for (const json *m = one->first; m; m = m->next)
        if (is_output(&o, m->key) && (crashes(bug) || json_get(seen, m->key)))
            add_word(p, m, &more);
    add_text(p, " |\n");
}

static const char head[] =
    "# The museum of field bugs\n"
    "\n"
    "Bugs of other projects that a test vector would have caught. Each row links to the public "
    "thread\n"
    "where the bug was reported or corrected, and shows one input, what came out, and what is "
    "right.\n"
    "\n"
    "- The test `lib.museum` checks every case: softfp8 returns the right output, and the output "
    "that\n"
    "  was seen differs from it.\n"
    "- Many of the bugs are also a policy, a recipe or a layout of softfp8. There the test checks "
    "that\n"
    "  this rule returns what was seen.\n"
    "- The date is that of the thread. Many of these bugs have been corrected since then.\n"
    "- \"derived\" marks an output that follows from the mistake that the thread describes. "
    "\"run\" marks\n"
    "  one that we saw when we ran the program. The other outputs are in the thread itself, for "
    "this\n"
    "  input or for the range it is in.\n"
    "\n"
    "This page is made from [museum.json](../vectors/museum/museum.json), which has more cases "
    "than "
    "are\n"
    "shown. [The form of the file](../vectors/museum/README.md) is described beside it. Words are\n"
    "hexadecimal. FNUZ means the formats without -0 and infinity, whose NaN is the code 80.\n";

/* The last lines. With the digest, no digit of the file can change unnoticed. */
static void add_end(page *p)
{
    char line[160];
    int n = 0, cases = 0, rules = 0;
    for (const json *bug = bugs->first; bug; bug = bug->next, n++) {
        for (const json *one = json_get(bug, "cases")->first; one; one = one->next)
            cases++;
        rules += has_faulty_rule(bug);
    }
    snprintf(line, sizeof line, "\n%d bugs, %d cases; %d of the bugs are also a rule of softfp8.\n",
             n, cases, rules);
    add_text(p, line);
    snprintf(line, sizeof line, "SHA-256 of museum.json:\n`%s`\n", digest);
    add_text(p, line);
}

static void make_page(page *p)
{
    add_text(p, head);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        int rows = 0;
        for (const json *bug = bugs->first; bug; bug = bug->next) {
            if (kind_of(bug) != &kinds[k])
                continue;
            if (!rows++) {
                add_text(p, "\n## ");
                add_text(p, kinds[k].heading);
                add_text(p, "\n\n| bug | product | what went wrong | of | input | seen | right |\n"
                            "|---|---|---|---|---|---|---|\n");
            }
            add_row(p, bug);
        }
    }
    add_end(p);
}

/* With SOFTFP8_ACCEPT (tools/test --accept) the page is written anew instead. */
Test(museum, page)
{
    page p = {0};
    make_page(&p);
    const char *accept = getenv("SOFTFP8_ACCEPT");
    FILE *old = fopen(PAGE, "rb");
    if (old)
        fclose(old);
    char *kept = old ? table_text(PAGE) : NULL;
    int same = kept && strcmp(kept, p.text) == 0;
    cr_expect(same || accept, "docs/museum.md is not what museum.json gives; tools/test --accept");
    if (!same && accept) {
        FILE *new = fopen(PAGE, "wb"), *list = fopen(accept, "a");
        cr_assert(new &&list, "docs/museum.md cannot be written");
        fputs(p.text, new);
        fputs("docs/museum.md\n", list);
        fclose(new);
        fclose(list);
    }
    free(kept);
    free(p.text);
}
