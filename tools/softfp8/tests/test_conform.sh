# SPDX-License-Identifier: MIT
# test_conform.sh -- softfp8 conform: its reports, its exit status, its refusals
#
# softfp8-test-fake_conform is the command over the cases of fake_cases.h. Their
# results are made up, so that every status occurs. conform/ has the expected reports.
kept=tools/softfp8/tests/conform
fake=$(dirname "$softfp8")/softfp8-test-fake_conform

# ---- the reports, byte for byte

"$fake" report table > table.txt
golden "the table" $kept/table.txt table.txt
same "the table: at most 100 columns" "" "$(awk 'length > 100' table.txt)"
same "the last line" "2 passed, 5 failed, 1 known, 2 skipped, 1 stale, 1 broken" \
    "$(tail -n 1 table.txt)"
"$fake" report json > report.json
golden "JSON" $kept/report.json report.json
"$fake" report junit > report.xml
golden "JUnit" $kept/report.xml report.xml
"$fake" report html > report.html

# ---- JSON, read by another program

if command -v python3 > /dev/null; then
    cat > read.py << 'END'
import json, sys
r = json.load(open(sys.argv[1]))
t = r["totals"]
by = {}
for c in r["cases"]:
    by.setdefault(c["status"], []).append(c)
statuses = ["passed", "failed", "known", "not_run", "stale", "broken"]
assert t["cases"] == len(r["cases"]) == sum(t[s] for s in statuses)
assert all(t[s] == len(by.get(s, [])) for s in statuses)
assert len({tuple(c) for c in r["cases"]}) == 1, "the same keys everywhere"
assert r["gpu"] is None and r["schema"] == 1 and (r["shard"], r["shards"]) == (1, 1)
known = by["known"][0]
assert known["known"] == 'NaN keeps its payload <here> & "there", https://example.org/a?b=1&c=2'
assert [x["got"] for x in known["ranges"]] == ["7d00", "fd00"]
assert by["not_run"][0]["why"] == "no GPU" and by["not_run"][0]["digest"] is None
many = r["cases"][-1]
assert many["range_count"] == 128 and len(many["ranges"]) == 64
print("read")
END
    same "JSON is read" read "$(python3 read.py report.json 2>&1 | tail -n 1)"
else
    echo "skipped: no python3"
fi

# ---- HTML; conformance.page has what a browser makes of it

# The JSON of a page, in which no "<" is left.
json_of() {
    sed -n 's/^<script type="application.json" id="report">//; /^{"schema"/,/^<.script>/p' "$1" |
        sed '$d'
}
json_of report.html > embedded.json
lacks "HTML: no element in the JSON" '<' embedded.json
sed 's/\\u003c/</g' embedded.json > unescaped.json
same_file "HTML: its JSON is that of --json" report.json unescaped.json
same "HTML: no text ends a script" 2 "$(grep -ci '</script' report.html)"
sed '/^<script type="application.json"/,/^<.script>/d' report.html > frame.html
same "HTML: nothing is loaded" "" \
    "$(grep -oiE '<(link|img|iframe|object|embed)|src=|@import|url\([^#][^)]*\)' frame.html | head -n 3)"
lacks "HTML: no address" 'https?://' frame.html
same "HTML: the summary needs no script" 1 "$(grep -cFx \
    '<p class="verdict">5 failed, 1 broken, 1 stale; 1 known difference; 2 skipped.</p>' frame.html)"
same "HTML: what needs one is said" 1 "$(grep -c '<noscript>' frame.html)"
tests=$((tests + 1))
[ "$(wc -c < report.html)" -lt 200000 ] || failed "HTML: too long"

# ---- XML

