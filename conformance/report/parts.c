/* SPDX-License-Identifier: MIT */
/* parts.c -- what the reports share: output, counts, words as text */
#include "report/parts.h"
#include "base/json_writer.h"

#include <stdarg.h>
#include <string.h>

/* ---- output ---------------------------------------------------------------------------------- */

static void put(const report_out *out, const char *text, size_t size)
{
    if (size > 0)
        out->put(out->context, text, size);
}

void out_text(const report_out *out, const char *text)
{
    put(out, text, strlen(text));
}

void out_print(const report_out *out, const char *format, ...)
{
    char text[REPORT_TEXT];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n > 0)
        put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* The bytes of the character of UTF-8 at `text`; 0 if there is none, or one that XML does not have:
 * control characters, fffe and ffff. */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < ' ' || c[0] == 127 || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe))
        return 0;
    return utf8_length(text);
}

/* What stands for a character, or NULL. */
static const char *in_xml(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void out_xml(const report_out *out, const char *text)
{
    const char *plain = text;
    while (*text) {
        size_t n = character(text);
        const char *other = n == 0 ? "?" : in_xml(*text);
        n = n ? n : 1;
        if (other) {
            put(out, plain, (size_t)(text - plain));
            out_text(out, other);
            plain = text + n;
        }
        text += n;
    }
    put(out, plain, (size_t)(text - plain));
}

void out_wrapped(const report_out *out, const char *text, int at, int indent, int width)
{
    int first = 1;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (!first && at + 1 + n > width) {
            out_print(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            out_text(out, " ");
            at++;
        }
        put(out, text, (size_t)n);
        at += n;
        text += n;
        text += *text == ' ';
        first = 0;
    }
}

/* ---- counts ---------------------------------------------------------------------------------- */

const char *status_text(conform_status s)
{
    static const char *const text[] = {"passed", "failed", "known", "skipped", "stale", "broken"};
    return text[s];
}

const char *tier_text(conform_tier t)
{
    static const char *const text[] = {"quick", "full", "soak"};
    return text[t];
}

const char *place_text(const conform_case *c)
{
    return c->record ? "record" : c->family->on_device ? "device" : c->family->name;
}

const char *domain_text(const conform_case *c)
{
    return c->family->inputs ? c->family->inputs : c->domain == DOMAIN_ALL ? "all" : "set";
}

size_t family_length(const conform_case *c)
{
    return strcspn(c->name, "/");
}

int same_family(const conform_case *a, const conform_case *b)
{
    size_t n = family_length(a);
    return n == family_length(b) && memcmp(a->name, b->name, n) == 0;
}

size_t family_next(const report *r, size_t i)
{
    for (i++; i < r->count; i++) {
        size_t before = 0;
        while (before < i && !same_family(r->cases[before], r->cases[i]))
            before++;
        if (before == i)
            return i;
    }
    return r->count;
}

report_count count_of(const report *r, const conform_case *of)
{
    report_count n;
    memset(&n, 0, sizeof n);
    for (size_t i = 0; i < r->count; i++) {
        if (of && !same_family(of, r->cases[i]))
            continue;
        n.of[r->results[i].status]++;
        n.cases++;
        n.inputs += r->results[i].inputs;
        n.seconds += r->results[i].seconds;
    }
    return n;
}

int evidence_of(const conform_case *c)
{
    const char *place = place_text(c);
    if (strcmp(place, "record") == 0)
        return EVIDENCE_RECORD;
    if (strcmp(place, "models") == 0)
        return EVIDENCE_MODEL;
    return strcmp(place, "published") == 0 || strcmp(place, "silicon") == 0 ? EVIDENCE_HARDWARE
                                                                            : EVIDENCE_HERE;
}

const char *evidence_text(int kind)
{
    static const char *const text[] = {"replayed from hardware of others",
                                       "replayed from models of others",
                                       "replayed from our own records", "run here"};
    return text[kind];
}

report_count evidence_count(const report *r, int kind)
{
    report_count n;
    memset(&n, 0, sizeof n);
    for (size_t i = 0; i < r->count; i++) {
        if (r->results[i].status == CONFORM_NOT_RUN || evidence_of(r->cases[i]) != kind)
            continue;
        n.cases++;
        n.inputs += r->results[i].inputs;
    }
    return n;
}

int report_exit(const report *r)
{
    report_count n = count_of(r, NULL);
    if (n.of[CONFORM_FAILED] || n.of[CONFORM_BROKEN] || n.of[CONFORM_STALE])
        return 1;
    if ((n.cases == 0 && r->shards <= 1) || (n.of[CONFORM_NOT_RUN] && (r->strict || r->only)))
        return 3;
    return 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

report_case case_of(const report *r, size_t i)
{
    report_case k;
    char why[CONFORM_TEXT];
    memset(&k, 0, sizeof k);
    k.c = r->cases[i];
    k.r = &r->results[i];
    k.tier = r->tier;
    k.known = k.c->oracle[0].function && oracle_open(&k.oracle, k.c, why);
    return k;
}

size_t kept_ranges(const conform_result *r)
{
    return r->range_count < CONFORM_RANGES ? (size_t)r->range_count : CONFORM_RANGES;
}

const char *word_hex(const sf8_word *w, uint64_t word, char text[32])
{
    snprintf(text, 32, "%0*llx", (w->bits + 3) / 4, (unsigned long long)word);
    return text;
}

static double double_of(sf8_format f, uint64_t word)
{
    double value;
    uint64_t bits = sf8_convert(SF8_F64, f, word, SF8_OCP_NOSAT);
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *word_value(const sf8_word *w, uint64_t word, size_t most, char text[96])
{
    char exact[SF8_TEXT_SIZE];
    size_t length;
    switch (w->kind) {
    case SF8_WORD_FLOAT:
        if (sf8_to_text(w->format, word, SF8_TEXT_EXACT, exact, sizeof exact, &length) == SF8_OK &&
            length <= most) {
            memcpy(text, exact, length + 1);
            break;
        }
        text[0] = '~';
        /* of a narrow format the shortest that reads back is too short to distinguish it from
         * others */
        if (w->format.man_bits <= 10 && !sf8_is_special(w->format, word)) {
            snprintf(text + 1, 95, "%.5g", double_of(w->format, word));
            break;
        }
        if (sf8_to_text(w->format, word, SF8_TEXT_SHORTEST, text + 1, 95, &length) != SF8_OK)
            text[0] = '\0';
        break;
    case SF8_WORD_SIGNED: {
        uint64_t sign = UINT64_C(1) << (w->bits - 1);
        snprintf(text, 96, "%lld", (long long)(int64_t)((word ^ sign) - sign));
        break;
    }
    default:
        snprintf(text, 96, "%llu", (unsigned long long)word);
        break;
    }
    return text;
}

const char *oracle_text(const conform_case *c, char text[REPORT_TEXT])
{
    size_t used = 0;
    const conform_family *f = c->family;
    text[0] = '\0';
    if (f->against)
        snprintf(text, REPORT_TEXT, "%s%s%.100s%s%s%s against %s", f->subjects ? f->subjects : "",
                 f->subjects ? " " : "", c->subject, c->formats ? ", " : "",
                 c->formats ? c->formats : "", c->formats ? "," : "", f->against);
    for (int i = 0; i < CONFORM_STEPS && c->oracle[i].function && used < REPORT_TEXT; i++) {
        const conform_step *s = &c->oracle[i];
        int n = snprintf(text + used, REPORT_TEXT - used, "%s%s, %s%s%s", i ? ", then " : "",
                         s->function, s->policy, s->fields ? " " : "", s->fields ? s->fields : "");
        used += n > 0 ? (size_t)n : 0;
    }
    if (c->slices != SLICES_NONE && used < REPORT_TEXT)
        snprintf(text + used, REPORT_TEXT - used, "; random word %08x, %s", (unsigned)c->rbits,
                 c->slices == SLICES_BYTES ? "by bytes" : "by nibbles");
    return text;
}
