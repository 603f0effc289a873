/* SPDX-License-Identifier: MIT */
/* p3109.c -- softfp8 export p3109: what the library has of IEEE P3109, as its YAML declarations
 *
 * The four files and their keys are those of Exemplars/README.md of github.com/P3109/Public
 * (26df0d0). The names and the rules are those of the version that the head declares, the draft D1
 * of July 2026. The formats are asked of the library. The exemplars have no key for functions that
 * an implementation lacks; here it is NotProvided. Section 4.5 of D1 requires none of those.
 */
#include "export/export.h"
#include "files/io.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct settings {
    const char *provider, *email, *uri, *timestamp;
} settings;

static const cli_option options[] = {
    {"--provider", "NAME", "who provides the implementation. Default: softfp8",
     TEXT(settings, provider)},
    {"--email", "ADDRESS", "the address for questions", TEXT(settings, email)},
    {"--uri", "URI", "where the files can be found", TEXT(settings, uri)},
    {"--timestamp", "TIME", "the time of the release, 2026-11-25T12:00Z. Default: now",
     TEXT(settings, timestamp)},
    {.kind = OPTION_END},
};

/* The functions of StandardOperations.yaml, and of the block operations of D1, that the library
 * lacks. Section 4.5 of D1 requires none of them. BlockOp stands for each operation on the elements
 * of blocks; reductions and operations on single elements with scales are there. */
/* clang-format off */
static const char *const missing[] = {
    "Exp", "Exp2", "Log", "Log2", "Softplus", "ExpMinusOne", "LogOnePlus", "Sin", "Cos", "Tan",
    "ArcSin", "ArcCos", "ArcTan", "ArcTan2", "SinPi", "CosPi", "TanPi", "ArcSinPi", "ArcCosPi",
    "ArcTanPi", "ArcTan2Pi", "Sinh", "Cosh", "Tanh", "ArcSinh", "ArcCosh", "ArcTanh",
    "ConvertFromBlock", "ConvertToBlock", "ConvertToBlockMaxAbsFinite", "BlockOp",
};
/* clang-format on */

static void write_head(output *out, const settings *s, const char *file)
{
    output_print(out,
                 "---\n"
                 "Metadata:\n"
                 "  conformance: \"IEEE SA P3109\"\n"
                 "  version: \"D1\"\n"
                 "  provider: \"%s\"\n"
                 "  contact:\n"
                 "    email: \"%s\"\n"
                 "    uri: \"%s\"\n"
                 "  implementation:\n"
                 "    name: \"softfp8\"\n"
                 "    version: \"%s\"\n"
                 "    timestamp: \"%s\"\n"
                 "  %s:\n"
                 "    uri: \"%s%s%s.yaml\"\n",
                 s->provider, s->email, s->uri, sf8_version(), s->timestamp, file, s->uri,
                 *s->uri ? "/" : "", file);
}

static void write_configurations(output *out)
{
    output_print(out, "Reference:\n"
                      "  IEEE754: [binary16, binary32, binary64, BFloat16]\n"
                      "  Projections:\n"
                      "    Rounding:\n"
                      "      - NearestTiesToEven\n"
                      "      - NearestTiesToAway\n"
                      "      - TowardZero\n"
                      "      - TowardPositive\n"
                      "      - TowardNegative\n"
                      "      - ToOdd\n");
    for (char rule = 'A'; rule <= 'C'; rule++)
        output_print(out, "      - Stochastic%c:\n          - bits: (' 1:32 ')\n", rule);
    output_print(out, "    Saturation:\n"
                      "      - SatFinite\n"
                      "      - SatPropagate\n"
                      "      - SatNone\n"
                      "  KappaApproximate: []\n"
                      "  NotProvided:\n");
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        output_print(out, "    - %s\n", missing[i]);
}

/* One line for the precisions of K bits that the library has. */
static void write_formats(output *out, int32_t k, int32_t is_signed, char end)
{
    int32_t first = 0, last = 0;
    for (int32_t p = 1; p <= k; p++) {
        if (!sf8_p3109_exists(k, p, is_signed))
            continue;
        first = first ? first : p;
        last = p;
    }
    output_print(out, "    - (' \"Binary%dp$(i)%c%c\" for i in %d:%d ')\n", (int)k,
                 is_signed ? 's' : 'u', end, (int)first, (int)last);
}