if command -v xmllint > /dev/null; then
    status "JUnit is XML" 0 xmllint --noout report.xml
    same "JUnit: failures, errors, skipped" "5 1 1" "$(for e in failure error; do
        xmllint --xpath "count(//testsuite[@name='cuda-host']//$e)" report.xml
        echo
    done | tr -s '\n' ' ')$(xmllint --xpath "count(//testsuite[@name='cuda-host']//skipped)" report.xml)"
    same "JUnit: the sums" "12 6 1 3" "$(for a in tests failures errors skipped; do
        xmllint --xpath "string(/testsuites/@$a)" report.xml
    done | tr '\n' ' ' | sed 's/ $//')"
    same "JUnit: a text with quotes" \
        'known: NaN keeps its payload <here> & "there", https://example.org/a?b=1&c=2' \
        "$(xmllint --xpath "string(//testcase[@name='fp8_to_half/e5m2']/skipped/@message)" report.xml)"
else
    echo "skipped: no xmllint"
fi
if command -v tidy > /dev/null; then
    same "HTML: tidy has no errors" "" \
        "$(tidy -q -e --custom-tags yes report.html 2>&1 | grep -i ' error' || true)"
else
    echo "skipped: no tidy"
fi

# ---- the exit status

good=cuda-host/float_to_fp8/e4m3/satfinite
status "passed" 0 "$fake" --only "$good"
same "passed: the table" "1 passed, 0 failed, 0 known, 0 skipped" "$(tail -n 1 out)"
same "quiet where there is no terminal" "" "$(cat err)"
status "passed, strict" 0 "$fake" --strict --only "$good"
status "a known difference" 0 "$fake" --strict --only cuda-host/fp8_to_half/e5m2
status "failed" 1 "$fake" --only cuda-host/int_to_half/rn
status "broken" 1 "$fake" --only '*crash'
status "stale" 1 "$fake" --only 'record/*'
status "all" 1 "$fake"
status "not run, named" 3 "$fake" --only 'cuda-gpu/*'
same "not run: the reason" "skipped: cuda-gpu, 2 cases: no GPU" "$(grep '^skipped:' out)"
# Reasons and speeds of many cases are one line each. No GPU is to be seen.
status "skipped for one reason" 3 env CUDA_VISIBLE_DEVICES= \
    "$softfp8" conform --records none --only '*-device/*'
same "one reason of several families" 1 "$(grep -cE '^skipped: [2-9] families, [0-9,]+ cases: ' out)"
same "and no other line" 1 "$(grep -c '^skipped:' out)"
status "many speeds" 0 "$softfp8" conform --only 'record/h100/kv-*/kv*/*'
same "many speeds" "1 0" \
    "$(grep -c '^[0-9]* cases have the speed of a kernel' out) $(grep -c '% of a copy' out)"
status "one speed" 0 "$softfp8" conform --only 'record/h100/kv-store/kv-vllm/f32/nhd'
same "one speed" 1 "$(tr -s ' \n' ' ' < out | grep -c '97 % of a copy')"
status "failed comes before not run" 1 "$fake" --only 'c*'
status "not run" 0 "$fake" --shard 9/12
same "not run: counted" "0 passed, 0 failed, 0 known, 1 skipped" "$(tail -n 1 out)"
status "not run, strict" 3 "$fake" --shard 9/12 --strict
status "an empty shard" 0 "$fake" --only "$good" --shard 2/2

# ---- shards: each case once

for i in 1 2 3 4 5; do
    "$fake" --json - --shard $i/5 | sed -n 's/^ *{"name": "\([^"]*\)".*/\1/p'
done | sort > parts
"$fake" --list | sed 's/ .*//' | sort > list
same_file "the shards together" list parts
same "cases" 12 "$(wc -l < list | tr -d ' ')"
same "a row" "$good  all  f32_to_e4m3 cuda-satfinite" "$("$fake" --list --only "$good")"
same "a row of two steps" \
    "cuda-host/double_to_fp8/e4m3/nosat  set  f64_to_f32 ocp-nosat  then  f32_to_e4m3 cuda-nosat" \
    "$("$fake" --list --only '*double*')"
same "fields, and what else a row says" "cuda-host/float_to_fp8/e5m2/rz  all  f32_to_e5m2 cuda-nosat round=rz
cuda-host/fp8_to_half/e5m2  all  e5m2_to_f16 ptx  known
cuda-host/fp8_to_half/e4m3  all  e4m3_to_f16 ocp-nosat  any NaN" \
    "$("$fake" --list | sed -n '3,5p')"

# ---- files

status "all three files" 1 "$fake" --html a.html --json a.json --junit a.xml
same "the table as well" "2 passed, 5 failed, 1 known, 2 skipped, 1 stale, 1 broken" \
    "$(tail -n 1 out)"
same "complete" "</body></html> </testsuites> ]}" \
    "$(tail -n 1 a.html) $(tail -n 1 a.xml) $(tail -c 3 a.json)"
same "nothing aside" "" "$(ls | grep -E '^a\.[a-z]+\..' || true)"
status "JSON to standard output" 1 "$fake" --json -
same "and no table" '{"schema": 1, ]}' "$(head -n 1 out) $(tail -c 3 out)"
status "asked for by name, and not run" 3 \
    "$fake" --tier full --strict --only '*gpu*' --shard 1/2 --json b.json
same "the head of JSON" '"tier": "full", "only": "*gpu*", "shard": 1, "shards": 2,' \
    "$(grep -o '"tier".*' b.json)"
echo kept > c.json
refuses "a folder that does not exist" "cannot write no/x.html" "$fake" --json c.json --html no/x.html
refuses "a folder as a file" "cannot write .: it is a directory" "$fake" --json c.json --html .
same "what was there stays" kept "$(cat c.json)"

# ---- refusals

refuses "no such case" "no case 'cuda-host/int_to_half/ru'; did you mean 'cuda-host/int_to_half/rn'" \
    "$fake" --only cuda-host/int_to_half/ru
refuses "a misspelled family" "no case 'cuda-hots/\*'; did you mean 'cuda-host/\*'" \
    "$fake" --only 'cuda-hots/*'
refuses "no such case, and none near" "no case 'zzz'; 'softfp8 conform --list' lists" \
    "$fake" --only zzz
refuses "the same for --list" "no case 'zzz'" "$fake" --list --only zzz

# ---- the suite itself: a case of few inputs, whatever this machine has for it

status "the list" 0 "$softfp8" conform --list
one=$(sed -n 's/^\([^ ]*\)  all  e4m3_to_f16 .*/\1/p' out | head -n 1)
got=0
"$softfp8" conform --only "$one" > out 2> err || got=$?
case $got-$(tail -n 1 out) in
    "0-1 passed, 0 failed, 0 known, 0 skipped" | "3-0 passed, 0 failed, 0 known, 1 skipped") ;;
    *)
        failed "softfp8 conform --only '$one': status $got"
        cat out err
        ;;
esac
tests=$((tests + 1))
