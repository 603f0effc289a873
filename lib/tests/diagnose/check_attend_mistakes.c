/* SPDX-License-Identifier: MIT */
/* check_attend_mistakes.c -- the names of planted mistakes of attention: how many are right
 *
 * Prints a row for each mistake: how often it was planted where it shows, named, named otherwise,
 * and not named.
 *
 *     check_attend_mistakes [ROUNDS [FIRST [PARTS [MISTAKE]]]]
 *
 * how often each is planted; the first seed; s singles, p pairs; how the names of the only singles
 * begin
 */
#include "attend_requests.h"

static double exact[sizeof right / sizeof right[0]], other[sizeof right / sizeof right[0]];

/* Whether a mistake shows: five times as much as the kernel's own errors, or half of them if it is
 * how weights are rounded. */
static int shows(int mistake, int second)
{
    planted_output(&request, RIGHT, RIGHT, KERNEL_F32, exact);
    planted_output(&request, RIGHT, RIGHT, request.kernel, right);
    planted_output(&request, mistake, second, request.kernel, wrong);
    planted_output(&request, mistake, second, KERNEL_F32, other);
    double own = fmax(apart(right, exact), 1e-5 * size_of(exact)); /* f32 sums scores as well */
    return mistake >= P_NO_FACTOR ? apart(wrong, right) > own : apart(other, exact) > 5 * own;
}

static void plant(const mistake_row *row, uint64_t seed, score *s)
{
    planted_state = seed * 1000003 + (uint64_t)row->mistake;
    make_request(row->mistake, row->mistake);
    s->planted++;
    if (!shows(row->mistake, row->mistake)) {
        s->hidden++;
        return;
    }
    sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
    /* how weights are rounded may also be known by its bits, as a field of an order */
    int is_right = is_named(d, row->expected) || (row->mistake >= P_NO_FACTOR && d->order_count);
    s->named += (size_t)is_right;
    s->other += d->count && !is_right;
    s->none += !d->count;
    s->names += is_right ? d->count : 0;
    if (!is_right)
        print_names(row->name, d, seed);
    sf8_attention_diagnosis_free(d);
}

static score plant_all(size_t first, size_t rounds, const char *only)
{
    score all = {0, 0, 0, 0, 0, 0};
    printf("%-22s %7s %6s %6s %6s %6s %6s\n", "planted", "", "shows", "named", "other", "none",
           "names");
    for (size_t i = 0; i < ROWS; i++) {
        score s = {0, 0, 0, 0, 0, 0};
        if (only && strncmp(rows[i].name, only, strlen(only)) != 0)
            continue;
        for (size_t n = 0; n < rounds; n++)
            plant(&rows[i], first + n, &s);
        printf("%-22s %7zu %6zu %6zu %6zu %6zu %6.2f\n", rows[i].name, s.planted,
               s.planted - s.hidden, s.named, s.other, s.none,
               s.named ? (double)s.names / (double)s.named : 0);
        holds(rows[i].name, s.planted == s.hidden || s.named > 0);
        all.planted += s.planted;
        all.hidden += s.hidden;
        all.named += s.named;
        all.other += s.other;
        all.none += s.none;
        all.names += s.names;
    }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu\n", "all", all.planted, all.planted - all.hidden,
           all.named, all.other, all.none);
    return all;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Puts one page of keys or values in the place of another, or exchanges both. */
static void move_pages(double *x, size_t page, size_t a, size_t b, int is_exchange)
{
    size_t count = page * request.kv_heads * request.dim;
    for (size_t i = 0; i < count; i++) {
        double first = x[a * count + i];
        x[a * count + i] = x[b * count + i];
        if (is_exchange)
            x[b * count + i] = first;
    }
}

