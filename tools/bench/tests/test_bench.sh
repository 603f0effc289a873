# SPDX-License-Identifier: MIT
# test_bench.sh -- softfp8-bench: its rows, figures that agree with one another, its refusals
#
# Times are not tested, only what must hold between them. softfp8-test-broken_bench is the program
# over array functions that have one element wrong.
broken=$(dirname "$softfp8")/softfp8-test-broken_bench
bench="$softfp8 --quick"
# Under the sanitizers 2^32 words and a million calls of MPFR take as long as all the rest.
tier=${SOFTFP8_TIER:-quick}

# ---- rows

"$softfp8" --list > list
"$softfp8" --list --all > list_all
same "each name once" "" "$(sed 's/ .*//' list_all | sort | uniq -d)"
same "a row" "f32_to_e4m3/rz  f32 to e4m3  ocp rz" "$(grep '^f32_to_e4m3/rz ' list)"
same "packing has no format" "pack/4" "$(grep '^pack/4' list)"
same "sweeps are asked for" 0 "$(grep -c '^sweep' list)"
same "and come with --all" 0 "$(diff list list_all | grep -c '^[<>] [^s]')"
same "or by name" "$(grep '^sweep/' list_all)" "$("$softfp8" --list --only 'sweep/*')"
sed -n 's#^f32_to_e4m3/ocp/\([a-z0-9]*\) .*#\1#p' list > levels
same "the last level is there everywhere" portable "$(tail -n 1 levels)"
for f in quantize/mxfp4-floor dequantize/nvfp4-vllm f32_to_e5m2/ocp-nosat f16_to_e4m3 bf16_to_e5m2 e4m3_to_f32 data/f32_to_e4m3; do
    same "$f: all levels" "$(cat levels)" "$(sed -n "s#^$f/\([a-z0-9]*\) .*#\1#p" list)"
done
same "--level: one" portable \
    "$("$softfp8" --list --level portable | sed -n 's#^f32_to_e4m3/ocp/\([a-z0-9]*\) .*#\1#p')"

# ---- a run: every array operation at two sizes

status "arrays" 0 $bench --sizes 1e3,2500 --only '[efbpu]*[0-9kp]_*' --json a.json
mv out table
same "quiet where there is no terminal" "" "$(cat err)"
same "the files, and nothing aside" "a.json" "$(echo a.*)"
same "a line a row and size" "$(grep -c '"name"' a.json)" \
    "$(grep -cE '^[^ ]+ +(1e3|2500) +[0-9.]+ +[0-9.]+ +[0-9.]+ ' table)"
for name in quantize dequantize; do
    status "$name" 0 $bench --sizes 1e3,2500 --only "$name/*" --json blocks.json
    same "$name: a line a row and size" "$(grep -c '"name"' blocks.json)" \
        "$(grep -cE "^$name/[^ ]+ +(1e3|2500) +[0-9.]+ +[0-9.]+ +[0-9.]+ " out)"
done
status "packing, and random words" 0 $bench --sizes 1e3 --only '*[k3]/[46s]*' --json b.json
for name in pack/4 pack/6 unpack/4 unpack/6 f32_to_e4m3/sr; do
    same "$name" 1 "$(grep -c "\"name\": \"$name\"" b.json)"
done
for name in e4m3_add e4m3_fma e5m2_div f64_to_e4m3 e4m3_to_f32/portable e4m3_to_e5m2/portable; do
    same "$name twice" 2 "$(grep -c "\"name\": \"$name\"" a.json)"
done

# field NAME: that of a row of JSON on stdin.
field() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" | tr -d '"'; }

