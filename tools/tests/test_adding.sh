# SPDX-License-Identifier: MIT
# test_adding.sh -- the checklists of docs/adding are right: a copy of the sources with the edits that
# they list, and no others, builds, and its tests and its proof hold
tests_dir=$source/tools/tests
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER

mkdir tree
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git --exclude=./vectors/steps .) | tar -xf - -C tree

for checklist in "$source"/docs/adding/*.md; do
    same "${checklist#"$source"/}: one screen, 100 columns" "" "$(awk '
        length > 100 && !/^\|/ { print FNR ": too wide" }
        END { if (FNR > 60) print FNR " lines" }' "$checklist")"
done

# page NAME: makes the edits of docs/adding/NAME.md.
page() {
    mkdir "$1"
    awk -v to="$1" -f "$tests_dir/edits.awk" "$source/docs/adding/$1.md" || failed "$1: no edits"
    for edit in "$1"/*.edit; do
        file=tree/$(sed -n 1p "$edit")
        text=$(sed -n 2p "$edit")
        if [ -z "$text" ]; then
            mkdir -p "${file%/*}"
            sed 1,2d "$edit" > "$file"
            continue
        fi
        same "docs/adding/$1.md: a line of $file with $text" 1 "$(grep -cF -- "$text" "$file")"
        line=$(grep -nF -- "$text" "$file" | sed 's/:.*//;q')
        sed 1,2d "$edit" > inserted
        sed "${line}r inserted" "$file" > edited
        cp edited "$file"
    done
}
page format
page policy
page family

suites="scalar/formats scalar/formats_family text/names text/spec text/text_codes text/evidence
    policies/policies policies/policy_pairs"
{
    cmake -S tree -B made -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O0 -Wno-format-truncation" -DSOFTFP8_WERROR=ON \
        -DSOFTFP8_CUDA=OFF -DSOFTFP8_CONSUMER_TESTS=OFF
    cmake --build made -j "$(nproc)" --target softfp8-compare-mpfr softfp8_command \
        test_scalar test_text test_policies
} > log 2>&1 < /dev/null || {
    tail -n 30 log
    failed "what the pages say builds"
}

new=made/bin/softfp8
for suite in $suites; do
    status "$suite" 0 "made/bin/test_${suite%/*}" --filter "${suite#*/}/*"
done
status "the scripts about rows" 0 sh "$source/tools/softfp8/tests/run_test.sh" \
    "$PWD/tree/tools/softfp8/tests/rows/rows.session" "$PWD/$new" "$PWD/tree"

# ---- the format
status "the proof" 0 made/bin/softfp8-compare-mpfr --tier brief --only '*/e2m5*'
same "the proof has rows for it" yes "$([ "$(grep -c e2m5 out)" -gt 4 ] && echo yes)"
same "formats" "e2m5 8 2 5 1 yes none no yes 7.875 2^0 2^-5" "$("$new" formats e2m5 | tail -n 1 | xargs)"
# 7.9375 is the tie between 7.875 and what would be 8: an overflow; 1/64 is the tie with zero
same "convert" "7f 7f 00 a0" "$(printf '%s\n' 1000 7.9375 0.015625 -1 |
    "$new" convert --as-numbers --from f32 --to e2m5 | xargs)"
same "names of functions" 1 "$("$new" gen -list | grep -cx e2m5_mulAdd)"
"$new" gen f16_to_e2m5 --format bin --columns result -o codes
same "identify" "explained: " "$("$new" identify --from f16 --to e2m5 codes | grep -o '^explained: ')"
same "identify names it where codes are of another format" 1 \
    "$("$new" identify --from f16 --to e3m4 codes | grep -c 'these are codes of e2m5')"

# ---- the policy
same "policies" "document: docs/adding/policy.md" \
    "$("$new" policies example | sed -n 's/^ *evidence *//p')"
same "convert by it" "7f 7e" "$(printf '%s\n' 43e80001 7f800000 |
    "$new" convert --from f32 --to e4m3 --policy example | xargs)"
"$new" gen f16_to_e4m3 --policy example --format bin --columns result -o codes
same "identify names the policy" "explained: example, rne" \
    "$("$new" identify --from f16 --to e4m3 codes | grep '^explained')"
status "its golden text is accepted" 0 env "SOFTFP8_ACCEPT=$PWD/accepted" sh \
    "$source/tools/softfp8/tests/run_test.sh" "$PWD/tree/tools/softfp8/tests/explain/explain.session" "$PWD/$new" "$PWD/tree"
same "and no other" tools/softfp8/tests/explain/products.txt "$(sort -u accepted)"

# ---- the family of cases
status "its case passes" 0 "$new" conform --only 'example/*'
same "and is counted" 1 "$(grep -c '1 passed, 0 failed' out)"
sed 's/!= code/== code/' tree/conformance/families/example/cases.c > edited
cp edited tree/conformance/families/example/cases.c
cmake --build made --target softfp8_command > log 2>&1 || failed "the family with a fault builds"
status "a fault fails it" 1 "$new" conform --only 'example/*'