/* A page of 16, 32 or 64 keys read twice, or values exchanged: named with its size. */
static void plant_pages(uint64_t first, size_t rounds)
{
    static planted_request kept;
    for (uint64_t seed = first; seed < first + rounds; seed++)
        for (size_t page = 16; page <= 64; page *= 2)
            for (int is_exchange = 0; is_exchange < 2; is_exchange++) {
                char expected[128];
                planted_state = seed * 40503 + page + (size_t)is_exchange;
                do
                    make_request(RIGHT, RIGHT);
                while (request.keys != 300);
                size_t a = random_below(300 / page), b = random_below(300 / page - 1);
                b += b >= a;
                kept = request;
                move_pages(request.v, page, a, b, is_exchange);
                if (!is_exchange)
                    move_pages(request.k, page, a, b, is_exchange);
                planted_output(&request, RIGHT, RIGHT, request.kernel, wrong);
                request = kept;
                if (is_exchange)
                    snprintf(expected, sizeof expected,
                             "keys or values of %% to %% and %% to %% exchanged: pages of %zu keys",
                             page);
                else
                    snprintf(expected, sizeof expected,
                             "keys %zu to %zu read in place of keys %zu to %zu: a page of %zu keys",
                             b * page, (b + 1) * page - 1, a * page, (a + 1) * page - 1, page);
                sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
                holds("a page is named with its size", is_named(d, expected));
                if (!is_named(d, expected))
                    print_names(expected, d, seed);
                sf8_attention_diagnosis_free(d);
            }
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Puts the head `b` of a cache in the place of `a`, or exchanges both. */
static void move_heads(double *x, size_t a, size_t b, int is_exchange)
{
    size_t dim = request.dim, row = request.kv_heads * dim;
    for (size_t key = 0; key < request.keys; key++)
        for (size_t d = 0; d < dim; d++) {
            double *one = x + key * row + a * dim + d, *two = x + key * row + b * dim + d;
            double first = *one;
            *one = *two;
            *two = is_exchange ? first : *two;
        }
}

/* Two of four key/value heads exchanged, or a head of values that is read as another. */
static void plant_heads(uint64_t first, size_t rounds)
{
    static planted_request kept;
    for (uint64_t seed = first; seed < first + rounds; seed++)
        for (int is_exchange = 0; is_exchange < 2; is_exchange++) {
            planted_state = seed * 69621 + (size_t)is_exchange;
            do
                make_request(RIGHT, RIGHT);
            while (request.kv_heads < 4 || request.keys > 150);
            kept = request;
            move_heads(request.v, 1, 3, is_exchange);
            if (is_exchange)
                move_heads(request.k, 1, 3, is_exchange);
            planted_output(&request, RIGHT, RIGHT, request.kernel, wrong);
            request = kept;
            sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
            int is_right = is_exchange
                               ? is_named(d, "key/value heads exchanged: head 1 and head 3") ||
                                     is_named(d, "key/value heads exchanged: head 3 and head 1")
                               : is_named(d, "a head of values replaced: head 1 is read as head 3");
            holds("heads are named", is_right);
            if (!is_right)
                print_names("heads", d, seed);
            sf8_attention_diagnosis_free(d);
        }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* What a mistake changes: the keys that take part, the output, the factor of keys or of values. Two
 * that change the same are one: other keys that are missing, another factor. */
enum { OF_KEYS = 1, OF_OUTPUT = 2, OF_K_FACTOR = 4, OF_V_FACTOR = 8 };

static int changed_by(int mistake)
{
    int of = 0;
    of |= mistake >= TAIL_16 && mistake <= KEY_MISSING ? OF_KEYS : 0;
    of |= (mistake >= OUT_448 && mistake <= OUT_HALF) || mistake == OUT_E4M3_SCALED ||
                  mistake == OUT_E4M3_RAW
              ? OF_OUTPUT
              : 0;
    of |= mistake == K_FORGOTTEN || mistake == BOTH_FORGOTTEN || mistake == K_TWICE ||
                  mistake == BOTH_TWICE || mistake == EXCHANGED || mistake == K_OF_V
              ? OF_K_FACTOR
              : 0;
    of |= mistake == V_FORGOTTEN || mistake == BOTH_FORGOTTEN || mistake == V_TWICE ||
                  mistake == BOTH_TWICE || mistake == EXCHANGED || mistake == V_OF_K ||
                  mistake == OUT_HALF
              ? OF_V_FACTOR
              : 0;
    return of;
}

/* The mistakes whose names these are, of which the second may be RIGHT; 0 without them. */
static int mistakes_of(const char *text, int *one, int *two)
{
    const char *with = strstr(text, "; and: ");
    *one = *two = RIGHT;
    for (size_t i = 0; i < ROWS; i++) {
        if (begins(text, rows[i].expected))
            *one = rows[i].mistake;
        if (with && begins(with + strlen("; and: "), rows[i].expected))
            *two = rows[i].mistake;
    }
    return *one != RIGHT && (!with || *two != RIGHT);
}

/* Whether a name that was not planted gives the same output: nothing tells the two apart. */
static int is_equal(const sf8_attention_diagnosis *d, int one, int two)
{
    int a, b;
    planted_output(&request, one, two, KERNEL_F32, exact);
    double own = apart(wrong, exact);
    for (size_t i = 0; i < d->count; i++)
        if (mistakes_of(d->list[i], &a, &b)) {
            planted_output(&request, a, b, request.kernel, other);
            if (apart(other, wrong) <= own)
                return 1;
        }
    return 0;
}

/* Mistakes whose numbers follow from the output are not looked for together with others. */
static int is_alone(int mistake)
{
    return mistake >= WINDOW_ADDED && mistake <= OUT_E4M3_RAW;
}

static score plant_pairs(size_t first, size_t count)
{
    score s = {0, 0, 0, 0, 0, 0};
    for (size_t n = 0; s.planted - s.hidden < count && n < 20 * count; n++) {
        planted_state = (first + n) * 7919;
        const mistake_row *one = &rows[random_below(ROWS - 4)],
                          *two = &rows[random_below(ROWS - 4)];
        if (one == two || is_alone(one->mistake) || is_alone(two->mistake) ||
            one->needs + two->needs == SCALED + PLAIN ||
            (changed_by(one->mistake) & changed_by(two->mistake)) != 0)
            continue;
        make_request(one->mistake, two->mistake);
        s.planted++;
        /* Both show, and neither alone is the output. */
        int both = 1;
        for (int k = 0; k < 2; k++) {
            planted_output(&request, (k ? one : two)->mistake, RIGHT, request.kernel, right);
            planted_output(&request, one->mistake, two->mistake, request.kernel, wrong);
            planted_output(&request, (k ? one : two)->mistake, RIGHT, KERNEL_F32, exact);
            both = both &&
                   apart(wrong, right) > 5 * fmax(apart(right, exact), 1e-5 * size_of(exact));
        }
        if (!both || !shows(one->mistake, two->mistake) || size_of(wrong) == 0) {
            s.hidden++;
            continue;
        }
        sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
        int is_right = 0;
        for (size_t i = 0; i < d->count; i++) {
            const char *with = strstr(d->list[i], "; and: ");
            is_right |= with && ((begins(d->list[i], one->expected) &&
                                  begins(with + strlen("; and: "), two->expected)) ||
                                 (begins(d->list[i], two->expected) &&
                                  begins(with + strlen("; and: "), one->expected)));
        }
        is_right = is_right || is_equal(d, one->mistake, two->mistake);
        s.named += (size_t)is_right;
        s.other += d->count && !is_right;
        s.none += !d->count;
        if (!is_right) {
            char what[64];
            snprintf(what, sizeof what, "%s + %s", one->name, two->name);
            print_names(what, d, first + n);
        }
        sf8_attention_diagnosis_free(d);
    }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu\n", "pairs", s.planted, s.planted - s.hidden, s.named,
           s.other, s.none);
    return s;
}

int main(int argc, char **argv)
{
    const arguments a = arguments_of(argc, argv, "sp");
    if (strchr(a.part, 's')) {
        const char *only = argc > 4 ? argv[4] : NULL;
        if (!only) {
            plant_pages(a.first, a.rounds);
            plant_heads(a.first, a.rounds);
        }
        score s = plant_all(a.first, a.rounds, only);
        enough("single mistakes are named", &s);
        holds("none has another's name", s.other == 0);
    }
    if (strchr(a.part, 'p')) {
        score s = plant_pairs(a.first, 5 * a.rounds);
        enough("pairs are named", &s);
        holds("none has another's name, or one of a hundred", s.other * 100 <= s.planted);
    }
    return failures > 0;
}