# Bytes read and written for a value, by hand.
bytes() {
    case $1 in
        */sr) echo 9 ;;
        f32_to_f16 | f32_to_bf16) echo 6 ;;
        f64_to_f16 | f64_to_bf16) echo 10 ;;
        f64_to_f32*) echo 12 ;;
        f64_*) echo 9 ;;
        f32_*) echo 5 ;;
        f16_* | bf16_*) echo 3 ;;
        *_to_f32*) echo 5 ;;
        *_to_f16* | *_to_bf16*) echo 3 ;;
        *_to_*) echo 2 ;;
        *_fma) echo 4 ;;
        e4m3_* | e5m2_*) echo 3 ;;
        pack/4 | unpack/4) echo 1.5 ;;
        pack/6 | unpack/6) echo 1.75 ;;
    esac
}
grep -h '"name"' a.json b.json | while read -r line; do
    name=$(echo "$line" | field name)
    echo "$name $(bytes "$name") $(echo "$line" | field ns_least) $(echo "$line" |
        field ns_median) $(echo "$line" | field gb_per_s) $(echo "$line" | field over_copy) $(
        echo "$line" | field over_read) $(echo "$line" | field status)"
done > figures
same "figures of each row" "" "$(awk '
    NF != 8 || $8 != "measured" || !($2 > 0) || !($3 > 0) || $4 < $3 || !($6 > 0) || !($7 > 0) ||
        $5 * $3 < 0.999 * $2 || $5 * $3 > 1.001 * $2' figures)"
same "rows of figures" "$(grep -ch '"name"' a.json b.json | awk '{n += $1} END {print n}')" \
    "$(wc -l < figures | tr -d ' ')"
same "a target is met where the figure says so" "" "$(grep -oh '{"measure"[^}]*}' a.json b.json |
    sed 's/[":,{}]/ /g' | awk '{met = $3 == "least" ? $6 >= $4 : $6 <= $4}
        ($8 == "true") != met || NF != 8')"

if command -v python3 > /dev/null; then
    cat > read.py << 'END'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["schema"] == 1 and r["level"] and r["processors"] >= 1 and r["version"]
assert len({tuple(x) for x in r["rows"]}) == 1, "the same keys everywhere"
assert {x["n"] for x in r["rows"]} == {1000, 2500}
assert all(x["data"] == ("mixed" if x["from"] in ("f32", "f16", "bf16", "f64") else "codes")
           for x in r["rows"])
assert all(x["repeats"] == 3 and x["why"] is None and x["seconds"] is None for x in r["rows"])
print("read")
END
    same "JSON is read" read "$(python3 read.py a.json 2>&1 | tail -n 1)"
else
    echo "skipped: no python3"
fi

# ---- what is not over arrays

status "a call" 0 $bench --sizes 1e3 --only 'call/f32_to_e4m3/ocp'
same "always a million, and a target" 1 \
    "$(grep -cE '^call/f32_to_e4m3/ocp +1e6 .* ns <2.5 (ok|short)$' out)"
same "its end" 1 "$(grep -cE '^[01] of 1 targets reached$' out)"
same "short rows are listed again" "$(grep -c 'ns <2.5 short$' out)" "$(grep -c '^short: call' out)"
status "relative to a row that was skipped" 0 $bench --only call/sf8_convert
same "nothing is said" 0 "$(grep -c targets out)"
status "relative to one that was" 0 $bench --only 'call/[sf]*[ct][po]*'
same "something is" 1 "$(grep -cE '^call/sf8_convert .* times <2.5 (ok|short)$' out)"
status "kinds of data" 0 $bench --only 'data/f*/portable'
same "all three" 1 "$(grep -cE '^data.*: gauss [0-9.]+, mixed [0-9.]+, bits [0-9.]+ ns$' out)"
if [ "$tier" = short ]; then
    echo "skipped: rows of MPFR, in the short tier"
elif grep -q '^mpfr/e4m3_add .*skipped$' list; then
    status "MPFR, which is not here" 3 $bench --only 'mpfr/*'
    same "the reason" 4 "$(grep -c '^skipped: mpfr/.*: MPFR was not found' out)"
else
    status "MPFR agrees" 0 $bench --only 'mpfr/*'
    same "four rows" 4 "$(grep -cE '^mpfr/[^ ]+ +1e6 +[0-9.]+ ' out)"
fi
status "data" 0 $bench --sizes 1e3 --data bits --only '*_to_e4m3' --json -
same "is in the report" bits "$(field data < out | sed '/codes/d' | sort -u)"
status "a level" 0 $bench --sizes 1e3 --level portable --only 'e4m3_add'
same "is that of arithmetic too" 1 "$(grep -c 'array level portable$' out)"

