# SPDX-License-Identifier: MIT
# test_shards.sh -- conform --shard and --merge: the shards of a run together give that run
#
# With SOFTFP8_TIER=full a case of 2^32 inputs is divided too; that takes a minute.
. "$source/tools/softfp8/tests/common.sh"

# A report without what may differ from run to run.
bare() {
    sed -E 's/"(date|shard|shards)": ("[^"]*"|[0-9]+)/"\1": 0/g; s/"(subject_)?seconds": [0-9.]+/"seconds": 0/g' "$1"
}

# shards WHAT N OPTION...: the reports of N shards and the one of a single run, in whole.json
shards() {
    what=$1
    n=$2
    shift 2
    status "$what" 0 "$softfp8" conform --json whole.json "$@"
    i=1
    rm -f shard_*.json
    while [ "$i" -le "$n" ]; do
        status "$what: shard $i" 0 "$softfp8" conform --json "shard_$i.json" --shard "$i/$n" "$@"
        i=$((i + 1))
    done
    status "$what: merge" 0 "$softfp8" conform --merge --json merged.json shard_*.json
    bare whole.json > whole
    bare merged.json > merged
    same_file "$what: one run <, shards >" whole merged
}

f16='cuda-host/halfraw*_to_fp8*'
shards 'one shard' 1 --only "$f16"
shards 'three shards' 3 --only "$f16"
same 'cases in three shards' 8 "$(cat shard_*.json | grep -c '{"name": ')"
for shard in 1 2 3; do
    tests=$((tests + 1))
    grep -c '{"name": ' shard_$shard.json | grep -q '^[23]$' || failed "shard $shard has no third of the cases"
done
shards 'more shards than cases' 10 --only "$f16"
same 'cases in ten shards' 8 "$(cat shard_*.json | grep -c '{"name": ')"
if [ "${SOFTFP8_TIER-quick}" = full ]; then
    shards '2^32 inputs, three shards' 3 --tier full --only 'cuda-host/float_to_fp8/e4m3/nosat'
    same 'a part in each shard' 3 "$(cat shard_*.json | grep -c '{"name": ')"
fi

# ---- what does not belong together
shards 'three shards' 3 --only "$f16"
merge() { "$softfp8" conform --merge "$@"; }
refuses 'a shard is missing' '2 reports; expected one for each of 3 shards' merge shard_1.json shard_2.json
refuses 'a shard twice' 'shard_2.json: shard 2 appears twice' merge shard_1.json shard_2.json shard_2.json
refuses 'another choice' 'other.json: the choice of cases is not that of the first report' sh -c \
    "'$softfp8' conform --json other.json --shard 3/3 --only 'cuda-host/fp8*' > table && exec '$softfp8' conform --merge shard_1.json shard_2.json other.json"
sed 's/"shards": 3/"shards": 4/' shard_3.json > other.json
refuses 'of another number' 'other.json: a report of 4 shards; expected 3' merge shard_1.json shard_2.json other.json
# other WHAT FROM TO: shard_3.json with another head
other() {
    sed "2s/$2/$3/" shard_3.json > other.json
    if cmp -s shard_3.json other.json; then failed "no '$2' in the report"; fi
    refuses "another $1" "other.json: the $1 is not that of the first report" merge shard_1.json shard_2.json other.json
}
other version '"softfp8": "' '"softfp8": "9'
other GPU '"gpu": [^,]*' '"gpu": "another"'
other driver '"driver": [^,]*' '"driver": "another"'
other toolkit '"toolkit": "' '"toolkit": "9'
other tier '"tier": "quick"' '"tier": "full"'
refuses 'no report' 'expected the JSON reports of all shards' merge
refuses 'with a choice of cases' 'merge reads reports: leave out --list, --only' merge --only 'x*' shard_1.json
refuses 'no file' 'absent.json' merge absent.json
refuses 'a report without --merge' "unexpected 'shard_1.json'; --only chooses cases" "$softfp8" conform shard_1.json

