# SPDX-License-Identifier: MIT
# test_seconds.sh -- tools/tests/seconds.txt has tests of the short tier; seconds.awk finds those that take
# longer than their line says, and those that tools/test leaves out
kept=$source/tools/tests/seconds.txt

same "no name and seconds" "" "$(awk '/^[^#]/ && (NF != 2 || $2 + 0 < 2)' "$kept")"
ctest --test-dir "$SOFTFP8_BUILD" --label-exclude 'long|levels|rare' -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort > listed
awk '/^[^#]/ { print $1 }' "$kept" | sort > lines
same "lines of no test, or twice" "" "$(comm -13 listed lines)"

# report NAME SECONDS...: as ctest writes one, with 25 tests that take as long as their lines say, times
# `slow`.
report() {
    for i in $(seq 25); do echo "t$i $i"; done | awk -v slow="$slow" \
        '{ printf "\t<testcase name=\"%s\" classname=\"%s\" time=\"%g\" status=\"run\">\n", $1, $1, $2 * slow }'
    while [ $# -gt 0 ]; do
        printf '\t<testcase name="%s" classname="%s" time="%s" status="run">\n' "$1" "$1" "$2"
        shift 2
    done
}
for i in $(seq 25); do echo "t$i $i"; done > table
for row in 1:14.9:0 1:15.1:1 0.5:15.1:1 3:44:0 3:46:1; do
    slow=${row%%:*}
    took=${row#*:}
    report new "${took%:*}" > report.xml
    status "$row" "${row##*:}" awk -f "$source/tools/tests/seconds.awk" table report.xml
done
same "what it says" "new took 46.0 s: 15 are allowed, and this machine takes 3.0 times as long" \
    "$(cat out)"
slow=1
report t3 11.9 > report.xml
status "a line, less than four times it" 0 awk -f "$source/tools/tests/seconds.awk" table report.xml
report t3 12.1 > report.xml
status "a line, four times it" 1 awk -f "$source/tools/tests/seconds.awk" table report.xml

printf '%s\n' '# 10' 'lib.slow 10' 'lib.quick 9' 'docs.slow 100' > table
awk -f "$source/tools/tests/seconds.awk" -v slow=1 table > regex
same "what tools/test leaves out" "docs.slow lib.slow" \
    "$(echo "$(printf '%s\n' lib.slow lib.slow_too lib.quick libxslow docs.slow | grep -E "$(cat regex)" | sort)" | xargs)"