# ---- little memory

if { (ulimit -v 2000000 && "$softfp8" --list > out); } 2> err; then
    status "too large" 3 sh -c "ulimit -v 2000000 && $bench --sizes 1e9 --only f64_to_e4m3"
    same "the reason" 1 "$(grep -cE '^skipped: f64_to_e4m3, n = 1e9: ' out)"
    status "the rest is run" 0 sh -c "ulimit -v 2000000 && $bench --sizes 1e9,1e3 --only f64_to_e4m3"
    same "skipped, run" "1 1" "$(grep -cE '^f64_to_e4m3 +1e9  skipped$' out) $(
        grep -cE '^f64_to_e4m3 +1e3 +[0-9.]+ ' out)"
else
    echo "skipped: the sanitizers want more address space"
fi

# ---- what is wrong is not measured

status "all is right" 0 "$broken" --quick --sizes 1e3 --only e4m3_mul
for name in f32_to_e4m3/ocp/portable e4m3_to_f32/portable f32_to_f16 e4m3_add pack/6 \
    data/f32_to_e4m3/portable sweep/f32_to_e4m3/portable sweep-all/f32_to_e4m3/portable; do
    status "$name is wrong" 1 "$broken" --quick --sizes 1001 --only $name --json c.json
    same "$name: it is said" 2 "$(grep -cE "^($name +[0-9e^]+  WRONG|WRONG: $name, n = )" out)"
    same "$name: no figure" "wrong null" "$(field status < c.json) $(field ns_least < c.json)"
done
if [ "$tier" != short ]; then
    best=$(head -n 1 levels)
    status "a sweep, wrong at its end" 1 env BROKEN_END=1 "$broken" --quick --only "sweep/*/$best"
    status "in another process" 1 env BROKEN_END=1 "$broken" --quick --only "sweep-all/*/$best"
fi
status "where" 1 "$broken" --quick --sizes 1000 --only e4m3_add
same "which element" 1 "$(grep -cE \
    '^WRONG: e4m3_add, n = 1e3: element 500 of 1000 is [0-9a-f]{2}, should be [0-9a-f]{2}$' out)"

# ---- files

refuses "a folder that does not exist" "cannot write no/x.json" $bench --json no/x.json
refuses "a folder as a file" "cannot write .: it is a directory" $bench --json .
status "JSON to standard output" 0 $bench --sizes 1e3 --only e4m3_add --json -
same "and no table" '{"schema": 1, ]}' "$(head -c 13 out) $(tail -n 1 out)"
status "a file" 0 $bench --sizes 1e3 --only e4m3_add --json d.json
same "the table as well, complete" "1 ]}" "$(grep -c '^e4m3_add ' out) $(tail -n 1 d.json)"

# ---- refusals

refuses "no such row" "no row 'e4m3_ad'; did you mean 'e4m3_add'" "$softfp8" --only e4m3_ad
refuses "none near" "no row 'zzzzzzzzz'; 'softfp8-bench --list' lists" "$softfp8" --only zzzzzzzzz
for sizes in 0 x '' 1e3, ,1e3 1e 1e10 1000000001 2e9 -5 1e3x 1.5e3 1e3,,1e6 \
    99999999999999999999; do
    refuses "--sizes $sizes" "--sizes $sizes: expected numbers from 1 to 1e9" \
        "$softfp8" --sizes "$sizes"
done
refuses "too many sizes" "more than 16" "$softfp8" --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
refuses "--data" "--data noise: expected one of gauss mixed bits" "$softfp8" --data noise
refuses "--level" "--level sse: expected one of portable" "$softfp8" --level sse
refuses "--repeats" "--repeats 0: expected a number from 1 to 1000" "$softfp8" --repeats 0
refuses "an operand" "unexpected 'e4m3': .*; --only chooses" "$softfp8" e4m3
refuses "a drawing" "no option '--svg'; '--json' writes the numbers to draw" "$softfp8" --svg x
refuses "an unknown option" "no option '--htm'" "$softfp8" --htm x
refuses "a value for none" "--quick=1 takes no value" "$softfp8" --quick=1
