/* SPDX-License-Identifier: MIT */
/* html_matrix.c -- all cases at a glance: a line for each subject, by families */
#include "report/html.h"

#include <string.h>

enum { OPEN_MOST = 120 };

/* A case's name without its family. */
static const char *behind_family(const conform_case *c)
{
    size_t n = family_length(c);
    return c->name[n] ? c->name + n + 1 : c->name;
}

/* Of a record the folder and the family are told as well. */
static size_t skipped(const char *rest, int record)
{
    size_t n = 0;
    for (int i = 0; record && i < 2 && strchr(rest + n, '/'); i++)
        n += strcspn(rest + n, "/") + 1;
    return n;
}

/* How much of that stands at the head of a row of the matrix: the first part; of four or more, as
 * "class/fp8_e4m3/from/half", all but the last. Of one, as "cvt.rn.satfinite.e4m3x2.f32", all but
 * the types. */
static size_t subject_length(const conform_case *c)
{
    const char *rest = behind_family(c);
    size_t skip = skipped(rest, c->place == PLACE_RECORD), slashes = 0, end;
    rest += skip;
    for (const char *at = rest; *at; at++)
        slashes += *at == '/';
    if (slashes)
        return skip + (slashes < 3 ? strcspn(rest, "/") : (size_t)(strrchr(rest, '/') - rest));
    size_t dots = 0;
    for (end = strlen(rest); end > 0 && dots < 2; end--)
        dots += rest[end - 1] == '.';
    return skip + (dots == 2 ? end : strlen(rest));
}

static int same_subject(const conform_case *a, const conform_case *b)
{
    const char *x = behind_family(a), *y = behind_family(b);
    size_t n = subject_length(a);
    return same_family(a, b) && n == subject_length(b) && memcmp(x, y, n) == 0;
}

static void show_link(const report_out *out, const conform_case *c, conform_status s)
{
    const char *rest = behind_family(c), *variant = rest + subject_length(c);
    out_print(out, "<a class=\"chip %s\" href=\"#", status_key(s));
    html_id(out, c->name);
    out_print(out, "\"><b title=\"%s\">%s</b> ", status_text(s), html_symbol(s));
    html_name(out, *variant ? variant + 1 : rest);
    if (s != CONFORM_PASSED)
        out_print(out, "<span class=\"hidden\">, %s</span>", status_text(s));
    out_text(out, "</a>\n");
}

static void show_subject(const report_out *out, const report *r, size_t first)
{
    const conform_case *c = r->cases[first];
    const char *rest = behind_family(c);
    char subject[128];
    snprintf(subject, sizeof subject, "%.*s", (int)subject_length(c), rest);
    out_text(out, "<tr><th scope=\"row\">");
    html_name(out, subject);
    out_text(out, "</th><td>");
    for (size_t i = first; i < r->count; i++) {
        if (same_subject(c, r->cases[i]))
            show_link(out, r->cases[i], r->results[i].status);
    }
    out_text(out, "</td></tr>\n");
}

/* Of the others there are too many to look at unasked. */
static int is_open(const report_count *n)
{
    return n->cases <= OPEN_MOST || n->of[CONFORM_FAILED] || n->of[CONFORM_BROKEN] ||
           n->of[CONFORM_STALE];
}

static void show_family(const report_out *out, const report *r, size_t first)
{
    const conform_case *c = r->cases[first];
    report_count n = count_of(r, c);
    char family[128], number[32];
    snprintf(family, sizeof family, "%.*s", (int)family_length(c), c->name);
    out_print(out, "<details class=\"family\"%s><summary><b>", is_open(&n) ? " open=\"open\"" : "");
    out_xml(out, family);
    out_text(out, "</b>");
    for (int s = 0; s < REPORT_STATUSES; s++) {
        if (n.of[s])
            out_print(out, " <span class=\"count %s\">%s %s %s</span>",
                      status_key((conform_status)s), html_symbol((conform_status)s),
                      grouped(n.of[s], number), status_text((conform_status)s));
    }
    out_text(out, "</summary>\n<table class=\"matrix\"><tbody>\n");
    for (size_t i = first; i < r->count; i++) {
        size_t before = first;
        while (before < i && !same_subject(r->cases[before], r->cases[i]))
            before++;
        if (before == i && same_family(c, r->cases[i]))
            show_subject(out, r, i);
    }
    out_text(out, "</tbody></table></details>\n");
}

void html_matrix(const report_out *out, const report *r)
{
    out_text(out, "<section id=\"cases\"><h2>Cases</h2>\n<p class=\"filter\" hidden=\"hidden\">"
                  "<label>Filter <input type=\"search\" placeholder=\"e4m3 failed\" "
                  "autocomplete=\"off\"/></label> <output></output></p>\n");
    for (size_t i = family_next(r, SIZE_MAX); i < r->count; i = family_next(r, i))
        show_family(out, r, i);
    out_text(out, "</section>\n");
}
