# SPDX-License-Identifier: MIT
# test_cuda_coverage.sh -- each conversion of the CUDA headers has its subjects, each subject its row
#
# The conversions are read from the text of the headers in $SOFTFP8_CUDA_INCLUDE; $softfp8 is
# list_cuda.
list=$softfp8

# conversions FILE...: "COUNT WHAT" of every conversion that the headers declare. COUNT is how many
# subjects a function needs: one for each combination of the arguments after the first.
conversions() {
    awk -v four="$(cat "$@" | grep -c '^__internal_fp8_sanitize_e8m0_rounding' || :)" '
    # the line without comments; `inside` is carried over
    function bare(line,    out, at) {
        out = ""
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                if (!at) return out
                line = substr(line, at + 2)
                inside = 0
            } else if (match(line, "//|/[*]")) {
                out = out substr(line, 1, RSTART - 1)
                if (substr(line, RSTART, 2) == "//") return out
                line = substr(line, RSTART + 2)
                inside = 1
            } else {
                return out line
            }
        }
        return out
    }
    # "const unsigned int val" is "unsigned int"
    function type(argument) {
        sub(/^ *(const )?/, "", argument)
        sub(/ *[A-Za-z0-9_]+ *$/, "", argument)
        return argument
    }
    function types(arguments,    n, i, list, out) {
        n = split(arguments, list, ",")
        out = type(list[1])
        for (i = 2; i <= n; i++) out = out ", " type(list[i])
        return out
    }
    # Roundings: two; from version 13.5 on four to e8m0; to ue5m3 always four.
    function combinations(name, arguments,    n, i, list, count) {
        n = split(arguments, list, ",")
        count = 1
        for (i = 2; i <= n; i++) {
            if (list[i] ~ /enum cudaRoundMode/)
                count *= name ~ /ue5m3/ || (name ~ /e8m0/ && four) ? 4 : 2
            else if (list[i] ~ /__nv_saturation_t|__nv_fp[86]_interpretation_t/)
                count *= 2
            else if (list[i] !~ /__nv_fp4_interpretation_t/)
                print 1, "an argument that is not known: " type(list[i])
        }
        return count
    }
    function declaration(text,    name, arguments) {
        arguments = text
        sub(/^[^(]*\(/, "", arguments)
        sub(/\)[^)]*$/, "", arguments)
        name = text
        sub(/ *\(.*/, "", name)
        sub(/.* /, "", name)
        if (name ~ /^__internal_/) return
        if (name ~ /^__nv_cvt_/) print combinations(name, arguments), name
        else if (text ~ /^operator /) {
            sub(/^operator /, "", text)
            sub(/ *\(.*/, "", text)
            print 1, class "::operator " text
        } else if (arguments !~ /^ *$/) print 1, name "(" types(arguments) ")"
    }
    { line = bare($0); if (line !~ /^ *#/) text = text " " line }
    END {
        gsub(/[ \t]+/, " ", text)
        begin = "struct (__NV_[A-Z0-9_]+ )*__CUDA_ALIGN__\\([0-9]+\\) [a-z0-9_]+"
        while (match(text, begin "|__CUDA_HOSTDEVICE_FP[468](_DECL)?__ [^;{]*[;{]")) {
            found = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (found ~ /^struct/) {
                class = found
                sub(/.* /, "", class)
            } else {
                sub(/^[A-Z0-9_]+ /, "", found)
                while (sub(/^__NV_[A-Z0-9_]+ /, "", found)) continue
                declaration(found)
            }
        }
    }' "$@" | sort -u
}

for family in fp8 fp6 fp4; do
    conversions "$SOFTFP8_CUDA_INCLUDE/cuda_$family.h" "$SOFTFP8_CUDA_INCLUDE/cuda_$family.hpp"
done | sort > declared
"$list" covers | sort | uniq -c | sed 's/^ *//' | sort > covered
same_file 'what the headers declare <, what subjects call >' declared covered

# Counted in another way: a function's name comes before a parenthesis, and members of a class of
# this kind are explicit.
cat "$SOFTFP8_CUDA_INCLUDE"/cuda_fp[864].h | grep -oE '__nv_cvt_[a-z0-9_]+ *\(' | tr -d ' (' |
    sort -u > declared
"$list" covers | grep '^__nv_cvt' | sort -u > covered
same_file 'the functions, by their names' declared covered
same 'explicit members' "$(cat "$SOFTFP8_CUDA_INCLUDE"/cuda_fp[864].hpp | grep -c '^ *explicit ')" \
    "$("$list" covers | grep -vc '^__nv_cvt')"

"$list" subjects > subjects
same 'names twice' '' "$(cut -d ' ' -f 1 subjects | sort | uniq -d)"
"$list" rows > rows
same 'subjects with several rows' '' "$(cut -d ' ' -f 1 rows | sort | uniq -d)"
cut -d ' ' -f 1 subjects | sort > names
cut -d ' ' -f 1 rows | sort > row_names
same_file 'subjects <, rows >' names row_names

# Elements are as wide as the oracle's.
grep -v ' - -$' rows | sort > rows_wide
cut -d ' ' -f 1 rows_wide > rows_names
sort subjects | join - rows_names > subjects_wide
same_file 'bytes of the words: subjects <, rows >' subjects_wide rows_wide
