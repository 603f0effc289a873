/* SPDX-License-Identifier: MIT */
/* same_words.c -- two outputs of one request: what is said of their differences */
#include "diagnose/attend/output.h"
#include "diagnose/same/same.h"

/* ---- words ----------------------------------------------------------------------------------- */

const char *same_s(size_t n)
{
    return n == 1 ? "" : "s";
}

static const struct {
    const char *one, *several;
} axes[SAME_AXES] = {{"query", "queries"}, {"head", "heads"}, {"channel", "channels"}};

static const char *noun(int axis, size_t n)
{
    return n == 1 ? axes[axis].one : axes[axis].several;
}

static const char *th_of(size_t n)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    return n % 10 > 3 || n % 100 / 10 == 1 ? "th" : ends[n % 10];
}

/* The units that differ, if they are few: "1, 5". */
static void put_units(attend_text *w, const same_axis *a)
{
    const char *before = "";
    for (size_t i = 0; i < a->count; i++)
        if (a->unit[i]) {
            attend_put(w, "%s%zu", before, i);
            before = ", ";
        }
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* How many keys a query sees. */
size_t same_keys_of(const same_known *k, size_t query)
{
    int64_t at = k->first + (int64_t)query;
    int64_t low = k->left >= 0 && at - k->left > 0 ? at - k->left : 0;
    int64_t high = k->right >= 0 && at + k->right < k->keys - 1 ? at + k->right : k->keys - 1;
    return high < low ? 0 : (size_t)(high - low + 1);
}

/* ---- the first line -------------------------------------------------------------------------- */

/* The rows that see fewer keys than the first one that differs: the most keys that one of them
 * sees; 0 if there is none. All of them are equal, since no query sees fewer keys than one before
 * it. */
static size_t equal_up_to(const same_known *k, size_t query)
{
    return k->has_keys && query > 0 && same_keys_of(k, query - 1) < same_keys_of(k, query)
               ? same_keys_of(k, query - 1)
               : 0;
}

static void put_period(attend_text *w, const same_known *k, int axis, const same_pattern *p)
{
    if (p->first != p->last) {
        attend_put(w, "in %s %zu to %zu of every %zu only", noun(axis, 2), p->first, p->last,
                   p->period);
        return;
    }
    attend_put(w, "in every %zu%s %s only, from %s %zu on", p->period, th_of(p->period),
               noun(axis, 1), noun(axis, 1), p->first);
    if (axis == SAME_QUERIES && k->has_keys && k->left < 0 && k->right == 0 &&
        same_keys_of(k, p->first) % p->period == 0)
        attend_put(w, " (those that see a multiple of %zu keys)", p->period);
}

void same_put_pattern(attend_text *w, const same_outputs *o, const same_differences *d,
                      const same_known *k, int axis, const same_pattern *p)
{
    const same_axis *a = &d->axis[axis];
    size_t keys = equal_up_to(k, d->first / o->heads);
    switch (p->shape) {
    case SAME_FROM:
        if (keys)
            attend_put(w, "from %zu keys on", keys + 1);
        else
            attend_put(w, "from query %zu on", p->first);
        break;
    case SAME_UP_TO:
        attend_put(w, "up to query %zu only", p->last);
        break;
    case SAME_RANGE:
        attend_put(w, "in %s %zu to %zu only", noun(axis, 2), p->first, p->last);
        break;
    case SAME_PERIOD:
        put_period(w, k, axis, p);
        break;
    default:
        if (a->differ > SAME_LISTED) {
            attend_put(w, "in %zu of %zu %s only", a->differ, a->count, noun(axis, a->count));
            break;
        }
        attend_put(w, "in %s ", noun(axis, a->differ));
        put_units(w, a);
        attend_put(w, " only");
    }
}

/* Whether what differs are all rows that see more than one key. The output of the others is a value
 * of that key, whatever the weights are. */
static int is_all_but_one_key(const same_outputs *o, const same_differences *d, const same_known *k)
{
    size_t alone = 0;
    for (size_t i = 0; i < o->queries * o->heads; i++)
        if (!k->has_keys || (same_keys_of(k, i / o->heads) > 1) != d->row[i])
            return 0;
        else
            alone += !d->row[i];
    return alone > 0;
}

void same_put_verdict(attend_text *w, const same_outputs *o, const same_differences *d,
                      const same_known *k, const same_pattern *of_queries, const char *const *list,
                      size_t count)
{
    size_t rows = o->queries * o->heads, query = d->first / o->heads;
    attend_put(w, "different ");
    if (is_all_but_one_key(o, d, k)) {
        attend_put(w, "in every row that sees more than one key\n");
        return;
    }
    if (d->rows == rows)
        attend_put(w, "in every row%s", count ? ", " : "\n");
    else if (!count)
        attend_put(w, "in %zu of %zu rows, in no known pattern\n", d->rows, rows);
    for (size_t i = 0; i < count; i++)
        attend_put(w, "%s%s", list[i], i + 1 < count ? ", " : "");
    if (count && of_queries->shape == SAME_FROM && equal_up_to(k, query))
        attend_put(w, ": they are equal for rows that see at most %zu key%s", equal_up_to(k, query),
                   same_s(equal_up_to(k, query)));
    else if (count && of_queries->shape == SAME_FROM)
        attend_put(w, ": they are equal in the %zu quer%s before it", query,
                   query == 1 ? "y" : "ies");
    if (count)
        attend_put(w, "\n");
}

/* ---- the other lines ------------------------------------------------------------------------- */

void same_put_first(attend_text *w, const same_outputs *o, const same_differences *d,
                    const same_known *k, int is_said)
{
    size_t query = d->first / o->heads, keys = k->has_keys ? same_keys_of(k, query) : 0;
    attend_put(w, "the first row that differs: query %zu, head %zu", query, d->first % o->heads);
    if (k->has_keys)
        attend_put(w, ", which sees %zu key%s", keys, same_s(keys));
    attend_put(w, "; %zu of its %zu value%s differ\n", d->first_values, o->channels,
               same_s(o->channels));
    if (!is_said && equal_up_to(k, query))
        attend_put(w, "all rows that see at most %zu key%s are equal\n", equal_up_to(k, query),
                   same_s(equal_up_to(k, query)));
}

void same_put_counts(attend_text *w, const same_outputs *o, const same_differences *d)
{
    size_t rows = o->queries * o->heads;
    attend_put(w, "%zu of %zu rows differ:", d->rows, rows);
    for (int axis = 0; axis < SAME_AXES; axis++) {
        const same_axis *a = &d->axis[axis];
        attend_put(w, "%s %zu of %zu %s", axis ? "," : "", a->differ, a->count,
                   noun(axis, a->count));
        if (a->differ < a->count && a->differ <= SAME_LISTED) {
            attend_put(w, " (");
            put_units(w, a);
            attend_put(w, ")");
        }
    }
    attend_put(w, "; %zu of %zu values\n", d->values, rows * o->channels);
}

static const char *format_name(sf8_format f)
{
    return sf8_format_bits(f) == 32 ? "f32" : f.man_bits == 10 ? "f16" : "bf16";
}

/* A number of ulps that half of the values do not exceed: one less than a power of two, or all. */
static uint64_t half_of(const same_differences *d)
{
    size_t bits = 0, count = d->apart[0];
    while (2 * count < d->finite)
        count += d->apart[++bits];
    uint64_t most = (UINT64_C(1) << bits) - 1;
    return most < d->ulps ? most : d->ulps;
}

void same_put_sizes(attend_text *w, const same_outputs *o, const same_differences *d)
{
    size_t row = d->largest / o->channels;
    if (d->not_finite[0] || d->not_finite[1])
        attend_put(w, "of the values that differ %zu are NaN or infinite in A, %zu in B\n",
                   d->not_finite[0], d->not_finite[1]);
    if (!d->finite)
        return;
    const attend_judged_output a = {.out = &o->of[0], .columns = o->channels},
                               b = {.out = &o->of[1], .columns = o->channels};
    uint64_t half = half_of(d);
    attend_put(
        w, "half of the values that differ are at most %llu ulp%s of %s apart, all at most %llu",
        (unsigned long long)half, same_s((size_t)half), format_name(o->of[0].format),
        (unsigned long long)d->ulps);
    attend_put(w, "; the largest difference is %.3g of the largest value of its row\n", d->of_row);
    attend_put(w, "the largest relative difference is %.3g: query %zu, head %zu, channel %zu, ",
               d->relative, row / o->heads, row % o->heads, d->largest % o->channels);
    attend_put(w, "A is %.9g, B is %.9g\n", attend_got(&a, row, d->largest % o->channels),
               attend_got(&b, row, d->largest % o->channels));
}

void same_put_nans(attend_text *w, const same_differences *d)
{
    if (d->nans)
        attend_put(w, "note: %zu value%s NaN in both\n", d->nans, d->nans == 1 ? " is" : "s are");
}

/* ---- with the request ------------------------------------------------------------------------ */

/* Of which queries the bits were compared. */
static void put_bits(attend_text *w, const same_outputs *o, const same_orders *f)
{
    attend_put(w, ", in every bit");
    if (f->queries < o->queries)
        attend_put(w, " of %zu quer%s that %s computed", f->queries, f->queries == 1 ? "y" : "ies",
                   f->queries == 1 ? "was" : "were");
}

void same_put_orders(attend_text *w, const same_outputs *o, const same_orders *f)
{
    static const char *const names[] = {"A", "B"};
    char a[2 * SF8_ORDER_TEXT_SIZE], b[2 * SF8_ORDER_TEXT_SIZE];
    for (size_t i = 0; i < f->pairs; i++) {
        same_order_text(&f->pair[i][0], &f->pair[i][1], f->keys, a, sizeof a);
        same_order_text(&f->pair[i][1], &f->pair[i][0], f->keys, b, sizeof b);
        attend_put(w, "%sA is %s, B is %s", i ? "or " : "", a, b);
        put_bits(w, o, f);
        attend_put(w, "\n");
    }
    if (f->more)
        attend_put(w, "or %zu other pair%s of orders\n", f->more, same_s(f->more));
    for (int side = 0; side < 2 && !f->pairs; side++)
        if (f->has[side]) {
            same_order_text(&f->pair[0][side], NULL, f->keys, a, sizeof a);
            attend_put(w, "%s is %s", names[side], a);
            put_bits(w, o, f);
            attend_put(w, "; no order that was tried gives %s\n", names[1 - side]);
        }
    if (!f->has[0] && !f->has[1])
        attend_put(w, "no known order, and none with one field changed, gives A or B\n");
    if (f->is_cut_short)
        attend_put(w, "the time was up before all orders were tried\n");
}