# ---- what is no report: each names the file and the line
printf '' > empty.json
refuses 'an empty file' 'empty.json:1: expected an object' merge empty.json
printf '{"schema": 2, "shard": 1, "shards": 1}\n' > schema.json
refuses 'another schema' 'schema.json:1: expected a report' merge schema.json
lines=$(wc -l < shard_1.json)
head -n $((lines - 1)) shard_1.json > cut.json
refuses 'without its last line' "cut.json:$lines: " merge cut.json shard_2.json shard_3.json
head -c 700 shard_1.json > cut.json
refuses 'cut off' 'cut.json:[0-9]+: ' merge cut.json shard_2.json shard_3.json
line=$(grep -n '"name": ' shard_1.json | head -n 1 | cut -d : -f 1)
sed "${line}s/cuda-host/cuda-hust/" shard_1.json > other.json
refuses 'a case that is not here' "other.json:$line: no case 'cuda-hust/" \
    merge other.json shard_2.json shard_3.json
sed "${line}s/\"digest\": \"../\"digest\": \"x/" shard_1.json > other.json
refuses 'an invalid digest' "other.json:$line: expected a digest" merge other.json shard_2.json shard_3.json
sed "${line}s/\"parts\": 1/\"parts\": 0/" shard_1.json > other.json
refuses 'no parts' "other.json:$line: expected a case with parts" merge other.json shard_2.json shard_3.json
# edit FROM TO: other.json is shard_1.json with its first case changed.
edit() {
    sed "${line}s/$1/$2/" shard_1.json > other.json
    if cmp -s shard_1.json other.json; then failed "no '$1' in the report"; fi
}
edit '"status": "passed", ' ''
refuses 'no status' "other.json:$line: expected a case with a status" merge other.json shard_2.json shard_3.json
edit '"inputs": [0-9]*' '"inputs": 0'
refuses 'passed without inputs' "other.json:$line: expected a result with inputs" merge other.json shard_2.json shard_3.json
edit '"digest": "[0-9a-f]*"' '"digest": null'
refuses 'passed without a digest' "other.json:$line: expected a result with inputs" merge other.json shard_2.json shard_3.json
edit '"differ": 0' '"differ": 1'
refuses 'differences without a range' "other.json:$line: the counts" merge other.json shard_2.json shard_3.json
edit '"at_end": false' '"at_end": true'
refuses 'the last input differs, and none does' "other.json:$line: the counts" merge other.json shard_2.json shard_3.json
edit '"range_count": 0' '"range_count": 18446744073709551615'
refuses 'ranges without differences' "other.json:$line: the counts" merge other.json shard_2.json shard_3.json
edit '"status": "passed"' '"status": "known"'
refuses 'known, and the row is not' "other.json:$line: the status" merge other.json shard_2.json shard_3.json
edit '"status": "passed"' '"status": "failed"'
refuses 'failed, and nothing differs' "other.json:$line: the status" merge other.json shard_2.json shard_3.json
edit '"of": 1' '"of": 2'
refuses 'half of a case that has no halves' 'other.json: the parts of .* do not fit' merge other.json shard_2.json shard_3.json
sed 's/"tier": "quick"/"tier": "brisk"/' shard_1.json > brisk_1.json
sed 's/"tier": "quick"/"tier": "brisk"/' shard_2.json > brisk_2.json
sed 's/"tier": "quick"/"tier": "brisk"/' shard_3.json > brisk_3.json
refuses 'no such tier' 'brisk_1.json: expected a tier' merge brisk_1.json brisk_2.json brisk_3.json
sed "${line}d" shard_1.json > other.json
refuses 'a case is missing' 'no report has the case cuda-host/halfraw' merge other.json shard_2.json shard_3.json

# ---- what is wrong beside certain neighbours alone is no range, and fails
edit '"crossed": 0' '"crossed": 3'
refuses 'passed, and wrong beside others' "other.json:$line: the status" merge other.json shard_2.json shard_3.json
sed "${line}s/\"status\": \"passed\"/\"status\": \"failed\"/; ${line}s/\"crossed\": 0/\"crossed\": 3/" \
    shard_1.json > other.json
status 'a shard that failed beside others' 1 merge other.json shard_2.json shard_3.json
grep -q '1 failed' out || failed 'the table of a shard that failed beside others'

# ---- a part that failed makes the whole fail
sed "${line}s/\"status\": \"passed\"/\"status\": \"failed\"/; ${line}s/\"differ\": 0/\"differ\": 1/; ${line}s/\"range_count\": 0, \"ranges\": \[\]/\"range_count\": 1, \"ranges\": [{\"first\": \"0000\", \"last\": \"0000\", \"got\": \"01\", \"expected\": \"00\"}]/" shard_1.json > other.json
status 'a shard that failed' 1 merge other.json shard_2.json shard_3.json
grep -q '1 failed' out || failed 'the table of a shard that failed'