static void write_profiles(output *out)
{
    output_print(out, "Reference:\n  formats:\n");
    for (int32_t k = 3; k <= 16; k++)
        for (int32_t is_signed = 1; is_signed >= 0; is_signed--) {
            write_formats(out, k, is_signed, 'e');
            write_formats(out, k, is_signed, 'f');
        }
}

/* Operands, scales and results may have any formats, with two exceptions. A comparison has operands
 * of one format. Operations on mixed formats do not take binary64; those on binary64 alone, such as
 * its minima, are not declared here. */
static void write_constraints(output *out)
{
    static const char *const rows[][6] = {
        {"Convert<fx, fr, ρ>(x) -> r"},
        {"CompareLess<fx, fy>(x, y) -> b", "fx == fy"},
        {"CompareLessEqual<fx, fy>(x, y) -> b", "fx == fy"},
        {"CompareEqual<fx, fy>(x, y) -> b", "fx == fy"},
        {"CompareGreater<fx, fy>(x, y) -> b", "fx == fy"},
        {"CompareGreaterEqual<fx, fy>(x, y) -> b", "fx == fy"},
        {"TotalOrder<fx, fy>(x, y) -> b", "fx == fy"},
        {"Other<fx, fr, ρ>(x) -> r", "fx != binary64", "fr != binary64"},
        {"Other<fx, fy, fr, ρ>(x, y) -> r", "fx != binary64", "fy != binary64", "fr != binary64"},
        {"Other<fx, fy, fz, fr, ρ>(x, y, z) -> r", "fx != binary64", "fy != binary64",
         "fz != binary64", "fr != binary64"},
    };
    output_print(out, "Reference:\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        output_print(out, "  - \"%s\":\n      Requires:%s\n", rows[i][0], rows[i][1] ? "" : " []");
        for (size_t j = 1; j < 6 && rows[i][j]; j++)
            output_print(out, "        - (' %s ')\n", rows[i][j]);
    }
}

static void write_kappas(output *out)
{
    output_print(out, "Empty: true\n");
}

static const struct {
    const char *name;
    void (*write)(output *out);
} files[] = {
    {"Configurations", write_configurations},
    {"Profiles", write_profiles},
    {"Constraints", write_constraints},
    {"Kappas", write_kappas},
};
enum { FILES = sizeof files / sizeof files[0] };

/* Text inside double quotes of YAML. */
static void check_text(const char *option, const char *text)
{
    if (strpbrk(text, "\"\\\n") != NULL)
        fail("%s: expected text without quotes, backslashes and line ends", option);
}

static int run(int argc, char **argv)
{
    settings s = {"softfp8", "", "", NULL};
    output *list[FILES];
    char now[32], path[4096];
    time_t seconds = time(NULL);
    struct stat folder;
    if (!options_read(&export_p3109, argc, argv, &s))
        fail("no DIR given: the folder for the four files");
    strftime(now, sizeof now, "%Y-%m-%dT%H:%MZ", gmtime(&seconds));
    if (!s.timestamp)
        s.timestamp = now;
    check_text("--provider", s.provider);
    check_text("--email", s.email);
    check_text("--uri", s.uri);
    check_text("--timestamp", s.timestamp);
    if (stat(argv[0], &folder) != 0 || !S_ISDIR(folder.st_mode))
        fail("%s: no such folder", argv[0]);
    for (size_t i = 0; i < FILES; i++) {
        if ((size_t)snprintf(path, sizeof path, "%s/%s.yaml", argv[0], files[i].name) >=
            sizeof path)
            fail("%s: the name is too long", argv[0]);
        list[i] = output_open(path);
        write_head(list[i], &s, files[i].name);
        files[i].write(list[i]);
    }
    outputs_close(list, FILES);
    return STATUS_HELD;
}

const command export_p3109 = {
    .name = "export p3109",
    .purpose = "Writes what the library has of IEEE P3109, as the YAML files of its draft.",
    .example = "  $ mkdir declared && softfp8 export p3109 declared\n",
    .usage = "export p3109 [options] DIR",
    .about =
        "DIR receives Configurations.yaml (roundings and saturations), Profiles.yaml (formats), "
        "Constraints.yaml (which formats an operation combines) and Kappas.yaml, which is "
        "empty: no function is approximate. The form is that of the exemplars of "
        "github.com/P3109/Public, the version D1 of July 2026. Functions of the draft that softfp8 "
        "lacks are listed under NotProvided, a key of its own. The draft (section 4.5) requires "
        "none of them.",
    .options = options,
    .operands = "DIR",
    .operands_most = 1,
    .complete = "dir",
    .run = run,
};
